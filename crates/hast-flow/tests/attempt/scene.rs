//! Evidence of attempts, put together for tests.

use hast_flow::attempt::evidence::*;
use hast_flow::attempt::judge::{Judged, Rules, Scope, Verdict, WantedHandoff, WantedTests, judge};
use hast_flow::attempt::reason::Class;

pub(crate) const HANDOFFS: &str = ".ai/handoffs";
pub(crate) const NOW: &str = "2026-02-09_143000.md";

/// An attempt that changed one file, left a good handoff, and whose tests are green.
pub(crate) fn honest() -> Evidence {
    Evidence {
        call: CallEnd::Ended,
        breaches: Vec::new(),
        protected: Vec::new(),
        changes: vec![change("src/a.py", ChangeKind::Modified)],
        handoffs: vec![handoff(NOW, "G", HandoffWord::Complete)],
    }
}

pub(crate) fn rules() -> Rules {
    Rules {
        goal_id: "G".to_owned(),
        scope: Scope::new::<&str>(&[], HANDOFFS),
        wanted: WantedTests::Green,
        handoff: WantedHandoff::Needed,
        base_tests: Some(TestEnd::Green),
        attempt_end: "2026-02-09T14:30:00+09:00".parse().unwrap(),
        interruptions_before: 0,
    }
}

pub(crate) fn path(text: &str) -> RepoPath {
    RepoPath(text.into())
}

pub(crate) fn change(text: &str, kind: ChangeKind) -> Change {
    Change { path: path(text), kind }
}

pub(crate) fn handoff(name: &str, goal: &str, status: HandoffWord) -> NewHandoff {
    let content = HandoffContent::Valid {
        goal_id: goal.to_owned(),
        status,
        timestamp: "2026-02-09T14:30:00+09:00".parse().unwrap(),
        reason: "no database here".to_owned(),
        removed_tests: Vec::new(),
    };
    NewHandoff { name: name.to_owned(), content }
}

pub(crate) fn tests(end: TestEnd) -> TestRun {
    TestRun { end, tail: String::new(), counted: Default::default() }
}

pub(crate) fn green() -> TestRun {
    tests(TestEnd::Green)
}

pub(crate) fn red() -> TestRun {
    tests(TestEnd::Red { code: 1 })
}

pub(crate) fn verdict(evidence: &Evidence, rules: &Rules, tests: Option<&TestRun>) -> Verdict {
    match judge(evidence, rules, tests) {
        Judged::Verdict(verdict) => verdict,
        Judged::NeedsTests => panic!("nothing decided: {evidence:?}"),
    }
}

/// Class, code and rule of a judged attempt.
pub(crate) fn judged(
    evidence: &Evidence,
    rules: &Rules,
    tests: Option<&TestRun>,
) -> (Class, &'static str, u8) {
    let verdict = verdict(evidence, rules, tests);
    (verdict.class, verdict.reason.code(), verdict.rule)
}
