//! Documents of the contract flow. All of them are strict: a field that is not here is refused.

mod design;
mod discovery;
mod event;
mod knowledge;
mod replies;
mod state;
mod testing;

pub use design::*;
pub use discovery::*;
pub use event::*;
pub use knowledge::*;
pub use replies::*;
pub use state::*;
pub use testing::*;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Nullable;
use crate::formats::yaml_print::Layout;
use crate::ids::{ContractTaskId, ProjectHash, SubtaskId};

/// How all contract YAML is spread over lines.
pub const LAYOUT: Layout = Layout {
    tight: Some(&[
        "version",
        "request_id",
        "task_id",
        "subtask_id",
        "created_at",
        "created_by",
        "project",
        "objective",
    ]),
    spaced: &["tasks", "test_cases"],
    inline: &["task_order"],
    plain: |key, text| match key {
        "request_id" | "task_id" | "subtask_id" | "created_by" => true,
        "id" => text.parse::<ContractTaskId>().is_ok() || text.parse::<SubtaskId>().is_ok(),
        _ => false,
    },
};

/// The agent that made a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Author {
    CodeExplore,
    Planner,
    Orchestrator,
    Architect,
    QaEngineer,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Project {
    pub path: String,
    pub name: String,
    pub hash: ProjectHash,
}

/// Paths of the instruction files that a project has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    #[schemars(with = "Nullable<String>")]
    pub claude_md: Option<String>,
    #[schemars(with = "Nullable<String>")]
    pub agents_md: Option<String>,
}

/// A file that a task makes, changes or relies on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileRef {
    pub entity: String,
    pub path: String,
    pub status: FileStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    ToCreate,
    ToModify,
    Existing,
}
