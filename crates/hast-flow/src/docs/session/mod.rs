//! Documents of the session flow. Fields that a newer hast or a person adds are kept.

mod plan;
mod review;
mod work;

pub use plan::*;
pub use review::*;
pub use work::*;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Nullable;
use crate::document;
use crate::ids::{EventId, KnowledgeId, SessionId, TaskId};
use crate::time::UtcTime;

/// `status.json`: the current pointer, a fold of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStatus {
    pub system_status: SystemStatus,
    pub plan_major_version: u32,
    pub plan_revision: u32,
    #[schemars(with = "Nullable<TaskId>")]
    pub current_task_id: Option<TaskId>,
    pub blocked_count: u32,
    #[schemars(with = "Nullable<EventId>")]
    pub last_event_id: Option<EventId>,
}

document!(SessionStatus, "session-status", Json, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SystemStatus {
    Planning,
    Executing,
    Critiquing,
    Replanning,
    Blocked,
    Completed,
    Failed,
}

/// One line of `status_log.ndjson`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionEvent {
    pub event_id: EventId,
    pub ts: UtcTime,
    pub actor: String,
    #[serde(rename = "type")]
    pub kind: SessionEventKind,
    pub detail: serde_json::Map<String, serde_json::Value>,
}

document!(SessionEvent, "session-event", Ndjson, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SessionEventKind {
    SessionCreated,
    PlanCreated,
    PlanRevisionBump,
    PlanMajorBump,
    TaskStarted,
    TaskExecuted,
    TaskFailed,
    TaskReviewed,
    KnowledgePromoted,
    KnowledgeInvalidated,
    QuestionOpened,
    QuestionAnswered,
    SystemBlocked,
    SystemResumed,
    SessionCompleted,
    SessionFailed,
}

/// `pointers.json`: from the view of inputs and outputs to the state behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pointers {
    pub status: String,
    pub plan: String,
    #[schemars(with = "Nullable<String>")]
    pub critique_report: Option<String>,
    pub context_index: String,
}

document!(Pointers, "pointers", Json, Keep);

/// `output/summary.json`: what a finished session cost and kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSummary {
    pub session_id: SessionId,
    pub status: SystemStatus,
    pub plan_major_version: u32,
    pub plan_revision: u32,
    pub tasks: TaskCounts,
    pub knowledge_ids: Vec<KnowledgeId>,
    pub duration_seconds: u64,
    pub usage: SummaryUsage,
}

document!(SessionSummary, "session-summary", Json, Keep);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskCounts {
    pub total: u32,
    pub passed: u32,
    pub failed: u32,
}

/// Tokens as the agents reported them; `null` where none did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryUsage {
    #[schemars(with = "Nullable<u64>")]
    pub input_tokens: Option<u64>,
    #[schemars(with = "Nullable<u64>")]
    pub output_tokens: Option<u64>,
}
