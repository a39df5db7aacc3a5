//! Tests that are red before any work: what is said about them, and whether the run goes on. A goal whose red
//! tests are the wanted result does not mind.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::attempt::evidence::TestEnd;
use crate::docs::goals::{Goal, GoalsEventKind as Kind, OnRedBase};
use crate::driver::Facts;
use crate::flows::goals::auto::tested::BaseRun;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::write::Draft;
use crate::flows::goals::auto::{AutoFlow, layout, words};
use crate::steps::Step;

/// The lane is closed before an agent is called, and the run ends: nothing was spent. The next run begins where
/// the branch is then.
pub(super) fn refusal(
    flow: &AutoFlow,
    view: &View,
    facts: &Facts<'_>,
    goal: &Goal,
    tested: Option<&BaseRun>,
) -> Option<Step> {
    let goes_on = view.ledger(&goal.id).goes_on();
    if flow.settings.on_red_base != OnRedBase::Stop || goal.expect_failure || goes_on {
        return None;
    }
    let BaseRun { end: TestEnd::Red { code }, tail, .. } = tested? else { return None };
    let command = flow.settings.test_command_of(goal);
    let what = words::red_base(facts.lang, command, code, failing_line(tail));
    let next = words::red_base_next(facts.lang, command);
    let detail = json!({"goal_id": goal.id, layout::RED_BASE: RedBase { what, next }});
    let draft = Draft::new(view, facts, "the tests are red before any work");
    Some(draft.event(Kind::LaneClosed, detail).step())
}

/// Why a run ends, as its event tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedBase {
    pub what: String,
    pub next: String,
}

/// The first line of a test output that reads like a failure, else its last one.
pub fn failing_line(tail: &str) -> &str {
    let lines = || tail.lines().map(str::trim).filter(|line| !line.is_empty());
    let fails = |line: &&str| {
        let line = line.to_lowercase();
        ["fail", "error", "not ok", "panicked", "assert"].iter().any(|word| line.contains(word))
    };
    lines().find(fails).or_else(|| lines().next_back()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::failing_line;

    #[test]
    fn the_first_line_that_reads_like_a_failure_is_told() {
        assert_eq!(failing_line("ok 1\nnot ok 2 - sum\n# FAIL 1\n"), "not ok 2 - sum");
        assert_eq!(failing_line("src/a.txt:1: wrong\n\n"), "src/a.txt:1: wrong");
        assert_eq!(failing_line(""), "");
    }
}
