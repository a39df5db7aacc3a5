//! Ignored files of the user: the tests judge what the agent left, and afterwards everything is there again
//! or is named.

use crate::scene::{Scene, WORK};

const BACK: &str = "deleted or moved away during the attempt, and are back: ";

/// Tests that build only what is missing, from `src/config`; it was built before.
fn with_objects(actions: &str) -> Scene {
    let scene = Scene::new(actions);
    scene.write("src/config", "1\n");
    scene.write("src/want", "1\n");
    let tests = "test -f src/main.log || cp src/config src/main.log; cmp src/want src/main.log\n";
    scene.write("tests/check.sh", tests);
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-qm", "a build"]);
    scene.write("src/main.log", "1\n");
    scene
}

#[test]
fn objects_that_the_agent_cleaned_away_are_not_there_when_the_tests_judge() {
    let change =
        "      - write: {path: src/config, text: \"2\\n\"}\n      - run: rm src/main.log\n";
    let want = "      - write: {path: src/want, text: \"2\\n\"}\n";
    let scene = with_objects(&format!("{change}{want}{WORK}"));
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.read("src/main.log"), "2\n");
    // The other way round: a stale object does not make broken work green.
    let scene = with_objects(&format!("{change}{WORK}"));
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "blocked"), "{ran:?}");
}

#[test]
fn they_are_back_and_named_however_an_attempt_ends() {
    let deletes = "      - run: rm user.log\n";
    let blocked = "      - handoff: {status: blocked, done: [b], next: a person}\n";
    for (which, ends, code) in [
        ("done", WORK, 0),
        ("blocked by the agent, without tests", blocked, 1),
        ("refused by a hook", WORK, 1),
        ("without a commit", WORK, 0),
        ("committed by the agent", WORK, 0),
    ] {
        let commits = if which == "committed by the agent" {
            "      - run: git add -A && git commit -qm own\n"
        } else {
            ""
        };
        let scene = Scene::new(&format!("{deletes}{ends}{commits}"));
        if which == "refused by a hook" {
            scene.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
            scene.shell("chmod +x .git/hooks/pre-commit");
        }
        if which == "without a commit" {
            let config = scene.read(".ai/config.yaml");
            scene.write(".ai/config.yaml", &format!("{config}commit: off\n"));
            scene.shell("git commit -qam config");
        }
        let ran = scene.hast(&["auto", "M1"]);
        assert_eq!(ran.code, code, "{which}: {ran:?}");
        assert_eq!(scene.read("user.log"), "mine\n", "{which}: {ran:?}");
        assert!(ran.out.contains(&format!("{BACK}user.log")), "{which}: {ran:?}");
        for left in [".git/hast/ignored", ".git/hast/ignored-seen"] {
            assert!(!scene.has(left), "{which}: {left}");
        }
        assert_eq!(scene.shell_out("stat -c %h user.log"), "1", "{which}");
    }
}

/// With an ignored file in a directory of tracked ones.
fn with_secret(actions: &str) -> Scene {
    let scene = Scene::new(actions);
    scene.write("src/conf/f", "f\n");
    scene.shell("git add -A && git commit -qm conf");
    scene.write("src/conf/secret.log", "SECRET\n");
    scene
}

#[test]
fn what_cannot_go_back_lies_aside_and_a_line_names_it() {
    let scene = with_secret(&format!("      - run: \"rm -r src/conf; echo y > src/conf\"\n{WORK}"));
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.read("src/conf"), "y\n");
    let at = ".git/hast/aside/ignored%2FM1%2F1/0-src%2Fconf%2Fsecret.log";
    assert_eq!(scene.read(at), "SECRET\n");
    let line = format!(
        "src/conf/secret.log was deleted during the attempt, and something else is in its place: it is in {at}"
    );
    assert!(ran.out.contains(&line), "{ran:?}");
}

#[test]
fn a_directory_that_was_moved_takes_its_ignored_files_along() {
    let scene = with_secret(&format!("      - run: git mv src/conf src/settings\n{WORK}"));
    let ran = scene.hast(&["auto", "M1", "--json"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert!(!scene.has("src/conf"), "{ran:?}");
    assert_eq!(scene.read("src/settings/secret.log"), "SECRET\n");
    assert_eq!(scene.shell_out("stat -c %h src/settings/secret.log"), "1");
    let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let attempt = &told["attempts"][0];
    assert_eq!(attempt["brought_back"], serde_json::json!([]));
    let moved =
        serde_json::json!([{"path": "src/conf/secret.log", "at": "src/settings/secret.log"}]);
    assert_eq!(attempt["ignored_moved"], moved, "{told}");
}

#[test]
fn after_a_death_the_next_start_names_what_came_back() {
    let replies = format!(
        "  - when: {{missing: go.log}}\n    do:\n      - run: rm user.log\n      - write: {{path: ready.log, text: x}}\n      - hang\n  - do:\n{WORK}"
    );
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let scene = Scene::with(goals, &replies, "sandbox: off\n");
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("ready.log");
    child.kill().unwrap();
    child.wait().unwrap();
    scene.write("go.log", "");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(scene.read("user.log"), "mine\n", "{ran:?}");
    assert!(ran.err.contains(&format!("{BACK}user.log")), "{ran:?}");
}

#[test]
fn what_came_since_the_first_attempt_is_held_in_the_second() {
    let goals = "goals:\n  - {id: M1, title: a, status: active}\n";
    let replies = "  - when: {attempt: 1}
    do:
      - write: {path: mine.log, text: new}
      - write: {path: src/one.txt, text: one}
  - do:
      - delete: [mine.log, user.log]
      - write: {path: src/two.txt, text: two}
";
    let scene = Scene::with(goals, replies, "sandbox: off\nmax_retries: 2\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts().len()), (1, 2), "{ran:?}");
    assert_eq!((scene.read("mine.log"), scene.read("user.log")), ("new".into(), "mine\n".into()));
    assert!(ran.err.contains("mine.log"), "{ran:?}");
}
