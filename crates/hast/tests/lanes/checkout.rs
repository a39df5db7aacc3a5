//! What a run in the checkout or the user left there, while lanes run beside it.

use crate::scene::{Scene, work};

const STUCK: &str = "      - write: {path: src/half.txt, text: \"half\\n\"}\n      - delete: src/a.txt\n      - handoff: {status: blocked, next: a key}\n";

/// M1 was handed over with its work in the tree; M2 is there to be done.
fn handed_over(second: &str) -> Scene {
    let scene = Scene::new(&[("M1", "", STUCK), ("M2", "", second)]);
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(scene.has("src/half.txt") && !scene.has("src/a.txt"));
    scene
}

#[test]
fn work_that_was_left_in_the_tree_is_still_known_after_lanes_have_run() {
    let blocked = "      - handoff: {status: blocked, next: another key}\n";
    let scene = handed_over(blocked);
    let before = scene.checkout();
    let ran = scene.hast(&["auto", "M2", "--isolate"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(scene.checkout(), before, "lanes leave it where it is");
    let ran = scene.hast(&["retry", "M1"]);
    assert!(ran.err.contains("refs/hast/attempts/M1/1"), "it is taken out, and said: {ran:?}");
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/half.txt"]), "half");
}

#[test]
fn going_on_with_what_is_in_the_tree_works_after_lanes_have_run() {
    let scene = handed_over("      - handoff: {status: blocked, next: another key}\n");
    scene.hast(&["auto", "M2", "--isolate"]);
    scene.write(
        "a.rehearsal.yaml",
        "version: 1\nreplies:\n  - do:\n      - expect: {exists: src/half.txt}\n      - write: {path: src/b.txt, text: b}\n      - handoff: {status: complete}\n",
    );
    scene.git(&["commit", "-q", "-m", "another agent", "a.rehearsal.yaml"]);
    let ran = scene.hast(&["retry", "M1", "--continue"]);
    // What was committed since is the user's, so nothing is taken out for it, and nothing is lost.
    assert!(ran.code == 1 && ran.err.contains("src/half.txt"), "{ran:?}");
    assert_eq!(scene.read("src/half.txt"), "half\n");
    scene.git(&["stash", "-q", "-u", "--", "src"]);
    let ran = scene.hast(&["auto", "M1", "--continue"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.git(&["show", "main:src/half.txt"]), "half");
}

#[test]
fn a_merge_goes_around_what_was_left_in_the_tree() {
    let scene = handed_over(&work("src/two.txt", "2"));
    let mut before = scene.checkout();
    let ran = scene.hast(&["auto", "M2", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("M2").as_str()), (0, "done"), "{ran:?}");
    before.insert("src/two.txt".to_owned(), b"2\n".to_vec());
    assert_eq!(scene.checkout(), before);
    // Something else lies on top now: it is the user's to say what becomes of it.
    let ran = scene.hast(&["retry", "M1"]);
    assert!(ran.code == 1 && ran.err.contains("src/half.txt"), "{ran:?}");
    assert_eq!(scene.checkout(), before);
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/half.txt"]), "half");
    scene.nothing_is_left();
}

#[test]
fn the_same_goal_in_a_lane_waits_for_what_it_left_in_the_tree() {
    let scene = handed_over(&work("src/two.txt", "2"));
    scene.write(
        "a.rehearsal.yaml",
        format!("version: 1\nreplies:\n  - do:\n{}", work("src/half.txt", "whole")),
    );
    scene.git(&["commit", "-q", "-m", "another agent", "a.rehearsal.yaml"]);
    let goals = scene.read(".ai/goals.yaml");
    let (first, rest) = goals.split_once("status: blocked").unwrap();
    scene.write(".ai/goals.yaml", format!("{first}status: active{rest}"));
    let before = scene.checkout();
    let ran = scene.hast(&["auto", "M1", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "blocked"), "{ran:?}");
    assert_eq!(scene.checkout(), before);
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/half.txt"]), "whole");
    scene.nothing_is_left();
}

#[test]
fn a_merge_waits_for_ignored_files_where_it_would_bring_a_directory() {
    let actions = "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n      - write: {path: data/schema.sql, text: table}\n      - handoff: {status: complete, done: [it], next: nothing}\n";
    let scene = Scene::new(&[("M1", "", actions)]);
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the tree is there", |scene| scene.room_has("M1", "src/a.txt"));
    scene.write(".gitignore", "*.log\n.env\n/data\n");
    scene.git(&["commit", "-qam", "my data"]);
    scene.write("data", "precious\n");
    scene.write("go.log", "");
    child.wait().unwrap();
    assert_eq!(scene.read("data"), "precious\n");
    assert_eq!(scene.status_of("M1"), "blocked");
    assert_eq!(scene.verdicts("M1"), ["all_good", "merge_touches"]);
    assert_eq!(scene.git(&["show", "hast/kept/M1:data/schema.sql"]), "table");
    scene.nothing_is_left();
}
