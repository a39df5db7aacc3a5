//! Files that an attempt wants to hide from the comparison are compared.

use hast_flow::attempt::evidence::{Breach, RepoPath};

use crate::fixture::{Repo, Steps, assert_honest, attempt, changes, protected, rules};

fn hidden(path: &str) -> Breach {
    Breach::HiddenByIndex { path: RepoPath(path.into()) }
}

#[test]
fn assume_unchanged_and_skip_worktree_hide_nothing() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let found = attempt(&Repo::new(), |repo| {
            repo.git(&["update-index", flag, "src/lib.rs"]);
            repo.write("src/lib.rs", "hidden\n");
        });
        assert_eq!(found.breaches, [hidden("src/lib.rs")], "{flag}");
        assert_eq!(changes(&found), ["M src/lib.rs"], "{flag}");
    }
}

#[test]
fn the_users_own_flags_stay_and_what_they_hide_is_neither_committed_nor_lost() {
    let repo = Repo::new();
    repo.git(&["update-index", "--assume-unchanged", "src/lib.rs"]);
    repo.git(&["update-index", "--skip-worktree", "tests/it.rs"]);
    repo.write("src/lib.rs", "the user's\n");
    repo.write("tests/it.rs", "the user's too\n");
    let found = attempt(&repo, |repo| repo.write("a", "1"));
    assert_honest(&found);
    assert_eq!(changes(&found), ["A a"]);
    let found = attempt(&repo, |repo| repo.write("src/lib.rs", "the agent's\n"));
    assert_eq!(changes(&found), ["M src/lib.rs"]);
    assert_eq!(found.breaches, [hidden("src/lib.rs")], "it holds what the user hides");
    let flags = repo.git(&["ls-files", "-v", "src/lib.rs", "tests/it.rs"]);
    assert_eq!(flags, "h src/lib.rs\nS tests/it.rs");

    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("a", "1");
    let found = workspace.see(&base);
    workspace.settle(&base, &found);
    assert_eq!(repo.git(&["show", "--format=", "--name-only", "HEAD"]), "a");
    assert_eq!(repo.read("src/lib.rs"), "the user's\n");
    assert_eq!(repo.git(&["ls-files", "-v", "src/lib.rs", "tests/it.rs"]), flags);
}

#[test]
fn new_ignore_rules_hide_nothing() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write(".git/info/exclude", "secret1\n");
        repo.write(".gitignore", "target/\n*.log\n.env\nsecret2\n");
        repo.write("src/.gitignore", "*\n");
        repo.write("secret1", "1");
        repo.write("secret2", "2");
        repo.write("src/secret3", "3");
        repo.write("excludes", "secret4\n");
        repo.git(&["config", "core.excludesFile", "excludes"]);
        repo.write("secret4", "4");
    });
    let wanted = [
        "M .gitignore",
        "A excludes",
        "A secret1",
        "I secret2",
        "A secret4",
        "I src/.gitignore",
        "I src/secret3",
    ];
    assert_eq!(changes(&found), wanted);
    assert_eq!(protected(&found), [".git/config", ".git/info/exclude"]);
}

#[test]
fn rules_that_were_taken_away_do_not_make_the_users_files_changes() {
    let found = attempt(&Repo::new(), |repo| repo.write(".gitignore", "nothing\n"));
    assert_eq!(changes(&found), ["M .gitignore"]);
}

#[test]
fn the_users_global_ignore_rules_hold() {
    let repo = Repo::new();
    repo.write("../home/.config/git/ignore", "*.swp\n");
    repo.write("x.swp", "mine");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("x.swp", "edited");
    repo.write("y.swp", "also");
    // Rules that come up later change nothing.
    repo.write("../home/.config/git/ignore", "*\n");
    repo.write("a", "1");
    let found = workspace.see(&base);
    assert_eq!(changes(&found), ["A a"]);
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert_eq!((repo.read("x.swp").as_str(), repo.read("y.swp").as_str()), ("edited", "also"));
}

#[test]
fn a_sparse_checkout_that_an_agent_makes_hides_nothing() {
    let found = attempt(&Repo::new(), |repo| {
        repo.git(&["sparse-checkout", "set", "--no-cone", "/src/"]);
    });
    let hides = |breach: &Breach| matches!(breach, Breach::HiddenByIndex { .. });
    assert!(found.breaches.iter().any(hides), "{:?}", found.breaches);
    assert!(changes(&found).contains(&"D tests/it.rs".to_owned()));
    assert!(protected(&found).contains(&".git/config"));
}

#[test]
fn a_sparse_checkout_of_the_user_is_left_sparse() {
    let repo = Repo::new();
    repo.git(&["sparse-checkout", "set", "--no-cone", "/src/", "/.ai/", "/.gitignore"]);
    assert!(!repo.path("tests/it.rs").exists());
    let found = attempt(&repo, |repo| repo.write("src/lib.rs", "2"));
    assert_honest(&found);
    assert_eq!(changes(&found), ["M src/lib.rs"]);
    // A file that comes up where there was none is a change.
    let found = attempt(&repo, |repo| repo.write("tests/it.rs", "hidden"));
    assert_eq!(changes(&found), ["M tests/it.rs"]);
}

#[test]
fn an_index_that_is_deleted_or_broken_is_made_again() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write("a", "1");
        repo.remove(".git/index");
    });
    assert_eq!(changes(&found), ["A a"]);
    let found = attempt(&Repo::new(), |repo| {
        repo.write("a", "1");
        repo.write(".git/index", "garbage");
    });
    assert_eq!(changes(&found), ["A a"]);
    assert_honest(&found);
}

#[test]
fn the_same_size_and_the_same_date_do_not_hide_a_change() {
    let found = attempt(&Repo::new(), |repo| {
        let path = repo.path("src/lib.rs");
        let before = std::fs::metadata(&path).unwrap().modified().unwrap();
        repo.write("src/lib.rs", "pub fn one() -> u32 { 7 }\n");
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(before).unwrap();
        repo.git(&["config", "core.trustctime", "false"]);
        repo.git(&["config", "core.checkStat", "minimal"]);
    });
    assert_eq!(changes(&found), ["M src/lib.rs"]);
}

#[test]
fn a_lock_that_a_killed_git_left_stops_nothing() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write("a", "1");
        repo.write(".git/index.lock", "");
    });
    assert_eq!(changes(&found), ["A a"]);
}
