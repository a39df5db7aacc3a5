//! A kernel logs its events, each with its step of the protocol, and the errors of its requests.
//! The records of a growing plan and of the judgement of a report are defined here too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::docs::document::Nullable;
use crate::document;
use crate::ids::EventId;
use crate::time::UtcTime;

/// One line of `events.ndjson`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelEvent {
    pub event_id: EventId,
    pub ts: UtcTime,
    pub actor: String,
    #[serde(rename = "type")]
    pub kind: KernelEventKind,
    pub detail: Map<String, Value>,
}

document!(KernelEvent, "kernel-event", Ndjson, Keep);

/// What happens in a kernel, in the order of its protocol; the number is the protocol's step.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum KernelEventKind {
    KernelBooting,
    KernelRunning,
    KernelFailed,
    RequestReceived,
    RequestDelegated,
    PlanRequested,
    PlanDrafted,
    PlanRejected,
    PlanSubmitted,
    PlanApproved,
    TaskRequested,
    TaskAnswered,
    SubPlanSubmitted,
    SubPlanMerged,
    StatusRequested,
    StatusUpdated,
    ReplacementRequested,
    MirrorRepaired,
    ReportRequested,
    ReportDrafted,
    ReportRejected,
    ResultDelivered,
    ResponseGiven,
    RequestFailed,
}

impl KernelEventKind {
    /// The step of the protocol that an event stands for.
    pub fn protocol_step(self) -> Option<u32> {
        match self {
            Self::RequestReceived => Some(1),
            Self::RequestDelegated => Some(2),
            Self::PlanRequested => Some(3),
            Self::PlanDrafted => Some(4),
            Self::PlanSubmitted => Some(5),
            Self::PlanApproved => Some(6),
            Self::TaskRequested => Some(7),
            Self::TaskAnswered => Some(8),
            Self::SubPlanSubmitted => Some(9),
            Self::SubPlanMerged => Some(10),
            Self::StatusRequested => Some(11),
            Self::StatusUpdated => Some(12),
            Self::ReportRequested => Some(14),
            Self::ReportDrafted => Some(15),
            Self::ResultDelivered => Some(16),
            Self::ResponseGiven => Some(17),
            Self::KernelBooting
            | Self::KernelRunning
            | Self::KernelFailed
            | Self::PlanRejected
            | Self::ReplacementRequested
            | Self::MirrorRepaired
            | Self::ReportRejected
            | Self::RequestFailed => None,
        }
    }
}

/// One line of a request's `errors.ndjson`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorLine {
    pub ts: UtcTime,
    #[schemars(with = "Nullable<String>")]
    pub task_id: Option<String>,
    pub error: String,
}

document!(ErrorLine, "kernel-error", Ndjson, Keep);

/// How a plan grew: which item took in which, by the ids of the plan before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeRecord {
    pub parent_id: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

document!(MergeRecord, "kernel-merge", Json, Keep);

/// `judgement.json`: whether a report answers the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    pub answers: bool,
    pub reason: String,
}

document!(Judgement, "kernel-judgement", Json, Keep);
