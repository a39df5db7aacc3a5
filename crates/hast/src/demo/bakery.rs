//! `hast demo kernel`: a request whose plan grows, an expert that fails and is replaced, a report.

use hast_flow::docs::files::FlowName;
use hast_flow::flows::kernel::NewRequest;
use hast_flow::flows::kernel::decide::Asked;
use hast_flow::steps::Ending;
use hast_flow::trust::Commands;
use hast_flow::words::Lang;

use super::{document, ended, without_the_users_wishes};
use hast_world::root_path::RootPath;

use crate::app::App;
use crate::auto_messages::say as demo;
use crate::commands::kernel::eyes::{Change, KernelEyes};
use crate::commands::kernel::{deliver, fresh, go};
use crate::commands::{calling, driving};
use crate::kernel_messages::say;
use crate::problem::{Exit, Problem};

const AGENT: &str = "agent.rehearsal.yaml";

pub(super) fn run(app: &mut App, directory: &RootPath) -> Result<Exit, Problem> {
    let lang = app.lang;
    let agent = match lang {
        Lang::En => include_str!("kernel/agent.en.rehearsal.yaml"),
        Lang::Ko => include_str!("kernel/agent.ko.rehearsal.yaml"),
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
    let id = fresh(app, &project.root)?;
    let mut eyes = KernelEyes::new(lang, Some(id.clone()));
    eyes.comment = Some(comment);
    let new = Some(NewRequest { text: say::demo_request(lang) });
    let asked = Asked::Request { id: id.clone(), new };
    let tool = Some(format!("rehearsal:{AGENT}"));
    let driven = go(app, &project, asked, tool, trusted, &mut eyes)?;
    match &driven.ending {
        Ending::Done(_) if app.json => document(app, FlowName::Kernel, directory, ended(&driven)),
        Ending::Done(_) => {
            let exit = deliver(app, &project.root, &id, &driven)?;
            app.output.message(&format!("\n{}\n", say::demo_end(lang, directory.display())));
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
        Change::Planned { items } => say::demo_planned(lang, items),
        Change::Grown { parent, items } => say::demo_grown(lang, parent, items.len()),
        Change::Replaced { parent, items } => say::demo_replaced(lang, parent, items.join(", ")),
        Change::Failed { item, why } => say::demo_failed(lang, item, why),
        Change::Completed { item } => say::demo_done(lang, item),
        Change::Reported => say::demo_reported(lang),
        Change::Answered => say::demo_answered(lang),
    }
}
