//! Operations of git that an attempt leaves under way, and files of git that no attempt is to blame for.

use crate::fixture::*;
use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::evidence::Breach;
use hast_flow::attempt::workspace::{GitResult, GitStep, HookVerdict, Reach, perform};

fn left(what: &str) -> [Breach; 1] {
    [Breach::OperationLeft { what: what.to_owned() }]
}

fn has(repo: &Repo, file: &str) -> bool {
    repo.path(".git").join(file).symlink_metadata().is_ok()
}

fn with_branch(repo: &Repo) {
    repo.write("src/second.rs", "second\n");
    repo.commit_all("second");
    repo.git(&["checkout", "-q", "-b", "other"]);
    repo.write("src/other.rs", "other\n");
    repo.commit_all("other");
    repo.git(&["checkout", "-q", "main"]);
}

#[test]
fn an_operation_that_is_left_under_way_is_a_breach_and_is_ended() {
    let cases: [(&str, Act, &str); 9] = [
        (
            "merge",
            |repo| repo.write(".git/MERGE_HEAD", repo.git(&["rev-parse", "other"])),
            "MERGE_HEAD",
        ),
        (
            "merge",
            |repo| drop(repo.git(&["merge", "-q", "--no-commit", "--no-ff", "other"])),
            "MERGE_HEAD",
        ),
        (
            "cherry-pick",
            |repo| repo.write(".git/CHERRY_PICK_HEAD", repo.git(&["rev-parse", "other"])),
            "CHERRY_PICK_HEAD",
        ),
        ("revert", |repo| drop(repo.git(&["revert", "--no-commit", "HEAD"])), "REVERT_HEAD"),
        (
            "rebase",
            |repo| repo.write(".git/rebase-merge/head-name", "refs/heads/main"),
            "rebase-merge",
        ),
        ("rebase", |repo| repo.write(".git/rebase-apply/next", "1"), "rebase-apply"),
        ("cherry-pick", |repo| repo.write(".git/sequencer/todo", "pick"), "sequencer"),
        ("bisect", |repo| drop(repo.git(&["bisect", "start", "-q"])), "BISECT_LOG"),
        (
            "merge",
            |repo| repo.write(".git/MERGE_AUTOSTASH", repo.git(&["rev-parse", "other"])),
            "MERGE_AUTOSTASH",
        ),
    ];
    for (what, act, file) in cases {
        let repo = Repo::new();
        with_branch(&repo);
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        act(&repo);
        assert!(has(&repo, file), "{file}");
        let found = workspace.see(&base);
        assert_eq!(found.breaches, left(what), "{file}");
        assert!(!has(&repo, file), "{file}");
        // Whoever inspects it again, after a crash, finds the same.
        assert_eq!(repo.open().see(&base).breaches, left(what), "{file}");
        // What it had is not lost.
        let aside =
            repo.path(".git/hast/aside/M1%2F1%2Foperations").join(format!("0-.git%2F{file}"));
        assert!(aside.symlink_metadata().is_ok(), "{file}");
        assert!(!repo.git(&["status"]).contains("currently"));
    }
}

#[test]
fn a_link_to_a_branch_is_an_operation_too() {
    let repo = Repo::new();
    with_branch(&repo);
    repo.git(&["pack-refs", "--all"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    std::os::unix::fs::symlink("refs/heads/other", repo.path(".git/CHERRY_PICK_HEAD")).unwrap();
    assert_eq!(workspace.see(&base).breaches, left("cherry-pick"));
}

#[test]
fn what_a_finished_operation_leaves_is_no_breach_and_does_not_stay() {
    let repo = Repo::new();
    with_branch(&repo);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.git(&["merge", "-q", "--squash", "other"]);
    repo.write(".git/MERGE_MSG", "theirs");
    repo.write(".git/ORIG_HEAD", repo.git(&["rev-parse", "other"]));
    let found = workspace.see(&base);
    assert_honest(&found);
    assert_eq!(changes(&found), ["A src/other.rs"]);
    assert!(!has(&repo, "SQUASH_MSG") && !has(&repo, "MERGE_MSG") && has(&repo, "ORIG_HEAD"));
}

#[test]
fn words_for_a_message_that_the_user_had_before_stay() {
    let repo = Repo::new();
    repo.write(".git/MERGE_MSG", "mine");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/new.rs", "new\n");
    assert_honest(&workspace.see(&base));
    assert_eq!(repo.read(".git/MERGE_MSG"), "mine");
}

#[test]
fn an_operation_of_a_call_that_was_cut_off_is_nothing_to_the_next_one() {
    let repo = Repo::new();
    with_branch(&repo);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write(".git/MERGE_HEAD", repo.git(&["rev-parse", "other"]));
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert!(!has(&repo, "MERGE_HEAD"));
    repo.write("src/new.rs", "new\n");
    assert_honest(&workspace.see(&base));
}

#[test]
fn what_the_tests_leave_under_way_does_not_stay_either() {
    let repo = Repo::new();
    with_branch(&repo);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/new.rs", "new\n");
    let found = workspace.see(&base);
    let begin = || repo.write(".git/MERGE_HEAD", repo.git(&["rev-parse", "other"]));
    begin();
    let hooks = GitStep::RunHooks { plan: commit_plan(&found), base: base.clone() };
    let verdict = perform(&mut workspace, &hooks);
    assert!(matches!(verdict, GitResult::Hooks(HookVerdict::Passed { .. })), "{verdict:?}");
    assert!(!has(&repo, "MERGE_HEAD"));
    begin();
    let guard = GitStep::Guard { base, reach: Reach::Everything };
    assert!(matches!(perform(&mut workspace, &guard), GitResult::Guarded(_)));
    assert!(!has(&repo, "MERGE_HEAD"));
}

#[test]
fn lists_that_git_makes_of_its_refs_and_objects_are_no_settings() {
    let repo = Repo::new();
    repo.write(".git/info/refs", "of an earlier gc\n");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/new.rs", "new\n");
    repo.commit_all("mine");
    repo.git(&["gc", "-q"]);
    repo.git(&["update-server-info"]);
    repo.git(&["commit-graph", "write", "--reachable"]);
    assert!(repo.read(".git/info/refs").contains("refs/heads/main"));
    repo.write(".git/info/refs_abc123", "left by a gc that was ended");
    assert_honest(&workspace.see(&base));
    // What is a setting beside them is still one.
    repo.write(".git/info/attributes", "* filter=evil\n");
    assert_eq!(protected(&workspace.see(&base)), [".git/info/attributes"]);
}

#[test]
fn a_file_that_became_blank_or_a_link_is_told_apart() {
    let repo = Repo::new();
    repo.write("tests/mark.rs", "\u{feff}// test\n");
    repo.write("tests/long.rs", "// test\n");
    repo.commit_all("more");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("tests/it.rs", " \n");
    repo.write("tests/mark.rs", "\u{feff}\n");
    repo.write("tests/long.rs", " ".repeat(9_000));
    repo.remove("src/lib.rs");
    std::os::unix::fs::symlink("main.rs", repo.path("src/lib.rs")).unwrap();
    let found = workspace.see(&base);
    let emptied = ["E src/lib.rs", "E tests/it.rs", "E tests/long.rs", "E tests/mark.rs"];
    assert_eq!(changes(&found), emptied);
    repo.write("tests/long.rs", " ".repeat(9_000) + "x");
    assert!(changes(&workspace.see(&base)).contains(&"M tests/long.rs".to_owned()));
    // The same where the attempt commits it.
    repo.commit_all("emptied");
    assert!(changes(&workspace.see(&base)).contains(&"E tests/it.rs".to_owned()));
}

#[test]
fn what_stands_in_the_place_of_what_the_tests_left_is_a_change() {
    let repo = Repo::new();
    repo.write("out/coverage", "1");
    let left_by_tests = vec!["out/coverage".to_owned()];
    let mut workspace = repo.open();
    let base = workspace.start(&TreeRules { left_by_tests, ..rules() });
    std::fs::remove_dir_all(repo.path("out")).unwrap();
    repo.write("forged/coverage", "2");
    std::os::unix::fs::symlink("forged", repo.path("out")).unwrap();
    let found = workspace.see(&base);
    assert_eq!(changes(&found), ["A forged/coverage", "H out", "D out/coverage"]);
}

#[test]
fn a_glob_protects_ignored_files_that_it_names() {
    for glob in ["target/bin/", "target/bin", "/target/bin/*", "target/bin/**", "target/bin/tool"] {
        let repo = Repo::new();
        repo.write("target/bin/tool", "#!/bin/sh\ncheck\n");
        repo.mode("target/bin/tool", 0o755);
        let protect = vec![glob.to_owned()];
        let mut workspace = repo.open();
        let base = workspace.start(&TreeRules { protect, ..rules() });
        repo.write("target/bin/tool", "#!/bin/sh\nexit 0\n");
        repo.write("target/out", "built again");
        let found = workspace.see(&base);
        assert_eq!(protected(&found), ["target/bin/tool"], "{glob}");
        assert_eq!(repo.read("target/bin/tool"), "#!/bin/sh\ncheck\n", "{glob}");
        assert_eq!(repo.read("target/out"), "built again");
        repo.remove("target/bin/tool");
        assert_eq!(protected(&workspace.see(&base)), ["target/bin/tool"], "{glob}");
        assert_eq!(repo.read("target/bin/tool"), "#!/bin/sh\ncheck\n", "{glob}");
    }
}

#[test]
fn an_ignored_file_that_is_protected_comes_back_and_its_loss_is_told() {
    let repo = Repo::new();
    let protect = vec![".env".to_owned()];
    let mut workspace = repo.open();
    let base = workspace.start(&TreeRules { protect, ..rules() });
    repo.remove(".env");
    repo.write("src/new.rs", "new\n");
    assert_eq!(protected(&workspace.see(&base)), [".env"]);
    assert_eq!(repo.read(".env"), "KEY=1");
}
