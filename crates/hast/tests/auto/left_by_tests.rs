//! What hast's own runs of the tests leave in the tree is nobody's work.

use crate::scene::{Scene, WORK};

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
fn running_the_tests_once_more_is_no_progress_either() {
    let replies = format!("  - do:\n      - run: sh tests/check.sh\n{HANDOFF}");
    let scene = scene(UNLIMITED, &replies, "");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert_eq!(scene.verdicts(), ["no-progress nothing_changed"]);
}

#[test]
fn what_the_tests_left_is_no_breach_of_the_scope_and_is_not_committed() {
    for before in ["", "      - run: sh tests/check.sh\n"] {
        let scene = scene(IN_SOURCE, &format!("  - do:\n{before}{WORK}"), "");
        let ran = scene.hast(&["auto"]);
        assert_eq!((ran.code, scene.verdicts()), (0, vec!["complete all_good".to_owned()]));
        assert!(committed(&scene, "HEAD~1").contains("src/b.txt"));
        assert!(!committed(&scene, "HEAD~1").contains("coverage.out"));
        assert!(scene.has("coverage.out"), "it is nobody's to remove");
        assert!(ran.err.contains("coverage.out") && ran.err.contains(".gitignore"), "{ran:?}");
    }
}

#[test]
fn a_start_does_not_refuse_what_the_tests_of_an_earlier_run_left() {
    let two =
        "goals:\n  - {id: M1, title: a, status: active}\n  - {id: M2, title: b, status: active}\n";
    let replies = format!(
        "  - do:\n      - write: {{path: \"src/{{{{goal_id}}}}\", text: \"b\\n\"}}\n{HANDOFF}"
    );
    let scene = scene(two, &replies, "");
    for goal in ["M1", "M2"] {
        let ran = scene.hast(&["auto", goal]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(!committed(&scene, "HEAD~1").contains("coverage.out"));
    }
    // A file of the user's beside it is still named, and that one alone.
    scene.write("notes.txt", "mine\n");
    let goals = scene.read(".ai/goals.yaml");
    scene.write(".ai/goals.yaml", &goals.replacen("done", "active", 1));
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("notes.txt"), "{ran:?}");
    assert!(!ran.err.contains("coverage.out"), "{ran:?}");
}

#[test]
fn what_the_agent_commits_of_it_is_its_change() {
    let commit = "      - run: sh tests/check.sh && git add -A && git commit -qm all\n";
    let scene = scene(IN_SOURCE, &format!("  - do:\n{commit}{WORK}"), "");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert_eq!(scene.verdicts(), ["failed outside_scope"]);
}

#[test]
fn going_back_leaves_what_the_tests_left() {
    let replies = "  - do:\n      - write: {path: src/b.txt, text: b}\n";
    let two =
        "goals:\n  - {id: M1, title: a, status: active}\n  - {id: M2, title: b, status: active}\n";
    let scene = scene(two, replies, "");
    assert_eq!(scene.hast(&["auto", "--recursive"]).code, 1);
    assert_eq!(scene.verdicts().len(), 2);
    assert!(scene.has("coverage.out"));
}

#[test]
fn a_run_that_was_cut_off_and_one_that_takes_kept_work_out_leave_it_too() {
    let replies = format!(
        "  - when: {{missing: ../go}}\n    do:\n      - write: {{path: src/b.txt, text: b}}\n      - write: {{path: ../working, text: x}}\n      - hang: {{}}\n  - when: {{missing: ../more}}\n    do:\n      - write: {{path: src/c.txt, text: c}}\n  - do:\n{WORK}"
    );
    let scene = scene(UNLIMITED, &replies, "");
    let mut child = scene.start(&["auto"]);
    scene.wait_for("../working");
    child.kill().unwrap();
    child.wait().unwrap();
    scene.write("../go", "");
    // What was cut off goes; the next attempt is handed over in the tree.
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert!(scene.has("coverage.out") && scene.has("src/c.txt") && !scene.has("src/b.txt"));
    scene.write("../more", "");
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(scene.has("coverage.out") && !scene.has("src/c.txt"));
    assert!(!committed(&scene, "HEAD~1").contains("coverage.out"));
}

#[test]
fn a_commit_that_the_user_makes_while_the_tests_run_is_where_the_attempt_begins() {
    let replies = "  - do:\n      - write: {path: src/b.txt, text: b}\n";
    let scene = Scene::with(UNLIMITED, replies, "sandbox: off\nmax_retries: 1\n");
    let check = "touch testing.log; while ! test -e ../go; do sleep 0.01; done\n";
    scene.write("tests/check.sh", check);
    scene.git(&["commit", "-qam", "tests"]);
    let mut child = scene.start(&["auto"]);
    scene.wait_for("testing.log");
    scene.write("README", "by the user\n");
    scene.git(&["commit", "-qam", "mine"]);
    let mine = scene.git(&["rev-parse", "HEAD"]);
    scene.write("../go", "");
    child.wait().unwrap();
    assert_eq!(scene.verdicts(), ["failed no_handoff"]);
    assert_eq!(scene.git(&["rev-parse", "HEAD~1"]), mine, "only the status came on top");
    assert_eq!(scene.read("README"), "by the user\n");
}
