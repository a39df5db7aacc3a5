//! The policy below `.ai/`: the documents that the agent and hast may write, and how each document
//! may change.

use crate::roles::Access::{Read, Write};
use crate::roles::{Class, PolicyTable, Row};
use crate::store::HistoryClass::{Append, Once, Person};

/// The agent: it writes code and a handoff, and nothing of this through hast.
pub const WORKER: &str = "worker";
/// hast itself.
pub const CONTROLLER: &str = "controller";

pub const POLICY: PolicyTable = PolicyTable {
    classes: &[
        Class { path: "goals.yaml", history: Person },
        Class { path: "config.yaml", history: Person },
        Class { path: "rules.md", history: Person },
        Class { path: "handoffs/*", history: Once },
        Class { path: "events/events.ndjson", history: Append },
        Class { path: "attempts/**", history: Once },
        Class { path: "protocols/**", history: Once },
        Class { path: "decisions/*", history: Person },
    ],
    rows: &[
        Row { role: WORKER, access: Write, path: "handoffs/*" },
        Row { role: WORKER, access: Read, path: "goals.yaml" },
        Row { role: WORKER, access: Read, path: "config.yaml" },
        Row { role: WORKER, access: Read, path: "rules.md" },
        Row { role: CONTROLLER, access: Write, path: "goals.yaml" },
        Row { role: CONTROLLER, access: Write, path: "handoffs/*" },
        Row { role: CONTROLLER, access: Write, path: "attempts/**" },
        Row { role: CONTROLLER, access: Write, path: "protocols/**" },
        Row { role: CONTROLLER, access: Write, path: "decisions/*" },
    ],
    riders: &["events/events.ndjson"],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DocPath, Policy, PutKind};

    #[test]
    fn each_row_has_an_allowed_and_a_denied_example() {
        for (role, kind, path, allowed) in [
            (WORKER, PutKind::Create, "handoffs/2026-02-09_143000.md", true),
            (WORKER, PutKind::Replace, "goals.yaml", false),
            (WORKER, PutKind::Replace, "config.yaml", false),
            (WORKER, PutKind::Replace, "rules.md", false),
            (WORKER, PutKind::Create, "attempts/M1/1/verdict.json", false),
            (CONTROLLER, PutKind::Replace, "goals.yaml", true),
            (CONTROLLER, PutKind::Replace, "config.yaml", false),
            (CONTROLLER, PutKind::Create, "attempts/M1/1/verdict.json", true),
            (CONTROLLER, PutKind::Create, "protocols/PKT_0123456789ab/task.json", true),
            (WORKER, PutKind::Create, "protocols/PKT_0123456789ab/result.json", false),
            (CONTROLLER, PutKind::Create, "handoffs/2026-02-09_143000.md", true),
            (CONTROLLER, PutKind::Append, "events/events.ndjson", true),
            (CONTROLLER, PutKind::Create, "elsewhere", false),
        ] {
            let judged = POLICY.judge(role, kind, &DocPath::new(path).unwrap());
            assert_eq!(judged.is_ok(), allowed, "{role} {kind} {path}");
        }
        for path in ["goals.yaml", "config.yaml", "rules.md"] {
            assert!(POLICY.may_read(WORKER, &DocPath::new(path).unwrap()));
        }
    }
}
