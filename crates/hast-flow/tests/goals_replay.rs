//! Looking back at the log of events: what waits for a person, what each goal came to, and that it
//! does not matter in how many pieces the log is read.
#![cfg(test)]

use hast_flow::docs::document::read;
use hast_flow::docs::goals::{GoalStatus, GoalViews, Goals};
use hast_flow::flows::goals::replay::Replay;
use hast_flow::flows::goals::selection::placed;
use hast_flow::formats::source::Source;
use hast_flow::inbox::{Item, ItemKind, ItemState};
use proptest::prelude::*;
use serde_json::{Value, json};

fn line(number: u64, kind: &str, detail: Value) -> String {
    let (minute, second) = (number / 60 % 60, number % 60);
    let ts = format!("2026-02-09T14:{minute:02}:{second:02}Z");
    let id = format!("EV-20260209T14{minute:02}{second:02}Z-{number:04}");
    let mut event = json!({"event_id": id, "ts": ts, "actor": "controller", "type": kind});
    event["detail"] = detail;
    format!("{event}\n")
}

fn replayed(lines: &[String]) -> Replay {
    let mut replay = Replay::default();
    for line in lines {
        replay.line(line.as_bytes());
    }
    replay
}

fn waiting(replay: &Replay) -> Vec<(ItemKind, &str)> {
    replay.inbox().waiting().into_iter().map(|item| (item.kind, item.unit.as_str())).collect()
}

fn judged(number: u64, goal: &str, attempt: u32, rule: u8, class: &str) -> String {
    line(
        number,
        "ATTEMPT_JUDGED",
        json!({"goal_id": goal, "attempt": attempt, "rule": rule, "class": class, "code": "c", "reason": "why", "changed": ["src/a.rs"], "test_tail": "boom", "look": ["git diff x y"]}),
    )
}

fn blocked(number: u64, goal: &str, attempt: u32) -> String {
    line(
        number,
        "GOAL_BLOCKED",
        json!({"goal_id": goal, "attempt": attempt, "code": "retries", "reason": "max retries exceeded", "title": "T", "diff": {"files": 12, "added": 3, "removed": 1, "paths": ["M a +3 -1"]}, "test_tail": "one\ntwo", "look": ["git diff a b"], "class": "failed", "kept": {"ref": "refs/hast/attempts/M1/1", "in_tree": false}}),
    )
}

#[test]
fn a_settled_attempt_tells_the_goals_status_with_its_reason_and_the_ref_of_the_last_one_counts() {
    let settled = |number: u64, attempt: u32, status: Value| {
        let saved = json!({"name": format!("refs/hast/attempts/M1/{attempt}")});
        let detail = json!({"goal_id": "M1", "attempt": attempt, "saved": saved, "status": status});
        line(number, "ATTEMPT_SETTLED", detail)
    };
    let lines = [
        settled(1, 1, Value::Null),
        settled(2, 2, json!({"blocked": {"reason": "max retries exceeded (2)"}})),
        line(3, "STATUS_SET", json!({"goal_id": "M2", "status": "dropped"})),
        line(4, "STATUS_SET", json!({"goal_id": "M2", "status": "never heard of"})),
        line(5, "STATUS_SET", json!({"goal_id": "M2", "status": {"never": "heard of"}})),
    ];
    let views = replayed(&lines).views();
    assert_eq!((views.log.events, views.log.unreadable), (3, 2), "{views:?}");
    assert_eq!(views.goals["M1"].saved.as_deref(), Some("refs/hast/attempts/M1/2"));
    assert_eq!(views.goals["M2"].status, Some(GoalStatus::Dropped));
}

#[test]
fn a_blocked_goal_waits_with_its_evidence_until_it_is_retried() {
    let mut lines = vec![judged(1, "M1", 1, 10, "failed"), blocked(2, "M1", 1)];
    let replay = replayed(&lines);
    let item = replay.inbox().waiting()[0].clone();
    assert_eq!((item.kind, item.unit.as_str()), (ItemKind::BlockedGoal, "M1"));
    assert!(item.title.contains("max retries exceeded"));
    let evidence = item.evidence.join("\n");
    for part in
        ["attempt 1: failed", "files 12, +3 -1", "M a +3 -1", "(+11)", "| two", "$ git diff a b"]
    {
        assert!(evidence.contains(part), "{part}: {evidence}");
    }
    assert!(item.evidence.len() < 24, "one screen");
    lines.push(line(3, "RETRIED", json!({"goal_id": "M1"})));
    let replay = replayed(&lines);
    assert!(waiting(&replay).is_empty());
    let views = replay.views();
    assert_eq!(views.goals["M1"].status, Some(GoalStatus::Active));
    assert_eq!(views.goals["M1"].blocked_reason, None);
}

#[test]
fn a_violation_waits_also_while_the_goal_goes_on_and_is_one_matter_with_its_block() {
    let lines = [judged(1, "M1", 1, 6, "failed"), judged(2, "M2", 1, 3, "failed")];
    let replay = replayed(&lines);
    assert_eq!(
        waiting(&replay),
        [(ItemKind::ProtectedPath, "M2"), (ItemKind::ScopeViolation, "M1")]
    );
    let lines = [
        lines[0].clone(),
        lines[1].clone(),
        blocked(3, "M1", 1),
        line(4, "GOAL_DONE", json!({"goal_id": "M2"})),
    ];
    // A goal that is done after all does not give back what the violation took away.
    let both = [(ItemKind::ProtectedPath, "M2"), (ItemKind::ScopeViolation, "M1")];
    assert_eq!(waiting(&replayed(&lines)), both);
    let retried = [&lines[..], &[line(5, "RETRIED", json!({"goal_id": "M2"}))]].concat();
    assert_eq!(waiting(&replayed(&retried)), [(ItemKind::ScopeViolation, "M1")]);
}

#[test]
fn what_stops_agents_waits_until_one_answers_again_and_a_limit_waits_for_nobody() {
    let stop = |number, cause: &str| {
        line(number, "STOPPED", json!({"cause": cause, "what": "w", "next": "n", "goal_id": "M1"}))
    };
    let lines = [
        stop(1, "limit"),
        stop(2, "budget"),
        stop(3, "login"),
        stop(4, "not_started"),
        line(5, "LIMIT_REACHED", json!({"goal_id": "M1", "attempt": 1})),
    ];
    let kinds: Vec<ItemKind> =
        waiting(&replayed(&lines)).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [ItemKind::Login, ItemKind::Budget, ItemKind::NotStarted]);
    let again = [&lines[..], &[line(6, "ATTEMPT_ENDED", json!({"goal_id": "M1"}))]].concat();
    assert!(waiting(&replayed(&again)).is_empty());
}

#[test]
fn an_action_of_a_person_is_remembered_with_who_did_it() {
    let lines = vec![blocked(1, "M1", 1)];
    let id = replayed(&lines).inbox().waiting()[0].id.clone();
    let acted = line(
        2,
        "INBOX_ACTED",
        json!({"inbox_id": id, "action": "reject", "operator": "kim", "text": "no", "goal_id": "M1"}),
    );
    let replay = replayed(&[lines[0].clone(), acted]);
    let ItemState::Acted(deed) = &replay.inbox().get(&id).unwrap().state else { panic!() };
    assert_eq!((deed.operator.as_str(), deed.text.as_deref()), ("kim", Some("no")));
}

#[test]
fn an_event_that_is_told_twice_counts_once_and_is_counted() {
    let lines = [judged(1, "M1", 1, 10, "failed"), judged(2, "M1", 2, 10, "failed")];
    let twice = [
        lines[0].clone(),
        lines[1].clone(),
        lines[0].clone(),
        "{torn\n".to_owned(),
        lines[1].clone(),
    ];
    let (once, twice) = (replayed(&lines).views(), replayed(&twice).views());
    assert_eq!(once.goals, twice.goals);
    assert_eq!((twice.log.duplicates, twice.log.unreadable, twice.log.events), (2, 1, 2));
}

#[test]
fn a_status_that_goals_yaml_tells_differently_is_reported() {
    let done = line(2, "GOAL_DONE", json!({"goal_id": "A.1", "parents": ["A"]}));
    let replay = replayed(&[blocked(1, "M1", 1), done, blocked(3, "gone", 1)]);
    let text = "goals:\n  - {id: M1, title: t, status: active}\n  - {id: A, title: t, status: done, children: [{id: A.1, title: t, status: done}]}\n  - {id: new, title: t, status: active}\n";
    let goals = read::<Goals>(&Source::new("goals.yaml", text)).unwrap().value;
    let told: Vec<_> = replay
        .disagreements(&placed(&goals))
        .into_iter()
        .map(|one| (one.goal_id, one.events, one.goals_yaml))
        .collect();
    assert_eq!(
        told,
        [
            ("M1".to_owned(), GoalStatus::Blocked, Some(GoalStatus::Active)),
            ("gone".to_owned(), GoalStatus::Blocked, None)
        ]
    );
}

fn any_event() -> impl Strategy<Value = (u8, u8, u8)> {
    (0u8..12, 0u8..4, 0u8..8)
}

fn made(number: u64, (kind, goal, extra): (u8, u8, u8)) -> String {
    let goal = format!("G{goal}");
    match kind {
        0 | 1 => judged(number, &goal, u32::from(extra), extra, "failed"),
        2 => judged(number, &goal, u32::from(extra), 12, "complete"),
        3 | 4 => blocked(number, &goal, u32::from(extra)),
        5 => line(number, "GOAL_DONE", json!({"goal_id": goal, "parents": ["P"]})),
        6 => line(number, "RETRIED", json!({"goal_id": goal})),
        7 => line(number, "STOPPED", json!({"cause": "login", "what": "w", "goal_id": goal})),
        8 => line(number, "STATUS_SET", json!({"goal_id": goal, "status": "pending"})),
        9 => line(number, "UNKNOWN_KIND", json!({"goal_id": goal})),
        10 => line(number, "ATTEMPT_ENDED", json!({"goal_id": goal})),
        _ => "not json\n".to_owned(),
    }
}

proptest! {
    /// Written down and taken up again anywhere, and with lines told again, it is the same state.
    #[test]
    fn replay_equals_the_incremental_state(
        events in prop::collection::vec(any_event(), 1..60),
        cuts in prop::collection::vec(any::<bool>(), 60),
        again in prop::collection::vec(0usize..60, 0..6),
    ) {
        let mut lines: Vec<String> =
            events.iter().enumerate().map(|(at, event)| made(at as u64 + 1, *event)).collect();
        for at in again {
            if let Some(line) = lines.get(at).cloned() {
                lines.push(line);
            }
        }
        let whole = replayed(&lines);
        let mut pieces = Replay::default();
        for (line, cut) in lines.iter().zip(cuts.iter().chain(std::iter::repeat(&false))) {
            if *cut {
                let views = serde_json::to_string(&pieces.views()).unwrap();
                let items: Vec<&Item> = pieces.inbox().items().collect();
                let items = serde_json::to_string(&items).unwrap();
                let views: GoalViews = serde_json::from_str(&views).unwrap();
                pieces = Replay::resume(views, serde_json::from_str(&items).unwrap());
            }
            pieces.line(line.as_bytes());
        }
        prop_assert_eq!(whole.views(), pieces.views());
        prop_assert_eq!(whole.inbox(), pieces.inbox());
    }
}
