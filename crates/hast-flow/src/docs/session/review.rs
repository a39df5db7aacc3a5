//! The critic's report on a task, and the index of the knowledge that came from tasks that passed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Nullable;
use crate::document;
use crate::ids::{KnowledgeId, Sha256, TaskId};
use crate::time::UtcTime;

/// `critique/reports/T-0007.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CritiqueReport {
    pub task_id: TaskId,
    pub ts: UtcTime,
    pub verdict: Verdict,
    pub findings: Vec<ReviewFinding>,
    pub required_fixes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<AcceptanceCheck>>,
}

document!(CritiqueReport, "critique-report", Json, Keep);

/// `report.json` as the critic writes it; task and time are known better by hast.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CritiqueDraft {
    pub verdict: Verdict,
    pub findings: Vec<ReviewFinding>,
    pub required_fixes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<AcceptanceCheck>>,
}

document!(CritiqueDraft, "critique-draft", Json, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    Pass,
    Fail,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewFinding {
    #[schemars(example = &"HIGH")]
    pub severity: String,
    pub detail: String,
}

/// One answer per acceptance line of the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptanceCheck {
    pub acceptance: String,
    pub met: bool,
    pub evidence: String,
}

/// `context/index.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnowledgeIndex {
    pub knowledge: Vec<KnowledgeEntry>,
}

document!(KnowledgeIndex, "knowledge-index", Json, Keep);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnowledgeEntry {
    pub id: KnowledgeId,
    pub source_task_id: TaskId,
    pub artifact_path: String,
    pub status: KnowledgeStatus,
    pub created_at: UtcTime,
    #[schemars(with = "Nullable<String>")]
    pub invalidated_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Sha256>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum KnowledgeStatus {
    Active,
    Invalidated,
}
