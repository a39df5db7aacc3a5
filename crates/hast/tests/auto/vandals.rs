//! Agents that nothing holds back, in rooms: whatever they do there, the checkout and its repository are
//! byte for byte as before, and the goal's outcome is that of their work.

use crate::scene::{Scene, WORK};

/// What an agent does besides its work, and what the judge says to both.
const SCRIPTS: &[(&str, &str)] = &[
    // History, branches and refs are the room's.
    ("git commit -q --amend -m better", "complete all_good"),
    ("git reset -q --soft HEAD^", "complete all_good"),
    ("git checkout -q -b evil", "complete all_good"),
    ("git checkout -q --detach", "complete all_good"),
    ("git branch -f other HEAD; git tag -f v0 HEAD; git tag new", "complete all_good"),
    ("git branch -D other; git tag -d v0; git update-ref -d refs/heads/main", "complete all_good"),
    ("git stash -qu; git stash pop -q", "complete all_good"),
    ("git reflog expire --expire=now --all; git gc -q --prune=now", "complete all_good"),
    ("git merge -q --no-commit --no-ff other || true", "complete all_good"),
    ("git rm -q --cached README", "complete all_good"),
    // So are settings, hooks, locks and the git directory.
    (
        "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        "complete all_good",
    ),
    (
        "git config alias.x '!true'; git config core.fsmonitor evil; git config core.hooksPath h",
        "complete all_good",
    ),
    ("touch .git/index.lock .git/HEAD.lock .git/packed-refs.lock", "complete all_good"),
    ("rm -rf .git/hast .git/worktrees", "complete all_good"),
    ("rm -rf .git", "complete all_good"),
    ("chmod 000 .git", "complete all_good"),
    ("git init -q --bare .git/nested", "complete all_good"),
    // hast's own files are not there.
    ("rm -rf .ai/.hast .ai/events .ai/attempts .ai/queue .ai/auto.lock", "complete all_good"),
    ("git clean -qffdx", "no-progress nothing_changed"),
    ("git clean -qffdx -e .ai", "complete all_good"),
    // What is in the tree is judged, however it is hidden.
    ("git update-index --assume-unchanged README && echo changed > README", "failed outside_scope"),
    ("git update-index --skip-worktree README && echo changed > README", "failed outside_scope"),
    ("echo hidden.txt >> .git/info/exclude && echo x > hidden.txt", "failed outside_scope"),
    ("echo hidden.txt >> .gitignore && echo x > hidden.txt", "failed outside_scope"),
    ("rm -rf .ai", "failed protected_path"),
    ("echo '- other' > .ai/rules.md", "failed protected_path"),
];

#[test]
fn the_repository_is_byte_for_byte_as_before_and_the_work_is_judged() {
    for (script, verdict) in SCRIPTS {
        let before_work = script.contains("clean");
        let command = format!("mkdir -p .git/hooks; {script}; true");
        let run = format!("      - run: {command:?}\n");
        let actions = if before_work && *verdict == "complete all_good" {
            format!("{run}{WORK}")
        } else {
            format!("{WORK}{run}")
        };
        let scene = Scene::new(&actions);
        scene.write("mine.txt", "uncommitted\n");
        scene.write("deep/local.log", "ignored\n");
        let (head, users) = (scene.git(&["rev-parse", "HEAD"]), scene.users());
        let ran = scene.hast(&["auto", "M1"]);
        assert_eq!(scene.verdicts(), [*verdict], "{script}: {ran:?}");
        let passed = verdict.starts_with("complete");
        assert_eq!(ran.code, i32::from(!passed), "{script}: {ran:?}");
        let users_now = scene.users();
        let now: Vec<&str> = users_now.lines().filter(|line| !line.contains("src/b.txt")).collect();
        assert_eq!(now, users.lines().collect::<Vec<_>>(), "{script}");
        // hast's commits are all that came onto the branch.
        let subjects = scene.git(&["log", "--format=%s", &format!("{head}..")]);
        // An honest commit of the agent stays below them.
        let ours = |line: &str| {
            line == "busy" || line.starts_with("feat(M1)") || line.starts_with("chore(M1)")
        };
        assert!(subjects.lines().all(ours), "{script}: {subjects}");
        assert_eq!(subjects.contains("feat(M1)"), passed, "{script}: {subjects}");
        let tree = scene.git(&["diff", "--name-only", &head, "HEAD", "--", ".", ":!.ai"]);
        assert_eq!(tree, if passed { "src/b.txt" } else { "" }, "{script}");
        assert_eq!(scene.left_running(), [""; 0], "{script}");
        let found = scene.hast(&["verify"]);
        assert_eq!(found.code, 0, "{script}: {found:?}");
    }
}

/// Tests that the agent wrote, within its scope, and that do this when hast runs them.
#[test]
fn tests_that_commit_or_switch_the_branch_reach_nobody() {
    for command in [
        "git commit -q --allow-empty -m sneaky",
        "git checkout -q -b away",
        "git checkout -q --detach",
        "git reset -q --soft v0",
        "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        "echo forged > src/b.txt; echo x > src/more.txt",
    ] {
        for (end, passed) in [("true", true), ("false", false)] {
            let check = format!("{command}; {end}\n");
            let actions =
                format!("      - write: {{path: tests/check.sh, text: {check:?}}}\n{WORK}");
            let scene = Scene::new(&actions);
            let users = scene.users();
            let ran = scene.hast(&["auto", "M1"]);
            let which = format!("{command} / {end}: {ran:?}");
            assert_eq!(ran.code, i32::from(!passed), "{which}");
            let now = scene.users();
            let of_work =
                |line: &&str| !line.contains("src/b.txt") && !line.contains("tests/check.sh");
            let (now, then): (Vec<_>, Vec<_>) =
                (now.lines().filter(of_work).collect(), users.lines().filter(of_work).collect());
            assert_eq!(now, then, "{which}");
            assert_eq!(scene.read("src/b.txt"), if passed { "b\n" } else { "" }, "{which}");
        }
    }
}
