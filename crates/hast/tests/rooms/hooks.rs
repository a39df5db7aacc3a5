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

#[test]
fn what_a_hook_formats_and_adds_is_judged_and_tested_once_more_and_committed() {
    let format = "tr a-z A-Z < src/b.txt > x && mv x src/b.txt && git add src/b.txt";
    for kind in KINDS {
        let scene = with_hook(format, kind);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        assert_eq!(scene.git(&["show", "main:src/b.txt"]), "B", "{kind}");
        assert_eq!(scene.read("src/b.txt"), "B\n", "{kind}");
        let log = scene.read(".ai/events/events.ndjson");
        assert_eq!(log.matches("\"type\":\"ATTEMPT_JUDGED\"").count(), 2, "{kind} {log}");
        assert!(log.contains("your commit hooks changed the content"), "{kind} {log}");
        assert_eq!(scene.git(&["status", "--porcelain", "src"]), "?? src/deep/draft.txt");
        scene.nothing_is_left();
    }
}

#[test]
fn a_refusal_that_changed_files_in_scope_runs_once_more() {
    // As the pre-commit framework does it: files are mended, nothing is added, and the commit is refused.
    let mend = "grep -q mended src/b.txt || { echo mended >> src/b.txt; echo files were modified; exit 1; }";
    for kind in KINDS {
        let scene = with_hook(mend, kind);
        let ran = scene.auto();
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{kind} {ran:?}");
        assert_eq!(scene.git(&["show", "main:src/b.txt"]), "b\nmended", "{kind}");
    }
}

#[test]
fn what_hooks_make_of_it_does_not_pass_by_itself() {
    let breaks = "test -f src/bad.txt || { echo > src/bad.txt; git add src/bad.txt; }";
    let scene = with_hook(breaks, KINDS[0]);
    scene.auto();
    assert_eq!(scene.reason(), "tests_red", "the tests judge what the hook made");
    let outside = "grep -q x src/a.txt || { echo x >> src/a.txt; git add src/a.txt; }";
    let scene = with_hook(outside, KINDS[1]);
    let goals =
        "goals:\n  - {id: M1, title: The work, status: active, allowed_changes: [src/b.txt]}\n";
    scene.write(".ai/goals.yaml", goals);
    scene.auto();
    assert_eq!(scene.reason(), "outside_scope");
    let never = "date +%s%N >> src/b.txt; git add src/b.txt";
    let scene = with_hook(never, KINDS[0]);
    scene.auto();
    assert_eq!(scene.reason(), "commit_refused", "a hook that never ends changing it");
    assert!(scene.read(".ai/goals.yaml").contains("pre-commit changed the content"));
}

#[test]
fn a_hook_that_refuses_without_a_word_is_named() {
    let scene = with_hook("exit 1", KINDS[0]);
    scene.auto();
    let goals = scene.read(".ai/goals.yaml");
    assert!(goals.contains("pre-commit refused it and said nothing"), "{goals}");
}
