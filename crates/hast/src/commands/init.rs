//! `hast init`: makes what is missing, never overwrites, and says what to do next.

use std::path::Path;

use hast_flow::agents::presets::Preset;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::docs::document::{read, read_sparing};
use hast_flow::docs::goals::Config;
use hast_flow::flows::goals::goal_edit::NewGoal;
use hast_flow::flows::goals::init::{
    Conventions, Found, More, NewFile, Settings, commands as next_commands, files, summary,
};
use hast_flow::flows::goals::selection::placed;
use hast_flow::flows::goals::{conventions, detect, layout};
use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::formats::edit::Edit;
use hast_flow::formats::source::Source;
use hast_flow::formats::yaml_print::quoted;
use hast_flow::trust::Commands;
use hast_flow::words::{shell_word, visible};
use hast_world::driver_lock::DriverLock;
use hast_world::files::PathError;
use hast_world::root_path::{Made, RootPath};
use hast_world::trust::Approvals;
use hast_world::{git, programs, roots};
use serde_json::json;

use super::flow_root;
use super::goal::add;
use super::{auto, calling, driving, queue};
use crate::app::App;
use crate::cli::InitArgs;
use crate::commands::flow_root::unwritten;
use crate::goal_messages::say as of_goals;
use crate::messages::say;
use crate::problem::{Exit, Problem};

/// Enough of a file to see what kind of project it belongs to.
const SIGN_BYTES: usize = 1 << 20;
/// Where agents report, as git names it.
const HANDOFFS: &str = ".ai/handoffs/";

pub(crate) fn run(app: &mut App, args: &InitArgs) -> Result<Exit, Problem> {
    if args.title.as_deref().is_some_and(|title| title.trim().is_empty()) {
        let next = of_goals::empty_title_next(app.lang, "hast init --goal");
        return Err(Problem::usage(of_goals::empty_title(app.lang), next));
    }
    let agent = args.agent.as_deref().map(|line| agent_line(app, line)).transpose()?;
    let Some(root) = roots::git_top(app.here()) else {
        if let Some(bare) = roots::bare_repository(app.here()) {
            let next = say::bare_repository_next(app.lang, shell_word(&bare.to_string_lossy()));
            return Err(Problem::new(say::bare_repository(app.lang), next));
        }
        let next = say::no_repository_next(app.lang, app.here().display());
        return Err(Problem::new(say::no_repository(app.lang), next));
    };
    let root = RootPath::new(&root).map_err(|error| flow_root::unread(app, &error))?;
    let driven_by_nobody = nobody_works(app, &root)?;
    let own = found(&root);
    let found = Found { agent: agent.clone().or(own.agent), ..own };
    let created = make_files(app, &root, &found)?;
    let settings = settings(&root, &created, found);
    trust_what_was_written(&root, &created);
    let added = if args.conventions { add_conventions(app, &root)? } else { Vec::new() };
    if let Some(name) = agent.filter(|_| !created.contains(&layout::CONFIG)) {
        let (lang, next) = (app.lang, say::next(app.lang));
        let what = format!("{}: {}", say::warning(lang), say::agent_stays(lang));
        app.output.message(&format!("{what}\n{next}: {}\n", say::agent_stays_next(lang, name)));
    }
    drop(driven_by_nobody);
    let goal = args.title.as_deref().map(|title| first_goal(app, &root, title)).transpose()?;
    if app.json {
        app.print_json(&json!({
            "root": root.display().to_string(),
            "created": created,
            "conventions": added,
            "test_command": settings.test_command(),
            "ai_tool": settings.ai_tool(),
            "goal": goal.as_ref().map(|goal| &goal.id),
        }))?;
        return Ok(Exit::Done);
    }
    let agents = root.join("AGENTS.md").read_if_there(SIGN_BYTES).ok().flatten();
    let has_rules = agents.is_some_and(|text| {
        conventions::add_rules(&String::from_utf8_lossy(&text), app.lang).is_none()
    });
    let state = if has_rules { Conventions::Added } else { Conventions::Missing };
    let title = args.title.as_deref().unwrap_or_default();
    let told = goal.as_ref().map(|goal| match goal.is_new {
        true => of_goals::added(app.lang, visible(&goal.id), visible(title)),
        false => of_goals::is_there(app.lang, visible(&goal.id)),
    });
    let more = More { conventions: state, rules_in: &added, goal: told.as_deref() };
    let text = summary(&created, &settings, &more, app.lang)
        + &next_commands(goal.as_ref().map(|goal| goal.id.as_str()), &added, app.lang);
    app.print(&text)?;
    // Nothing is wrong with the files; with this no attempt could ever pass.
    if let Err(hidden @ GitProblem::HandoffsIgnored { .. }) = git::hides_handoffs(&root, HANDOFFS) {
        let (lang, next) = (app.lang, say::next(app.lang));
        app.output.message(&format!("{}\n{next}: {}\n", hidden.what(lang), hidden.next(lang)));
    }
    Ok(Exit::Done)
}

/// A preset, `builtin:...`, or a command line: what `ai_tool` takes.
fn agent_line(app: &App, line: &str) -> Result<String, Problem> {
    let lang = app.lang;
    let names = Preset::ALL.into_iter().map(|preset| preset.description().name);
    let names: Vec<&str> = names.collect();
    let is_word = line.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    if is_word && !names.contains(&line) {
        let next = say::use_an_agent(lang, names.join(", "));
        return Err(Problem::usage(say::no_such_agent(lang, visible(line)), next));
    }
    let text = format!("ai_tool: {}\n", quoted(line));
    let read = read_sparing::<Config>(&Source::new("--agent", &text), &["test_command"]);
    let wrong = |found: &Diagnostic| Problem::usage(found.finding.what(lang), found.next(lang));
    match read.as_ref().map_err(|findings| findings.first().map(wrong)) {
        Ok(_) => Ok(line.to_owned()),
        Err(problem) => Err(problem.unwrap_or_else(|| {
            let next = say::use_an_agent(lang, names.join(", "));
            Problem::usage(say::no_such_agent(lang, visible(line)), next)
        })),
    }
}

/// The first goal, and whether it was added just now.
struct FirstGoal {
    id: String,
    is_new: bool,
}

/// The first goal. One with the same title is not added again.
fn first_goal(app: &mut App, root: &RootPath, title: &str) -> Result<FirstGoal, Problem> {
    let there = queue::goals_there(root).unwrap_or_default();
    let all = placed(&there);
    let same = all.iter().find(|one| one.goal.title == title).map(|one| one.goal.id.clone());
    if let Some(id) = same {
        return Ok(FirstGoal { id, is_new: false });
    }
    let project = calling::project_at(app, root.clone())?;
    let new = NewGoal { title: title.to_owned(), ..NewGoal::default() };
    let added = add::written(app, &project, None, &[new])?;
    let id = added.goals.first().map(|goal| goal.id.clone()).unwrap_or_default();
    Ok(FirstGoal { id, is_new: true })
}

/// An attempt gives the files of a project back what they had: nothing that is made meanwhile would last,
/// and the attempt would pay for it. Nobody can work where there is no `.ai/`.
fn nobody_works(app: &App, root: &RootPath) -> Result<Option<DriverLock>, Problem> {
    let state = root.join(layout::DIRECTORY);
    if !state.is_dir() {
        return Ok(None);
    }
    let lock = driving::lock_of(app.lang, &state, auto::UNIT);
    lock.map(Some).map_err(|problem| Problem { exit: Exit::Failed, ..problem })
}

fn found(root: &RootPath) -> Found {
    let text_of = |name: &str| {
        let bytes = root.join(name).read_if_there(SIGN_BYTES).ok().flatten()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    Found {
        sign: detect::sign(&text_of),
        agent: detect::agent(&|program| programs::find(program, &search_path).is_some())
            .map(str::to_owned),
    }
}

/// What `config.yaml` has now: a file that was there has what its owner wrote.
fn settings(root: &RootPath, created: &[&'static str], found: Found) -> Settings {
    if created.contains(&layout::CONFIG) {
        return Settings::Written(found);
    }
    let bytes = root.join(layout::CONFIG).read_if_there(SIGN_BYTES).ok().flatten();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let config = text.and_then(|text| {
        read_sparing::<Config>(&Source::new(layout::CONFIG, &text), &["test_command", "ai_tool"])
            .ok()
    });
    config.map_or(Settings::Unreadable, |config| Settings::There {
        test_command: config.value.test_command,
        ai_tool: config.value.ai_tool,
    })
}

/// What hast itself has just written needs no question. What was there before does.
fn trust_what_was_written(root: &RootPath, created: &[&'static str]) {
    let variables: Vec<_> = std::env::vars_os().collect();
    let text = root.join(layout::CONFIG).read_if_there(SIGN_BYTES).ok().flatten();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let written = created.contains(&layout::CONFIG) && created.contains(&layout::GOALS);
    let config = read::<Config>(&Source::new(layout::CONFIG, &text));
    let (Ok(config), Ok(approvals), true) = (config, Approvals::of(root, &variables), written)
    else {
        return;
    };
    // Without a place for approvals the next command asks for one.
    let _: Result<_, _> = approvals.approve(&Commands::of_config(&config.value));
}

fn make_files(app: &App, root: &RootPath, found: &Found) -> Result<Vec<&'static str>, Problem> {
    let mut created = Vec::new();
    for NewFile { path, text } in files(found, app.lang) {
        let made = root.join(path).create(text.as_bytes());
        if made.map_err(|error| unwritten(app.lang, &error.into()))? == Made::New {
            created.push(path);
        }
    }
    let handoffs = root.join(layout::HANDOFFS);
    if !handoffs.is_dir() {
        handoffs.make_directory().map_err(|error| unwritten(app.lang, &error.into()))?;
        created.push(layout::HANDOFFS);
    }
    Ok(created)
}

/// Adds the rules to `AGENTS.md`, and a line that includes it to the files other agents read.
fn add_conventions(app: &App, root: &RootPath) -> Result<Vec<&'static str>, Problem> {
    let mut added = Vec::new();
    let rules = |text: &str| conventions::add_rules(text, app.lang);
    for (name, edit_of) in [
        ("AGENTS.md", &rules as &dyn Fn(&str) -> Option<Edit>),
        ("CLAUDE.md", &conventions::add_include),
        ("GEMINI.md", &conventions::add_include),
    ] {
        let path = root.join(name);
        path.check().map_err(|error| unwritten(app.lang, &error.into()))?;
        if name != "AGENTS.md" && is_same(&path, &root.join("AGENTS.md")) {
            continue;
        }
        let before = path.read_if_there(SIGN_BYTES).map_err(|error| cannot_create(app, &error))?;
        if before.is_none() && name == "GEMINI.md" {
            continue;
        }
        let text = String::from_utf8(before.clone().unwrap_or_default()).map_err(|error| {
            Problem::new(say::cannot_read(app.lang), say::cannot_read_next(app.lang))
                .at(&path)
                .because(error.to_string())
        })?;
        let Some(edit) = edit_of(&text) else { continue };
        let after = edit.apply(&text);
        let written = match before {
            None => path.create(after.as_bytes()).map(|_| ()),
            Some(before) => path.replace(&before, after.as_bytes()),
        };
        written.map_err(|error| cannot_create(app, &error))?;
        added.push(name);
    }
    Ok(added)
}

/// One of them is mostly a link to the other.
fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

fn cannot_create(app: &App, error: &PathError) -> Problem {
    Problem::cannot_write(app.lang, &error.path, &error.source)
}
