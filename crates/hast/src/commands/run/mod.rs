//! `hast run`: deliverables made in four phases, from assets and guidelines.

pub(crate) mod answering;
mod effects;
pub(crate) mod eyes;
pub(crate) mod glance;
mod html;
mod listing;
pub(crate) mod proposals;
mod reading;

use std::collections::BTreeSet;
use std::io::BufRead;
use std::sync::Arc;

use hast_flow::docs::files::FlowName;
use hast_flow::docs::run::{RunFailure, RunMode, RunStatus};
use hast_flow::flows::run::{
    Asked, Confirm, NewRun, PersonsAnswer, RunFlow, Said, View, laws, layout,
};
use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::ids::RunId;
use hast_flow::steps::{Ending, WaitsFor};
use hast_flow::trust::Trusted;
use hast_flow::words::visible;
use hast_world::calls::OtherEffects;
use hast_world::root_path::RootPath;
use hast_world::supervisor::Guarded;
use serde_json::json;

use super::calling::{self, Project};
use super::driving::{self, Driven, Unit};
use super::opening;
use super::session::effects::{Sources, Tools};
use super::{flow_root, verify};
use crate::app::App;
use crate::problem::{Exit, Problem};
use crate::run_cli::{CancelArgs, Mode, ModifyArgs, ResumeArgs, RunCommands, StartArgs};
use crate::run_messages::say;
use effects::RunEffects;
use eyes::RunEyes;

/// A bad answer is asked for again this often, where the configuration says nothing.
const MAX_REGENERATIONS: u32 = 2;
/// Runs that may begin in one second.
const MOST_IN_A_SECOND: u64 = 999;

pub(crate) fn run(app: &mut App, command: &RunCommands) -> Result<Exit, Problem> {
    match command {
        RunCommands::Start(args) => start(app, args),
        RunCommands::Resume(args) => resume(app, args),
        RunCommands::List => listing::list(app),
        RunCommands::Show(args) => match &args.html {
            None => listing::show(app, args.id.as_deref()),
            Some(file) => html::write(app, args.id.as_deref(), file.as_deref()),
        },
        RunCommands::Verify(args) => check(app, args.id.as_deref()),
        RunCommands::Confirm(ResumeArgs { id, tool }) => {
            answer(app, id.as_deref(), tool.clone(), PersonsAnswer::Confirm)
        }
        RunCommands::Modify(ModifyArgs { text, id, tool }) => {
            if text.trim().is_empty() {
                let next = say::empty_change_next(app.lang);
                return Err(Problem::usage(say::empty_change(app.lang), next));
            }
            answer(app, id.as_deref(), tool.clone(), PersonsAnswer::Modify(text.clone()))
        }
        RunCommands::Cancel(CancelArgs { id, reason }) => {
            let reason = reason.clone().unwrap_or_default();
            answer(app, id.as_deref(), None, PersonsAnswer::Cancel(reason))
        }
    }
}

/// A run that is to be driven.
pub(crate) struct Wish {
    pub(crate) run: RunId,
    pub(crate) asked: Asked,
    pub(crate) tool: Option<String>,
}

/// What is told about a run after it was driven.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    pub(crate) status: Option<RunStatus>,
    pub(crate) proposal: Option<u32>,
    pub(crate) feedback: String,
    failure: Option<RunFailure>,
    outputs: Vec<String>,
}

fn start(app: &mut App, args: &StartArgs) -> Result<Exit, Problem> {
    let text = args.request.trim();
    if text.is_empty() {
        return Err(Problem::usage(
            say::empty_request(app.lang),
            say::empty_request_next(app.lang),
        ));
    }
    let root = flow_root::there_or_here(app, FlowName::Run)?;
    let project = calling::project_at(app, root)?;
    calling::agent_to_begin(app, &project, args.tool.as_deref())?;
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    opening::recover(app, &project.root)?;
    if let Some(open) = left_unfinished(app, &project, args.mode)? {
        let wish = Wish { run: open, asked: Asked::Resume(Confirm::Wait), tool: args.tool.clone() };
        return to_the_end(app, &project, wish, trusted);
    }
    let mode = args.mode.map(|mode| match mode {
        Mode::Simple => RunMode::SimpleTask,
        Mode::Initial => RunMode::InitialRun,
        Mode::Continuous => RunMode::ContinuousRun,
    });
    let confirm = if args.yes { Confirm::Yes } else { Confirm::Wait };
    let asked = Asked::Start(NewRun { text: text.to_owned(), mode, confirm });
    let run = fresh(app, &project.root)?;
    to_the_end(app, &project, Wish { run, asked, tool: args.tool.clone() }, trusted)
}

/// A run that was left: on a terminal it is offered first, otherwise it is only mentioned.
fn left_unfinished(
    app: &mut App,
    project: &Project,
    mode: Option<Mode>,
) -> Result<Option<RunId>, Problem> {
    let runs = reading::runs(app, &project.root)?;
    let open = runs.iter().rev().find(reading::is_open).map(|run| run.run_id.clone());
    let Some(open) = open.filter(|_| mode != Some(Mode::Simple)) else { return Ok(None) };
    if calling::asks(app) {
        let question = say::resume_instead(app.lang, &open);
        return Ok(calling::says_yes_to(app, &question).then_some(open));
    }
    if !app.quiet {
        app.output.message(&format!("{}\n", say::left_unfinished(app.lang, &open)));
    }
    Ok(None)
}

fn resume(app: &mut App, args: &ResumeArgs) -> Result<Exit, Problem> {
    let project = there(app)?;
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    opening::recover(app, &project.root)?;
    let run = match &args.id {
        Some(id) => known(app, &project.root, id)?,
        None => {
            let runs = reading::runs(app, &project.root)?;
            let open = runs.iter().rev().find(reading::is_open).map(|run| run.run_id.clone());
            open.ok_or_else(|| {
                Problem::new(say::nothing_unfinished(app.lang), say::no_runs_here_next(app.lang))
            })?
        }
    };
    let wish = Wish { run, asked: Asked::Resume(Confirm::Wait), tool: args.tool.clone() };
    to_the_end(app, &project, wish, trusted)
}

/// `confirm`, `modify`, `cancel`: what a person says about the proposal that is on the table now.
fn answer(
    app: &mut App,
    id: Option<&str>,
    tool: Option<String>,
    answer: PersonsAnswer,
) -> Result<Exit, Problem> {
    let project = there(app)?;
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    opening::recover(app, &project.root)?;
    let runs = reading::runs(app, &project.root)?;
    let waits = |status: RunStatus| status == RunStatus::AwaitingConfirmation;
    let run = match id {
        Some(id) => known(app, &project.root, id)?,
        None => {
            let waiting = runs.iter().rev().find(|run| waits(run.status));
            waiting.map(|run| run.run_id.clone()).ok_or_else(|| {
                Problem::new(say::nothing_waits(app.lang), say::nothing_waits_next(app.lang))
            })?
        }
    };
    if !runs.iter().any(|row| row.run_id == run && waits(row.status)) {
        let what = say::not_waiting(app.lang, &run);
        return Err(Problem::new(what, say::nothing_waits_next(app.lang)));
    }
    let proposal = reading::view(app, &project.root, &run)?.own.proposal().unwrap_or(1);
    let asked = Asked::Resume(Confirm::Said(Said::here(proposal, answer)));
    to_the_end(app, &project, Wish { run, asked, tool }, trusted)
}

/// Drives a run until it ends or waits; on a terminal the person is asked at once.
fn to_the_end(
    app: &mut App,
    project: &Project,
    mut wish: Wish,
    trusted: Trusted,
) -> Result<Exit, Problem> {
    loop {
        let mut eyes = RunEyes::new(app.lang, wish.run.clone());
        let driven = match go(app, project, &wish, trusted, &mut eyes) {
            // Somebody else began a run in the same second.
            Err(problem) if problem.exit == Exit::Locked && is_new(&wish.asked) => {
                wish.run = after(app, &wish.run)?;
                continue;
            }
            driven => driven?,
        };
        let waits = matches!(driven.ending, Ending::Waiting { on: WaitsFor::Person, .. });
        let proposal = driven.seen.proposal.filter(|_| waits && calling::asks(app));
        match proposal.and_then(|number| ask(app, &wish.run, number, &driven.seen.feedback)) {
            Some(confirm) => wish.asked = Asked::Resume(confirm),
            None => return deliver(app, &wish.run, &driven),
        }
    }
}

fn is_new(asked: &Asked) -> bool {
    matches!(asked, Asked::Start(_))
}

/// The Communicator: shows the proposal and takes the decision. Silence is none.
fn ask(app: &mut App, run: &RunId, proposal: u32, feedback: &str) -> Option<Confirm> {
    app.output.message(&format!("\n{}\n", flow_root::printable(feedback)));
    loop {
        app.output.message(&say::decide(app.lang));
        let mut line = String::new();
        if !matches!(std::io::stdin().lock().read_line(&mut line), Ok(1..)) {
            app.output.message(&format!("\n{}\n", say::asked_later(app.lang, run)));
            return None;
        }
        match decision(&line) {
            Some(answer) => return Some(Confirm::Said(Said::here(proposal, answer))),
            None => app.output.message(&format!("{}\n", say::decide_again(app.lang))),
        }
    }
}

fn decision(line: &str) -> Option<PersonsAnswer> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim().to_owned();
    match word.to_lowercase().as_str() {
        "confirm" | "확인" => Some(PersonsAnswer::Confirm),
        "modify" | "수정" if !rest.is_empty() => Some(PersonsAnswer::Modify(rest)),
        "cancel" | "취소" => Some(PersonsAnswer::Cancel(rest)),
        _ => None,
    }
}

/// Drives a run until it has nothing more to do now.
pub(crate) fn go(
    app: &mut App,
    project: &Project,
    wish: &Wish,
    trusted: Trusted,
    eyes: &mut RunEyes,
) -> Result<Driven<Told>, Problem> {
    let max_regenerations = project.config.max_regenerations.unwrap_or(MAX_REGENERATIONS);
    let flow = RunFlow { run: wish.run.clone(), asked: wish.asked.clone(), max_regenerations };
    let unit = Unit {
        flow: FlowName::Run,
        project,
        documents: project.root.clone(),
        name: wish.run.to_string(),
        title: say::title(app.lang, &wish.run),
        tool: wish.tool.clone(),
        trusted,
        held: Exit::Locked,
    };
    let user_agent = project.config.sec.as_ref().and_then(|sec| sec.user_agent.clone());
    let (variables, lang) = (project.variables.clone(), app.lang);
    let cache = flow_root::cache(app, &project.machine.join("cache"))?;
    let place = project.root.clone();
    let effects = |supervisor: &Arc<Guarded>| {
        let settings = Sources::Real.settings(&variables, user_agent, supervisor, lang)?;
        let tools = Tools { settings, cache, lang, waits: None };
        let effects: Arc<dyn OtherEffects> = Arc::new(RunEffects { root: place, tools });
        Ok(effects)
    };
    let root = project.root.clone();
    driving::drive(app, unit, &flow, effects, eyes, |view| told(view, &wish.run, &root))
}

fn told(view: &View, run: &RunId, root: &RootPath) -> Told {
    let row = view.runs().and_then(|runs| runs.get(run.as_str())).and_then(Result::ok);
    let feedback = view.own.feedback.as_ref().map(|known| known.value.clone());
    Told {
        status: row.map(|row| row.status),
        proposal: view.own.proposal(),
        feedback: String::from_utf8_lossy(&feedback.unwrap_or_default()).into_owned(),
        failure: view.own.failure.clone(),
        outputs: outputs(root, run),
    }
}

/// The deliverables that are there.
fn outputs(root: &RootPath, run: &RunId) -> Vec<String> {
    let mut found = Vec::new();
    let directory = root.join(layout::outputs(run));
    if !directory.is_dir() {
        return found;
    }
    directory.walk(&mut |file| {
        let path = file.ok().and_then(|file| file.strip_prefix(root).ok());
        let path = path.map(|path| path.to_string_lossy().into_owned());
        found.extend(path.filter(|path| !path.ends_with(layout::KEEP)));
    });
    found
}

/// What came of it, on stdout; what to do next, on stderr.
pub(crate) fn deliver(app: &mut App, run: &RunId, driven: &Driven<Told>) -> Result<Exit, Problem> {
    let problem = driving::meaning(app.lang, &driven.ending);
    let Told { status, proposal, feedback, failure, outputs } = &driven.seen;
    if app.json {
        let answer = match (&driven.ending, status) {
            (Ending::Done(notice), None) => Some(notice.what.as_str()),
            _ => None,
        };
        app.print_json(&json!({
            "run_id": status.map(|_| run),
            "status": status,
            "ending": driving::word(&driven.ending),
            "proposal": proposal,
            "feedback": status.filter(|status| *status == RunStatus::AwaitingConfirmation).map(|_| feedback),
            "answer": answer,
            "failure": failure,
            "outputs": outputs,
        }))?;
        if let Some(problem) = &problem {
            app.output.message(&problem.text(app.lang, &app.output.message_renderer()));
        }
        return Ok(problem.map_or(Exit::Done, |problem| problem.exit));
    }
    if *status == Some(RunStatus::AwaitingConfirmation) {
        app.print(&flow_root::printable(feedback))?;
    }
    match (problem, &driven.ending) {
        (Some(problem), _) => Err(problem),
        (None, Ending::Done(notice)) => {
            app.print(&flow_root::printable(&notice.what))?;
            Ok(Exit::Done)
        }
        (None, _) => Ok(Exit::Done),
    }
}

/// `verify`: all tables, and what those of a run say together.
fn check(app: &mut App, id: Option<&str>) -> Result<Exit, Problem> {
    let project = there(app)?;
    if let Some(id) = id {
        known(app, &project.root, id)?;
    }
    let mut report = verify::Report::default();
    verify::check_flow(app, FlowName::Run, &project.root, &mut report);
    verify::show(app, &report)
}

/// What the documents of runs do not agree on. Runs of the past are looked at too.
pub(crate) fn breaches(app: &App, root: &RootPath) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let runs = root.join("runs").names().unwrap_or_default();
    let runs: Vec<RunId> = runs.iter().filter_map(|name| name.parse().ok()).collect();
    let mut logged = reading::logged(root);
    found.append(&mut logged.found);
    let named = |finding: Diagnostic| {
        let file = verify::shown_path(app, &root.join(&finding.file));
        Diagnostic { file, ..finding }
    };
    let Some(first) = runs.first() else { return found.into_iter().map(named).collect() };
    let Ok(mut view) = reading::shared(app, root, first) else {
        return found.into_iter().map(named).collect();
    };
    for run in runs {
        if reading::turn_to(app, root, &run, &mut view).is_err() {
            continue;
        }
        view.own.told = logged.told.remove(run.as_str()).unwrap_or_default();
        let mut there = BTreeSet::new();
        for directory in [layout::of_run(&run, ""), layout::outputs(&run)] {
            let directory = root.join(directory);
            if directory.is_dir() {
                directory.walk(&mut |path| {
                    let path = path.ok().and_then(|path| path.strip_prefix(root).ok());
                    there.extend(path.map(|path| path.to_string_lossy().into_owned()));
                });
            }
        }
        found.extend(laws::breaches(&view, &run, &there, &logged.written));
    }
    found.into_iter().map(named).collect()
}

fn there(app: &mut App) -> Result<Project, Problem> {
    if flow_root::found(app, FlowName::Run).is_none() {
        // The first start of all makes the tables, and may have been killed in the middle of that.
        let here = RootPath::new(app.here()).map_err(|error| flow_root::unread(app, &error))?;
        opening::recover(app, &here)?;
    }
    let none = || Problem::new(say::no_runs_here(app.lang), say::no_runs_here_next(app.lang));
    let root = flow_root::there(app, FlowName::Run, none)?;
    calling::project_at(app, root)
}

/// An id of this second that no run has.
pub(crate) fn fresh(app: &App, root: &RootPath) -> Result<RunId, Problem> {
    let now = app.clock.now();
    let local = app.clock.local_offset(now).to_datetime(now);
    let ids = (1..=MOST_IN_A_SECOND).map(|number| RunId::new(local, number));
    let free = |id: &RunId| !root.join(layout::of_run(id, "run.json")).exists();
    ids.into_iter().find(free).ok_or_else(|| taken(app))
}

/// The next id of the same second.
fn after(app: &App, run: &RunId) -> Result<RunId, Problem> {
    let (second, _) = run.as_str().rsplit_once('-').unwrap_or_default();
    let next = run.number() + 1;
    let id = format!("{second}-{next:03}");
    id.parse().ok().filter(|_| next <= MOST_IN_A_SECOND).ok_or_else(|| taken(app))
}

fn taken(app: &App) -> Problem {
    Problem::new(say::all_ids_taken(app.lang), say::all_ids_taken_next(app.lang))
}

/// A run that is there.
fn known(app: &App, root: &RootPath, id: &str) -> Result<RunId, Problem> {
    let unknown = || {
        let next = say::unknown_run_next(app.lang);
        Problem::usage(say::unknown_run(app.lang, visible(id)), next)
    };
    let run = id.parse::<RunId>().map_err(|_| unknown())?;
    if root.join(layout::of_run(&run, layout::REQUEST)).exists() { Ok(run) } else { Err(unknown()) }
}

/// The root of runs, the run that was named or else the newest.
fn shown(app: &mut App, id: Option<&str>) -> Result<(RootPath, RunId), Problem> {
    let root = there(app)?.root;
    let run = match id {
        Some(id) => known(app, &root, id)?,
        None => {
            let runs = reading::runs(app, &root)?;
            runs.last().map(|run| run.run_id.clone()).ok_or_else(|| {
                Problem::new(say::no_runs(app.lang), say::no_runs_here_next(app.lang))
            })?
        }
    };
    Ok((root, run))
}
