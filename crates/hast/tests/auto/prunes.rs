//! Agents that take git itself apart: they delete what others made and prune, or leave a repository that
//! git cannot read. There is a verdict, nothing of the user is lost, and every later start works.

use crate::scene::{Scene, WORK};

const GOALS: &str = "\
goals:
  - id: M1
    title: \"The work\"
    status: active
    allowed_changes: [\"src/\", \"tests/\"]
";
const PRUNE: &str = "git reflog expire --expire=now --all && git gc -q --prune=now";

/// The agent does this in each of two attempts, in a sandbox where there is one, or without.
fn scene(lie: &str, sandbox: &str) -> Scene {
    let replies = format!("  - do:\n      - run: \"{lie}\"\n{WORK}");
    let scene = Scene::with(GOALS, &replies, &format!("max_retries: 2\nsandbox: {sandbox}\n"));
    scene.git(&["checkout", "-q", "other"]);
    scene.write("important", "weeks of work\n");
    scene.git(&["add", "important"]);
    scene.git(&["commit", "-q", "-m", "weeks of work"]);
    scene.git(&["checkout", "-q", "main"]);
    scene.write("README", "stashed\n");
    scene.git(&["stash", "-q"]);
    // Uncommitted, and the user's.
    scene.write(".ai/notes.md", "my notes\n");
    scene
}

fn refs(scene: &Scene) -> String {
    let format = "--format=%(refname) %(objectname)";
    let refs = scene.git(&["for-each-ref", format, "refs/heads", "refs/tags", "refs/stash"]);
    let theirs = |line: &&str| !line.contains("refs/heads/main") && !line.contains("/hast/");
    refs.lines().filter(theirs).collect::<Vec<_>>().join("\n")
}

fn judged(lie: &str, verdict: &str) {
    for sandbox in ["prefer", "off"] {
        let scene = scene(lie, sandbox);
        let (base, before) = (scene.git(&["rev-parse", "HEAD"]), refs(&scene));
        let ran = scene.hast(&["auto"]);
        assert_eq!(scene.verdicts(), [verdict, verdict], "{sandbox} {lie}: {ran:?}");
        assert_eq!((ran.code, &*scene.status()), (1, "blocked"), "{sandbox} {lie}: {ran:?}");
        assert_eq!(refs(&scene), before, "{sandbox} {lie}");
        assert_eq!(scene.git(&["rev-parse", "HEAD^"]), base);
        assert_eq!(scene.git(&["show", "other:important"]), "weeks of work");
        assert_eq!(scene.git(&["show", "stash@{0}:README"]), "stashed");
        assert_eq!(scene.read(".ai/notes.md"), "my notes\n");
        scene.git(&["fsck"]);
        assert_eq!(scene.git(&["for-each-ref", "refs/hast/held"]), "");
        let again = scene.hast(&["auto"]);
        assert_eq!(again.code, 0, "{again:?}");
        assert!(!scene.has(".ai/auto.lock"));
    }
}

#[test]
fn red_work_is_rolled_back_after_a_pruning() {
    judged("git prune --expire=now && rm src/a.txt", "failed tests_red");
}

#[test]
fn a_branch_and_a_stash_come_back_after_a_pruning() {
    judged(&format!("git branch -D other && {PRUNE}"), "failed ref_moved");
    judged(&format!("git stash clear && {PRUNE}"), "failed ref_moved");
}

#[test]
fn a_repository_without_head_or_refs_is_one_again() {
    judged("rm .git/HEAD", "failed protected_path");
    judged("echo garbage > .git/HEAD", "failed protected_path");
    judged("echo garbage > .git/packed-refs", "failed protected_path");
}

#[test]
fn refs_that_are_taken_away_all_at_once_come_back() {
    judged("rm -rf .git/refs/* .git/packed-refs || true", "failed history_rewritten");
}

/// Whoever wants it can make anything unrecoverable where no sandbox is. It is named, and it goes on.
#[test]
fn what_is_gone_for_good_is_named_and_a_verdict_comes_all_the_same() {
    let all = "git for-each-ref --format='delete %(refname)' refs/hast | git update-ref --stdin";
    let scene = scene(&format!("git branch -D other; {all}; {PRUNE}"), "off");
    let was = scene.git(&["rev-parse", "other"]);
    let ran = scene.hast(&["auto", "--explain"]);
    assert_eq!(scene.verdicts(), ["failed ref_lost"; 2], "{ran:?}");
    assert!(ran.err.contains(&was), "{ran:?}");
    assert_eq!(scene.status(), "blocked");
    assert_eq!(scene.read(".ai/notes.md"), "my notes\n");
}

/// Killed while the agent works, which has taken HEAD or all refs away by then.
#[test]
fn after_a_kill_the_next_start_finds_the_repository_and_the_index_again() {
    for lie in ["true", "rm .git/HEAD", "rm -rf .git/refs .git/packed-refs", "echo x > .git/index"]
    {
        let replies = format!(
            "  - when: {{missing: go.log}}\n    do:\n      - run: git add -A && echo half > src/half.txt && {lie}\n      - write: {{path: ready.log, text: now}}\n      - hang\n  - do:\n{WORK}"
        );
        let scene = Scene::with(GOALS, &replies, "sandbox: off\n");
        scene.write(".ai/notes.md", "my notes\n");
        scene.write(".ai/rules.md", "staged\n");
        scene.git(&["add", ".ai/rules.md"]);
        scene.write(".ai/rules.md", "edited after that\n");
        let (before, theirs) = (scene.git(&["status", "--porcelain"]), refs(&scene));
        let mut child = scene.start(&["auto"]);
        scene.wait_for("ready.log");
        child.kill().unwrap();
        child.wait().unwrap();
        scene.write("go.log", "");
        let ran = scene.hast(&["auto"]);
        assert_eq!((ran.code, &*scene.status()), (0, "done"), "{lie}: {ran:?}");
        assert_eq!(scene.git(&["status", "--porcelain"]), before, "{lie}");
        assert_eq!(scene.git(&["show", ":.ai/rules.md"]), "staged", "{lie}");
        assert_eq!(refs(&scene), theirs, "{lie}");
    }
}

/// What was uncommitted below `.ai/` when the attempt began is nobody's work but the user's.
#[test]
fn clearing_kept_work_gives_the_user_back_what_was_not_committed() {
    let lie = "rm .ai/notes.md && echo evil > .ai/tracked.md";
    let replies = format!(
        "  - when: {{missing: go.log}}\n    do:\n      - run: {lie}\n{WORK}  - do:\n{WORK}"
    );
    let scene = Scene::with(GOALS, &replies, "sandbox: off\nmax_retries: 1\n");
    scene.write(".ai/tracked.md", "committed\n");
    scene.git(&["add", "-A"]);
    scene.git(&["commit", "-q", "-m", "tracked"]);
    scene.write(".ai/notes.md", "my notes\n");
    scene.write(".ai/tracked.md", "my edit\n");
    assert_eq!(scene.hast(&["auto"]).code, 1);
    assert_eq!(scene.verdicts(), ["failed outside_scope"]);
    assert_eq!(scene.read(".ai/tracked.md"), "evil\n");
    scene.shell(PRUNE);
    scene.write("go.log", "");
    assert_eq!(scene.hast(&["retry", "M1", "--no-run"]).code, 0);
    let ran = scene.hast(&["auto"]);
    assert_eq!((ran.code, &*scene.status()), (0, "done"), "{ran:?}");
    assert_eq!(scene.read(".ai/notes.md"), "my notes\n");
    assert_eq!(scene.read(".ai/tracked.md"), "my edit\n");
    assert_eq!(scene.git(&["status", "--porcelain"]), "M .ai/tracked.md\n?? .ai/notes.md");
}
