//! `hast demo contract`: a discount, built test-first. The implementer leaves its scope and is sent back.

use hast_flow::docs::files::FlowName;
use hast_flow::flows::contract::Asked;
use hast_flow::steps::{Ending, Notice};
use hast_flow::words::Lang;

use super::{commit_all, cut_off, document, ended, without_the_users_wishes};
use hast_world::root_path::RootPath;

use crate::app::App;
use crate::auto_messages::say as demo;
use crate::commands::contract::eyes::{Change, ContractEyes};
use crate::commands::contract::{go, learned};
use crate::commands::{calling, driving};
use crate::contract_messages::say;
use crate::problem::{Exit, Problem};

const CONFIG: &str =
    "test_command: \"sh tests/run.sh\"\nai_tool: \"rehearsal:.ai/rehearsals/agents.yaml\"\n";

const FILES: &[(&str, &str)] = &[
    ("total.sh", include_str!("goals/total.sh")),
    ("README", "A till.\n"),
    ("tests/run.sh", include_str!("contract/run-tests.sh")),
    ("tests/sum.test", include_str!("goals/sum.test")),
    (".ai/config.yaml", CONFIG),
];

pub(super) fn run(app: &mut App, directory: &RootPath) -> Result<Exit, Problem> {
    let lang = app.lang;
    let agents = match lang {
        Lang::En => include_str!("contract/agents.en.rehearsal.yaml"),
        Lang::Ko => include_str!("contract/agents.ko.rehearsal.yaml"),
    };
    for (path, text) in FILES.iter().copied().chain([(".ai/rehearsals/agents.yaml", agents)]) {
        directory.join(path).create(text.as_bytes()).map_err(|error| {
            Problem::new(demo::demo_no_git(lang), demo::demo_no_git_next(lang))
                .at(&error.path)
                .because(error.source.to_string())
        })?;
    }
    commit_all(lang, directory, "chore: a till")?;
    app.output.message(&format!("{}\n", say::demo_intro(lang, directory.display())));
    let mut project = calling::project_at(app, directory.clone())?;
    // Everything in there was written a moment ago, by hast.
    project.variables.push(("HAST_TRUST".into(), "all".into()));
    without_the_users_wishes(&mut project);
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    let mut eyes = ContractEyes::new(lang);
    eyes.comment = Some(comment);
    let id = hast_flow::ids::RequestId::new(1);
    let asked = Asked::Start { id, text: say::demo_request(lang) };
    let driven = go(app, &project, asked, None, trusted, &mut eyes)?;
    match &driven.ending {
        Ending::Done(_) if app.json => document(app, FlowName::Contract, directory, ended(&driven)),
        Ending::Done(_) => {
            let learned = learned(&project.root).join(", ");
            app.output.message(&format!("{}\n\n", say::demo_learned(lang, learned)));
            app.print(&format!("{}\n", say::demo_end(lang, directory.display())))?;
            Ok(Exit::Done)
        }
        Ending::Interrupted(Notice { what, .. }) => Err(cut_off(lang, what, directory)),
        other => Err(Problem::new(demo::demo_surprise(lang), demo::demo_surprise_next(lang))
            .because(driving::told(other))),
    }
}

/// What happened, in words for somebody who sees it for the first time.
fn comment(change: &Change, lang: Lang) -> Option<String> {
    Some(match change {
        Change::Red { subtask } => say::demo_red(lang, subtask),
        Change::SentBack { subtask, reasons, .. } => say::demo_scope(lang, subtask, reasons),
        Change::Reviewed { subtask } => say::demo_reviewed(lang, subtask),
        Change::Green { subtask } => say::demo_green(lang, subtask),
        Change::SetAside { .. } => return None,
    })
}
