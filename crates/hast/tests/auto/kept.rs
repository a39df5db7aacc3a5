//! Work that was handed to a person: the next attempt begins without it, or goes on from it, and it is never
//! lost.

use std::thread::sleep;
use std::time::Duration;

use crate::scene::{Scene, WORK};

const GOALS: &str = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
/// The first attempt does half of it, in a commit and in the tree, and says that it is stuck.
const STUCK: &str = "  - when: {attempt: 1}
    do:
      - run: echo one > src/one.txt && git add -A src && git commit -qm mine
      - write: {path: src/two.txt, text: \"two\\n\"}
      - delete: README
      - handoff: {status: blocked, next: a key}
";

fn handed_over(then: &str) -> Scene {
    let scene = Scene::with(GOALS, &format!("{STUCK}  - do:\n{then}"), "max_retries: 9\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "blocked"), "{ran:?}");
    assert!(!scene.has("src/one.txt") && !scene.has("src/two.txt") && scene.has("README"));
    scene
}

/// The status commit stands, and nothing is uncommitted.
fn is_clean(scene: &Scene) {
    assert_eq!(scene.git(&["status", "--porcelain", "--", ".", ":!.ai"]), "");
    assert!(scene.git(&["log", "--format=%s"]).contains("chore(M1): goal status"));
    assert_eq!(scene.read("user.log"), "mine\n");
}

fn on_ref(scene: &Scene) {
    let show = |path: &str| scene.git(&["show", &format!("refs/hast/attempts/M1/1:{path}")]);
    assert_eq!((show("src/one.txt").as_str(), show("src/two.txt").as_str()), ("one", "two"));
}

#[test]
fn a_retry_begins_at_the_branch_and_the_kept_work_stays_on_its_ref() {
    let scene = handed_over(
        "      - expect: {exists: README, missing: src/one.txt}\n      - write: {path: src/b.txt, text: b}\n      - handoff: {status: complete}\n",
    );
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    is_clean(&scene);
    on_ref(&scene);
    assert!(!scene.has("src/one.txt") && scene.has("src/b.txt"));
}

#[test]
fn continue_begins_with_the_kept_work_and_it_counts_as_the_attempts_own() {
    let scene = handed_over(
        "      - expect: {exists: src/two.txt, prompt: \"go on from there\"}\n      - write: {path: src/b.txt, text: b}\n      - handoff: {status: complete}\n",
    );
    let ran = scene.hast(&["retry", "M1", "--continue"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    is_clean(&scene);
    let changed = scene.git(&["log", "--grep=^feat(M1)", "--name-status", "--format=", "-1"]);
    for line in ["A\tsrc/one.txt", "A\tsrc/two.txt", "A\tsrc/b.txt", "D\tREADME"] {
        assert!(changed.contains(line), "{changed}");
    }
    assert!(!scene.git(&["log", "--format=%s"]).contains("mine"), "unjudged commits stay off");
}

#[test]
fn kept_work_is_judged_like_any_other_when_it_is_gone_on_with() {
    let goals = GOALS.replace("active\n", "active\n    allowed_changes: [\"src/\"]\n");
    let replies = format!("{STUCK}  - do:\n{WORK}");
    let scene = Scene::with(&goals, &replies, "max_retries: 1\n");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    let ran = scene.hast(&["retry", "M1", "--continue"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    // README was deleted by the first attempt.
    assert_eq!(scene.verdicts()[1], "failed outside_scope");
}

#[test]
fn continue_without_kept_work_or_with_a_goal_that_is_still_blocked_touches_nothing() {
    let scene = Scene::new(WORK);
    let ran = scene.hast(&["auto", "--continue"]);
    assert!(ran.code == 1 && ran.err.contains("--continue"), "{ran:?}");
    assert_eq!(scene.status(), "active");
    let scene = handed_over(WORK);
    let ran = scene.hast(&["auto", "--continue"]);
    assert!(ran.code == 1 && ran.err.contains("hast retry M1"), "{ran:?}");
}

#[test]
fn work_that_was_built_over_is_not_put_back_into_the_tree() {
    let scene = handed_over(WORK);
    scene.write("README", "another\n");
    scene.git(&["commit", "-qam", "theirs"]);
    let ran = scene.hast(&["retry", "M1", "--continue"]);
    assert!(ran.code == 1 && ran.err.contains("README"), "{ran:?}");
    assert_eq!(scene.read("README"), "another\n");
    assert!(!scene.has("src/one.txt"));
}

#[test]
fn what_was_cleaned_away_or_committed_by_the_agent_can_be_brought_back() {
    let scene = handed_over(WORK);
    assert_eq!(scene.hast(&["retry", "M1", "--no-run"]).code, 0);
    let undone = scene.hast(&["auto", "--undo"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!(scene.has("src/one.txt") && scene.has("src/two.txt") && !scene.has("README"));
    assert!(scene.read(".ai/goals.yaml").contains("status: active"), "protected files stay");
}

#[test]
fn what_the_user_ignores_by_now_is_not_written_over_by_kept_work() {
    for args in [&["auto", "--undo"][..], &["take", "M1"]] {
        let replies = "  - do:\n      - write: {path: .env, text: dummy}\n      - write: {path: src/b.txt, text: b}\n";
        let scene = Scene::with(GOALS, replies, "sandbox: off\nmax_retries: 1\n");
        assert_eq!(scene.hast(&["auto"]).code, 1);
        scene.write(".gitignore", "*.log\n.env\n");
        scene.git(&["commit", "-qam", "it was never to be committed"]);
        scene.write(".env", "the real one\n");
        let ran = scene.hast(args);
        assert!(ran.code == 1 && ran.err.contains(".env"), "{ran:?}");
        assert_eq!(scene.read(".env"), "the real one\n", "{args:?}");
        assert!(!scene.has("src/b.txt"), "{args:?}");
    }
}

#[test]
fn an_agent_that_commits_everything_after_a_retry_is_not_blamed_for_the_status() {
    let scene = handed_over(
        "      - write: {path: src/b.txt, text: b}\n      - handoff: {status: complete}\n      - run: git add -A && git commit -qm all\n",
    );
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
}

/// Kills the start that takes kept work out, or goes on from it, at a moment that differs by round.
fn round(number: u64, args: &[&str]) {
    let scene = handed_over(
        "      - sleep: 0.1\n      - write: {path: src/b.txt, text: \"b\\n\"}\n      - handoff: {status: complete}\n",
    );
    scene.write(".ai/goals.yaml", GOALS);
    for kill in 0..3 {
        let mut child = scene.start(args);
        sleep(Duration::from_millis((number * 173 + kill * 97) % 700));
        let _ = child.kill();
        let _ = child.wait();
    }
    let ran = scene.hast(args);
    let again = if ran.code == 0 { ran } else { scene.hast(&["auto"]) };
    assert_eq!(scene.status(), "done", "{number}: {again:?}");
    is_clean(&scene);
    on_ref(&scene);
    let subjects = scene.git(&["log", "--format=%s"]);
    assert_eq!(subjects.lines().filter(|line| line.starts_with("feat(M1)")).count(), 1);
    assert!(scene.left_running().is_empty(), "{:?}", scene.left_running());
}

#[test]
fn killed_while_kept_work_is_taken_out_or_put_back_nothing_is_lost() {
    for number in 0..3 {
        round(number, &["auto"]);
        round(number, &["auto", "M1", "--continue"]);
    }
}
