//! Section 5 of the seed as data: who writes what, and how each document may change.

use crate::roles::Access::{Read, Write};
use crate::roles::{Class, PolicyTable, Row};
use crate::store::HistoryClass::{Append, Once, Person, Pointer};

pub const PLANNER: &str = "Planner";
pub const EXECUTOR: &str = "Executor";
pub const CRITIC: &str = "Critic";
/// hast itself.
pub const CONTROLLER: &str = "Controller";

pub const POLICY: PolicyTable = PolicyTable {
    classes: &[
        Class { path: "status.json", history: Pointer },
        Class { path: "pointers.json", history: Pointer },
        Class { path: "verdict.md", history: Once },
        Class { path: "input/**", history: Once },
        // Sent back once, with the refused one kept among the reports.
        Class { path: "output/final.md", history: Pointer },
        Class { path: "output/**", history: Once },
        Class { path: "plan/goal.md", history: Once },
        Class { path: "plan/change_log.md", history: Append },
        Class { path: "plan/active/status_log.ndjson", history: Append },
        Class { path: "plan/active/*.json", history: Once },
        Class { path: "plan/archive/**", history: Once },
        Class { path: "context/index.json", history: Pointer },
        Class { path: "context/state.json", history: Pointer },
        Class { path: "context/sources/**", history: Once },
        Class { path: "execution/run_logs/**", history: Append },
        Class { path: "execution/outputs/**", history: Once },
        Class { path: "execution/questions/**", history: Once },
        Class { path: "critique/review_rules.md", history: Person },
        Class { path: "critique/reports/**", history: Once },
    ],
    rows: &[
        Row { role: PLANNER, access: Write, path: "plan/**" },
        Row { role: PLANNER, access: Write, path: "execution/questions/**" },
        Row { role: PLANNER, access: Read, path: "context/index.json" },
        Row { role: EXECUTOR, access: Write, path: "execution/run_logs/**" },
        Row { role: EXECUTOR, access: Write, path: "execution/outputs/**" },
        Row { role: EXECUTOR, access: Write, path: "execution/questions/**" },
        Row { role: EXECUTOR, access: Read, path: "plan/**" },
        Row { role: EXECUTOR, access: Read, path: "context/index.json" },
        Row { role: EXECUTOR, access: Read, path: "input/user_input.md" },
        Row { role: CRITIC, access: Write, path: "critique/**" },
        Row { role: CRITIC, access: Write, path: "context/index.json" },
        Row { role: CRITIC, access: Read, path: "execution/outputs/**" },
        Row { role: CRITIC, access: Read, path: "execution/questions/**" },
        Row { role: CRITIC, access: Read, path: "context/sources/**" },
        Row { role: CRITIC, access: Read, path: "plan/active/decomposition.json" },
        Row { role: CRITIC, access: Read, path: "input/user_input.md" },
        Row { role: CONTROLLER, access: Write, path: "status.json" },
        Row { role: CONTROLLER, access: Write, path: "pointers.json" },
        Row { role: CONTROLLER, access: Write, path: "verdict.md" },
        Row { role: CONTROLLER, access: Write, path: "input/**" },
        Row { role: CONTROLLER, access: Write, path: "output/**" },
        Row { role: CONTROLLER, access: Write, path: "context/state.json" },
        Row { role: CONTROLLER, access: Write, path: "context/sources/**" },
        Row { role: CONTROLLER, access: Write, path: "critique/review_rules.md" },
        Row { role: CONTROLLER, access: Write, path: "execution/questions/**" },
    ],
    // hast logs what a role did, moves the pointer, and keeps the raw answers and the copies of what
    // passed, in the same commit.
    riders: &[
        "plan/active/status_log.ndjson",
        "status.json",
        "context/state.json",
        "context/sources/**",
        "output/artifacts/**",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DocPath, Policy, PutKind};

    #[test]
    fn each_row_of_the_seed_has_an_allowed_and_a_denied_example() {
        for (role, kind, path, allowed) in [
            (PLANNER, PutKind::Create, "plan/active/decomposition.json", true),
            (PLANNER, PutKind::Create, "execution/questions/Q-20260112-0003.json", true),
            (PLANNER, PutKind::Replace, "context/index.json", false),
            (PLANNER, PutKind::Create, "execution/outputs/T-0001/a.md", false),
            (EXECUTOR, PutKind::Create, "execution/outputs/T-0001/a.md", true),
            (EXECUTOR, PutKind::Append, "execution/run_logs/20260112.ndjson", true),
            (EXECUTOR, PutKind::Create, "plan/active/decomposition.json", false),
            (EXECUTOR, PutKind::Create, "critique/reports/T-0001.json", false),
            (CRITIC, PutKind::Create, "critique/reports/T-0001.json", true),
            (CRITIC, PutKind::Replace, "context/index.json", true),
            (CRITIC, PutKind::Create, "execution/outputs/T-0001/a.md", false),
            (CRITIC, PutKind::Create, "output/final.md", false),
            (CONTROLLER, PutKind::Create, "output/final.md", true),
            (CONTROLLER, PutKind::Replace, "output/final.md", true),
            (CRITIC, PutKind::Create, "critique/reports/verdict.1.md", true),
            (CONTROLLER, PutKind::Create, "critique/reports/verdict.1.md", false),
            (CONTROLLER, PutKind::Create, "execution/outputs/T-0001/a.md", false),
            (EXECUTOR, PutKind::Append, "plan/active/status_log.ndjson", true),
            (EXECUTOR, PutKind::Create, "context/sources/e3b0", true),
            (CRITIC, PutKind::Create, "output/artifacts/a.md", true),
            (CRITIC, PutKind::Create, "output/summary.json", false),
            (CRITIC, PutKind::Create, "execution/questions/Q-20260112-0003.json", false),
            (CONTROLLER, PutKind::Create, "execution/questions/Q-20260112-0003.json", true),
            (CONTROLLER, PutKind::Replace, "context/index.json", false),
            (CONTROLLER, PutKind::Create, "somewhere/else", false),
        ] {
            let judged = POLICY.judge(role, kind, &DocPath::new(path).unwrap());
            assert_eq!(judged.is_ok(), allowed, "{role} {kind} {path}");
        }
    }
}
