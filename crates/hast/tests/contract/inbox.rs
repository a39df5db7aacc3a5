//! A request that stopped waits in `hast inbox` until somebody decides.

use crate::scene::{ONE, Scene};
use serde_json::Value;

/// Stopped after three rounds, each of which left the scope.
fn stopped() -> (Scene, Value) {
    let always = format!(
        "  - when: {{step: implement, missing: .git/good}}\n    do:\n      - write: {{path: README, text: mine}}\n{ONE}"
    );
    let scene = Scene::new(&always);
    assert_eq!(scene.hast(&["contract", "start", "a total"]).code, 1);
    let listed: Value =
        serde_json::from_str(&scene.hast(&["inbox", "list", "--json"]).out).unwrap();
    assert_eq!(listed["waiting"], 1, "{listed}");
    let item = listed["items"][0].clone();
    assert_eq!((&item["flow"], &item["unit"]), (&Value::from("contract"), &Value::from("R1")));
    (scene, item)
}

fn act<'a>(id: &'a str, action: &'a str) -> Vec<&'a str> {
    vec!["inbox", "act", id, "--action", action, "--operator", "kim"]
}

#[test]
fn it_is_shown_with_evidence_and_counted_by_status() {
    let (scene, item) = stopped();
    let id = item["id"].as_str().unwrap();
    let shown = scene.hast(&["inbox", "show", id]);
    for text in ["README", "refs/hast/attempts/R1-T1-S2/", "$ hast contract resume R1"] {
        assert!(shown.out.contains(text), "{text}: {}", shown.out);
    }
    let status: Value = serde_json::from_str(&scene.hast(&["status", "--json"]).out).unwrap();
    assert_eq!(status["waiting"], 1, "{status}");
    let told = scene.hast(&["status"]).out;
    assert!(told.contains("R1  stopped  0/1"), "{told}");
}

#[test]
fn approved_it_is_active_again_and_resume_ends_it() {
    let (scene, item) = stopped();
    let id = item["id"].as_str().unwrap();
    scene.write(".git/good", "");
    let approved = scene.hast(&act(id, "approve"));
    assert_eq!(approved.code, 0, "{approved:?}");
    assert!(approved.out.contains("hast contract resume R1"), "{}", approved.out);
    let again = scene.hast(&act(id, "approve"));
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.err.contains("kim"), "{}", again.err);
    assert!(scene.hast(&["contract", "show"]).out.contains("R1  active"));
    let resumed = scene.hast(&["contract", "resume"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}

#[test]
fn rejected_it_stays_stopped_and_put_off_it_waits() {
    let (scene, item) = stopped();
    let id = item["id"].as_str().unwrap();
    let deferred = scene.hast(&act(id, "defer"));
    assert_eq!(deferred.code, 0, "{deferred:?}");
    let waiting = |scene: &Scene| {
        let listed = scene.hast(&["inbox", "list", "--json"]).out;
        serde_json::from_str::<Value>(&listed).unwrap()["waiting"].clone()
    };
    assert_eq!(waiting(&scene), 1);
    let rejected = scene.hast(&act(id, "reject"));
    assert_eq!(rejected.code, 0, "{rejected:?}");
    assert_eq!(waiting(&scene), 0);
    assert!(scene.hast(&["contract", "show"]).out.contains("R1  stopped"));
    assert_eq!(scene.hast(&["contract", "verify"]).code, 0);
}

#[test]
fn resumed_by_hand_it_waits_no_more() {
    let (scene, item) = stopped();
    scene.write(".git/good", "");
    assert_eq!(scene.hast(&["contract", "resume"]).code, 0);
    let id = item["id"].as_str().unwrap();
    let late = scene.hast(&act(id, "approve"));
    assert_eq!(late.code, 1, "{late:?}");
    assert!(late.err.contains("taken up again"), "{}", late.err);
}
