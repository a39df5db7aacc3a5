//! Tables of the run flow: the database of a root and of each run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Nullable;
use crate::formats::table::Column;
use crate::ids::{InstructionId, PhaseId, RunId, RunTaskId, StageId, ToolTaskId};
use crate::table_document;

/// Wide enough for every status, so that a status changes in place.
const STATUS_WIDTH: usize = "AWAITING_CONFIRMATION".len();
const WORK_STATUS_WIDTH: usize = "COMPLETED".len();
const POINTER_WIDTH: usize = "current_phase_id".len();

const STATUS: Column = Column::new("status").fixed(WORK_STATUS_WIDTH);

/// `db/process_runs.md`: every run and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessRun {
    pub run_id: RunId,
    pub user_request: String,
    pub status: RunStatus,
    #[schemars(with = "Nullable<PhaseId>")]
    pub current_phase_id: Option<PhaseId>,
    #[schemars(with = "Nullable<StageId>")]
    pub current_stage_id: Option<StageId>,
    #[schemars(with = "Nullable<RunTaskId>")]
    pub current_task_id: Option<RunTaskId>,
}

table_document!(
    ProcessRun,
    "process-runs",
    [
        Column::new("run_id"),
        Column::new("user_request"),
        Column::new("status").fixed(STATUS_WIDTH),
        Column::new("current_phase_id").fixed(POINTER_WIDTH),
        Column::new("current_stage_id").fixed(POINTER_WIDTH),
        Column::new("current_task_id").fixed(POINTER_WIDTH),
    ]
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RunStatus {
    Pending,
    AwaitingConfirmation,
    Completed,
    Failed,
}

/// `db/user_instructions.md`: the constitution and its amendments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UserInstruction {
    pub instruction_id: InstructionId,
    pub run_id: RunId,
    pub instruction_type: String,
    pub content: String,
    pub status: InstructionStatus,
    #[schemars(with = "Nullable<InstructionId>")]
    pub superseded_by_id: Option<InstructionId>,
    #[schemars(with = "Nullable<String>")]
    pub justification: Option<String>,
}

table_document!(
    UserInstruction,
    "user-instructions",
    [
        Column::new("instruction_id"),
        Column::new("run_id"),
        Column::new("instruction_type"),
        Column::new("content"),
        Column::new("status").headed("status (ACTIVE, SUPERSEDED)").fixed("SUPERSEDED".len()),
        Column::new("superseded_by_id").fixed("superseded_by_id".len()),
        Column::new("justification"),
    ]
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum InstructionStatus {
    Active,
    Superseded,
}

/// `db/knowledge_base_catalog.md`: every file that a run may refer to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CatalogRow {
    pub file_path: String,
    #[schemars(with = "Nullable<RunId>")]
    pub run_id: Option<RunId>,
    #[schemars(example = &"ANALYSIS_REPORT")]
    pub asset_type: String,
    /// A core task, a tool task, or nothing for what people brought.
    #[schemars(with = "Nullable<String>")]
    pub source_task_id: Option<String>,
    #[schemars(with = "Nullable<String>")]
    pub summary: Option<String>,
}

table_document!(
    CatalogRow,
    "knowledge-base-catalog",
    [
        Column::new("file_path"),
        Column::new("run_id"),
        Column::new("asset_type"),
        Column::new("source_task_id"),
        Column::new("summary"),
    ]
);

/// `db/templates/default_phases.md`: the phases of every run, respected when people edit it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DefaultPhase {
    pub phase_name: String,
    pub phase_purpose: String,
}

table_document!(
    DefaultPhase,
    "default-phases",
    [Column::new("phase_name"), Column::new("phase_purpose").headed("phase_purpose (범용 목적)"),]
);

/// `runs/{run_id}/db/phases.md`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseRow {
    pub phase_id: PhaseId,
    pub run_id: RunId,
    pub phase_name: String,
    pub phase_purpose: String,
    pub status: WorkStatus,
}

table_document!(
    PhaseRow,
    "phases",
    [
        Column::new("phase_id"),
        Column::new("run_id"),
        Column::new("phase_name"),
        Column::new("phase_purpose"),
        STATUS,
    ]
);

/// The status of a phase, stage, task or tool task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum WorkStatus {
    Pending,
    Completed,
    Failed,
}

/// `runs/{run_id}/db/major_stages.md`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageRow {
    pub stage_id: StageId,
    pub run_id: RunId,
    pub phase_id: PhaseId,
    pub stage_name: String,
    pub stage_goal: String,
    pub execution_order: u32,
    pub status: WorkStatus,
}

table_document!(
    StageRow,
    "major-stages",
    [
        Column::new("stage_id"),
        Column::new("run_id"),
        Column::new("phase_id"),
        Column::new("stage_name"),
        Column::new("stage_goal"),
        Column::new("execution_order"),
        STATUS,
    ]
);

/// `runs/{run_id}/db/tasks.md`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRow {
    pub task_id: RunTaskId,
    pub run_id: RunId,
    pub stage_id: StageId,
    pub task_name: String,
    pub task_purpose: String,
    /// One path a line.
    #[schemars(with = "Nullable<String>")]
    pub related_references: Option<String>,
    #[schemars(with = "Nullable<String>")]
    pub output_path: Option<String>,
    #[schemars(with = "Nullable<String>")]
    pub pre_tool_purpose: Option<String>,
    #[schemars(with = "Nullable<String>")]
    pub post_tool_purpose: Option<String>,
    pub execution_order: u32,
    pub status: WorkStatus,
}

table_document!(
    TaskRow,
    "tasks",
    [
        Column::new("task_id"),
        Column::new("run_id"),
        Column::new("stage_id"),
        Column::new("task_name"),
        Column::new("task_purpose"),
        Column::new("related_references"),
        Column::new("output_path"),
        Column::new("pre_tool_purpose"),
        Column::new("post_tool_purpose"),
        Column::new("execution_order"),
        STATUS,
    ]
);

/// `runs/{run_id}/db/tool_tasks.md`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolTaskRow {
    pub tool_task_id: ToolTaskId,
    pub run_id: RunId,
    pub parent_task_id: RunTaskId,
    pub timing: ToolTiming,
    pub tool_type: String,
    pub tool_task_name: String,
    pub tool_task_purpose: String,
    pub execution_order: u32,
    pub status: WorkStatus,
}

table_document!(
    ToolTaskRow,
    "tool-tasks",
    [
        Column::new("tool_task_id"),
        Column::new("run_id"),
        Column::new("parent_task_id"),
        Column::new("timing").headed("timing (PRE/POST)"),
        Column::new("tool_type"),
        Column::new("tool_task_name"),
        Column::new("tool_task_purpose"),
        Column::new("execution_order"),
        STATUS,
    ]
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ToolTiming {
    Pre,
    Post,
}
