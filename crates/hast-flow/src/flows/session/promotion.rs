//! Only what passed becomes knowledge: the gate between a review and the index.

use sha2::{Digest, Sha256 as Hasher};

use crate::docs::session::{
    ArtifactManifest, CritiqueReport, KnowledgeEntry, KnowledgeIndex, KnowledgeStatus, PlanTask,
    Verdict,
};
use crate::gates::{Evidence, Outcome, Passed};
use crate::ids::{KnowledgeId, Sha256};
use crate::time::UtcTime;

/// What a task made, ready to be promoted if its gate lets it through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifacts {
    pub manifest: ArtifactManifest,
}

/// Mechanical checks first, then the critic's word. A critic cannot pass what has open fixes,
/// an acceptance line not met, or an output missing.
pub fn evidence(task: &PlanTask, artifacts: &Artifacts, report: &CritiqueReport) -> Evidence {
    let made = &artifacts.manifest.artifacts;
    let missing: Vec<&str> = task
        .outputs
        .iter()
        .filter_map(|output| output.path.rsplit('/').next())
        .filter(|name| {
            !made.iter().any(|artifact| artifact.artifact.ends_with(&format!("/{name}")))
        })
        .collect();
    let unmet = report.checks.iter().flatten().filter(|check| !check.met).count();
    Evidence::default()
        .with(
            "outputs",
            Outcome::of(missing.is_empty(), || format!("missing {}", missing.join(", "))),
        )
        .with(
            "verdict",
            Outcome::of(report.verdict == Verdict::Pass, || "the critic says FAIL".to_owned()),
        )
        .with(
            "required fixes",
            Outcome::of(report.required_fixes.is_empty(), || report.required_fixes.join("; ")),
        )
        .with("acceptance", Outcome::of(unmet == 0, || format!("{unmet} lines are not met")))
}

/// One entry an artifact. Takes only what a gate let through.
pub fn promote(passed: &Passed<Artifacts>, index: &KnowledgeIndex, now: UtcTime) -> KnowledgeIndex {
    let mut index = index.clone();
    let manifest = &passed.subject().manifest;
    for artifact in &manifest.artifacts {
        let number = index.knowledge.last().map_or(0, |entry| entry.id.number()) + 1;
        index.knowledge.push(KnowledgeEntry {
            id: KnowledgeId::new(number),
            source_task_id: manifest.task_id.clone(),
            artifact_path: artifact.artifact.clone(),
            status: KnowledgeStatus::Active,
            created_at: now,
            invalidated_by: None,
            sha256: Some(artifact.sha256.clone()),
        });
    }
    index
}

/// The hash of a content, as documents print it.
pub fn sha256(bytes: &[u8]) -> Option<Sha256> {
    let hex: String = Hasher::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    hex.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::gate;
    use serde_json::json;

    fn sample(report: &serde_json::Value) -> (PlanTask, Artifacts, CritiqueReport) {
        let task = json!({
            "id": "T-0001", "title": "t", "level": 1, "parent_id": null, "data_sources": ["SYNTHESIS"],
            "deps": [], "outputs": [{"path": "/execution/outputs/T-0001/a.md", "type": "spec"}],
            "tool_calls": [], "acceptance": ["x"],
        });
        let manifest = json!({
            "task_id": "T-0001", "created_at": "2026-01-12T14:30:00Z",
            "artifacts": [{"source_path": "a.md", "artifact": "/execution/outputs/T-0001/a.md", "type": "spec", "sha256": sha256(b"x").unwrap()}],
        });
        let mut whole = json!({"task_id": "T-0001", "ts": "2026-01-12T15:00:00Z", "verdict": "PASS", "findings": [], "required_fixes": []});
        whole.as_object_mut().unwrap().extend(report.as_object().unwrap().clone());
        let manifest = serde_json::from_value(manifest).unwrap();
        (
            serde_json::from_value(task).unwrap(),
            Artifacts { manifest },
            serde_json::from_value(whole).unwrap(),
        )
    }

    #[test]
    fn a_pass_is_promoted_with_its_hash() {
        let (task, artifacts, report) = sample(&json!({}));
        let evidence = evidence(&task, &artifacts, &report);
        let passed = gate(artifacts, &evidence).unwrap();
        let now = "2026-01-12T15:05:00Z".parse().unwrap();
        let index = promote(&passed, &KnowledgeIndex::default(), now);
        assert_eq!(index.knowledge[0].id.as_str(), "K-0001");
        assert_eq!(index.knowledge[0].sha256, sha256(b"x"));
        assert_eq!(promote(&passed, &index, now).knowledge[1].id.as_str(), "K-0002");
    }

    #[test]
    fn a_pass_with_an_open_fix_an_unmet_line_or_a_missing_output_is_no_pass() {
        for report in [
            json!({"verdict": "FAIL"}),
            json!({"required_fixes": ["add a source"]}),
            json!({"checks": [{"acceptance": "x", "met": false, "evidence": ""}]}),
        ] {
            let (task, artifacts, report) = sample(&report);
            assert!(gate(artifacts.clone(), &evidence(&task, &artifacts, &report)).is_err());
        }
        let (task, mut artifacts, report) = sample(&json!({}));
        artifacts.manifest.artifacts.clear();
        assert!(gate(artifacts.clone(), &evidence(&task, &artifacts, &report)).is_err());
    }
}
