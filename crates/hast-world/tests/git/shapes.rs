//! Odd shapes: links, repositories inside of the tree, names, sizes, work trees.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_world::git::{Place, RealWorkspace};

use crate::fixture::{Repo, Steps, assert_honest, attempt, changes, protected, rules};

fn path(text: &str) -> RepoPath {
    RepoPath(text.into())
}

#[test]
fn a_link_out_of_the_tree_is_told_and_one_inside_is_not() {
    let found = attempt(&Repo::new(), |repo| {
        symlink("/etc/passwd", repo.path("absolute")).unwrap();
        symlink("../../outside", repo.path("src/up")).unwrap();
        symlink("lib.rs", repo.path("src/fine")).unwrap();
        symlink(".git/config", repo.path("gitconfig")).unwrap();
    });
    let link = |text| Breach::SymlinkLeaves { path: path(text) };
    assert_eq!(found.breaches, [link("absolute"), link("gitconfig"), link("src/up")]);
}

#[test]
fn a_directory_that_became_a_link_takes_nothing_with_it() {
    let repo = Repo::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::File::create(outside.path().join("lib.rs")).unwrap();
    let found = attempt(&repo, |repo| {
        std::fs::remove_dir_all(repo.path("src")).unwrap();
        symlink(outside.path(), repo.path("src")).unwrap();
    });
    assert_eq!(found.breaches, [Breach::SymlinkLeaves { path: path("src") }]);
    assert_eq!(changes(&found), ["H src", "D src/lib.rs", "D src/main.rs"]);
    assert!(outside.path().join("lib.rs").exists());
}

#[test]
fn a_nested_repository_is_told_and_moved_aside_whole() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let files = repo.files();
    let base = workspace.start(&rules());
    repo.git(&["init", "-q", "vendor/nested"]);
    repo.write("vendor/nested/x", "1");
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [Breach::NestedRepository { path: path("vendor/nested") }]);
    assert_eq!(changes(&found), ["A vendor/nested"]);
    let saved = workspace.put_safe(&base);
    assert_eq!(saved.work().overflow, ["vendor/nested"]);
    let back = workspace.back(&base, &saved);
    assert_eq!(repo.files(), files);
    let [aside] = &back.aside[..] else { panic!("{back:?}") };
    assert_eq!(aside.path, "vendor/nested");
    let at = std::path::PathBuf::from(&aside.at);
    assert!(at.ends_with("0-vendor%2Fnested") && at.join("x").exists());
    assert!(at.join(".git/HEAD").exists());
}

#[test]
fn an_added_submodule_is_told() {
    let repo = Repo::new();
    let other = repo.dir.path().join("other");
    repo.git_in(repo.dir.path(), &["init", "-q", "other"]);
    repo.git_in(&other, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let found = attempt(&repo, |repo| {
        repo.git(&["submodule", "--quiet", "add", other.to_str().unwrap(), "sub"]);
    });
    assert!(found.breaches.contains(&Breach::SubmoduleAdded { path: path("sub") }));
    assert!(protected(&found).contains(&".git/config"));
}

#[test]
fn a_gitlink_that_is_only_in_a_commit_is_told() {
    let found = attempt(&Repo::new(), |repo| {
        let link = format!("160000,{},ghost", repo.head());
        repo.git(&["update-index", "--add", "--cacheinfo", &link]);
        repo.git(&["commit", "-q", "-m", "ghost"]);
    });
    assert_eq!(found.breaches, [Breach::SubmoduleAdded { path: path("ghost") }]);
}

#[test]
fn names_of_every_kind_are_compared_saved_and_taken_back() {
    let names: [&[u8]; 8] = [
        b"new\nline",
        b"quote\"s'",
        "한글/파일 이름".as_bytes(),
        b"bad\xff\xfename",
        b"-dash",
        b"tab\there",
        b"*glob?[x]",
        b":(top)spec",
    ];
    let repo = Repo::new();
    let found = attempt(&repo, |repo| {
        for name in names {
            let path = repo.top().join(OsStr::from_bytes(name));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap();
        }
        repo.write("SRC/lib.rs", "another case\n");
    });
    assert_honest(&found);
    assert_eq!(found.changes.len(), names.len() + 1);
    assert!(changes(&found).contains(&"H bad\\xff\\xfename".to_owned()));
    assert!(changes(&found).contains(&"A SRC/lib.rs".to_owned()));
}

#[test]
fn files_and_directories_may_change_places() {
    let found = attempt(&Repo::new(), |repo| {
        std::fs::remove_dir_all(repo.path("tests")).unwrap();
        repo.write("tests", "now a file");
        repo.remove("src/lib.rs");
        repo.write("src/lib.rs/mod.rs", "now a directory");
        // Ignored by the base's rules: it stays the user's, but it is in the way.
        repo.write("src/lib.rs/trace.log", "ignored");
    });
    assert_honest(&found);
    let wanted = ["D src/lib.rs", "A src/lib.rs/mod.rs", "A tests", "D tests/it.rs"];
    assert_eq!(changes(&found), wanted);
}

#[test]
fn what_was_staged_and_then_deleted_is_no_change() {
    let found = attempt(&Repo::new(), |repo| {
        repo.write("staged", "1");
        repo.git(&["add", "staged"]);
        repo.remove("staged");
    });
    assert_honest(&found);
    assert!(found.changes.is_empty() && !found.uncommitted);
}

#[test]
fn a_huge_file_is_told_and_not_read() {
    let repo = Repo::new();
    let mut workspace = repo.open();
    let base = workspace.start(&rules());
    // A hole: large, and on no disk.
    let file = std::fs::File::create(repo.path("huge")).unwrap();
    file.set_len((1 << 30) + 1).unwrap();
    let found = workspace.see(&base);
    assert_eq!(found.breaches, [Breach::TooLarge { path: path("huge") }]);
    assert_eq!(changes(&found), ["A huge"]);
    let saved = workspace.put_safe(&base);
    assert_eq!(saved.work().overflow, ["huge"]);
    workspace.back(&base, &saved);
    assert!(!repo.path("huge").exists());
}

#[test]
fn a_replaced_git_file_of_a_linked_work_tree_is_never_followed() {
    let repo = Repo::new();
    let tree = repo.dir.path().join("linked");
    repo.git(&["worktree", "add", "-q", "-b", "lane", tree.to_str().unwrap()]);
    let decoy = repo.dir.path().join("decoy");
    repo.git_in(repo.dir.path(), &["init", "-q", "decoy"]);
    let place = Place::find(&tree).unwrap();
    let mut workspace = RealWorkspace::open_at(place.clone(), repo.environment.clone()).unwrap();
    let base = workspace.start(&rules());
    assert_eq!(base.branch(), "refs/heads/lane");
    let dot_git = std::fs::read(tree.join(".git")).unwrap();
    repo.write("../linked/.git", format!("gitdir: {}/.git\n", decoy.display()));
    repo.write("../linked/a", "1");
    let found = workspace.see(&base);
    assert_eq!(protected(&found), [".git"]);
    assert_eq!(changes(&found), ["A a"]);
    assert_eq!(std::fs::read(tree.join(".git")).unwrap(), dot_git);
    // A later process is told the place and does not look for it.
    repo.write("../linked/.git", format!("gitdir: {}/.git\n", decoy.display()));
    let mut later = RealWorkspace::open_at(place, repo.environment.clone()).unwrap();
    let saved = later.put_safe(&base);
    later.back(&base, &saved);
    assert_eq!(std::fs::read(tree.join(".git")).unwrap(), dot_git);
    assert!(!tree.join("a").exists());
    assert_eq!(repo.git_in(&tree, &["status", "--porcelain"]), "");
}

#[test]
fn a_merge_that_was_left_under_way_is_gone_afterwards() {
    let repo = Repo::new();
    let found = attempt(&repo, |repo| {
        repo.git(&["checkout", "-q", "-b", "side"]);
        repo.write("src/lib.rs", "side\n");
        repo.commit_all("side");
        repo.git(&["checkout", "-q", "main"]);
        repo.write("a", "1");
        repo.commit_all("one");
        repo.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    });
    assert!(!found.breaches.is_empty());
    assert!(!repo.path(".git/MERGE_HEAD").exists());
}
