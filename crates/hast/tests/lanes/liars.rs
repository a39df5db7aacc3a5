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
fn a_git_file_that_names_another_repository_is_not_followed() {
    for config in WALLS {
        let line = "mv .git ../gone.log || mv .git gone.log; git init -q $HOME/other; printf 'gitdir: %s/other/.git\\\\n' $HOME > .git; git add -A; git commit -qm elsewhere; true";
        let (scene, found) = verdicts(line, config);
        assert_eq!(found, ["all_good"], "{config}");
        assert_eq!(
            scene.git(&["log", "--format=%s", "main"]),
            "chore(M1): goal status\nfeat(M1): Goal M1\nfirst"
        );
        scene.nothing_is_left();
    }
}

#[test]
fn a_git_file_that_names_the_users_repository_moves_nothing_there_where_the_sandbox_holds() {
    let line = "rm -rf .git; printf 'gitdir: ../../../../../../../project/.git\\\\n' > .git; git add -A; git commit -qm evil; true";
    let scene = lie(line, "");
    scene.hast(&["auto", "--isolate"]);
    assert_eq!(scene.verdicts("M1"), ["all_good"]);
    let log = scene.git(&["log", "--format=%s", "main"]);
    assert_eq!(log, "chore(M1): goal status\nfeat(M1): Goal M1\nfirst");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    scene.nothing_is_left();
}

#[test]
fn what_an_agent_does_to_its_git_directory_before_a_death_loses_nothing() {
    let line = "echo mine > src/kept.txt; rm -rf .git/*; echo /nowhere > .git/commondir; touch ../../../../../../../project/ready.log";
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
fn branches_tags_and_stashes_of_an_agent_stay_in_its_room() {
    for config in WALLS {
        let line = "git branch more; git tag -a -m t t; echo s >> src/a.txt; git stash -q; git update-ref refs/heads/hast/kept/M1 HEAD";
        let (scene, found) = verdicts(line, config);
        assert_eq!(found, ["all_good"], "{config}");
        let refs = scene.git(&["for-each-ref", "--format=%(refname)"]);
        let left = refs.lines().filter(|name| !name.starts_with("refs/hast/"));
        assert_eq!(left.collect::<Vec<_>>(), ["refs/heads/main"], "{config}");
        scene.nothing_is_left();
    }
}

#[test]
fn another_lanes_room_is_closed_to_an_agent_that_a_sandbox_holds() {
    // Whichever room the other lane has.
    let others = "for room in ../../*/; do [ $room -ef .. ] || { echo evil >> $room/tree/src/a.txt; echo evil > $room/tree/src/new.txt; rm -rf $room/tree/.git; }; done; true";
    let meddle = format!("      - run: \"{others}\"\n");
    let both = |path: &str| format!("{meddle}      - sleep: 0.3\n{meddle}{}", work(path, "1"));
    let (a, b) = (both("src/one.txt"), both("src/two.txt"));
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
    let line = "echo evil > ../../../../../../../project/src/evil.txt; echo evil >> ../../../../../../../project/src/a.txt; git -C ../../../../../../../project add -A src";
    let (scene, found) = verdicts(line, "sandbox: off\n");
    assert_eq!(found, ["all_good"]);
    let files = scene.git(&["ls-tree", "-r", "--name-only", "main"]);
    assert!(files.contains("src/b.txt") && !files.contains("evil"), "{files}");
    assert_eq!(scene.git(&["show", "main:src/a.txt"]), "a");
    scene.nothing_is_left();
}

#[test]
fn a_merge_never_goes_over_what_an_agent_wrote_into_the_checkout() {
    let (scene, found) =
        verdicts("echo other > ../../../../../../../project/src/b.txt", "sandbox: off\n");
    assert_eq!(found, ["all_good", "merge_touches"]);
    assert_eq!(scene.read("src/b.txt"), "other\n");
    assert_eq!(scene.git(&["show", "hast/kept/M1:src/b.txt"]), "b");
    scene.nothing_is_left();
}

#[test]
fn an_operation_left_under_way_in_a_room_is_nobodys_business() {
    for config in WALLS {
        let line = "git rev-parse HEAD > .git/MERGE_HEAD; git checkout -q --detach";
        let (scene, found) = verdicts(line, config);
        assert_eq!(found, ["all_good"], "{config}");
        assert_eq!(scene.status_of("M1"), "done");
        scene.nothing_is_left();
    }
}
