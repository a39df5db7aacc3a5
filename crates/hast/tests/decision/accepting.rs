//! The winner is merged if everything that was asked for holds; else it is said what did not.

use serde_json::json;

use crate::scene::{FILE, Scene, THREE};

#[test]
fn accept_merges_the_winner_and_nothing_else() {
    let scene = Scene::new(&THREE);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["merged"], json!(scene.git(&["rev-parse", "HEAD"])));
    assert!(scene.has("src/moved.txt") && !scene.has("src/long.txt"));
    assert!(!scene.has("src/new.txt") && !scene.has("src/b.txt"));
    let message = scene.git(&["log", "-1", "--format=%B"]);
    assert!(message.starts_with("feat(D1): way C") && message.contains("Hast-Alternative: C"));
    let inbox = scene.hast(&["inbox", "list"]);
    assert!(!inbox.out.contains("D1"), "{inbox:?}");
    scene.nothing_is_left();
    // What is decided stays decided.
    let head = scene.git(&["rev-parse", "HEAD"]);
    let (code, again) = scene.spike(&["--accept"]);
    assert_eq!((code, &again["merged"]), (0, &answer["merged"]), "{again}");
    assert_eq!((scene.git(&["rev-parse", "HEAD"]), scene.events("SPIKE_STARTED")), (head, 1));
}

#[test]
fn the_guard_that_does_not_hold_is_named_and_nothing_is_tried_again() {
    let scene = Scene::new(&THREE);
    assert_eq!(scene.spike(&[]).0, 0);
    let head = scene.git(&["rev-parse", "HEAD"]);
    for (args, guard, word) in [
        (
            &["--accept-max-diff-lines", "1"][..],
            "accept_max_diff_lines",
            "--accept-max-diff-lines 1",
        ),
        (&["--accept-max-changed-files", "0"], "accept_max_changed_files", "changed-files 0"),
        (&["--accept-if-reason", "id"], "accept_if_reason", "why:diff_lines"),
        (&["--accept-require-eligible"], "accept_require_eligible", "contract_fit"),
    ] {
        let args = [&["--accept"], args].concat();
        let (code, answer) = scene.spike(&args);
        assert_eq!((code, &answer["guard"]), (1, &json!(guard)), "{answer}");
        assert!(answer["problem"]["what"].as_str().unwrap().contains(word), "{answer}");
        assert_eq!(scene.git(&["rev-parse", "HEAD"]), head);
    }
    let (code, answer) = scene.spike(&[
        "--accept",
        "--accept-if-reason",
        "diff_lines",
        "--accept-max-diff-lines",
        "2",
    ]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(scene.events("SPIKE_TRIED"), 3);
    scene.nothing_is_left();
}

#[test]
fn a_branch_that_went_on_gets_the_winner_on_top_and_tested_again() {
    let scene = Scene::with(&THREE, "", "test ! -f src/moved.txt || test ! -f strict.txt\n");
    assert_eq!(scene.spike(&[]).0, 0);
    scene.write("mine.txt", "mine\n");
    scene.git(&["add", "mine.txt"]);
    scene.git(&["commit", "-q", "-m", "meanwhile"]);
    let mine = scene.git(&["rev-parse", "HEAD"]);
    scene.write("strict.txt", "\n");
    scene.git(&["add", "strict.txt"]);
    scene.git(&["commit", "-q", "-m", "strict"]);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 1, "{answer}");
    assert!(!scene.has("src/moved.txt"), "red together is never on the branch");
    scene.git(&["reset", "-q", "--hard", &mine]);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 0, "{answer}");
    assert!(scene.has("src/moved.txt") && scene.has("mine.txt"));
    assert_eq!(scene.git(&["rev-parse", "HEAD~1"]), mine);
    scene.nothing_is_left();
}

#[test]
fn a_conflict_or_the_users_own_edit_stops_the_merge() {
    let scene = Scene::new(&[("A", THREE[0].1), ("C", THREE[2].1)]);
    assert_eq!(scene.spike(&[]).0, 0);
    scene.write("src/long.txt", "mine\n");
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 1, "{answer}");
    assert_eq!(scene.read("src/long.txt"), "mine\n");
    scene.git(&["commit", "-q", "-am", "mine"]);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 1, "{answer}");
    assert!(answer["problem"]["next"].as_str().unwrap().contains("refs/hast/spikes/D1/1/C"));
    assert_eq!(scene.read("src/long.txt"), "mine\n");
    scene.nothing_is_left();
}

#[test]
fn a_ticket_that_changed_is_another_question() {
    let scene = Scene::new(&THREE);
    assert_eq!(scene.spike(&[]).0, 0);
    scene.write(FILE, scene.read(FILE).replace("which one?", "which one now?"));
    scene.git(&["commit", "-q", "-am", "another question"]);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!((code, &answer["spike"]), (0, &json!(2)), "{answer}");
}

#[test]
fn what_was_tried_on_a_detached_head_is_not_merged_onto_a_branch() {
    let scene = Scene::new(&THREE);
    let head = scene.git(&["rev-parse", "HEAD"]);
    scene.git(&["checkout", "-q", "--detach"]);
    assert_eq!(scene.spike(&[]).0, 0);
    scene.git(&["checkout", "-q", "main"]);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 1, "{answer}");
    let problem = &answer["problem"];
    assert!(problem["what"].as_str().unwrap().contains("main is checked out"), "{answer}");
    assert!(problem["next"].as_str().unwrap().contains(&head[..12]), "{answer}");
    assert_eq!((scene.git(&["rev-parse", "HEAD"]), scene.events("MERGE_STARTED")), (head, 0));
    scene.git(&["checkout", "-q", "--detach"]);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 0, "{answer}");
    assert!(scene.has("src/moved.txt"));
}

#[test]
fn a_branch_that_moves_each_time_is_followed_three_times() {
    let check = "test ! -f ../../../../../../../project/move.log || git -C ../../../../../../../project commit -q --allow-empty -m moved\n";
    let scene = Scene::with(&THREE, "", check);
    assert_eq!(scene.spike(&[]).0, 0);
    scene.git(&["commit", "-q", "--allow-empty", "-m", "meanwhile"]);
    scene.write("move.log", "");
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 1, "{answer}");
    assert!(answer["problem"]["what"].as_str().unwrap().contains("moved 4 times"), "{answer}");
    assert_eq!((scene.events("MERGE_STARTED"), scene.events("MERGE_MOVED")), (4, 3));
    assert!(!scene.has("src/moved.txt"));
    // Once it rests, the next run merges.
    scene.remove("move.log");
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 0, "{answer}");
    assert!(scene.has("src/moved.txt"));
    scene.nothing_is_left();
}

#[test]
fn another_test_command_has_to_pass_before_the_winner_is_merged() {
    let scene = Scene::new(&THREE);
    assert_eq!(scene.spike(&[]).0, 0);
    let config = scene.read(".ai/config.yaml");
    let head = scene.git(&["rev-parse", "HEAD"]);
    scene.write(".ai/config.yaml", config.replace("sh check.sh", "test -f src/long.txt"));
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 1, "{answer}");
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), head);
    scene.write(".ai/config.yaml", config.replace("sh check.sh", "test -f src/moved.txt"));
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(scene.events("SPIKE_TRIED"), 3, "nothing was tried again");
}

#[test]
fn a_branch_that_is_gone_is_named() {
    let scene = Scene::new(&THREE);
    assert_eq!(scene.spike(&[]).0, 0);
    scene.git(&["branch", "-m", "trunk"]);
    let (code, answer) = scene.spike(&["--accept"]);
    assert_eq!(code, 1, "{answer}");
    let problem = &answer["problem"];
    assert_eq!(problem["what"], "the branch main is gone");
    assert!(!problem["next"].as_str().unwrap().contains("git add"), "{answer}");
    scene.git(&["branch", "-m", "main"]);
    assert_eq!(scene.spike(&["--accept"]).0, 0);
}
