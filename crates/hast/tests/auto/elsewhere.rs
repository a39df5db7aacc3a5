//! What people and git itself do beside an attempt in place: in another work tree, and with remote branches.

use serde_json::{Value, json};

use crate::scene::{Scene, WORK};

const GOALS: &str = "goals:\n  - id: M1\n    title: \"The work\"\n    status: active\n    allowed_changes: [\"src/\"]\n";

/// One goal whose agent does this in its sandbox, and another work tree of the user's on a branch.
fn scene(actions: &str) -> Scene {
    let replies = format!("  - do:\n{actions}{WORK}");
    let scene = Scene::with(GOALS, &replies, "max_retries: 1\n");
    scene.git(&["worktree", "add", "-q", "-b", "feat", "../w"]);
    scene
}

#[test]
fn the_user_works_in_another_work_tree_while_an_attempt_runs() {
    let waits = "      - write: {path: here.log, text: now}\n      - wait_for: go.log\n";
    let scene = scene(waits);
    let run = scene.piped(env!("CARGO_BIN_EXE_hast"), &["auto", "--json"]);
    scene.wait_for("here.log");
    scene.shell("cd ../w && echo mine >> README && git commit -qam mine");
    scene.shell("cd ../w && git switch -qc topic && echo more >> README && git commit -qam more");
    let theirs = scene.git(&["rev-parse", "feat", "topic"]);
    scene.write("go.log", "");
    let told = run.wait_with_output().unwrap();
    assert_eq!(scene.verdicts(), ["complete all_good"]);
    assert_eq!(scene.git(&["rev-parse", "feat", "topic"]), theirs);
    assert_eq!(scene.shell_out("cd ../w && git status -sb"), "## topic");
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    let moved = &told["attempts"][0]["moved_refs"];
    assert_eq!(moved, &json!(["refs/heads/feat", "refs/heads/topic"]), "{told}");
}

#[test]
fn an_agent_in_its_sandbox_cannot_say_that_it_was_somebody_else() {
    let id = "$(git rev-parse HEAD)";
    let forge = format!(
        "echo {id} {id} u '<u>' 1 +0000 >> .git/worktrees/w/logs/HEAD; git update-ref refs/heads/feat HEAD~1"
    );
    let scene = scene(&format!("      - run: \"{forge}; true\"\n"));
    let was = scene.git(&["rev-parse", "feat"]);
    let ran = scene.hast(&["auto"]);
    assert_eq!(scene.verdicts(), ["failed ref_moved"], "{ran:?}");
    assert_eq!(scene.git(&["rev-parse", "feat"]), was);
    assert_eq!(scene.shell_out("cd ../w && git status -sb"), "## feat");
}

#[test]
fn a_fetch_of_the_agent_is_told_and_fails_nobody() {
    let scene = scene("      - run: git fetch -q\n");
    scene.git(&["clone", "-q", "--bare", ".", "../origin.git"]);
    scene.git(&["remote", "add", "origin", "../origin.git"]);
    scene.git(&["fetch", "-q"]);
    scene.shell("cd ../origin.git && git update-ref refs/heads/main main~1");
    let was = scene.git(&["rev-parse", "origin/main"]);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts()), (0, vec!["complete all_good".to_owned()]), "{ran:?}");
    let line = ran.out.lines().find(|line| line.contains("refs/remotes/origin/main")).unwrap();
    assert!(line.contains("is back where it was"), "{line}");
    assert_eq!(scene.git(&["rev-parse", "origin/main"]), was);
    assert_eq!(scene.told("ATTEMPT_JUDGED")[0]["code"], "all_good");
}
