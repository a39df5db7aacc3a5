//! Which file is which document, by where it stands below the root of its flow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::registry::{self, Entry};

/// The flows, with what marks a directory as the root of one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum FlowName {
    Goals,
    Session,
    Run,
    Kernel,
    Contract,
}

impl FlowName {
    pub const ALL: [Self; 5] =
        [Self::Goals, Self::Session, Self::Run, Self::Kernel, Self::Contract];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Goals => "goals",
            Self::Session => "session",
            Self::Run => "run",
            Self::Kernel => "kernel",
            Self::Contract => "contract",
        }
    }

    /// What is there, relative to a directory, when the flow's files are in it. A part may have a
    /// `*`.
    pub fn marker(self) -> &'static str {
        match self {
            Self::Goals => ".ai",
            Self::Session => "sessions/S-*/status.json",
            Self::Run => "db/process_runs.md",
            Self::Kernel => ".brain",
            Self::Contract => ".claude/orchestrator",
        }
    }

    /// The directories below the root that hold the flow's files.
    pub fn directories(self) -> &'static [&'static str] {
        match self {
            Self::Goals => &[".ai"],
            Self::Session => &["sessions"],
            Self::Run => &["db", "runs"],
            Self::Kernel => &[".brain"],
            Self::Contract => &[".claude/orchestrator"],
        }
    }
}

/// Files by the end of their path; a `*` stands for any text within one part.
const FILES: &[(&str, &str)] = &[
    (".ai/config.yaml", "config"),
    (".ai/goals.yaml", "goals"),
    (".ai/handoffs/*.md", "handoff"),
    (".ai/auto.lock", "auto-lock"),
    (".ai/events/events.ndjson", "goals-event"),
    (".ai/state/goal_views.json", "goal-views"),
    (".ai/queue/queue.ndjson", "queue-event"),
    (".ai/queue/archive/queue-*.ndjson", "queue-event"),
    (".ai/decisions/*.yaml", "decision"),
    (".ai/protocols/*/task.json", "protocol-task"),
    (".ai/protocols/*/result.json", "protocol-result"),
    (".ai/rehearsals/*.yaml", "rehearsal"),
    ("*.rehearsal.yaml", "rehearsal"),
    ("sessions/S-*/status.json", "session-status"),
    ("sessions/S-*/pointers.json", "pointers"),
    ("sessions/S-*/output/summary.json", "session-summary"),
    ("sessions/S-*/plan/active/decomposition.json", "decomposition"),
    ("sessions/S-*/plan/active/metadata.json", "plan-metadata"),
    ("sessions/S-*/plan/active/status_log.ndjson", "session-event"),
    ("sessions/S-*/plan/archive/*/decomposition.json", "decomposition"),
    ("sessions/S-*/plan/archive/*/metadata.json", "plan-metadata"),
    ("sessions/S-*/context/index.json", "knowledge-index"),
    ("sessions/S-*/context/state.json", "routing-state"),
    ("sessions/S-*/context/sources/*.json", "source-record"),
    ("sessions/S-*/execution/run_logs/*.ndjson", "run-log"),
    ("sessions/S-*/execution/outputs/T-*/artifact_manifest.json", "artifact-manifest"),
    ("sessions/S-*/execution/outputs/T-*/attempt-*/artifact_manifest.json", "artifact-manifest"),
    ("sessions/S-*/execution/questions/Q-*.answer.json", "answer"),
    ("sessions/S-*/execution/questions/Q-*.json", "question"),
    ("sessions/S-*/critique/reports/T-*.json", "critique-report"),
    ("db/process_runs.md", "process-runs"),
    ("db/user_instructions.md", "user-instructions"),
    ("db/knowledge_base_catalog.md", "knowledge-base-catalog"),
    ("db/templates/default_phases.md", "default-phases"),
    ("runs/run-*/db/phases.md", "phases"),
    ("runs/run-*/db/major_stages.md", "major-stages"),
    ("runs/run-*/db/tasks.md", "tasks"),
    ("runs/run-*/db/tool_tasks.md", "tool-tasks"),
    ("runs/run-*/run.json", "run-request"),
    ("runs/run-*/failure.json", "run-failure"),
    ("runs/run-*/instructions.json", "run-instructions"),
    ("runs/run-*/decisions.ndjson", "run-decision"),
    ("runs/run-*/results/T*.json", "run-task-result"),
    ("db/events.ndjson", "run-event"),
    (".brain/kernel_status.json", "kernel-status"),
    (".brain/requests/*/request.json", "kernel-to-engine-request"),
    (".brain/requests/*/response.json", "engine-to-kernel-response"),
    (".brain/requests/*/plan.json", "kernel-plan"),
    (".brain/requests/*/errors.ndjson", "kernel-error"),
    (".brain/requests/*/outputs/*/output.json", "expert-output"),
    (".brain/requests/*/transcript/*_KernelToEngineRequest.json", "kernel-to-engine-request"),
    (".brain/requests/*/transcript/*_EngineToKernelResponse.json", "engine-to-kernel-response"),
    (".brain/requests/*/transcript/*_EngineToExpertRequest.json", "engine-to-expert-request"),
    (".brain/requests/*/transcript/*_ExpertOutput.json", "expert-output"),
    (".brain/requests/*/transcript/*_MergeRecord.json", "kernel-merge"),
    (".brain/brain.yaml", "brain"),
    (".brain/experts/index.yaml", "expert-index"),
    (".brain/experts/*.yaml", "expert"),
    (".brain/events.ndjson", "kernel-event"),
    (".claude/orchestrator/sessions/*/session.json", "contract-session"),
    (".claude/orchestrator/sessions/*/state.json", "contract-state"),
    (".claude/orchestrator/sessions/*/contracts/*/state.json", "contract-state"),
    (".claude/orchestrator/sessions/*/contracts/*/explored.yaml", "explored"),
    (".claude/orchestrator/sessions/*/contracts/*/task-breakdown.yaml", "task-breakdown"),
    (".claude/orchestrator/sessions/*/contracts/*/*/design-brief.yaml", "design-brief"),
    (".claude/orchestrator/sessions/*/contracts/*/*/design-contract.yaml", "design-contract"),
    (".claude/orchestrator/sessions/*/contracts/*/*/*/test-contract.yaml", "test-contract"),
    (".claude/orchestrator/sessions/*/contracts/*/*/*/test-result.yaml", "test-result"),
    (".claude/orchestrator/sessions/*/contracts/*/merge.json", "contract-merge"),
    (".claude/orchestrator/sessions/*/contracts/*/patterns.yaml", "contract-patterns"),
    (".claude/orchestrator/sessions/*/contracts/*/*/decisions.yaml", "contract-decisions"),
    (".claude/orchestrator/sessions/*/contracts/*/*/*/review.json", "contract-review"),
    (".claude/orchestrator/knowledge/*/knowledge.yaml", "knowledge"),
    (".claude/orchestrator/events.ndjson", "contract-event"),
];

/// The document that a path is, by its last parts; the path uses `/`.
pub fn document_at(path: &str) -> Option<&'static Entry> {
    let parts: Vec<&str> =
        path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let file = parts.last()?;
    let (_, name) = FILES.iter().find(|(pattern, _)| {
        // Most files are none of ours: look at the last part first.
        let last = pattern.rsplit('/').next().unwrap_or(pattern);
        matches_part(last, file) && matches_end(pattern, &parts)
    })?;
    registry::find(name)
}

/// The document that a file name alone tells, where no other document has that name.
pub fn document_named(file: &str) -> Option<&'static Entry> {
    let mut names = FILES
        .iter()
        .filter(|(pattern, _)| {
            let last = pattern.rsplit('/').next().unwrap_or(pattern);
            !last.contains('*') && last == file
        })
        .map(|(_, name)| *name);
    let name = names.next()?;
    if names.all(|other| other == name) { registry::find(name) } else { None }
}

/// Whether a text has the form of a pattern with at most one `*`.
pub fn matches_part(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, end)) => {
            text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
        }
    }
}

fn matches_end(pattern: &str, parts: &[&str]) -> bool {
    let wanted = pattern.split('/').rev();
    let count = wanted.clone().count();
    count <= parts.len()
        && wanted.zip(parts.iter().rev()).all(|(pattern, part)| matches_part(pattern, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_names_a_document_that_exists() {
        for (pattern, name) in FILES {
            assert!(registry::find(name).is_some(), "{name}");
            assert_eq!(
                document_at(&format!("/x/{}", pattern.replace('*', "1"))).map(|e| e.name),
                Some(*name)
            );
        }
    }

    #[test]
    fn a_file_is_known_by_where_it_stands() {
        let known = |path| document_at(path).map(|entry| entry.name);
        assert_eq!(known("/p/.ai/goals.yaml"), Some("goals"));
        assert_eq!(known("sessions/S-20260112-143000Z/context/state.json"), Some("routing-state"));
        assert_eq!(
            known(".claude/orchestrator/sessions/a1b2c3d4/state.json"),
            Some("contract-state")
        );
        assert_eq!(
            known("sessions/S-1/execution/questions/Q-20260112-0003.answer.json"),
            Some("answer")
        );
        assert_eq!(known("demo/hello.rehearsal.yaml"), Some("rehearsal"));
        assert_eq!(known("/p/.ai/rehearsals/limits.yaml"), Some("rehearsal"));
        assert_eq!(known("goals.yaml"), None);
        assert_eq!(known("src/config.yaml"), None);
        assert_eq!(known(""), None);
    }

    #[test]
    fn a_name_alone_is_enough_where_it_is_unique() {
        assert_eq!(document_named("goals.yaml").map(|entry| entry.name), Some("goals"));
        assert_eq!(
            document_named("task-breakdown.yaml").map(|entry| entry.name),
            Some("task-breakdown")
        );
        assert!(document_named("state.json").is_none());
    }
}
