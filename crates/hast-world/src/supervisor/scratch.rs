//! A directory for one run alone: the program's `TMPDIR`, and what the guard notes beside it.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::files::PathError;

/// Names that are taken belong to a process of this number that was killed; there are few.
const TRIES: u32 = 1000;

static NEXT: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes a fresh one that only this user can enter.
    pub(super) fn make(below: &Path) -> Result<Self, PathError> {
        let mut last = io::ErrorKind::AlreadyExists.into();
        for _ in 0..TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = below.join(format!("hast-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    let scratch = Self { path };
                    let tmp = scratch.tmp();
                    let made = DirBuilder::new().mode(0o700).create(&tmp);
                    made.map_err(|source| PathError { path: tmp, source })?;
                    return Ok(scratch);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(source) => return Err(PathError { path, source }),
            }
        }
        Err(PathError { path: below.to_owned(), source: last })
    }

    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What the program gets as `TMPDIR`.
    pub(super) fn tmp(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// What the launcher is to do, and then what it did.
    pub(super) fn launch(&self) -> PathBuf {
        self.path.join("launch.json")
    }

    pub(super) fn launched(&self) -> PathBuf {
        self.path.join("launched.json")
    }

    /// Removes it with all that the program left there. What cannot be removed stays.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn each_run_has_its_own_and_nobody_else_can_enter() {
        let root = tempfile::tempdir().unwrap();
        let one = Scratch::make(root.path()).unwrap();
        let two = Scratch::make(root.path()).unwrap();
        assert_ne!(one, two);
        assert_eq!(one.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        fs::File::create(one.tmp().join("left")).unwrap();
        one.remove();
        assert!(!one.path().exists() && two.tmp().is_dir());
        assert!(Scratch::make(&root.path().join("none")).is_err());
    }
}
