//! The policy of the contract flow: each agent writes its own contracts, and hast writes the rest.
//! The implementer writes code and no contract.

use crate::roles::Access::{Read, Write};
use crate::roles::{Class, PolicyTable, Row};
use crate::store::HistoryClass::{Append, Once, Pointer};

/// hast itself.
pub const ORCHESTRATOR: &str = "orchestrator";
pub const EXPLORER: &str = "code-explore";
pub const PLANNER: &str = "planner";
pub const ARCHITECT: &str = "architect";
pub const QA: &str = "qa-engineer";
/// Writes code and nothing of this.
pub const IMPLEMENTER: &str = "implementer";

pub const POLICY: PolicyTable = PolicyTable {
    classes: &[
        Class { path: "events.ndjson", history: Append },
        Class { path: "sessions/*/session.json", history: Pointer },
        Class { path: "sessions/*/state.json", history: Pointer },
        Class { path: "sessions/*/contracts/**", history: Once },
        Class { path: "knowledge/*/knowledge.yaml", history: Pointer },
        Class { path: "knowledge/*/archive/**", history: Once },
        Class { path: "attempts/**", history: Once },
    ],
    rows: &[
        Row { role: ORCHESTRATOR, access: Write, path: "sessions/**" },
        Row { role: ORCHESTRATOR, access: Write, path: "knowledge/**" },
        Row { role: ORCHESTRATOR, access: Write, path: "attempts/**" },
        Row { role: EXPLORER, access: Write, path: "sessions/*/contracts/*/explored*" },
        Row { role: EXPLORER, access: Write, path: "sessions/*/contracts/*/patterns*" },
        Row { role: PLANNER, access: Write, path: "sessions/*/contracts/*/task-breakdown*" },
        Row { role: PLANNER, access: Write, path: "sessions/*/contracts/*/merge*" },
        Row { role: PLANNER, access: Read, path: "sessions/*/contracts/*/explored.yaml" },
        Row { role: ARCHITECT, access: Write, path: "sessions/*/contracts/*/*/design-contract*" },
        Row { role: ARCHITECT, access: Write, path: "sessions/*/contracts/*/*/decisions*" },
        Row { role: ARCHITECT, access: Write, path: "sessions/*/contracts/*/*/*/review*" },
        Row { role: ARCHITECT, access: Read, path: "sessions/*/contracts/**" },
        Row { role: QA, access: Write, path: "sessions/*/contracts/*/*/*/test-contract*" },
        Row { role: QA, access: Write, path: "sessions/*/contracts/*/*/*/test-result*" },
        Row { role: QA, access: Write, path: "sessions/*/contracts/*/*/*/recommendation*" },
        Row { role: QA, access: Read, path: "sessions/*/contracts/**" },
        Row { role: IMPLEMENTER, access: Read, path: "sessions/*/contracts/**" },
    ],
    // What happened is logged by whoever did it, and the pointers follow the log.
    riders: &["events.ndjson", "sessions/*/session.json", "sessions/*/state.json"],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DocPath, Policy, PutKind};

    #[test]
    fn each_row_has_an_allowed_and_a_denied_example() {
        let contract = |name: &str| format!("sessions/a1b2c3d4/contracts/R1/{name}");
        for (role, kind, path, allowed) in [
            (EXPLORER, PutKind::Create, contract("explored.yaml"), true),
            (PLANNER, PutKind::Create, contract("explored.yaml"), false),
            (EXPLORER, PutKind::Create, contract("patterns.yaml"), true),
            (PLANNER, PutKind::Create, contract("task-breakdown.yaml"), true),
            (ARCHITECT, PutKind::Create, contract("task-breakdown.yaml"), false),
            (PLANNER, PutKind::Create, contract("merge.json"), true),
            (ARCHITECT, PutKind::Create, contract("T1/design-contract.yaml"), true),
            (QA, PutKind::Create, contract("T1/design-contract.yaml"), false),
            (ARCHITECT, PutKind::Create, contract("T1/decisions.yaml"), true),
            (ARCHITECT, PutKind::Create, contract("T1/T1-S1/review.json"), true),
            (QA, PutKind::Create, contract("T1/T1-S1/test-contract.yaml"), true),
            (QA, PutKind::Create, contract("T1/T1-S1/test-result.yaml"), true),
            (IMPLEMENTER, PutKind::Create, contract("T1/T1-S1/test-result.yaml"), false),
            (IMPLEMENTER, PutKind::Create, contract("T1/T1-S1/test-contract.yaml"), false),
            (ORCHESTRATOR, PutKind::Create, contract("T1/design-brief.yaml"), true),
            (ARCHITECT, PutKind::Create, contract("T1/design-brief.yaml"), false),
            (ORCHESTRATOR, PutKind::Create, "attempts/R1/T1-S1/1/base.json".to_owned(), true),
            (QA, PutKind::Create, "attempts/R1/T1-S1/1/base.json".to_owned(), false),
            (ORCHESTRATOR, PutKind::Replace, "knowledge/a1b2c3d4/knowledge.yaml".to_owned(), true),
            (ARCHITECT, PutKind::Replace, "knowledge/a1b2c3d4/knowledge.yaml".to_owned(), false),
            (ORCHESTRATOR, PutKind::Create, "src/main.rs".to_owned(), false),
        ] {
            let judged = POLICY.judge(role, kind, &DocPath::new(&path).unwrap());
            assert_eq!(judged.is_ok(), allowed, "{role} {kind} {path}");
        }
        let design = DocPath::new(&contract("T1/design-contract.yaml")).unwrap();
        assert!(POLICY.may_read(IMPLEMENTER, &design) && POLICY.may_read(QA, &design));
        assert!(!POLICY.may_read(PLANNER, &design));
    }
}
