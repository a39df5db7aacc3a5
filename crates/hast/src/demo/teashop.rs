//! `hast demo run`: assets and guidelines in, a proposal, four phases, a chart and a report out; then
//! a second run that finds the first one and amends its instructions.

use hast_flow::docs::files::FlowName;
use hast_flow::docs::run::{InstructionStatus, UserInstruction};
use hast_flow::flows::run::{Asked, Confirm, NewRun, PersonsAnswer, Said, layout};
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::formats::table::read_rows;
use hast_flow::ids::RunId;
use hast_flow::steps::Ending;
use hast_flow::trust::{Commands, Trusted};
use hast_flow::words::Lang;

use super::{document, ended, without_the_users_wishes};
use hast_world::root_path::RootPath;

use crate::app::App;
use crate::auto_messages::say as demo;
use crate::commands::calling::{self, Project};
use crate::commands::driving::{self, Driven};
use crate::commands::flow_root::printable;
use crate::commands::run::eyes::{Change, RunEyes};
use crate::commands::run::{Told, Wish, deliver, fresh, go};
use crate::problem::{Exit, Problem};
use crate::run_messages::say;

const AGENT: &str = "agent.rehearsal.yaml";
const SALES: &str = "quarter,sales\n2025-01,41\n2025-04,47\n2025-07,38\n2025-10,62\n";
const VISITORS: &str = "quarter,visitors\n2025-01,900\n2025-04,980\n2025-07,870\n2025-10,1200\n";

pub(super) fn run(app: &mut App, directory: &RootPath) -> Result<Exit, Problem> {
    let lang = app.lang;
    let (agent, style) = match lang {
        Lang::En => (include_str!("run/agent.en.rehearsal.yaml"), "# Style\n\nPlain words.\n"),
        Lang::Ko => (include_str!("run/agent.ko.rehearsal.yaml"), "# 문체\n\n쉬운 말로 쓴다.\n"),
    };
    put(lang, directory, AGENT, agent)?;
    put(lang, directory, "assets/sales.csv", SALES)?;
    put(lang, directory, "guidelines/style.md", style)?;
    app.output.message(&format!("{}\n", say::demo_intro(lang, directory.display())));
    let mut project = calling::project_at(app, directory.clone())?;
    without_the_users_wishes(&mut project);
    let trusted = calling::trusted(app, &project, &Commands::default())?;
    let (first, driven) = one(app, &project, &say::demo_first(lang), trusted)?;
    if !matches!(driven.ending, Ending::Done(_)) {
        return surprise(app, &first, &driven);
    }
    if !app.json {
        deliver(app, &first, &driven)?;
    }
    app.output.message(&format!("{}\n", say::demo_again(lang)));
    put(lang, directory, "assets/visitors.csv", VISITORS)?;
    let (second, driven) = one(app, &project, &say::demo_second(lang), trusted)?;
    if !matches!(driven.ending, Ending::Done(_)) {
        return surprise(app, &second, &driven);
    }
    amended(app, &project.root);
    if app.json {
        return document(app, FlowName::Run, directory, ended(&driven));
    }
    let exit = deliver(app, &second, &driven)?;
    app.output.message(&format!("\n{}\n", say::demo_end(lang, directory.display())));
    Ok(exit)
}

/// One run: to its proposal, which is shown and confirmed, and from there to its end.
fn one(
    app: &mut App,
    project: &Project,
    text: &str,
    trusted: Trusted,
) -> Result<(RunId, Driven<Told>), Problem> {
    let lang = app.lang;
    let run = fresh(app, &project.root)?;
    let mut eyes = RunEyes::new(lang, run.clone());
    eyes.comment = Some(comment);
    let new = NewRun { text: text.to_owned(), mode: None, confirm: Confirm::Wait };
    let tool = Some(format!("rehearsal:{AGENT}"));
    let mut wish = Wish { run: run.clone(), asked: Asked::Start(new), tool };
    let driven = go(app, project, &wish, trusted, &mut eyes)?;
    let (Ending::Waiting { .. }, Some(proposal)) = (&driven.ending, driven.seen.proposal) else {
        return Ok((run, driven));
    };
    let feedback = printable(&driven.seen.feedback);
    app.output.message(&format!("{}\n\n{feedback}\n", say::demo_proposed(lang)));
    wish.asked = Asked::Resume(Confirm::Said(Said::here(proposal, PersonsAnswer::Confirm)));
    let driven = go(app, project, &wish, trusted, &mut eyes)?;
    Ok((run, driven))
}

/// What happened, in words for somebody who sees it for the first time.
fn comment(change: &Change, lang: Lang) -> String {
    match change {
        Change::Enacted { instructions } => say::demo_enacted(lang, instructions),
        Change::PhaseDone { name } => say::demo_phase(lang, name),
    }
}

/// Which instruction took the place of which.
fn amended(app: &mut App, root: &RootPath) {
    let bytes = root.join(layout::INSTRUCTIONS).read_if_there(MAX_DOCUMENT_BYTES).ok().flatten();
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    let rows = read_rows::<UserInstruction>(&Source::new(layout::INSTRUCTIONS, &text));
    for row in rows.unwrap_or_default() {
        if let (InstructionStatus::Superseded, Some(by)) = (row.status, &row.superseded_by_id) {
            let line = say::demo_amended(app.lang, &row.instruction_id, by);
            app.output.message(&format!("{line}\n"));
        }
    }
}

fn put(lang: Lang, directory: &RootPath, file: &str, text: &str) -> Result<(), Problem> {
    directory.join(file).create(text.as_bytes()).map(|_| ()).map_err(|error| {
        Problem::new(demo::demo_no_git(lang), demo::demo_no_git_next(lang))
            .at(&error.path)
            .because(error.source.to_string())
    })
}

fn surprise(app: &mut App, run: &RunId, driven: &Driven<Told>) -> Result<Exit, Problem> {
    match &driven.ending {
        Ending::Interrupted(_) => deliver(app, run, driven),
        other => {
            Err(Problem::new(demo::demo_surprise(app.lang), demo::demo_surprise_next(app.lang))
                .because(driving::told(other)))
        }
    }
}
