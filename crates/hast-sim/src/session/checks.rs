//! Consistency checks for a session's documents, however the session got there.

use std::collections::BTreeSet;

use hast_flow::docs::session::{
    CritiqueReport, KnowledgeIndex, SessionEvent, SessionEventKind, SessionStatus, Verdict,
};
use hast_flow::flows::session::view::IndexFile;
use hast_flow::flows::session::{View, layout, status};
use hast_flow::steps::Commit;

use crate::flows::holding::{keeps_to, log, numbers_grow, steps_end_once};
use crate::flows::subject::Files;

/// The pointer is the fold of the log, knowledge passed, and nothing was executed twice. What a
/// person wrote over is theirs.
pub(super) fn documents_hold(files: &Files, edited: Option<&str>) -> Result<(), String> {
    let (events, bad) = log::<SessionEvent>(files, layout::LOG);
    let numbers: Vec<u64> = events.iter().map(|event| event.event_id.number()).collect();
    numbers_grow(&numbers, bad)?;
    if edited != Some(layout::STATUS) {
        pointer_is_fold(files, &events)?;
    }
    executed_once(&events)?;
    steps_end_once(files, |_| false)?;
    if edited == Some(layout::INDEX) { Ok(()) } else { only_passed_is_known(files) }
}

fn pointer_is_fold(files: &Files, events: &[SessionEvent]) -> Result<(), String> {
    let Some(bytes) = files.get(layout::STATUS) else { return Ok(()) };
    let told: SessionStatus = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut folded = status::unborn();
    for event in events {
        status::take(&mut folded, &event.clone().into());
    }
    if told == folded { Ok(()) } else { Err("status.json is not what the log says".to_owned()) }
}

/// Section 5 of the seed, written down once more and not from the policy table.
pub(super) fn role_is_kept(commit: &Commit) -> Result<(), String> {
    let riders = [
        "plan/active/status_log.ndjson",
        "status.json",
        "context/state.json",
        "context/sources/",
        "output/artifacts/",
    ];
    let own: &[&str] = match commit.role {
        "Planner" => &["plan/", "execution/questions/"],
        "Executor" => &["execution/run_logs/", "execution/outputs/", "execution/questions/"],
        "Critic" => &["critique/", "context/index.json"],
        "Controller" => &[
            "input/",
            "output/",
            "verdict.md",
            "pointers.json",
            "critique/review_rules.md",
            "execution/questions/",
        ],
        _ => &[],
    };
    keeps_to(commit, own, &riders)
}

/// What a view learnt change by change is what a fresh read says. When a file was looked at, and
/// results that nobody used, are no part of what it says.
pub(super) fn views_agree(kept: &View, fresh: &View) -> Result<(), String> {
    let said = |view: &View| {
        let mut view = view.clone();
        view.results.clear();
        view.contents.clear();
        view.astray.clear();
        view.plan_files.archived = None;
        view.routing.identity = None;
        if let Some(answer) = &mut view.answer {
            answer.identity = None;
        }
        if let Some(status) = &mut view.status {
            status.identity = None;
        }
        if let IndexFile::Read(index) = &mut view.index {
            index.identity = None;
        }
        view
    };
    let (kept, fresh) = (said(kept), said(fresh));
    let parts = [
        ("life", kept.life == fresh.life),
        ("pointer", kept.pointer == fresh.pointer),
        ("plan", kept.plan == fresh.plan),
        ("index", kept.index == fresh.index),
        ("knowledge", kept.knowledge == fresh.knowledge),
        ("lengths", kept.lengths == fresh.lengths),
        ("progress", kept.progress == fresh.progress),
        ("anything", kept == fresh),
    ];
    match parts.iter().find(|(_, same)| !same) {
        Some((part, _)) => Err(format!("the kept view differs from a fresh one: {part}")),
        None => Ok(()),
    }
}

fn executed_once(events: &[SessionEvent]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let once = [
        SessionEventKind::TaskStarted,
        SessionEventKind::TaskExecuted,
        SessionEventKind::TaskReviewed,
    ];
    for event in events.iter().filter(|event| once.contains(&event.kind)) {
        let field = |name: &str| event.detail.get(name).map(ToString::to_string);
        let about = (format!("{:?}", event.kind), field("task_id"), field("attempt"));
        if !seen.insert(about.clone()) {
            return Err(format!("{about:?} happened twice"));
        }
    }
    Ok(())
}

fn only_passed_is_known(files: &Files) -> Result<(), String> {
    let Some(bytes) = files.get(layout::INDEX) else { return Ok(()) };
    let index: KnowledgeIndex = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    for entry in &index.knowledge {
        let artifact = layout::from_session(&entry.artifact_path).trim_start_matches('/');
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

#[cfg(test)]
mod tests {
    use super::*;
    use hast_flow::store::{DocPath, Put};
    use serde_json::{Value, json};

    fn files(texts: &[(&str, String)]) -> Files {
        texts.iter().map(|(path, text)| ((*path).to_owned(), text.clone().into_bytes())).collect()
    }

    fn event(number: u32, kind: &str, detail: &Value) -> String {
        let event = json!({"event_id": format!("EV-20260112T143000Z-{number:04}"),
            "ts": "2026-01-12T14:30:00Z", "actor": "x", "type": kind, "detail": detail});
        format!("{event}\n")
    }

    fn task(attempt: u32) -> Value {
        json!({"task_id": "T-0001", "attempt": attempt})
    }

    /// The checks are worth nothing if they cannot fail.
    #[test]
    fn an_event_id_used_twice_and_a_task_begun_twice_are_found() {
        let first = event(1, "TASK_STARTED", &task(1));
        let held = |log: String| documents_hold(&files(&[(layout::LOG, log)]), None);
        assert_eq!(held(first.clone() + &event(2, "TASK_STARTED", &task(2))), Ok(()));
        assert!(held(first.clone() + &event(1, "TASK_STARTED", &task(2))).is_err());
        assert!(held(first.clone() + &event(2, "TASK_STARTED", &task(1))).is_err());
        assert!(held(first + "nonsense\n").is_err());
    }

    #[test]
    fn a_pointer_that_is_not_the_fold_of_the_log_is_found() {
        let log = event(1, "SESSION_CREATED", &json!({})) + &event(2, "TASK_STARTED", &task(1));
        let status = |task: &str, last: u32| {
            let status = json!({"system_status": "EXECUTING", "plan_major_version": 1, "plan_revision": 1,
                "current_task_id": task, "blocked_count": 0, "last_event_id": format!("EV-20260112T143000Z-{last:04}")});
            let files = files(&[(layout::LOG, log.clone()), (layout::STATUS, status.to_string())]);
            documents_hold(&files, None)
        };
        assert_eq!(status("T-0001", 2), Ok(()));
        assert!(status("T-0002", 2).is_err());
        assert!(status("T-0001", 1).is_err());
    }

    #[test]
    fn a_step_that_ended_twice_is_found() {
        let line = json!({"step": "a", "state": "finished", "at": "2026-01-12T14:30:00Z"});
        let once = format!("{line}\n");
        let held = |text: String| documents_hold(&files(&[(".hast/steps.ndjson", text)]), None);
        assert_eq!(held(once.clone()), Ok(()));
        assert!(held(once.repeat(2)).is_err());
    }

    #[test]
    fn knowledge_without_a_passed_review_is_found() {
        let index = json!({"knowledge": [{"id": "K-0001", "source_task_id": "T-0001", "status": "ACTIVE",
            "artifact_path": "/execution/outputs/T-0001/a.md", "created_at": "2026-01-12T14:30:00Z", "invalidated_by": null}]});
        let report = |verdict: &str, fixes: &[&str]| {
            json!({"task_id": "T-0001", "ts": "2026-01-12T14:30:00Z", "verdict": verdict,
                "findings": [], "required_fixes": fixes})
        };
        let held = |report: Option<Value>| {
            let mut texts = vec![
                (layout::INDEX, index.to_string()),
                ("execution/outputs/T-0001/a.md", "x".to_owned()),
            ];
            texts.extend(report.map(|report| ("critique/reports/T-0001.json", report.to_string())));
            documents_hold(&files(&texts), None)
        };
        assert_eq!(held(Some(report("PASS", &[]))), Ok(()));
        assert!(held(Some(report("FAIL", &[]))).is_err());
        assert!(held(Some(report("PASS", &["fix"]))).is_err());
        assert!(held(None).is_err());
    }

    #[test]
    fn a_write_outside_a_role_is_found() {
        let commit = |role, path| {
            let put = Put::Create { path: DocPath::new(path).unwrap(), bytes: Vec::new() };
            let puts = vec![put];
            let (starts, finishes) = (Vec::new(), Vec::new());
            role_is_kept(&Commit { role, reason: String::new(), puts, starts, finishes })
        };
        assert_eq!(commit("Executor", "execution/outputs/T-0001/a.md"), Ok(()));
        assert_eq!(commit("Executor", "status.json"), Ok(()));
        assert!(commit("Executor", "critique/reports/T-0001.json").is_err());
        assert!(commit("Critic", "execution/outputs/T-0001/a.md").is_err());
        assert!(commit("Nobody", "input/user_input.md").is_err());
    }

    #[test]
    fn a_view_that_forgot_something_is_found() {
        let view = View::default();
        let mut other = view.clone();
        other.answered = 1;
        assert_eq!(views_agree(&view, &view), Ok(()));
        assert!(views_agree(&view, &other).is_err());
    }
}
