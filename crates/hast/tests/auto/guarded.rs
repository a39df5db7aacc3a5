//! Hooks that run what is in the tree, and settings that the repository reads from it.

use crate::scene::{Scene, WORK};

const GOALS: &str = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";

/// An agent that does this and works honestly, with or without the sandbox.
fn scene(command: &str, config: &str) -> Scene {
    let replies = format!("  - do:\n{WORK}      - run: \"{command}\"\n");
    Scene::with(GOALS, &replies, &format!("max_retries: 1\n{config}"))
}

#[test]
fn a_hook_that_runs_what_the_agent_wrote_is_held_by_the_agents_sandbox() {
    let scene = scene("true", "");
    let outside = scene.root().parent().unwrap().join("home/outside");
    let script =
        format!("touch {}; echo ran >> src/ran.log; sleep 300 & exit 0\n", outside.display());
    scene.write(".ai/rehearsals/a.yaml", &{
        let replies = scene.read(".ai/rehearsals/a.yaml");
        replies + &format!("      - write: {{path: lint.sh, text: {script:?}}}\n")
    });
    scene.git(&["commit", "-qam", "rehearsal"]);
    scene.write(".git/hooks/pre-commit", "#!/bin/sh\nsh lint.sh\n");
    scene.write(".git/hooks/commit-msg", "#!/bin/sh\necho 'Signed-off-by: me' >> \"$1\"\n");
    scene.shell("chmod +x .git/hooks/pre-commit .git/hooks/commit-msg");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.verdicts()), (0, vec!["complete all_good".to_owned()]), "{ran:?}");
    assert!(!outside.exists(), "{ran:?}");
    assert_eq!(scene.left_running(), [""; 0]);
    let messages = scene.git(&["log", "--format=%B"]);
    assert!(messages.contains("Signed-off-by: me") && messages.contains("Hast-Goal"), "{messages}");
    assert!(!scene.shell_out("ls .git/hast").contains("hook"));
}

#[test]
fn settings_that_the_repository_includes_from_the_tree_are_no_way_out() {
    for text in ["[core]\\n\\thooksPath = hk\\n", "[broken\\n"] {
        let scene = scene(&format!("printf '{}' > .gitconfig", text.replace('\\', "\\\\")), "");
        scene.write(".gitconfig", "[alias]\n\tx = status\n");
        scene.git(&["add", "-A"]);
        scene.git(&["commit", "-qm", "settings"]);
        scene.git(&["config", "include.path", "../.gitconfig"]);
        let ran = scene.hast(&["auto", "M1"]);
        assert_eq!(scene.verdicts(), ["failed protected_path"], "{text} {ran:?}");
        assert_eq!(scene.read(".gitconfig"), "[alias]\n\tx = status\n");
        let ran = scene.hast(&["retry", "M1", "--no-run"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}
