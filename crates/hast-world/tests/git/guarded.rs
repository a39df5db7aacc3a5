//! What is not of the tree and not of the attempt: files that the configuration includes, other work
//! trees, what lies aside, and permissions.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use hast_flow::attempt::workspace::{GitResult, GitStep, HookVerdict, Reach, perform};

use crate::fixture::{
    Act, Repo, Steps, assert_honest, attempt, changes, commit_plan, protected, rules,
};

#[test]
fn what_comes_up_in_the_git_directory_and_speaks_for_refs_or_merges_is_taken_away() {
    let cases = [
        (".git/v0", ".git/v0"),
        (".git/topic/a", ".git/topic/a"),
        (".git/rr-cache/x/postimage", ".git/rr-cache"),
        (".git/remotes/origin", ".git/remotes"),
        (".git/branches/x", ".git/branches"),
        (".git/shallow", ".git/shallow"),
    ];
    for (path, told) in cases {
        let repo = Repo::new();
        let _ = fs::remove_dir(repo.path(".git/branches"));
        repo.git(&["tag", "v0"]);
        repo.git(&["branch", "topic/a"]);
        let evil = repo.git(&["commit-tree", "-m", "evil", "HEAD^{tree}"]);
        let found = attempt(&repo, |repo| repo.write(path, format!("{evil}\n")));
        assert!(protected(&found).contains(&told), "{path} {found:?}");
        assert!(!repo.path(path).exists(), "{path}");
        assert!(found.given_back.files.iter().any(|file| told.starts_with(&file.path)));
    }
}

#[test]
fn what_other_tools_and_git_itself_keep_there_is_nobodys_breach() {
    let repo = Repo::new();
    repo.git(&["branch", "lfs"]);
    repo.git(&["branch", "index"]);
    repo.git(&["branch", "mine"]);
    repo.write(".git/mine", format!("{}\n", repo.head()));
    repo.git(&["config", "rerere.enabled", "true"]);
    let found = attempt(&repo, |repo| {
        repo.write(".git/lfs/objects/a", "large");
        repo.write(".git/opencode", "0123456789012345678901234567890123456789");
        repo.write(".git/jj", "not one");
        repo.write("a", "1");
        repo.commit_all("a");
        assert!(repo.path(".git/rr-cache").exists(), "git makes it");
    });
    assert_honest(&found);
    assert!(repo.path(".git/lfs/objects/a").exists() && repo.path(".git/mine").exists());
}

fn with_included() -> Repo {
    let repo = Repo::new();
    repo.write(".gitconfig", "[alias]\n\tx = status\n");
    repo.commit_all("shared settings");
    repo.git(&["config", "include.path", "../.gitconfig"]);
    repo
}

#[test]
fn a_file_that_the_configuration_includes_is_protected_like_the_configuration() {
    let acts: [Act; 3] = [
        |repo| repo.write(".gitconfig", "[core]\n\thooksPath = hk\n"),
        |repo| repo.write(".gitconfig", "[broken\n"),
        |repo| repo.remove(".gitconfig"),
    ];
    for act in acts {
        let found = attempt(&with_included(), act);
        assert_eq!(protected(&found), [".gitconfig"]);
        assert_eq!(changes(&found), [""; 0], "it is back before anything is looked at");
    }
}

#[test]
fn an_included_file_that_was_not_there_cannot_be_made() {
    let repo = Repo::new();
    repo.git(&["config", "includeIf.onbranch:main.path", "../more.cfg"]);
    let found = attempt(&repo, |repo| repo.write("more.cfg", "[core]\n\thooksPath = hk\n"));
    assert_eq!(protected(&found), ["more.cfg"]);
}

#[test]
fn the_hooks_are_those_that_were_named_before_the_first_agent() {
    let repo = Repo::new();
    let home = repo.dir.path().join("home/.gitconfig");
    let marker = repo.dir.path().join("marker");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("hk/pre-commit", format!("#!/bin/sh\ntouch {}\n", marker.display()));
    repo.mode("hk/pre-commit", 0o755);
    let evil = format!("[core]\n\thooksPath = {}\n", repo.path("hk").display());
    repo.write(&home.display().to_string(), evil);
    let found = workspace.see(&base);
    let step = GitStep::RunHooks { plan: commit_plan(&found), base };
    let GitResult::Hooks(HookVerdict::Passed { .. }) = perform(&mut workspace, &step) else {
        panic!()
    };
    assert!(!marker.exists());
}

#[test]
fn a_process_that_died_leaves_no_included_file_that_keeps_git_from_working() {
    let repo = with_included();
    let (base, files) = (repo.open().start(&rules()), repo.files());
    repo.write(".gitconfig", "[broken\n");
    repo.write("src/lib.rs", "half\n");
    let mut later = repo.open();
    let saved = later.put_safe(&base);
    later.back(&base, &saved);
    assert_eq!(repo.files(), files);
    // A person may change it afterwards.
    repo.write(".gitconfig", "[alias]\n\ty = log\n");
    repo.open();
    assert_eq!(repo.read(".gitconfig"), "[alias]\n\ty = log\n");
}

/// A repository with another work tree of the user's, detached and with something staged.
fn with_another_tree() -> (Repo, PathBuf) {
    let repo = Repo::new();
    let other = repo.dir.path().join("w1");
    repo.git(&["worktree", "add", "-q", "--detach", &other.display().to_string()]);
    repo.git_in(&other, &["commit", "-q", "--allow-empty", "-m", "detached work"]);
    fs::File::create(other.join("staged")).unwrap();
    repo.git_in(&other, &["add", "staged"]);
    (repo, other)
}

#[test]
fn another_work_tree_gets_back_what_was_taken_from_it() {
    let acts: [(Act, &str); 5] = [
        (|repo| fs::remove_dir_all(repo.path(".git/worktrees")).unwrap(), "HEAD"),
        (|repo| repo.write(".git/worktrees/w1/HEAD", "ref: refs/heads/main\n"), "HEAD"),
        (|repo| repo.remove(".git/worktrees/w1/index"), "index"),
        (|repo| repo.write(".git/worktrees/w1/index", ""), "index"),
        (|repo| repo.write(".git/worktrees/w1/gitdir", "/elsewhere\n"), "gitdir"),
    ];
    for (act, file) in acts {
        let (repo, other) = with_another_tree();
        let at = repo.git_in(&other, &["rev-parse", "HEAD"]);
        let found = attempt(&repo, act);
        let named = protected(&found).join(" ");
        assert!(named.contains(&format!(".git/worktrees/w1/{file}")), "{named}");
        assert_eq!(repo.git_in(&other, &["rev-parse", "HEAD"]), at);
        assert_eq!(repo.git_in(&other, &["status", "--short"]), "A  staged");
    }
}

#[test]
fn whoever_works_in_another_work_tree_meanwhile_is_left_alone() {
    let (repo, other) = with_another_tree();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.git_in(&other, &["commit", "-q", "-m", "more detached work"]);
    fs::File::create(other.join("new")).unwrap();
    repo.git_in(&other, &["add", "new"]);
    let at = repo.git_in(&other, &["rev-parse", "HEAD"]);
    let found = workspace.see(&base);
    assert_eq!(protected(&found), [""; 0]);
    assert_eq!(repo.git_in(&other, &["rev-parse", "HEAD"]), at);
    assert_eq!(repo.git_in(&other, &["status", "--short"]), "A  new");
    // A tree that was made meanwhile is nobody's loss.
    let third = repo.dir.path().join("w2").display().to_string();
    repo.git(&["worktree", "add", "-q", "--detach", &third]);
    assert_eq!(protected(&workspace.see(&base)), [""; 0]);
}

#[test]
fn a_work_tree_that_git_is_making_meanwhile_is_not_locked_again() {
    let made = [("locked", "initializing"), ("gitdir", ""), ("commondir", "../..\n")];
    // Whatever of it git has written when the attempt begins.
    for written in 1..=made.len() {
        let (repo, other) = with_another_tree();
        let at = other.join(".git").display().to_string();
        let write = |(file, text): (&str, &str)| {
            let text = if file == "gitdir" { format!("{at}\n") } else { text.to_owned() };
            repo.write(&format!(".git/worktrees/w2/{file}"), text);
        };
        made.into_iter().take(written).for_each(write);
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        made.into_iter().skip(written).for_each(write);
        repo.write(".git/worktrees/w2/HEAD", "ref: refs/heads/w2\n");
        repo.remove(".git/worktrees/w2/locked");
        assert_eq!(protected(&workspace.see(&base)), [""; 0]);
        assert!(!repo.path(".git/worktrees/w2/locked").exists(), "{written}");
    }
}

#[test]
fn what_lies_aside_is_named_when_it_is_gone_and_more_of_it_is_no_loss() {
    let acts: [(Act, &[&str]); 4] = [
        (|repo| fs::remove_dir_all(repo.path(".git/hast/aside")).unwrap(), &[".git/hast/aside/x"]),
        (|repo| repo.write(".git/hast/aside/x/0-big", "cut"), &[".git/hast/aside/x/0-big"]),
        (|repo| repo.remove(".git/hast/aside/x/0-dir/in"), &[".git/hast/aside/x/0-dir/in"]),
        (|repo| repo.write(".git/hast/aside/y/0-more", "more"), &[]),
    ];
    for (act, named) in acts {
        let repo = Repo::new();
        repo.write(".git/hast/aside/x/0-big", "the only copy");
        repo.write(".git/hast/aside/x/0-dir/in", "too");
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        act(&repo);
        assert_eq!(protected(&workspace.see(&base)), named);
        let guard = GitStep::Guard { base, reach: Reach::OfGitButRefs };
        let GitResult::Guarded(found) = perform(&mut repo.open(), &guard) else { panic!() };
        assert_eq!(found.files, named, "another process knows it too");
    }
}

#[test]
fn permissions_that_were_taken_away_come_back_with_the_tree() {
    let repo = Repo::new();
    let mode = |path: &str| fs::metadata(repo.path(path)).unwrap().permissions().mode() & 0o777;
    let before = mode("src");
    let found = attempt(&repo, |repo| {
        repo.write("src/lib.rs", "bad\n");
        repo.write("src/d/f", "x\n");
        repo.mode("src/d", 0o000);
        repo.mode("src", 0o555);
    });
    assert_eq!(changes(&found), ["A src/d/f", "M src/lib.rs"]);
    assert_eq!(mode("src"), before);
}
