//! What an earlier run left is finished by the next one, or found and removed, never lost.

use crate::scene::{Scene, work};

#[test]
fn gc_removes_trees_that_no_run_needs_and_keeps_what_they_held() {
    let scene = Scene::new(&[("M1", "", &work("src/b.txt", "b"))]);
    let tree = ".ai/worktrees/OLD";
    scene.git(&["worktree", "add", "-q", "-b", "hast/lanes/OLD/work", tree]);
    scene.git(&["worktree", "add", "-q", "-b", "theirs", "../theirs"]);
    scene.write(&format!("{tree}/work.txt"), "nowhere else\n");
    let ran = scene.hast(&["auto", "--gc"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("OLD") && ran.out.contains("refs/hast/recovered/OLD/"), "{}", ran.out);
    let name = scene.git(&["for-each-ref", "--format=%(refname)", "refs/hast/recovered"]);
    assert_eq!(scene.git(&["show", &format!("{name}:work.txt")]), "nowhere else");
    assert!(!scene.has(tree) && scene.root().join("../theirs/src/a.txt").exists());
    assert_eq!(scene.git(&["for-each-ref", "refs/heads/hast"]), "");
    let json = scene.hast(&["auto", "--gc", "--json"]);
    assert!(json.out.contains("\"worktrees\": []"), "{}", json.out);
}

#[test]
fn runs_in_place_and_in_lanes_say_which_command_finishes_the_other() {
    let scene = Scene::new(&[("M1", "", "      - hang\n")]);
    for (first, second, word) in [
        (&["auto", "--isolate"][..], &["auto"][..], "hast auto --isolate"),
        (&["auto"][..], &["auto", "--isolate"][..], "hast auto M1"),
    ] {
        let mut child = scene.start(first);
        scene.wait_until("the agent is called", |scene| {
            scene
                .read(".ai/events/events.ndjson")
                .lines()
                .last()
                .is_some_and(|line| line.contains("ATTEMPT_STARTED"))
        });
        child.kill().unwrap();
        child.wait().unwrap();
        scene.nothing_runs();
        let ran = scene.hast(second);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(word), "{}", ran.err);
        // Both logs end here; a fresh start for the other way round.
        std::fs::remove_dir_all(scene.root().join(".ai/events")).unwrap();
        std::fs::remove_dir_all(scene.root().join(".ai/attempts")).unwrap();
        std::fs::remove_dir_all(scene.root().join(".ai/.hast")).unwrap();
        scene.hast(&["auto", "--gc"]);
    }
}
