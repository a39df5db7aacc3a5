//! `auto.lock`: who drives a work tree, since when and from which commit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document;
use crate::time::OffsetTime;

/// A lock with only the first three fields is valid: older tools write no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AutoLock {
    pub pid: u32,
    pub started_at: OffsetTime,
    pub base_commit: String,
    /// When the process started, in the kernel's clock ticks: a pid alone can be used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_start: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
}

document!(AutoLock, "auto-lock", Yaml, Keep);
