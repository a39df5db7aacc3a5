//! Files that are too large for a ref: hast tells where they lie and finds them again after a
//! death. It brings them back, and never deletes them with a work tree.

use std::path::{Path, PathBuf};

use hast_flow::attempt::base::{Base, Saved, attempt_ref};
use hast_flow::attempt::workspace::{Aside, GitResult, GitStep, perform};
use hast_flow::attempt::worktrees::{Spent, TreeName, Worktrees};
use hast_world::git::{AsideFiles, BroughtBack, Place, RoomWorkspace};

use crate::fixture::{Repo, Steps, rules, save_plan};
use crate::worktrees::{add, plan, trees};

fn save(workspace: &mut RoomWorkspace, base: &Base) -> Saved {
    let mut plan = save_plan(Some(base));
    plan.max_file_bytes = 1000;
    match perform(workspace, &GitStep::Save(plan)) {
        GitResult::Saved(saved) => saved,
        other => panic!("{other:?}"),
    }
}

fn aside_of(repo: &Repo) -> AsideFiles {
    AsideFiles::new(Place::find(&repo.top()).unwrap())
}

/// An attempt that leaves a new file, a large new one, and a tracked one that has become large.
fn rolled_back(repo: &Repo) -> Vec<Aside> {
    let (room, mut workspace) = repo.enter("M1");
    let base = workspace.start(&rules());
    room.write("big dir/big", vec![7; 3000]);
    room.write("src/lib.rs", vec![8; 2000]);
    room.write("small", "1");
    let saved = save(&mut workspace, &base);
    assert_eq!(saved.work().overflow, ["big dir/big", "src/lib.rs"]);
    workspace.back(&base, &saved).aside
}

#[test]
fn what_does_not_fit_the_cap_is_moved_aside_and_told_with_where_it_is() {
    let repo = Repo::new();
    let files = repo.files();
    let aside = rolled_back(&repo);
    assert_eq!(repo.files(), files);
    let paths: Vec<&str> = aside.iter().map(|one| &*one.path).collect();
    assert_eq!(paths, ["big dir/big", "src/lib.rs"]);
    assert_eq!(std::fs::read(&aside[0].at).unwrap(), vec![7; 3000]);
    assert_eq!(std::fs::read(&aside[1].at).unwrap(), vec![8; 2000]);
    let kept = repo.git(&["ls-tree", "-r", "--name-only", &attempt_ref("M1", 1)]);
    assert!(kept.contains("small") && !kept.contains("big"), "{kept}");
}

#[test]
fn whoever_goes_on_after_a_death_tells_the_same() {
    let repo = Repo::new();
    let (room, mut workspace) = repo.enter("M1");
    let base = workspace.start(&rules());
    room.write("100%/big", vec![7; 3000]);
    let saved = save(&mut workspace, &base);
    let first = workspace.back(&base, &saved).aside;
    assert_eq!(first.len(), 1);
    drop(workspace);
    let mut another = trees(&repo).workspace(&TreeName::of("M1")).unwrap();
    let saved = save(&mut another, &base);
    assert!(saved.work().overflow.is_empty());
    assert_eq!(another.back(&base, &saved).aside, first);
}

#[test]
fn bringing_work_back_deletes_no_file_that_was_too_large_for_the_ref() {
    let repo = Repo::new();
    rolled_back(&repo);
    let (name, since) = (attempt_ref("M1", 1), None);
    let undo = GitStep::Restore { name, since, rules: rules() };
    let done = perform(&mut repo.open(), &undo);
    assert!(matches!(&done, GitResult::Restored { paths } if paths.len() == 1), "{done:?}");
    assert_eq!(repo.read("src/lib.rs"), "pub fn one() -> u32 { 1 }\n");
}

#[test]
fn what_lies_aside_is_listed_brought_back_and_deleted() {
    let repo = Repo::new();
    rolled_back(&repo);
    let aside = aside_of(&repo);
    let all = aside.list().unwrap();
    assert_eq!(all, aside.of(&attempt_ref("M1", 1)).unwrap());
    let told: Vec<(&str, &str, bool)> =
        all.iter().map(|one| (&*one.of, &*one.path, one.is_whole_path && one.bytes > 0)).collect();
    let name = "refs/hast/attempts/M1/1";
    assert_eq!(told, [(name, "big dir/big", true), (name, "src/lib.rs", true)]);
    // Nothing is written over, and nothing goes outside of the tree.
    let back = |at: &Path, path: &str| aside.bring_back(at, path).unwrap();
    assert_eq!(back(&all[1].at, "src/lib.rs"), BroughtBack::InTheWay);
    assert_eq!(back(&all[1].at, "src/lib.rs/below"), BroughtBack::InTheWay);
    assert_eq!(back(&all[1].at, "../out"), BroughtBack::InTheWay);
    assert_eq!(back(&all[1].at, ".git/hooks/pre-commit"), BroughtBack::InTheWay);
    assert_eq!(back(&repo.path("src/main.rs"), "elsewhere"), BroughtBack::InTheWay);
    std::os::unix::fs::symlink(repo.dir.path(), repo.path("link")).unwrap();
    assert_eq!(back(&all[1].at, "link/out"), BroughtBack::InTheWay);
    assert_eq!(back(&all[0].at, "big dir/big"), BroughtBack::Back);
    assert_eq!(std::fs::read(repo.path("big dir/big")).unwrap(), vec![7; 3000]);
    assert_eq!(back(&all[0].at, "big dir/big"), BroughtBack::Gone);
    aside.delete(&all[1]).unwrap();
    assert_eq!(aside.list().unwrap(), []);
    assert_eq!(repo.git(&["status", "--porcelain", "src"]), "");
}

#[test]
fn what_is_too_large_outlives_the_work_tree_that_it_was_found_in() {
    let repo = Repo::new();
    let big = add(&repo, "M1").join("src/big");
    // A hole: large, and on no disk.
    std::fs::File::create(&big).unwrap().set_len((64 << 20) + 1).unwrap();
    let mut trees = trees(&repo);
    let saved = trees.rescue(&plan(&repo, "M1", &[])).unwrap().unwrap();
    assert_eq!(saved.overflow, ["src/big"]);
    assert!(!big.exists());
    let lying = aside_of(&repo).of(&saved.name).unwrap();
    let found: Vec<(&str, PathBuf)> =
        lying.iter().map(|one| (&*one.path, one.at.clone())).collect();
    let [("src/big", at)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(std::fs::metadata(at).unwrap().len(), (64 << 20) + 1);
    trees.remove(&TreeName::of("M1"), &Spent::Unused).unwrap();
    assert!(at.exists());
}
