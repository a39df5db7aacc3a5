//! Settings of the user's git: signed commits, hooks that rewrite messages, and repositories that
//! belong to another user.

use std::process::Command;

use crate::scene::{Ran, Scene, WORK};

const SIGNS: &str = "#!/bin/sh\ncat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED D\\n' >&2\necho '-----BEGIN PGP SIGNATURE-----'\ndate +%s%N\necho '-----END PGP SIGNATURE-----'\n";
const ONE: &str = "goals:\n  - id: M1\n    title: a\n    status: active\n";

fn program(scene: &Scene, path: &str, text: &str) -> String {
    scene.write(path, text);
    scene.shell(&format!("chmod +x {path}"));
    scene.root().join(path).display().to_string()
}

fn signing(scene: &Scene, script: &str) {
    let signs = program(scene, "../home/signs", script);
    scene.git(&["config", "--global", "gpg.program", &signs]);
    scene.git(&["config", "--global", "commit.gpgsign", "true"]);
}

/// Which of the last commits have a signature, newest first.
fn signed(scene: &Scene, count: usize) -> Vec<bool> {
    let ids = scene.git(&["rev-list", &format!("--max-count={count}"), "HEAD"]);
    let commit = |id: &str| scene.git(&["cat-file", "commit", id]);
    ids.lines().map(|id| commit(id).contains("gpgsig")).collect()
}

#[test]
fn where_the_user_signs_both_commits_of_a_goal_are_signed() {
    let scene = Scene::new(WORK);
    signing(&scene, SIGNS);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert_eq!(signed(&scene, 3), [true, true, false]);
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
}

#[test]
fn in_lanes_what_is_merged_is_signed_too() {
    let goals =
        "goals:\n  - {id: M1, title: a, status: active}\n  - {id: M2, title: b, status: active}\n";
    let replies = "  - do:\n      - write: {path: \"src/{{goal_id}}\", text: \"b\\n\"}\n      - handoff: {status: complete, done: [b], next: nothing}\n";
    let scene = Scene::with(goals, replies, "sandbox: off\n");
    signing(&scene, SIGNS);
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(signed(&scene, 4), [true; 4]);
}

#[test]
fn a_commit_that_cannot_be_signed_is_not_made_and_is_gone_on_with() {
    let scene = Scene::with(ONE, &format!("  - do:\n{WORK}"), "sandbox: off\n");
    let head = scene.git(&["rev-parse", "HEAD"]);
    signing(&scene, "#!/bin/sh\necho 'gpg: no secret key' >&2\nexit 2\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("no secret key") && ran.err.contains("commit.gpgsign"), "{ran:?}");
    assert_eq!((scene.git(&["rev-parse", "HEAD"]), scene.status().as_str()), (head, "active"));
    // The agent is not paid twice: its work was judged, and waits for the signature.
    scene.write(".ai/rehearsals/a.yaml", "version: 1\nreplies:\n  - do:\n      - failed: again\n");
    signing(&scene, SIGNS);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert_eq!(scene.verdicts(), ["complete all_good"]);
    assert_eq!(signed(&scene, 3), [true, true, false]);
}

#[test]
fn a_hook_that_empties_the_message_refuses_and_trailers_that_it_drops_come_back() {
    let scene = Scene::new(WORK);
    program(&scene, ".git/hooks/commit-msg", "#!/bin/sh\n: > \"$1\"\n");
    let ran = scene.hast(&["auto"]);
    assert_eq!(scene.verdicts(), ["complete all_good", "failed commit_refused"], "{ran:?}");
    let scene = Scene::new(WORK);
    program(&scene, ".git/hooks/commit-msg", "#!/bin/sh\necho 'better words' > \"$1\"\n");
    assert_eq!(scene.hast(&["auto"]).code, 0);
    let message = scene.git(&["log", "-1", "--format=%B", "HEAD~1"]);
    assert_eq!(message.trim(), "better words\n\nHast-Goal: M1\nHast-Attempt: 1");
}

fn as_a_stranger(scene: &Scene, args: &[&str]) -> Ran {
    let mut command: Command = scene.hast_command(args);
    command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_repository_of_somebody_else_is_refused_as_git_does_before_anything_of_it_runs() {
    let scene = Scene::new(WORK);
    program(&scene, ".git/hooks/pre-commit", "#!/bin/sh\ntouch ../ran\n");
    let top = scene.root().canonicalize().unwrap().display().to_string();
    for args in [
        &["auto"][..],
        &["auto", "--isolate"],
        &["auto", "--gc"],
        &["contract", "start", "a total"],
    ] {
        let ran = as_a_stranger(&scene, args);
        assert_ne!(ran.code, 0, "{args:?} {ran:?}");
        let advice = format!("git config --global --add safe.directory {top}");
        assert!(ran.err.contains(&advice), "{args:?} {ran:?}");
    }
    assert_eq!((scene.verdicts().len(), scene.has("../ran")), (0, false));
    // What git itself advises is enough, and the repository's own word is not.
    scene.git(&["config", "safe.directory", "*"]);
    assert_ne!(as_a_stranger(&scene, &["auto"]).code, 0);
    scene.git(&["config", "--unset", "safe.directory"]);
    scene.git(&["config", "--global", "--add", "safe.directory", &top]);
    let ran = as_a_stranger(&scene, &["auto"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
}
