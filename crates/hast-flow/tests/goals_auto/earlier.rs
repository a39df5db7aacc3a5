//! Earlier versions of hast worked in the user's checkout and left events in the log. hast tells of
//! them once and closes them. They keep no run from working. The logs are written as those versions
//! wrote them.

use hast_flow::attempt::evidence::TestEnd::Green;
use hast_flow::steps::Ending;
use serde_json::{Value, json};

use crate::scene::{Auto, Left, id};

fn with_log(events: &[(&str, Value)]) -> Auto {
    let mut auto = Auto::with(vec![Left::honest("M1")], vec![Green, Green]);
    let mut log = String::new();
    for (number, (kind, detail)) in events.iter().enumerate() {
        let line = json!({
            "event_id": format!("EV-20260209T053000Z-{:04}", number + 1),
            "ts": "2026-02-09T05:30:00Z",
            "actor": "controller",
            "type": kind,
            "detail": detail,
        });
        log += &format!("{line}\n");
    }
    auto.files.insert("events/events.ndjson".into(), log.into_bytes());
    auto.view = auto.read_again();
    auto
}

fn begun() -> Vec<(&'static str, Value)> {
    let run = json!({"run": "run-0", "goal": null, "recursive": false, "continues": null});
    let attempt = json!({"goal_id": "M1", "attempt": 1, "handoff": "2026-02-09_143000.md", "continues": null});
    vec![
        ("AUTO_STARTED", run),
        ("GOAL_STARTED", json!({"goal_id": "M1", "title": "Login"})),
        ("ATTEMPT_STARTED", attempt),
    ]
}

/// Drives to the end; what the start told.
fn told(auto: &mut Auto) -> Value {
    let before = auto.events().len();
    let ending = auto.drive();
    assert!(matches!(ending, Ending::Done(_)), "{ending:?} {:?}", auto.git.did);
    let started = auto.events()[before].clone();
    assert_eq!(started["type"], "AUTO_STARTED");
    started["detail"]["earlier"].clone()
}

/// Another run says nothing of it any more.
fn is_told_once(auto: &mut Auto) {
    let goals = auto.goals().replace("status: done", "status: active");
    auto.files.insert("goals.yaml".into(), goals.into_bytes());
    auto.dies();
    auto.agent = vec![Left::honest("M1")].into();
    auto.tests = vec![Green; 3].into();
    assert_eq!(told(auto), json!([]));
}

#[test]
fn an_attempt_that_was_cut_off_in_the_checkout_is_told_and_closed_as_interrupted() {
    let mut ended = begun();
    ended.push(("ATTEMPT_ENDED", json!({"goal_id": "M1", "attempt": 1, "end": "ended"})));
    let mut judged = ended.clone();
    judged.push(("ATTEMPT_JUDGED", json!({"goal_id": "M1", "attempt": 1, "class": "complete"})));
    for (events, spent) in [(begun(), 1), (ended, 1), (judged, 2)] {
        let mut auto = with_log(&events);
        let base = json!({
            "version": 1, "key": "M1/1", "branch": "refs/heads/main", "commit": id('a'),
            "tree": id('1'), "snapshot": id('e'),
            "rules": {"leave_out": [], "protected": [], "protect": [], "handoffs": null},
            "at": "2026-02-09T05:30:00Z",
        });
        auto.files.insert("attempts/M1/1/base.json".into(), base.to_string().into_bytes());
        auto.view = auto.read_again();
        let earlier = told(&mut auto);
        assert_eq!(earlier, json!([{"left": "attempt", "goal_id": "M1", "base": id('a')}]));
        let kinds = auto.kinds();
        let at = events.len();
        assert_eq!(kinds[at + 1..at + 3], ["ATTEMPT_INTERRUPTED", "ATTEMPT_SETTLED"]);
        assert_eq!(auto.calls[0].attempt, 2);
        assert_eq!(auto.view.shared.ledger("M1").spent(), spent, "only what was judged");
        is_told_once(&mut auto);
    }
}

#[test]
fn a_status_that_was_written_and_not_committed_is_committed_by_the_next_run() {
    let mut events = begun();
    let settled = json!({"goal_id": "M1", "attempt": 1, "then": "done", "head": id('a'), "commit_goals_on": id('a')});
    events.push(("ATTEMPT_JUDGED", json!({"goal_id": "M1", "attempt": 1, "class": "complete"})));
    events.push(("GOAL_DONE", json!({"goal_id": "M1", "attempt": 1})));
    events.push(("ATTEMPT_SETTLED", settled));
    let mut auto = with_log(&events);
    let goals = auto.goals().replace("status: active", "status: done");
    auto.files.insert("goals.yaml".into(), goals.into_bytes());
    auto.git.users = vec![".ai/goals.yaml".into()];
    auto.view = auto.read_again();
    auto.drive();
    assert!(
        auto.git.did.contains(&"build chore(M1): goal status".to_owned()),
        "{:?}",
        auto.git.did
    );
    assert!(auto.calls.is_empty());
}

#[test]
fn commits_that_no_gate_has_judged_are_told_and_in_nobodys_way() {
    let unjudged =
        json!({"goal_id": "M1", "branch": "refs/heads/main", "base": id('b'), "head": id('a')});
    let mut events = begun();
    let what = "the last run ended abnormally, and the branch has moved since";
    events.push(("AUTO_STARTED", json!({"run": "run-0+"})));
    events.push((
        "GOAL_BLOCKED",
        json!({"goal_id": "M1", "attempt": 1, "code": "recovery", "reason": what}),
    ));
    let recovered = json!({"ref": "refs/hast/recovered/x", "what": what, "next": "look", "unlocked": [], "guarded": null, "unjudged": unjudged});
    events.push(("RECOVERED", recovered));
    events.push(("RETRIED", json!({"goal_id": "M1"})));
    let mut auto = with_log(&events);
    let earlier = told(&mut auto);
    let told = json!([{"left": "commits", "goal_id": "M1", "base": id('b'), "head": id('a')}]);
    assert_eq!(earlier, told);
    is_told_once(&mut auto);
}

#[test]
fn work_that_was_left_in_the_checkout_is_told_and_can_be_gone_on_with() {
    let kept = json!({
        "ref": "refs/hast/attempts/M1/1", "commit": id('5'), "tree": id('6'),
        "branch": "refs/heads/main", "base": id('a'), "base_tree": id('1'), "in_tree": true,
    });
    let mut events = begun();
    let blocked = json!({"goal_id": "M1", "attempt": 1, "code": "handoff_blocked", "reason": "no key", "kept": kept});
    events.push(("ATTEMPT_JUDGED", json!({"goal_id": "M1", "attempt": 1, "class": "blocked"})));
    events.push(("GOAL_BLOCKED", blocked));
    events.push((
        "ATTEMPT_SETTLED",
        json!({"goal_id": "M1", "attempt": 1, "then": "blocked", "head": id('a')}),
    ));
    events.push(("RETRIED", json!({"goal_id": "M1"})));
    let mut auto = with_log(&events);
    auto.git.users = vec!["src/a.py".into()];
    auto.flow.auto.from = hast_flow::attempt::recovery::StartFrom::KeptWork;
    let earlier = told(&mut auto);
    let work = json!([{"left": "uncommitted", "goal_id": "M1", "name": "refs/hast/attempts/M1/1", "base": id('a')}]);
    assert_eq!(earlier, work);
    assert!(auto.git.did.contains(&"restore 5555".to_owned()), "{:?}", auto.git.did);
    auto.flow.auto.from = hast_flow::attempt::recovery::StartFrom::Base;
    is_told_once(&mut auto);
}
