//! `hast demo`: a whole run in a scratch repository, with an agent that is only a script, and words
//! about what the gate caught.

mod bakery;
mod equity;
mod model;
mod repository;
mod teashop;
mod till;

use std::ffi::OsString;
use std::path::Path;

use hast_agent::builtin::stand_in::StandIn;
use hast_flow::attempt::recovery::StartFrom;
use hast_flow::docs::files::FlowName;
use hast_flow::flows::goals::auto::RunBounds;
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::steps::{Ending, Notice};
use hast_flow::words::{Lang, shell_word};
use hast_world::files::PathError;
use hast_world::root_path::RootPath;
use hast_world::roots;
use serde_json::{Value, json};

use crate::app::App;
use crate::auto_messages::say;
use crate::cli::{DemoAgent, DemoArgs, DemoFlow};
use crate::commands::auto::eyes::{GoalEyes, Judgement};
use crate::commands::auto::{AutoWish, go, summary};
use crate::commands::calling::{self, Project};
use crate::commands::driving::{self, Driven, word};
use crate::problem::{Exit, Problem};
use repository::commit_all;

const CONFIG: &str =
    "test_command: \"sh tests/run.sh\"\nai_tool: \"rehearsal:.ai/rehearsals/agent.yaml\"\n";

/// The same with hast's own agent and a server in the place of a model.
fn builtin_config(address: &str) -> String {
    format!(
        "test_command: \"sh tests/run.sh\"\nai_tool: \"builtin:openai-chat/stand-in\"\nbuiltin:\n  openai-chat: {{base_url: \"{address}\"}}\n"
    )
}

/// The files of the scratch repository besides its goals.
const FILES: &[(&str, &str)] = &[
    ("total.sh", include_str!("goals/total.sh")),
    ("tests/run.sh", include_str!("goals/run-tests.sh")),
    ("tests/sum.test", include_str!("goals/sum.test")),
    (".ai/rehearsals/agent.yaml", include_str!("goals/agent.rehearsal.yaml")),
];

pub(crate) fn run(app: &mut App, args: &DemoArgs) -> Result<Exit, Problem> {
    if args.agent.is_some() && !matches!(args.flow, DemoFlow::Goals) {
        let (what, next) = (say::demo_only_goals(app.lang), say::demo_only_goals_next(app.lang));
        return Err(Problem::usage(what, next));
    }
    let directory = place(app, args)?;
    match args.flow {
        DemoFlow::Goals => shop(app, &directory, args.agent),
        DemoFlow::Kernel => bakery::run(app, &directory),
        DemoFlow::Session => equity::run(app, &directory),
        DemoFlow::Run => teashop::run(app, &directory),
        DemoFlow::Contract => till::run(app, &directory),
    }
}

fn shop(app: &mut App, directory: &RootPath, agent: Option<DemoAgent>) -> Result<Exit, Problem> {
    let config = match agent {
        None => CONFIG.to_owned(),
        Some(DemoAgent::Builtin) => {
            let server = StandIn::start(model::play).map_err(|error| {
                Problem::new(say::demo_no_server(app.lang), say::demo_surprise_next(app.lang))
                    .because(error.to_string())
            })?;
            builtin_config(&server.address)
        }
    };
    make(app.lang, directory, &config)?;
    if !app.quiet {
        app.output.message(&format!("{}\n", say::demo_intro(app.lang, directory.display())));
    }
    let mut project = calling::project_at(app, directory.clone())?;
    // Everything in there was written a moment ago, by hast.
    project.variables.push(("HAST_TRUST".into(), "all".into()));
    without_the_users_wishes(&mut project);
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    let asked = Asked { goal: Some("SHOP".to_owned()), depth: Depth::Leaves };
    let (from, width, delivery) = (StartFrom::Base, 1, None);
    let bounds = RunBounds::default();
    let wish = AutoWish { asked, tool: None, explain: !app.quiet, from, width, delivery, bounds };
    let mut eyes = GoalEyes::new(app.lang, wish.explain);
    if !app.quiet {
        eyes.comment = Some(comment);
    }
    let driven = go(app, &project, wish, trusted, &mut eyes)?;
    match &driven.ending {
        // The liar's goal is blocked: that is how it should end.
        Ending::Blocked(_) if passed(&eyes.judged) == 3 => {
            if app.json {
                let story = summary::as_json(&driven, &eyes, None);
                return document(app, FlowName::Goals, directory, story);
            }
            app.print(&format!("{}\n", say::demo_end(app.lang, directory.display())))?;
            Ok(Exit::Done)
        }
        Ending::Interrupted(Notice { what, .. }) => Err(cut_off(app.lang, what, directory)),
        other => Err(Problem::new(say::demo_surprise(app.lang), say::demo_surprise_next(app.lang))
            .because(driving::told(other))),
    }
}

/// A demo is not gone on with: the next one begins in a directory of its own.
fn cut_off(lang: Lang, what: &str, directory: &Path) -> Problem {
    let directory = directory.display().to_string();
    let next = say::demo_cut_off_next(lang, &directory, shell_word(&directory));
    Problem { exit: Exit::Interrupted, ..Problem::new(what.to_owned(), next) }
}

/// What `--json` prints: which demo it was, where it is, and how it ended.
fn document(
    app: &mut App,
    flow: FlowName,
    directory: &Path,
    mut story: Value,
) -> Result<Exit, Problem> {
    story["flow"] = json!(flow.as_str());
    story["directory"] = json!(directory.display().to_string());
    app.print_json(&story)?;
    Ok(Exit::Done)
}

/// How a demo ended, of which nothing else is told.
fn ended<T>(driven: &Driven<T>) -> Value {
    json!({ "ending": word(&driven.ending), "seconds": driven.lasted.as_secs() })
}

fn passed(judged: &[Judgement]) -> usize {
    judged.iter().filter(|judgement| judgement.passed).count()
}

/// What the gate did about an attempt, in words for somebody who sees it for the first time.
fn comment(judgement: &Judgement, lang: Lang) -> Option<String> {
    Some(match judgement.code {
        _ if judgement.passed && judgement.class.contains('(') => say::demo_red(lang),
        _ if judgement.passed => say::demo_green(lang),
        "tests_red" => say::demo_tests(lang),
        "nothing_changed" => say::demo_nothing(lang),
        "outside_scope" => say::demo_scope(lang),
        "protected_path" => say::demo_protected(lang),
        _ => say::demo_other(lang),
    })
}

fn place(app: &App, args: &DemoArgs) -> Result<RootPath, Problem> {
    let lang = app.lang;
    let directory = match &args.dir {
        Some(dir) => app.directory.join(dir),
        None => {
            let time = app.clock.now().as_second();
            roots::temporary().join(format!("hast-demo-{time}-{}", std::process::id()))
        }
    };
    if directory.exists() {
        let what = say::demo_not_empty(lang);
        return Err(Problem::usage(what, say::demo_not_empty_next(lang)).at(&directory));
    }
    RootPath::of_user(&directory)
        .map_err(|error| Problem::cannot_read(lang, &error.path, &error.source))
}

/// The scratch repository, with a first commit.
fn make(lang: Lang, directory: &RootPath, config: &str) -> Result<(), Problem> {
    let problem = || Problem::new(say::demo_no_git(lang), say::demo_no_git_next(lang));
    let written = |error: PathError| problem().at(&error.path).because(error.source.to_string());
    let goals = match lang {
        Lang::En => include_str!("goals/goals.en.yaml"),
        Lang::Ko => include_str!("goals/goals.ko.yaml"),
    };
    let ignored = layout::ignore_text();
    let rules = hast_flow::flows::goals::init::rules_text(lang);
    let own = [
        (layout::CONFIG, config),
        (layout::GOALS, goals),
        (layout::IGNORE, &ignored),
        (layout::RULES, &rules),
    ];
    for (path, text) in FILES.iter().copied().chain(own) {
        directory.join(path).create(text.as_bytes()).map_err(written)?;
    }
    directory.join(".ai/handoffs/.gitkeep").create(b"").map_err(written)?;
    commit_all(lang, directory, "chore: a small shop")
}

/// The demo plays its own agent, whatever the user has chosen for real work.
fn without_the_users_wishes(project: &mut Project) {
    project.variables.retain(|(name, _): &(OsString, OsString)| name != "HAST_AI_TOOL");
}
