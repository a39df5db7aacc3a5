//! Submodules of the base in a room: those that have files in the user's checkout are seen there or copied,
//! and a change of a tracked file in one is told. Git is asked in the user's own submodules alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use rustix::fs::lgetxattr;

use super::super::copies::copy_one;
use super::super::paths::shown;
use super::super::place::Place;
use super::super::run::{Git, GitEnvironment};
use super::shade::OPAQUE;
use super::{RealRooms, Room};
use crate::root_path::RootPath;

/// More files of one submodule are not looked at one by one.
const MOST_FILES: usize = 500_000;

impl RealRooms {
    /// Submodules of a room's base that have files in the user's checkout, and that no setup is to fill.
    pub(super) fn filled_submodules(&self, room: &Room) -> Result<Vec<Vec<u8>>, GitProblem> {
        if room.rules().fills_submodules {
            return Ok(Vec::new());
        }
        let mut all = self.submodules(room)?;
        all.retain(|path| is_filled(&self.git.place.at(path)));
        Ok(all)
    }

    /// What a room has in submodules goes: the next unit begins with the user's.
    pub(super) fn empty_submodules(&self, room: &Room) -> Result<(), GitProblem> {
        let tree = room.files()?;
        for path in self.submodules(room)? {
            let at = tree.named(&path);
            at.make_way()?;
            at.make_private()?;
        }
        Ok(())
    }

    /// Copies the tracked files of filled submodules into a room of its own path; counts them.
    pub fn copy_submodules(&self, room: &Room) -> Result<u64, GitProblem> {
        let mut copied = 0;
        if room.record.kind == RoomKind::SamePath {
            return Ok(copied);
        }
        let (users, tree) = (RootPath::new(&self.git.place.top)?, room.files()?);
        for submodule in self.filled_submodules(room)? {
            let (users, tree) = (users.named(&submodule), tree.named(&submodule));
            for file in self.tracked_in(&submodule).unwrap_or_default() {
                let from = users.named(&file);
                if from.there().is_some_and(|there| !there.is_dir()) {
                    copy_one(&from, &tree.named(&file))?;
                    copied += 1;
                }
            }
        }
        Ok(copied)
    }

    /// At the checkout's path the user's submodule is seen, but not its git directory: the room has none that it
    /// could belong to.
    pub(super) fn hide_submodule_gits(&self, room: &Room) -> Result<(), GitProblem> {
        let tree = room.files()?;
        for path in self.filled_submodules(room)? {
            let git = tree.named(&path).join(".git");
            let is_free = git.is_reached() && git.there().is_none();
            if is_free {
                git.mark_absent()?;
            }
        }
        Ok(())
    }

    /// Tracked files of a submodule of the user's, and of those below it; none where git does not say.
    pub(super) fn tracked_in(&self, submodule: &[u8]) -> Option<BTreeSet<Vec<u8>>> {
        let git = git_in(&self.git.place.at(submodule), &self.git.environment)?;
        let list = git.call(["ls-files", "-z", "--recurse-submodules"]).users_index().run().ok()?;
        let files = list.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Some(files.take(MOST_FILES).map(<[u8]>::to_vec).collect())
    }

    /// Whether an agent changed a tracked file of a submodule that is seen at the checkout's path. `absent` are
    /// files that it deleted.
    pub(super) fn is_changed_through(
        &self,
        tree: &RootPath,
        submodule: &[u8],
        absent: &[Vec<u8>],
    ) -> bool {
        let Some(tracked) = self.tracked_in(submodule) else { return false };
        let inside = [submodule, b"/"].concat();
        let deleted = |path: &[u8]| {
            absent.iter().any(|gone| {
                *gone == path || path.strip_prefix(&gone[..]).is_some_and(|rest| rest[0] == b'/')
            })
        };
        tracked.iter().any(|file| {
            let path = [&inside[..], file].concat();
            let (mine, users) = (tree.named(&path), self.git.place.at(&path));
            match mine.there() {
                Some(there) if there.is_dir() => !users.is_dir(),
                Some(_) => !super::begun_files::same_content(&mine, &users),
                None => {
                    fs::symlink_metadata(&users).is_ok()
                        && (deleted(&path) || is_covered(tree, submodule.len(), &path))
                }
            }
        })
    }
}

/// Submodules whose checkout is not at the commit that HEAD of the project names, as people read them.
pub fn moved_submodules(top: &Path) -> Vec<String> {
    let found = || -> Option<Vec<String>> {
        let environment = GitEnvironment::of_this_process().ok()?;
        let git = git_in(top, &environment)?;
        let list = git.call(["ls-tree", "-r", "-z", "HEAD"]).run().ok()?;
        let moved = list.split(|byte| *byte == 0).filter_map(|entry| {
            let (about, path) = entry.split_at(entry.iter().position(|byte| *byte == b'\t')?);
            let commit = about.strip_prefix(b"160000 commit ")?;
            let at = git.place.at(&path[1..]);
            let is = git_in(&at, &environment).filter(|_| is_filled(&at))?.resolve("HEAD").ok()?;
            let same = is.is_some_and(|is| is.as_str().as_bytes() == commit);
            (!same).then(|| shown(&path[1..]))
        });
        Some(moved.collect())
    };
    found().unwrap_or_default()
}

fn git_in(top: &Path, environment: &GitEnvironment) -> Option<Git> {
    // A directory without a git of its own is no submodule that was filled.
    fs::symlink_metadata(top.join(".git")).ok()?;
    Some(Git::open(Place::find(top).ok()?, environment.clone()).ok()?.0)
}

fn is_filled(submodule: &Path) -> bool {
    fs::symlink_metadata(submodule.join(".git")).is_ok()
}

/// Whether a directory above a path, from the submodule on, was made anew: nothing is seen through it.
fn is_covered(tree: &RootPath, submodule: usize, path: &[u8]) -> bool {
    let ends = path.iter().enumerate().filter(|(at, byte)| **byte == b'/' && *at >= submodule);
    let mut above = ends.map(|(at, _)| tree.named(&path[..at]));
    above.any(|directory| match directory.there() {
        Some(there) if there.is_dir() => {
            let mut value = [0; 4];
            lgetxattr(directory.as_path(), OPAQUE, &mut value[..]).is_ok_and(|length| length > 0)
        }
        // A file or link stands where the directory was.
        Some(_) => true,
        // So does one above it.
        None => directory.kind().is_err(),
    })
}
