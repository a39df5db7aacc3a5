//! Runs that end while an attempt is under way: nothing of it is in the checkout.

use crate::scene::{GO, Scene, WORK};

/// The agent does this before it hangs or meets its limit.
fn scene(first: &str) -> Scene {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    Scene::with(goals, &format!("  - do:\n{first}"), "sandbox: off\nmax_retries: 2\n")
}

const COMMITS: &str = "      - run: echo half > src/b.txt && git add -A src && git commit -qm wip\n      - write: {path: src/c.txt, text: c}\n";

/// Ctrl-C while the agent hangs.
fn interrupted(actions: &str) -> Scene {
    let ready = "      - write: {path: ../ready, text: now}\n      - hang\n";
    let scene = scene(&format!("{actions}{ready}"));
    let users = scene.users();
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("../ready");
    scene.interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(scene.users(), users);
    assert!(!scene.has(".ai/auto.lock"));
    assert_eq!(scene.left_running(), [""; 0]);
    scene
}

#[test]
fn after_ctrl_c_the_same_command_goes_on_whatever_the_agent_had_done() {
    for actions in [COMMITS, &format!("      - run: git switch -qc side\n{COMMITS}")] {
        let scene = interrupted(actions);
        scene.agent(WORK);
        let ran = scene.hast(&["auto", "M1"]);
        assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
        assert_eq!(scene.verdicts(), ["complete all_good"]);
        assert!(!scene.git(&["log", "--format=%s"]).contains("wip"));
        assert_eq!(scene.git(&["show", "refs/hast/attempts/M1/1:src/c.txt"]), "c");
    }
}

#[test]
fn a_usage_limit_behind_a_commit_of_the_agent_blocks_nothing() {
    let scene = scene(&format!("{COMMITS}      - limit: {{like: codex, resets_in: 1}}\n"));
    let users = scene.users();
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "active"), "{ran:?}");
    assert_eq!(scene.users(), users);
    assert!(!scene.has(".ai/auto.lock"));
}

#[test]
fn undo_waits_for_whoever_works_here() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = format!(
        "  - when: {{attempt: 1}}\n    do:\n      - write: {{path: src/half-baked.txt, text: x}}\n  - do:\n      - write: {{path: ../working, text: x}}\n      - wait_for: {{path: {GO}, seconds: 60}}\n{WORK}"
    );
    let scene = Scene::with(goals, &replies, "sandbox: off\nmax_retries: 3\n");
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("../working");
    let undone = scene.hast(&["auto", "--undo"]);
    scene.write("go.log", "");
    child.wait().unwrap();
    assert_eq!(undone.code, 1, "{undone:?}");
    assert!(undone.err.contains("pid"), "{undone:?}");
    assert!(!scene.has("src/half-baked.txt"));
    assert_eq!(scene.status(), "done");
    let undone = scene.hast(&["auto", "--undo"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert!(scene.has("src/half-baked.txt"));
}

#[test]
fn the_name_of_a_goal_is_shown_and_never_obeyed_by_a_terminal() {
    let goals = "goals:\n  - id: \"M1\\e[31m\\nx\"\n    title: \"The work\"\n    status: active\n";
    let scene = Scene::with(goals, &format!("  - do:\n{WORK}"), "sandbox: off\n");
    let ran = scene.hast(&["auto"]);
    assert!(!ran.err.contains('\u{1b}') && !ran.out.contains('\u{1b}'), "{ran:?}");
}
