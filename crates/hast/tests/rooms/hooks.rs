//! The user's commit hooks, which run in the room.

use crate::scene::{KINDS, Scene, differences};

fn with_hook(hook: &str, kind: &str) -> Scene {
    let scene = Scene::new("true", kind);
    scene.write(".git/hooks/pre-commit", format!("#!/bin/sh\n{hook}\n"));
    assert_eq!(scene.shell("chmod +x .git/hooks/pre-commit").code, 0);
    scene
}

#[test]
fn a_hook_sees_what_is_to_be_committed_and_can_refuse_it() {
    for kind in KINDS {
        let sees = "git diff --cached --name-only | grep -q src/b.txt && test -f src/b.txt";
        let scene = with_hook(sees, kind);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        let scene = with_hook("echo not today; exit 1", kind);
        let before = scene.everything();
        let ran = scene.auto();
        assert_eq!((ran.code, scene.reason().as_str()), (1, "commit_refused"), "{kind} {ran:?}");
        assert!(scene.read(".ai/goals.yaml").contains("not today"), "{kind}");
        let mut after = scene.everything();
        after.retain(|path, _| !path.starts_with("project/.git/refs/heads/hast"));
        assert_eq!(differences(&before, &after, &[]), Vec::<String>::new(), "{kind}");
        scene.nothing_is_left();
    }
}
