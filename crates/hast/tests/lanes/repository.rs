//! Trouble of the repository is nobody's goal: the run says what it is, and ends.

use crate::scene::{Scene, work};

fn three() -> Scene {
    let works: Vec<String> =
        ["a", "b", "c"].map(|name| work(&format!("src/{name}.txt"), name)).into();
    Scene::new(&[("A", "", &works[0]), ("B", "", &works[1]), ("C", "", &works[2])])
}

#[test]
fn a_filter_that_only_the_repository_defines_is_named_before_anything_starts() {
    let scene = three();
    scene.write(".gitattributes", "*.bin filter=x\n");
    scene.write("src/d.bin", "secret\n");
    scene.git(&["config", "filter.x.clean", "sed s/secret/POINTER/"]);
    scene.git(&["config", "filter.x.smudge", "sed s/POINTER/secret/"]);
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-qm", "a filter"]);
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    let goals = scene.read(".ai/goals.yaml");
    for args in [&["auto", "A"][..], &["auto", "--recursive", "--parallel", "2"]] {
        let ran = scene.hast(args);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("filter.x") && ran.err.contains("--global"), "{}", ran.err);
        assert!(!ran.err.contains("d.bin"), "the tree is clean: {}", ran.err);
    }
    assert_eq!(scene.read(".ai/goals.yaml"), goals);
    scene.nothing_is_left();
}

#[test]
fn a_branch_in_the_way_of_ours_is_named_once_work_has_to_be_kept() {
    let stuck = "      - write: {path: src/half.txt, text: half}\n      - handoff: {status: blocked, next: a key}\n";
    let scene = Scene::new(&[("A", "", &work("src/one.txt", "1")), ("B", "", stuck)]);
    scene.git(&["branch", "hast"]);
    let all = ["auto", "--recursive", "--parallel", "2"];
    let ran = scene.hast(&all);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("git branch -m hast NAME"), "{}", ran.err);
    assert_eq!((scene.status_of("A").as_str(), scene.status_of("B").as_str()), ("done", "active"));
    scene.git(&["branch", "-m", "hast", "mine"]);
    let ran = scene.hast(&all);
    assert_eq!((ran.code, scene.status_of("B").as_str()), (1, "blocked"), "{ran:?}");
    assert_eq!(scene.git(&["show", "hast/kept/B:src/half.txt"]), "half");
    scene.nothing_is_left();
}

#[test]
fn in_the_checkout_it_goes_on_once_the_branch_in_the_way_is_renamed() {
    let stuck = "      - write: {path: src/half.txt, text: half}\n      - handoff: {status: blocked, next: a key}\n";
    let scene = Scene::new(&[("A", "", stuck), ("B", "", &work("src/b.txt", "b"))]);
    scene.git(&["branch", "hast"]);
    for _ in 0..2 {
        let ran = scene.hast(&["auto", "--recursive"]);
        assert!(ran.code == 1 && ran.err.contains("git branch -m hast NAME"), "{ran:?}");
    }
    scene.git(&["branch", "-m", "hast", "mine"]);
    let ran = scene.hast(&["auto", "--recursive"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!((scene.status_of("A").as_str(), scene.status_of("B").as_str()), ("blocked", "done"));
    assert_eq!(scene.git(&["show", "hast/kept/A:src/half.txt"]), "half");
}

#[test]
fn a_lane_that_cannot_go_on_commits_its_status_and_says_where_to_look() {
    let done = work("src/b.txt", "b");
    let scene = Scene::with(&[("M1", "", &done)], "worktree_setup: \"false\"\n", "true\n");
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (1, "blocked"), "{ran:?}");
    assert!(
        ran.err.contains("hast auto --gc") && !ran.err.contains("refs/hast/attempts"),
        "{ran:?}"
    );
    assert_eq!(scene.git(&["log", "-1", "--format=%s"]), "chore(M1): goal status");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
}
