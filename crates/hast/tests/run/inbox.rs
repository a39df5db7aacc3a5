//! Proposals in the status and the inbox of all flows, and what a decision there does.

use serde_json::Value;

use crate::scene::Scene;

const START: &[&str] = &["run", "start", "--mode", "initial", "report the sales"];

fn json(scene: &Scene, args: &[&str]) -> (i32, Value) {
    let ran = scene.hast(&[args, &["--json"]].concat());
    (ran.code, Scene::json(&ran))
}

/// A run that waits, and the id of its item.
fn waiting() -> (Scene, String) {
    let scene = Scene::new();
    assert_eq!(scene.hast(START).code, 3);
    let id = item(&scene);
    (scene, id)
}

fn item(scene: &Scene) -> String {
    let (_, list) = json(scene, &["inbox", "list"]);
    assert_eq!(list["waiting"], 1, "{list}");
    list["items"][0]["id"].as_str().unwrap().to_owned()
}

fn act<'a>(id: &'a str, action: &'a str, text: Option<&'a str>) -> Vec<&'a str> {
    let mut words = vec!["inbox", "act", id, "--action", action, "--operator", "kim"];
    words.extend(text.iter().flat_map(|text| ["--text", text]));
    words
}

#[test]
fn a_proposal_is_an_item_with_its_words_in_one_screen_and_a_line_of_the_status() {
    let (scene, id) = waiting();
    let run = scene.run();
    let shown = scene.hast(&["inbox", "show", &id]).out;
    for part in
        ["confirmation", "proposal 1: report the sales", "# Proposal", &run, "hast run confirm"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.lines().count() < 24, "{shown}");
    let status = scene.hast(&["status"]).out;
    for part in [
        "runs: 1, unfinished: 1",
        "AWAITING_CONFIRMATION  report the sales",
        "hast run confirm run-",
    ] {
        assert!(status.contains(part), "{part}: {status}");
    }
    assert!(scene.hast(&["--lang", "ko", "status"]).out.contains("실행 1개, 끝나지 않음 1개"));
    let (_, status) = json(&scene, &["status"]);
    let flows = status["flows"].as_array().unwrap();
    let runs = flows.iter().find(|flow| flow["flow"] == "run").unwrap();
    assert_eq!(runs["runs"]["awaiting"], serde_json::json!([run]));
    assert_eq!(status["waiting"], 1);
}

#[test]
fn approving_confirms_and_acting_twice_is_refused() {
    let (scene, id) = waiting();
    let deferred = scene.hast(&act(&id, "defer", None));
    assert_eq!((deferred.code, scene.status().as_str()), (0, "AWAITING_CONFIRMATION"));
    let acted = scene.hast(&act(&id, "approve", None));
    assert_eq!(acted.code, 0, "{acted:?}");
    assert!(acted.out.contains("hast run resume"), "{}", acted.out);
    assert_eq!(scene.status(), "PENDING");
    let decisions = format!("runs/{}/decisions.ndjson", scene.run());
    let decided = scene.read(&decisions);
    assert!(decided.contains("CONFIRM") && decided.contains("\"operator\":\"kim\""), "{decided}");
    for action in ["approve", "reject"] {
        let (code, told) = json(&scene, &act(&id, action, None));
        assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("already_acted")), "{told}");
        assert!(told["problem"]["what"].as_str().unwrap().contains("kim"));
    }
    assert_eq!(scene.read(&decisions), decided, "the second time writes nothing");
    assert_eq!(json(&scene, &["status"]).1["waiting"], 0);
    assert_eq!(scene.hast(&["run", "resume"]).code, 0);
    assert_eq!(scene.status(), "COMPLETED");
    assert_eq!(scene.hast(&["run", "verify"]).code, 0);
}

#[test]
fn approving_with_a_text_asks_for_another_proposal_which_is_another_item() {
    let (scene, id) = waiting();
    assert_eq!(scene.hast(&act(&id, "approve", Some("shorter please"))).code, 0);
    assert_eq!(scene.hast(&["run", "resume"]).code, 3);
    let second = item(&scene);
    assert_ne!(id, second);
    assert!(scene.hast(&["inbox", "show", &second]).out.contains("proposal 2"));
    let all = scene.hast(&["inbox", "list", "--include-resolved"]).out;
    assert!(all.contains("(approve, kim)"), "{all}");
    assert_eq!(scene.hast(&["run", "confirm"]).code, 0);
    let (code, told) = json(&scene, &act(&second, "approve", None));
    assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("already_resolved")), "{told}");
}

#[test]
fn rejecting_cancels_with_the_text_as_the_reason() {
    let (scene, id) = waiting();
    let acted = scene.hast(&act(&id, "reject", Some("not now")));
    assert_eq!((acted.code, scene.status().as_str()), (0, "FAILED"), "{acted:?}");
    assert!(scene.read(&format!("runs/{}/failure.json", scene.run())).contains("not now"));
    let (code, told) = json(&scene, &act(&id, "approve", None));
    assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("already_acted")), "{told}");
    assert_eq!(scene.hast(&["run", "verify"]).code, 0);
}

#[test]
fn of_many_who_decide_at_the_same_moment_one_is_heard() {
    let (scene, id) = waiting();
    let words = |name: usize| {
        let action = if name.is_multiple_of(2) { "approve" } else { "reject" };
        let operator = format!("op{name}");
        ["inbox", "act", &id, "--action", action, "--operator", &operator].map(str::to_owned)
    };
    let started: Vec<_> = (0..6)
        .map(|name| {
            let words = words(name);
            scene.start(&words.iter().map(String::as_str).collect::<Vec<_>>())
        })
        .collect();
    let codes = started.into_iter().map(|mut child| child.wait().unwrap().code());
    assert_eq!(codes.filter(|code| *code == Some(0)).count(), 1);
    let decided = scene.read(&format!("runs/{}/decisions.ndjson", scene.run()));
    assert_eq!(decided.lines().count(), 1, "{decided}");
    assert_eq!(scene.hast(&["run", "verify"]).code, 0);
}
