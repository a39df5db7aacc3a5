//! The policy of a run. The orchestrator writes tables and never content, the planner its proposal,
//! the executor the files of its phase. No role writes the files that people brought.

use crate::roles::Access::{Read, Write};
use crate::roles::{Class, PolicyTable, Row};
use crate::store::HistoryClass::{Append, Once, Person, Pointer};

pub const ORCHESTRATOR: &str = "Orchestrator";
pub const PLANNER: &str = "Planner";
pub const EXECUTOR: &str = "Executor";
pub const COMMUNICATOR: &str = "Communicator";

pub const POLICY: PolicyTable = PolicyTable {
    classes: &[
        Class { path: "db/process_runs.md", history: Person },
        Class { path: "db/user_instructions.md", history: Person },
        Class { path: "db/knowledge_base_catalog.md", history: Person },
        Class { path: "db/templates/default_phases.md", history: Person },
        Class { path: "db/events.ndjson", history: Append },
        Class { path: "runs/*/db/*.md", history: Person },
        Class { path: "runs/*/run.json", history: Once },
        // The newest proposal; the earlier ones are kept beside it.
        Class { path: "runs/*/feedback_for_user.md", history: Pointer },
        Class { path: "runs/*/instructions.json", history: Pointer },
        Class { path: "runs/*/feedback_for_user.*.md", history: Once },
        Class { path: "runs/*/instructions.*.json", history: Once },
        Class { path: "runs/*/decisions.ndjson", history: Append },
        Class { path: "runs/*/failure.json", history: Once },
        Class { path: "runs/*/results/*.json", history: Once },
        Class { path: "runs/*/workspace/**", history: Once },
        Class { path: "outputs/**", history: Once },
    ],
    rows: &[
        Row { role: ORCHESTRATOR, access: Write, path: "db/templates/default_phases.md" },
        // An empty one, where there is none yet.
        Row { role: ORCHESTRATOR, access: Write, path: "db/user_instructions.md" },
        Row { role: ORCHESTRATOR, access: Write, path: "runs/*/run.json" },
        Row { role: ORCHESTRATOR, access: Write, path: "runs/*/failure.json" },
        Row { role: ORCHESTRATOR, access: Write, path: "runs/*/decisions.ndjson" },
        Row { role: ORCHESTRATOR, access: Read, path: "db/**" },
        Row { role: ORCHESTRATOR, access: Read, path: "runs/*/db/**" },
        Row { role: PLANNER, access: Write, path: "runs/*/feedback_for_user*.md" },
        Row { role: PLANNER, access: Write, path: "runs/*/instructions*.json" },
        Row { role: PLANNER, access: Read, path: "db/**" },
        Row { role: PLANNER, access: Read, path: "runs/**" },
        Row { role: PLANNER, access: Read, path: "assets/**" },
        Row { role: PLANNER, access: Read, path: "guidelines/**" },
        Row { role: EXECUTOR, access: Write, path: "runs/*/workspace/**" },
        Row { role: EXECUTOR, access: Write, path: "runs/*/results/*.json" },
        Row { role: EXECUTOR, access: Write, path: "outputs/**" },
        Row { role: EXECUTOR, access: Write, path: "db/user_instructions.md" },
        Row { role: EXECUTOR, access: Read, path: "runs/**" },
        Row { role: EXECUTOR, access: Read, path: "assets/**" },
        Row { role: EXECUTOR, access: Read, path: "guidelines/**" },
        Row { role: COMMUNICATOR, access: Write, path: "runs/*/decisions.ndjson" },
        Row { role: COMMUNICATOR, access: Read, path: "runs/*/feedback_for_user.md" },
    ],
    // The orchestrator's tables change in the same commit as what they tell of.
    riders: &[
        "db/events.ndjson",
        "db/process_runs.md",
        "db/knowledge_base_catalog.md",
        "runs/*/db/*.md",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DocPath, Policy, PutKind};

    #[test]
    fn each_row_has_an_allowed_and_a_denied_example() {
        for (role, kind, path, allowed) in [
            (ORCHESTRATOR, PutKind::Create, "db/templates/default_phases.md", true),
            (EXECUTOR, PutKind::Create, "db/templates/default_phases.md", false),
            (ORCHESTRATOR, PutKind::Create, "db/user_instructions.md", true),
            (COMMUNICATOR, PutKind::Create, "db/user_instructions.md", false),
            (ORCHESTRATOR, PutKind::Append, "runs/r/decisions.ndjson", true),
            (ORCHESTRATOR, PutKind::Create, "runs/r/run.json", true),
            (PLANNER, PutKind::Create, "runs/r/run.json", false),
            (ORCHESTRATOR, PutKind::Create, "runs/r/failure.json", true),
            (EXECUTOR, PutKind::Create, "runs/r/failure.json", false),
            (ORCHESTRATOR, PutKind::Patch, "db/process_runs.md", true),
            (ORCHESTRATOR, PutKind::Create, "runs/r/workspace/ANALYZING/a.md", false),
            (ORCHESTRATOR, PutKind::Create, "outputs/r/report.md", false),
            (PLANNER, PutKind::Replace, "runs/r/feedback_for_user.md", true),
            (PLANNER, PutKind::Create, "runs/r/feedback_for_user.1.md", true),
            (EXECUTOR, PutKind::Create, "runs/r/feedback_for_user.md", false),
            (PLANNER, PutKind::Create, "runs/r/instructions.json", true),
            (COMMUNICATOR, PutKind::Create, "runs/r/instructions.json", false),
            (PLANNER, PutKind::Create, "runs/r/workspace/ANALYZING/a.md", false),
            (EXECUTOR, PutKind::Create, "runs/r/workspace/ANALYZING/a.md", true),
            (EXECUTOR, PutKind::Create, "runs/r/results/T05.json", true),
            (EXECUTOR, PutKind::Create, "outputs/r/report.md", true),
            (EXECUTOR, PutKind::Replace, "db/user_instructions.md", true),
            (PLANNER, PutKind::Replace, "db/user_instructions.md", false),
            (COMMUNICATOR, PutKind::Append, "runs/r/decisions.ndjson", true),
            (EXECUTOR, PutKind::Append, "runs/r/decisions.ndjson", false),
            (EXECUTOR, PutKind::Create, "assets/a.csv", false),
            (PLANNER, PutKind::Create, "guidelines/style.md", false),
            (EXECUTOR, PutKind::Create, "src/main.rs", false),
        ] {
            let judged = POLICY.judge(role, kind, &DocPath::new(path).unwrap());
            assert_eq!(judged.is_ok(), allowed, "{role} {kind} {path}");
        }
    }

    #[test]
    fn what_people_brought_is_nobodys_to_write() {
        for path in ["assets/a.csv", "guidelines/style.md"] {
            for role in [ORCHESTRATOR, PLANNER, EXECUTOR, COMMUNICATOR] {
                let path = DocPath::new(path).unwrap();
                assert!(POLICY.judge(role, PutKind::Replace, &path).is_err(), "{role} {path}");
            }
        }
    }
}
