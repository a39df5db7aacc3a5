//! The messages and state of the kernel flow.

mod experts;
mod log;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::{Nullable, Rules};
use crate::document;
use crate::formats::diagnostic::Finding;
use crate::ids::RequestUuid;
use crate::time::UtcTime;

pub use experts::{Brain, Expert, ExpertIndex, ExpertLimits, IndexEntry};
pub use log::{ErrorLine, Judgement, KernelEvent, KernelEventKind, MergeRecord};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelToEngineRequest {
    pub request_id: RequestUuid,
    pub user_request: String,
}

document!(KernelToEngineRequest, "kernel-to-engine-request", Json, Keep);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineToKernelResponse {
    pub request_id: RequestUuid,
    pub status: ResponseStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_report: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_details: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_task_id: Option<String>,
}

document!(EngineToKernelResponse, "engine-to-kernel-response", Json, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResponseStatus {
    Completed,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineToExpertRequest {
    pub task_id: String,
    pub task_description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<serde_json::Map<String, serde_json::Value>>,
}

document!(EngineToExpertRequest, "engine-to-expert-request", Json, Keep);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpertOutput {
    pub task_id: String,
    pub status: ExpertStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<TodoItem>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_details: Option<String>,
}

document!(ExpertOutput, "expert-output", Json, Keep, rules output_rules);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpertStatus {
    Completed,
    NeedsSubPlan,
    Failed,
}

/// `plan.json`: the master plan, or a plan that an expert proposes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelPlan {
    pub todo_list: Vec<TodoItem>,
}

document!(KernelPlan, "kernel-plan", Json, Keep);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TodoItem {
    #[schemars(length(min = 1))]
    pub id: String,
    pub title: String,
    pub description: String,
    pub expert: String,
    pub status: TodoStatus,
    #[serde(default)]
    pub parent_id: Option<String>,
    #[serde(default)]
    pub dependencies: Vec<String>,
    #[serde(default)]
    pub estimated_steps: u32,
    #[serde(default)]
    pub requires_external_data: bool,
    #[serde(default = "top_level")]
    pub depth: u32,
    #[serde(default)]
    pub result_path: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
}

/// `kernel_status.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelStatus {
    pub status: KernelState,
    pub since: UtcTime,
    #[schemars(with = "Nullable<KernelFailure>")]
    pub last_failure: Option<KernelFailure>,
}

document!(KernelStatus, "kernel-status", Json, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum KernelState {
    Booting,
    Running,
    Failed,
}

/// What failed last; a boot that fails has no request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelFailure {
    #[schemars(with = "Nullable<RequestUuid>")]
    pub request_id: Option<RequestUuid>,
    #[schemars(with = "Nullable<String>")]
    pub last_task_id: Option<String>,
    pub error_details: String,
}

fn top_level() -> u32 {
    1
}

/// A sub-plan comes with its plan, a failure with its cause.
fn output_rules(output: &ExpertOutput, rules: &mut Rules<'_>) {
    let missing = match output.status {
        ExpertStatus::NeedsSubPlan if output.plan.is_none() => "plan",
        ExpertStatus::Failed if output.error_details.is_none() => "error_details",
        _ => return,
    };
    if let Some(node) = rules.tree.get("status") {
        rules.report(node, Finding::MissingField { name: missing.to_owned(), example: None });
    }
}
