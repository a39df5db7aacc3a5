//! What git does not name, or names only on the way, is found all the same: pipes and sockets, names that it
//! refuses, repositories without a `.git`, and commits that others took back.

use std::os::unix::net::UnixListener;

use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::workspace::{GitResult, GitStep, Reach, perform};

use crate::fixture::{Repo, Steps, assert_honest, attempt, changes, protected, rules};

fn not_storable(path: &str) -> Breach {
    Breach::NotStorable { path: RepoPath(path.into()) }
}

fn nested(path: &str) -> Breach {
    Breach::NestedRepository { path: RepoPath(path.into()) }
}

/// A socket that nobody listens to any more.
fn socket(repo: &Repo, path: &str) {
    let path = repo.path(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    drop(UnixListener::bind(path).unwrap());
}

fn directory(repo: &Repo, path: &str) {
    std::fs::create_dir_all(repo.path(path)).unwrap();
}

#[test]
fn names_that_git_refuses_are_found_and_moved_aside() {
    let repo = Repo::new();
    let found = attempt(&repo, |repo| {
        repo.write("docs/.GIT/payload", "evil");
        repo.write("src/git~1", "evil");
        std::os::unix::fs::symlink("README", repo.path(".gitmodules")).unwrap();
    });
    let wanted = [".gitmodules", "docs/.GIT/payload", "src/git~1"];
    assert_eq!(found.breaches, wanted.map(not_storable));
    assert_eq!(changes(&found), wanted.map(|path| format!("A {path}")));
    assert!(!repo.path("docs").exists());
    // The next attempt is not in its way.
    assert_honest(&attempt(&repo, |repo| repo.write("a", "1")));
}

#[test]
fn pipes_and_sockets_are_found_wherever_they_are() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    socket(&repo, "src/s");
    socket(&repo, "new/deep/s");
    repo.remove("tests/it.rs");
    socket(&repo, "tests/it.rs");
    let found = workspace.see(&base);
    let wanted = ["new/deep/s", "src/s", "tests/it.rs"];
    assert_eq!(found.breaches, wanted.map(not_storable));
    let saved = workspace.put_safe(&base);
    assert_eq!(saved.work().overflow, wanted);
    let back = workspace.back(&base, &saved);
    let aside: Vec<&str> = back.aside.iter().map(|aside| aside.path.as_str()).collect();
    assert_eq!(aside, wanted);
    assert_eq!(repo.read("tests/it.rs"), "// test\n");
    assert!(!repo.path("new").exists() && !repo.path("src/s").exists());
}

#[test]
fn a_directory_of_tracked_files_does_not_become_a_repository() {
    let makes: [fn(&Repo); 4] = [
        |repo| drop(repo.git(&["init", "-q", "src"])),
        |repo| repo.write("src/.git", "broken\n"),
        |repo| directory(repo, "src/.git"),
        |repo| std::os::unix::fs::symlink("/nowhere", repo.path("src/.git")).unwrap(),
    ];
    for make in makes {
        let repo = Repo::new();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        make(&repo);
        let found = workspace.see(&base);
        assert_eq!(found.breaches, [nested("src")]);
        let saved = workspace.put_safe(&base);
        assert_eq!(saved.work().overflow, ["src/.git"]);
        let back = workspace.back(&base, &saved);
        assert_eq!(back.aside[0].path, "src/.git");
        assert!(repo.path("src/.git").symlink_metadata().is_err());
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
        assert_honest(&attempt(&repo, |repo| repo.write("a", "1")));
    }
}

#[test]
fn nor_by_the_tests_that_run_after_the_look() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/new.rs", "new\n");
    let found = workspace.see(&base);
    repo.git(&["init", "-q", "src"]);
    repo.git(&["init", "-q", "left/by/tests"]);
    let plan = crate::fixture::commit_plan(&found);
    let step = GitStep::RunHooks { plan, base: base.clone() };
    assert!(matches!(perform(&mut workspace, &step), GitResult::Hooks(_)));
    assert!(repo.path("src/.git").symlink_metadata().is_err());
    assert!(repo.path("left/by/tests/.git").exists(), "what tests leave is nobody's work");
    repo.git(&["init", "-q", "src"]);
    let step = GitStep::Guard { base, reach: Reach::Everything };
    let GitResult::Guarded(guarded) = perform(&mut workspace, &step) else { panic!() };
    assert_eq!(guarded.files, ["src/.git"]);
}

#[test]
fn a_repository_within_that_was_there_stays() {
    let repo = Repo::new();
    repo.git(&["init", "-q", "src"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("a", "1");
    let found = workspace.see(&base);
    assert_honest(&found);
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert!(repo.path("src/.git/HEAD").exists());
}

#[test]
fn what_was_there_before_or_is_ignored_is_nobodys_breach() {
    let repo = Repo::new();
    socket(&repo, "run/server.sock");
    repo.git(&["init", "-q", "--bare", ".ai/mirror.git"]);
    directory(&repo, "spool/in");
    directory(&repo, "mail/new");
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    socket(&repo, "target/new/s");
    socket(&repo, "x.log");
    repo.git(&["init", "-q", "--bare", "target/b.git"]);
    directory(&repo, "spool/in/evil/empty");
    directory(&repo, "also/empty");
    repo.write("mail/new/1", "filled");
    repo.write("a", "1");
    let found = workspace.see(&base);
    assert_honest(&found);
    assert_eq!(changes(&found), ["A a", "A mail/new/1"]);
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    for path in
        ["run/server.sock", "mail/new", "target/new/s", "x.log", "spool/in", ".ai/mirror.git/refs"]
    {
        assert!(repo.path(path).exists(), "{path}");
    }
    assert!(!repo.path("spool/in/evil").exists() && !repo.path("also").exists());
}

#[test]
fn a_start_that_another_process_goes_on_with_knows_what_was_there() {
    let repo = Repo::new();
    socket(&repo, "run/server.sock");
    directory(&repo, "spool");
    let base = repo.open().start(&rules());
    socket(&repo, "run/other.sock");
    directory(&repo, "evil");
    let mut workspace = repo.open();
    assert_eq!(workspace.see(&base).breaches, [not_storable("run/other.sock")]);
    let saved = workspace.put_safe(&base);
    workspace.back(&base, &saved);
    assert!(repo.path("run/server.sock").exists() && repo.path("spool").exists());
    assert!(!repo.path("run/other.sock").exists() && !repo.path("evil").exists());
}

#[test]
fn a_bare_repository_is_a_repository() {
    let found = attempt(&Repo::new(), |repo| {
        repo.git(&["init", "-q", "--bare", "src/b.git"]);
    });
    assert_eq!(found.breaches, [nested("src/b.git")]);
    // One that has its objects elsewhere.
    let found = attempt(&Repo::new(), |repo| {
        repo.write("src/w/HEAD", "ref: refs/heads/main\n");
        repo.write("src/w/commondir", "../../.git\n");
    });
    assert_eq!(found.breaches, [nested("src/w")]);
    let found = attempt(&Repo::new(), |repo| {
        repo.write("src/HEAD", "of the line\n");
        repo.write("src/objects", "things\n");
    });
    assert_honest(&found);
}

#[test]
fn a_bare_repository_that_the_rules_hide_is_found_once_it_is_committed() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.git(&["init", "-q", "--bare", "target/b.git"]);
    repo.git(&["add", "-f", "target/b.git"]);
    repo.git(&["commit", "-q", "-m", "mirror"]);
    assert_eq!(workspace.see(&base).breaches, [nested("target/b.git")]);
}

#[test]
fn what_a_commit_changed_counts_though_a_later_one_took_it_back() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write("leaked.env", "SECRET=1");
        repo.write("src/lib.rs", "2");
        repo.write("tests/it.rs", "");
        repo.commit_all("oops");
        repo.remove("leaked.env");
        repo.write("tests/it.rs", "// test\n");
        repo.commit_all("never mind");
        repo.write("a", "1");
    });
    assert_honest(&found);
    assert_eq!(changes(&found), ["A a", "T leaked.env", "M src/lib.rs", "T tests/it.rs"]);
}

#[test]
fn packed_commits_and_merges_are_walked_too() {
    let side = |repo: &Repo, how: &[&str]| {
        repo.git(&["checkout", "-q", "-b", "side"]);
        repo.write("leaked.env", "SECRET=1");
        repo.commit_all("side");
        repo.git(&["checkout", "-q", "main"]);
        repo.write("src/lib.rs", "2");
        repo.commit_all("work");
        repo.git(&[&["merge", "-q", "--no-edit"], how, &["side"]].concat());
        repo.git(&["branch", "-q", "-D", "side"]);
    };
    let found = attempt(&Repo::new(), |repo| side(repo, &["-s", "ours"]));
    assert_honest(&found);
    assert_eq!(changes(&found), ["T leaked.env", "M src/lib.rs"]);
    let found = attempt(&Repo::new(), |repo| side(repo, &["-s", "ort"]));
    assert_eq!(changes(&found), ["A leaked.env", "M src/lib.rs"]);
    let found = attempt(&Repo::new(), |repo| {
        repo.write("leaked.env", "SECRET=1");
        repo.commit_all("oops");
        repo.git(&["revert", "--no-edit", "HEAD"]);
        repo.git(&["repack", "-adq"]);
        repo.git(&["prune-packed", "-q"]);
    });
    assert_eq!(changes(&found), ["T leaked.env"]);
}

#[test]
fn a_protected_file_that_a_commit_changed_and_another_gave_back_is_found() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write(".ai/goals.yaml", "goals: [done]\n");
        repo.commit_all("done");
        repo.git(&["revert", "--no-edit", "HEAD"]);
    });
    assert_eq!(protected(&found), [".ai/goals.yaml"]);
}

#[test]
fn what_was_uncommitted_before_may_be_committed_by_mistake_and_taken_out_again() {
    let repo = Repo::new();
    repo.write(".ai/notes.md", "the user's\n");
    let found = attempt(&repo, |repo| {
        repo.write("src/lib.rs", "2");
        repo.commit_all("all");
        repo.git(&["rm", "-q", "--cached", ".ai/notes.md"]);
        repo.git(&["commit", "-q", "-m", "not mine"]);
    });
    assert_honest(&found);
    assert_eq!(changes(&found), ["M src/lib.rs"]);
}

#[test]
fn a_commit_of_a_name_that_git_refuses_is_judged_and_rolled_back() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write("src/git~1/x", "evil");
        repo.git(&["-c", "core.protectNTFS=false", "add", "src"]);
        repo.git(&["-c", "core.protectNTFS=false", "commit", "-q", "-m", "odd"]);
    });
    assert_eq!(found.breaches[0], not_storable("src/git~1/x"), "{:?}", found.breaches);
}

#[test]
fn a_new_file_with_nothing_in_it_is_told_apart() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write("tests/empty.rs", "");
        repo.write("tests/blank.rs", "\u{feff}\n \t\n");
        repo.write("tests/full.rs", format!("{}x", " ".repeat(10_000)));
        std::os::unix::fs::symlink("it.rs", repo.path("tests/link.rs")).unwrap();
    });
    let wanted = ["H tests/blank.rs", "H tests/empty.rs", "A tests/full.rs", "H tests/link.rs"];
    assert_eq!(changes(&found), wanted);
}

#[test]
fn a_handoff_in_a_directory_of_its_own_is_named_with_it() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write(".ai/handoffs/old/2026-02-09_143000.md", "---\n");
        repo.write(".ai/handoffs/run-me.sh", "#!/bin/sh\n");
    });
    let names: Vec<&str> = found.handoffs.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["old/2026-02-09_143000.md", "run-me.sh"]);
}

/// A directory below another with a path that no call takes as a whole.
fn too_deep(repo: &Repo, path: &str) {
    let step = "d".repeat(200);
    let chain = |start: &str| [start, &[step.as_str(); 15].join("/")].concat();
    directory(repo, &chain(&format!("{path}/")));
    directory(repo, &chain("second/"));
    repo.write(&format!("{}/x", chain("second/")), "x");
    let end = format!("{}/rest", chain(&format!("{path}/")));
    rename(repo, "second", &end);
}

#[expect(clippy::disallowed_methods, reason = "the test plays the agent")]
fn rename(repo: &Repo, from: &str, to: &str) {
    std::fs::rename(repo.path(from), repo.path(to)).unwrap();
}

#[test]
fn a_directory_deeper_than_a_path_may_be_long_is_judged_and_moved_aside() {
    let repo = Repo::new();
    let found = attempt(&repo, |repo| {
        too_deep(repo, "deep");
        too_deep(repo, "src/deep");
        repo.write("deep/file", "f");
        repo.write("a", "1");
    });
    assert_eq!(found.breaches, ["deep", "src/deep"].map(not_storable));
    assert_eq!(changes(&found), ["A a", "A deep", "A src/deep"]);
    assert_honest(&attempt(&repo, |repo| repo.write("a", "1")));
}

#[test]
fn more_than_could_be_recorded_of_what_is_protected_goes_aside_unread() {
    let repo = Repo::new();
    let found = attempt(&repo, |repo| {
        directory(repo, ".git/objects/info/alternates/sub");
        for number in 0..30 {
            for place in ["objects/info/alternates/sub", "hooks"] {
                let path = repo.path(&format!(".git/{place}/{number}"));
                std::fs::File::create_new(path).unwrap().set_len(8 << 20).unwrap();
            }
        }
    });
    assert!(protected(&found).contains(&".git/objects/info/alternates"), "{found:?}");
    assert!(protected(&found).contains(&".git/hooks/29"), "{found:?}");
}
