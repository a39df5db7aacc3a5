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
