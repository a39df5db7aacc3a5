//! What the tables of a run must say together. No file can know it alone; `verify` asks here.

use std::collections::BTreeSet;

use crate::docs::run::{RunStatus, WorkStatus};
use crate::flows::run::{View, layout};
use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::ids::RunId;

/// Everything in which a run's documents disagree. `files` are the paths of those that are there.
pub fn breaches(view: &View, run: &RunId, files: &BTreeSet<String>) -> Vec<Diagnostic> {
    let row = view.runs().and_then(|runs| runs.get(run.as_str())).and_then(Result::ok);
    let mut found = Vec::new();
    let Some(row) = row else {
        let other = layout::RUNS.to_owned();
        let finding = Finding::Contradicts { other, detail: format!("{run}: -") };
        return vec![Diagnostic::of_file(&layout::of_run(run, layout::REQUEST), finding)];
    };
    of_statuses(view, run, row.status, &mut found);
    of_outputs(view, run, files, &mut found);
    let failure = layout::of_run(run, layout::FAILURE);
    match (row.status == RunStatus::Failed, files.contains(&failure)) {
        (true, false) => {
            let because = format!("{run}: FAILED");
            let finding = Finding::MissingFile { path: failure, because };
            found.push(Diagnostic::of_file(layout::RUNS, finding));
        }
        (false, true) => {
            let (other, detail) = (layout::RUNS.to_owned(), format!("{run}: FAILED"));
            found.push(Diagnostic::of_file(&failure, Finding::Contradicts { other, detail }));
        }
        (true, true) | (false, false) => {}
    }
    let points = row.current_phase_id.is_some()
        || row.current_stage_id.is_some()
        || row.current_task_id.is_some();
    if row.status == RunStatus::Completed && points {
        let (other, detail) = ("COMPLETED".to_owned(), format!("{run}: current_*"));
        found.push(Diagnostic::of_file(layout::RUNS, Finding::Contradicts { other, detail }));
    }
    found
}

/// A unit is not better than what it is made of: COMPLETED above FAILED or PENDING is a lie.
fn of_statuses(view: &View, run: &RunId, status: RunStatus, found: &mut Vec<Diagnostic>) {
    let own = &view.own;
    let mut tell = |name: &str, other: &str, detail: String| {
        let finding = Finding::Contradicts { other: layout::of_run(run, other), detail };
        found.push(Diagnostic::of_file(&layout::of_run(run, name), finding));
    };
    for phase in own.phases() {
        let stages = own.stages().iter().filter(|stage| stage.phase_id == phase.phase_id);
        for stage in stages.filter(|stage| !fits(phase.status, stage.status)) {
            let detail = format!("{}: {}", phase.phase_id, stage.stage_id);
            tell(layout::PHASES, layout::STAGES, detail);
        }
        let done = phase.status == WorkStatus::Completed;
        if status == RunStatus::Completed && !done {
            tell(layout::PHASES, layout::REQUEST, format!("{run}: {}", phase.phase_id));
        }
    }
    for stage in own.stages() {
        let tasks = own.tasks().iter().filter(|task| task.stage_id == stage.stage_id);
        for task in tasks.filter(|task| !fits(stage.status, task.status)) {
            let detail = format!("{}: {}", stage.stage_id, task.task_id);
            tell(layout::STAGES, layout::TASKS, detail);
        }
    }
    for task in own.tasks() {
        let tools = own.tools().iter().filter(|tool| tool.parent_task_id == task.task_id);
        for tool in tools.filter(|tool| !fits(task.status, tool.status)) {
            let detail = format!("{}: {}", task.task_id, tool.tool_task_id);
            tell(layout::TASKS, layout::TOOLS, detail);
        }
    }
}

fn fits(whole: WorkStatus, part: WorkStatus) -> bool {
    match (whole, part) {
        (WorkStatus::Completed, part) => part == WorkStatus::Completed,
        (WorkStatus::Pending, part) => part != WorkStatus::Failed,
        (WorkStatus::Failed, _) => true,
    }
}

/// What is COMPLETED left its file, and the catalog knows it.
fn of_outputs(view: &View, run: &RunId, files: &BTreeSet<String>, found: &mut Vec<Diagnostic>) {
    let tasks = view.own.tasks().iter().filter(|task| task.status == WorkStatus::Completed);
    for task in tasks {
        let Some(path) = &task.output_path else { continue };
        let because = format!("{}: COMPLETED", task.task_id);
        if !files.contains(path) {
            let finding = Finding::MissingFile { path: path.clone(), because };
            found.push(Diagnostic::of_file(&layout::of_run(run, layout::TASKS), finding));
        } else if !view.catalog().is_some_and(|table| table.contains(path)) {
            let (other, detail) = (layout::CATALOG.to_owned(), path.clone());
            let finding = Finding::Contradicts { other, detail };
            found.push(Diagnostic::of_file(&layout::of_run(run, layout::TASKS), finding));
        }
    }
}
