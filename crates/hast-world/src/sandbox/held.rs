//! A path with all that is mounted there, taken hold of before something else covers it.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::CWD;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree};

use super::mounts::named_error;

pub(super) struct Held {
    at: PathBuf,
    tree: OwnedFd,
    is_directory: bool,
}

impl Held {
    pub(super) fn take(path: &Path) -> io::Result<Self> {
        Self::take_for(path, path.to_owned())
    }

    /// The same for another place.
    pub(super) fn take_for(from: &Path, at: PathBuf) -> io::Result<Self> {
        let clone = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        let is_directory = fs::metadata(from).map_err(|error| named_error(from, &error))?.is_dir();
        let tree = open_tree(CWD, from, clone).map_err(|error| named_error(from, &error.into()))?;
        Ok(Self { at, tree, is_directory })
    }

    /// Mounts it at its place, for which there is a directory or a file afterwards.
    pub(super) fn put(&self) -> io::Result<()> {
        self.try_put().map_err(|error| named_error(&self.at, &error))
    }

    fn try_put(&self) -> io::Result<()> {
        if self.is_directory {
            fs::create_dir_all(&self.at)?;
        } else if !self.at.exists() {
            fs::create_dir_all(self.at.parent().unwrap_or(&self.at))?;
            File::create(&self.at)?;
        }
        let as_it_is = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        Ok(move_mount(&self.tree, "", CWD, &self.at, as_it_is)?)
    }
}
