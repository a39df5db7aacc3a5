//! The first calls of a request write two documents: `explored.yaml` about the project, and
//! `task-breakdown.yaml` with its tasks. A rule checks that ids are unique, that each subtask
//! belongs to its task, and that the order names each task once.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Author, Manifest};
use crate::docs::document::{Rules, Version};
use crate::document;
use crate::formats::diagnostic::Finding;
use crate::formats::tree::Node;
use crate::ids::{ContractTaskId, RequestId, SubtaskId};
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explored {
    pub version: Version<1>,
    pub request_id: RequestId,
    pub created_at: UtcTime,
    pub created_by: Author,
    pub project_manifest: Manifest,
    pub explored_files: Vec<ExploredFile>,
    pub directory_structure: IndexMap<String, String>,
}

document!(Explored, "explored", Yaml, Reject);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExploredFile {
    pub path: String,
    pub summary: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskBreakdown {
    pub version: Version<1>,
    pub request_id: RequestId,
    pub created_at: UtcTime,
    pub created_by: Author,
    pub original_request: String,
    pub objective: String,
    #[schemars(length(min = 1))]
    pub tasks: Vec<BreakdownTask>,
    pub assumptions: Vec<String>,
    pub task_order: Vec<ContractTaskId>,
}

document!(TaskBreakdown, "task-breakdown", Yaml, Reject, rules breakdown_rules);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BreakdownTask {
    pub id: ContractTaskId,
    pub name: String,
    pub objective: String,
    #[schemars(length(min = 1))]
    pub subtasks: Vec<BreakdownSubtask>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BreakdownSubtask {
    pub id: SubtaskId,
    pub name: String,
    pub description: String,
}

/// Ids are unique, a subtask belongs to its task, and the order names each task once.
fn breakdown_rules(breakdown: &TaskBreakdown, rules: &mut Rules<'_>) {
    let tree = rules.tree;
    let nodes = tree.get("tasks").map_or(&[][..], |tasks| tasks.list());
    let mut seen: BTreeMap<String, &Node> = BTreeMap::new();
    for (task, node) in breakdown.tasks.iter().zip(nodes) {
        let ids = std::iter::once((task.id.to_string(), node));
        let subtasks = task.subtasks.iter().zip(node.get("subtasks").map_or(&[][..], |n| n.list()));
        for (subtask, node) in subtasks.clone().filter(|(s, _)| !s.id.belongs_to(&task.id)) {
            let finding =
                Finding::NotItsOwner { id: subtask.id.to_string(), owner: task.id.to_string() };
            rules.report(node.get("id").unwrap_or(node), finding);
        }
        for (id, node) in ids.chain(subtasks.map(|(subtask, node)| (subtask.id.to_string(), node)))
        {
            let node = node.get("id").unwrap_or(node);
            match seen.get(&id) {
                Some(first) => rules.report_with(node, |rules| Finding::DuplicateId {
                    id,
                    first_line: rules.line(first),
                }),
                None => {
                    seen.insert(id, node);
                }
            }
        }
    }
    let tasks: BTreeSet<_> = breakdown.tasks.iter().map(|task| task.id.as_str()).collect();
    let ordered: BTreeSet<_> = breakdown.task_order.iter().map(|id| id.as_str()).collect();
    let order = tree.get("task_order").map_or(&[][..], |order| order.list());
    for (id, node) in breakdown.task_order.iter().zip(order) {
        if !tasks.contains(id.as_str()) {
            rules.report(node, Finding::UnknownReference { id: id.to_string() });
        }
    }
    for (task, node) in breakdown.tasks.iter().zip(nodes) {
        if !ordered.contains(task.id.as_str()) {
            let finding =
                Finding::NotInOrder { id: task.id.to_string(), list: "task_order".into() };
            rules.report(node.get("id").unwrap_or(node), finding);
        }
    }
}
