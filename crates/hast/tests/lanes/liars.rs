//! Agents in lanes that reach for what is not theirs, with a sandbox and without one.

use crate::scene::{Scene, work};

/// One goal whose agent does this before its work.
fn lie(line: &str, config: &str) -> Scene {
    let actions = format!("      - run: \"{line}\"\n{}", work("src/b.txt", "b"));
    let config = format!("{config}max_retries: 1\n");
    Scene::with(&[("M1", "", &actions)], &config, "true\n")
}

/// The verdicts on it, with whatever holds the agent.
fn verdicts(line: &str, config: &str) -> (Scene, Vec<String>) {
    let scene = lie(line, config);
    scene.hast(&["auto", "--isolate"]);
    let verdicts = scene.verdicts("M1");
    (scene, verdicts)
}

const WALLS: [&str; 2] = ["", "sandbox: off\n"];

#[test]
fn a_git_file_that_names_another_repository_is_given_back() {
    for config in WALLS {
        let line = "git init -q other && printf 'gitdir: %s/other/.git\\\\n' $PWD > .git";
        let (scene, found) = verdicts(line, config);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_ne!(found[0], "all_good", "{config}");
        assert_eq!(scene.status_of("M1"), "blocked");
        assert!(!scene.has("src/b.txt"));
        scene.nothing_is_left();
    }
}

#[test]
fn a_git_file_that_names_the_users_own_repository_changes_nothing_there() {
    for config in WALLS {
        let line = "printf 'gitdir: ../../../.git\\\\n' > .git; git add -A; git commit -qm evil";
        let scene = lie(line, config);
        let (before, head) = (scene.checkout(), scene.git(&["rev-parse", "main"]));
        scene.hast(&["auto", "--isolate"]);
        assert_eq!(scene.verdicts("M1"), ["protected_path"], "{config}");
        assert_eq!(scene.checkout(), before);
        if config.is_empty() {
            // Where nothing holds it, refs of the user are not put back: they may have moved them.
            let changed = scene.git(&["diff", "--name-only", &head, "main"]);
            assert_eq!(changed, ".ai/goals.yaml");
        }
        scene.nothing_is_left();
    }
}

#[test]
fn an_entry_that_names_another_tree_is_given_back_and_still_known() {
    for config in WALLS {
        let line = "d=$(git rev-parse --git-dir); echo /nowhere/.git > $d/gitdir; echo ../../elsewhere > $d/commondir";
        let (scene, found) = verdicts(line, config);
        assert_eq!(found, ["protected_path"], "{config}");
        assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
        scene.nothing_is_left();
    }
}

#[test]
fn an_entry_that_was_falsified_before_a_death_loses_nothing() {
    let line = "echo mine > src/kept.txt; d=$(git rev-parse --git-dir); echo /nowhere/.git > $d/gitdir; touch ../../../ready.log";
    let actions = format!("      - run: \"{line}\"\n      - hang\n");
    let scene = Scene::with(&[("M1", "", &actions)], "sandbox: off\n", "true\n");
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the agent has done it", |scene| scene.has("ready.log"));
    child.kill().unwrap();
    child.wait().unwrap();
    scene.nothing_runs();
    scene.write(
        "a.rehearsal.yaml",
        format!("version: 1\nreplies:\n  - do:\n{}", work("src/b.txt", "b")),
    );
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/kept.txt"]), "mine");
    scene.nothing_is_left();
}

#[test]
fn a_tree_that_git_knows_nothing_of_is_moved_aside_and_not_deleted() {
    let scene = Scene::new(&[("M1", "", &work("src/b.txt", "b"))]);
    scene.write(".ai/worktrees/M1/src/only-here.txt", "mine\n");
    scene.write(".ai/worktrees/OLD/only-here.txt", "mine too\n");
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(scene.read(".git/hast/aside/M1/0-worktree/src/only-here.txt"), "mine\n");
    let ran = scene.hast(&["auto", "--gc"]);
    assert!(ran.out.contains("OLD") && ran.out.contains("aside"), "{}", ran.out);
    assert_eq!(scene.read(".git/hast/aside/OLD/0-worktree/only-here.txt"), "mine too\n");
    scene.nothing_is_left();
}

#[test]
fn a_goal_that_was_marked_done_in_the_tree_is_not() {
    for config in WALLS {
        let line = "sed -i 's/active/done/' .ai/goals.yaml; git add -A; git commit -qm done";
        let (scene, found) = verdicts(line, config);
        assert_eq!(found, ["protected_path"], "{config}");
        assert_eq!(scene.status_of("M1"), "blocked");
        scene.nothing_is_left();
    }
}

#[test]
fn branches_that_an_agent_leaves_beside_its_own_are_kept_elsewhere() {
    let (scene, found) = verdicts(
        "git branch hast/lanes/M1/more; git update-ref refs/heads/hast/lanes/M1/a/b HEAD",
        "",
    );
    assert_eq!(found, ["all_good"]);
    let kept = scene.git(&["for-each-ref", "--format=%(refname)", "refs/hast/displaced"]);
    assert!(kept.contains("M1/branches/more") && kept.contains("M1/branches/a/b"), "{kept}");
    scene.nothing_is_left();
}

#[test]
fn another_lanes_tree_is_closed_to_an_agent_that_a_sandbox_holds() {
    let meddle = "      - wait_for: {path: ../B/src/a.txt, seconds: 60}\n      - run: \"echo evil >> ../B/src/a.txt; echo evil > ../B/src/new.txt; rm -rf ../B/.git; true\"\n      - run: \"echo > meddled.log\"\n";
    let a = format!("{meddle}{}", work("src/one.txt", "1"));
    let b = format!(
        "      - wait_for: {{path: ../A/meddled.log, seconds: 60}}\n{}",
        work("src/two.txt", "2")
    );
    let scene = Scene::with(&[("A", "", &a), ("B", "", &b)], "sandbox: enforce\n", "true\n");
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "2"]);
    if ran.code != 0 && ran.err.contains("sandbox") {
        return;
    }
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!((scene.read("src/a.txt").as_str(), scene.has("src/new.txt")), ("a\n", false));
    scene.nothing_is_left();
}

#[test]
fn what_an_agent_writes_into_the_checkout_is_never_committed() {
    let line = "echo evil > ../../../src/evil.txt; echo evil >> ../../../src/a.txt; git -C ../../.. add -A src";
    let (scene, found) = verdicts(line, "sandbox: off\n");
    assert_eq!(found, ["all_good"]);
    let files = scene.git(&["ls-tree", "-r", "--name-only", "main"]);
    assert!(files.contains("src/b.txt") && !files.contains("evil"), "{files}");
    assert_eq!(scene.git(&["show", "main:src/a.txt"]), "a");
    scene.nothing_is_left();
}

#[test]
fn a_merge_never_goes_over_what_an_agent_wrote_into_the_checkout() {
    let (scene, found) = verdicts("echo other > ../../../src/b.txt", "sandbox: off\n");
    assert_eq!(found, ["all_good", "merge_touches"]);
    assert_eq!(scene.read("src/b.txt"), "other\n");
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
    scene.nothing_is_left();
}

#[test]
fn an_operation_left_under_way_in_a_lane_fails_there() {
    for config in WALLS {
        let line = "git rev-parse HEAD > $(git rev-parse --git-dir)/MERGE_HEAD";
        let (scene, found) = verdicts(line, config);
        assert_eq!(found, ["operation_left"], "{config}");
        assert_eq!(scene.status_of("M1"), "blocked");
        scene.nothing_is_left();
    }
}
