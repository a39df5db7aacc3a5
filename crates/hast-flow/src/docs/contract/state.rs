//! `session.json` and `state.json`: where a project and its request are.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Manifest, Project};
use crate::docs::document::{Nullable, Rules, Version};
use crate::document;
use crate::formats::diagnostic::Finding;
use crate::formats::tree::Field;
use crate::ids::{ContractTaskId, RequestId, SubtaskId};
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContractSession {
    pub version: Version<1>,
    pub project: Project,
    pub status: RequestStatus,
    #[schemars(with = "Nullable<ContractTaskId>")]
    pub current_task: Option<ContractTaskId>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
    pub manifest: Manifest,
}

document!(ContractSession, "contract-session", Json, Reject);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContractState {
    pub version: Version<2>,
    pub request: RequestState,
    pub tasks: IndexMap<ContractTaskId, TaskState>,
    pub task_order: Vec<ContractTaskId>,
}

document!(ContractState, "contract-state", Json, Reject, rules state_rules);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestState {
    pub id: RequestId,
    pub original_request: String,
    pub status: RequestStatus,
    #[schemars(with = "Nullable<ContractTaskId>")]
    pub current_task: Option<ContractTaskId>,
    pub global_phase: GlobalPhase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestStatus {
    Active,
    Completed,
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GlobalPhase {
    GlobalDiscovery,
    TaskLoop,
    Complete,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskState {
    pub name: String,
    pub status: WorkStatus,
    #[schemars(with = "Nullable<SubtaskId>")]
    pub current_subtask: Option<SubtaskId>,
    pub subtasks: IndexMap<SubtaskId, SubtaskState>,
    pub subtask_order: Vec<SubtaskId>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkStatus {
    Pending,
    InProgress,
    Completed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubtaskState {
    pub name: String,
    pub status: WorkStatus,
    pub phase: SubtaskPhase,
    pub gates: Gates,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubtaskPhase {
    TestFirst,
    Implementation,
    Verification,
    Complete,
}

/// A checklist subtask has the first two gates only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gates {
    #[serde(rename = "GATE-1")]
    pub gate_1: GateStatus,
    #[serde(rename = "GATE-2")]
    pub gate_2: GateStatus,
    #[serde(rename = "GATE-3", default, skip_serializing_if = "Option::is_none")]
    pub gate_3: Option<GateStatus>,
    #[serde(rename = "GATE-4", default, skip_serializing_if = "Option::is_none")]
    pub gate_4: Option<GateStatus>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateStatus {
    Pending,
    Passed,
    Failed,
}

/// Subtasks stand under their own task, and what is current exists. The orders may name tasks and
/// subtasks that have not begun, as the seed's own example does.
fn state_rules(state: &ContractState, rules: &mut Rules<'_>) {
    let tree = rules.tree;
    let nodes = tree.get("tasks").map_or(&[][..], |tasks| tasks.fields());
    for ((task_id, task), Field { node, .. }) in state.tasks.iter().zip(nodes) {
        let named = task.subtasks.keys().zip(node.get("subtasks").map_or(&[][..], |n| n.fields()));
        let ordered = task.subtask_order.iter();
        let ordered = ordered.zip(node.get("subtask_order").map_or(&[][..], |n| n.list()));
        let nodes = named.map(|(id, field)| (id, &field.node)).chain(ordered);
        for (subtask, node) in nodes.filter(|(subtask, _)| !subtask.belongs_to(task_id)) {
            let finding =
                Finding::NotItsOwner { id: subtask.to_string(), owner: task_id.to_string() };
            rules.report(node, finding);
        }
    }
    let current = tree.get("request").and_then(|request| request.get("current_task"));
    if let (Some(id), Some(node)) = (&state.request.current_task, current)
        && !state.task_order.contains(id)
    {
        rules.report(node, Finding::UnknownReference { id: id.to_string() });
    }
}
