//! Questions of sessions in the inbox of all flows, and the effect of a decision about them.

use crate::scene::Scene;
use serde_json::Value;

const ASKS: &str = "  - when: {step: synthesize, attempt: 1}\n    do: [{blocked: \"which currency?\\nwon or dollars\"}]\n";

fn json(scene: &Scene, args: &[&str]) -> (i32, Value) {
    let ran = scene.hast(&[args, &["--json"]].concat());
    let document = serde_json::from_str(&ran.out);
    (ran.code, document.unwrap_or_else(|error| panic!("{error}: {ran:?}")))
}

/// A session that waits for a person, and the id of its item.
fn asking() -> (Scene, String) {
    let scene = Scene::new(ASKS);
    let ran = scene.ask();
    assert_eq!(ran.code, 3, "{ran:?}");
    let (_, list) = json(&scene, &["inbox", "list"]);
    assert_eq!(list["waiting"], 1, "{list}");
    let id = list["items"][0]["id"].as_str().unwrap().to_owned();
    (scene, id)
}

#[test]
fn a_question_is_an_item_with_its_evidence_in_one_screen() {
    let (scene, id) = asking();
    let shown = scene.hast(&["inbox", "show", &id]).out;
    let session = scene.names("sessions").remove(0);
    let how = "hast session answer Q-";
    for part in [
        "question",
        "session",
        "is it so?",
        "T-0002 a note",
        "which currency?",
        "won or dollars",
        &session,
        how,
        "--text",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.lines().count() < 24, "{shown}");
    let summary = scene.hast(&["inbox", "summary", "--lang", "ko"]).out;
    assert!(
        summary.contains("사람을 기다리는 것 1개") && summary.contains("won or dollars"),
        "{summary}"
    );
    let (_, status) = json(&scene, &["status"]);
    assert_eq!(status["waiting"], 1);
    let flows = status["flows"].as_array().unwrap();
    let sessions = flows.iter().find(|flow| flow["flow"] == "session").unwrap();
    assert_eq!(sessions["sessions"]["questions"].as_array().unwrap().len(), 1);
}

#[test]
fn the_text_of_a_decision_is_the_answer_and_acting_twice_is_refused() {
    let (scene, id) = asking();
    let act = ["inbox", "act", &id, "--action", "approve", "--operator", "kim"];
    let (code, told) = json(&scene, &act);
    assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("needs_text")));
    let (code, told) =
        json(&scene, &[&act[..], &["--text", "x", "--goal-status", "active"]].concat());
    assert_eq!(code, 2, "{told}");
    let answered = [&act[..], &["--text", "in won"]].concat();
    let (code, told) = json(&scene, &answered);
    assert_eq!((code, &told["flow"]), (0, &"session".into()), "{told}");
    let file = format!(
        "execution/questions/{}",
        scene.names(&format!("{}/execution/questions", scene.session()))[0]
    );
    let answer = scene.document(&file);
    assert_eq!(
        (&answer["answer"], &answer["operator"], &answer["status"]),
        (&"in won".into(), &"kim".into(), &"ANSWERED".into())
    );
    let log = scene.of("plan/active/status_log.ndjson");
    assert!(log.contains("QUESTION_ANSWERED") && log.contains("\"operator\":\"kim\""), "{log}");
    let (code, told) = json(&scene, &answered);
    assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("already_acted")));
    assert!(told["problem"]["what"].as_str().unwrap().contains("kim"));
    assert_eq!(scene.of("plan/active/status_log.ndjson"), log, "the second time writes nothing");
    assert_eq!(json(&scene, &["status"]).1["waiting"], 0);
    let all = scene.hast(&["inbox", "list", "--include-resolved"]).out;
    assert!(all.contains("(approve, kim)"), "{all}");
    assert_eq!(scene.hast(&["session", "resume"]).code, 0);
    assert_eq!(scene.hast(&["session", "verify"]).code, 0);
}

#[test]
fn putting_off_leaves_a_question_as_it_is() {
    let (scene, id) = asking();
    let log = scene.of("plan/active/status_log.ndjson");
    let ran = scene.hast(&["inbox", "act", &id, "--action", "defer", "--operator", "kim"]);
    assert!(ran.code == 0 && ran.out.contains("stays open"), "{ran:?}");
    assert_eq!(scene.of("plan/active/status_log.ndjson"), log);
    assert_eq!(json(&scene, &["inbox", "list"]).1["waiting"], 1);
}

#[test]
fn a_question_that_was_answered_elsewhere_or_overtaken_waits_for_nobody() {
    let (scene, id) = asking();
    let question = scene.names(&format!("{}/execution/questions", scene.session())).remove(0);
    let question = question.trim_end_matches(".json").to_owned();
    assert_eq!(scene.hast(&["session", "answer", &question, " "]).code, 2);
    assert_eq!(scene.hast(&["session", "answer", &question, "in won"]).code, 0);
    let act = ["inbox", "act", &id, "--action", "approve", "--operator", "kim", "--text", "x"];
    let (code, told) = json(&scene, &act);
    assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("already_resolved")), "{told}");
    let (scene, id) = asking();
    // The planner has no other plan, so it asks in its turn: one question waits, not two.
    let ran = scene.hast(&["session", "replan", "--reason", "other facts"]);
    assert!(ran.code != 0, "{ran:?}");
    let (_, list) = json(&scene, &["inbox", "list", "--include-resolved"]);
    let old = list["items"].as_array().unwrap().iter().find(|item| item["id"] == id.as_str());
    assert!(old.unwrap()["state"]["resolved"]["at"].is_string(), "{list}");
    let (code, told) = json(&scene, &act_on(&id));
    assert_eq!((code, told["problem"]["code"].as_str()), (1, Some("already_resolved")), "{told}");
}

fn act_on(id: &str) -> [&str; 9] {
    ["inbox", "act", id, "--action", "approve", "--operator", "lee", "--text", "x"]
}

#[test]
fn of_many_who_answer_at_once_one_is_heard() {
    let (scene, id) = asking();
    let codes: Vec<i32> = std::thread::scope(|scope| {
        let act = |name: usize| {
            let name = format!("p{name}");
            let args =
                ["inbox", "act", &id, "--action", "approve", "--operator", &name, "--text", "same"];
            scene.hast(&args).code
        };
        let all: Vec<_> = (0..6).map(|name| scope.spawn(move || act(name))).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    let log = scene.of("plan/active/status_log.ndjson");
    assert_eq!(log.matches("QUESTION_ANSWERED").count(), 1);
}

#[test]
fn a_session_that_lost_its_pointer_still_has_its_question_in_the_inbox() {
    let (scene, _) = asking();
    scene.remove(&format!("{}/status.json", scene.session()));
    assert_eq!(scene.hast(&["session", "resume"]).code, 3);
    let (_, list) = json(&scene, &["inbox", "list"]);
    assert_eq!(list["waiting"], 2, "{list}");
}
