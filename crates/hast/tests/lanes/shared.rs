//! Settings, hooks and stashes that all work trees of a repository share, changed by the user while
//! lanes run. They stay. They fail nothing where a sandbox holds the agent. Without one, a changed
//! setting or hook stops the run, and a stash does not.

use crate::scene::{Scene, work};

const WAITING: &str =
    "      - wait_for: {path: ../../../../../../../project/go.log, seconds: 60}\n";

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
fn without_a_sandbox_it_stays_and_stops_the_run() {
    let scene = while_the_user_configures("off").unwrap();
    assert_eq!(scene.verdicts("M1"), Vec::<String>::new());
    assert_eq!(scene.git(&["remote"]), "theirs");
    assert!(scene.has(".git/hooks/post-checkout"));
    assert_eq!(scene.status_of("M1"), "active");
    // Whoever made it has looked: the next run goes on.
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!((ran.code, scene.status_of("M1").as_str()), (0, "done"), "{ran:?}");
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
