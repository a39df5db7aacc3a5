//! People work in another work tree of theirs while an attempt runs.

use crate::scene::{GO, Scene, WORK};

#[test]
fn the_user_works_in_another_work_tree_while_an_attempt_runs() {
    let goals = "goals:\n  - {id: M1, title: a, status: active, allowed_changes: [src/]}\n";
    let waits = format!(
        "      - write: {{path: here.log, text: now}}\n      - wait_for: {{path: {GO}, seconds: 60}}\n"
    );
    let scene =
        Scene::with(goals, &format!("  - do:\n{waits}{WORK}"), "sandbox: off\nmax_retries: 1\n");
    scene.git(&["worktree", "add", "-q", "-b", "feat", "../w"]);
    let mut run = scene.start(&["auto"]);
    scene.wait_for("here.log");
    scene.shell("cd ../w && echo mine >> README && git commit -qam mine");
    scene.shell("cd ../w && git switch -qc topic && echo more >> README && git commit -qam more");
    let theirs = scene.git(&["rev-parse", "feat", "topic"]);
    scene.write("go.log", "");
    assert!(run.wait().unwrap().success());
    assert_eq!(scene.verdicts(), ["complete all_good"]);
    assert_eq!(scene.git(&["rev-parse", "feat", "topic"]), theirs);
    assert_eq!(scene.shell_out("cd ../w && git status -sb"), "## topic");
}
