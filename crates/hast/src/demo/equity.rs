//! `hast demo session`: research about an invented company, with a page that cannot be had, another
//! plan, and a critic that rejects once.

use hast_flow::docs::files::FlowName;
use hast_flow::flows::session::NewSession;
use hast_flow::steps::Ending;
use hast_flow::trust::Commands;
use hast_flow::words::Lang;

use super::{document, ended, without_the_users_wishes};
use hast_world::root_path::RootPath;

use crate::app::App;
use crate::auto_messages::say as demo;
use crate::commands::session::effects::Sources;
use crate::commands::session::eyes::{Change, SessionEyes};
use crate::commands::session::{Errand, deliver, fresh, go};
use crate::commands::{calling, driving};
use crate::problem::{Exit, Problem};
use crate::session_cli::WorkArgs;
use crate::session_messages::say;

const AGENT: &str = "agent.rehearsal.yaml";

pub(super) fn run(app: &mut App, directory: &RootPath) -> Result<Exit, Problem> {
    let lang = app.lang;
    let agent = match lang {
        Lang::En => include_str!("session/agent.en.rehearsal.yaml"),
        Lang::Ko => include_str!("session/agent.ko.rehearsal.yaml"),
    };
    directory.join(AGENT).create(agent.as_bytes()).map_err(|error| {
        Problem::new(demo::demo_no_git(lang), demo::demo_no_git_next(lang))
            .at(&error.path)
            .because(error.source.to_string())
    })?;
    app.output.message(&format!("{}\n", say::demo_intro(lang, directory.display())));
    let mut project = calling::project_at(app, directory.clone())?;
    without_the_users_wishes(&mut project);
    let trusted = calling::trusted(app, &project, &Commands::default())?;
    let id = fresh(app, &project.root, None);
    let mut eyes = SessionEyes::new(lang);
    eyes.comment = Some(comment);
    let new = NewSession {
        id: Some(id.clone()),
        query: format!("{}\n", say::demo_query(lang)),
        system_prompt: String::new(),
        review_rules: None,
    };
    let work = WorkArgs { parallel: 1, tool: Some(format!("rehearsal:{AGENT}")), now: false };
    let (wish, sources) = (None, Sources::Bundled);
    let errand = Errand { id: id.clone(), new: Some(new), wish, work, sources, trusted };
    let driven = go(app, &project, errand, &mut eyes)?;
    match &driven.ending {
        Ending::Done(_) if app.json => document(app, FlowName::Session, directory, ended(&driven)),
        Ending::Done(_) => {
            let exit = deliver(app, &project.root, &id, &driven)?;
            app.output.message(&format!("\n{}\n", say::demo_end(lang, directory.display(), &id)));
            Ok(exit)
        }
        Ending::Interrupted(_) => deliver(app, &project.root, &id, &driven),
        other => Err(Problem::new(demo::demo_surprise(lang), demo::demo_surprise_next(lang))
            .because(driving::told(other))),
    }
}

/// What happened, in words for somebody who sees it for the first time.
fn comment(change: &Change, lang: Lang) -> String {
    match change {
        Change::Planned { tasks } => say::demo_planned(lang, tasks),
        Change::Replanned { version } => say::demo_replanned(lang, version),
        Change::Fetched { task, title } => say::demo_fetched(lang, task, title),
        Change::Rejected { task, why } => say::demo_rejected(lang, task, why),
        Change::Failed { task, why } => say::demo_failed(lang, task, why),
        Change::Passed { task } => say::demo_passed(lang, task),
    }
}
