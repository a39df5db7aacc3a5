//! The experts of a kernel stand in `brain.yaml`, `experts/index.yaml` and one file for each
//! expert. People edit all of them. hast reads an expert's file again before each of its calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::{Rules, Version};
use crate::document;
use crate::formats::diagnostic::Finding;

/// `brain.yaml`: who plays the fixed parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Brain {
    pub version: Version<1>,
    #[schemars(example = &"OrchestrationEngineExpert")]
    pub engine: String,
    #[schemars(example = &"PlanningExpert")]
    pub planner: String,
    #[schemars(example = &"TaskManagementExpert")]
    pub task_manager: String,
    #[schemars(example = &"ResultSynthesizingExpert")]
    pub synthesizer: String,
}

document!(Brain, "brain", Yaml, Warn);

/// `experts/index.yaml`: the experts that a plan may name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpertIndex {
    pub experts: Vec<IndexEntry>,
}

document!(ExpertIndex, "expert-index", Yaml, Warn, rules index_rules);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexEntry {
    #[schemars(length(min = 1), example = &"ResearchExpert")]
    pub name: String,
    /// What the planner is told about the expert.
    pub role: String,
}

/// `experts/<Name>.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expert {
    #[schemars(length(min = 1), example = &"ResearchExpert")]
    pub name: String,
    pub role: String,
    pub responsibilities: Vec<String>,
    pub instructions: String,
    /// The agent that plays the expert: a name of `ai_tools` or a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Globs, gitignore style, that the expert may change in the project; empty is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    #[serde(default, skip_serializing_if = "ExpertLimits::is_default")]
    pub limits: ExpertLimits,
}

document!(Expert, "expert", Yaml, Warn, rules expert_rules);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExpertLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub timeout_minutes: Option<u32>,
}

impl ExpertLimits {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

fn index_rules(index: &ExpertIndex, rules: &mut Rules<'_>) {
    let tree = rules.tree;
    let nodes = tree.get("experts").map_or(&[][..], |list| list.list());
    for (position, (entry, node)) in index.experts.iter().zip(nodes).enumerate() {
        let earlier =
            index.experts.iter().take(position).position(|other| other.name == entry.name);
        if let Some(first) = earlier.and_then(|earlier| nodes.get(earlier)) {
            let id = entry.name.clone();
            rules.report_with(node, |rules| Finding::DuplicateId {
                id,
                first_line: rules.line(first),
            });
        }
        if !is_name(&entry.name) {
            let (value, example) = (entry.name.clone(), "ResearchExpert".to_owned());
            rules.report(node, Finding::BadForm { value, example });
        }
    }
}

/// The name is a file's name too, and what it may write lies in the project.
fn expert_rules(expert: &Expert, rules: &mut Rules<'_>) {
    if let (Some(node), false) = (rules.tree.get("name"), is_name(&expert.name)) {
        let (value, example) = (expert.name.clone(), "ResearchExpert".to_owned());
        rules.report(node, Finding::BadForm { value, example });
    }
    let tree = rules.tree;
    let nodes = tree.get("writes").map_or(&[][..], |list| list.list());
    for (pattern, node) in expert.writes.iter().zip(nodes) {
        // Nothing outside of the project can be given away.
        if pattern.trim().is_empty() || pattern.split('/').any(|part| part == "..") {
            let (value, example) = (pattern.clone(), "src/**".to_owned());
            rules.report(node, Finding::BadForm { value, example });
        }
    }
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.len() <= 100 && name.chars().all(fits)
}
