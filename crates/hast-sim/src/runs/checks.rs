//! Consistency checks for a run's documents, however the run got there.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::docs::run::WorkStatus::Failed;
use hast_flow::docs::run::{CatalogRow, Place, RunEvent, RunEventKind as Kind, RunStatus};
use hast_flow::driver::Delta;
use hast_flow::flows::run::{View, laws, layout};
use hast_flow::ids::{RunId, Sha256};
use hast_flow::step_log::{StepLine, StepState};
use hast_flow::steps::Commit;
use hast_flow::store::{DocPath, Seen};
use serde_json::json;

use super::RUN;
use crate::flows::holding::{keeps_to, log, numbers_grow, steps_end_once};
use crate::flows::subject::Files;

pub(super) const DECISIONS: &str = "runs/run-20260112-143000-001/decisions.ndjson";

/// The log counts on, nothing happened twice, every table can be read and agrees with the others,
/// and what is COMPLETED has its file and its row. What a person wrote over is theirs.
pub(super) fn documents_hold(files: &Files, edited: Option<&str>) -> Result<(), String> {
    let (events, bad) = log::<RunEvent>(files, layout::LOG);
    let numbers: Vec<u64> = events.iter().map(|event| event.event_id.number()).collect();
    numbers_grow(&numbers, bad)?;
    // A start that came to no run left nothing behind, and is asked for anew.
    let request = format!("runs/{RUN}/{}", layout::REQUEST);
    let is_run = files.contains_key(&request);
    steps_end_once(files, |step| !is_run && step.starts_with(&format!("{RUN}/start/")))?;
    happened_once(&events)?;
    if edited.is_some_and(|path| path.starts_with("db/")) {
        return Ok(());
    }
    let run: RunId = RUN.parse().map_err(|_| "no id".to_owned())?;
    let view = read(files, &run);
    if let Some(fault) = view.faults().first() {
        return Err(format!("{}: {:?}", fault.file, fault.finding));
    }
    tables_agree(&view, &run, files)?;
    catalog_is_true(&view, files)?;
    failure_is_marked(&view)?;
    ending_is_told(&view, &run, &events)?;
    nothing_stays_open(&view, files)
}

/// A fresh read, without a driver.
fn read(files: &Files, run: &RunId) -> View {
    let mut view = View::default();
    for (path, bytes) in files {
        if let Ok(path) = DocPath::new(path) {
            view.fold(run, &Delta::Document { path: &path, bytes, seen: Seen::Absent });
        }
    }
    view
}

/// A unit begins, is executed and ends once.
fn happened_once(events: &[RunEvent]) -> Result<(), String> {
    let mut told = BTreeSet::new();
    for event in events {
        let ids = [
            "run_id",
            "phase_id",
            "stage_id",
            "task_id",
            "tool_task_id",
            "proposal",
            "plan_target",
        ];
        let unit: Vec<String> =
            ids.iter().filter_map(|id| Some(event.detail.get(*id)?.to_string())).collect();
        if !told.insert((event.kind, unit.clone())) {
            return Err(format!("{:?} {} happened twice", event.kind, unit.join(" ")));
        }
    }
    Ok(())
}

fn tables_agree(view: &View, run: &RunId, files: &Files) -> Result<(), String> {
    if view.runs().is_none_or(|runs| !runs.contains(RUN)) {
        let of_run = files.keys().find(|path| path.starts_with(&format!("runs/{RUN}/")));
        return of_run.map_or(Ok(()), |path| Err(format!("{path} belongs to no run")));
    }
    let there: BTreeSet<String> = files.keys().cloned().collect();
    let log = files.get(layout::LOG).map(Vec::as_slice).unwrap_or_default();
    let mut logged = laws::Logged::default();
    logged.take(layout::LOG, log, &|path| files.get(path).map(|bytes| Sha256::of(bytes)));
    match laws::breaches(view, run, &there, &logged.written).first() {
        Some(breach) => Err(format!("{}: {:?}", breach.file, breach.finding)),
        None => Ok(()),
    }
}

/// Each file has one row, and each row of the run its file; a file of work without a row belongs to
/// a task that is not done.
fn catalog_is_true(view: &View, files: &Files) -> Result<(), String> {
    let table = view.catalog();
    let mut rows: BTreeMap<String, CatalogRow> = BTreeMap::new();
    for row in table.into_iter().flat_map(|table| (0..table.len()).filter_map(|at| table.typed(at)))
    {
        let row = row.map_err(|faults| format!("{faults:?}"))?;
        if row.run_id.is_some() && !files.contains_key(&row.file_path) {
            return Err(format!("the catalog knows {}, which is not there", row.file_path));
        }
        if let Some(row) = rows.insert(row.file_path.clone(), row) {
            return Err(format!("{} is in the catalog twice", row.file_path));
        }
    }
    Ok(())
}

/// A failure marks the unit that failed and everything above it.
fn failure_is_marked(view: &View) -> Result<(), String> {
    let own = &view.own;
    let Some(failure) = &own.failure else { return Ok(()) };
    let Place { phase_id, stage_id, task_id, tool_task_id } = &failure.place;
    let phase = own.phases().iter().find(|row| Some(&row.phase_id) == phase_id.as_ref());
    let stage = own.stages().iter().find(|row| Some(&row.stage_id) == stage_id.as_ref());
    let task = own.tasks().iter().find(|row| Some(&row.task_id) == task_id.as_ref());
    let tool = own.tools().iter().find(|row| Some(&row.tool_task_id) == tool_task_id.as_ref());
    let marks = [
        (phase_id.is_some(), phase.map(|row| row.status)),
        (stage_id.is_some(), stage.map(|row| row.status)),
        (task_id.is_some(), task.map(|row| row.status)),
        (tool_task_id.is_some(), tool.map(|row| row.status)),
    ];
    let unmarked = marks.iter().any(|(named, status)| *named && *status != Some(Failed));
    if unmarked { Err(format!("{:?} is not marked as FAILED", failure.place)) } else { Ok(()) }
}

/// A run that is over waits for no step.
fn nothing_stays_open(view: &View, files: &Files) -> Result<(), String> {
    let row = view.runs().and_then(|runs| runs.get(RUN)).and_then(Result::ok);
    let over = [RunStatus::Completed, RunStatus::Failed];
    if row.is_none_or(|row| !over.contains(&row.status)) {
        return Ok(());
    }
    let mut open = BTreeSet::new();
    for line in log::<StepLine>(files, ".hast/steps.ndjson").0 {
        let step = line.step.to_string();
        match line.state {
            StepState::Started => drop(open.insert(step)),
            StepState::Finished => drop(open.remove(&step)),
        }
    }
    match open.iter().find(|step| step.starts_with(RUN)) {
        Some(step) => Err(format!("{step} stays open")),
        None => Ok(()),
    }
}

/// The run is over exactly when the log says so, and then it is told once.
fn ending_is_told(view: &View, run: &RunId, events: &[RunEvent]) -> Result<(), String> {
    let ended = [Kind::RunCompleted, Kind::RunFailed];
    let own = events.iter().filter(|event| event.detail.get("run_id") == Some(&json!(run)));
    let told: Vec<Kind> = own.map(|event| event.kind).filter(|kind| ended.contains(kind)).collect();
    let row = view.runs().and_then(|runs| runs.get(run.as_str()));
    let status = match row.transpose() {
        Ok(row) => row.map(|row| row.status),
        Err(faults) => return Err(format!("{faults:?}")),
    };
    let wanted = match status {
        Some(RunStatus::Completed) => vec![Kind::RunCompleted],
        Some(RunStatus::Failed) => vec![Kind::RunFailed],
        Some(RunStatus::Pending | RunStatus::AwaitingConfirmation) | None => Vec::new(),
    };
    if told == wanted { Ok(()) } else { Err(format!("{status:?} was told as {told:?}")) }
}

/// The run flow's table of roles, written down once more and not from the policy. A commit names
/// its run first.
pub(super) fn role_is_kept(commit: &Commit) -> Result<(), String> {
    let run = commit.reason.split(':').next().unwrap_or_default();
    let here = |name: &str| format!("runs/{run}/{name}");
    let in_run: &[&str] = match commit.role {
        "Orchestrator" => &["run.json", "failure.json", "decisions.ndjson"],
        "Planner" => &[
            "feedback_for_user.md",
            "feedback_for_user.0.md",
            "feedback_for_user.1.md",
            "instructions.json",
            "instructions.0.json",
            "instructions.1.json",
        ],
        "Executor" => &["workspace/", "results/"],
        "Communicator" => &["decisions.ndjson"],
        _ => &[],
    };
    let mut own: Vec<String> = in_run.iter().map(|name| here(name)).collect();
    match commit.role {
        "Orchestrator" => {
            own.extend([layout::TEMPLATE.to_owned(), layout::INSTRUCTIONS.to_owned()]);
        }
        "Executor" => own.extend([format!("outputs/{run}/"), layout::INSTRUCTIONS.to_owned()]),
        _ => {}
    }
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    keeps_to(commit, &own, &[layout::LOG, layout::RUNS, layout::CATALOG, &here("db/")])
}

/// When a file was looked at, and results that nobody used, are no part of what a view says.
pub(super) fn views_agree(kept: &View, fresh: &View) -> Result<(), String> {
    if kept.clone().unstamped() == fresh.clone().unstamped() {
        Ok(())
    } else {
        Err("the kept view differs from a fresh one".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn event(number: u32, kind: &str, detail: &Value) -> String {
        let event = json!({"event_id": format!("EV-20260112T143000Z-{number:04}"),
            "ts": "2026-01-12T14:30:00Z", "actor": "x", "type": kind, "detail": detail});
        format!("{event}\n")
    }

    fn held(texts: &[(&str, String)]) -> Result<(), String> {
        let files =
            texts.iter().map(|(path, text)| ((*path).to_owned(), text.clone().into_bytes()));
        documents_hold(&files.collect(), None)
    }

    fn runs(status: &str) -> (&'static str, String) {
        let table = format!(
            "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n|-|-|-|-|-|-|\n| {RUN} | x | {status} | | | |\n"
        );
        (layout::RUNS, table)
    }

    /// How every log of a run begins.
    fn begun() -> String {
        event(1, "RUN_CREATED", &json!({ "run_id": RUN }))
    }

    /// The checks are worth nothing if they cannot fail.
    #[test]
    fn a_task_executed_twice_and_an_end_that_was_not_told_are_found() {
        let task = |number, id: &str| {
            event(number, "TASK_EXECUTED", &json!({"run_id": RUN, "task_id": id}))
        };
        let log = |text: String| (layout::LOG, begun() + &text);
        assert_eq!(held(&[log(task(2, "T05") + &task(3, "T06")), runs("PENDING")]), Ok(()));
        assert!(held(&[log(task(2, "T05") + &task(3, "T05")), runs("PENDING")]).is_err());
        assert!(held(&[log(task(3, "T05") + &task(2, "T06")), runs("PENDING")]).is_err());
        let done = event(2, "RUN_COMPLETED", &json!({"run_id": RUN}));
        assert_eq!(held(&[log(done.clone()), runs("COMPLETED")]), Ok(()));
        assert!(held(&[log(String::new()), runs("COMPLETED")]).is_err());
        assert!(held(&[log(done), runs("PENDING")]).is_err());
    }

    #[test]
    fn a_catalog_that_knows_what_is_not_there_or_one_file_twice_is_found() {
        let row = |path: &str| format!("| {path} | {RUN} | TOOL_OUTPUT | TT01 | x |\n");
        let head = "| file_path | run_id | asset_type | source_task_id | summary |\n|-|-|-|-|-|\n";
        let (one, text) =
            ("outputs/x/a.md", |rows: String| (layout::CATALOG, head.to_owned() + &rows));
        let (file, log) = ((one, "a".to_owned()), (layout::LOG, begun()));
        let all = [runs("PENDING"), log.clone(), text(row(one)), file.clone()];
        assert_eq!(held(&all), Ok(()));
        assert!(held(&all[..3]).is_err());
        assert!(held(&[runs("PENDING"), log, text(row(one) + &row(one)), file]).is_err());
    }
}
