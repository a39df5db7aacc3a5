//! `hast contract list` and `show`: requests, and one of them as a matrix of phases and gates.

use hast_flow::docs::contract::{
    ContractState, GateStatus, RequestStatus, SubtaskState, WorkStatus,
};
use hast_flow::ids::RequestId;
use hast_flow::words::{Lang, visible};
use hast_world::root_path::RootPath;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::{hash, reading, there};
use crate::app::App;
use crate::commands::flow_root::printable;
use crate::contract_messages::say;
use crate::problem::{Exit, Problem};

pub(super) fn list(app: &mut App) -> Result<Exit, Problem> {
    let root = there(app)?;
    let project = hash(&root);
    let ids = reading::requests(&root, &project);
    let states: Vec<ContractState> =
        ids.iter().rev().filter_map(|id| reading::state_of(&root, &project, id)).collect();
    if app.json {
        let requests: Vec<_> = states
            .iter()
            .map(|state| {
                let (done, all) = counts(state);
                json!({
                    "request_id": state.request.id,
                    "status": state.request.status,
                    "global_phase": state.request.global_phase,
                    "subtasks_done": done,
                    "subtasks": all,
                    "request": state.request.original_request,
                })
            })
            .collect();
        app.print_json(&json!({ "requests": requests }))?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for state in &states {
        let (done, all) = counts(state);
        let request = &state.request;
        let first = request.original_request.lines().next().unwrap_or_default();
        let status = status(app.lang, request.status);
        text += &format!("{}  {status}  {done}/{all}  {}\n", request.id, visible(first));
    }
    if text.is_empty() {
        text = say::no_requests(app.lang) + "\n";
        let note = super::elsewhere(app.lang, &root);
        text.extend(note.map(|note| note + "\n"));
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

/// The current request in a line, and as programs read it.
pub(crate) fn glance(lang: Lang, root: &RootPath) -> Option<(String, Value)> {
    let state = reading::state(root, &hash(root))?;
    let (done, all) = counts(&state);
    let request = &state.request;
    let first = request.original_request.lines().next().unwrap_or_default();
    let line = format!(
        "{}  {}  {done}/{all}  {}",
        request.id,
        status(lang, request.status),
        visible(first)
    );
    let json = json!({
        "request_id": request.id, "status": request.status, "global_phase": request.global_phase,
        "subtasks_done": done, "subtasks": all,
    });
    Some((line, json))
}

pub(super) fn show(app: &mut App, id: Option<&str>) -> Result<Exit, Problem> {
    let root = there(app)?;
    let (lang, project) = (app.lang, hash(&root));
    let state = match id {
        None => reading::state(&root, &project),
        Some(id) => {
            let id = id.parse::<RequestId>().ok();
            id.and_then(|id| reading::state_of(&root, &project, &id))
        }
    };
    let Some(state) = state else {
        return Err(match id {
            Some(id) => Problem::usage(
                say::unknown_request(lang, visible(id)),
                say::unknown_request_next(lang),
            ),
            None => super::no_requests(lang, &root),
        });
    };
    if app.json {
        app.print_json(&json!(state))?;
        return Ok(Exit::Done);
    }
    let request = &state.request;
    let head = format!(
        "{}  {}\n{}\n",
        request.id,
        status(lang, request.status),
        printable(&request.original_request)
    );
    app.print(&(head + &matrix(lang, &state)))?;
    Ok(Exit::Done)
}

/// A row a subtask: phase, the four gates, and last what it is called, which may be long.
pub(super) fn matrix(lang: Lang, state: &ContractState) -> String {
    let mut rows: Vec<[String; 7]> = Vec::new();
    for id in &state.task_order {
        let Some(task) = state.tasks.get(id) else { continue };
        let own = format!("{} {id}", mark(task.status));
        let empty = String::new;
        let name = visible(&task.name).into_owned();
        rows.push([own, empty(), empty(), empty(), empty(), empty(), name]);
        for id in &task.subtask_order {
            if let Some(subtask) = task.subtasks.get(id) {
                rows.push(row(id.as_str(), subtask));
            }
        }
    }
    if rows.is_empty() {
        return format!("{}\n", say::discovery(lang));
    }
    let head = ["", "", "GATE-1", "GATE-2", "GATE-3", "GATE-4", ""].map(str::to_owned);
    let all: Vec<&[String; 7]> = std::iter::once(&head).chain(&rows).collect();
    let width = |column: usize| all.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let line = |row: &[String; 7]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())))
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    all.iter().map(|row| line(row)).collect()
}

fn mark(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::Completed => "[x]",
        WorkStatus::InProgress => "[>]",
        WorkStatus::Pending => "[ ]",
    }
}

fn row(id: &str, subtask: &SubtaskState) -> [String; 7] {
    let phase = serde_json::to_value(subtask.phase).ok();
    let phase = phase.and_then(|phase| phase.as_str().map(str::to_owned)).unwrap_or_default();
    let gates = subtask.gates;
    let gate = |status: Option<GateStatus>| {
        match status {
            Some(GateStatus::Passed) => "passed",
            Some(GateStatus::Failed) => "failed",
            Some(GateStatus::Pending) => "pending",
            None => "-",
        }
        .to_owned()
    };
    [
        format!("  {} {id}", mark(subtask.status)),
        phase,
        gate(Some(gates.gate_1)),
        gate(Some(gates.gate_2)),
        gate(gates.gate_3),
        gate(gates.gate_4),
        visible(&subtask.name).into_owned(),
    ]
}

fn counts(state: &ContractState) -> (usize, usize) {
    let all = state.tasks.values().flat_map(|task| task.subtasks.values());
    let done = all.clone().filter(|one| one.status == WorkStatus::Completed).count();
    (done, all.count())
}

/// The status of every request, for whoever only counts them.
pub(crate) fn states(root: &RootPath) -> Vec<&'static str> {
    let project = hash(root);
    let requests = reading::requests(root, &project);
    let states = requests.iter().filter_map(|id| reading::state_of(root, &project, id));
    let word = |status| match status {
        RequestStatus::Active => "active",
        RequestStatus::Completed => "completed",
        RequestStatus::Stopped => "stopped",
    };
    states.map(|state| word(state.request.status)).collect()
}

fn status(lang: Lang, status: RequestStatus) -> String {
    match status {
        RequestStatus::Active => say::active(lang),
        RequestStatus::Completed => say::completed(lang),
        RequestStatus::Stopped => say::stopped(lang),
    }
}
