//! What must hold of a session's documents, however it got there.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::docs::session::{
    CritiqueReport, KnowledgeIndex, SessionEvent, SessionEventKind, SessionStatus, Verdict,
};
use hast_flow::flows::session::{View, layout};
use hast_flow::formats::ndjson;
use hast_flow::steps::{StepLine, StepState};

type Files = BTreeMap<String, Vec<u8>>;

/// The log so far is the beginning of the log later.
pub(super) fn history_is_kept(before: &Files, after: &Files) -> Result<(), String> {
    for path in [layout::LOG, layout::CHANGE_LOG] {
        let (Some(before), after) = (before.get(path), after.get(path)) else { continue };
        if !after.is_some_and(|after| after.starts_with(before)) {
            return Err(format!("{path} lost what it said"));
        }
    }
    Ok(())
}

/// The pointer is the fold of the log, knowledge passed, and nothing was executed twice.
pub(super) fn documents_hold(files: &Files) -> Result<(), String> {
    let (events, bad) = log::<SessionEvent>(files, layout::LOG);
    if bad > 0 {
        return Err(format!("{bad} bad lines in the log"));
    }
    let ids: BTreeSet<_> = events.iter().map(|event| event.event_id.clone()).collect();
    if ids.len() != events.len() {
        return Err("an event id is used twice".to_owned());
    }
    if let Some(bytes) = files.get(layout::STATUS) {
        let status: SessionStatus =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if status.last_event_id != events.last().map(|event| event.event_id.clone()) {
            return Err("status.json does not point at the last event".to_owned());
        }
    }
    executed_once(&events)?;
    steps_end_once(files)?;
    only_passed_is_known(files)
}

/// What a view learnt change by change is what a fresh read says.
pub(super) fn views_agree(kept: &View, fresh: &View) -> Result<(), String> {
    let same = kept.life == fresh.life
        && kept.last_event == fresh.last_event
        && kept.events == fresh.events
        && kept.plan == fresh.plan
        && kept.progress == fresh.progress
        && kept.lengths == fresh.lengths
        && kept.manifests == fresh.manifests
        && kept.has_answer == fresh.has_answer
        && kept.index.as_ref().map(|index| &index.value)
            == fresh.index.as_ref().map(|index| &index.value);
    if same { Ok(()) } else { Err("the kept view differs from a fresh one".to_owned()) }
}

fn executed_once(events: &[SessionEvent]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let once = [
        SessionEventKind::TaskStarted,
        SessionEventKind::TaskExecuted,
        SessionEventKind::TaskReviewed,
    ];
    for event in events.iter().filter(|event| once.contains(&event.kind)) {
        let about = (
            format!("{:?}", event.kind),
            event.detail["task_id"].to_string(),
            event.detail["attempt"].to_string(),
        );
        if !seen.insert(about.clone()) {
            return Err(format!("{about:?} happened twice"));
        }
    }
    Ok(())
}

fn steps_end_once(files: &Files) -> Result<(), String> {
    let (lines, _) = log::<StepLine>(files, ".hast/steps.ndjson");
    let mut ended = BTreeSet::new();
    for line in lines.into_iter().filter(|line| line.state == StepState::Finished) {
        if !ended.insert(line.step.clone()) {
            return Err(format!("{} ended twice", line.step));
        }
    }
    Ok(())
}

fn only_passed_is_known(files: &Files) -> Result<(), String> {
    let Some(bytes) = files.get(layout::INDEX) else { return Ok(()) };
    let index: KnowledgeIndex = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    for entry in &index.knowledge {
        let artifact = entry.artifact_path.trim_start_matches('/');
        let attempt = artifact.split("/attempt-").nth(1).and_then(|rest| rest.split('/').next());
        let attempt = attempt.and_then(|number| number.parse().ok()).unwrap_or(1);
        let report = files.get(&layout::report(&entry.source_task_id, attempt));
        let report: Option<CritiqueReport> =
            report.and_then(|bytes| serde_json::from_slice(bytes).ok());
        let passed = report.is_some_and(|report| {
            report.verdict == Verdict::Pass && report.required_fixes.is_empty()
        });
        if !passed || !files.contains_key(artifact) {
            return Err(format!("{} is knowledge without a passed review", entry.id));
        }
    }
    Ok(())
}

fn log<T: serde::de::DeserializeOwned>(files: &Files, path: &str) -> (Vec<T>, usize) {
    let bytes = files.get(path).map_or(&[][..], Vec::as_slice);
    let (values, bad) = ndjson::read(path, bytes);
    (values, bad.len())
}
