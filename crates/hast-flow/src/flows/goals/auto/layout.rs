//! Where the documents of `auto` are, below its root `.ai/`.

use serde_json::{Map, Value};

use crate::attempt::base::ref_part;
use crate::attempt::worktrees::TreeName;
use crate::steps::{Keep, KeepHow};
use crate::store::DocPath;

pub const GOALS: &str = "goals.yaml";
pub const RULES: &str = "rules.md";
pub const HANDOFFS: &str = "handoffs/";
pub const EVENTS: &str = "events/events.ndjson";
pub const ATTEMPTS: &str = "attempts/";
pub const BASE: &str = "base.json";
pub const RECORD: &str = "attempt.json";
pub const VERDICT: &str = "verdict.json";
/// A verdict after the verdict: the commit was refused.
pub const REFUSED: &str = "refused.json";
/// The verdict on what the user's commit hooks made of work that had passed.
pub const HOOKED: &str = "hooked.json";

/// In an event: the status that was set is still to be committed.
pub const OWED: &str = "commit_goals";
/// In an event: what it tells of is not on the branch that was checked out.
pub const ELSEWHERE: &str = "elsewhere";
/// In an event: whether an interruption is one of three in a row.
pub const COUNTS: &str = "counts";
/// In an event: the attempt is in a work tree of its own.
pub const LANE: &str = "lane";
/// In an event: files that are in the user's checkout and not committed.
pub const UNCOMMITTED: &str = "uncommitted";
/// In an event: goals whose lanes an earlier run left, and that this one was not asked for.
pub const LEFT_ALONE: &str = "left_alone";
/// In an event: what a version that worked in the user's checkout left there.
pub const EARLIER: &str = "earlier";
/// In an event: people have decided about the goal themselves, and its work was not merged.
pub const WITHDRAWN: &str = "withdrawn";
/// In the detail of an event: the last lines of tests that failed on a base.
pub const TAIL: &str = "tail";
/// In the detail of an event: the numbers that a run of the tests told.
pub const TALLY: &str = "tally";
/// In the detail of an event: test files that the attempt changed.
pub const CHANGED_TESTS: &str = "changed_tests";
/// Why the agent's own commits are one of hast's now.
pub const SQUASHED: &str = "squashed";
/// In an event: a person agreed that fewer tests are right.
pub const FEWER_TESTS: &str = "fewer_tests";
/// In the detail of an event: how many attempts a goal had when it was handed over.
pub const ATTEMPTS_MADE: &str = "attempts";
/// In the detail of an event: what a person said to the next attempts at a goal.
pub const SAID: &str = "text";
/// In the detail of an event: the run ends here, because the tests were red before any work.
pub const RED_BASE: &str = "red_base";
/// In the detail of an event: the judge's reason, as a value.
pub const FOUND: &str = "found";
/// The directory of work trees.
pub const WORKTREES: &str = "worktrees/";

/// Packets that went out, and what came back.
pub const PROTOCOLS: &str = "protocols/";
pub const TASK: &str = "task.json";
pub const RESULT: &str = "result.json";

/// A document of a packet.
pub fn of_packet(packet: &str, name: &str) -> String {
    format!("{PROTOCOLS}{packet}/{name}")
}

/// The name of a goal's directory: an id may hold anything, a name may not.
pub fn goal_directory(goal: &str) -> String {
    ref_part(goal)
}

/// Where the event that opens a lane names its tree, if an earlier version would have named it otherwise.
pub const TREE: &str = "tree";

/// The tree of a lane, by the event that opened it.
pub fn tree_of_lane(detail: &Map<String, Value>, goal: &str) -> TreeName {
    let told = detail.get(TREE).and_then(Value::as_str).and_then(TreeName::read);
    told.unwrap_or_else(|| TreeName::earlier(goal))
}

/// What the base of an attempt is recorded under, and what lies aside of it.
pub fn base_key(goal: &str, attempt: u32) -> String {
    format!("{}/{attempt}", goal_directory(goal))
}

/// A document of an attempt.
pub fn of_attempt(goal: &str, number: u32, name: &str) -> String {
    format!("{ATTEMPTS}{}/{number}/{name}", goal_directory(goal))
}

/// The parts of an attempt's document: the goal's directory, the number, the name.
pub fn attempt_parts(path: &str) -> Option<(&str, u32, &str)> {
    let (goal, rest) = path.strip_prefix(ATTEMPTS)?.split_once('/')?;
    let (number, name) = rest.split_once('/')?;
    Some((goal, number.parse().ok()?, name))
}

pub fn path(text: &str) -> Option<DocPath> {
    DocPath::new(text).ok()
}

/// Whether `auto` rests on what is there. Other machine files may be large: work trees of their own,
/// queues, reports.
pub fn is_read(path: &DocPath) -> bool {
    let first = path.as_str().split('/').next().unwrap_or_default();
    matches!(first, "goals.yaml" | "rules.md" | "handoffs" | "events" | "attempts")
        && !path.as_str().starts_with(ARCHIVED)
}

/// Attempts before a retry.
pub const ARCHIVED: &str = "attempts/archive/";

/// What no attempt at a goal may take away: without it the run, or the next one, knows nothing of it.
pub(super) fn kept_in_calls(goal: &str) -> Vec<Keep> {
    let keep = |name: &str, how| path(name).map(|path| Keep { path, how });
    let people = ["config.yaml", GOALS, RULES, ".gitignore"].into_iter();
    let people = people.filter_map(|name| keep(name, KeepHow::OfPeople));
    let there = ["queue/queue.ndjson", "auto.lock"].into_iter();
    let there = people.chain(there.filter_map(|name| keep(name, KeepHow::There)));
    let attempts = format!("attempts/{}", goal_directory(goal));
    let own = [keep(EVENTS, KeepHow::Growing), keep(&attempts, KeepHow::Same)];
    there.chain(own.into_iter().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_lane_of_an_earlier_version_keeps_the_tree_that_it_had() {
        let tree = |detail: Value| tree_of_lane(detail.as_object().unwrap(), "목표/1");
        assert_eq!(tree(json!({"goal_id": "목표/1"})).as_str(), "%EB%AA%A9%ED%91%9C%2F1");
        assert_eq!(tree(json!({"tree": "목표+1"})), TreeName::of("목표/1"));
        assert_eq!(tree(json!({"tree": "../elsewhere"})), TreeName::earlier("목표/1"));
    }
}
