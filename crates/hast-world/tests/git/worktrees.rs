//! Work trees beside the user's own: made, found again, and taken away without losing anything.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::rooms::RoomKind;
use hast_flow::attempt::workspace::Head;
use hast_flow::attempt::worktrees::{
    Added, FoundTree, Spent, TreeName, TreePlan, TreeState, WorktreeResult, WorktreeStep,
    Worktrees, perform,
};
use hast_sim::git::trees_contract::base_of;
use hast_world::git::{RealWorktrees, room_of_unit};

use crate::fixture::{Repo, Steps, assert_honest, at, changes, rules};

pub(crate) fn trees(repo: &Repo) -> RealWorktrees {
    RealWorktrees::open(&repo.top(), &rooms(repo), repo.environment.clone(), RoomKind::OwnPath)
        .unwrap()
        .waiting(Duration::ZERO)
}

fn rooms(repo: &Repo) -> PathBuf {
    repo.dir.path().join("rooms")
}

/// Where the agent of a unit works; a place where nothing is, if it has no room.
pub(crate) fn path_of(repo: &Repo, id: &str) -> PathBuf {
    let tree = room_of_unit(&rooms(repo), TreeName::of(id).as_str()).map(|room| room.tree);
    tree.unwrap_or_else(|| rooms(repo).join("none"))
}

/// hast looks at what an agent left in its room. The last commit of the unit's ref.
pub(crate) fn look_at(repo: &Repo, id: &str) -> ObjectId {
    inspection(repo, id).head
}

/// The judge's evidence about a room.
pub(crate) fn inspection(repo: &Repo, id: &str) -> Inspection {
    let tree = TreeName::of(id);
    let record = std::fs::read(path_of(repo, id).with_file_name("meta.json")).unwrap();
    let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
    let base = base_of(&tree, &record["base"].as_str().unwrap().parse().unwrap()).unwrap();
    trees(repo).workspace(&tree).unwrap().see(&base)
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
    path_of(repo, id)
}

#[expect(clippy::disallowed_methods, reason = "the test plays the agent")]
fn put(tree: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = tree.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn names(found: &[FoundTree]) -> Vec<(&str, TreeState)> {
    found.iter().map(|tree| (tree.tree.as_str(), tree.state)).collect()
}

fn branch(repo: &Repo, id: &str) -> String {
    repo.git(&["for-each-ref", "--format=%(objectname)", &TreeName::of(id).branch()])
}

#[test]
fn a_tree_has_the_files_of_its_commit_and_a_ref_of_its_own() {
    let repo = Repo::new();
    let before = repo.files();
    let path = add(&repo, "M1.1");
    assert_eq!(repo.git_in(&path, &["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(repo.git_in(&path, &["status", "--porcelain"]), "");
    assert_eq!(branch(&repo, "M1.1"), repo.head().as_str());
    assert_eq!(repo.git(&["status", "--porcelain", "--", "src"]), "");
    assert!(path.join("src/main.rs").is_file() && !path.join(".env").exists());
    trees(&repo).remove(&TreeName::of("M1.1"), &Spent::Unused).unwrap();
    assert_eq!(repo.files(), before);
    assert_eq!(branch(&repo, "M1.1"), "");
    assert_eq!(trees(&repo).list().unwrap(), []);
}

#[test]
fn copies_are_what_the_globs_name_and_never_what_git_has() {
    let repo = Repo::new();
    repo.write("deep/.env", "DEEP=1");
    repo.write("src/main.rs", "// edited by the user\n");
    let added = trees(&repo).add(&plan(&repo, "M1", &[".env", "/target/", "*.rs"])).unwrap();
    let tree = |path: &str| std::fs::read_to_string(path_of(&repo, "M1").join(path)).ok();
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
    let tree = TreeName::of("M1");
    let mut all = trees(&repo);
    let mut workspace = all.workspace(&tree).unwrap();
    let base = workspace.start(&rules());
    put(&path, "src/new.rs", "// new\n");
    repo.git_in(&path, &["add", "-A"]);
    repo.git_in(&path, &["commit", "-q", "-m", "wip"]);
    put(&path, "tests/it.rs", "// more\n");
    let found = workspace.see(&base);
    assert_honest(&found);
    assert_eq!(changes(&found), ["A src/new.rs", "M tests/it.rs"]);
    let settled = workspace.settle(&base, &found);
    assert_eq!(branch(&repo, "M1"), settled.as_str());
    assert_eq!(repo.git(&["log", "--format=%s", &format!("main..{settled}")]), "feat(M1): it\nwip");
    assert_eq!(repo.files(), before);
}

#[test]
fn work_that_is_nowhere_else_is_not_removed() {
    let repo = Repo::new();
    let remove = |id: &str, spent: &Spent| trees(&repo).remove(&TreeName::of(id), spent);
    let uncommitted = add(&repo, "M1");
    put(&uncommitted, "new.txt", "mine");
    assert!(remove("M1", &Spent::Unused).is_err());
    assert!(uncommitted.join("new.txt").exists());
    let path = add(&repo, "M2");
    put(&path, "new.txt", "mine");
    repo.git_in(&path, &["add", "-A"]);
    repo.git_in(&path, &["commit", "-q", "-m", "work"]);
    assert!(remove("M2", &Spent::Unused).is_err());
    let head = look_at(&repo, "M2");
    assert_eq!(repo.git(&["log", "-1", "--format=%s", head.as_str()]), "work");
    assert!(remove("M2", &Spent::Unused).is_err());
    assert!(remove("M2", &Spent::Merged { into: repo.head() }).is_err());
    assert!(path.join("new.txt").exists());
    remove("M2", &Spent::Merged { into: head }).unwrap();
    assert_eq!(names(&trees(&repo).list().unwrap()), [("M1", TreeState::Whole)]);
}

#[test]
fn what_an_earlier_tree_of_that_name_held_is_on_a_ref_first() {
    let repo = Repo::new();
    let path = add(&repo, "M1");
    put(&path, "new.txt", "mine");
    let added = trees(&repo).add(&plan(&repo, "M1", &[])).unwrap();
    let Added { recovered: Some(name), .. } = added else { panic!("{added:?}") };
    assert_eq!(repo.git(&["show", &format!("{name}:new.txt")]), "mine");
    assert!(!path_of(&repo, "M1").join("new.txt").exists());
    assert_eq!(trees(&repo).add(&plan(&repo, "M1", &[])).unwrap().recovered, None);
}

#[test]
fn half_a_room_is_found_and_made_anew() {
    let repo = Repo::new();
    for break_it in ["meta.json", "trusted", "tree"] {
        let path = add(&repo, "M1");
        let gone = path.with_file_name(break_it);
        let _ = std::fs::remove_dir_all(&gone).or_else(|_| std::fs::remove_file(&gone));
        let added = trees(&repo).add(&plan(&repo, "M1", &[])).unwrap();
        assert_eq!(added.recovered, None, "{break_it}");
        let path = path_of(&repo, "M1");
        assert_eq!(repo.git_in(&path, &["status", "--porcelain"]), "", "{break_it}");
        assert!(path.join("src/main.rs").is_file(), "{break_it}");
    }
}

#[test]
fn leftovers_are_found_by_any_of_their_parts() {
    let repo = Repo::new();
    for id in ["A", "B"] {
        add(&repo, id);
    }
    std::fs::remove_dir_all(path_of(&repo, "A").parent().unwrap()).unwrap();
    repo.git(&["update-ref", "-d", &TreeName::of("B").branch()]);
    repo.git(&["worktree", "add", "-q", "../users", "-b", "theirs"]);
    let found = trees(&repo).list().unwrap();
    assert_eq!(names(&found), [("A", TreeState::Broken), ("B", TreeState::Whole)]);
    for tree in &found {
        trees(&repo).remove(&tree.tree, &Spent::Unused).unwrap();
    }
    assert_eq!(trees(&repo).list().unwrap(), []);
    assert!(repo.path("../users/src/main.rs").is_file());
    assert_eq!(repo.git(&["worktree", "list"]).lines().count(), 2);
}

#[test]
fn a_room_that_an_agent_closed_can_still_be_freed() {
    let repo = Repo::new();
    let tree = add(&repo, "M1");
    put(&tree, "target/deep/x", "built");
    for path in ["target/deep", "target"] {
        let closed = std::fs::Permissions::from_mode(0o500);
        std::fs::set_permissions(tree.join(path), closed).unwrap();
    }
    std::os::unix::fs::symlink(repo.path("src"), tree.join("target2")).unwrap();
    let into = repo.head();
    trees(&repo).remove(&TreeName::of("M1"), &Spent::Merged { into }).unwrap();
    let (rooms, bytes) = trees(&repo).free_rooms().unwrap();
    assert!(rooms == 1 && bytes > 0);
    assert!(!tree.parent().unwrap().exists());
    assert!(repo.path("src/main.rs").is_file());
    assert_eq!(repo.git(&["for-each-ref", "refs/hast"]), "");
}

#[test]
fn a_room_that_is_given_back_is_the_next_units() {
    let repo = Repo::new();
    let first = add(&repo, "M1");
    put(&first, "target/out", "built");
    trees(&repo).remove(&TreeName::of("M1"), &Spent::Unused).unwrap();
    assert_eq!(add(&repo, "M2"), first);
    assert!(!first.join("target/out").exists());
    assert_ne!(add(&repo, "M3"), first);
}

#[test]
fn the_disk_use_of_a_tree_is_told() {
    let repo = Repo::new();
    let path = add(&repo, "M1");
    let before = trees(&repo).list().unwrap()[0].bytes;
    put(&path, "big", vec![1u8; 1 << 20]);
    let more = trees(&repo).list().unwrap()[0].bytes - before;
    assert!((1 << 20..2 << 20).contains(&more), "{more}");
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
fn a_git_file_that_an_agent_put_there_is_not_followed() {
    let repo = Repo::new();
    let path = add(&repo, "M1");
    let other = Repo::new();
    let refs = other.git(&["for-each-ref"]);
    std::fs::remove_dir_all(path.join(".git")).unwrap();
    put(&path, ".git", format!("gitdir: {}\n", other.path(".git").display()));
    put(&path, "src/new.rs", "// new\n");
    assert_eq!(look_at(&repo, "M1"), repo.head());
    assert_eq!(other.git(&["for-each-ref"]), refs);
    assert_eq!(other.git(&["status", "--porcelain", "src"]), "");
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
fn a_step_in_a_room_leaves_the_users_locks_alone() {
    let repo = Repo::new();
    let path = add(&repo, "M1");
    let locks = [".git/refs/heads/main.lock", ".git/index.lock", ".git/config.lock"];
    for lock in locks {
        repo.write(lock, "");
    }
    put(&path, ".git/index.lock", "");
    put(&path, "src/new.rs", "// new\n");
    assert_eq!(look_at(&repo, "M1"), repo.head());
    assert!(locks.iter().all(|lock| repo.path(lock).exists()));
    assert!(path.join("src/new.rs").exists() && !path.join(".git/index.lock").exists());
}
