//! Ignored files of the user: held while an attempt is under way, given back once it is judged, and never
//! lost, whatever stands in their place by then.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use hast_flow::attempt::base::Base;
use hast_flow::attempt::given_back::IgnoredBack;
use hast_flow::attempt::workspace::{GitResult, GitStep, HookVerdict, Reach, perform};
use hast_world::git::RealWorkspace;

use crate::fixture::{Repo, Steps, commit_plan, rules};

const SECRET: &str = "src/conf/secret.log";

/// A project with a directory that has a tracked and an ignored file.
fn project() -> Repo {
    let repo = Repo::new();
    repo.write("src/conf/f", "f\n");
    repo.commit_all("conf");
    repo.write(SECRET, "SECRET");
    repo
}

/// The user's hooks, before a commit.
fn hooks(workspace: &mut RealWorkspace, base: &Base) -> IgnoredBack {
    let plan = commit_plan(&workspace.see(base));
    match perform(workspace, &GitStep::RunHooks { plan, base: base.clone() }) {
        GitResult::Hooks(HookVerdict::Passed { ignored, .. }) => ignored,
        other => panic!("{other:?}"),
    }
}

/// The work stays in the tree.
fn guard(workspace: &mut RealWorkspace, base: &Base) -> IgnoredBack {
    let step = GitStep::Guard { base: base.clone(), reach: Reach::Everything };
    match perform(workspace, &step) {
        GitResult::Guarded(guarded) => guarded.ignored,
        other => panic!("{other:?}"),
    }
}

fn roll_back(workspace: &mut RealWorkspace, base: &Base) -> IgnoredBack {
    let saved = workspace.put_safe(base);
    workspace.back(base, &saved).ignored
}

#[expect(clippy::disallowed_methods, reason = "the test plays the agent")]
fn rename(repo: &Repo, from: &str, to: &str) {
    fs::rename(repo.path(from), repo.path(to)).unwrap();
}

fn names(repo: &Repo, path: &str) -> u64 {
    fs::symlink_metadata(repo.path(path)).unwrap().nlink()
}

fn lies_aside(found: &IgnoredBack, path: &str, text: &str) {
    let [aside] = &found.aside[..] else { panic!("{found:?}") };
    assert_eq!(aside.path, path);
    assert_eq!(fs::read_to_string(&aside.at).unwrap(), text);
}

fn nothing_is_held(repo: &Repo) {
    for name in ["ignored", "ignored-seen"] {
        assert!(!repo.path(".git/hast").join(name).exists(), "{name}");
    }
}

#[test]
fn tests_judge_what_the_agent_left_and_ignored_files_go_back_after_them() {
    type Ends = fn(&mut RealWorkspace, &Base) -> IgnoredBack;
    for ends in [hooks as Ends, guard, roll_back] {
        let repo = project();
        let mode = fs::metadata(repo.path(".env")).unwrap().mode();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.remove(".env");
        repo.remove(SECRET);
        repo.write("src/new.rs", "new\n");
        workspace.see(&base);
        assert!(!repo.path(".env").exists() && !repo.path(SECRET).exists());
        let found = ends(&mut workspace, &base);
        assert_eq!(found.back, [".env", SECRET]);
        assert_eq!((repo.read(".env"), repo.read(SECRET)), ("KEY=1".into(), "SECRET".into()));
        assert_eq!(fs::metadata(repo.path(".env")).unwrap().mode(), mode);
        assert!(!repo.path(".git/hast/ignored").exists());
        // Whoever asks again, in another process too, is told the same.
        assert_eq!(guard(&mut repo.open(), &base), found);
        nothing_is_held(&repo);
        assert_eq!((names(&repo, ".env"), names(&repo, "notes.log")), (1, 1));
    }
}

#[test]
fn nothing_is_held_any_more_once_the_commit_is_made() {
    let repo = project();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("src/new.rs", "new\n");
    assert_eq!(hooks(&mut workspace, &base), IgnoredBack::default());
    let found = workspace.see(&base);
    workspace.settle(&base, &found);
    nothing_is_held(&repo);
    // What the user deletes now is deleted.
    repo.remove(".env");
    workspace.start(&rules());
    assert!(!repo.path(".env").exists());
}

#[test]
fn a_file_whose_directory_became_a_file_goes_back_with_the_tree_and_aside_where_the_work_stays() {
    let swap = |repo: &Repo| {
        fs::remove_dir_all(repo.path("src/conf")).unwrap();
        repo.write("src/conf", "a file now\n");
    };
    let repo = project();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    swap(&repo);
    workspace.see(&base);
    assert_eq!(roll_back(&mut workspace, &base).back, [SECRET]);
    assert_eq!(repo.read(SECRET), "SECRET");
    nothing_is_held(&repo);
    for ends in [hooks, guard] {
        let repo = project();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        swap(&repo);
        workspace.see(&base);
        let found = ends(&mut workspace, &base);
        lies_aside(&found, SECRET, "SECRET");
        assert_eq!(repo.read("src/conf"), "a file now\n");
        assert_eq!(guard(&mut repo.open(), &base), found);
        nothing_is_held(&repo);
    }
}

#[test]
fn a_directory_or_a_link_in_the_place_of_a_file_does_not_lose_it() {
    for link in [false, true] {
        let repo = project();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.remove(".env");
        if link {
            symlink("src/lib.rs", repo.path(".env")).unwrap();
        } else {
            repo.write(".env/x", "x");
        }
        workspace.see(&base);
        lies_aside(&guard(&mut workspace, &base), ".env", "KEY=1");
        nothing_is_held(&repo);
    }
    let repo = project();
    symlink("notes.log", repo.path("current.log")).unwrap();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.remove("current.log");
    workspace.see(&base);
    assert_eq!(guard(&mut workspace, &base).back, ["current.log"]);
    assert_eq!(fs::read_link(repo.path("current.log")).unwrap().to_str(), Some("notes.log"));
}

#[test]
fn what_a_moved_directory_takes_along_stays_there_and_goes_back_with_the_tree() {
    for ends in [hooks, guard] {
        let repo = project();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.git(&["mv", "src/conf", "src/settings"]);
        workspace.see(&base);
        let found = ends(&mut workspace, &base);
        let [moved] = &found.moved[..] else { panic!("{found:?}") };
        assert_eq!((moved.path.as_str(), moved.at.as_str()), (SECRET, "src/settings/secret.log"));
        assert_eq!((found.back.len(), found.aside.len()), (0, 0));
        assert!(!repo.path("src/conf").exists());
        assert_eq!(guard(&mut repo.open(), &base), found);
        nothing_is_held(&repo);
        assert_eq!(names(&repo, "src/settings/secret.log"), 1);
    }
    let repo = project();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.git(&["mv", "src/conf", "src/settings"]);
    workspace.see(&base);
    assert_eq!(roll_back(&mut workspace, &base).back, [SECRET]);
    assert!(!repo.path("src/settings").exists());
    assert_eq!((repo.read(SECRET), names(&repo, SECRET)), ("SECRET".into(), 1));
}

#[test]
fn what_was_moved_out_of_the_tree_or_into_the_repository_comes_back() {
    for away in ["../taken", ".git/taken"] {
        let repo = project();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        rename(&repo, ".env", away);
        workspace.see(&base);
        assert_eq!(guard(&mut workspace, &base).back, [".env"], "{away}");
        assert_eq!(repo.read(".env"), "KEY=1");
    }
}

#[test]
fn a_file_that_the_user_had_under_two_names_comes_back_under_both() {
    let repo = project();
    fs::hard_link(repo.path(".env"), repo.path("target/env")).unwrap();
    fs::hard_link(repo.path("notes.log"), repo.path("more.log")).unwrap();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.remove(".env");
    repo.remove("more.log");
    workspace.see(&base);
    assert_eq!(guard(&mut workspace, &base).back, [".env", "more.log"]);
    assert_eq!((names(&repo, ".env"), names(&repo, "more.log")), (2, 2));
}

#[test]
fn what_the_attempt_wrote_into_an_ignored_file_or_in_its_place_stays() {
    let repo = project();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write(".env", "KEY=2");
    repo.write("notes.log.new", "theirs");
    rename(&repo, "notes.log.new", "notes.log");
    workspace.see(&base);
    assert_eq!(roll_back(&mut workspace, &base), IgnoredBack::default());
    assert_eq!((repo.read(".env"), repo.read("notes.log")), ("KEY=2".into(), "theirs".into()));
    nothing_is_held(&repo);
}

#[test]
fn an_ignored_file_that_the_attempt_made_part_of_its_work_is_there_after_a_rollback() {
    for refused in [false, true] {
        let repo = project();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.git(&["add", "-f", SECRET]);
        repo.git(&["commit", "-qm", "all of it"]);
        workspace.see(&base);
        if refused {
            hooks(&mut workspace, &base);
        }
        roll_back(&mut workspace, &base);
        assert_eq!(repo.read(SECRET), "SECRET", "{refused}");
        nothing_is_held(&repo);
    }
}

#[test]
fn a_death_at_any_moment_keeps_what_is_held() {
    let repo = project();
    let base = repo.open().start(&rules());
    repo.remove(".env");
    fs::remove_dir_all(repo.path("src/conf")).unwrap();
    repo.write("src/conf", "a file now\n");
    // Processes that did one step each and died.
    repo.open().see(&base);
    let mut last = repo.open();
    let saved = last.put_safe(&base);
    assert_eq!(last.back(&base, &saved).ignored.back, [".env", SECRET]);
    assert_eq!((repo.read(".env"), repo.read(SECRET)), ("KEY=1".into(), "SECRET".into()));
    // One that nobody settled: the next attempt begins with everything, and holds it again.
    repo.open().start(&rules());
    repo.remove(".env");
    fs::remove_dir_all(repo.path("src/conf")).unwrap();
    repo.write("src/conf", "a file now\n");
    repo.commit_all("somebody goes on");
    repo.open().start(&rules());
    assert_eq!(repo.read(".env"), "KEY=1");
    repo.remove(".env");
    let base = repo.open().start(&rules());
    assert_eq!(repo.read(".env"), "KEY=1");
    lies_aside(&guard(&mut repo.open(), &base), SECRET, "SECRET");
}

#[test]
fn a_directory_that_was_closed_is_no_reason_to_lose_a_file() {
    let repo = project();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.remove(SECRET);
    repo.mode("src/conf", 0o500);
    workspace.see(&base);
    assert_eq!(guard(&mut workspace, &base).back, [SECRET]);
    assert_eq!(repo.read(SECRET), "SECRET");
}
