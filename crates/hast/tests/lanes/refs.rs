//! Refs that move while agents work that nothing holds: what comes from an agent's own tree is its doing, and
//! what could be anybody's is told.

use serde_json::Value;

use crate::scene::{Scene, work};

/// One goal whose agent does this before its work, without a sandbox.
fn scene(line: &str) -> Scene {
    let actions = format!("      - run: \"{line}\"\n{}", work("src/b.txt", "b"));
    let scene = Scene::with(&[("M1", "", &actions)], "sandbox: off\nmax_retries: 1\n", "true\n");
    scene.git(&["tag", "mine"]);
    scene.git(&["branch", "other"]);
    scene
}

const COMMIT: &str = "echo x > src/x.txt; git add -A; git commit -qm unjudged";

#[test]
fn a_ref_that_an_agent_puts_on_its_own_commit_fails_the_attempt_and_is_put_back() {
    for (line, name) in [
        ("git update-ref refs/heads/main HEAD", "refs/heads/main"),
        ("git branch -f other HEAD", "refs/heads/other"),
        ("git tag -f mine HEAD", "refs/tags/mine"),
        ("git tag -am new new", "refs/tags/new"),
        // On top of its own, made without its tree.
        (
            "git update-ref refs/heads/main $(git commit-tree -p HEAD -m more HEAD^{tree})",
            "refs/heads/main",
        ),
        // Its own branch does not show it any more.
        ("git branch -f other HEAD; git reset -q --hard HEAD~1", "refs/heads/other"),
    ] {
        let scene = scene(&format!("{COMMIT}; {line}"));
        let first = scene.git(&["rev-parse", "main"]);
        let ran = scene.hast(&["auto", "--isolate"]);
        assert_eq!(scene.verdicts("M1"), ["ref_moved"], "{line}: {ran:?}");
        assert!(ran.out.contains(name), "{line}: {ran:?}");
        let merged = scene.git(&["log", "--format=%s", "main"]);
        assert_eq!(merged, "chore(M1): goal status\nfirst", "{line}");
        for name in ["other", "mine"] {
            assert_eq!(scene.git(&["rev-parse", name]), first, "{line}");
        }
        assert_eq!(scene.git(&["tag", "-l", "new"]), "");
        let kept = scene.git(&["for-each-ref", "--format=%(refname)", "refs/hast/displaced"]);
        assert!(kept.contains(name.trim_start_matches("refs/")), "{line}: {kept}");
        assert_eq!(scene.git(&["status", "--porcelain"]), "", "{line}");
        scene.nothing_is_left();
    }
}

#[test]
fn a_branch_goes_back_to_where_it_was_right_before_and_not_to_where_the_attempt_began() {
    let users = "(cd ../../.. && echo u > u.txt && git add u.txt && git commit -qm users)";
    let scene = scene(&format!("{users}; {COMMIT}; git update-ref refs/heads/main HEAD"));
    scene.hast(&["auto", "--isolate"]);
    assert_eq!(scene.verdicts("M1"), ["ref_moved"]);
    let log = scene.git(&["log", "--format=%s", "main"]);
    assert_eq!(log, "chore(M1): goal status\nusers\nfirst");
}

#[test]
fn a_branch_that_the_users_checkout_went_along_with_is_left_and_the_attempt_fails() {
    let along = "git -C ../../.. merge -q --ff-only hast/lanes/M1/work";
    let scene = scene(&format!("{COMMIT}; {along}"));
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(scene.verdicts("M1"), ["ref_moved"], "{ran:?}");
    assert!(ran.out.contains("git reflog"), "{ran:?}");
    let log = scene.git(&["log", "--format=%s", "main"]);
    assert_eq!(log, "chore(M1): goal status\nunjudged\nfirst");
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_agent_that_takes_in_what_others_commit_meanwhile_is_not_to_blame_for_it() {
    let users = "(cd ../../.. && echo u > u.txt && git add u.txt && git commit -qm users)";
    for take in ["git merge -q main", "git rebase -q main", "git reset -q --hard main"] {
        let scene = scene(&format!("{users}; {take}"));
        let ran = scene.hast(&["auto", "--isolate"]);
        assert_eq!(scene.verdicts("M1")[..1], ["all_good"], "{take}: {ran:?}");
        assert!(scene.git(&["log", "--format=%s", "main"]).contains("users"), "{take}");
    }
}

#[test]
fn a_log_that_was_removed_hides_nothing() {
    let gone = "rm $(git rev-parse --git-dir)/logs/HEAD";
    let scene = scene(&format!("{COMMIT}; git branch -f other HEAD; {gone}"));
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!(scene.verdicts("M1"), ["ref_moved"], "{ran:?}");
}

#[test]
fn a_ref_that_anybody_could_have_moved_is_told_and_left() {
    let line = "git update-ref -d refs/tags/mine; git branch theirs main";
    let scene = scene(line);
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!((ran.code, scene.verdicts("M1")), (0, vec!["all_good".to_owned()]), "{ran:?}");
    for name in ["refs/tags/mine", "refs/heads/theirs"] {
        assert!(ran.out.contains(name), "{ran:?}");
    }
    assert!(!ran.out.contains("refs/heads/main"), "{ran:?}");
    let again = self::scene(line);
    let told = again.hast(&["auto", "--isolate", "--json"]);
    let told: Value = serde_json::from_str(&told.out).unwrap();
    let moved = &told["attempts"][0]["moved_refs"];
    assert_eq!(moved, &serde_json::json!(["refs/heads/theirs", "refs/tags/mine"]), "{told}");
}

#[test]
fn what_hast_merges_beside_an_agent_is_not_told() {
    let waits = "      - wait_for: {path: ../../../src/a1.txt, seconds: 60}\n";
    let b = format!("{waits}{}", work("src/b1.txt", "b"));
    let goals = [("A", "", &*work("src/a1.txt", "a")), ("B", "", &*b)];
    let scene = Scene::with(&goals, "sandbox: off\n", "true\n");
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.out.contains("refs/"), "{ran:?}");
}
