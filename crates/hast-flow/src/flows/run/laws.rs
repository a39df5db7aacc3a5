//! The tables of a run must agree with each other and with the log. `breaches` reports every
//! contradiction. No single file can show these faults; `verify` calls this module.

use std::collections::{BTreeMap, BTreeSet};

use crate::docs::run::{RunEvent, RunEventKind as Kind, RunStatus, WorkStatus};
use crate::flows::run::told::{Told, run_of};
use crate::flows::run::{View, layout};
use crate::formats::diagnostic::{Diagnostic, Finding};
use crate::formats::ndjson::LogLines;
use crate::formats::source::Source;
use crate::ids::{RunId, Sha256};
use crate::logged::{Counted, Counting};
use crate::written;

/// The log of all runs, segment by segment: what it tells of each, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Logged {
    pub told: BTreeMap<String, Told>,
    pub found: Vec<Diagnostic>,
    /// Files that events tell of.
    pub written: BTreeSet<String>,
    counting: Counting,
}

impl Logged {
    /// Numbers count by one, and what was written once is still what it was.
    pub fn take(&mut self, file: &str, bytes: &[u8], hash: &dyn Fn(&str) -> Option<Sha256>) {
        let text = String::from_utf8_lossy(bytes);
        let source = Source::new(file, &text);
        // A line that is no event was told when the file was checked alone.
        for read in LogLines::whole(file, bytes).typed::<RunEvent>() {
            let Ok((line, event)) = read else {
                self.counting.unread();
                continue;
            };
            if let Counted::Wrong(finding) = self.counting.take(&event.event_id) {
                let place = line.number.map(|number| source.line_place(number));
                self.found.push(Diagnostic { place, ..Diagnostic::of_file(file, finding) });
            }
            written::check(file, &event.detail, hash, &mut self.found);
            let told = written::told(&event.detail).map(|(path, _)| path.to_owned());
            self.written.extend(told);
            if let Some(run) = run_of(&event) {
                self.told.entry(run.to_owned()).or_default().take_event(&event);
            }
        }
    }
}

/// Everything in which a run's documents disagree. `files` are the paths of those that are there, and
/// `told` those that events tell of.
pub fn breaches(
    view: &View,
    run: &RunId,
    files: &BTreeSet<String>,
    told: &BTreeSet<String>,
) -> Vec<Diagnostic> {
    let row = view.runs().and_then(|runs| runs.get(run.as_str())).and_then(Result::ok);
    let mut found = Vec::new();
    let Some(row) = row else {
        let other = layout::RUNS.to_owned();
        let finding = Finding::Contradicts { other, detail: format!("{run}: -") };
        return vec![Diagnostic::of_file(&layout::of_run(run, layout::REQUEST), finding)];
    };
    of_statuses(view, run, row.status, &mut found);
    of_the_log(view, run, row.status, files, &mut found);
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
    of_the_untold(run, files, told, &mut found);
    found
}

/// A request and results were told of, in runs whose log tells of files. What lies beside deliverables, and
/// what keeps a directory, may be anybody's.
fn of_the_untold(
    run: &RunId,
    files: &BTreeSet<String>,
    told: &BTreeSet<String>,
    found: &mut Vec<Diagnostic>,
) {
    let own = layout::of_run(run, "");
    if !told.iter().any(|path| path.starts_with(&own)) {
        return;
    }
    let results = layout::of_run(run, "results/");
    let request = layout::of_run(run, layout::REQUEST);
    let once = |path: &&str| path.starts_with(&results) || *path == request;
    let files = files.iter().map(String::as_str).filter(once);
    written::untold(layout::LOG, &|path| told.contains(path), files, found);
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

/// What the log tells of is in the tables, and the other way round, and its files are there.
fn of_the_log(
    view: &View,
    run: &RunId,
    status: RunStatus,
    files: &BTreeSet<String>,
    found: &mut Vec<Diagnostic>,
) {
    let (own, told) = (&view.own, &view.own.told);
    let mut tell = |name: &str, detail: String| {
        let finding = Finding::Contradicts { other: layout::LOG.to_owned(), detail };
        found.push(Diagnostic::of_file(name, finding));
    };
    if !told.is_begun() {
        return tell(&layout::of_run(run, layout::REQUEST), format!("RUN_CREATED {run}: -"));
    }
    let ended = match status {
        RunStatus::Completed => Some(Kind::RunCompleted),
        RunStatus::Failed => Some(Kind::RunFailed),
        RunStatus::Pending | RunStatus::AwaitingConfirmation => None,
    };
    if told.ended() != ended {
        let word = |kind: Option<Kind>| match kind {
            Some(Kind::RunCompleted) => "RUN_COMPLETED",
            Some(Kind::RunFailed) => "RUN_FAILED",
            _ => "-",
        };
        tell(layout::RUNS, format!("{run}: {}", word(told.ended())));
    }
    for id in told.unfounded(own) {
        tell(&layout::of_run(run, layout::TASKS), format!("{id} COMPLETED: -"));
    }
    for id in told.undone(own) {
        tell(&layout::of_run(run, layout::TASKS), format!("{id} COMPLETED"));
    }
    // A run that was cancelled has one more, and its failure tells of it.
    let (lines, more) = (own.decisions.len(), usize::from(status == RunStatus::Failed));
    if lines < told.decisions() || lines > told.decisions() + more {
        let detail =
            format!("CONFIRMED, MODIFICATION_ASKED, PROPOSAL_OUTDATED: {}", told.decisions());
        tell(&layout::of_run(run, layout::DECISIONS), detail);
    }
    for (kind, because, names) in REQUIRED {
        let lost = names.iter().map(|name| layout::of_run(run, name));
        for path in lost.filter(|path| told.has(*kind) && !files.contains(path)) {
            found.push(written::missing(layout::LOG, &path, because));
        }
    }
}

/// What has to be there once the log says that it was made.
const REQUIRED: &[(Kind, &str, &[&str])] = &[
    (
        Kind::PhaseZeroPlanned,
        "PHASE_ZERO_PLANNED",
        &[layout::PHASES, layout::STAGES, layout::TASKS],
    ),
    (Kind::ToolTasksPlanned, "TOOL_TASKS_PLANNED", &[layout::TOOLS]),
    (Kind::ProposalMade, "PROPOSAL_MADE", &[layout::FEEDBACK, layout::PROPOSED]),
];

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
