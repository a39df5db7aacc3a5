//! The policy of a kernel: the kernel alone writes its three core files, and each part writes its
//! own documents.

use crate::roles::Access::{Read, Write};
use crate::roles::{Class, PolicyTable, Row};
use crate::store::HistoryClass::{Append, Once, Person, Pointer};

pub const KERNEL: &str = "Kernel";
pub const ENGINE: &str = "OrchestrationEngineExpert";
pub const TASKS: &str = "TaskManagementExpert";
pub const PLANNER: &str = "PlanningExpert";
pub const SYNTHESIZER: &str = "ResultSynthesizingExpert";
/// Any expert that an item names.
pub const EXPERT: &str = "SpecializedExpert";

pub const POLICY: PolicyTable = PolicyTable {
    classes: &[
        Class { path: "kernel_status.json", history: Pointer },
        Class { path: "brain.yaml", history: Person },
        Class { path: "experts/*.yaml", history: Person },
        Class { path: "activeContext.md", history: Pointer },
        Class { path: "events.ndjson", history: Append },
        Class { path: "requests/*/request.json", history: Once },
        Class { path: "requests/*/plan.json", history: Pointer },
        Class { path: "requests/*/outputs/**", history: Once },
        Class { path: "requests/*/report*.md", history: Once },
        Class { path: "requests/*/response.json", history: Once },
        Class { path: "requests/*/errors.ndjson", history: Append },
        Class { path: "requests/*/transcript/**", history: Once },
        Class { path: "requests/*/edited/**", history: Once },
    ],
    rows: &[
        Row { role: KERNEL, access: Write, path: "kernel_status.json" },
        Row { role: KERNEL, access: Write, path: "brain.yaml" },
        Row { role: KERNEL, access: Write, path: "experts/*.yaml" },
        Row { role: KERNEL, access: Write, path: "requests/*/request.json" },
        Row { role: KERNEL, access: Write, path: "requests/*/response.json" },
        Row { role: TASKS, access: Write, path: "requests/*/plan.json" },
        Row { role: TASKS, access: Write, path: "activeContext.md" },
        Row { role: TASKS, access: Write, path: "requests/*/edited/**" },
        Row { role: TASKS, access: Write, path: "requests/*/outputs/**" },
        Row { role: ENGINE, access: Read, path: "requests/**" },
        Row { role: EXPERT, access: Write, path: "requests/*/outputs/**" },
        Row { role: SYNTHESIZER, access: Write, path: "requests/*/report*.md" },
        Row { role: SYNTHESIZER, access: Read, path: "requests/*/outputs/**" },
        Row { role: PLANNER, access: Read, path: "requests/*/report*.md" },
    ],
    // What happened is logged by whoever did it, and the messages between the parts are kept.
    riders: &[
        "events.ndjson",
        "requests/*/errors.ndjson",
        "requests/*/transcript/**",
        "requests/*/plan.json",
        "activeContext.md",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DocPath, Policy, PutKind};

    #[test]
    fn each_row_has_an_allowed_and_a_denied_example() {
        for (role, kind, path, allowed) in [
            (KERNEL, PutKind::Replace, "kernel_status.json", true),
            (ENGINE, PutKind::Replace, "kernel_status.json", false),
            (KERNEL, PutKind::Create, "experts/index.yaml", true),
            (TASKS, PutKind::Create, "experts/index.yaml", false),
            (KERNEL, PutKind::Create, "brain.yaml", true),
            (EXPERT, PutKind::Replace, "brain.yaml", false),
            (EXPERT, PutKind::Create, "requests/r/outputs/a/x.md", true),
            (SYNTHESIZER, PutKind::Create, "requests/r/outputs/a/x.md", false),
            (SYNTHESIZER, PutKind::Create, "requests/r/report.md", true),
            (EXPERT, PutKind::Create, "requests/r/report.md", false),
            (KERNEL, PutKind::Create, "requests/r/response.json", true),
            (SYNTHESIZER, PutKind::Create, "requests/r/response.json", false),
            (TASKS, PutKind::Replace, "requests/r/plan.json", true),
            (KERNEL, PutKind::Create, "src/main.rs", false),
        ] {
            let judged = POLICY.judge(role, kind, &DocPath::new(path).unwrap());
            assert_eq!(judged.is_ok(), allowed, "{role} {kind} {path}");
        }
    }
}
