//! What all work trees of a repository share, changed while lanes run: by the user, whom a sandbox
//! tells from the agent, and by agents that nothing holds.

use crate::scene::{Scene, work};

const WAITING: &str = "      - wait_for: {path: ../../../go.log, seconds: 60}\n";

/// A goal that waits, with the sandbox on or off, and the user who configures something meanwhile.
fn while_the_user_configures(sandbox: &str) -> Option<Scene> {
    let actions = format!("{WAITING}{}", work("src/b.txt", "b"));
    let config = format!("sandbox: {sandbox}\nmax_retries: 1\n");
    let scene = Scene::with(&[("M1", "", &actions)], &config, "true\n");
    scene.write("src/a.txt", "half done\n");
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the agent is called or cannot be", |scene| {
        let log = scene.read(".ai/events/events.ndjson");
        log.contains("ATTEMPT_STARTED") || log.contains("GOAL_BLOCKED")
    });
    scene.git(&["remote", "add", "theirs", "../theirs"]);
    scene.git(&["stash", "-q"]);
    scene.write(".git/hooks/post-checkout", "#!/bin/sh\n");
    scene.write("go.log", "");
    child.wait().unwrap();
    let log = scene.read(".ai/events/events.ndjson");
    (!log.contains("\"not_started\"")).then_some(scene)
}

#[test]
fn what_the_user_configures_meanwhile_stays_and_fails_nothing_where_the_sandbox_holds() {
    let Some(scene) = while_the_user_configures("enforce") else { return };
    assert_eq!(scene.verdicts("M1"), ["all_good"]);
    assert_eq!(scene.status_of("M1"), "done");
    assert_eq!(scene.git(&["remote"]), "theirs");
    assert_eq!(scene.git(&["stash", "list"]).lines().count(), 1);
    assert!(scene.has(".git/hooks/post-checkout"));
    scene.git(&["stash", "pop", "-q"]);
    assert_eq!(scene.read("src/a.txt"), "half done\n");
    scene.nothing_is_left();
}

#[test]
fn without_a_sandbox_it_is_given_back_and_what_was_there_is_kept() {
    let scene = while_the_user_configures("off").unwrap();
    assert_eq!(scene.verdicts("M1"), ["protected_path"]);
    assert_eq!(scene.git(&["remote"]), "");
    assert!(!scene.has(".git/hooks/post-checkout"));
    let kept = scene.names(".git/hast/aside/M1%2F1");
    assert!(kept.iter().any(|name| name.ends_with("post-checkout")), "{kept:?}");
    let config = kept.iter().find(|name| name.ends_with("%2Fconfig")).unwrap();
    assert!(scene.read(&format!(".git/hast/aside/M1%2F1/{config}")).contains("theirs"));
    assert_eq!(scene.git(&["stash", "list"]).lines().count(), 1, "refs are the user's to move");
    scene.nothing_is_left();
}

#[test]
fn a_stash_that_the_user_makes_meanwhile_stays_in_the_list_and_fails_nothing() {
    let actions = format!("{WAITING}{}", work("src/b.txt", "b"));
    let config = "sandbox: off\nmax_retries: 1\n";
    let scene = Scene::with(&[("M1", "", &actions)], config, "true\n");
    let mut child = scene.start(&["auto", "--isolate"]);
    scene.wait_until("the agent is called", |scene| {
        scene.read(".ai/events/events.ndjson").contains("ATTEMPT_STARTED")
    });
    scene.write("src/a.txt", "half done\n");
    scene.git(&["stash", "-q"]);
    scene.write("go.log", "");
    child.wait().unwrap();
    assert_eq!(
        (scene.verdicts("M1"), scene.status_of("M1")),
        (vec!["all_good".into()], "done".into())
    );
    assert_eq!(scene.git(&["stash", "list"]).lines().count(), 1);
    scene.git(&["stash", "pop", "-q"]);
    assert_eq!(scene.read("src/a.txt"), "half done\n");
    scene.nothing_is_left();
}

#[test]
fn a_lane_that_began_after_a_hook_was_planted_does_not_plant_it_again() {
    let plant = "      - run: \"echo evil > ../../../.git/hooks/pre-push; git config core.fsmonitor evil; touch ../../../planted.log\"\n";
    let a = format!("{plant}{WAITING}{}", work("src/one.txt", "1"));
    let b = format!(
        "      - wait_for: {{path: ../../../judged.log, seconds: 60}}\n{}",
        work("src/two.txt", "2")
    );
    // B's start is recorded while the hook is there.
    let setup = "case $PWD in */B) until test -f ../../../planted.log; do sleep 0.05; done; esac";
    let config = format!("sandbox: off\nmax_retries: 1\nworktree_setup: \"{setup}\"\n");
    let scene = Scene::with(&[("A", "", &a), ("B", "", &b)], &config, "true\n");
    let config = scene.read(".git/config");
    let mut child = scene.start(&["auto", "--recursive", "--parallel", "2"]);
    let told = |scene: &hast_stage::Stage, kind: &str, goal: &str| {
        let log = scene.read(".ai/events/events.ndjson");
        let of_goal = format!("\"goal_id\":\"{goal}\"");
        log.lines().any(|line| line.contains(kind) && line.contains(&of_goal))
    };
    scene.wait_until("B has begun", |scene| told(scene, "ATTEMPT_STARTED", "B"));
    assert!(scene.has(".git/hooks/pre-push"));
    scene.write("go.log", "");
    scene.wait_until("A is judged", |scene| told(scene, "ATTEMPT_JUDGED", "A"));
    scene.write("judged.log", "");
    child.wait().unwrap();
    assert_eq!(scene.verdicts("A"), ["protected_path"]);
    assert_eq!(scene.verdicts("B"), ["all_good"], "it had nothing to do with it");
    assert!(!scene.has(".git/hooks/pre-push"));
    assert_eq!(scene.read(".git/config"), config);
    scene.nothing_is_left();
}
