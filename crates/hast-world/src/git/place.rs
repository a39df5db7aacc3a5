//! Where a work tree and its repository are, what a path in it is, and which operations of git are under
//! way there.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::git_problem::GitProblem;

use super::index::disk;
use super::owner::belongs_to_user;
use crate::derived_files::{NotPut, stays_inside};
use crate::files::read_bounded;

/// The work tree's top, its own git directory, and the one that it shares with other work trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub top: PathBuf,
    pub git_dir: PathBuf,
    pub common_dir: PathBuf,
}

/// Longest that a file with a path in it may be.
const LONGEST_PATH: usize = 8 << 10;

impl Place {
    /// Looks at the `.git` of a top directory, which may be a file in a linked work tree. Refuses what git
    /// itself would not work in, before anything of it is read or run.
    pub fn find(top: &Path) -> Result<Self, GitProblem> {
        let place = Self::locate(top)?;
        belongs_to_user(&place)?;
        Ok(place)
    }

    /// The same, whoever it belongs to.
    pub(super) fn locate(top: &Path) -> Result<Self, GitProblem> {
        let none = || GitProblem::NotARepository { path: top.display().to_string() };
        let top = top.canonicalize().map_err(|_| none())?;
        let dot = top.join(".git");
        let none = || closed(&dot).or_else(|| closed(&top)).unwrap_or_else(none);
        let git_dir = if dot.is_dir() {
            dot.clone()
        } else {
            let text = read_bounded(&dot, LONGEST_PATH).map_err(|_| none())?;
            let path = text.strip_prefix(b"gitdir: ").ok_or_else(none)?;
            top.join(as_path(path))
        };
        let git_dir = git_dir.canonicalize().map_err(|_| none())?;
        let common_dir = match read_bounded(&git_dir.join("commondir"), LONGEST_PATH) {
            Ok(text) => git_dir.join(as_path(&text)).canonicalize().map_err(|_| none())?,
            Err(_) => git_dir.clone(),
        };
        if common_dir.join("objects").is_dir() {
            Ok(Self { top, git_dir, common_dir })
        } else {
            Err(none())
        }
    }

    fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// A path that git names, on the disk.
    pub(super) fn at(&self, path: &[u8]) -> PathBuf {
        self.top.join(OsStr::from_bytes(path))
    }

    pub(super) fn look_at(&self, path: &[u8]) -> At {
        // Something below a link is somewhere else.
        for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            match fs::symlink_metadata(self.at(&path[..at])) {
                Ok(above) if above.is_dir() => {}
                _ => return At::Nothing,
            }
        }
        match fs::symlink_metadata(self.at(path)) {
            Err(_) => At::Nothing,
            Ok(there) if there.is_file() => At::File { size: there.len() },
            Ok(there) if there.is_symlink() => At::Link,
            Ok(there) if there.is_dir() => At::Directory,
            Ok(_) => At::Other,
        }
    }

    /// The first operation that is under way in the work tree, as git calls it.
    pub(super) fn in_progress(&self) -> Option<&'static str> {
        // A link is a sign too, wherever it leads: git takes one for a ref.
        let there = |file: &str| self.git_dir.join(file).symlink_metadata().is_ok();
        UNDER_WAY.iter().find(|(_, file)| there(file)).map(|(what, _)| *what)
    }

    /// Those of some files that lie in the work tree, under every name that leads to them.
    pub(super) fn in_tree(&self, files: &[PathBuf]) -> Vec<Vec<u8>> {
        let mut found = BTreeSet::new();
        for file in files {
            let above = file.parent().and_then(|above| above.canonicalize().ok());
            let beside = above.zip(file.file_name()).map(|(above, name)| above.join(name));
            let names = [Some(file.clone()), file.canonicalize().ok(), beside];
            for name in names.into_iter().flatten() {
                let Ok(inside) = name.strip_prefix(&self.top) else { continue };
                // In a linked work tree that is a file.
                let has_none = inside.starts_with(".git") && self.is_linked();
                if !has_none && !inside.as_os_str().is_empty() {
                    found.insert(inside.as_os_str().as_bytes().to_vec());
                }
            }
        }
        found.into_iter().collect()
    }
}

/// What a path is, without following links anywhere below the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Nothing,
    File {
        size: u64,
    },
    Link,
    Directory,
    /// A pipe, a device: nothing that git keeps.
    Other,
}

/// Operations of git, with the file of a git directory that tells of each.
const UNDER_WAY: [(&str, &str); 7] = [
    ("merge", "MERGE_HEAD"),
    ("rebase", "rebase-merge"),
    ("rebase", "rebase-apply"),
    ("cherry-pick", "CHERRY_PICK_HEAD"),
    ("revert", "REVERT_HEAD"),
    ("cherry-pick", "sequencer"),
    ("bisect", "BISECT_LOG"),
];

/// What is in there is taken for trees of ours and moved away: a repository must not name other places.
pub(super) fn is_a_place_of_ours(top: &Path, directory: &Path) -> Result<(), GitProblem> {
    // With a slash at its end a link would be what it leads to.
    let directory: &Path = &directory.components().collect::<PathBuf>();
    let linked = |path: &Path| GitProblem::Linked { path: path.display().to_string() };
    if directory.symlink_metadata().is_ok_and(|there| there.is_symlink()) {
        return Err(linked(directory));
    }
    match stays_inside(top, directory) {
        Ok(()) => Ok(()),
        Err(NotPut::Link { path } | NotPut::NotOurs { path }) => Err(linked(&path)),
        Err(NotPut::Failed(error)) => Err(disk(&error.path, error.source)),
    }
}

/// What cannot be entered may well be a repository: nobody is to make another one there.
fn closed(directory: &Path) -> Option<GitProblem> {
    let error = fs::read_dir(directory).err()?;
    let is_closed = error.kind() == std::io::ErrorKind::PermissionDenied;
    is_closed.then(|| disk(directory, error))
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes.trim_ascii_end()))
}
