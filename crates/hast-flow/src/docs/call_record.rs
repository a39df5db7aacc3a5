//! `record.json`: what became of one call, beside its prompt and its streams. Without secrets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::call::CallFinding;
use crate::docs::document::{Nullable, Version};
use crate::docs::files::FlowName;
use crate::document;
use crate::time::UtcTime;

/// One call that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallRecord {
    pub version: Version<1>,
    pub flow: FlowName,
    pub role: String,
    pub step: String,
    pub unit: String,
    pub attempt: u32,
    pub regeneration: u32,
    /// The command line, with placeholders for the prompt.
    pub command: String,
    pub started_at: UtcTime,
    pub duration_ms: u64,
    pub exit: RecordedExit,
    pub outcome: RecordedOutcome,
    /// Why it ended so, in the agent's words where it had some.
    pub reason: String,
    /// When a limited agent may be tried again.
    #[schemars(with = "Nullable<UtcTime>")]
    pub resume_at: Option<UtcTime>,
    pub usage: RecordedUsage,
    /// The agent's own id of its session, and what it reported for all of it so far.
    #[schemars(with = "Nullable<String>")]
    pub native_session: Option<String>,
    pub native_usage: RecordedUsage,
    #[schemars(with = "Nullable<String>")]
    pub model: Option<String>,
    /// Tools that were refused.
    pub denials: Vec<String>,
    /// What is wrong with the documents that came back.
    pub findings: Vec<CallFinding>,
}

document!(CallRecord, "call-record", Json, Keep);

/// How the process ended; `code` is the exit code or the signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedExit {
    pub kind: ExitKind,
    #[schemars(with = "Nullable<i32>")]
    pub code: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExitKind {
    NotStarted,
    Exited,
    Signalled,
    TimedOut,
    Stalled,
    Leaked,
    Flooded,
    Cancelled,
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordedOutcome {
    Completed,
    Blocked,
    Limited,
    LoginNeeded,
    Denied,
    Failed,
    NotStarted,
    Cancelled,
}

/// As the agent reported it; null where it did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedUsage {
    #[schemars(with = "Nullable<u64>")]
    pub input_tokens: Option<u64>,
    #[schemars(with = "Nullable<u64>")]
    pub output_tokens: Option<u64>,
    /// The part of the input that came from a cache.
    #[schemars(with = "Nullable<u64>")]
    pub cached_tokens: Option<u64>,
    /// Millionths of a US dollar.
    #[schemars(with = "Nullable<u64>")]
    pub micro_usd: Option<u64>,
}
