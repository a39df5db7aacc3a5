//! `call.json`: what an agent process is told about the call it answers. A public interface: people
//! write their own agents against it, so fields are added, never changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::{Nullable, Version};
use crate::docs::files::FlowName;
use crate::docs::goals::Language;
use crate::document;
use crate::ids::Sha256;

/// One call: who is asked, where it works, what must come back, and within which limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    pub version: Version<1>,
    pub flow: FlowName,
    #[schemars(example = &"planner")]
    pub role: String,
    #[schemars(example = &"plan")]
    pub step: String,
    /// The id of the goal, task, tool task or item.
    pub unit: String,
    /// Counted from 1.
    #[schemars(range(min = 1))]
    pub attempt: u32,
    /// How often documents of this attempt were asked for again; 0 the first time.
    pub regeneration: u32,
    /// The root of the flow's files, absolute.
    pub root: String,
    /// The directory that the process is started in, absolute.
    pub workdir: String,
    /// An empty directory for the expected documents, absolute.
    pub outbox: String,
    /// The prompt as a file, absolute.
    pub prompt_file: String,
    /// Where a goal's handoff is to be written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_path: Option<String>,
    /// The language of texts for people.
    pub language: Language,
    pub inputs: Vec<CallInput>,
    pub expected: Vec<ExpectedDocument>,
    pub limits: CallLimits,
    /// Absent in calls of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<CallGrants>,
    /// What was wrong with the documents of the call before.
    pub findings: Vec<CallFinding>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// A run's phase, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_task_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask_id: Option<String>,
}

document!(Call, "call", Json, Keep);

/// A file that the agent should read, as it was when the call was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallInput {
    /// Absolute.
    pub path: String,
    pub sha256: Sha256,
}

/// Directories and files that the call may read and write, absolute. Where a path lies below several of
/// them, the longest counts. hast judges afterwards; where there is a sandbox, it holds the call to `write`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallGrants {
    pub read: Vec<String>,
    pub write: Vec<String>,
    /// Not to be written, though it lies below a path of `write`.
    pub closed: Vec<String>,
    /// Not to be read.
    pub hidden: Vec<String>,
}

/// A document that must, or may, be in the outbox when the agent ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedDocument {
    /// The file's name in the outbox.
    #[schemars(example = &"report.json")]
    pub name: String,
    /// The name of its JSON Schema (`hast verify --schema NAME`); null for free text.
    #[schemars(with = "Nullable<String>")]
    pub schema: Option<String>,
    pub required: bool,
}

/// Where hast ends the call; null is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallLimits {
    pub timeout_seconds: u64,
    pub output_bytes: u64,
    #[schemars(with = "Nullable<u64>")]
    pub tokens: Option<u64>,
    #[schemars(with = "Nullable<f64>")]
    pub usd: Option<f64>,
}

/// A finding in a document of the call before, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallFinding {
    pub file: String,
    #[schemars(with = "Nullable<usize>")]
    pub line: Option<usize>,
    pub problem: String,
    pub next: String,
}

/// `failed.json`: the agent gives up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallFailed {
    pub error: String,
}

document!(CallFailed, "call-failed", Json, Keep);

/// `blocked.json`: the agent needs a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallBlocked {
    pub reason: String,
}

document!(CallBlocked, "call-blocked", Json, Keep);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::document::read;
    use crate::formats::source::Source;

    const EXAMPLE: &str = r#"{
  "version": 1,
  "flow": "session",
  "role": "critic",
  "step": "review",
  "unit": "T-0001",
  "attempt": 1,
  "regeneration": 0,
  "root": "/project",
  "workdir": "/project",
  "outbox": "/project/.hast/calls/1/outbox",
  "prompt_file": "/project/.hast/calls/1/prompt.md",
  "language": "ko",
  "inputs": [],
  "expected": [
    {
      "name": "report.json",
      "schema": "critique-report",
      "required": true
    }
  ],
  "limits": {
    "timeout_seconds": 1800,
    "output_bytes": 67108864,
    "tokens": null,
    "usd": 1.5
  },
  "findings": [],
  "session_id": "S-20260112-143000Z",
  "task_id": "T-0001"
}"#;

    #[test]
    fn a_call_prints_back_as_it_was_read() {
        let call = read::<Call>(&Source::new("call.json", EXAMPLE)).unwrap().value;
        assert_eq!(serde_json::to_string_pretty(&call).unwrap(), EXAMPLE);
    }

    #[test]
    fn fields_of_a_newer_hast_are_kept_and_an_unknown_flow_is_a_finding() {
        let newer = EXAMPLE.replacen('{', "{\"new_field\": [1],", 1);
        assert!(read::<Call>(&Source::new("call.json", &newer)).is_ok());
        let wrong = EXAMPLE.replace("\"session\"", "\"sessions\"");
        assert!(read::<Call>(&Source::new("call.json", &wrong)).is_err());
    }
}
