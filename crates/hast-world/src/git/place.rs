//! Where a work tree and its repository are. Found once, before any agent runs: a `.git` file that
//! an agent replaced is never followed.

use std::ffi::OsStr;
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
        // An agent makes no linked work tree of the one that it was called in.
        let own = git_dir == top.join(".git") && Self::has_note(&git_dir);
        let common_dir = match read_bounded(&git_dir.join("commondir"), LONGEST_PATH) {
            Ok(text) if !own => git_dir.join(as_path(&text)).canonicalize().map_err(|_| none())?,
            Ok(_) | Err(_) => git_dir.clone(),
        };
        if common_dir.join("objects").is_dir() {
            Ok(Self { top, git_dir, common_dir })
        } else {
            Err(none())
        }
    }

    pub(super) fn is_linked(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// A path that git names, on the disk.
    pub(super) fn at(&self, path: &[u8]) -> PathBuf {
        self.top.join(OsStr::from_bytes(path))
    }
}

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
    let error = std::fs::read_dir(directory).err()?;
    let is_closed = error.kind() == std::io::ErrorKind::PermissionDenied;
    is_closed.then(|| disk(directory, error))
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes.trim_ascii_end()))
}
