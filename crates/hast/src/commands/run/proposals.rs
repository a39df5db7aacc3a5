//! Proposals of runs and what became of them, from small files alone: status and inbox look here.

use hast_flow::docs::run::{DecisionLine, ProcessRun, RunRequest, RunStatus};
use hast_flow::flows::run::layout;
use hast_flow::formats::ndjson;
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::formats::table::read_rows;
use hast_flow::ids::RunId;
use hast_flow::time::UtcTime;
use hast_world::root_path::RootPath;

use super::reading;

/// Runs that are over and still looked at, the newest.
const REMEMBERED: usize = 50;
/// Largest file of a run that is read for a glance.
const MAX_BYTES: usize = 1 << 20;

/// A proposal, the request it is for, and what was decided.
pub(crate) struct Proposal {
    pub(crate) run: RunId,
    pub(crate) number: u32,
    pub(crate) request: String,
    pub(crate) made_after: UtcTime,
    pub(crate) decided: Option<DecisionLine>,
}

/// All runs, in the order of the table; none where it cannot be read.
pub(crate) fn rows(root: &RootPath) -> Vec<ProcessRun> {
    let bytes = root.join(layout::RUNS).read_if_there(MAX_DOCUMENT_BYTES).ok().flatten();
    let bytes = bytes.unwrap_or_default();
    let source = Source::from_bytes(layout::RUNS, &bytes).ok();
    source.and_then(|source| read_rows(&source).ok()).unwrap_or_default()
}

/// The proposals of runs that are open, and of those that ended last.
pub(crate) fn proposals(root: &RootPath) -> Vec<Proposal> {
    let rows = rows(root);
    let old = rows.len().saturating_sub(REMEMBERED);
    let looked_at = |(at, row): &(usize, &ProcessRun)| *at >= old || reading::is_open(row);
    rows.iter().enumerate().filter(looked_at).flat_map(|(_, row)| of_run(root, row)).collect()
}

/// Those of one run, the oldest first.
pub(crate) fn of_run(root: &RootPath, row: &ProcessRun) -> Vec<Proposal> {
    let run = &row.run_id;
    let read = |name: &str| {
        let place = root.join(layout::of_run(run, name));
        place.read_if_there(MAX_BYTES).ok().flatten()
    };
    let request = read(layout::REQUEST).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(request): Option<RunRequest> = request else { return Vec::new() };
    let lines = read(layout::DECISIONS).unwrap_or_default();
    let decisions: Vec<DecisionLine> = ndjson::read(layout::DECISIONS, &lines).0;
    let mut made_after = request.created_at;
    let mut all = Vec::new();
    let mut add = |number, made_after, decided| {
        let (run, request) = (run.clone(), request.user_request.clone());
        all.push(Proposal { run, number, request, made_after, decided });
    };
    for line in decisions {
        let at = line.ts;
        add(line.proposal, made_after, Some(line));
        made_after = at;
    }
    if row.status == RunStatus::AwaitingConfirmation {
        add(newest(root, run), made_after, None);
    }
    all
}

/// The number of the proposal on the table: earlier ones are kept beside it.
fn newest(root: &RootPath, run: &RunId) -> u32 {
    let files = root.join(layout::of_run(run, "")).names().unwrap_or_default();
    let earlier =
        (1..).take_while(|number| files.contains(&layout::earlier(layout::FEEDBACK, *number)));
    earlier.last().unwrap_or(0) + 1
}

/// The words of the proposal on the table.
pub(crate) fn words(root: &RootPath, run: &RunId) -> String {
    let place = root.join(layout::of_run(run, layout::FEEDBACK));
    let bytes = place.read_if_there(MAX_BYTES).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
