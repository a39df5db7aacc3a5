//! What a killed run leaves besides its tree: commits that nobody judged, and locks of git.

use std::io::Write;
use std::process::Child;

use crate::scene::{Scene, WORK};

const GOALS: &str = "goals:
  - id: M1
    title: \"The work\"
    status: active
  - id: M2
    title: \"Other\"
    status: active
";

/// Dies with its agent, which has done this and then hangs; everybody after it works.
fn killed(actions: &str) -> Scene {
    let replies = format!(
        "  - when: {{missing: go.log}}\n    do:\n{actions}      - write: {{path: ready.log, text: now}}\n      - hang\n  - do:\n{WORK}"
    );
    let scene = Scene::with(GOALS, &replies, "sandbox: off\n");
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("ready.log");
    child.kill().unwrap();
    child.wait().unwrap();
    scene.write("go.log", "");
    scene
}

const COMMITS: &str = "      - run: echo x > src/x.txt && git add -A src && git commit -qm unjudged\n      - write: {path: src/y.txt, text: y}\n";

/// Killed behind a commit of its agent, and handed over by the next start.
fn unjudged() -> (Scene, String) {
    let scene = killed(COMMITS);
    let head = scene.git(&["rev-parse", "HEAD"]);
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "blocked"), "{ran:?}");
    assert!(ran.err.contains("refs/hast/recovered/"), "{}", ran.err);
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), head, "nothing was touched");
    assert!(scene.has("src/y.txt") && !scene.has(".ai/auto.lock"));
    (scene, head)
}

#[test]
fn no_goal_is_built_on_commits_that_no_gate_has_judged() {
    let (scene, head) = unjudged();
    scene.git(&["stash", "-qu", "--", "src"]);
    for _ in 0..2 {
        let ran = scene.hast(&["auto", "M2"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(&head[..12]) && ran.err.contains("hast retry M1"), "{}", ran.err);
    }
    // Committing our own files on top decides nothing.
    scene.git(&["commit", "-qm", "status", ".ai/goals.yaml"]);
    assert_eq!(scene.hast(&["auto", "M2"]).code, 1);
    assert!(!scene.has("src/b.txt"));
}

#[test]
fn a_retry_keeps_the_unjudged_commits_on_a_ref_and_goes_back_to_base() {
    let (scene, head) = unjudged();
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert!(!scene.has("src/x.txt") && !scene.has("src/y.txt") && scene.has("src/b.txt"));
    assert!(!scene.git(&["log", "--format=%s"]).contains("unjudged"));
    let kept = scene.git(&["for-each-ref", "--format=%(refname)", "--contains", &head]);
    assert!(kept.contains("refs/hast/recovered/"), "{kept}");
    assert_eq!(scene.git(&["status", "--porcelain", "--", ".", ":!.ai"]), "");
    assert_eq!(scene.read("user.log"), "mine\n");
}

#[test]
fn a_person_who_says_done_takes_the_commits_as_they_are() {
    let (scene, head) = unjudged();
    let goals = scene.read(".ai/goals.yaml").replacen("status: blocked", "status: done", 1);
    scene.write(".ai/goals.yaml", &goals);
    let ran = scene.hast(&["auto", "M2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(scene.has("src/x.txt"));
    scene.git(&["merge-base", "--is-ancestor", &head, "HEAD"]);
}

#[test]
fn a_run_on_another_branch_decides_nothing_about_unjudged_commits() {
    let (scene, head) = unjudged();
    scene.git(&["stash", "-qu", "--", "src"]);
    scene.git(&["commit", "-qm", "status", ".ai/goals.yaml"]);
    scene.git(&["switch", "-qc", "side", &format!("{head}~1")]);
    let ran = scene.hast(&["auto", "M2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(scene.has("src/b.txt") && !scene.has("src/x.txt"));
    scene.git(&["switch", "-q", "main"]);
    for _ in 0..2 {
        let ran = scene.hast(&["auto", "M2"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(&head[..12]) && ran.err.contains("hast retry M1"), "{}", ran.err);
    }
    assert_eq!(scene.git(&["rev-parse", "main~1"]), head);
}

#[test]
fn and_they_are_taken_off_their_branch_by_the_next_try_there() {
    let (scene, head) = unjudged();
    // The status goes too: back on its branch the goal is active again.
    scene.git(&["stash", "-qu"]);
    scene.git(&["switch", "-qc", "side", &format!("{head}~1")]);
    assert_eq!(scene.hast(&["auto", "M2"]).code, 0);
    scene.git(&["switch", "-q", "main"]);
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert!(!scene.git(&["log", "--format=%s"]).contains("unjudged"));
    assert!(!scene.has("src/x.txt"), "nothing of them is left in the tree");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
}

/// Makes a hook that leaves a mark when it runs.
const HOOK: &str = "      - run: printf '#!/bin/sh\\ntouch \"%s/evil.log\"\\n' \"$PWD\" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.fsmonitor evil\n";

/// Neither hook nor setting of the dead agent is there, and both are kept.
fn is_guarded(scene: &Scene, said: &str) {
    assert!(said.contains(".git/hooks/pre-commit") && said.contains(".git/config"), "{said}");
    assert!(!scene.has(".git/hooks/pre-commit"));
    assert!(!scene.read(".git/config").contains("evil"));
    let aside = scene.git(&["rev-parse", "--git-path", "hast/aside"]);
    let kept = scene.root().join(aside).join("M1%2F1/0-.git%2Fhooks%2Fpre-commit");
    assert!(std::fs::read_to_string(kept).unwrap().contains("evil.log"));
}

#[test]
fn a_hook_of_an_agent_that_died_with_hast_never_runs_though_nothing_else_is_touched() {
    let scene = killed(&format!("{COMMITS}{HOOK}"));
    let head = scene.git(&["rev-parse", "HEAD"]);
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "blocked"), "{ran:?}");
    is_guarded(&scene, &ran.err);
    assert!(scene.git(&["rev-parse", "HEAD"]) == head && scene.has("src/y.txt"));
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert!(!scene.has("evil.log"));
}

#[test]
fn nor_where_it_left_nothing_in_the_tree() {
    let scene = killed(&format!("      - run: git tag -f v0 && git branch -D other\n{HOOK}"));
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    is_guarded(&scene, &ran.err);
    assert!(!scene.has("evil.log"));
    assert!(
        ran.err.contains("refs/tags/v0") && ran.err.contains("refs/heads/other"),
        "{}",
        ran.err
    );
    assert_eq!(scene.git(&["log", "-1", "--format=%s", "v0"]), "zero");
    assert_eq!(scene.git(&["log", "-1", "--format=%s", "other"]), "zero");
}

#[test]
fn nor_where_it_switched_the_branch() {
    let scene = killed(&format!("      - run: git switch -qc side\n{HOOK}"));
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (1, "blocked"), "{ran:?}");
    is_guarded(&scene, &ran.err);
    assert!(ran.err.contains("refs/heads/side"), "what moved is told: {}", ran.err);
    assert_eq!(scene.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "side", "and not put back");
    scene.git(&["switch", "-q", "main"]);
    let ran = scene.hast(&["retry", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert!(!scene.has("evil.log"));
}

#[test]
fn a_hook_that_the_tests_of_an_agent_left_never_runs() {
    let plant = "test -f planted.log && exit 0; touch planted.log; printf '#!/bin/sh\\ntouch \"%s/evil.log\"\\n' \"$PWD\" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    let first = format!(
        "  - when: {{unit: M1}}\n    do:\n      - write: {{path: tests/check.sh, text: '{}'}}\n{WORK}      - run: git add -A && git commit -qm own\n",
        plant.replace('\'', "''")
    );
    let replies = format!(
        "{first}  - do:\n      - write: {{path: src/c.txt, text: c}}\n      - handoff: {{status: complete, done: [c], next: nothing}}\n"
    );
    let scene = Scene::with(GOALS, &replies, "sandbox: off\n");
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    assert!(!scene.has(".git/hooks/pre-commit"), "{ran:?}");
    let ran = scene.hast(&["auto", "M2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!scene.has("evil.log"));
}

const LOCKS: [&str; 4] =
    [".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock", ".git/packed-refs.lock"];

fn locks() -> String {
    let touch = LOCKS.map(|path| format!("      - write: {{path: {path}, text: \"\"}}\n")).concat();
    format!("      - write: {{path: src/half.txt, text: half}}\n{touch}")
}

#[test]
fn locks_that_a_killed_git_left_are_removed_with_a_message() {
    let scene = killed(&locks());
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
    for path in LOCKS {
        assert!(ran.err.contains(path) && !scene.has(path), "{path}: {}", ran.err);
    }
}

#[test]
fn a_lock_that_is_older_than_the_attempt_is_the_users() {
    let old = ".git/refs/tags/v9.lock";
    let replies = format!("  - do:\n{WORK}");
    let scene = Scene::with(GOALS, &replies, "sandbox: off\n");
    scene.write(old, "");
    let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let file = std::fs::File::options().write(true).open(scene.root().join(old)).unwrap();
    file.set_modified(past).unwrap();
    let mut child = scene.start(&["auto", "M1"]);
    scene.wait_for("src/b.txt");
    let _ = child.kill();
    let _ = child.wait();
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!(scene.status(), "done", "{ran:?}");
    assert!(scene.has(old), "{ran:?}");
}

/// A git of the user that works in the same tree until its input ends.
struct UsersGit(Child);

impl UsersGit {
    fn start(scene: &Scene, place: &str) -> Self {
        let mut child = scene.piped("git", &["-C", place, "cat-file", "--batch"]);
        let mut input = child.stdin.take().unwrap();
        // It has begun once it answers.
        input.write_all(b"HEAD\n").unwrap();
        let mut first = [0; 1];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
        child.stdin = Some(input);
        Self(child)
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

#[test]
fn while_a_git_of_the_user_runs_no_lock_is_removed() {
    let scene = killed(&locks());
    scene.git(&["worktree", "add", "-q", "--detach", "../linked"]);
    for place in [".", "../linked"] {
        let users = UsersGit::start(&scene, place);
        let ran = scene.hast(&["auto", "M1"]);
        assert_eq!(ran.code, 1, "{place}: {ran:?}");
        assert!(ran.err.contains(".lock"), "{}", ran.err);
        for path in LOCKS {
            assert!(scene.has(path), "{place}: {path}");
        }
        users.end();
    }
    let ran = scene.hast(&["auto", "M1"]);
    assert_eq!((ran.code, scene.status().as_str()), (0, "done"), "{ran:?}");
}

/// A run that was killed while its agent had done this and more was to come; the next agent is honest.
fn killed_after(actions: &str) -> Scene {
    let replies = format!(
        "  - when: {{missing: ../go}}\n    do:\n{actions}      - write: {{path: ../working, text: x}}\n      - hang\n  - do:\n{WORK}"
    );
    let goals = "goals:\n  - {id: M1, title: a, status: active}\n";
    let scene = Scene::with(goals, &replies, "sandbox: off\nmax_retries: 1\n");
    let mut child = scene.start(&["auto"]);
    scene.wait_for("../working");
    child.kill().unwrap();
    child.wait().unwrap();
    scene.write("../go", "");
    scene
}

#[test]
fn an_attempt_whose_record_is_damaged_keeps_nobody_from_the_next() {
    let scene = killed_after("      - write: {path: src/half.txt, text: half}\n");
    scene.write(".ai/attempts/M1/1/attempt.json", "{\"vers");
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.verdicts()), (0, vec!["complete all_good".to_owned()]), "{ran:?}");
    assert!(!scene.has("src/half.txt"), "{ran:?}");
}

#[test]
fn what_a_dead_attempt_did_to_the_index_alone_is_undone() {
    let unstaged = "      - run: git rm -q --cached README\n";
    let scene = killed_after(unstaged);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, scene.git(&["status", "--porcelain"]).as_str()), (0, ""), "{ran:?}");
}
