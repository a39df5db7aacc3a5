//! Task packets that go out and result packets that come back, while hast and the worker keep to
//! the protocol.

use serde_json::json;

use crate::scene::{Scene, handoff};

#[test]
fn a_packet_has_all_that_a_worker_with_the_repository_needs() {
    let scene = Scene::new();
    let task = scene.export("M1");
    assert_eq!(task["schema"], "protocol_task.v1");
    assert_eq!(task["goal"]["id"], "M1");
    assert_eq!(task["base"]["commit"], json!(scene.git(&["rev-parse", "HEAD"])));
    assert_eq!(task["base"]["branch"], "refs/heads/main");
    assert_eq!(task["scope"]["allowed_changes"], json!(["src/"]));
    assert!(task["scope"]["protected"].to_string().contains(".ai/config.yaml"));
    let prompt = task["prompt"].as_str().unwrap();
    for part in ["The first", "sh check.sh", task["handoff_path"].as_str().unwrap(), "rules"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert_eq!(task["context"]["current_goal"]["id"], "M1");
    // It is recorded, by its schema, and the goal is claimed.
    let packet = task["packet_id"].as_str().unwrap();
    let recorded = scene.read(&format!(".ai/protocols/{packet}/task.json"));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&recorded).unwrap(), task);
    let verified = scene.hast(&["verify", &format!(".ai/protocols/{packet}/task.json")]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let again = scene.hast(&["protocol", "export", "--adapter", "generic", "--goal", "M1"]);
    assert_eq!(again.code, 1, "{again:?}");
    let auto = scene.hast(&["auto", "M1", "--isolate", "--json"]);
    assert!(!auto.out.contains("attempt\":"), "{auto:?}");
    // Without a goal it is the next one that is free.
    let next = scene.hast(&["protocol", "export", "--adapter", "generic"]);
    assert!(next.out.contains("\"id\": \"M2\""), "{next:?}");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
}

#[test]
fn adapters_differ_in_nothing_but_their_envelope() {
    for (adapter, prompt) in [
        ("generic", None),
        ("langgraph", Some("/input/messages/0/content")),
        ("openhands", Some("/initial_user_msg")),
        ("a2a", Some("/params/message/parts/0/text")),
    ] {
        let scene = Scene::new();
        let task = scene.export_for(adapter, "M1");
        assert_eq!(task["adapter"], adapter);
        match prompt {
            None => assert!(task["envelope"].is_null()),
            Some(place) => {
                assert_eq!(task["envelope"].pointer(place), Some(&task["prompt"]), "{adapter}");
                let text = task["envelope"].to_string();
                assert!(text.contains(task["packet_id"].as_str().unwrap()), "{adapter}: {text}");
                assert!(text.contains(task["base"]["commit"].as_str().unwrap()), "{adapter}");
            }
        }
        let packet = task["packet_id"].as_str().unwrap();
        let verified = scene.hast(&["verify", &format!(".ai/protocols/{packet}/task.json")]);
        assert_eq!(verified.code, 0, "{verified:?}");
    }
}

#[test]
fn a_patch_that_passes_is_merged_as_a_lane_merges() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let result = scene.result(&task, &scene.patch(&[("src/b.txt", "b\n"), ("src/a.txt", "a\n")]));
    let ran = scene.ingest(&result);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!((scene.read("src/b.txt"), scene.read("src/a.txt")), ("b\n".into(), "a\n".into()));
    assert_eq!(scene.status_of("M1"), "done");
    let message = scene.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    assert!(message.starts_with("feat(M1): The first") && message.contains("Hast-Goal: M1"));
    assert!(scene.git(&["show", "--name-only", "HEAD~1"]).contains(".ai/handoffs/"));
    // Others may have the goal now, and the packets are documents like any.
    let claims = scene.hast(&["queue", "list", "--active-only", "--json"]);
    assert!(claims.out.contains("\"claims\": []"), "{claims:?}");
    let verified = scene.hast(&["verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    scene.nothing_is_left();
}

#[test]
fn a_branch_that_passes_keeps_its_commits() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let branch = scene.branch("worker/M1", &[("src/b.txt", "b\n"), ("src/c.txt", "c\n")]);
    let mut result = scene.result(&task, "");
    result.as_object_mut().unwrap().remove("patch");
    result["branch"] = branch;
    let ran = scene.ingest(&result);
    assert_eq!(ran.code, 0, "{ran:?}");
    let log = scene.git(&["log", "--format=%an %s"]);
    assert!(log.contains("Worker work on src/b.txt\n") && log.contains("Worker work on src/c.txt"));
    assert_eq!(scene.status_of("M1"), "done");
    scene.nothing_is_left();
}

#[test]
fn a_result_that_fails_its_tests_is_kept_and_the_next_packet_tells_why() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let head = scene.git(&["rev-parse", "HEAD"]);
    let result = scene.result(&task, &scene.patch(&[("src/bug.txt", "bug\n")]));
    let (code, answer) = scene.answer(&result);
    assert_eq!(code, 1, "{answer}");
    assert_eq!((&answer["outcome"], &answer["code"]), (&json!("failed"), &json!("tests_red")));
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(scene.status_of("M1"), "active");
    let kept = answer["ref"].as_str().unwrap();
    assert_eq!(scene.git(&["show", &format!("{kept}:src/bug.txt")]), "bug");
    scene.nothing_is_left();
    let next = scene.export("M1");
    assert_ne!(next["packet_id"], task["packet_id"]);
    assert!(next["prompt"].as_str().unwrap().contains("FAIL bug"), "{}", next["prompt"]);
    let result = scene.result(&next, &scene.patch(&[("src/b.txt", "b\n")]));
    assert_eq!(scene.ingest(&result).code, 0);
    assert_eq!(scene.status_of("M1"), "done");
}

#[test]
fn a_worker_that_gives_up_hands_the_goal_to_a_person() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let mut result = scene.result(&task, "");
    result.as_object_mut().unwrap().remove("patch");
    result["status"] = json!("blocked");
    result["reason"] = json!("there is no key");
    let (code, answer) = scene.answer(&result);
    assert_eq!((code, &answer["outcome"]), (1, &json!("blocked")), "{answer}");
    assert_eq!(scene.status_of("M1"), "blocked");
    let inbox = scene.hast(&["inbox", "list"]);
    assert!(inbox.out.contains("there is no key"), "{inbox:?}");
    scene.nothing_is_left();
}

#[test]
fn work_without_a_handoff_does_not_pass_and_one_in_the_patch_does() {
    let scene = Scene::new();
    let task = scene.export("M1");
    let mut result = scene.result(&task, &scene.patch(&[("src/b.txt", "b\n")]));
    result.as_object_mut().unwrap().remove("handoff");
    let (code, answer) = scene.answer(&result);
    assert_eq!((code, &answer["code"]), (1, &json!("no_handoff")), "{answer}");
    let task = scene.export("M1");
    let path = task["handoff_path"].as_str().unwrap();
    let patch = scene.patch(&[("src/b.txt", "b\n"), (path, &handoff("M1"))]);
    let mut result = scene.result(&task, &patch);
    result.as_object_mut().unwrap().remove("handoff");
    let ran = scene.ingest(&result);
    assert_eq!(ran.code, 0, "{ran:?}");
}
