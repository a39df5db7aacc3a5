//! One walk through a tree that an agent had: closed directories and files are opened to their
//! owner, and what git cannot store is found. Links are never followed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use hast_flow::attempt::git_problem::GitProblem;

use crate::files::allow;

/// Most entries of a tree that are looked at.
const MOST_ENTRIES: usize = 4_000_000;

/// Larger files are named and not read.
const HUGE: u64 = 1 << 30;

/// By these names git takes a directory for a repository without a work tree.
const OF_REPOSITORY: [&str; 3] = ["HEAD", "objects", "refs"];

/// Things that a walk found, as paths below its top with `/`.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files that are too large for git to read, be they mostly holes.
    pub(super) huge: Vec<Vec<u8>>,
    /// Pipes, sockets and devices.
    pub(super) special: Vec<Vec<u8>>,
    /// Directories that git takes for repositories.
    pub(super) repositories: Vec<Vec<u8>>,
    /// Files of the layer below that were deleted; their marks are taken away.
    pub(super) absent: Vec<Vec<u8>>,
    /// Links and where they lead.
    pub(super) links: Vec<(Vec<u8>, PathBuf)>,
}

/// Opens what is closed and tells what git cannot store.
pub(super) fn walk(top: &Path) -> Result<Found, GitProblem> {
    let mut found = Found::default();
    let mut open = vec![PathBuf::new()];
    let mut seen = 0;
    while let Some(directory) = open.pop() {
        let here = top.join(&directory);
        allow(&here, 0o700);
        let mut of_git = 0;
        for entry in fs::read_dir(&here).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_ENTRIES {
                return Err(GitProblem::TooMuch { what: top.display().to_string() });
            }
            let path = directory.join(entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            let bytes = path.as_os_str().as_bytes().to_vec();
            of_git += usize::from(OF_REPOSITORY.iter().any(|name| entry.file_name() == *name));
            if entry.file_name() == OsStr::new(".git") {
                found.repositories.push(directory.as_os_str().as_bytes().to_vec());
            } else if kind.is_dir() {
                open.push(path);
            } else if kind.is_symlink() {
                let leads = fs::read_link(entry.path()).unwrap_or_default();
                found.links.push((bytes, leads));
            } else if kind.is_file() {
                allow(&entry.path(), 0o400);
                if entry.metadata().is_ok_and(|there| there.len() > HUGE) {
                    found.huge.push(bytes);
                }
            } else if kind.is_char_device() && is_absence(&entry.path()) {
                // An overlay's sign that a file is not there.
                let _ = fs::remove_file(entry.path());
                found.absent.push(bytes);
            } else {
                found.special.push(bytes);
            }
        }
        if of_git == OF_REPOSITORY.len() && !directory.as_os_str().is_empty() {
            found.repositories.push(directory.as_os_str().as_bytes().to_vec());
        }
    }
    Ok(found)
}

fn is_absence(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|there| there.rdev() == 0)
}
