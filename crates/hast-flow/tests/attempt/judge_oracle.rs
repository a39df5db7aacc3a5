//! The judge against a second one, written the other way round: every rule is asked about every
//! attempt, and the smallest number that says yes counts. All combinations of the inputs' classes.

use crate::scene::*;
use hast_flow::attempt::evidence::*;
use hast_flow::attempt::judge::{Judged, Rules, Scope, WantedHandoff, WantedTests, judge};

/// The facts of one attempt as plain answers, chosen by the test and not derived from evidence.
#[derive(Clone, Copy, Debug)]
struct Facts {
    call: Call,
    breaches: usize,
    protected: bool,
    handoffs: Handoffs,
    changes: Changes,
    limited_scope: bool,
    expect_failure: bool,
    handoff_needed: bool,
    base: Option<Tests>,
    tests: Option<Tests>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Ended,
    Limited,
    FirstInterruption,
    SecondInterruption,
    ThirdInterruption,
    NotStarted,
    Login,
    TimedOut,
    Stalled,
    Flooded,
    Leaked,
    FailedJson,
    BlockedJson,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Handoffs {
    None,
    Complete,
    Failed,
    Blocked,
    OtherGoalComplete,
    OtherGoalBlocked,
    FutureComplete,
    FutureBlocked,
    Broken,
    Misnamed,
    BlockedThenComplete,
    CompleteThenBlocked,
    CompleteThenFailed,
    CompleteAndFutureBlocked,
    CompleteAndOtherGoal,
    CompleteAndScript,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Changes {
    None,
    HandoffOnly,
    Inside,
    Outside,
    InsideAndOutside,
    NewTestInside,
    NewTestOutside,
    TestDeletedInside,
    TestEmptiedInside,
    TestMovedInside,
    TestReplacedInside,
    IgnoredInside,
    IgnoredOutside,
    HollowTestInside,
    TestMovedHollowInside,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tests {
    Green,
    Red,
    CouldNotRun,
}

const CALLS: [Call; 13] = [
    Call::Ended,
    Call::Limited,
    Call::FirstInterruption,
    Call::SecondInterruption,
    Call::ThirdInterruption,
    Call::NotStarted,
    Call::Login,
    Call::TimedOut,
    Call::Stalled,
    Call::Flooded,
    Call::Leaked,
    Call::FailedJson,
    Call::BlockedJson,
];
const HANDOFF_KINDS: [Handoffs; 16] = [
    Handoffs::None,
    Handoffs::Complete,
    Handoffs::Failed,
    Handoffs::Blocked,
    Handoffs::OtherGoalComplete,
    Handoffs::OtherGoalBlocked,
    Handoffs::FutureComplete,
    Handoffs::FutureBlocked,
    Handoffs::Broken,
    Handoffs::Misnamed,
    Handoffs::BlockedThenComplete,
    Handoffs::CompleteThenBlocked,
    Handoffs::CompleteThenFailed,
    Handoffs::CompleteAndFutureBlocked,
    Handoffs::CompleteAndOtherGoal,
    Handoffs::CompleteAndScript,
];
const CHANGE_KINDS: [Changes; 15] = [
    Changes::None,
    Changes::HandoffOnly,
    Changes::Inside,
    Changes::Outside,
    Changes::InsideAndOutside,
    Changes::NewTestInside,
    Changes::NewTestOutside,
    Changes::TestDeletedInside,
    Changes::TestEmptiedInside,
    Changes::TestMovedInside,
    Changes::TestReplacedInside,
    Changes::IgnoredInside,
    Changes::IgnoredOutside,
    Changes::HollowTestInside,
    Changes::TestMovedHollowInside,
];
const TEST_KINDS: [Option<Tests>; 4] =
    [None, Some(Tests::Green), Some(Tests::Red), Some(Tests::CouldNotRun)];
const BOTH: [bool; 2] = [false, true];

/// What the specification's sentences say about the facts, each by itself.
fn rule_applies(rule: u8, facts: &Facts) -> bool {
    let newest = match facts.handoffs {
        Handoffs::Complete
        | Handoffs::BlockedThenComplete
        | Handoffs::CompleteAndFutureBlocked
        | Handoffs::CompleteAndOtherGoal
        | Handoffs::CompleteAndScript => Some("complete"),
        Handoffs::Failed | Handoffs::CompleteThenFailed => Some("failed"),
        Handoffs::Blocked | Handoffs::CompleteThenBlocked => Some("blocked"),
        _ => None,
    };
    let is_outside = matches!(
        facts.changes,
        Changes::Outside
            | Changes::InsideAndOutside
            | Changes::NewTestOutside
            | Changes::IgnoredOutside
    );
    match rule {
        1 => matches!(
            facts.call,
            Call::Limited
                | Call::FirstInterruption
                | Call::SecondInterruption
                | Call::ThirdInterruption
                | Call::NotStarted
                | Call::Login
        ),
        2 => facts.breaches > 0,
        3 => facts.protected,
        4 => facts.call == Call::BlockedJson || newest == Some("blocked"),
        5 => matches!(
            facts.call,
            Call::TimedOut | Call::Stalled | Call::Flooded | Call::Leaked | Call::FailedJson
        ),
        6 => facts.limited_scope && is_outside,
        7 => matches!(
            facts.changes,
            Changes::None | Changes::HandoffOnly | Changes::IgnoredInside | Changes::IgnoredOutside
        ),
        8 => facts.tests == Some(Tests::CouldNotRun),
        9 => facts.tests.is_some() && facts.expect_failure,
        10 => {
            facts.tests == Some(Tests::Red)
                || (facts.tests == Some(Tests::Green) && loses_a_test(facts.changes))
        }
        11 => {
            facts.tests.is_some()
                && facts.handoff_needed
                && (has_a_stray(facts.handoffs) || newest == Some("failed") || newest.is_none())
        }
        12 => facts.tests.is_some(),
        _ => false,
    }
}

/// Whether something among the new handoffs is none of this goal.
fn has_a_stray(handoffs: Handoffs) -> bool {
    match handoffs {
        Handoffs::None
        | Handoffs::Complete
        | Handoffs::Failed
        | Handoffs::Blocked
        | Handoffs::BlockedThenComplete
        | Handoffs::CompleteThenBlocked
        | Handoffs::CompleteThenFailed => false,
        Handoffs::OtherGoalComplete
        | Handoffs::OtherGoalBlocked
        | Handoffs::FutureComplete
        | Handoffs::FutureBlocked
        | Handoffs::Broken
        | Handoffs::Misnamed
        | Handoffs::CompleteAndFutureBlocked
        | Handoffs::CompleteAndOtherGoal
        | Handoffs::CompleteAndScript => true,
    }
}

/// Whether a test of the base has nothing that took its place.
fn loses_a_test(changes: Changes) -> bool {
    matches!(
        changes,
        Changes::TestDeletedInside
            | Changes::TestEmptiedInside
            | Changes::TestMovedHollowInside
            | Changes::TestReplacedInside
    )
}

fn class_of(rule: u8, facts: &Facts) -> &'static str {
    match (rule, facts.call) {
        (1, Call::Limited) => "limited",
        (1, Call::FirstInterruption | Call::SecondInterruption) => "interrupted",
        (1, Call::ThirdInterruption) => "failed",
        (1, _) => "not started",
        (4, _) => "blocked",
        (7, _) => "no-progress",
        (9, _) => {
            let new_test = matches!(
                facts.changes,
                Changes::NewTestInside
                    | Changes::NewTestOutside
                    | Changes::TestMovedInside
                    | Changes::TestReplacedInside
            );
            let red = facts.tests == Some(Tests::Red);
            let kept = !loses_a_test(facts.changes);
            let clean = !(facts.handoff_needed && has_a_stray(facts.handoffs));
            if red && kept && clean && (facts.base == Some(Tests::Green) || new_test) {
                "complete (expected failure)"
            } else {
                "failed"
            }
        }
        (12, _) => "complete",
        _ => "failed",
    }
}

fn oracle(facts: &Facts) -> Option<(u8, &'static str)> {
    let applying: Vec<u8> = (1..=12).rev().filter(|rule| rule_applies(*rule, facts)).collect();
    applying.iter().min().map(|rule| (*rule, class_of(*rule, facts)))
}

fn evidence_of(facts: &Facts) -> Evidence {
    let call = match facts.call {
        Call::Ended => CallEnd::Ended,
        Call::Limited => CallEnd::Limited,
        Call::FirstInterruption | Call::SecondInterruption | Call::ThirdInterruption => {
            CallEnd::Interrupted
        }
        Call::NotStarted => CallEnd::NotStarted { why: "x".into() },
        Call::Login => CallEnd::LoginNeeded { advice: "x".into() },
        Call::TimedOut => CallEnd::TimedOut,
        Call::Stalled => CallEnd::Stalled,
        Call::Flooded => CallEnd::Flooded,
        Call::Leaked => CallEnd::Leaked,
        Call::FailedJson => CallEnd::SaidFailed { error: "x".into() },
        Call::BlockedJson => CallEnd::SaidBlocked { reason: "x".into() },
    };
    let breaches =
        [Breach::TooLarge { path: path("big") }, Breach::NotStorable { path: path("pipe") }];
    Evidence {
        call,
        breaches: breaches[..facts.breaches].to_vec(),
        protected: if facts.protected { vec![path(".git/config")] } else { Vec::new() },
        changes: changes_of(facts.changes),
        handoffs: handoffs_of(facts.handoffs),
    }
}

fn changes_of(changes: Changes) -> Vec<Change> {
    let list: &[(&str, ChangeKind)] = match changes {
        Changes::None => &[],
        Changes::HandoffOnly => &[(".ai/handoffs/2026-02-09_143000.md", ChangeKind::Added)],
        Changes::Inside => &[("안/a.py", ChangeKind::Modified)],
        Changes::Outside => &[("out/a.py", ChangeKind::Modified)],
        Changes::InsideAndOutside => {
            &[("안/a.py", ChangeKind::Modified), ("out/a.py", ChangeKind::Deleted)]
        }
        Changes::NewTestInside => &[("안/test_a.py", ChangeKind::Added)],
        Changes::NewTestOutside => &[("out/test_a.py", ChangeKind::Added)],
        Changes::TestDeletedInside => &[("안/test_a.py", ChangeKind::Deleted)],
        Changes::TestEmptiedInside => &[("안/test_a.py", ChangeKind::Emptied)],
        Changes::TestMovedInside => {
            &[("안/test_a.py", ChangeKind::Moved), ("안/b/test_a.py", ChangeKind::Added)]
        }
        Changes::TestReplacedInside => {
            &[("안/test_a.py", ChangeKind::Deleted), ("안/b/test_a.py", ChangeKind::Added)]
        }
        Changes::IgnoredInside => &[("안/test_a.py", ChangeKind::NotCommitted)],
        Changes::IgnoredOutside => &[("out/x", ChangeKind::NotCommitted)],
        Changes::HollowTestInside => &[("안/test_a.py", ChangeKind::Hollow)],
        Changes::TestMovedHollowInside => {
            &[("안/test_a.py", ChangeKind::Deleted), ("안/b/test_a.py", ChangeKind::Hollow)]
        }
    };
    list.iter().map(|(path, kind)| change(path, *kind)).collect()
}

fn handoffs_of(handoffs: Handoffs) -> Vec<NewHandoff> {
    use HandoffWord::{Blocked, Complete, Failed};
    let (later, future) = ("2026-02-09_143000_2.md", "2026-02-10_000000.md");
    match handoffs {
        Handoffs::None => Vec::new(),
        Handoffs::Complete => vec![handoff(NOW, "G", Complete)],
        Handoffs::Failed => vec![handoff(NOW, "G", Failed)],
        Handoffs::Blocked => vec![handoff(NOW, "G", Blocked)],
        Handoffs::OtherGoalComplete => vec![handoff(NOW, "H", Complete)],
        Handoffs::OtherGoalBlocked => vec![handoff(NOW, "H", Blocked)],
        Handoffs::FutureComplete => vec![handoff(future, "G", Complete)],
        Handoffs::FutureBlocked => vec![handoff(future, "G", Blocked)],
        Handoffs::Broken => {
            let content = HandoffContent::Invalid { why: "x".into() };
            vec![NewHandoff { name: NOW.into(), content }]
        }
        Handoffs::Misnamed => vec![handoff("note.md", "G", Complete)],
        Handoffs::BlockedThenComplete => {
            vec![handoff(NOW, "G", Blocked), handoff(later, "G", Complete)]
        }
        Handoffs::CompleteThenBlocked => {
            vec![handoff(NOW, "G", Complete), handoff(later, "G", Blocked)]
        }
        Handoffs::CompleteThenFailed => {
            vec![handoff(NOW, "G", Complete), handoff(later, "G", Failed)]
        }
        Handoffs::CompleteAndFutureBlocked => {
            vec![handoff(NOW, "G", Complete), handoff(future, "G", Blocked)]
        }
        Handoffs::CompleteAndOtherGoal => {
            vec![handoff(NOW, "G", Complete), handoff(later, "H", Complete)]
        }
        Handoffs::CompleteAndScript => {
            let content = HandoffContent::Invalid { why: "x".into() };
            let script = NewHandoff { name: "run-me.sh".into(), content };
            vec![script, handoff(NOW, "G", Complete)]
        }
    }
}

fn end_of(tests: Tests) -> TestEnd {
    match tests {
        Tests::Green => TestEnd::Green,
        Tests::Red => TestEnd::Red { code: 1 },
        Tests::CouldNotRun => TestEnd::CouldNotRun { why: "127".into() },
    }
}

fn rules_of(facts: &Facts) -> Rules {
    let allowed: &[&str] = if facts.limited_scope { &["안/"] } else { &[] };
    Rules {
        scope: Scope::new(allowed, HANDOFFS),
        wanted: if facts.expect_failure { WantedTests::Red } else { WantedTests::Green },
        handoff: if facts.handoff_needed { WantedHandoff::Needed } else { WantedHandoff::NotAsked },
        base_tests: facts.base.map(end_of),
        interruptions_before: match facts.call {
            Call::SecondInterruption => 1,
            Call::ThirdInterruption => 2,
            _ => 0,
        },
        ..rules()
    }
}

/// Everything that can differ while the evidence stays the same.
fn circumstances(call: Call, then: &mut dyn FnMut(Facts)) {
    for breaches in 0..=2 {
        for protected in BOTH {
            for handoffs in HANDOFF_KINDS {
                for changes in CHANGE_KINDS {
                    then(Facts {
                        call,
                        breaches,
                        protected,
                        handoffs,
                        changes,
                        limited_scope: false,
                        expect_failure: false,
                        handoff_needed: true,
                        base: None,
                        tests: None,
                    });
                }
            }
        }
    }
}

fn agreements(then: &mut dyn FnMut(Facts)) {
    for call in CALLS {
        circumstances(call, &mut |facts| {
            for limited_scope in BOTH {
                for expect_failure in BOTH {
                    for handoff_needed in BOTH {
                        for base in TEST_KINDS {
                            let facts = Facts {
                                limited_scope,
                                expect_failure,
                                handoff_needed,
                                base,
                                ..facts
                            };
                            then(facts);
                        }
                    }
                }
            }
        });
    }
}

#[test]
fn the_judge_and_the_oracle_agree_on_every_combination() {
    let mut combinations = 0_u64;
    let mut by_rule = [0_u64; 13];
    agreements(&mut |facts| {
        let (evidence, rules) = (evidence_of(&facts), rules_of(&facts));
        for tests in TEST_KINDS {
            let facts = Facts { tests, ..facts };
            let run = tests.map(|end| crate::scene::tests(end_of(end)));
            let judged = match judge(&evidence, &rules, run.as_ref()) {
                Judged::NeedsTests => None,
                Judged::Verdict(verdict) => Some((verdict.rule, verdict.class.as_str())),
            };
            assert_eq!(judged, oracle(&facts), "{facts:?}");
            combinations += 1;
            by_rule[judged.map_or(0, |(rule, _)| usize::from(rule))] += 1;
        }
    });
    let counted: u64 = by_rule.iter().sum();
    let rows = format!("{combinations} combinations; needs tests and rules 1 to 12: {by_rule:?}");
    assert_eq!(counted, combinations);
    assert!(by_rule.iter().all(|count| *count > 0), "every rule is reached: {rows}");
    assert_eq!(combinations, 13 * 3 * 2 * 16 * 15 * 2 * 2 * 2 * 4 * 4, "{rows}");
    report(&rows);
}

#[expect(clippy::disallowed_macros, reason = "a test may tell how much it compared")]
fn report(text: &str) {
    println!("{text}");
}
