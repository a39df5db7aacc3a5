//! One line of `.ai/events/events.ndjson`: what `auto` did, and what came of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document;
use crate::ids::EventId;
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GoalsEvent {
    pub event_id: EventId,
    pub ts: UtcTime,
    pub actor: String,
    #[serde(rename = "type")]
    pub kind: GoalsEventKind,
    pub detail: serde_json::Map<String, serde_json::Value>,
}

document!(GoalsEvent, "goals-event", Ndjson, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum GoalsEventKind {
    AutoStarted,
    /// What a dead process left was saved and, unless it says so, rolled back.
    Recovered,
    GoalStarted,
    BaseTested,
    AttemptStarted,
    AttemptInterrupted,
    LimitReached,
    /// A limit, a login, a budget: nothing can go on now, and nothing is spent.
    Stopped,
    AttemptEnded,
    AttemptJudged,
    AttemptSettled,
    GoalDone,
    GoalBlocked,
    GoalsCommitted,
    /// Work that was left in the tree for a person was taken out of it; a ref has it.
    KeptCleared,
    /// What tests or hooks of the last goal left in the tree was taken out of it before the next one
    /// begins; a ref has it.
    TreeCleared,
    Retried,
    /// Somebody other than `auto` gave a goal another status: a worker, or a person.
    StatusSet,
    /// A person decided about something that waited for them.
    InboxActed,
    /// A goal gets a work tree of its own.
    LaneOpened,
    /// An attempt passed and is a commit on the branch of its own tree.
    AttemptPassed,
    /// What passed is about to go onto the user's branch.
    MergeStarted,
    /// The user's branch had moved before that.
    MergeMoved,
    /// The work tree is gone.
    LaneClosed,
    /// A task went out to a worker elsewhere.
    PacketExported,
    /// Its result came in, whole and by its rules; nothing of it counts yet.
    PacketReceived,
    /// What the result brought was judged, and is on the user's branch or on a ref.
    PacketSettled,
    /// The alternatives of a decision are to be tried.
    SpikeStarted,
    SpikeBegun,
    /// An alternative was tried, measured and kept.
    SpikeTried,
    /// All were tried, and somebody has to take one.
    DecisionWaits,
    DecisionMade,
}
