//! Files that hast's own test runs leave in the tree are not part of the attempt.

use crate::scene::{GO, Scene, WORK};

const UNLIMITED: &str = "goals:\n  - {id: M1, title: a, status: active}\n";
const IN_SOURCE: &str = "goals:\n  - {id: M1, title: a, status: active, allowed_changes: [src/]}\n";
const HANDOFF: &str = "      - handoff: {status: complete, done: [b], next: nothing}\n";

/// A project whose tests leave a file that nobody ignores, another one each time.
fn scene(goals: &str, replies: &str, check: &str) -> Scene {
    let scene = Scene::with(goals, replies, "sandbox: off\nmax_retries: 1\n");
    scene.write("tests/check.sh", &format!("date +%s%N > coverage.out\n{check}"));
    scene.git(&["commit", "-qam", "tests"]);
    scene
}

fn committed(scene: &Scene, commit: &str) -> String {
    scene.git(&["show", "--format=", "--name-only", commit])
}

#[test]
fn a_handoff_beside_what_the_tests_left_is_no_progress() {
    let scene = scene(UNLIMITED, &format!("  - do:\n{HANDOFF}"), "");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert_eq!(scene.verdicts(), ["no-progress nothing_changed"]);
}

#[test]
fn what_the_tests_left_is_no_breach_of_the_scope_and_reaches_nobody() {
    let scene = scene(IN_SOURCE, &format!("  - do:\n{WORK}"), "");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts()), (0, vec!["complete all_good".to_owned()]), "{ran:?}");
    assert!(committed(&scene, "HEAD~1").contains("src/b.txt"));
    assert!(!committed(&scene, "HEAD~1").contains("coverage.out"));
    assert!(!scene.has("coverage.out"), "it is in the room");
}

#[test]
fn running_the_tests_once_more_is_no_progress_and_no_breach_either() {
    let run = "      - run: sh tests/check.sh\n";
    let scene = scene(UNLIMITED, &format!("  - do:\n{run}{HANDOFF}"), "");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert_eq!(scene.verdicts(), ["no-progress nothing_changed"]);
    let scene = self::scene(IN_SOURCE, &format!("  - do:\n{run}{WORK}"), "");
    assert_eq!((scene.hast(&["auto"]).code, scene.verdicts().len()), (0, 1));
    assert!(!committed(&scene, "HEAD~1").contains("coverage.out"));
}

#[test]
fn what_the_agent_commits_of_it_is_its_change() {
    let commit = "      - run: sh tests/check.sh && git add -A && git commit -qm all\n";
    let scene = scene(IN_SOURCE, &format!("  - do:\n{commit}{WORK}"), "");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert_eq!(scene.verdicts(), ["failed outside_scope"]);
}

#[test]
fn a_commit_that_the_user_makes_while_the_tests_run_stays_and_the_work_goes_on_top() {
    let scene =
        Scene::with(UNLIMITED, &format!("  - do:\n{WORK}"), "sandbox: off\nmax_retries: 1\n");
    let check = format!("touch testing.log; while ! test -e {GO}; do sleep 0.01; done\n");
    scene.write("tests/check.sh", &check);
    scene.git(&["commit", "-qam", "tests"]);
    let mut child = scene.start(&["auto"]);
    scene.wait_for("testing.log");
    scene.write("README", "by the user\n");
    scene.git(&["commit", "-qam", "mine"]);
    let mine = scene.git(&["rev-parse", "HEAD"]);
    scene.write("go.log", "");
    assert!(child.wait().unwrap().success());
    assert_eq!(scene.git(&["rev-parse", "HEAD~2"]), mine, "the work and its status came on top");
    assert_eq!(scene.read("README"), "by the user\n");
}
