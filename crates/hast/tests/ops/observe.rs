//! The baseline as table, JSON and page.

use serde_json::json;

use crate::scene::{Scene, blocked, event};

fn scene() -> Scene {
    let mut lines = Vec::new();
    for goal in 0..6 {
        let (number, goal) = (goal * 4 + 1, format!("<b>G{goal}</b>"));
        lines.push(event(number, "ATTEMPT_STARTED", json!({"goal_id": goal})));
        lines.push(event(
            number + 2,
            "ATTEMPT_JUDGED",
            json!({"goal_id": goal, "rule": 12, "class": "complete"}),
        ));
        lines.push(event(number + 3, "GOAL_DONE", json!({"goal_id": goal})));
    }
    lines.push(blocked(40));
    Scene::new(&lines)
}

#[test]
fn the_baseline_says_whether_the_project_can_be_left_alone() {
    let scene = scene();
    let (code, told) = scene.json(&["observe", "baseline", "--window", "7"]);
    assert_eq!((code, told["runs"].as_u64(), told["ready"].as_bool()), (0, Some(7), Some(true)));
    assert_eq!(told["success_rate"], json!(0.8571));
    let table = scene.run(&["observe", "baseline", "--lang", "ko"]).out;
    assert!(
        table.contains("성공률") && table.contains("86 %") && table.contains("준비됨"),
        "{table}"
    );
    let empty = Scene::new(&[]);
    let table = empty.run(&["observe", "baseline"]).out;
    assert!(table.contains("not ready: goals that came to an end: 0 (at least 5)"), "{table}");
}

#[test]
fn the_page_is_one_file_that_needs_nothing_and_shows_the_plots() {
    let scene = scene();
    let (_, told) = scene.json(&["observe", "baseline", "--html"]);
    assert!(told["html"].as_str().unwrap().ends_with(".ai/reports/observe-20260209.html"));
    let page = scene.read(".ai/reports/observe-20260209.html");
    assert_eq!(page.matches("<figure").count(), 4, "attempts, outcomes, durations, tokens");
    assert!(!page.contains("<script") && !page.contains("<b>G0") && page.contains("&lt;b&gt;G0"));
    let named = scene.run(&["observe", "baseline", "--html", "here.html", "--lang", "ko"]);
    assert_eq!(named.code, 0, "{}", named.err);
    assert!(scene.read("here.html").contains("lang=\"ko\""));
}
