//! Reading the files of the goals flow for a command: what is needed, and no more.

use std::path::Path;

use hast_flow::docs::document::{Document, Read, read};
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::{Config, Goals, unknown_tools};
use hast_flow::flows::goals::handoffs::{LastSession, NewestFirst, read_handoff};
use hast_flow::flows::goals::layout;
use hast_flow::formats::diagnostic::{Diagnostic, Finding};
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::words::{Lang, shell_word};
use hast_world::root_path::RootPath;
use hast_world::{files, roots};

use super::flow_root;
use crate::app::App;
use crate::auto_messages::say as auto_say;
use crate::messages::say;
use crate::problem::{Problem, diagnostic_text};

/// The root of the goals flow that is found from here.
pub(crate) fn find_root(app: &App) -> Result<RootPath, Problem> {
    flow_root::there(app, FlowName::Goals, || {
        let next = say::no_ai_directory_next(app.lang, app.here().display());
        Problem::new(say::no_ai_directory(app.lang), next)
    })
}

/// The root for commands that work with rooms, which are trees of a whole repository. A `.ai/` in a package of one is
/// told as such: `git init` there would only hide it from its repository.
pub(crate) fn repository_root(app: &App) -> Result<RootPath, Problem> {
    let root = find_root(app)?;
    let Some(top) = roots::git_top(&root).filter(|top| *top != *root) else { return Ok(root) };
    let package = root.strip_prefix(&top).unwrap_or(&root).join(layout::DIRECTORY);
    let (package, shown) = (package.display().to_string(), top.display().to_string());
    let what = auto_say::in_a_package(app.lang, &package, &shown);
    let next = auto_say::in_a_package_next(app.lang, shell_word(&shown), shell_word(&package));
    Err(Problem::new(what, next))
}

/// The config and the goals, both optional; what is wrong with either ends the command.
pub(crate) struct GoalsFiles {
    pub(crate) config: Config,
    pub(crate) goals: Goals,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl GoalsFiles {
    pub(crate) fn read(app: &mut App, root: &RootPath) -> Result<Self, Problem> {
        let config_text = text_of(app, root, layout::CONFIG)?;
        let goals_text = text_of(app, root, layout::GOALS)?;
        let mut findings = Vec::new();
        let config = parse::<Config>(layout::CONFIG, config_text.as_deref(), &mut findings);
        let goals = parse::<Goals>(layout::GOALS, goals_text.as_deref(), &mut findings);
        if let (Some(config), Some(goals)) = (&config, &goals) {
            let source = Source::new(layout::GOALS, goals_text.as_deref().unwrap_or(""));
            findings.extend(unknown_tools(&source, goals, &config.value));
        }
        let config = config.map(|read| read.value).unwrap_or_default();
        use_language(app, &config);
        let errors = findings.iter().filter(|finding| finding.is_error()).count();
        if errors > 0 {
            show(app, &findings);
            let what = say::bad_files(app.lang, errors);
            return Err(Problem::new(what, say::bad_files_next(app.lang)));
        }
        let goals = goals.map(|read| read.value).unwrap_or_default();
        Ok(Self { config, goals, warnings: findings })
    }
}

/// A file that somebody named cannot be used: shows what is wrong, and says where to begin.
pub(crate) fn bad_file(
    app: &mut App,
    document: &str,
    file: &Path,
    findings: &[Diagnostic],
) -> Problem {
    show(app, findings);
    let lang = app.lang;
    let errors: Vec<&Diagnostic> = findings.iter().filter(|finding| finding.is_error()).collect();
    let line = |finding: &Diagnostic| {
        finding
            .line()
            .map_or_else(|| finding.file.to_string(), |line| format!("{}:{line}", finding.file))
    };
    let next = say::bad_file_next(lang, document, shell_word(&file.display().to_string()));
    let problem = Problem::new(say::bad_files(lang, errors.len()), next);
    let problem = match errors.first() {
        Some(first) => problem.at(Path::new(&line(first))),
        None => problem.at(file),
    };
    if !app.json {
        return problem;
    }
    // Programs do not read what was shown.
    let all: Vec<String> = errors
        .iter()
        .map(|finding| format!("{}: {}", line(finding), finding.finding.what(lang)))
        .collect();
    problem.because(all.join("; "))
}

/// The newest valid handoff with its name, and what is wrong with each newer one.
pub(crate) struct Newest {
    pub(crate) session: Option<(String, LastSession)>,
    pub(crate) skipped: Vec<(String, Vec<Diagnostic>)>,
}

/// Looks from the newest name on and opens no more than it has to.
pub(crate) fn newest_handoff(app: &App, root: &RootPath) -> Result<Newest, Problem> {
    let directory = root.join(layout::HANDOFFS);
    let names = directory.names().map_err(|error| cannot_read(app, &error))?;
    let mut newest = Newest { session: None, skipped: Vec::new() };
    for name in NewestFirst::new(names.iter().map(String::as_str)) {
        let shown = format!("{}/{name}", layout::HANDOFFS);
        match read_one(&directory.join(name), &shown) {
            Ok(session) => {
                newest.session = Some((name.to_owned(), session));
                break;
            }
            Err(findings) => newest.skipped.push((shown, findings)),
        }
    }
    Ok(newest)
}

/// The newest valid handoff; each invalid one before it is said once.
pub(crate) fn last_session(app: &mut App, root: &RootPath) -> Result<Option<LastSession>, Problem> {
    let newest = newest_handoff(app, root)?;
    for (shown, findings) in newest.skipped {
        let skipped = say::handoff_skipped(app.lang, &shown);
        app.output.message(&format!("{}: {skipped}\n", say::warning(app.lang)));
        let findings: Vec<_> = findings.into_iter().map(Diagnostic::warning).collect();
        show(app, &findings);
    }
    Ok(newest.session.map(|(_, session)| session))
}

fn read_one(path: &RootPath, shown: &str) -> Result<LastSession, Vec<Diagnostic>> {
    let bytes = path.read_bounded(MAX_DOCUMENT_BYTES).map_err(|error| {
        let finding = Finding::CannotRead { why: error.source.to_string() };
        vec![Diagnostic::of_file(shown, finding)]
    })?;
    let source = Source::from_bytes(shown, &bytes).map_err(|diagnostic| vec![diagnostic])?;
    read_handoff(&source)
}

/// Machine files are never for git: the file that says so is written whenever it is missing.
pub(crate) fn keep_ignored(lang: Lang, root: &RootPath) -> Result<(), Problem> {
    let made = root.join(layout::IGNORE).create(layout::ignore_text().as_bytes());
    made.map(drop).map_err(|error| Problem::cannot_write(lang, &error.path, &error.source))
}

/// A text file that may be absent.
pub(crate) fn text_of(app: &App, root: &RootPath, name: &str) -> Result<Option<String>, Problem> {
    let bytes = root
        .join(name)
        .read_if_there(MAX_DOCUMENT_BYTES)
        .map_err(|error| cannot_read(app, &error))?;
    let Some(bytes) = bytes else { return Ok(None) };
    Source::from_bytes(name, &bytes).map_err(|diagnostic| {
        let why = diagnostic.finding.what(app.lang);
        let next = diagnostic.finding.next(app.lang);
        Problem::new(say::cannot_read(app.lang), next).at(Path::new(name)).because(why)
    })?;
    Ok(String::from_utf8(bytes).ok())
}

/// Shows findings on stderr.
pub(crate) fn show(app: &mut App, findings: &[Diagnostic]) {
    for finding in findings {
        let text = diagnostic_text(finding, app.lang, &app.output.message_renderer());
        app.output.message(&(text + "\n"));
    }
}

fn parse<D: Document>(
    name: &str,
    text: Option<&str>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Read<D>> {
    match read::<D>(&Source::new(name, text?)) {
        Ok(read) => {
            findings.extend(read.warnings.clone());
            Some(read)
        }
        Err(wrong) => {
            findings.extend(wrong);
            None
        }
    }
}

fn use_language(app: &mut App, config: &Config) {
    if let Some(language) = config.language.filter(|_| !app.lang_given) {
        app.lang = language.lang();
    }
}

fn cannot_read(app: &App, error: &files::PathError) -> Problem {
    Problem::cannot_read(app.lang, &error.path, &error.source)
}
