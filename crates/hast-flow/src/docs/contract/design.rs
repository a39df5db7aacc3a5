//! A task is designed in two documents. hast writes its objective and scope into
//! `design-brief.yaml`. The architect answers with `design-contract.yaml`: invariants, interfaces,
//! boundaries and files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Author, FileRef};
use crate::docs::document::Version;
use crate::document;
use crate::ids::{ContractTaskId, RequestId, SubtaskId};
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignBrief {
    pub version: Version<1>,
    pub request_id: RequestId,
    pub task_id: ContractTaskId,
    pub created_at: UtcTime,
    pub created_by: Author,
    pub task_name: String,
    pub objective: String,
    pub subtasks: Vec<BriefSubtask>,
    pub completion_criteria: Vec<String>,
    pub scope_in: Vec<String>,
    pub scope_out: Vec<String>,
    pub file_refs: Vec<FileRef>,
}

document!(DesignBrief, "design-brief", Yaml, Reject);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefSubtask {
    pub id: SubtaskId,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignContract {
    pub version: Version<1>,
    pub request_id: RequestId,
    pub task_id: ContractTaskId,
    pub created_at: UtcTime,
    pub created_by: Author,
    pub task_name: String,
    pub invariants: Vec<Invariant>,
    pub interfaces: Vec<Interface>,
    pub boundaries: Vec<Boundary>,
    pub layer_assignments: Vec<LayerAssignment>,
    pub file_refs: Vec<FileRef>,
}

document!(DesignContract, "design-contract", Yaml, Reject);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    #[schemars(example = &"INV-1")]
    pub id: String,
    pub rule: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    pub name: String,
    pub input: InterfaceType,
    pub output: InterfaceType,
    pub contract: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterfaceType {
    #[serde(rename = "type")]
    pub name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<InterfaceField>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterfaceField {
    pub name: String,
    #[serde(rename = "type")]
    pub field_type: String,
}

/// Whether one component may use another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Boundary {
    pub from: String,
    pub to: String,
    pub allowed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayerAssignment {
    pub component: String,
    pub layer: String,
}
