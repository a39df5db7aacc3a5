//! Agents that lie. None of them ends as done, the branch keeps its history, and the user's files
//! are as they were.

use crate::scene::{Scene, WORK};

/// The agent does this, once, with the sandbox off; the judge must say this about it.
pub(crate) fn caught(actions: &str, verdict: &str) {
    let scene = Scene::new(actions);
    let base = scene.git(&["rev-parse", "HEAD"]);
    let (tag, other) = (scene.git(&["rev-parse", "v0"]), scene.git(&["rev-parse", "other"]));
    let config = scene.read(".ai/config.yaml");
    let ran = scene.hast(&["auto"]);
    assert_eq!(scene.verdicts(), [verdict], "{ran:?}");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(scene.status(), "blocked");
    // The branch is where it was, plus hast's own commit of the status.
    assert_eq!(scene.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(scene.git(&["rev-parse", "HEAD^"]), base, "{ran:?}");
    assert_eq!(scene.git(&["diff", "--name-only", "HEAD^", "HEAD"]), ".ai/goals.yaml");
    assert_eq!(scene.git(&["rev-parse", "v0"]), tag);
    assert_eq!(scene.git(&["rev-parse", "other"]), other);
    assert_eq!(scene.read(".ai/config.yaml"), config);
    assert_eq!(scene.read("user.log"), "mine\n");
    assert!(scene.left_running().is_empty(), "{:?}", scene.left_running());
    // What it made is not lost.
    assert!(!scene.git(&["rev-parse", "refs/hast/attempts/M1/1"]).is_empty());
}

pub(crate) fn with_work(actions: &str) -> String {
    format!("{actions}{WORK}")
}

#[test]
fn a_handoff_without_work_is_no_progress() {
    caught(
        "      - handoff: {status: complete, done: [all], next: nothing}\n",
        "no-progress nothing_changed",
    );
}

#[test]
fn work_without_a_handoff_is_a_failure() {
    caught("      - write: {path: src/b.txt, text: b}\n", "failed no_handoff");
}

#[test]
fn a_deleted_test_is_no_green_test() {
    caught(&with_work("      - delete: tests/other_test.sh\n"), "failed tests_deleted");
}

#[test]
fn a_rewritten_test_command_never_takes_effect() {
    let actions = "      - delete: src/a.txt\n      - run: \"sed -i 's/sh tests.check.sh/true/' .ai/config.yaml\"\n";
    caught(&with_work(actions), "failed protected_path");
}

#[test]
fn a_goal_that_marks_itself_done_is_not() {
    let actions = "      - run: \"sed -i 's/status: active/status: done/' .ai/goals.yaml\"\n";
    caught(&with_work(actions), "failed protected_path");
}

#[test]
fn a_commit_outside_of_the_scope_is_seen() {
    let actions =
        "      - write: {path: README, text: changed}\n      - run: git commit -qam sneaky\n";
    caught(&with_work(actions), "failed outside_scope");
}

#[test]
fn links_out_of_the_tree_and_repositories_inside_of_it_are_seen() {
    caught(
        &with_work("      - symlink: {path: src/link, target: /etc/passwd}\n"),
        "failed symlink_leaves",
    );
    caught(&with_work("      - run: git init -q src/nested\n"), "failed nested_repository");
}

#[test]
fn an_empty_commit_is_no_progress() {
    let actions =
        "      - run: git commit -q --allow-empty -m busy\n      - handoff: {status: complete}\n";
    caught(actions, "no-progress nothing_changed");
}

#[test]
fn a_handoff_of_another_goal_or_of_tomorrow_does_not_count() {
    let handoff = |name: &str, goal: &str| {
        format!(
            "      - write: {{path: src/b.txt, text: b}}\n      - write:\n          path: .ai/handoffs/{name}.md\n          text: |\n            ---\n            timestamp: \"{{{{timestamp}}}}\"\n            status: complete\n            goal_id: {goal}\n            ---\n            ## Done\n            - all\n"
        )
    };
    caught(&handoff("2026-02-09_143000", "M2"), "failed handoff_of_another_goal");
    caught(&handoff("2099-01-01_000000", "M1"), "failed handoff_from_the_future");
}

#[test]
fn handoffs_of_earlier_work_are_nobodys_to_rewrite() {
    let earlier = ".ai/handoffs/2026-02-01_100000.md";
    let write = format!("      - write: {{path: {earlier}, text: forged}}\n");
    let delete = format!("      - delete: {earlier}\n");
    let commit = format!("      - run: git rm -q {earlier} && git commit -q -m tidy\n");
    for lie in [write, delete, commit] {
        let scene = Scene::new(&with_work(&lie));
        scene.write(earlier, "what was done\n");
        scene.git(&["add", "-A"]);
        scene.git(&["commit", "-q", "-m", "earlier"]);
        let ran = scene.hast(&["auto"]);
        assert_eq!(scene.verdicts(), ["failed protected_path"], "{ran:?}");
        assert_eq!(scene.read(earlier), "what was done\n");
    }
}

#[test]
fn red_tests_are_red_whatever_the_agent_says() {
    caught(&with_work("      - delete: src/a.txt\n"), "failed tests_red");
}

#[test]
fn a_failed_word_counts_for_more_than_good_work() {
    caught(&with_work("      - failed: I could not\n"), "failed agent_failed");
}

/// A repository beside the project, as the submodule `sub`.
fn add_submodule(scene: &Scene) {
    scene.git(&["init", "-q", "-b", "main", "../other"]);
    let identity = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    scene.write("../other/lib.txt", "orig\n");
    scene.git(&["-C", "../other", "add", "-A"]);
    let commit = [&["-C", "../other"][..], &identity, &["commit", "-qm", "sub"]].concat();
    scene.git(&commit);
    let other = scene.root().join("../other").canonicalize().unwrap();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
    scene.git(&[&add[..], &[other.to_str().unwrap(), "sub"]].concat());
    scene.git(&["commit", "-qam", "sub"]);
}

#[test]
fn what_is_written_where_a_submodule_is_empty_reaches_nobody() {
    let scene = Scene::new(&with_work("      - write: {path: sub/lib.txt, text: patched}\n"));
    add_submodule(&scene);
    scene.git(&["submodule", "deinit", "-q", "-f", "sub"]);
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.git(&["diff", "--name-only", "HEAD~2", "--", ".", ":!.ai"]), "src/b.txt");
    assert!(!scene.has("sub/lib.txt"), "the user's is as it was");
}

#[test]
fn the_users_files_in_a_submodule_are_theirs() {
    let scene = Scene::new(&with_work("      - run: rm -f sub/mine.txt\n"));
    add_submodule(&scene);
    scene.write("sub/mine.txt", "mine\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.read("sub/mine.txt").as_str()), (0, "mine\n"), "{ran:?}");
}
