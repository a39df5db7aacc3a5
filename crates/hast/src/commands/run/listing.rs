//! `hast run list` and `show`: every run, and one of them with all its parts.

use hast_flow::docs::run::{CatalogRow, ProcessRun, RunStatus, WorkStatus};
use hast_flow::flows::run::View;
use hast_flow::ids::RunId;
use hast_flow::words::{Lang, visible};
use serde_json::json;

use super::super::flow_root::{headline, printable};
use super::{outputs, reading, shown};
use crate::app::App;
use crate::problem::{Exit, Problem};
use crate::run_messages::say;

pub(super) fn list(app: &mut App) -> Result<Exit, Problem> {
    let root = super::there(app)?.root;
    let runs = reading::runs(app, &root)?;
    if app.json {
        let runs: Vec<_> = runs.iter().rev().collect();
        app.print_json(&json!({ "runs": runs }))?;
        return Ok(Exit::Done);
    }
    let line = |run: &ProcessRun| {
        let place = [
            run.current_phase_id.as_ref().map(ToString::to_string),
            run.current_stage_id.as_ref().map(ToString::to_string),
            run.current_task_id.as_ref().map(ToString::to_string),
        ];
        let place = place.into_iter().flatten().collect::<Vec<_>>().join("/");
        format!(
            "{}  {:<21}  {place:<11}  {}\n",
            run.run_id,
            word(run.status),
            headline(&run.user_request)
        )
    };
    let mut text: String = runs.iter().rev().map(line).collect();
    if text.is_empty() {
        text = say::no_runs(app.lang) + "\n";
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

pub(super) fn show(app: &mut App, id: Option<&str>) -> Result<Exit, Problem> {
    let (root, run) = shown(app, id)?;
    let view = reading::view(app, &root, &run)?;
    let (own, outputs) = (&view.own, outputs(&root, &run));
    let row = view.runs().and_then(|runs| runs.get(run.as_str())).and_then(Result::ok);
    if app.json {
        app.print_json(&json!({
            "run": row,
            "request": own.request,
            "proposal": own.proposal(),
            "decisions": own.decisions,
            "phases": own.phases(),
            "stages": own.stages(),
            "tasks": own.tasks(),
            "tool_tasks": own.tools(),
            "assets": assets(&view, &run),
            "failure": own.failure,
            "outputs": outputs,
        }))?;
        return Ok(Exit::Done);
    }
    let lang = app.lang;
    let status = row.as_ref().map_or("-", |row| word(row.status));
    let request = own.request.as_ref().map_or("", |request| request.user_request.as_str());
    let mut text = format!("{run}  {status}\n{}\n", printable(request));
    text += &tree(&view);
    if let Some(failure) = &own.failure {
        text += &format!("\n{}\n{}", say::failure(lang), printable(&failure.error));
    }
    if !outputs.is_empty() {
        text += &format!("\n{}\n", say::results(lang));
        text.extend(outputs.iter().map(|path| format!("  {}\n", visible(path))));
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

/// Phases, their stages, their tasks, their tools.
fn tree(view: &View) -> String {
    let own = &view.own;
    let mut text = String::new();
    let mut line = |depth: usize, status, id: &str, name: &str| {
        let name = visible(name);
        text += &format!("{}{} {id} {name}\n", "  ".repeat(depth + 1), mark(status));
    };
    for phase in own.phases() {
        line(0, phase.status, phase.phase_id.as_str(), &phase.phase_name);
        for stage in own.stages().iter().filter(|row| row.phase_id == phase.phase_id) {
            line(1, stage.status, stage.stage_id.as_str(), &stage.stage_name);
            for task in own.tasks().iter().filter(|row| row.stage_id == stage.stage_id) {
                line(2, task.status, task.task_id.as_str(), &task.task_name);
                for tool in own.tools().iter().filter(|row| row.parent_task_id == task.task_id) {
                    line(3, tool.status, tool.tool_task_id.as_str(), &tool.tool_task_name);
                }
            }
        }
    }
    text
}

/// What the run made, as the catalog has it.
pub(super) fn assets(view: &View, run: &RunId) -> Vec<CatalogRow> {
    let Some(table) = view.catalog() else { return Vec::new() };
    let own = |row: &usize| table.row(*row).is_some_and(|row| *row.text(1) == *run.as_str());
    (0..table.len()).filter(own).filter_map(|row| table.typed(row)?.ok()).collect()
}

fn mark(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::Completed => "[x]",
        WorkStatus::Pending => "[ ]",
        WorkStatus::Failed => "[!]",
    }
}

pub(super) fn word(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Pending => "PENDING",
        RunStatus::AwaitingConfirmation => "AWAITING_CONFIRMATION",
        RunStatus::Completed => "COMPLETED",
        RunStatus::Failed => "FAILED",
    }
}

pub(super) fn work_word(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::Pending => "PENDING",
        WorkStatus::Completed => "COMPLETED",
        WorkStatus::Failed => "FAILED",
    }
}

/// The title of a page about a run.
pub(super) fn title(lang: Lang, run: &RunId) -> String {
    say::page_title(lang, run)
}
