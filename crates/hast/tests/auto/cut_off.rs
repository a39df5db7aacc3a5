//! A killed run leaves its work in its room. No file of the user's needs repair, and the next run
//! goes on.

use crate::scene::{Scene, WORK};

const GOALS: &str = "goals:
  - id: M1
    title: \"The work\"
    status: active
  - id: M2
    title: \"Other\"
    status: active
";

/// Dies with its agent, which has done this and then hangs; everybody after it works.
fn killed(actions: &str) -> Scene {
    let replies =
        format!("  - do:\n{actions}      - write: {{path: ready.log, text: now}}\n      - hang\n");
    let scene = Scene::with(GOALS, &replies, "sandbox: off\n");
    let users = scene.users();
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("ready.log");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(scene.users(), users, "{actions}");
    scene.agent(WORK);
    scene
}

const COMMITS: &str = "      - run: echo x > src/x.txt && git add -A src && git commit -qm unjudged\n      - write: {path: src/y.txt, text: y}\n";
const HOOK: &str = "      - run: printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.fsmonitor evil\n";
const REFS: &str = "      - run: git tag -f v0 && git branch -D other && git switch -qc side\n";
const LOCKS: &str = "      - run: touch .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock .git/packed-refs.lock\n";
const INDEX: &str = "      - run: git rm -q --cached README\n";

#[test]
fn whatever_a_killed_agent_had_done_nothing_of_it_counts_and_the_next_run_does_the_goal() {
    for actions in [COMMITS, HOOK, REFS, LOCKS, INDEX, &format!("{COMMITS}{HOOK}{REFS}{LOCKS}")] {
        let scene = killed(actions);
        let users = scene.users();
        let ran = scene.hast(&["auto", "M1"]);
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{actions}: {ran:?}");
        let now = scene.users();
        let now: Vec<&str> = now.lines().filter(|line| !line.contains("src/b.txt")).collect();
        assert_eq!(now, users.lines().collect::<Vec<_>>(), "{actions}");
        assert!(!scene.git(&["log", "--format=%s"]).contains("unjudged"), "{actions}");
        assert!(!scene.has("src/x.txt") && !scene.has("src/y.txt"), "{actions}");
        if actions.contains("unjudged") {
            let show =
                |path: &str| scene.git(&["show", &format!("refs/hast/attempts/M1/1:{path}")]);
            assert_eq!((show("src/x.txt").as_str(), show("src/y.txt").as_str()), ("x", "y"));
        }
        assert!(!scene.has(".ai/auto.lock"), "{actions}");
        assert_eq!(scene.left_running(), [""; 0], "{actions}");
    }
}

#[test]
fn locks_of_git_in_the_checkout_are_the_users_and_stay() {
    let scene = killed(COMMITS);
    scene.write(".git/refs/tags/v9.lock", "");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(scene.status(), "done", "{ran:?}");
    assert!(scene.has(".git/refs/tags/v9.lock"));
}

#[test]
fn an_attempt_whose_record_is_damaged_keeps_nobody_from_the_next() {
    let scene = killed("      - write: {path: src/half.txt, text: half}\n");
    scene.write(".ai/attempts/M1/1/attempt.json", "{\"vers");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.verdicts()), (0, vec!["complete all_good".to_owned()]), "{ran:?}");
    assert!(!scene.has("src/half.txt"), "{ran:?}");
    let saved = scene.git(&["for-each-ref", "--format=%(refname)", "refs/hast/recovered"]);
    assert_eq!(scene.git(&["show", &format!("{saved}:src/half.txt")]), "half");
}

#[test]
fn a_run_that_was_asked_for_another_goal_does_not_go_on_with_it() {
    let scene = killed("      - write: {path: src/half.txt, text: half}\n");
    let ran = scene.hast(&["auto", "M2"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "active"), "{ran:?}");
    assert!(ran.err.contains("M1") && scene.room_has("src/half.txt"), "{ran:?}");
}
