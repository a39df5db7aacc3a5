//! Packets for workers elsewhere: a task that goes out, and the result that comes back. Both are
//! versioned by their `schema`; a result that says more or less than its schema is refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::{Nullable, Rules};
use crate::docs::goals::{ContextOutput, GoalPhase, HandoffStatus, Minutes, QueueLane};
use crate::document;
use crate::formats::diagnostic::Finding;
use crate::ids::PacketId;
use crate::time::UtcTime;

/// `protocols/<packet>/task.json`: all that somebody needs who has only the repository.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolTask {
    pub schema: TaskSchema,
    pub packet_id: PacketId,
    pub adapter: Adapter,
    pub created_at: UtcTime,
    pub goal: PacketGoal,
    pub role: QueueLane,
    pub scope: PacketScope,
    pub base: PacketBase,
    pub test_command: String,
    pub timeout_minutes: Minutes,
    /// The file that tells what was done, from the top of the repository.
    pub handoff_path: String,
    pub context: ContextOutput,
    /// Context and instructions as an agent here would get them.
    pub prompt: String,
    pub lease: PacketLease,
    /// The same task as the adapter's own kind of request.
    #[schemars(with = "Nullable<serde_json::Map<String, serde_json::Value>>")]
    pub envelope: Option<serde_json::Map<String, serde_json::Value>>,
}

document!(ProtocolTask, "protocol-task", Json, Keep);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TaskSchema {
    #[serde(rename = "protocol_task.v1")]
    V1,
}

/// Who the packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Adapter {
    Generic,
    Langgraph,
    Openhands,
    A2a,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PacketGoal {
    pub id: String,
    pub title: String,
    #[schemars(with = "Nullable<String>")]
    pub parent: Option<String>,
    #[schemars(with = "Nullable<GoalPhase>")]
    pub phase: Option<GoalPhase>,
    pub expect_failure: bool,
    pub acceptance: Vec<String>,
    #[schemars(with = "Nullable<String>")]
    pub notes: Option<String>,
}

/// What the work may change. Both lists are globs as in a `.gitignore`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PacketScope {
    /// Empty is unlimited.
    pub allowed_changes: Vec<String>,
    /// Never, whatever is allowed.
    pub protected: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PacketBase {
    pub commit: String,
    /// None where HEAD is on no branch.
    #[schemars(with = "Nullable<String>")]
    pub branch: Option<String>,
}

/// The claim that keeps others from the goal; its owner may renew it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PacketLease {
    pub claim_id: String,
    pub worker_id: String,
    pub fence: u64,
    pub expires_at: UtcTime,
}

/// What came of a task, by whoever did it. It is believed nothing: what it brings is judged here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProtocolResult {
    pub schema: ResultSchema,
    pub packet_id: PacketId,
    #[schemars(length(min = 1))]
    pub goal_id: String,
    /// The base of the task.
    #[schemars(length(min = 40), example = &"0123456789abcdef0123456789abcdef01234567")]
    pub base_commit: String,
    pub status: HandoffStatus,
    /// Why it failed or cannot be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What `git diff --binary BASE` prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// A branch of this repository that begins at the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<PacketBranch>,
    /// The text of the handoff, where the work does not bring the file itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<String>,
    /// Who did it, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

document!(ProtocolResult, "protocol-result", Json, Reject, rules result_rules);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ResultSchema {
    #[serde(rename = "protocol_result.v1")]
    V1,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PacketBranch {
    #[schemars(length(min = 1), example = &"worker/M1")]
    pub name: String,
    /// Where it is: what was not named here is not judged.
    #[schemars(length(min = 40), example = &"0123456789abcdef0123456789abcdef01234567")]
    pub commit: String,
}

/// Finished work is brought in exactly one way; what is not finished says why.
fn result_rules(result: &ProtocolResult, rules: &mut Rules<'_>) {
    let tree = rules.tree;
    let ways = [("patch", result.patch.is_some()), ("branch", result.branch.is_some())];
    let found: Vec<String> =
        ways.iter().filter(|(_, there)| *there).map(|(name, _)| (*name).to_owned()).collect();
    let is_done = result.status == HandoffStatus::Complete;
    if found.len() > 1 || (is_done && found.is_empty()) {
        let allowed = ways.iter().map(|(name, _)| (*name).to_owned()).collect();
        rules.report(tree, Finding::NotExactlyOne { found, allowed });
    }
    let branch = tree.get("branch");
    let commits = [
        (tree.get("base_commit"), Some(&result.base_commit)),
        (
            branch.and_then(|branch| branch.get("commit")),
            result.branch.as_ref().map(|branch| &branch.commit),
        ),
    ];
    for (node, commit) in commits {
        if let (Some(node), Some(commit)) = (node, commit.filter(|commit| !is_object(commit))) {
            let example = "0123456789abcdef0123456789abcdef01234567".to_owned();
            rules.report(node, Finding::BadForm { value: commit.clone(), example });
        }
    }
    let says_why = result.reason.as_deref().is_some_and(|reason| !reason.trim().is_empty());
    if !is_done && !says_why {
        let (name, example) = ("reason".to_owned(), Some("the tests need a database".to_owned()));
        rules.report(tree, Finding::MissingField { name, example });
    }
}

/// As git prints the name of an object.
fn is_object(text: &str) -> bool {
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    matches!(text.len(), 40 | 64) && text.bytes().all(hex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::document::read;
    use crate::formats::source::Source;

    fn findings(text: &str) -> Vec<String> {
        match read::<ProtocolResult>(&Source::new("r.json", text)) {
            Ok(_) => Vec::new(),
            Err(all) => all.iter().map(|one| one.finding.what(crate::words::Lang::En)).collect(),
        }
    }

    fn result(more: &str) -> String {
        let base = "a".repeat(40);
        format!(
            "{{\"schema\": \"protocol_result.v1\", \"packet_id\": \"PKT_0123456789ab\", \"goal_id\": \"M1\", \"base_commit\": \"{base}\", {more}}}"
        )
    }

    #[test]
    fn a_result_brings_its_work_in_exactly_one_way_or_says_why_not() {
        assert_eq!(findings(&result("\"status\": \"complete\", \"patch\": \"x\"")), [""; 0]);
        assert_eq!(findings(&result("\"status\": \"blocked\", \"reason\": \"no key\"")), [""; 0]);
        let branch = format!("{{\"name\": \"b\", \"commit\": \"{}\"}}", "c".repeat(40));
        for wrong in [
            "\"status\": \"complete\"".to_owned(),
            format!("\"status\": \"complete\", \"patch\": \"x\", \"branch\": {branch}"),
            "\"status\": \"failed\"".to_owned(),
            "\"status\": \"blocked\", \"reason\": \" \"".to_owned(),
            "\"status\": \"done\", \"patch\": \"x\"".to_owned(),
            "\"status\": \"complete\", \"patch\": \"x\", \"extra\": 1".to_owned(),
            "\"status\": \"complete\", \"branch\": {\"name\": \"b\", \"commit\": \"main\"}"
                .to_owned(),
        ] {
            assert_eq!(findings(&result(&wrong)).len(), 1, "{wrong}");
        }
        let other = result("\"status\": \"complete\", \"patch\": \"x\"");
        for (right, wrong) in [(".v1", ".v2"), ("PKT_", "../"), ("M1", ""), ("aaaa", "AAAA")] {
            assert_eq!(findings(&other.replacen(right, wrong, 1)).len(), 1, "{wrong}");
        }
    }
}
