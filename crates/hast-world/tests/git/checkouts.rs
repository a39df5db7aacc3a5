//! A submodule that was empty when an attempt began: checked out as git does it, or empty again.

use std::fs;
use std::path::Path;

use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{GitResult, GitStep, Reach, perform};
use hast_world::git::RealWorkspace;

use crate::fixture::{Act, Repo, Steps, assert_honest, at, changes, protected, rules};
use crate::submodules::{changed, with_submodule};

const UPDATE: [&str; 5] = ["submodule", "--quiet", "update", "--init", "--recursive"];

/// A project as it is cloned: the submodule `sub` is known and was never checked out.
fn with_empty_submodule() -> Repo {
    let repo = with_submodule();
    let inner = repo.dir.path().join("inner");
    fs::create_dir(&inner).unwrap();
    repo.git_in(&inner, &["init", "-q", "-b", "main"]);
    repo.git_in(&inner, &["commit", "-q", "--allow-empty", "-m", "inner"]);
    let other = repo.dir.path().join("other");
    let url = inner.to_str().unwrap();
    repo.git_in(&other, &["submodule", "--quiet", "add", "--name", "a/b", url, "deep"]);
    repo.git_in(&other, &["commit", "-qm", "deep"]);
    repo.git_in(&repo.path("sub"), &["pull", "-q", "origin", "main"]);
    repo.commit_all("with deep");
    repo.git(&["submodule", "--quiet", "deinit", "-f", "sub"]);
    fs::remove_dir_all(repo.path(".git/modules")).unwrap();
    repo.git(&["submodule", "--quiet", "init"]);
    repo
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().next().is_none()
}

/// Git works, nothing is changed, and the next attempt can begin.
fn assert_ready(repo: &Repo) {
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    repo.open().start(&rules());
}

#[test]
fn a_submodule_that_is_checked_out_as_git_does_it_is_no_change() {
    let acts: [Act; 2] =
        [|repo| drop(repo.git(&UPDATE)), |repo| drop(repo.git(&UPDATE[..UPDATE.len() - 1]))];
    for act in acts {
        let repo = with_empty_submodule();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        act(&repo);
        repo.write("src/lib.rs", "// work\n");
        let found = workspace.see(&base);
        assert_honest(&found);
        assert_eq!(changes(&found), ["M src/lib.rs"]);
        // Whatever becomes of the work, the submodule stays.
        let saved = workspace.put_safe(&base);
        workspace.back(&base, &saved);
        assert_eq!(repo.read("sub/lib.txt"), "orig\n");
        assert_ready(&repo);
        assert_eq!(repo.read("sub/lib.txt"), "orig\n");
    }
}

#[test]
fn a_checkout_that_is_anything_else_goes_aside_with_its_repository() {
    let acts: [(&str, Act); 9] = [
        ("sub/lib.txt", |repo| repo.write("sub/lib.txt", "patched\n")),
        ("sub/new.txt", |repo| repo.write("sub/new.txt", "new\n")),
        ("sub", |repo| {
            repo.write("sub/lib.txt", "patched\n");
            repo.git_in(&repo.path("sub"), &["commit", "-qam", "patched"]);
        }),
        ("sub", |repo| {
            repo.write(".git/modules/sub/info/exclude", "hidden\n");
            repo.write("sub/hidden", "x\n");
        }),
        ("sub", |repo| {
            repo.git_in(&repo.path("sub"), &["config", "core.fsmonitor", "touch ran"]);
        }),
        ("sub", |repo| {
            repo.write(".git/modules/sub/hooks/post-checkout", "#!/bin/sh\n");
            repo.mode(".git/modules/sub/hooks/post-checkout", 0o755);
        }),
        ("sub", |repo| {
            repo.git_in(&repo.path("sub"), &["config", "remote.origin.url", "/elsewhere"]);
        }),
        ("sub", |repo| {
            let inner = repo.path("sub/deep");
            repo.git_in(&inner, &["config", "core.sshCommand", "touch ran"]);
        }),
        ("sub", |repo| {
            // The files of a patch, with an index that calls them the old ones.
            repo.git_in(&repo.path("sub"), &["update-index", "--assume-unchanged", "lib.txt"]);
            repo.write("sub/lib.txt", "patched\n");
        }),
    ];
    for (first, act) in acts {
        let repo = with_empty_submodule();
        let mut workspace = repo.open();
        let base = workspace.start(&rules());
        repo.git(&UPDATE);
        act(&repo);
        let found = workspace.see(&base);
        assert_eq!(found.breaches, [changed(first)]);
        assert_eq!(protected(&found), [".git/modules/sub"]);
        let kept: Vec<&str> = found.given_back.files.iter().map(|file| &*file.path).collect();
        assert!(kept.contains(&".git/modules/sub") && kept.contains(&"sub/lib.txt"), "{kept:?}");
        let saved = workspace.put_safe(&base);
        workspace.back(&base, &saved);
        assert!(is_empty(&repo.path("sub")));
        assert!(!repo.path(".git/modules/sub").exists());
        assert_ready(&repo);
        repo.git(&UPDATE);
        assert_eq!(repo.read("sub/lib.txt"), "orig\n");
    }
}

#[test]
fn a_repository_that_waits_for_a_submodule_to_be_checked_out_is_taken_away() {
    let repo = with_empty_submodule();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    let other = repo.dir.path().join("other");
    repo.git(&["clone", "-q", "--bare", other.to_str().unwrap(), ".git/modules/sub"]);
    let found = workspace.see(&base);
    assert_eq!(protected(&found), [".git/modules/sub"]);
    assert!(!repo.path(".git/modules/sub").exists());
    // The same below one that is checked out as git does it.
    repo.git(&UPDATE[..UPDATE.len() - 1]);
    let (url, inner) = (other.to_str().unwrap(), ".git/modules/sub/modules/a/b");
    repo.git(&["clone", "-q", "--bare", url, inner]);
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [changed("sub")]);
    assert!(is_empty(&repo.path("sub")));
}

#[test]
fn a_checkout_that_ended_half_way_leaves_nothing() {
    let repo = with_submodule();
    repo.git(&["submodule", "--quiet", "deinit", "-f", "sub"]);
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    repo.write("sub/.git", "gitdir: ../.git/modules/sub\n");
    let found = workspace.see(&base);
    let [Breach::SubmoduleChanged { path: RepoPath(_) }] = &found.breaches[..] else {
        panic!("{found:?}")
    };
    assert!(is_empty(&repo.path("sub")));
    assert_ready(&repo);
    assert!(repo.path(".git/modules/sub/HEAD").exists());
}

#[test]
fn what_a_dead_agent_left_in_an_empty_submodule_is_put_away() {
    for reach in [Reach::Everything, Reach::OfGit] {
        let repo = with_empty_submodule();
        let base = repo.open().start(&rules());
        repo.git(&UPDATE);
        repo.git_in(&repo.path("sub"), &["config", "core.pager", "touch ran"]);
        let guarded = perform(&mut repo.open(), &GitStep::Guard { base: base.clone(), reach });
        let GitResult::Guarded(guarded) = guarded else { panic!("{guarded:?}") };
        assert!(guarded.files.contains(&".git/modules/sub".to_owned()), "{guarded:?}");
        assert!(is_empty(&repo.path("sub")));
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn a_linked_work_tree_has_its_own_repository_of_a_submodule() {
    let repo = with_empty_submodule();
    let beside = repo.dir.path().join("beside");
    repo.git(&["worktree", "add", "-q", "-b", "topic", beside.to_str().unwrap()]);
    let mut workspace = RealWorkspace::open(&beside, repo.environment.clone()).unwrap();
    let base = workspace.start(&rules());
    repo.git_in(&beside, &UPDATE);
    // Somebody does the same in the main work tree meanwhile.
    repo.git(&UPDATE);
    assert_honest(&workspace.see(&base));
    repo.write("../beside/sub/lib.txt", "patched\n");
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [changed("sub/lib.txt")]);
    assert_eq!(protected(&found), [".git/modules/sub"]);
    assert!(is_empty(&beside.join("sub")));
    assert_eq!(repo.git_in(&beside, &["status", "--porcelain"]), "");
    assert_eq!(repo.read("sub/lib.txt"), "orig\n");
}

#[test]
fn a_start_names_a_submodule_whose_repository_is_gone() {
    let repo = with_submodule();
    fs::remove_dir_all(repo.path(".git/modules/sub")).unwrap();
    let problem = GitProblem::SubmoduleBroken { path: "sub".into() };
    let mut workspace = repo.open();
    let look = GitStep::Look { rules: rules() };
    assert_eq!(perform(&mut workspace, &look), GitResult::Refused(problem.clone()));
    let record = GitStep::Record { key: "M1/1".into(), rules: rules(), at: at() };
    assert_eq!(perform(&mut workspace, &record), GitResult::Refused(problem));
    // What it says to do.
    fs::remove_dir_all(repo.path("sub")).unwrap();
    repo.git(&["submodule", "--quiet", "update", "--init", "sub"]);
    assert_ready(&repo);
}
