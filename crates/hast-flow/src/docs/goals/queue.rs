//! One line of `.ai/queue/queue.ndjson`: who may work on which goal until when. The fold of the
//! lines is the queue.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::docs::goals::{GoalPhase, GoalStatus};
use crate::document;
use crate::ids::{EventId, LAST_NUMBER};
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueEvent {
    pub event_id: EventId,
    pub ts: UtcTime,
    pub actor: String,
    #[serde(rename = "type")]
    pub kind: QueueEventKind,
    pub detail: QueueDetail,
}

document!(QueueEvent, "queue-event", Ndjson, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum QueueEventKind {
    /// A new file begins with what was active at the end of the one before.
    Carried,
    Claimed,
    Renewed,
    Released,
    Expired,
    Refused,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueDetail {
    /// The claims that it is about, as they are after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// The greatest fence that was ever given.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "some_fence")]
    #[schemars(range(max = LAST_NUMBER))]
    pub last_fence: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_status: Option<GoalStatus>,
    /// Why a worker did not get what it asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// A right to work on a goal until a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    #[schemars(example = &"QCLM_0123456789ab")]
    pub claim_id: String,
    pub goal_id: String,
    pub worker_id: String,
    pub role: QueueLane,
    pub status: ClaimStatus,
    pub created_at: UtcTime,
    pub expires_at: UtcTime,
    pub idempotency_key: Option<String>,
    /// Greater than that of every claim before it: tells a late worker from the one after it.
    #[serde(deserialize_with = "fence")]
    #[schemars(range(max = LAST_NUMBER))]
    pub fence: u64,
}

/// One that cannot be counted on from was never given: its line is damaged.
fn fence<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(deserializer)?;
    let too_great = || de::Error::custom(format!("{number} is more than {LAST_NUMBER}"));
    if number <= LAST_NUMBER { Ok(number) } else { Err(too_great()) }
}

fn some_fence<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    fence(deserializer).map(Some)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClaimStatus {
    Active,
    Released,
    Expired,
}

impl ClaimStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Released => "released",
            Self::Expired => "expired",
        }
    }
}

/// What a worker is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QueueLane {
    Implement,
    Test,
    Verify,
}

impl QueueLane {
    pub const ALL: [Self; 3] = [Self::Implement, Self::Test, Self::Verify];

    /// The lane of a goal, from its phase.
    pub fn of(phase: Option<GoalPhase>) -> Self {
        match phase {
            None | Some(GoalPhase::Plan | GoalPhase::Implement) => Self::Implement,
            Some(GoalPhase::Adversarial) => Self::Test,
            Some(GoalPhase::Gate | GoalPhase::Review) => Self::Verify,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Implement => "implement",
            Self::Test => "test",
            Self::Verify => "verify",
        }
    }
}
