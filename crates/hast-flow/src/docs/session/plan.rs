//! The plan of a session is `decomposition.json` with its tasks, and `metadata.json` about its
//! revision. `replan.json` tells the kind of a revised plan. `state.json` tells the subject of tool
//! calls that omit it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Nullable;
use crate::document;
use crate::ids::TaskId;
use crate::time::UtcTime;

/// `plan/active/decomposition.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decomposition {
    pub major_version: u32,
    pub revision: u32,
    pub tasks: Vec<PlanTask>,
}

document!(Decomposition, "decomposition", Json, Keep);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanTask {
    pub id: TaskId,
    pub title: String,
    #[schemars(range(min = 1))]
    pub level: u32,
    #[schemars(with = "Nullable<TaskId>")]
    pub parent_id: Option<TaskId>,
    pub data_sources: Vec<DataSource>,
    pub deps: Vec<TaskId>,
    pub outputs: Vec<PlanOutput>,
    pub tool_calls: Vec<ToolCall>,
    pub acceptance: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum DataSource {
    Sec,
    Yfinance,
    Web,
    Synthesis,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanOutput {
    /// Relative to the session's root, with a leading slash.
    pub path: String,
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    pub name: String,
    pub args: serde_json::Map<String, serde_json::Value>,
}

/// `plan/active/metadata.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanMetadata {
    pub major_version: u32,
    pub revision: u32,
    pub modification_type: ModificationType,
    pub trigger: String,
    pub last_modified: UtcTime,
}

document!(PlanMetadata, "plan-metadata", Json, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ModificationType {
    Initial,
    Minor,
    Major,
}

/// `replan.json`: what a revised plan is, in the planner's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Replan {
    pub kind: ReplanKind,
    pub reason: String,
}

document!(Replan, "replan", Json, Keep);

/// MINOR mends a plan; MAJOR says that it was logically impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ReplanKind {
    Minor,
    Major,
}

impl ReplanKind {
    /// As documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minor => "MINOR",
            Self::Major => "MAJOR",
        }
    }
}

/// `context/state.json`: what tool calls that omit their subject are about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoutingState {
    #[serde(default)]
    pub ticker: Option<String>,
    #[serde(default)]
    pub company: Option<String>,
    #[serde(default)]
    pub year: Option<i32>,
    #[serde(default)]
    pub min_year: Option<i32>,
}

document!(RoutingState, "routing-state", Json, Keep);
