//! `auto` is a worker of the queue like any other: nobody works on one goal with it, and what
//! it has is given back when it ends.

use std::process::Child;

use serde_json::Value;

use crate::scene::{GO, Ran, Scene, WORK};

const GOALS: &str = "goals:
  - id: M1
    title: \"The work\"
    status: active
  - id: M2
    title: \"Other\"
    status: active
";

/// An agent that works when it may.
fn slow() -> Scene {
    let replies = format!(
        "  - do:\n      - write: {{path: ready.log, text: now}}\n      - wait_for: {{path: {GO}, seconds: 60}}\n{WORK}"
    );
    Scene::with(GOALS, &replies, "sandbox: off\n")
}

fn claim(scene: &Scene, worker: &str, goal: &str) -> Ran {
    scene.hast(&["queue", "claim", "--worker", worker, "--goal", goal, "--json"])
}

fn active(scene: &Scene) -> Vec<Value> {
    let listed = scene.hast(&["queue", "list", "--active-only", "--json"]);
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    listed["claims"].as_array().unwrap().clone()
}

fn working(scene: &Scene) -> Child {
    let child = scene.start(&["auto", "M1"]);
    scene.wait_for("ready.log");
    child
}

#[test]
fn a_goal_that_another_worker_has_is_not_begun() {
    let scene = Scene::with(GOALS, &format!("  - do:\n{WORK}"), "sandbox: off\n");
    assert_eq!(claim(&scene, "other", "M1").code, 0);
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("another worker") && ran.err.contains("queue list"), "{}", ran.err);
    for place in [&["auto", "M1", "--json"][..], &["auto", "M1", "--isolate", "--json"]] {
        let ran = scene.hast(place);
        let told: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.code, &told["ending"]), (1, &"failed".into()), "{told}");
        assert!(told["problem"]["what"].as_str().unwrap().contains("M1"), "{told}");
    }
    assert_eq!((scene.verdicts(), scene.status().as_str()), (Vec::new(), "active"));
    assert!(!scene.has(".ai/auto.lock"));

    let ran = scene.hast(&["auto", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(told["notice"]["what"].as_str().unwrap().contains("claimed: M1"), "{told}");
    assert!(scene.read(".ai/goals.yaml").contains("\"Other\"\n    status: done"), "{ran:?}");
    assert_eq!(active(&scene).len(), 1, "only theirs");
}

#[test]
fn a_goal_under_way_is_given_to_nobody_else() {
    let scene = slow();
    let mut child = working(&scene);
    let refused = claim(&scene, "other", "M1");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.out.contains("goal_already_claimed"), "{refused:?}");
    let refused = scene.hast(&["protocol", "export", "--adapter", "generic", "--goal", "M1"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    scene.write("go.log", "");
    assert!(child.wait().unwrap().success());
    assert_eq!(scene.status(), "done");
    assert_eq!(active(&scene), Vec::<Value>::new());
}

#[test]
fn an_interrupted_run_gives_back_what_it_has() {
    let scene = slow();
    let mut child = working(&scene);
    assert_eq!(active(&scene).len(), 1);
    scene.interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(active(&scene), Vec::<Value>::new());
}

#[test]
fn after_a_kill_the_next_run_has_the_claim_of_the_dead_one_and_one_on_another_goal_gives_it_back() {
    for goal in ["M1", "M2"] {
        let scene = slow();
        let mut child = working(&scene);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(active(&scene).len(), 1);
        scene.write("go.log", "");
        let ran = scene.hast(&["auto", goal]);
        assert_eq!(ran.code, 0, "{goal}: {ran:?}");
        assert_eq!(scene.git(&["log", "--format=%s"]).matches("feat(").count(), 1);
        assert_eq!(active(&scene), Vec::<Value>::new(), "{goal}");
    }
}

#[test]
fn what_is_made_after_the_claim_went_to_somebody_else_does_not_count_and_is_kept() {
    let scene = slow();
    let head = scene.git(&["rev-parse", "HEAD"]);
    let child = scene.piped(env!("CARGO_BIN_EXE_hast"), &["auto", "M1"]);
    scene.wait_for("ready.log");
    let held = active(&scene);
    let (id, worker) = (held[0]["claim_id"].as_str(), held[0]["worker_id"].as_str());
    // As if its time had been over.
    let released =
        scene.hast(&["queue", "release", id.unwrap(), "--worker", worker.unwrap(), "--json"]);
    assert_eq!(released.code, 0, "{released:?}");
    assert_eq!(claim(&scene, "other", "M1").code, 0);
    scene.write("go.log", "");
    let ended = child.wait_with_output().unwrap();
    let told = [ended.stdout, ended.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(told.contains("does not count") && told.contains("hast/kept/M1"), "{told}");
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), head);
    assert_eq!((scene.status().as_str(), scene.has("src/b.txt")), ("active", false));
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    assert_eq!(active(&scene).len(), 1, "theirs");
}
