//! Documents of the run flow: the tables that are its database, what planner and executor answer,
//! and what is written down about a run.

mod log;
mod replies;
mod tables;

pub use log::{
    Decision, DecisionLine, Place, RunEvent, RunEventKind, RunFailure, RunMode, RunRequest,
};
pub use replies::{
    ModeAnswer, ModeReply, ProposedInstruction, ProposedInstructions, ProposedStage,
    ProposedStages, ProposedTask, ProposedTasks, ProposedToolTask, ProposedToolTasks, TaskResult,
};
pub use tables::{
    CatalogRow, DefaultPhase, InstructionStatus, PhaseRow, ProcessRun, RunStatus, StageRow,
    TaskRow, ToolTaskRow, ToolTiming, UserInstruction, WorkStatus,
};
