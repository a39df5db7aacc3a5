//! Items that wait for a person in the inbox, and the effect of a decision about them.

use serde_json::json;

use crate::scene::{Scene, blocked, event};

#[test]
fn a_blocked_goal_is_shown_with_its_evidence_in_one_screen() {
    let scene = Scene::new(&[blocked(1)]);
    let [id] = &scene.waiting()[..] else { panic!() };
    let shown = scene.run(&["inbox", "show", id]).out;
    for part in
        ["blocked_goal", "M1: max retries exceeded", "files 2, +10 -3", "left: 1", "git diff abc"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert!(shown.lines().count() < 24);
    let summary = scene.run(&["inbox", "summary", "--top-k", "1"]).out;
    assert!(
        summary.contains("waiting for a person: 1") && summary.contains("left: 1"),
        "{summary}"
    );
    let (_, status) = scene.json(&["status"]);
    assert_eq!(status["waiting"], 1);
    let korean = scene.run(&["status", "--lang", "ko"]).out;
    assert!(korean.contains("사람을 기다리는 것 1개"), "{korean}");
}

#[test]
fn approve_makes_the_goal_active_and_who_did_it_is_written_down() {
    let scene = Scene::new(&[blocked(1)]);
    let id = scene.waiting().remove(0);
    let act =
        ["inbox", "act", &id, "--action", "approve", "--operator", "kim", "--text", "fixed it"];
    let ran = scene.run(&act);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let goals = scene.read(".ai/goals.yaml");
    assert!(goals.contains("people's words stay") && !goals.contains("blocked"), "{goals}");
    let log = scene.read(".ai/events/events.ndjson");
    assert!(log.contains("\"operator\":\"kim\"") && log.contains("RETRIED"), "{log}");
    assert!(scene.waiting().is_empty());
    assert_eq!(scene.run(&["verify"]).code, 0);
    let (code, again) = scene.json(&act);
    assert_eq!((code, again["problem"]["code"].as_str()), (1, Some("already_acted")));
    assert!(again["problem"]["what"].as_str().unwrap().contains("kim"));
    assert_eq!(scene.read(".ai/events/events.ndjson"), log, "the second time writes nothing");
}

#[test]
fn reject_keeps_it_blocked_defer_keeps_it_waiting_and_a_status_can_be_given() {
    let scene = Scene::new(&[blocked(1)]);
    let id = scene.waiting().remove(0);
    let before = scene.read(".ai/goals.yaml");
    let deferred = scene.run(&["inbox", "act", &id, "--action", "defer", "--operator", "kim"]);
    assert_eq!(deferred.code, 0, "{}", deferred.err);
    assert_eq!(scene.read(".ai/goals.yaml"), before);
    assert_eq!(scene.waiting().first(), Some(&id), "putting off is not acting");
    let args =
        ["inbox", "act", &id, "--action", "reject", "--operator", "lee", "--text", "not now"];
    assert_eq!(scene.run(&args).code, 0);
    let goals = scene.read(".ai/goals.yaml");
    assert!(goals.contains("status: blocked") && goals.contains("not now"), "{goals}");
    let scene = Scene::new(&[blocked(1)]);
    let args =
        ["inbox", "act", &id, "--action", "approve", "--operator", "x", "--goal-status", "pending"];
    assert_eq!(scene.run(&args).code, 0);
    assert!(scene.read(".ai/goals.yaml").contains("status: pending"));
}

#[test]
fn of_many_who_act_at_once_one_is_heard() {
    let scene = Scene::new(&[blocked(1)]);
    let id = scene.waiting().remove(0);
    let codes: Vec<i32> = std::thread::scope(|scope| {
        let act = |name: usize| {
            let (name, action) = (format!("p{name}"), ["approve", "reject"][name % 2]);
            scene.run(&["inbox", "act", &id, "--action", action, "--operator", &name]).code
        };
        let all: Vec<_> = (0..12).map(|name| scope.spawn(move || act(name))).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    assert_eq!(scene.read(".ai/events/events.ndjson").matches("INBOX_ACTED").count(), 1);
}

#[test]
fn a_login_changes_no_goal_and_an_unknown_item_is_refused() {
    let stop = event(
        1,
        "STOPPED",
        json!({"cause": "login", "what": "claude is not logged in", "next": "log in", "goal_id": "M2"}),
    );
    let scene = Scene::new(&[stop]);
    let id = scene.waiting().remove(0);
    let before = scene.read(".ai/goals.yaml");
    let args = ["inbox", "act", &id, "--action", "approve", "--operator", "kim"];
    assert_eq!(scene.run(&args).code, 0);
    assert_eq!(scene.read(".ai/goals.yaml"), before);
    let unknown = ["inbox", "act", "INB_000000000000", "--action", "approve", "--operator", "kim"];
    let (code, told) = scene.json(&unknown);
    assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("unknown_item")));
    let nobody = ["inbox", "act", &id, "--action", "approve", "--operator", " "];
    assert_eq!(scene.run(&nobody).code, 2);
}

/// What is said when somebody acts on an item whose goal is not theirs to decide about any more.
fn acted(scene: &Scene, id: &str, action: &str) -> Option<String> {
    let (code, told) = scene.json(&["inbox", "act", id, "--action", action, "--operator", "kim"]);
    assert_eq!(code, 1, "{told}");
    told["problem"]["code"].as_str().map(str::to_owned)
}

#[test]
fn an_item_goes_away_when_a_person_closes_its_goal_or_takes_it_out() {
    for goals in [
        "goals:\n  - {id: M1, title: t, status: done}\n",
        "goals:\n  - {id: M1, title: t, status: dropped}\n",
        "goals:\n  - {id: M2, title: t, status: active}\n",
    ] {
        let scene = Scene::new(&[blocked(1)]);
        let id = scene.waiting().remove(0);
        scene.write(".ai/goals.yaml", goals);
        assert!(scene.waiting().is_empty(), "{goals}");
        assert_eq!(scene.json(&["status"]).1["waiting"], 0);
        assert_eq!(scene.json(&["events", "replay", "--no-write"]).1["waiting"], 0);
        for action in ["approve", "reject", "defer"] {
            assert_eq!(acted(&scene, &id, action).as_deref(), Some("already_resolved"), "{goals}");
        }
        assert_eq!(scene.read(".ai/goals.yaml"), goals);
        let all = scene.run(&["inbox", "list", "--include-resolved"]).out;
        assert!(all.contains(&id), "{all}");
    }
    // Goals that cannot be read close nothing.
    let scene = Scene::new(&[blocked(1)]);
    scene.write(".ai/goals.yaml", "goals: [");
    assert_eq!(scene.waiting().len(), 1);
}

#[test]
fn an_inbox_that_cannot_be_read_is_not_an_empty_one() {
    let scene = Scene::new(&[blocked(1)]);
    scene.remove(".ai/events/events.ndjson");
    std::fs::create_dir(scene.root().join(".ai/events/events.ndjson")).unwrap();
    assert_eq!(scene.json(&["status"]).1["waiting"], serde_json::Value::Null);
    let shown = scene.run(&["status"]).out;
    assert!(shown.contains("cannot be told") && shown.contains("events.ndjson"), "{shown}");
}

fn ranked(number: u64, spike: u32, winner: &str) -> String {
    let accept = "hast decision spike d.yaml --accept";
    event(
        number,
        "DECISION_WAITS",
        json!({"decision_id": "D1", "spike": spike, "what": format!("{winner} comes first"),
            "winner": winner, "look": [format!("git diff abc refs/hast/spikes/D1/{spike}/{winner}"), accept]}),
    )
}

#[test]
fn a_decision_waits_with_its_last_spike_until_it_is_merged() {
    let scene = Scene::new(&[ranked(1, 1, "A"), ranked(2, 2, "B")]);
    let (_, list) = scene.json(&["inbox", "list"]);
    assert_eq!(
        (&list["waiting"], &list["items"][0]["title"]),
        (&json!(1), &json!("D1: B comes first"))
    );
    let id = list["items"][0]["id"].as_str().unwrap();
    let act = ["inbox", "act", id, "--action", "approve", "--operator", "kim"];
    let ran = scene.run(&act);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.trim_end().ends_with("hast decision spike d.yaml --accept"), "{}", ran.out);
    assert_eq!(scene.waiting(), [id], "it waits for whoever merges it");
    let (code, again) = scene.json(&act);
    assert_eq!((code, again["problem"]["code"].as_str()), (1, Some("already_acted")));
    let log = scene.read(".ai/events/events.ndjson");
    scene.write(
        ".ai/events/events.ndjson",
        log + &event(9, "DECISION_MADE", json!({"decision_id": "D1", "spike": 2})),
    );
    assert!(scene.waiting().is_empty());
    let scene = Scene::new(&[ranked(1, 1, "A")]);
    let id = scene.waiting().remove(0);
    let reject = scene.run(&["inbox", "act", &id, "--action", "reject", "--operator", "kim"]);
    assert_eq!(reject.out, format!("{id}: reject\n"), "no empty line");
    assert!(scene.waiting().is_empty());
}
