//! `hast context --format json` prints this document. It has exactly these fields, and all of them
//! are always there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Nullable;
use crate::docs::goals::HandoffStatus;
use crate::document;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextOutput {
    #[schemars(with = "Nullable<ContextGoal>")]
    pub current_goal: Option<ContextGoal>,
    #[schemars(with = "Nullable<ContextSession>")]
    pub previous_session: Option<ContextSession>,
    pub task: Vec<String>,
    pub context_files: Vec<String>,
    pub rules: Vec<String>,
}

document!(ContextOutput, "context", Json, Reject);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextGoal {
    pub id: String,
    pub title: String,
    #[schemars(with = "Nullable<String>")]
    pub parent: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextSession {
    pub timestamp: String,
    pub status: HandoffStatus,
}
