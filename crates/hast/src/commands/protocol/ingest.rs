//! `hast protocol ingest`: a result comes in, is judged in a lane of its own, and answered. The same
//! result again gets the same answer.

use std::path::Path;

use hast_flow::attempt::recovery::StartFrom;
use hast_flow::docs::document::read;
use hast_flow::docs::goals::{ProtocolResult, ProtocolTask};
use hast_flow::flows::goals::auto::RunBounds;
use hast_flow::flows::goals::auto::layout as auto_layout;
use hast_flow::flows::goals::auto::packets::receive::{ReceiveFlow, delivery};
use hast_flow::flows::goals::auto::packets::{PacketView, Refused};
use hast_flow::flows::goals::auto::words;
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::steps::Ending;
use hast_flow::words::{shell_word, visible};
use hast_world::files::read_named;
use hast_world::root_path::RootPath;
use serde_json::{Map, Value, json};

use super::{drive, settings};
use crate::app::App;
use crate::commands::auto::eyes::GoalEyes;
use crate::commands::auto::leases::Leases;
use crate::commands::auto::{self, AutoWish};
use crate::commands::calling::{self, Project};
use crate::commands::driving;
use crate::commands::goals_files::{GoalsFiles, bad_file, repository_root, show};
use crate::problem::{Exit, Problem};
use crate::protocol_cli::IngestArgs;
use crate::protocol_messages::say;

pub(super) fn run(app: &mut App, args: &IngestArgs) -> Result<Exit, Problem> {
    let root = repository_root(app)?;
    let files = GoalsFiles::read(app, &root)?;
    show(app, &files.warnings);
    let project = calling::project_at(app, root)?;
    settings(app, &project)?;
    let result = read_result(app, &args.file)?;
    // Its tests are run here.
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    let task = task_of(&project.root, result.packet_id.as_str());
    let flow = ReceiveFlow { result };
    let view = receive(app, &project, &flow, task.as_ref())?;
    let Some(task) = task else { return Err(unknown(app, &flow)) };
    if let Some(settled) = answer(&view, &flow) {
        return report(app, &settled);
    }
    let delivery = delivery(&flow.result, &task).map(|delivery| (delivery, task.lease.clone()));
    let asked = Asked { goal: Some(task.goal.id.clone()), depth: Depth::One };
    let (from, bounds) = (StartFrom::Base, RunBounds::default());
    let wish = AutoWish { asked, tool: None, explain: false, from, width: 1, delivery, bounds };
    let mut eyes = GoalEyes::new(app.lang, false);
    let driven = auto::go(app, &project, wish, trusted, &mut eyes)?;
    let view = receive(app, &project, &flow, Some(&task))?;
    match answer(&view, &flow) {
        Some(settled) => report(app, &settled),
        None => Err(not_judged(app, &flow, &driven.ending)),
    }
}

/// The packet that somebody brings, by its schema and nothing else.
fn read_result(app: &mut App, path: &Path) -> Result<ProtocolResult, Problem> {
    let place = app.directory.join(path);
    let bytes = read_named(&place, MAX_DOCUMENT_BYTES)
        .map_err(|error| Problem::cannot_read(app.lang, &error.path, &error.source))?;
    let name = path.display().to_string();
    let parsed = Source::from_bytes(&name, &bytes)
        .map_err(|finding| vec![finding])
        .and_then(|source| read::<ProtocolResult>(&source));
    parsed
        .map(|read| read.value)
        .map_err(|findings| bad_file(app, "protocol-result", path, &findings).coded("bad_result"))
}

/// The task as it was written down; the flow says what it means if there is none.
fn task_of(root: &RootPath, packet: &str) -> Option<ProtocolTask> {
    let name = auto_layout::of_packet(packet, auto_layout::TASK);
    let path = root.join(layout::DIRECTORY).join(name);
    let bytes = path.read_if_there(MAX_DOCUMENT_BYTES).ok().flatten()?;
    serde_json::from_slice(&bytes).ok()
}

fn receive(
    app: &mut App,
    project: &Project,
    flow: &ReceiveFlow,
    task: Option<&ProtocolTask>,
) -> Result<PacketView, Problem> {
    let leases = match task {
        Some(task) => Some(Leases::of_packet(app, project, &task.lease)?),
        None => None,
    };
    let (ending, view) = drive(app, &project.root, flow, leases.as_ref(), Clone::clone)?;
    if let Some(refused) = flow.refused(&view, app.lang) {
        return Err(problem(app, &refused));
    }
    match driving::meaning(app.lang, &ending) {
        Some(problem) => Err(problem),
        None => Ok(view),
    }
}

fn problem(app: &App, refused: &Refused) -> Problem {
    Problem::new(refused.what(app.lang), refused.next(app.lang)).coded(refused.code())
}

fn unknown(app: &App, flow: &ReceiveFlow) -> Problem {
    problem(app, &Refused::UnknownPacket { packet: flow.result.packet_id.to_string() })
}

/// What was said about the packet once it was judged.
fn answer(view: &PacketView, flow: &ReceiveFlow) -> Option<Map<String, Value>> {
    view.packets.get(flow.result.packet_id.as_str())?.settled.clone()
}

fn not_judged(app: &App, flow: &ReceiveFlow, ending: &Ending) -> Problem {
    // Nothing stood in the way, and still it was not ours to begin.
    let gone = words::claimed_elsewhere(app.lang, &flow.result.goal_id);
    if let Ending::Done(notice) | Ending::Failed(notice) = ending
        && (matches!(ending, Ending::Done(_)) || notice.what == gone)
    {
        let (goal, why) = (flow.result.goal_id.clone(), notice.what.clone());
        return problem(app, &Refused::LostLease { goal, why });
    }
    let problem = driving::meaning(app.lang, ending).unwrap_or_else(|| {
        let what = say::not_judged(app.lang, &flow.result.packet_id);
        Problem::new(what, say::not_judged_next(app.lang))
    });
    problem.coded("not_judged")
}

/// The same words and the same exit code each time.
fn report(app: &mut App, settled: &Map<String, Value>) -> Result<Exit, Problem> {
    let lang = app.lang;
    let text = |key: &str| settled.get(key).and_then(Value::as_str).unwrap_or_default();
    let (packet, goal, reason) = (text("packet_id"), text("goal_id"), text("reason"));
    let problem = match text("outcome") {
        "merged" => None,
        "failed" => {
            let what = say::failed(lang, packet, text("class"), visible(reason));
            let next = match text("ref") {
                "" => say::failed_without_ref_next(lang, goal),
                name => say::failed_next(lang, goal, name),
            };
            Some(Problem::new(what, next))
        }
        "lease_lost" => {
            let what = say::lease_lost(lang, packet, goal);
            let branch = text("branch");
            let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
            Some(Problem::new(what, say::lease_lost_next(lang, visible(branch))))
        }
        "withdrawn" => {
            let what = say::withdrawn(lang, packet, goal, visible(reason));
            let next = match text("ref") {
                "" => say::withdrawn_before_next(lang, goal),
                name => say::withdrawn_next(lang, visible(name)),
            };
            Some(Problem::new(what, next))
        }
        _ => {
            let what = say::blocked(lang, packet, goal, visible(reason));
            let next = match text("ref") {
                "" => say::blocked_next(lang, shell_word(goal)),
                name => say::blocked_with_ref_next(lang, goal, visible(name)),
            };
            Some(Problem::new(what, next))
        }
    };
    if app.json {
        let mut document = settled.clone();
        let told = problem.as_ref().map(|told| json!({"what": told.what, "next": told.next}));
        document.insert("problem".to_owned(), json!(told));
        app.print_json(&Value::Object(document))?;
        return Ok(if problem.is_some() { Exit::Failed } else { Exit::Done });
    }
    match problem {
        Some(problem) => Err(problem),
        None => {
            let commit = text("commit").get(..12).unwrap_or_default();
            app.print(&format!("{}\n", say::merged(lang, packet, visible(goal), commit)))?;
            Ok(Exit::Done)
        }
    }
}
