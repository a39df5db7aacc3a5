//! The log folded into state.

use serde_json::{Value, json};

use crate::scene::{Scene, blocked, event};

fn judged(number: u64, goal: &str) -> String {
    event(
        number,
        "ATTEMPT_JUDGED",
        json!({"goal_id": goal, "attempt": 1, "rule": 10, "class": "failed", "reason": "red"}),
    )
}

#[test]
fn replay_writes_views_counts_what_is_told_twice_and_says_where_goals_yaml_disagrees() {
    let done = event(3, "GOAL_DONE", json!({"goal_id": "M2", "parents": []}));
    let scene = Scene::new(&[judged(1, "M1"), blocked(2), judged(1, "M1"), done, "{half\n".into()]);
    let (code, told) = scene.json(&["events", "replay"]);
    assert_eq!(code, 0);
    assert_eq!(
        (&told["events"], &told["duplicates"], &told["unreadable"]),
        (&json!(3), &json!(1), &json!(1))
    );
    assert_eq!(
        told["disagreements"],
        json!([{"goal_id": "M2", "events": "done", "goals_yaml": "active"}])
    );
    let views: Value = serde_json::from_str(&scene.read(".ai/state/goal_views.json")).unwrap();
    assert_eq!(views["goals"]["M1"]["status"], "blocked");
    assert_eq!(views["goals"]["M1"]["attempts"], 1);
    // The line that is no event is `verify`'s to tell; the views it finds right.
    let views = scene.run(&["verify", ".ai/state/goal_views.json"]);
    assert_eq!(views.code, 0, "{}", views.err);
    let scene = Scene::new(&[judged(1, "M1")]);
    assert_eq!(scene.run(&["events", "replay", "--no-write"]).code, 0);
    assert!(!scene.has(".ai/state"));
}

#[test]
fn what_was_written_down_and_the_whole_log_tell_the_same() {
    let scene = Scene::new(&[judged(1, "M1"), blocked(2)]);
    scene.run(&["events", "replay"]);
    let first = scene.read(".ai/state/goal_views.json");
    scene.write(
        ".ai/events/events.ndjson",
        [judged(1, "M1"), blocked(2), judged(3, "M2"), blocked(4)].concat(),
    );
    let with_state = scene.json(&["inbox", "list"]).1;
    scene.run(&["events", "replay"]);
    assert_ne!(scene.read(".ai/state/goal_views.json"), first);
    assert_eq!(scene.json(&["inbox", "list"]).1, with_state);
    scene.remove(".ai/state/goal_views.json");
    assert_eq!(scene.json(&["inbox", "list"]).1, with_state, "deleting it loses nothing");
}

#[test]
fn a_state_of_another_log_is_not_believed() {
    let scene = Scene::new(&[judged(1, "M1"), blocked(2)]);
    scene.run(&["events", "replay"]);
    scene.write(
        ".ai/events/events.ndjson",
        [judged(1, "M1"), judged(2, "M2"), judged(3, "M2")].concat(),
    );
    assert_eq!(scene.json(&["inbox", "list"]).1["waiting"], 0);
    scene.write(".ai/state/goal_views.json", "{broken");
    assert_eq!(scene.json(&["inbox", "list"]).1["waiting"], 0);
}

#[test]
fn tail_shows_the_last_events() {
    let lines: Vec<String> = (1..40).map(|number| judged(number, "M1")).collect();
    let scene = Scene::new(&lines);
    let shown = scene.run(&["events", "tail", "-n", "3"]).out;
    assert_eq!(shown.lines().count(), 3);
    assert!(shown.lines().all(|line| line.contains("ATTEMPT_JUDGED") && line.contains("M1")));
    let (_, json) = scene.json(&["events", "tail"]);
    assert_eq!(json["events"].as_array().unwrap().len(), 20);
}

/// What `verify` warns of, and how it ends.
fn verified(scene: &Scene) -> (i32, usize, String) {
    let (code, report) = scene.json(&["verify"]);
    let warnings = report["warnings"].as_u64().unwrap_or_default();
    (code, usize::try_from(warnings).unwrap(), report["findings"].to_string())
}

#[test]
fn lines_that_were_taken_out_of_the_log_of_goals_are_missed() {
    let log = [judged(1, "M1"), judged(2, "M1"), judged(3, "M1")];
    let scene = Scene::new(&log);
    scene.run(&["events", "replay"]);
    assert_eq!(verified(&scene).1, 0, "{:?}", verified(&scene));
    for missing in 0..log.len() {
        let mut kept = log.to_vec();
        kept.remove(missing);
        scene.write(".ai/events/events.ndjson", kept.concat());
        let (code, warnings, findings) = verified(&scene);
        assert_eq!((code, warnings), (0, 1), "{missing}: {findings}");
        assert!(findings.contains("events.ndjson"), "{missing}: {findings}");
    }
    scene.write(".ai/events/events.ndjson", "");
    scene.remove(".ai/state/goal_views.json");
    assert_eq!(verified(&scene).0, 0, "nobody knows of any event");
    let ended = "{\"step\":\"M1/1\",\"state\":\"finished\",\"at\":\"2026-01-12T14:30:00Z\"}\n";
    scene.write(".ai/.hast/steps.ndjson", ended);
    let (code, _, findings) = verified(&scene);
    assert!(code == 1 && findings.contains("steps.ndjson"), "{findings}");
}
