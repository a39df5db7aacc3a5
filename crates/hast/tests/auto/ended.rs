//! Runs that end while an attempt is under way: hast has seen the agent end, and goes back itself.

use crate::scene::{Ran, Scene, WORK};

/// The agent does this before it hangs or meets its limit, once; then it works.
fn scene(first: &str) -> Scene {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = format!("  - when: {{missing: ../go}}\n    do:\n{first}  - do:\n{WORK}");
    Scene::with(goals, &replies, "sandbox: off\nmax_retries: 2\n")
}

const COMMITS: &str = "      - run: echo half > src/b.txt && git add -A src && git commit -qm wip\n      - write: {path: src/c.txt, text: c}\n";

/// Ctrl-C while the agent hangs.
fn interrupted(actions: &str) -> Scene {
    let ready = "      - write: {path: ../ready, text: now}\n      - hang\n";
    let scene = scene(&format!("{actions}{ready}"));
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("../ready");
    scene.interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    scene
}

/// The branch is where it began, nothing of the agent is in the tree, and its commit is on a ref.
fn is_back(scene: &Scene, base: &str) {
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), base);
    assert_eq!(scene.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    let kept = scene.git(&["log", "--format=%s", "--glob=refs/hast/recovered"]);
    assert!(kept.contains("wip"), "{kept}");
    assert!(!scene.has(".ai/auto.lock"));
}

fn goes_on(scene: &Scene) -> Ran {
    scene.write("../go", "");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.verdicts(), ["complete all_good"]);
    assert!(!scene.git(&["log", "--format=%s"]).contains("wip"));
    ran
}

#[test]
fn after_ctrl_c_the_same_command_goes_on_though_the_agent_had_committed() {
    let scene = interrupted(COMMITS);
    is_back(&scene, &scene.git(&["rev-parse", ":/^first"]));
    goes_on(&scene);
}

#[test]
fn and_though_it_had_left_the_branch() {
    let scene = interrupted(&format!("      - run: git switch -qc side\n{COMMITS}"));
    is_back(&scene, &scene.git(&["rev-parse", ":/^first"]));
    goes_on(&scene);
}

#[test]
fn a_usage_limit_behind_a_commit_of_the_agent_blocks_nothing() {
    let scene = scene(&format!("{COMMITS}      - limit: {{like: codex, resets_in: 1}}\n"));
    let base = scene.git(&["rev-parse", "HEAD"]);
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "active"), "{ran:?}");
    is_back(&scene, &base);
}

#[test]
fn undo_waits_for_whoever_works_here() {
    let goals = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n";
    let replies = format!(
        "  - when: {{attempt: 1}}\n    do:\n      - write: {{path: src/half-baked.txt, text: x}}\n  - do:\n      - write: {{path: ../working, text: x}}\n      - wait_for: ../undone\n{WORK}"
    );
    let scene = Scene::with(goals, &replies, "sandbox: off\nmax_retries: 3\n");
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("../working");
    let undone = scene.hast(&["auto", "--undo"]);
    scene.write("../undone", "");
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
