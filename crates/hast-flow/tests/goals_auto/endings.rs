//! The end of a run names goals that were blocked before the run began.

use hast_flow::attempt::evidence::TestEnd::Green;
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::steps::{Ending, Notice};

use crate::scene::{Auto, Left};

/// A parent with an active and a blocked leaf, and a blocked goal beside it.
const GOALS: &str = "goals:
  - id: P
    title: Parent
    status: active
    children:
      - id: P.1
        title: One
        status: active
      - id: \"P 3\"
        title: Three
        status: blocked
        blocked_reason: a person decides
  - id: Q
    title: Other
    status: blocked
    blocked_reason: too hard
";

fn asked(goal: Option<&str>, depth: Depth, goals: &str) -> Auto {
    let mut auto = Auto::new(goals);
    auto.flow.auto.asked = Asked { goal: goal.map(str::to_owned), depth };
    (auto.agent, auto.tests) = (vec![Left::honest("P.1")].into(), vec![Green; 2].into());
    auto
}

fn blocked(ending: Ending) -> Notice {
    let Ending::Blocked(notice) = ending else { panic!("{ending:?}") };
    notice
}

fn done(ending: Ending) -> Notice {
    let Ending::Done(notice) = ending else { panic!("{ending:?}") };
    notice
}

#[test]
fn a_named_goal_with_a_blocked_leaf_is_not_done_though_the_others_are() {
    let mut auto = asked(Some("P"), Depth::Leaves, GOALS);
    let notice = blocked(auto.drive());
    assert!(notice.what.contains("완료: P.1"), "{notice:?}");
    assert!(notice.what.contains("P 3 (a person decides)"), "{notice:?}");
    assert!(!notice.what.contains('Q'), "not asked for: {notice:?}");
    assert!(notice.next.contains("hast retry 'P 3'"), "{notice:?}");
}

#[test]
fn a_named_goal_that_has_only_blocked_leaves_left_is_refused_before_anything_begins() {
    let goals = GOALS.replacen("One\n        status: active", "One\n        status: done", 1);
    let mut auto = asked(Some("P"), Depth::Leaves, &goals);
    let notice = blocked(auto.drive());
    assert!(notice.what.contains("P 3 (a person decides)"), "{notice:?}");
    assert!(notice.next.contains("hast retry 'P 3'"), "{notice:?}");
    assert_eq!(auto.events(), Vec::<serde_json::Value>::new());
}

#[test]
fn a_goal_that_a_person_called_done_is_done_whatever_is_below_it() {
    let goals = GOALS.replacen("status: active", "status: done", 1);
    let mut auto = asked(Some("P"), Depth::Leaves, &goals);
    let notice = done(auto.drive());
    assert!(!notice.what.contains("P 3"), "{notice:?}");
}

#[test]
fn without_a_named_goal_what_was_blocked_before_is_told_and_does_not_fail_the_run() {
    for depth in [Depth::One, Depth::Leaves] {
        let notice = done(asked(None, depth, GOALS).drive());
        assert!(notice.what.contains("완료: P.1"), "{notice:?}");
        assert!(notice.what.contains("P 3 (a person decides), Q (too hard)"), "{notice:?}");
    }
    let idle = GOALS.replace("status: active", "status: pending");
    let notice = done(asked(None, Depth::Leaves, &idle).drive());
    assert!(notice.what.contains("P 3") && notice.next.contains("hast retry 'P 3'"), "{notice:?}");
}

#[test]
fn what_this_run_handed_over_comes_first_and_long_lists_and_reasons_are_cut() {
    let mut goals = GOALS.replace("too hard", &"long ".repeat(40));
    for number in 0..6 {
        goals += &format!("  - {{id: R{number}, title: R, status: blocked}}\n");
    }
    let mut auto = asked(None, Depth::Leaves, &goals);
    auto.flow.auto.settings.max_retries = 1;
    auto.agent = vec![Left { handoff: None, ..Left::honest("P.1") }].into();
    let notice = blocked(auto.drive());
    assert!(notice.what.starts_with("P.1이 1번 시도한 뒤 막혔습니다: "), "{notice:?}");
    assert!(
        notice.what.contains("long long…)") && notice.what.ends_with("R0, R1, R2, +3"),
        "{notice:?}"
    );
    assert!(notice.next.contains("hast retry P.1"), "{notice:?}");
}

/// A parent with a leaf that waits for a goal elsewhere.
const WAITS: &str = "goals:
  - id: Q
    title: Other
    status: pending
  - id: P
    title: Parent
    status: active
    children:
      - id: P.1
        title: One
        status: active
      - id: P.2
        title: Two
        status: active
        depends_on: [Q]
      - id: P.3
        title: Three
        status: active
        mode: interactive
";

#[test]
fn a_named_goal_with_a_leaf_that_waits_is_not_done_and_the_leaf_is_named() {
    let mut auto = asked(Some("P"), Depth::Leaves, WAITS);
    for is_done in [true, false] {
        let Ending::Failed(notice) = auto.drive() else { panic!() };
        assert_eq!(notice.what.contains("완료: P.1"), is_done, "{notice:?}");
        assert!(notice.what.contains("P.2 (Q 대기)") && notice.what.contains("P.3"), "{notice:?}");
        assert!(notice.next.contains("Q") && notice.next.contains("status: active"), "{notice:?}");
        auto.dies();
    }
}

#[test]
fn whoever_names_no_goal_hears_of_what_waits_and_is_done() {
    let mut auto = asked(None, Depth::Leaves, WAITS);
    let notice = done(auto.drive());
    assert!(notice.what.contains("P.1") && notice.what.contains("P.2 (Q 대기)"), "{notice:?}");
    let interactive = WAITS.replace("depends_on: [Q]", "mode: interactive");
    let mut auto = asked(Some("P"), Depth::Leaves, &interactive);
    let notice = done(auto.drive());
    assert!(notice.what.contains("P.2, P.3"), "auto leaves them to a person: {notice:?}");
}

#[test]
fn naming_a_blocked_goal_ends_as_blocked_with_what_to_do() {
    let mut auto = asked(Some("Q"), Depth::One, GOALS);
    let notice = blocked(auto.drive());
    assert!(notice.what.contains("too hard") && notice.next.contains("hast retry Q"), "{notice:?}");
    assert!(auto.calls.is_empty());
}
