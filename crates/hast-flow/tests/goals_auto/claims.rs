//! Nobody works on a goal that another worker has, and a late result does not count.

use hast_flow::attempt::evidence::TestEnd::{Green, Red};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::steps::{Ending, Notice};

use crate::scene::{Auto, Left, handoff};

const TWO: &str = "goals:
  - id: M1
    title: Login
    status: active
  - id: M2
    title: Logout
    status: active
";

fn two(agent: Vec<Left>) -> Auto {
    let mut auto = Auto::new(TWO);
    auto.agent = agent.into();
    auto.tests = vec![Green; 6].into();
    auto
}

fn done(ending: Ending) -> Notice {
    let Ending::Done(notice) = ending else { panic!("{ending:?}") };
    notice
}

fn failed(ending: Ending) -> Notice {
    let Ending::Failed(notice) = ending else { panic!("{ending:?}") };
    notice
}

fn calls(auto: &Auto) -> Vec<&str> {
    auto.calls.iter().map(|call| call.unit.as_str()).collect()
}

#[test]
fn a_goal_that_another_worker_has_is_passed_over_and_told() {
    let mut auto = two(vec![Left::honest("M2")]);
    auto.elsewhere.insert("M1");
    let notice = done(auto.drive());
    assert_eq!(calls(&auto), ["M2"]);
    assert!(notice.what.contains("다른 작업자") && notice.what.contains("M1"), "{notice:?}");
    assert!(auto.goals().contains("id: M1\n    title: Login\n    status: active"));
}

#[test]
fn a_named_goal_that_another_worker_has_starts_nothing() {
    let mut auto = two(Vec::new());
    auto.flow.auto.asked = Asked { goal: Some("M1".into()), depth: Depth::One };
    auto.elsewhere.insert("M1");
    let notice = failed(auto.drive());
    assert!(notice.what.contains("M1") && notice.next.contains("queue list"), "{notice:?}");
    assert!(!auto.git.did.iter().any(|did| did.starts_with("test") || did.starts_with("record")));
}

#[test]
fn where_everything_that_could_run_is_with_others_nothing_counts_as_done() {
    for depth in [Depth::One, Depth::Leaves] {
        let mut auto = two(Vec::new());
        auto.flow.auto.asked.depth = depth;
        auto.elsewhere.extend(["M1", "M2"]);
        let notice = failed(auto.drive());
        assert!(notice.what.contains("M1, M2"), "{notice:?}");
        assert_eq!(auto.count("ATTEMPT_STARTED"), 0);
    }
}

#[test]
fn a_part_of_what_was_named_that_another_worker_has_keeps_it_from_being_done() {
    let tree = TWO.replace("\n  ", "\n      ").replace(
        "goals:\n",
        "goals:\n  - id: P\n    title: Parent\n    status: active\n    children:\n",
    );
    let mut auto = Auto::new(&tree);
    (auto.agent, auto.tests) = (vec![Left::honest("M2")].into(), vec![Green; 4].into());
    auto.flow.auto.asked = Asked { goal: Some("P".into()), depth: Depth::Leaves };
    auto.elsewhere.insert("M1");
    let notice = failed(auto.drive());
    assert_eq!(calls(&auto), ["M2"]);
    assert!(notice.what.contains("완료: M2") && notice.what.contains("M1"), "{notice:?}");
}

#[test]
fn without_a_name_the_first_free_goal_is_taken_and_no_second_one() {
    let mut auto = two(vec![Left::honest("M2")]);
    auto.flow.auto.asked.depth = Depth::One;
    auto.elsewhere.insert("M1");
    let notice = done(auto.drive());
    assert_eq!(calls(&auto), ["M2"]);
    assert!(notice.what.contains("M2; 다른 작업자") && notice.what.contains("M1"), "{notice:?}");

    let mut auto = two(vec![Left::honest("M1")]);
    auto.flow.auto.asked.depth = Depth::One;
    done(auto.drive());
    assert_eq!(calls(&auto), ["M1"]);
}

#[test]
fn a_goal_is_claimed_once_and_the_claim_is_looked_at_before_each_attempt_and_the_merge() {
    let wrong = Left { handoff: None, ..Left::honest("M1") };
    let mut auto = two(vec![wrong, Left::honest("M1"), Left::honest("M2")]);
    done(auto.drive());
    let asks = |did: &&String| did.ends_with(" M1") || did.ends_with(" M2");
    let asks = |did: &&String| asks(did) && (did.starts_with("claim") || did.starts_with("keep M"));
    let asked: Vec<_> = auto.git.did.iter().filter(asks).collect();
    assert_eq!(asked, ["claim M1", "keep M1", "keep M1", "claim M2", "keep M2"]);
}

#[test]
fn a_goal_that_is_lost_between_attempts_is_left_to_whoever_has_it() {
    let wrong = Left { handoff: None, ..Left::honest("M1") };
    let mut auto = two(vec![wrong, Left::honest("M2")]);
    while !auto.kinds().iter().any(|kind| kind == "ATTEMPT_SETTLED") {
        assert!(auto.turn().is_none());
    }
    auto.elsewhere.insert("M1");
    let notice = done(auto.drive());
    assert_eq!(calls(&auto), ["M1", "M2"]);
    assert!(notice.what.contains("M1"), "{notice:?}");
}

/// Drives until there is a verdict, then the claim is lost.
fn lost_after_the_verdict(auto: &mut Auto) -> Notice {
    while auto.count("ATTEMPT_JUDGED") == 0 {
        assert!(auto.turn().is_none());
    }
    auto.elsewhere.insert("M1");
    failed(auto.drive())
}

#[test]
fn a_result_that_comes_after_its_claim_was_lost_is_kept_on_a_branch_and_does_not_count() {
    let agents = [
        (Left::honest("M1"), "it passed"),
        (Left { handoff: Some(handoff("M1", "blocked")), ..Left::honest("M1") }, "it gave up"),
    ];
    for (agent, which) in agents {
        let mut auto = Auto::with(vec![agent], vec![Green, Green]);
        let before = auto.goals();
        let notice = lost_after_the_verdict(&mut auto);
        assert!(notice.what.contains("다른 작업자"), "{which}: {notice:?}");
        assert_eq!(auto.goals(), before, "{which}");
        let did = |start: &str| auto.git.did.iter().position(|did| did.starts_with(start));
        assert!(did("keep refs/heads/hast/kept/M1").is_some(), "{which}: {:?}", auto.git.did);
        assert!(did("merge").is_none() && did("build chore").is_none(), "{which}");
        let settled = auto.events().into_iter().find(|event| event["type"] == "ATTEMPT_SETTLED");
        assert_eq!(settled.unwrap()["detail"]["then"], "lease_lost", "{which}");
        assert_eq!(auto.count("GOAL_DONE") + auto.count("GOAL_BLOCKED"), 0, "{which}");
    }
}

#[test]
fn a_merge_that_was_begun_under_the_claim_is_ended_without_it() {
    let mut auto = Auto::with(vec![Left::honest("M1")], vec![Green, Green]);
    while !auto.git.did.contains(&"merge".to_owned()) {
        assert!(auto.turn().is_none());
    }
    auto.dies();
    auto.elsewhere.insert("M1");
    let notice = done(auto.drive());
    assert!(!notice.what.contains("다른 작업자"), "{notice:?} {:?}", auto.git.did);
    assert!(auto.goals().contains("status: done"));
}

#[test]
fn a_failed_attempt_is_tried_again_only_under_the_claim() {
    let mut auto = Auto::with(vec![Left::honest("M1")], vec![Green, Red { code: 1 }]);
    let notice = lost_after_the_verdict(&mut auto);
    assert!(notice.what.contains("다른 작업자"), "{notice:?}");
    assert_eq!(calls(&auto), ["M1"]);
}

#[test]
fn where_nobody_can_be_asked_whose_a_goal_is_nothing_is_begun_and_nothing_is_settled() {
    let mut auto = two(Vec::new());
    auto.no_queue = true;
    let Ending::Blocked(notice) = auto.drive() else { panic!("not told") };
    assert!(notice.what.contains("no space left") && !notice.what.contains("M1"), "{notice:?}");

    let mut auto = Auto::with(vec![Left::honest("M1")], vec![Green, Green]);
    while auto.count("ATTEMPT_JUDGED") == 0 {
        assert!(auto.turn().is_none());
    }
    auto.no_queue = true;
    assert!(matches!(auto.drive(), Ending::Blocked(_)));
    assert!(auto.git.left.is_some(), "the work is where it was");
    auto.no_queue = false;
    auto.dies();
    done(auto.drive());
    assert!(auto.goals().contains("status: done"));
}
