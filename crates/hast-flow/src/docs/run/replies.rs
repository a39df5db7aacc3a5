//! The planner and the executor of a run reply with these documents: mode, instructions, stages,
//! tasks, tool tasks and result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document;
use crate::ids::InstructionId;

/// `mode.json`: whether a request needs a run at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModeReply {
    pub mode: ModeAnswer,
}

document!(ModeReply, "run-mode", Json, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ModeAnswer {
    SimpleTask,
    Structured,
}

/// `instructions.json`: the constitution that is proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ProposedInstructions(#[schemars(length(min = 1))] pub Vec<ProposedInstruction>);

document!(ProposedInstructions, "run-instructions", Json, Keep);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedInstruction {
    #[schemars(length(min = 1))]
    pub instruction_type: String,
    #[schemars(length(min = 1))]
    pub content: String,
    /// ACTIVE instructions that this one takes the place of.
    #[serde(default)]
    pub supersedes: Vec<InstructionId>,
    #[serde(default)]
    pub justification: Option<String>,
}

/// `stages.json`: the stages of a phase, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ProposedStages(#[schemars(length(min = 1))] pub Vec<ProposedStage>);

document!(ProposedStages, "run-stages", Json, Keep);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedStage {
    #[schemars(length(min = 1))]
    pub stage_name: String,
    #[schemars(length(min = 1))]
    pub stage_goal: String,
}

/// `tasks.json`: the tasks of a stage, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ProposedTasks(#[schemars(length(min = 1))] pub Vec<ProposedTask>);

document!(ProposedTasks, "run-tasks", Json, Keep);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedTask {
    #[schemars(length(min = 1))]
    pub task_name: String,
    #[schemars(length(min = 1))]
    pub task_purpose: String,
    /// Files that the task rests on; without evidence there is no task.
    pub related_references: Vec<String>,
    #[schemars(length(min = 1))]
    pub output_path: String,
    #[serde(default)]
    pub pre_tool_purpose: Option<String>,
    #[serde(default)]
    pub post_tool_purpose: Option<String>,
}

/// `tool_tasks.json`: what is done before or after a core task, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ProposedToolTasks(#[schemars(length(min = 1))] pub Vec<ProposedToolTask>);

document!(ProposedToolTasks, "run-tool-tasks", Json, Keep);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedToolTask {
    #[schemars(length(min = 1), example = &"Web Search")]
    pub tool_type: String,
    #[schemars(length(min = 1))]
    pub tool_task_name: String,
    #[schemars(length(min = 1))]
    pub tool_task_purpose: String,
}

/// `result.json`: what the executor says about a task that it did, or could not do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskResult {
    #[serde(default)]
    pub summary: String,
    /// Whether tools have to follow; omitted, where the plan gives them a purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_tool_required: Option<bool>,
    /// Why it could not be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

document!(TaskResult, "run-task-result", Json, Keep);
