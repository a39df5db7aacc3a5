//! Preparation that is common to all commands that call agents. It finds the project with its
//! settings and asks for the user's approval of the commands that would run. It gives the calls
//! their supervisor and settings.

use std::ffi::OsString;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hast_flow::agents::budget::RunBudget;
use hast_flow::agents::provider::Provider;
use hast_flow::docs::document::{read, read_sparing};
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::{Config, Goals, Language};
use hast_flow::flows::goals::layout;
use hast_flow::flows::kernel;
use hast_flow::formats::agent_words::NoRights;
use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::ids::Sha256;
use hast_flow::trust::{Commands, Doubt, Trusted};
use hast_flow::words::{Lang, shell_word};
use hast_world::calls::{Settings, variable};
use hast_world::files::{PathError, read_named};
use hast_world::programs::Missing;
use hast_world::root_path::RootPath;
use hast_world::roots;
use hast_world::settings::{ConfigFrom, find};
use hast_world::supervisor::{Forwarding, Guarded, forward};
use hast_world::trust::{Approvals, NotTrusted};

use super::goals_files::show;
use crate::agent_messages::say;
use crate::app::{App, shared_clock};
use crate::messages::say as common;
use crate::problem::Problem;

/// Only goals need these; whoever calls agents can do without.
const NOT_NEEDED: &[&str] = &["test_command", "ai_tool"];

/// A directory with the settings that hold there.
pub(crate) struct Project {
    pub(crate) root: RootPath,
    /// hast's own files.
    pub(crate) machine: RootPath,
    pub(crate) config: Config,
    /// Where the settings are, and whose.
    pub(crate) config_file: Option<(PathBuf, ConfigFrom)>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// The budget of this command (`--budget`).
    pub(crate) run_budget: Option<RunBudget>,
}

/// The project that is found from here: `--root`, else the nearest `.ai/`, else the top of the git
/// work tree, else the current directory.
pub(crate) fn project(app: &mut App) -> Result<Project, Problem> {
    let root = root(app.root.as_deref(), &app.directory, app.home.as_deref());
    let root = RootPath::new(&root).map_err(|error| cannot_read(app.lang, &error))?;
    project_at(app, root)
}

fn root(given: Option<&Path>, directory: &Path, home: Option<&Path>) -> PathBuf {
    let marker = FlowName::Goals.marker();
    let root = given.map(Path::to_owned).or_else(|| {
        roots::find_root(directory, home, marker).or_else(|| roots::git_top(directory))
    });
    root.unwrap_or_else(|| directory.to_owned())
}

/// The language that the settings name. What is wrong with them is for those commands to tell
/// that need them.
pub(crate) fn language(
    given: Option<&Path>,
    directory: &Path,
    home: Option<&Path>,
) -> Option<Lang> {
    let variables: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let file = find(&root(given, directory, home), &variables).ok()??;
    let name = file.path.display().to_string();
    let source = Source::from_bytes(&name, &file.bytes).ok()?;
    let config = read_sparing::<Config>(&source, NOT_NEEDED).ok()?.value;
    config.language.map(Language::lang)
}

/// The settings that hold for a root. Errors in them end the command.
pub(crate) fn project_at(app: &mut App, root: RootPath) -> Result<Project, Problem> {
    let variables: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let state = root.join(FlowName::Goals.marker());
    state.check_directory().map_err(|error| cannot_read(app.lang, &error))?;
    let found = find(&root, &variables).map_err(|error| cannot_read(app.lang, &error))?;
    let mut project = Project {
        machine: machine_directory(&root),
        root,
        config: Config::default(),
        config_file: None,
        warnings: Vec::new(),
        variables,
        run_budget: None,
    };
    let Some(file) = found else { return Ok(project) };
    let name = file.path.display().to_string();
    let parsed = Source::from_bytes(&name, &file.bytes)
        .map_err(|diagnostic| vec![diagnostic])
        .and_then(|source| read_sparing::<Config>(&source, NOT_NEEDED));
    match parsed {
        Ok(read) => {
            project.config = read.value;
            project.warnings = read.warnings;
            project.config_file = Some((file.path, file.from));
        }
        Err(findings) => {
            show(app, &findings);
            let what = common::bad_files(app.lang, findings.len());
            return Err(Problem::new(what, common::bad_files_next(app.lang)));
        }
    }
    if let Some(language) = project.config.language.filter(|_| !app.lang_given) {
        app.lang = language.lang();
    }
    Ok(project)
}

/// Beside the goals, where there are goals.
pub(crate) fn machine_directory(root: &RootPath) -> RootPath {
    let goals = root.join(FlowName::Goals.marker());
    if goals.is_dir() { goals.join(".hast") } else { root.join(".hast") }
}

/// What the files of the project would have run. The user's own settings need no approval.
pub(crate) fn commands(project: &Project) -> Commands {
    let commands = match &project.config_file {
        Some((_, ConfigFrom::Project)) => Commands::of_config(&project.config),
        Some((_, ConfigFrom::User)) | None => Commands::default(),
    };
    // Goals that cannot be read run nothing either.
    let goals = project.root.join(layout::GOALS).read_if_there(MAX_DOCUMENT_BYTES).ok().flatten();
    let goals = goals.and_then(|bytes| {
        let source = Source::from_bytes(layout::GOALS, &bytes).ok()?;
        read::<Goals>(&source).ok().map(|read| read.value)
    });
    let commands = with_experts(commands.with_goals(&goals.unwrap_or_default()), &project.root);
    with_rehearsals(commands, &project.root)
}

/// A rehearsal is a program too: what it does is approved, not only its name.
fn with_rehearsals(commands: Commands, root: &RootPath) -> Commands {
    let named: Vec<String> = commands
        .iter()
        .filter_map(|(_, line)| {
            line.trim().strip_prefix("rehearsal:").map(|file| file.trim().to_owned())
        })
        .collect();
    named.into_iter().fold(commands, |commands, file| {
        // As it will be read when it is played.
        let bytes = match Path::new(&file).is_absolute() {
            true => read_named(Path::new(&file), MAX_DOCUMENT_BYTES),
            false => root.join(&file).read_bounded(MAX_DOCUMENT_BYTES),
        };
        let bytes = bytes.ok();
        let content = bytes.map_or_else(String::new, |bytes| Sha256::of(&bytes).to_string());
        commands.with(&format!("sha256 of {file}"), &content)
    })
}

/// The agents that a kernel's experts name.
fn with_experts(mut commands: Commands, root: &RootPath) -> Commands {
    let directory = root.join(FlowName::Kernel.marker()).join("experts");
    for file in directory.names().unwrap_or_default() {
        let path = format!("experts/{file}");
        let Some(name) = kernel::layout::expert_of(&path) else { continue };
        let bytes = directory.join(&file).read_if_there(MAX_DOCUMENT_BYTES).ok().flatten();
        // An expert that cannot be read runs nothing either.
        let expert = kernel::troubles::read_expert(name, &bytes.unwrap_or_default());
        if let Some(agent) = expert.ok().and_then(|expert| expert.agent) {
            commands = commands.with(&format!("experts.{name}.agent"), &agent);
        }
    }
    commands
}

/// The proof that these commands may be run. On a terminal the user is asked once.
pub(crate) fn trusted(
    app: &mut App,
    project: &Project,
    commands: &Commands,
) -> Result<Trusted, Problem> {
    let approvals = approvals(app, project)?;
    match approvals.judge(commands) {
        Ok(trusted) => Ok(trusted),
        Err(NotTrusted::Doubt(doubt)) if asks(app) => {
            show_commands(app, &approvals, commands, Some(&doubt));
            match says_yes(app) {
                true => approvals.approve(commands).map_err(|why| not_kept(app.lang, &why)),
                false => Err(not_approved(app.lang)),
            }
        }
        Err(NotTrusted::Doubt(_)) => Err(not_approved(app.lang)),
        Err(why) => Err(not_kept(app.lang, &why)),
    }
}

pub(crate) fn approvals(app: &App, project: &Project) -> Result<Approvals, Problem> {
    Approvals::of(&project.root, &project.variables).map_err(|error| cannot_read(app.lang, &error))
}

/// Whether there is somebody to ask.
pub(crate) fn asks(app: &App) -> bool {
    !app.json && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

pub(crate) fn says_yes(app: &mut App) -> bool {
    let question = say::trust_question(app.lang);
    says_yes_to(app, &question)
}

/// Asks, and waits for a word. Silence is a no.
pub(crate) fn says_yes_to(app: &mut App, question: &str) -> bool {
    app.output.message(question);
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    if !answer.ends_with('\n') {
        // Nobody pressed return: what follows begins on a line of its own.
        app.output.message("\n");
    }
    let answer = answer.trim().to_lowercase();
    read.is_ok() && (["y", "yes"].contains(&&*answer) || answer == say::yes(app.lang))
}

/// What is missing for an agent, and what to do about it.
pub(crate) fn told_missing(lang: Lang, missing: &Missing) -> (String, String) {
    match missing {
        Missing::Program(program) => (say::no_agent(lang, program), say::no_agent_next(lang)),
        Missing::Path(path) => {
            (say::no_agent_path(lang, path), say::no_agent_path_next(lang, shell_word(path)))
        }
        Missing::Rehearsal(file) => {
            (say::no_rehearsal(lang, file), say::no_rehearsal_next(lang, file))
        }
    }
}

/// The warning about a bare line of a known program in `HAST_AI_TOOL`, with what to write instead. Lines of
/// the settings are warned about where those are read.
pub(crate) fn bare_variable(project: &Project) -> Option<NoRights> {
    let line = variable(&project.variables, "HAST_AI_TOOL")?.to_str()?;
    if project.config.ai_tools.contains_key(line.trim()) {
        return None;
    }
    match Provider::parse(line).ok()? {
        Provider::Template(template) => template.missing_rights(&project.config),
        Provider::Preset(_) | Provider::Builtin(_) | Provider::Rehearsal { .. } => None,
    }
}

/// Shows that warning.
pub(crate) fn warn_of_variable(app: &mut App, project: &Project) {
    let Some(rights) = bare_variable(project) else { return };
    let (lang, what) = (app.lang, rights.what(app.lang));
    let what = format!("{}: HAST_AI_TOOL: {what}", common::warning(lang));
    app.output.message(&format!("{what}\n{}: {}\n", common::next(lang), rights.next(lang)));
}

/// A missing agent is told before anything is begun that would wait for it. Where roles have agents of
/// their own, the first call tells.
pub(crate) fn agent_to_begin(
    app: &App,
    project: &Project,
    tool: Option<&str>,
) -> Result<(), Problem> {
    if !project.config.roles.is_empty() {
        return Ok(());
    }
    super::auto::agent_is_there(app, project, tool)
}

/// Shows what would be run, and what is different from what was approved.
pub(crate) fn show_commands(
    app: &mut App,
    approvals: &Approvals,
    commands: &Commands,
    doubt: Option<&Doubt>,
) {
    let lang = app.lang;
    let mut text = say::trust_heading(lang, approvals.repository().display()) + "\n";
    for (field, command) in commands.iter() {
        text += &format!("{}\n", say::trust_field(lang, field, command));
    }
    if let Some(Doubt::Changed(changes)) = doubt {
        for change in changes {
            let before = change.before.clone().unwrap_or_else(|| say::trust_nothing(lang));
            text += &format!("{}\n", say::trust_changed(lang, &change.field, before));
        }
    }
    app.output.message(&text);
}

pub(crate) fn not_approved(lang: Lang) -> Problem {
    Problem::new(say::not_trusted(lang), say::not_trusted_next(lang))
}

pub(crate) fn not_kept(lang: Lang, why: &NotTrusted) -> Problem {
    match why {
        NotTrusted::Doubt(_) => not_approved(lang),
        NotTrusted::NoPlace => {
            Problem::new(say::no_trust_place(lang), say::no_trust_place_next(lang))
        }
        NotTrusted::Io(error) => Problem::new(say::cannot_keep(lang), say::cannot_keep_next(lang))
            .at(&error.path)
            .because(error.source.to_string()),
    }
}

/// A supervisor, with the signals of this process passed on to what it runs.
pub(crate) fn supervisor(lang: Lang) -> Result<(Arc<Guarded>, Forwarding), Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(say::no_supervisor(lang), say::no_supervisor_next(lang))
            .because(error.to_string())
    };
    let guarded = Arc::new(Guarded::new(roots::temporary()).map_err(failed)?);
    let forwarding = forward(Arc::clone(&guarded)).map_err(failed)?;
    Ok((guarded, forwarding))
}

/// The settings of calls for a flow of a project; `documents` is what its paths are below.
pub(crate) fn settings(
    app: &App,
    project: &Project,
    flow: FlowName,
    documents: RootPath,
    tool: Option<String>,
    trusted: Trusted,
) -> Result<Settings, Problem> {
    let hast = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("hast"));
    Ok(Settings {
        flow,
        root: project.root.clone(),
        documents,
        machine: project.machine.clone(),
        scope: String::new(),
        config: project.config.clone(),
        lang: app.lang,
        tool,
        variables: project.variables.clone(),
        hast: hast.to_string_lossy().into_owned(),
        clock: shared_clock(app.lang)?,
        trusted,
        run_budget: project.run_budget,
    })
}

fn cannot_read(lang: Lang, error: &PathError) -> Problem {
    Problem::cannot_read(lang, &error.path, &error.source)
}
