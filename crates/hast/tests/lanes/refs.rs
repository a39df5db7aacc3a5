//! Agents that no sandbox holds: what they do to refs of their rooms reaches nobody, and what they do to the
//! user's repository is seen and stops the run.

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

const COMMIT: &str = "echo x > src/x.txt; git add -A; git commit -qm own";
/// The user's checkout, from a room.
const USERS: &str = "../../../../../../../project";

#[test]
fn refs_of_a_room_are_not_the_users() {
    for line in [
        "git update-ref refs/heads/main HEAD",
        "git branch -f other HEAD",
        "git tag -f mine HEAD; git tag -am new new",
        "git update-ref refs/heads/main $(git commit-tree -p HEAD -m more HEAD^{tree})",
        "git branch -f other HEAD; git reset -q --hard HEAD~1",
        "git checkout -q --orphan away; git commit -qm alone",
        "rm -rf .git/logs .git/refs",
    ] {
        let scene = scene(&format!("{COMMIT}; {line}"));
        let first = scene.git(&["rev-parse", "main"]);
        let ran = scene.hast(&["auto", "--isolate"]);
        assert_eq!(scene.verdicts("M1"), ["all_good"], "{line}: {ran:?}");
        for name in ["other", "mine"] {
            assert_eq!(scene.git(&["rev-parse", name]), first, "{line}");
        }
        assert_eq!(scene.git(&["tag", "-l", "new"]), "");
        assert_eq!(scene.git(&["merge-base", "main", &first]), first, "{line}");
        assert!(scene.has("src/b.txt"), "{line}");
        assert_eq!(scene.git(&["status", "--porcelain"]), "", "{line}");
        scene.nothing_is_left();
    }
}

#[test]
fn what_changes_in_the_users_repository_stops_the_run_and_is_named() {
    for (line, name) in [
        ("git -C {} config core.fsmonitor evil", ".git/config"),
        ("echo evil > {}/.git/hooks/pre-push", ".git/hooks/pre-push"),
        (
            "chmod +x {}/.git/hooks/pre-commit.sample || touch {}/.git/info/attributes; echo '* filter=x' > {}/.git/info/attributes",
            ".git/info/attributes",
        ),
        ("git -C {} tag -d mine", "refs/tags/mine"),
        ("git -C {} checkout -q other", ".git/HEAD"),
        ("git push -q {} HEAD:refs/heads/other", "refs/heads/other"),
        ("git -C {} branch -f other $(git -C {} commit-tree -m x HEAD^{tree})", "refs/heads/other"),
    ] {
        let scene = scene(&format!("{COMMIT}; {}", line.replace("{}", USERS)));
        let ran = scene.hast(&["auto", "--isolate"]);
        assert_eq!(ran.code, 1, "{line}: {ran:?}");
        assert!(ran.err.contains(name) && ran.err.contains("sandbox"), "{line}: {ran:?}");
        assert_eq!(scene.verdicts("M1"), Vec::<String>::new(), "{line}");
        assert_eq!(scene.git(&["log", "--format=%s", "main"]), "first", "{line}");
        scene.nothing_runs();
    }
}

#[test]
fn a_ref_that_only_went_forward_is_told_and_left() {
    let line = "git -C ../../../../../../../project branch theirs main";
    let scene = scene(line);
    let ran = scene.hast(&["auto", "--isolate"]);
    assert_eq!((ran.code, scene.verdicts("M1")), (0, vec!["all_good".to_owned()]), "{ran:?}");
    assert!(
        ran.out.contains("refs/heads/theirs") && !ran.out.contains("refs/heads/main"),
        "{ran:?}"
    );
    let again = self::scene(line);
    let told = again.hast(&["auto", "--isolate", "--json"]);
    let told: Value = serde_json::from_str(&told.out).unwrap();
    let moved = &told["attempts"][0]["moved_refs"];
    assert_eq!(moved, &serde_json::json!(["refs/heads/theirs"]), "{told}");
}

#[test]
fn what_hast_merges_beside_an_agent_is_not_told() {
    let waits = "      - wait_for: {path: ../../../../../../../project/src/a1.txt, seconds: 60}\n";
    let b = format!("{waits}{}", work("src/b1.txt", "b"));
    let goals = [("A", "", &*work("src/a1.txt", "a")), ("B", "", &*b)];
    let scene = Scene::with(&goals, "sandbox: off\n", "true\n");
    let ran = scene.hast(&["auto", "--recursive", "--parallel", "2"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.out.contains("refs/"), "{ran:?}");
}
