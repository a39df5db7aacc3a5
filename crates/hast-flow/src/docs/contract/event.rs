//! Events of the contract flow tell the history of its requests, one line of `events.ndjson` each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::document;
use crate::ids::EventId;
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContractEvent {
    pub event_id: EventId,
    pub ts: UtcTime,
    pub actor: String,
    #[serde(rename = "type")]
    pub kind: ContractEventKind,
    pub detail: Map<String, Value>,
}

document!(ContractEvent, "contract-event", Ndjson, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ContractEventKind {
    RequestStarted,
    /// `explored.yaml` is there.
    Explored,
    /// `task-breakdown.yaml` is there; a second one takes the place of the first.
    BrokenDown,
    /// The assumptions of the breakdown were compared with what was explored.
    Merged,
    /// Tasks and subtasks are known; the task loop begins.
    TasksLaidOut,
    TaskStarted,
    Designed,
    SubtaskStarted,
    AttemptStarted,
    /// An attempt was cut off and counts for nothing.
    AttemptInterrupted,
    /// The tests and their contract are written.
    TestsWritten,
    /// The implementer has ended.
    WorkEnded,
    GatePassed,
    GateFailed,
    /// A commit was made in the user's repository.
    Committed,
    /// The suite was run for the verification.
    Tested,
    /// Back to tests, implementation or design: the next round begins.
    SentBack,
    SubtaskCompleted,
    TaskCompleted,
    RequestCompleted,
    RequestStopped,
    RequestResumed,
    /// A person decided about an item of the inbox.
    InboxActed,
    KnowledgeLearned,
    /// Somebody else changed documents of hast; they are as they were again.
    DocumentsRestored,
}
