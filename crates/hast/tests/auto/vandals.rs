//! Agents that nothing holds back and that take away what hast itself needs: its files are put back
//! before anything is judged, and no work of theirs counts.

use crate::scene::{Scene, WORK};

/// Does this to `.ai/` at its first call, and works honestly at the next.
fn vandal(command: &str) -> Scene {
    let replies = format!(
        "  - when: {{missing: again.log}}\n    do:\n      - write: {{path: again.log, text: x}}\n{WORK}      - run: \"{command}\"\n  - do:\n{WORK}"
    );
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let scene = Scene::with(goals, &replies, "sandbox: off\nmax_retries: 2\n");
    scene.write(".ai/rules.md", "- mine, uncommitted\n");
    scene
}

#[test]
fn hasts_own_files_come_back_and_the_attempt_fails_and_the_next_one_counts() {
    for command in [
        "rm -rf .ai/.hast .ai/events .ai/attempts .ai/queue .ai/auto.lock",
        "rm -rf .ai/.hast",
        ": > .ai/events/events.ndjson",
        "sed -i s/M1/M2/g .ai/events/events.ndjson",
        "echo '{}' > .ai/attempts/M1/1/base.json",
        "git add -A src && git commit -qm mine && git clean -qffdx -e again.log",
        "git ls-files .ai | xargs rm -f; rm -rf .ai",
    ] {
        let scene = vandal(command);
        let ran = scene.hast(&["auto", "M1"]);
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{command}: {ran:?}");
        let verdicts = scene.verdicts();
        assert_eq!(verdicts.len(), 2, "{command}: {verdicts:?}");
        assert!(verdicts[0].starts_with("failed"), "{command}: {verdicts:?}");
        assert_eq!(scene.read(".ai/rules.md"), "- mine, uncommitted\n", "{command}");
        assert_eq!(scene.git(&["log", "--format=%s"]).matches("feat(").count(), 1, "{command}");
        let found = scene.hast(&["verify"]);
        assert_eq!(found.code, 0, "{command}: {found:?}");
        assert!(!scene.has(".git/hast/machine"), "{command}");
    }
}

/// Tests that the agent wrote, within its scope, and that do this when hast runs them.
fn with_tests(command: &str, passed: &str) -> Scene {
    let actions = format!(
        "      - write: {{path: tests/check.sh, text: \"{command}; {passed}\\n\"}}\n{WORK}"
    );
    Scene::new(&actions)
}

#[test]
fn tests_that_commit_or_switch_the_branch_after_the_inspection_make_nothing_done() {
    for command in [
        "git commit -q --allow-empty -m sneaky",
        "git checkout -q -b away",
        "git checkout -q --detach",
        "git reset -q --soft v0",
    ] {
        for (passed, committed) in
            [("true", ""), ("true", "git add -A src tests && git commit -qm own; "), ("false", "")]
        {
            let scene = with_tests(command, passed);
            let replies = scene.read(".ai/rehearsals/a.yaml");
            let run = format!("      - run: \"{committed}true\"\n");
            scene.write(".ai/rehearsals/a.yaml", &(replies + &run));
            scene.git(&["commit", "-qam", "rehearsal"]);
            let head = scene.git(&["rev-parse", "HEAD"]);
            let ran = scene.hast(&["auto", "M1"]);
            let which = format!("{command} / {passed} / {committed}: {ran:?}");
            assert_eq!((ran.code, scene.status().as_str()), (1, "blocked"), "{which}");
            assert_eq!(scene.git(&["symbolic-ref", "HEAD"]), "refs/heads/main", "{which}");
            assert_eq!(scene.git(&["rev-parse", "HEAD^"]), head, "only the status: {which}");
            assert_eq!(scene.git(&["branch", "--list", "away"]), "", "{which}");
            assert_eq!(scene.read("user.log"), "mine\n");
            // And nothing is in the way of what comes next.
            let ran = scene.hast(&["retry", "M1", "--no-run"]);
            assert_eq!(ran.code, 0, "{which} {ran:?}");
        }
    }
}

#[test]
fn ignored_files_that_an_agent_cleans_away_come_back_by_hash_and_are_named() {
    for red in ["", "      - write: {path: src/a.txt, text: gone}\n      - run: rm src/a.txt\n"] {
        let scene = Scene::new(&format!("      - run: git clean -qffdx -e /.ai\n{WORK}{red}"));
        scene.write("deep/er/local.log", "dear\n");
        scene.write("src/one.log", "one\n");
        let ran = scene.hast(&["auto", "M1"]);
        assert_eq!(ran.code, i32::from(!red.is_empty()), "{ran:?}");
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("deep/er/local.log") && told.contains("user.log"), "{told}");
        assert_eq!(scene.read("user.log"), "mine\n");
        assert_eq!(scene.read("deep/er/local.log"), "dear\n");
        assert_eq!(scene.read("src/one.log"), "one\n");
        assert!(!scene.has(".git/hast/ignored"));
    }
}

#[test]
fn ignored_files_come_back_after_a_kill_too_and_one_that_the_user_has_again_is_left() {
    let replies = format!(
        "  - when: {{missing: go.log}}\n    do:\n      - run: git clean -qffdx -e /.ai\n      - write: {{path: ready.log, text: x}}\n      - hang\n  - do:\n{WORK}"
    );
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let scene = Scene::with(goals, &replies, "sandbox: off\n");
    scene.write("other.log", "other\n");
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("ready.log");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!scene.has("user.log"));
    scene.write("other.log", "newer\n");
    scene.write("go.log", "");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(scene.read("user.log"), "mine\n", "{ran:?}");
    assert_eq!(scene.read("other.log"), "newer\n", "{ran:?}");
}
