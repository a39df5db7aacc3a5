//! hast is killed in the middle. The next start goes on: the goal is done once, nothing of the user
//! is lost, nothing is left running.

use std::thread::sleep;
use std::time::Duration;

use crate::scene::Scene;

const GOALS: &str = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
const SLOW: &str = "  - do:
      - write: {path: src/half.txt, text: half}
      - sleep: 0.2
      - write: {path: src/b.txt, text: \"b\\n\"}
      - handoff: {status: complete, done: [b], next: nothing}
";

/// Kills `hast auto` after a time that differs by round, and lets the next one finish.
fn round(number: u64) {
    let scene = Scene::with(GOALS, SLOW, "max_retries: 9\n");
    for kill in 0..3 {
        let mut child = scene.start(&["auto"]);
        // A spread over the run's length: start, base tests, agent, judging, settling.
        sleep(Duration::from_millis((number * 137 + kill * 211) % 900));
        let _ = child.kill();
        let _ = child.wait();
    }
    let ran = scene.hast(&["auto"]);
    assert_eq!(scene.status(), "done", "{number}: {ran:?}");
    assert_eq!(scene.read("user.log"), "mine\n");
    let subjects = scene.git(&["log", "--format=%s"]);
    let done = subjects.lines().filter(|line| line.starts_with("feat(M1)")).count();
    assert_eq!(done, 1, "{number}: {subjects}");
    assert_eq!(scene.git(&["status", "--porcelain"]), "", "{number}");
    assert!(!scene.has(".ai/auto.lock"));
    assert!(scene.left_running().is_empty(), "{:?}", scene.left_running());
}

#[test]
fn killed_at_any_moment_the_goal_is_done_once() {
    for number in 0..4 {
        round(number);
    }
}

/// Killed when all was done but the file.
#[test]
fn the_lock_of_a_dead_run_goes_although_nothing_is_left_to_do() {
    let scene = Scene::with(GOALS, SLOW, "");
    assert_eq!(scene.hast(&["auto"]).code, 0);
    let gone = format!(
        "pid: 4194305\nstarted_at: \"2026-02-09T14:30:00+09:00\"\nbase_commit: {}\nbranch: refs/heads/main\ngoal: \"\"\n",
        scene.git(&["rev-parse", "HEAD"])
    );
    scene.write(".ai/auto.lock", &gone);
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!scene.has(".ai/auto.lock"));
}

/// Whoever started hast may be slow to notice that it died, or never do so.
#[test]
fn a_killed_run_that_nobody_has_waited_for_is_dead() {
    let scene = Scene::with(GOALS, SLOW, "max_retries: 9\n");
    let mut child = scene.start(&["auto"]);
    scene.wait_for("src/half.txt");
    child.kill().unwrap();
    let state = || std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    while !state().contains(") Z ") {
        sleep(Duration::from_millis(5));
    }
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert!(state().contains(") Z "), "it was there all the time");
    child.wait().unwrap();
}
