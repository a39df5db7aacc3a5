//! Links that an agent or its tests put in the place of directories of a room: hast removes, makes, moves and reads
//! nothing behind one.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;

use hast_flow::attempt::workspace::{GitResult, GitStep, perform};

use crate::fixture::{Repo, Steps, attempt, commit_plan, rules, save_plan};

/// A directory of the user's outside of every room, and its files with their modes.
struct Outside {
    top: PathBuf,
}

impl Outside {
    fn of(repo: &Repo) -> Self {
        let top = repo.dir.path().join("outside");
        fs::create_dir_all(top.join("sub/closed")).unwrap();
        Self { top }
    }

    #[expect(clippy::disallowed_methods, reason = "the test plays the user")]
    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn seen(&self) -> BTreeMap<PathBuf, (u32, i64, Vec<u8>)> {
        let (mut open, mut seen) = (vec![self.top.clone()], BTreeMap::new());
        while let Some(path) = open.pop() {
            let there = fs::symlink_metadata(&path).unwrap();
            let bytes = match there.is_dir() {
                true => Vec::new(),
                false => fs::read(&path).unwrap_or_default(),
            };
            for entry in fs::read_dir(&path).into_iter().flatten() {
                open.push(entry.unwrap().path());
            }
            seen.insert(path, (there.mode(), there.mtime(), bytes));
        }
        seen
    }
}

/// A project with a submodule at `libs/sub` whose files are there.
pub(crate) fn with_submodule() -> Repo {
    let repo = Repo::new();
    let other = repo.dir.path().join("other");
    fs::create_dir(&other).unwrap();
    repo.git_in(&other, &["init", "-q"]);
    repo.git_in(&other, &["commit", "-q", "--allow-empty", "-m", "one"]);
    repo.git(&["submodule", "--quiet", "add", &other.display().to_string(), "libs/sub"]);
    repo.commit_all("submodule");
    repo
}

fn link(room: &Repo, path: &str, to: &std::path::Path) {
    let path = room.path(path);
    match fs::symlink_metadata(&path) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(&path).unwrap(),
        Ok(_) => fs::remove_file(&path).unwrap(),
        Err(_) => {}
    }
    symlink(to, path).unwrap();
}

#[test]
fn a_repository_behind_a_link_in_the_place_of_a_submodules_directory_keeps_its_git() {
    let repo = with_submodule();
    let outside = Outside::of(&repo);
    outside.put("sub/.git/HEAD", "ref: refs/heads/main\n");
    outside.put("sub/mine", "mine");
    let before = outside.seen();
    attempt(&repo, |room| link(room, "libs", &outside.top));
    assert_eq!(outside.seen(), before);
}

#[test]
fn rights_behind_a_link_in_the_place_of_git_stay_as_they_are() {
    let repo = Repo::new();
    let outside = Outside::of(&repo);
    let closed = outside.top.join("sub/closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).unwrap();
    let before = outside.seen();
    let found = attempt(&repo, |room| link(room, ".git", &outside.top));
    assert_eq!(outside.seen(), before);
    assert_eq!(found.squashed, None, "the agent made no commit");
}

#[test]
fn a_large_file_is_not_moved_aside_from_behind_a_link_of_the_tests() {
    let repo = Repo::new();
    let outside = Outside::of(&repo);
    outside.put("big", vec![1; 3000]);
    let before = outside.seen();
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    room.write("d/big", vec![7; 2000]);
    steps.see(&base);
    link(&room, "d", &outside.top);
    let mut plan = save_plan(Some(&base));
    plan.max_file_bytes = 1000;
    let GitResult::Saved(saved) = perform(&mut steps, &GitStep::Save(plan)) else { panic!() };
    assert_eq!(saved.work().overflow, ["d/big"]);
    steps.back(&base, &saved);
    assert_eq!(outside.seen(), before);
}

#[test]
fn handoffs_behind_a_link_are_none_of_the_agents() {
    let repo = Repo::new();
    let outside = Outside::of(&repo);
    outside.put("handoffs/2026-02-09_1430.md", "of another project");
    let found = attempt(&repo, |room| {
        fs::create_dir_all(room.path(".ai")).unwrap();
        link(room, ".ai/handoffs", &outside.top.join("handoffs"));
    });
    assert_eq!(found.handoffs, []);
}

#[test]
fn hooks_get_a_git_directory_of_hasts_where_the_tests_left_a_link() {
    let repo = Repo::new();
    repo.write("../hooks/pre-commit", "#!/bin/sh\ngit rev-parse --git-dir > ../seen\nexit 0\n");
    repo.mode("../hooks/pre-commit", 0o755);
    repo.git(&["config", "core.hooksPath", &repo.dir.path().join("hooks").display().to_string()]);
    let outside = Outside::of(&repo);
    let before = outside.seen();
    let (room, mut steps) = repo.enter("M1");
    let base = steps.start(&rules());
    room.write("new", "1");
    let found = steps.see(&base);
    link(&room, ".git", &outside.top);
    let (plan, base) = (commit_plan(&found), base.clone());
    let asked = perform(&mut steps, &GitStep::RunHooks { plan, base });
    assert!(matches!(asked, GitResult::Hooks(_)), "{asked:?}");
    assert!(fs::symlink_metadata(room.path(".git")).unwrap().is_dir());
    assert_eq!(outside.seen(), before);
}
