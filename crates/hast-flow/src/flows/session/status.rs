//! `status.json` as a fold of the log: what each event makes of the pointer. Written from here,
//! checked from here.

use crate::docs::session::{SessionEventKind as Kind, SessionStatus, SystemStatus};
use crate::flows::session::events::Happened;

/// The pointer before anything happened.
pub fn unborn() -> SessionStatus {
    SessionStatus {
        system_status: SystemStatus::Planning,
        plan_major_version: 1,
        plan_revision: 1,
        current_task_id: None,
        blocked_count: 0,
        last_event_id: None,
    }
}

/// Moves the pointer past an event.
pub fn take(status: &mut SessionStatus, event: &Happened) {
    status.last_event_id = Some(event.event_id.clone());
    let said = event.detail.status;
    let task = || event.detail.task_id.clone();
    let (now, task) = match event.kind {
        Kind::SessionCreated => (SystemStatus::Planning, None),
        Kind::PlanCreated => {
            status.plan_major_version = event.detail.major_version.unwrap_or(1);
            status.plan_revision = event.detail.revision.unwrap_or(1);
            (SystemStatus::Executing, None)
        }
        Kind::PlanRevisionBump => {
            status.plan_revision = event.detail.to.unwrap_or(status.plan_revision + 1);
            (SystemStatus::Executing, None)
        }
        Kind::PlanMajorBump => {
            status.plan_major_version = event.detail.to.unwrap_or(status.plan_major_version + 1);
            status.plan_revision = 1;
            (SystemStatus::Executing, None)
        }
        Kind::TaskStarted | Kind::TaskFailed | Kind::TaskReviewed => {
            (at_work(status, SystemStatus::Executing), task())
        }
        Kind::TaskExecuted => (at_work(status, SystemStatus::Critiquing), task()),
        Kind::SystemBlocked => {
            status.blocked_count += 1;
            (SystemStatus::Blocked, status.current_task_id.take())
        }
        Kind::SystemResumed => (SystemStatus::Executing, status.current_task_id.take()),
        Kind::SessionCompleted => (SystemStatus::Completed, None),
        Kind::SessionFailed => (SystemStatus::Failed, None),
        Kind::KnowledgePromoted
        | Kind::KnowledgeInvalidated
        | Kind::QuestionOpened
        | Kind::QuestionAnswered => return,
    };
    let waits = status.system_status == SystemStatus::Blocked && event.kind != Kind::SystemResumed;
    status.system_status = said.filter(|_| !waits).unwrap_or(now);
    status.current_task_id = task;
}

/// Other lanes come home while a session waits for a person or for its planner; it goes on waiting.
fn at_work(status: &SessionStatus, now: SystemStatus) -> SystemStatus {
    match status.system_status {
        waiting @ (SystemStatus::Blocked | SystemStatus::Replanning) => waiting,
        _ => now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn after(kinds: &[(&str, Value)]) -> SessionStatus {
        let mut status = unborn();
        for (number, (kind, detail)) in kinds.iter().enumerate() {
            let event = json!({"event_id": format!("EV-20260112T143000Z-{number:04}"), "ts": "2026-01-12T14:30:00Z",
                "actor": "x", "type": kind, "detail": detail});
            take(&mut status, &serde_json::from_value::<Happened>(event).unwrap());
        }
        status
    }

    #[test]
    fn the_seeds_revision_bump_moves_the_revision() {
        let status = after(&[
            ("PLAN_MAJOR_BUMP", json!({"to": 2})),
            ("PLAN_REVISION_BUMP", json!({"from": 6, "to": 7, "reason": "T-0007 failed 3 times"})),
        ]);
        assert_eq!((status.plan_major_version, status.plan_revision), (2, 7));
        assert_eq!(status.last_event_id.unwrap().number(), 1);
    }

    #[test]
    fn each_block_is_counted_and_the_task_stays() {
        let status = after(&[
            ("TASK_STARTED", json!({"task_id": "T-0007"})),
            ("SYSTEM_BLOCKED", json!({})),
            ("SYSTEM_RESUMED", json!({"status": "EXECUTING"})),
            ("SYSTEM_BLOCKED", json!({})),
        ]);
        assert_eq!((status.system_status, status.blocked_count), (SystemStatus::Blocked, 2));
        assert_eq!(status.current_task_id.unwrap().as_str(), "T-0007");
    }

    #[test]
    fn a_lane_that_comes_home_does_not_end_the_waiting() {
        let home = ("TASK_EXECUTED", json!({"task_id": "T-0002"}));
        let failed = ("TASK_FAILED", json!({"task_id": "T-0001", "status": "REPLANNING"}));
        let replanning = after(&[failed.clone(), home.clone()]);
        assert_eq!(replanning.system_status, SystemStatus::Replanning);
        let blocked = after(&[("SYSTEM_BLOCKED", json!({})), home, failed]);
        assert_eq!(blocked.system_status, SystemStatus::Blocked);
        let resumed = ("SYSTEM_RESUMED", json!({"status": "REPLANNING"}));
        let again = after(&[("SYSTEM_BLOCKED", json!({})), resumed]);
        assert_eq!(again.system_status, SystemStatus::Replanning);
    }
}
