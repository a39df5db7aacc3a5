//! A run records more than its tables: its beginning, the person's decisions, its failure report,
//! and its events. These are the documents for that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::docs::document::{Nullable, Version};
use crate::document;
use crate::ids::{EventId, PhaseId, RunId, RunTaskId, StageId, ToolTaskId};
use crate::time::UtcTime;

/// How a request is worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RunMode {
    SimpleTask,
    InitialRun,
    ContinuousRun,
}

/// `runs/{run_id}/run.json`: how a run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunRequest {
    pub version: Version<1>,
    pub run_id: RunId,
    pub mode: RunMode,
    pub user_request: String,
    pub created_at: UtcTime,
    /// Runs of the past that it learns from, the most similar first.
    pub learning_context: Vec<RunId>,
    /// The person confirmed any proposal when the run was started.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirmed_unseen: bool,
}

document!(RunRequest, "run-request", Json, Keep);

/// One line of `runs/{run_id}/decisions.ndjson`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionLine {
    pub ts: UtcTime,
    /// The proposal it is about, from 1.
    pub proposal: u32,
    pub decision: Decision,
    #[schemars(with = "Nullable<String>")]
    pub text: Option<String>,
    /// Who decided, where they said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
}

document!(DecisionLine, "run-decision", Ndjson, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Decision {
    Confirm,
    Modify,
    Cancel,
    /// The instructions changed since the proposal was made: a new one is needed.
    Outdated,
}

/// Where in a run something is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    #[schemars(with = "Nullable<PhaseId>")]
    pub phase_id: Option<PhaseId>,
    #[schemars(with = "Nullable<StageId>")]
    pub stage_id: Option<StageId>,
    #[schemars(with = "Nullable<RunTaskId>")]
    pub task_id: Option<RunTaskId>,
    #[schemars(with = "Nullable<ToolTaskId>")]
    pub tool_task_id: Option<ToolTaskId>,
}

/// `runs/{run_id}/failure.json`: the failure report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunFailure {
    pub version: Version<1>,
    pub run_id: RunId,
    pub at: UtcTime,
    /// Who failed: Planner, Executor, or the person who cancelled.
    pub agent: String,
    /// The step that failed, as calls name it.
    pub step: String,
    pub place: Place,
    /// What it was for.
    pub purpose: String,
    pub error: String,
}

document!(RunFailure, "run-failure", Json, Keep);

/// One line of `db/events.ndjson`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunEvent {
    pub event_id: EventId,
    pub ts: UtcTime,
    pub actor: String,
    #[serde(rename = "type")]
    pub kind: RunEventKind,
    pub detail: Map<String, Value>,
}

document!(RunEvent, "run-event", Ndjson, Keep);

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RunEventKind {
    RunCreated,
    PhaseZeroPlanned,
    PhaseStarted,
    StagesPlanned,
    StageStarted,
    TasksPlanned,
    TaskStarted,
    ToolTasksPlanned,
    ToolTaskCompleted,
    TaskExecuted,
    TaskCompleted,
    StageCompleted,
    PhaseCompleted,
    ProposalMade,
    Confirmed,
    ModificationAsked,
    ProposalOutdated,
    DeliverablesPublished,
    RunCompleted,
    RunFailed,
}
