//! Work trees beside the user's own: made, found again, and taken away without losing anything.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::Head;
use hast_flow::attempt::worktrees::{
    Added, FoundTree, Spent, TreeName, TreePlan, TreeState, WorktreeResult, WorktreeStep,
    Worktrees, perform,
};
use hast_world::git::{RealWorkspace, RealWorktrees};

use crate::fixture::{Repo, Steps, assert_honest, at, changes, rules};

pub(crate) fn trees(repo: &Repo) -> RealWorktrees {
    let directory = repo.path(".ai/worktrees");
    RealWorktrees::open(&repo.top(), &directory, repo.environment.clone()).unwrap()
}

pub(crate) fn plan(repo: &Repo, id: &str, copy: &[&str]) -> TreePlan {
    TreePlan {
        tree: TreeName::of(id),
        at: repo.head(),
        copy: copy.iter().map(|glob| (*glob).to_owned()).collect(),
        rules: rules(),
        now: at(),
    }
}

pub(crate) fn add(repo: &Repo, id: &str) -> PathBuf {
    trees(repo).add(&plan(repo, id, &[])).unwrap();
    repo.path(&format!(".ai/worktrees/{id}"))
}

fn names(found: &[FoundTree]) -> Vec<(&str, TreeState)> {
    found.iter().map(|tree| (tree.tree.as_str(), tree.state)).collect()
}

fn branch(repo: &Repo, id: &str) -> String {
    repo.git(&["for-each-ref", "--format=%(objectname)", &TreeName::of(id).branch()])
}

#[test]
fn a_tree_has_the_files_of_its_commit_and_a_branch_of_its_own() {
    let repo = Repo::new();
    let before = repo.files();
    let path = add(&repo, "M1.1");
    assert_eq!(repo.git_in(&path, &["symbolic-ref", "HEAD"]), TreeName::of("M1.1").branch());
    assert_eq!(repo.git_in(&path, &["status", "--porcelain"]), "");
    assert_eq!(repo.git(&["status", "--porcelain", "--", "src"]), "");
    assert!(path.join("src/main.rs").is_file() && !path.join(".env").exists());
    trees(&repo).remove(&TreeName::of("M1.1"), &Spent::Unused).unwrap();
    assert_eq!(repo.files(), before);
    assert_eq!(branch(&repo, "M1.1"), "");
    assert!(!repo.path(".git/worktrees/M1.1").exists());
}

#[test]
fn copies_are_what_the_globs_name_and_never_what_git_has() {
    let repo = Repo::new();
    repo.write("deep/.env", "DEEP=1");
    repo.write("src/main.rs", "// edited by the user\n");
    let added = trees(&repo).add(&plan(&repo, "M1", &[".env", "/target/", "*.rs"])).unwrap();
    let tree = |path: &str| std::fs::read_to_string(repo.path(".ai/worktrees/M1").join(path)).ok();
    assert_eq!(tree(".env").as_deref(), Some("KEY=1"));
    assert_eq!(tree("deep/.env").as_deref(), Some("DEEP=1"));
    assert_eq!(tree("target/out").as_deref(), Some("built"));
    assert_eq!(tree("src/main.rs").as_deref(), Some("fn main() {}\n"));
    assert_eq!(tree("notes.log"), None);
    assert_eq!(added.recovered, None);
}

#[test]
fn an_attempt_in_a_tree_is_judged_there_and_the_checkout_stays() {
    let repo = Repo::new();
    repo.write("src/lib.rs", "// half done by the user\n");
    let before = repo.files();
    let path = add(&repo, "M1");
    let place = trees(&repo).place(&TreeName::of("M1")).unwrap();
    let mut workspace = RealWorkspace::open_at(place, repo.environment.clone()).unwrap();
    let base = workspace.start(&rules());
    repo.write(".ai/worktrees/M1/src/new.rs", "// new\n");
    repo.git_in(&path, &["add", "-A"]);
    repo.git_in(&path, &["commit", "-q", "-m", "wip"]);
    repo.write(".ai/worktrees/M1/tests/it.rs", "// more\n");
    let found = workspace.see(&base);
    assert_honest(&found);
    assert_eq!(changes(&found), ["A src/new.rs", "M tests/it.rs"]);
    workspace.settle(&base, &found);
    let now = repo.files();
    let outside = |path: &&String| !path.starts_with(".ai/worktrees/");
    assert!(now.keys().filter(outside).eq(before.keys()), "files came or went");
    assert_eq!(now["src/lib.rs"], before["src/lib.rs"]);
}

#[test]
fn work_that_is_nowhere_else_is_not_removed() {
    let repo = Repo::new();
    let path = add(&repo, "M1");
    let mut all = trees(&repo);
    let tree = TreeName::of("M1");
    repo.write(".ai/worktrees/M1/new.txt", "mine");
    assert!(all.remove(&tree, &Spent::Unused).is_err());
    repo.git_in(&path, &["add", "-A"]);
    repo.git_in(&path, &["commit", "-q", "-m", "work"]);
    assert!(all.remove(&tree, &Spent::Unused).is_err());
    assert!(all.remove(&tree, &Spent::Merged { into: repo.head() }).is_err());
    assert!(path.join("new.txt").exists());
    let head: ObjectId = branch(&repo, "M1").parse().unwrap();
    all.remove(&tree, &Spent::Merged { into: head }).unwrap();
    assert!(!path.exists());
}

#[test]
fn what_an_earlier_tree_of_that_name_held_is_on_a_ref_first() {
    let repo = Repo::new();
    add(&repo, "M1");
    repo.write(".ai/worktrees/M1/new.txt", "mine");
    let added = trees(&repo).add(&plan(&repo, "M1", &[])).unwrap();
    let Added { recovered: Some(name), .. } = added else { panic!("{added:?}") };
    assert_eq!(repo.git(&["show", &format!("{name}:new.txt")]), "mine");
    assert!(!repo.path(".ai/worktrees/M1/new.txt").exists());
    assert_eq!(trees(&repo).add(&plan(&repo, "M1", &[])).unwrap().recovered, None);
}

#[test]
fn half_a_tree_is_found_and_made_anew() {
    let repo = Repo::new();
    for break_it in [".git", "src/main.rs", ".ai"] {
        let path = add(&repo, "M1");
        // As a kill during the checkout leaves it.
        repo.write(".git/worktrees/M1/locked", "initializing");
        let gone = path.join(break_it);
        let _ = std::fs::remove_dir_all(&gone).or_else(|_| std::fs::remove_file(&gone));
        let found = trees(&repo).list().unwrap();
        assert_eq!(names(&found), [("M1", TreeState::Broken)]);
        let added = trees(&repo).add(&plan(&repo, "M1", &[])).unwrap();
        assert_eq!(added.recovered, None);
        assert_eq!(repo.git_in(&path, &["status", "--porcelain"]), "");
    }
}

#[test]
fn leftovers_are_found_by_any_of_their_parts() {
    let repo = Repo::new();
    for id in ["A", "B", "C"] {
        add(&repo, id);
    }
    std::fs::remove_dir_all(repo.path(".ai/worktrees/A")).unwrap();
    std::fs::remove_dir_all(repo.path(".git/worktrees/B")).unwrap();
    std::fs::remove_dir_all(repo.path(".ai/worktrees/C")).unwrap();
    std::fs::remove_dir_all(repo.path(".git/worktrees/C")).unwrap();
    repo.git(&["worktree", "add", "-q", "../users", "-b", "theirs"]);
    let found = trees(&repo).list().unwrap();
    let broken = ["A", "B", "C"].map(|id| (id, TreeState::Broken));
    assert_eq!(names(&found), broken);
    for tree in &found {
        trees(&repo).remove(&tree.tree, &Spent::Unused).unwrap();
    }
    assert_eq!(trees(&repo).list().unwrap(), []);
    assert!(repo.path("../users/src/main.rs").is_file());
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 2);
}

#[test]
fn a_tree_that_an_agent_closed_can_still_be_removed() {
    let repo = Repo::new();
    add(&repo, "M1");
    repo.write(".ai/worktrees/M1/target/deep/x", "built");
    for path in ["target/deep", "target"] {
        let path = repo.path(&format!(".ai/worktrees/M1/{path}"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o500)).unwrap();
    }
    std::os::unix::fs::symlink(repo.path("src"), repo.path(".ai/worktrees/M1/target2")).unwrap();
    let into = repo.head();
    trees(&repo).remove(&TreeName::of("M1"), &Spent::Merged { into }).unwrap();
    assert!(!repo.path(".ai/worktrees/M1").exists());
    assert!(repo.path("src/main.rs").is_file());
}

#[test]
fn the_disk_use_of_a_tree_is_told() {
    let repo = Repo::new();
    add(&repo, "M1");
    repo.write(".ai/worktrees/M1/big", vec![1u8; 1 << 20]);
    let found = trees(&repo).list().unwrap();
    assert!((1 << 20..2 << 20).contains(&found[0].bytes), "{}", found[0].bytes);
}

#[test]
fn no_hook_of_the_repository_runs_when_a_tree_is_made() {
    let repo = Repo::new();
    let marker = repo.dir.path().join("marker");
    repo.write(".git/hooks/post-checkout", format!("#!/bin/sh\ntouch '{}'\n", marker.display()));
    repo.mode(".git/hooks/post-checkout", 0o755);
    add(&repo, "M1");
    assert!(!marker.exists());
}

#[test]
fn a_git_file_that_an_agent_replaced_is_not_followed() {
    let repo = Repo::new();
    let path = add(&repo, "M1");
    let other = Repo::new();
    repo.write(".ai/worktrees/M1/.git", format!("gitdir: {}\n", other.path(".git").display()));
    let place = trees(&repo).place(&TreeName::of("M1")).unwrap();
    assert_eq!(place.git_dir, repo.path(".git/worktrees/M1").canonicalize().unwrap());
    assert_eq!(place.top, path.canonicalize().unwrap());
}

#[test]
fn the_tip_is_where_the_user_is() {
    let repo = Repo::new();
    let tip = |repo: &Repo| perform(&mut trees(repo), &WorktreeStep::Tip { onto: None });
    let (name, commit) = ("refs/heads/main".to_owned(), repo.head());
    assert_eq!(tip(&repo), WorktreeResult::Tip(Head::Branch { name, commit }));
    repo.git(&["checkout", "-q", "--detach"]);
    assert_eq!(tip(&repo), WorktreeResult::Tip(Head::Detached { commit: repo.head() }));
}

#[test]
fn a_lanes_step_leaves_the_locks_of_others_alone() {
    let repo = Repo::new();
    let path = add(&repo, "M1");
    let place = trees(&repo).place(&TreeName::of("M1")).unwrap();
    let mut workspace = RealWorkspace::open_at(place, repo.environment.clone()).unwrap();
    let base = workspace.start(&rules());
    let others = [".git/refs/heads/main.lock", ".git/packed-refs.lock", ".git/index.lock"];
    let own = [".git/worktrees/M1/index.lock", ".git/refs/heads/hast/lanes/M1/work.lock"];
    for lock in others.iter().chain(&own) {
        repo.write(lock, "");
    }
    repo.write(".ai/worktrees/M1/src/new.rs", "// new\n");
    assert_honest(&workspace.see(&base));
    for lock in others {
        assert!(repo.path(lock).exists(), "{lock}");
        repo.remove(lock);
    }
    for lock in own {
        assert!(!repo.path(lock).exists(), "{lock}");
    }
    assert!(path.join("src/new.rs").exists());
}

#[test]
fn a_link_in_the_place_of_the_trees_is_not_followed() {
    let repo = Repo::new();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::create_dir(elsewhere.path().join("photos")).unwrap();
    std::fs::create_dir_all(repo.path(".ai")).unwrap();
    let directory = repo.path(".ai/worktrees");
    let named = repo.path(".ai/worktrees/");
    let open = || RealWorktrees::open(&repo.top(), &named, repo.environment.clone());
    for target in [elsewhere.path().to_owned(), repo.path("src"), elsewhere.path().join("none")] {
        std::os::unix::fs::symlink(&target, &directory).unwrap();
        assert!(matches!(open(), Err(GitProblem::Linked { .. })), "{}", target.display());
        std::fs::remove_file(&directory).unwrap();
    }
    assert!(open().is_ok() && elsewhere.path().join("photos").is_dir());
}
