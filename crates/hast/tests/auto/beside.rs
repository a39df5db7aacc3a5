//! Lines without a terminal tell what happens in this run, and what only a run may change is not changed
//! beside one.

use crate::scene::{GO, Scene, WORK};

const OLD: &str = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n  - id: M2\n    title: old block\n    status: blocked\n    blocked_reason: x\n  - id: M3\n    title: old done\n    status: done\n";

#[test]
fn goals_of_long_ago_are_not_told_as_if_they_had_just_ended() {
    let scene = Scene::with(OLD, &format!("  - do:\n{WORK}"), "");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.err.contains("M2") && !ran.err.contains("M3"), "{}", ran.err);
    assert!(ran.err.contains("running M1") && ran.err.contains("done M1"), "{}", ran.err);
}

#[test]
fn init_makes_nothing_beside_an_attempt_that_is_under_way() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = format!(
        "  - do:\n      - write: {{path: here.log, text: now}}\n      - wait_for: {{path: {GO}, seconds: 60}}\n{WORK}"
    );
    let scene = Scene::with(goals, &replies, "sandbox: off\nmax_retries: 1\n");
    scene.git(&["rm", "-q", ".ai/rules.md"]);
    scene.git(&["commit", "-qm", "no rules"]);
    let mut run = scene.start(&["auto"]);
    scene.wait_for("here.log");
    let init = scene.hast(&["init"]);
    assert_eq!(init.code, 1, "{init:?}");
    assert!(init.err.contains(&run.id().to_string()), "{}", init.err);
    assert!(!scene.has(".ai/rules.md"));
    scene.write("go.log", "");
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert_eq!(scene.verdicts(), ["complete all_good"]);
    let init = scene.hast(&["init"]);
    assert!(init.code == 0 && scene.has(".ai/rules.md"), "{init:?}");
}
