//! Earlier runs leave kept work behind, and a run that stops writes down why. These tests run in
//! memory.

use hast_flow::agents::resume_time::{KnownLimit, ResetSource, ResumeTime};
use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::evidence::TestEnd::{Green, Red};
use hast_flow::attempt::recovery::StartFrom;
use hast_flow::steps::{CallResult, Ending};
use serde_json::Value;

use crate::scene::{Auto, Left, handoff, id};

/// One goal, handed over with its work on a branch.
fn handed_over() -> Auto {
    let blocks = Left { handoff: Some(handoff("M1", "blocked")), ..Left::honest("M1") };
    let mut auto = Auto::with(vec![blocks, Left::honest("M1")], vec![Green, Green, Green]);
    auto.git.tree = id('1');
    assert!(matches!(auto.drive(), Ending::Blocked(_)));
    assert!(auto.git.refs.contains_key("refs/heads/hast/kept/M1"));
    auto.git.did.clear();
    auto
}

/// A person gives the goal back, and another run begins.
fn given_back(auto: &mut Auto, from: StartFrom) {
    let goals = auto.goals();
    let end = goals.find("    blocked_reason").unwrap();
    let goals = goals[..end].replace("blocked", "active");
    auto.files.insert("goals.yaml".into(), goals.into_bytes());
    auto.flow.auto.from = from;
    auto.dies();
}

fn told(auto: &Auto, kind: &str) -> Value {
    let events = auto.events();
    let last = events.iter().rev().find(|event| event["type"] == kind);
    last.unwrap_or_else(|| panic!("no {kind}"))["detail"].clone()
}

fn position(auto: &Auto, start: &str) -> usize {
    let found = auto.git.did.iter().position(|did| did.starts_with(start));
    found.unwrap_or_else(|| panic!("no {start}: {:?}", auto.git.did))
}

#[test]
fn without_continue_the_next_attempt_begins_at_the_branch() {
    let mut auto = handed_over();
    given_back(&mut auto, StartFrom::Base);
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert!(!auto.git.did.iter().any(|did| did.starts_with("restore")), "{:?}", auto.git.did);
}

#[test]
fn nothing_begins_with_kept_work_while_another_worker_has_the_goal() {
    for from in [StartFrom::Base, StartFrom::KeptWork] {
        let mut auto = handed_over();
        given_back(&mut auto, from);
        auto.elsewhere.insert("M1");
        let ending = auto.drive();
        assert!(
            matches!(&ending, Ending::Failed(notice) if notice.what.contains("M1")),
            "{ending:?}"
        );
        let begun = |did: &&String| did.starts_with("record") || did.starts_with("restore");
        assert_eq!(auto.git.did.iter().find(begun), None, "{:?}", auto.git.did);
    }
}

#[test]
fn kept_work_is_known_though_its_run_died_before_the_status_was_committed() {
    let blocks = Left { handoff: Some(handoff("M1", "blocked")), ..Left::honest("M1") };
    let mut auto = Auto::with(vec![blocks, Left::honest("M1")], vec![Green, Green, Green]);
    while auto.count("GOAL_BLOCKED") == 0 {
        assert!(auto.turn().is_none());
    }
    auto.dies();
    auto.drive();
    assert_eq!(auto.count("GOALS_COMMITTED"), 1);
    auto.git.did.clear();
    given_back(&mut auto, StartFrom::KeptWork);
    assert!(matches!(auto.drive(), Ending::Done(_)), "{:?}", auto.git.did);
    assert!(position(&auto, "record M1/2") < position(&auto, "restore 5555"));
}

#[test]
fn continue_records_a_clean_base_and_puts_the_work_back_before_the_call() {
    let mut auto = handed_over();
    given_back(&mut auto, StartFrom::KeptWork);
    assert!(matches!(auto.drive(), Ending::Done(_)));
    let record = position(&auto, "record M1/2");
    assert!(record < position(&auto, "restore 5555"));
    assert!(position(&auto, "restore 5555") < position(&auto, "call M1 2"));
    assert!(auto.calls[1].prompt.contains("이어서 작업하라"), "{}", auto.calls[1].prompt);
}

#[test]
fn only_the_next_attempt_begins_with_the_kept_work() {
    let mut auto = handed_over();
    auto.agent.push_back(Left::honest("M1"));
    auto.tests = vec![Red { code: 1 }, Green].into();
    given_back(&mut auto, StartFrom::KeptWork);
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert_eq!(auto.git.did.iter().filter(|did| did.starts_with("restore")).count(), 1);
    assert!(position(&auto, "restore") < position(&auto, "call M1 2"));
}

/// Whoever says `--continue` again after a kill means the same run.
#[test]
fn a_run_that_goes_on_after_a_kill_puts_the_kept_work_back_no_second_time() {
    for death in ["ATTEMPT_STARTED", "ATTEMPT_SETTLED"] {
        let mut auto = handed_over();
        auto.agent = vec![Left::honest("M1"), Left::honest("M1"), Left::honest("M1")].into();
        auto.tests = vec![Red { code: 1 }, Green, Green].into();
        given_back(&mut auto, StartFrom::KeptWork);
        let before = auto.count(death);
        while auto.count(death) == before {
            assert!(auto.turn().is_none(), "{death}");
        }
        auto.dies();
        assert!(matches!(auto.drive(), Ending::Done(_)), "{death}");
        let third = position(&auto, "record M1/3");
        assert!(position(&auto, "restore") < third, "{death}: {:?}", auto.git.did);
        let after = &auto.git.did[third..];
        assert!(!after.iter().any(|did| did.starts_with("restore")), "{death}: {after:?}");
    }
}

#[test]
fn kept_work_whose_files_were_committed_by_others_since_is_not_gone_on_with() {
    let mut auto = handed_over();
    let kept = told(&auto, "GOAL_BLOCKED")["kept"].clone();
    let object = |key: &str| kept[key].as_str().unwrap().parse::<ObjectId>().unwrap();
    auto.git.differences.insert((object("base_tree"), object("tree")), vec!["src/a.py"]);
    auto.git.differences.insert((object("base"), auto.git.head.clone()), vec!["src/a.py", "b"]);
    given_back(&mut auto, StartFrom::KeptWork);
    let Ending::Failed(notice) = auto.drive() else { panic!() };
    assert!(notice.what.contains("src/a.py") && !notice.what.contains(", b"), "{notice:?}");
    assert_eq!(auto.calls.len(), 1, "no other agent was called");
    auto.flow.auto.from = StartFrom::Base;
    auto.dies();
    assert!(matches!(auto.drive(), Ending::Done(_)));
}

#[test]
fn what_stops_a_run_is_noted_and_spends_nothing() {
    let until = "2026-02-09T07:30:00Z".parse().unwrap();
    let limit = KnownLimit { until, source: ResetSource::Agent };
    let until = ResumeTime { limit, now: "2026-02-09T14:30:00+09:00".parse().unwrap() };
    let stops = [
        (CallResult::Limited { agent: "claude".into(), until }, Some("limit")),
        (
            CallResult::LoginNeeded { agent: "claude".into(), advice: "/login".into() },
            Some("login"),
        ),
        (CallResult::OverBudget { reason: "used up".into(), next: "wait".into() }, Some("budget")),
        (CallResult::NotStarted { reason: "gone".into(), next: "x".into() }, Some("not_started")),
        (CallResult::Cancelled, None),
    ];
    for (result, cause) in stops {
        let mut auto = Auto::with(vec![Left::honest("M1")], vec![Green, Green]);
        auto.stops_with(&result);
        let log = auto.events();
        let last = log.last().unwrap();
        let stopped =
            (last["type"] == "STOPPED").then(|| last["detail"]["cause"].as_str().unwrap());
        assert_eq!(stopped, cause);
        if cause.is_some() {
            assert_eq!(
                (&last["detail"]["goal_id"], &last["detail"]["attempt"]),
                (&"M1".into(), &1.into())
            );
            assert!(!last["detail"]["what"].as_str().unwrap().is_empty());
        }
        assert_eq!(auto.view.shared.ledger("M1").spent(), 0);
        let fresh = auto.read_again();
        assert_eq!(auto.view.lanes, fresh.lanes, "a fresh read knows the same");
        auto.dies();
        assert!(matches!(auto.drive(), Ending::Done(_)));
        let interrupted = told(&auto, "ATTEMPT_INTERRUPTED");
        assert_eq!(interrupted["counts"] == Value::Bool(false), cause.is_some(), "{interrupted}");
    }
}

#[test]
fn a_goal_that_was_done_and_is_wanted_again_has_all_its_attempts() {
    let mut auto = Auto::with(vec![Left::honest("M1")], vec![Green, Green]);
    assert!(matches!(auto.drive(), Ending::Done(_)));
    let goals = auto.goals().replace("status: done", "status: active");
    auto.files.insert("goals.yaml".to_owned(), goals.into_bytes());
    auto.dies();
    let wrong = || Left { handoff: None, ..Left::honest("M1") };
    auto.agent = (0..3).map(|_| wrong()).collect();
    auto.tests = vec![Green; 6].into();
    assert!(matches!(auto.drive(), Ending::Blocked(_)));
    assert_eq!(auto.calls.len(), 1 + 3, "as many as ever");
}
