//! `hast kernel`: requests that experts answer, with a plan that grows.

mod experts;
pub(crate) mod eyes;
pub(crate) mod listing;
mod reading;

use std::collections::BTreeSet;
use std::sync::Arc;

use hast_flow::docs::files::FlowName;
use hast_flow::docs::kernel::{EngineToKernelResponse, KernelState};
use hast_flow::driver::Delta;
use hast_flow::flows::kernel::decide::Asked;
use hast_flow::flows::kernel::view::Life;
use hast_flow::flows::kernel::{KernelFlow, NewRequest, laws, layout};
use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::ids::{RequestUuid, Sha256};
use hast_flow::steps::Ending;
use hast_flow::store::Seen;
use hast_flow::trust::{Commands, Trusted};
use hast_flow::words::visible;
use hast_world::root_path::RootPath;
use serde_json::json;

use super::auto::effects::Nothing;
use super::calling::{self, Project};
use super::driving::{self, Driven, Unit};
use super::flow_root;
use super::opening;
use super::verify;
use crate::app::{App, ids};
use crate::kernel_cli::{KernelCommands, ResumeArgs, StartArgs};
use crate::kernel_messages::say;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};
use eyes::KernelEyes;

/// The lock of whoever drives a kernel: one request at a time.
const UNIT: &str = "kernel";
/// A bad answer is asked for again this often.
const MAX_REGENERATIONS: u32 = 2;

pub(crate) fn run(app: &mut App, command: &KernelCommands) -> Result<Exit, Problem> {
    match command {
        KernelCommands::Boot => boot(app),
        KernelCommands::Start(args) => start(app, args),
        KernelCommands::Resume(args) => resume(app, args),
        KernelCommands::List => listing::list(app),
        KernelCommands::Show(args) => listing::show(app, args.id.as_deref()),
        KernelCommands::Verify => {
            let root = there(app)?;
            let mut report = verify::Report::default();
            verify::check_flow(app, FlowName::Kernel, &root, &mut report);
            verify::show(app, &report)
        }
        KernelCommands::Experts(command) => experts::run(app, command),
    }
}

/// What the documents of a kernel do not agree on. What cannot be read is told by who checks files.
pub(crate) fn breaches(app: &App, root: &RootPath) -> Vec<Diagnostic> {
    let brain = brain(root);
    let Ok(mut view) = reading::view(app, root) else { return Vec::new() };
    let read = |path: &str| brain.join(path).read_if_there(MAX_DOCUMENT_BYTES).ok().flatten();
    if let (Some(path), Some(bytes)) = (layout::path(layout::MIRROR), read(layout::MIRROR)) {
        view.fold(&Delta::Document { path: &path, bytes: &bytes, seen: Seen::Absent });
    }
    let mut there = BTreeSet::new();
    brain.join("requests").walk(&mut |path| {
        if let Some(path) = path.ok().and_then(|path| path.strip_prefix(&brain).ok()) {
            there.insert(path.to_string_lossy().into_owned());
        }
    });
    let hash = |path: &str| read(path).map(|bytes| Sha256::of(&bytes));
    let found = laws::breaches(&view, &read(layout::LOG).unwrap_or_default(), &there, &hash);
    let named = |finding: Diagnostic| {
        let file = verify::shown_path(app, &brain.join(&finding.file));
        Diagnostic { file, ..finding }
    };
    found.into_iter().map(named).collect()
}

fn boot(app: &mut App) -> Result<Exit, Problem> {
    let root = flow_root::there_or_here(app, FlowName::Kernel)?;
    let project = calling::project_at(app, root)?;
    // Booting starts nobody, so there is nothing to approve.
    let trusted = calling::trusted(app, &project, &Commands::default())?;
    let mut eyes = KernelEyes::new(app.lang, None);
    let driven = go(app, &project, Asked::Boot, None, trusted, &mut eyes)?;
    match (driving::meaning(app.lang, &driven.ending), &driven.ending) {
        (Some(problem), _) => Err(problem),
        (None, Ending::Done(notice)) if app.json => {
            app.print_json(&json!({ "status": driven.seen, "next": notice.next }))?;
            Ok(Exit::Done)
        }
        (None, ending) => {
            if let Ending::Done(notice) = ending {
                let next = common::next(app.lang);
                app.print(&format!("{}\n{next}: {}\n", notice.what, notice.next))?;
            }
            Ok(Exit::Done)
        }
    }
}

fn start(app: &mut App, args: &StartArgs) -> Result<Exit, Problem> {
    let text = args.request.trim();
    if text.is_empty() {
        return Err(Problem::usage(
            say::empty_request(app.lang),
            say::empty_request_next(app.lang),
        ));
    }
    let root = flow_root::there_or_here(app, FlowName::Kernel)?;
    let project = calling::project_at(app, root)?;
    calling::agent_to_begin(app, &project, args.tool.as_deref())?;
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    let id = fresh(app, &project.root)?;
    if let Ok(before) = unfinished(app, &project.root) {
        app.output.message(&format!("{}\n", say::unfinished_before(app.lang, before)));
    }
    let mut eyes = KernelEyes::new(app.lang, Some(id.clone()));
    let new = Some(NewRequest { text: text.to_owned() });
    let asked = Asked::Request { id: id.clone(), new };
    let driven = go(app, &project, asked, args.tool.clone(), trusted, &mut eyes)?;
    deliver(app, &project.root, &id, &driven)
}

fn resume(app: &mut App, args: &ResumeArgs) -> Result<Exit, Problem> {
    let root = there(app)?;
    let project = calling::project_at(app, root)?;
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    let id = match &args.id {
        Some(id) => known(app, id)?,
        None => {
            opening::recover(app, &brain(&project.root))?;
            unfinished(app, &project.root)?
        }
    };
    let mut eyes = KernelEyes::new(app.lang, Some(id.clone()));
    let asked = Asked::Request { id: id.clone(), new: None };
    let driven = go(app, &project, asked, args.tool.clone(), trusted, &mut eyes)?;
    deliver(app, &project.root, &id, &driven)
}

/// Drives the kernel until it has nothing more to do.
pub(crate) fn go(
    app: &mut App,
    project: &Project,
    asked: Asked,
    tool: Option<String>,
    trusted: Trusted,
    eyes: &mut KernelEyes,
) -> Result<Driven<Option<KernelState>>, Problem> {
    let flow = KernelFlow { asked, max_regenerations: MAX_REGENERATIONS };
    let unit = Unit {
        flow: FlowName::Kernel,
        project,
        documents: brain(&project.root),
        name: UNIT.to_owned(),
        title: say::title(app.lang),
        tool,
        trusted,
        held: Exit::Locked,
    };
    let driven = driving::drive(
        app,
        unit,
        &flow,
        |_| Ok(Arc::new(Nothing)),
        eyes,
        |view| view.status.as_ref().map(|known| known.value.status),
    );
    // The comfort of an editor is not worth a failure.
    let _ = experts::write_schemas(&project.root);
    driven
}

/// The response on stdout: the report, or the whole message for programs.
pub(crate) fn deliver(
    app: &mut App,
    root: &RootPath,
    id: &RequestUuid,
    driven: &Driven<Option<KernelState>>,
) -> Result<Exit, Problem> {
    let problem = driving::meaning(app.lang, &driven.ending);
    let Some(response) = response(app, root, id)? else {
        return problem.map_or(Ok(Exit::Done), Err);
    };
    if app.json {
        app.print_json(&json!(response))?;
        if let Some(problem) = &problem {
            app.output.message(&problem.text(app.lang, &app.output.message_renderer()));
        }
        return Ok(problem.map_or(Exit::Done, |problem| problem.exit));
    }
    match problem {
        Some(problem) => Err(problem),
        None => {
            let report = flow_root::printable(&response.final_report.unwrap_or_default());
            app.print(&report)?;
            if let (Ending::Done(notice), false) = (&driven.ending, app.quiet) {
                app.output.message(&format!("{}\n{}\n", notice.what, notice.next));
            }
            Ok(Exit::Done)
        }
    }
}

fn response(
    app: &App,
    root: &RootPath,
    id: &RequestUuid,
) -> Result<Option<EngineToKernelResponse>, Problem> {
    let path = brain(root).join(layout::of_request(id, "response.json"));
    let bytes =
        path.read_if_there(MAX_DOCUMENT_BYTES).map_err(|error| flow_root::unread(app, &error))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

fn brain(root: &RootPath) -> RootPath {
    root.join(FlowName::Kernel.marker())
}

fn there(app: &App) -> Result<RootPath, Problem> {
    let none = || Problem::new(say::no_kernel(app.lang), say::no_kernel_next(app.lang));
    flow_root::there(app, FlowName::Kernel, none)
}

/// An id that no request has.
pub(crate) fn fresh(app: &App, root: &RootPath) -> Result<RequestUuid, Problem> {
    let ids = ids(app.lang)?;
    loop {
        let id = known(app, &ids.uuid().to_string())?;
        if !brain(root).join("requests").join(id.as_str()).exists() {
            return Ok(id);
        }
    }
}

fn known(app: &App, id: &str) -> Result<RequestUuid, Problem> {
    let unknown = |_| {
        let next = say::unknown_request_next(app.lang);
        Problem::usage(say::unknown_request(app.lang, visible(id)), next)
    };
    id.parse::<RequestUuid>().map_err(unknown)
}

/// The newest request that has no ending yet. Ids of requests grow with time.
fn unfinished(app: &App, root: &RootPath) -> Result<RequestUuid, Problem> {
    let view = reading::view(app, root)?;
    let mut open = view.requests.iter().rev().filter(|(_, request)| {
        !matches!(request.life, Life::Unborn | Life::Completed | Life::Failed)
    });
    open.next().map(|(id, _)| id.clone()).ok_or_else(|| {
        let next = say::nothing_unfinished_next(app.lang);
        Problem::new(say::nothing_unfinished(app.lang), next)
    })
}
