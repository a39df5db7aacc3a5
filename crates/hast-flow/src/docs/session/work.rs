//! The work of a session is recorded in run logs, source records and artifact manifests. Questions
//! to people and their answers are defined here too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Nullable;
use crate::document;
use crate::ids::{QuestionId, Sha256, TaskId};
use crate::time::UtcTime;

/// One line of `execution/run_logs/<day>.ndjson`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunLogLine {
    pub ts: UtcTime,
    pub task_id: TaskId,
    pub actor: String,
    pub action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<serde_json::Map<String, serde_json::Value>>,
    pub result: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// What was fetched, by its name in `context/sources/`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceRecord>,
}

document!(RunLogLine, "run-log", Ndjson, Keep);

/// `context/sources/<sha256>.json`: where and when the raw answer beside it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceRecord {
    pub sha256: Sha256,
    pub url: String,
    pub fetched_at: UtcTime,
    pub media: String,
    pub bytes: u64,
}

document!(SourceRecord, "source-record", Json, Keep);

/// `artifact_manifest.json` beside a task's outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactManifest {
    pub task_id: TaskId,
    pub created_at: UtcTime,
    pub artifacts: Vec<Artifact>,
}

document!(ArtifactManifest, "artifact-manifest", Json, Keep);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    pub source_path: String,
    pub artifact: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub sha256: Sha256,
}

/// `execution/questions/Q-....json`; never changed once asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    pub id: QuestionId,
    #[schemars(with = "Nullable<TaskId>")]
    pub task_id: Option<TaskId>,
    pub ts: UtcTime,
    pub question: String,
    pub status: QuestionStatus,
    /// The file that the question is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

document!(Question, "question", Json, Keep);

/// `Q-....answer.json`, beside the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    pub id: QuestionId,
    pub ts: UtcTime,
    pub answer: String,
    pub status: QuestionStatus,
    /// Who decided, where they said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<String>,
}

document!(Answer, "answer", Json, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum QuestionStatus {
    Open,
    Answered,
}
