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
