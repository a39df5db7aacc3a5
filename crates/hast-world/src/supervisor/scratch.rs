//! A directory for one run alone: the program's `TMPDIR`, and what the guard notes beside it. Whoever made it
//! holds a lock in it as long as it lives, so that a later process can tell what a killed one has left.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

use crate::files::{PathError, open_directories};

/// Names that are taken belong to a process of this number that was killed; there are few.
const TRIES: u32 = 1000;

/// The file that its maker has locked.
pub(crate) const LOCK: &str = "lock";

/// How the directories of reports begin that hast asks test runners for.
pub(crate) const REPORT: &str = "hast-report-";

static NEXT: AtomicU64 = AtomicU64::new(0);
static SWEPT: Once = Once::new();

#[derive(Clone, Debug)]
pub(super) struct Scratch {
    path: PathBuf,
    _lock: Option<Arc<File>>,
}

impl Scratch {
    /// Makes a fresh one that only this user can enter.
    pub(super) fn make(below: &Path) -> Result<Self, PathError> {
        SWEPT.call_once(|| sweep(below));
        let mut last = io::ErrorKind::AlreadyExists.into();
        for _ in 0..TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = below.join(format!("hast-{}-{number}", std::process::id()));
            match made(&path) {
                Ok(lock) => return Ok(Self { path, _lock: Some(Arc::new(lock)) }),
                Err(error) if is_taken(&error) => last = error,
                Err(source) => return Err(PathError { path, source }),
            }
        }
        Err(PathError { path: below.to_owned(), source: last })
    }

    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, _lock: None }
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

    /// Removes it with all that the program left there. What cannot be removed stays. The lock goes last: by
    /// it a later process knows what one that is killed here has left.
    pub(super) fn remove(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let (path, is_lock) = (entry.path(), entry.file_name() == LOCK);
            if !is_lock && fs::remove_dir_all(&path).is_err() {
                // A program may have closed directories, and an overlay closes its own.
                open_directories(&path);
                let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
            }
        }
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The directory with its lock, and the program's directory in it.
fn made(path: &Path) -> io::Result<File> {
    DirBuilder::new().mode(0o700).create(path)?;
    let lock = File::create(path.join(LOCK))?;
    lock.try_lock().map_err(io::Error::from)?;
    DirBuilder::new().mode(0o700).create(path.join("tmp"))?;
    Ok(lock)
}

/// Somebody has the name, or a sweep was faster than the lock.
fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, NotFound, WouldBlock};
    matches!(error.kind(), AlreadyExists | WouldBlock)
        || (error.kind() == NotFound && NEXT.load(Ordering::Relaxed) > 0)
}

/// Removes what killed processes of this user have left. One whose maker lives has its lock; one without a
/// lock is of an earlier version, or just being made, and stays.
fn sweep(below: &Path) {
    let own = rustix::process::geteuid().as_raw();
    let is_ours = |name: &str| {
        let parts = name.strip_prefix("hast-").and_then(|rest| rest.split_once('-'));
        let number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        name.starts_with(REPORT) || parts.is_some_and(|(pid, count)| number(pid) && number(count))
    };
    for entry in fs::read_dir(below).into_iter().flatten().flatten() {
        let path = entry.path();
        let named = entry.file_name().to_str().is_some_and(is_ours);
        let there = fs::symlink_metadata(&path)
            .is_ok_and(|there| there.is_dir() && there.uid() == own && there.mode() & 0o077 == 0);
        if !named || !there {
            continue;
        }
        let lock = File::options().read(true).write(true).open(path.join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            Scratch::at(path).remove();
        }
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
        assert_ne!(one.path(), two.path());
        assert_eq!(one.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        File::create(one.tmp().join("left")).unwrap();
        one.remove();
        assert!(!one.path().exists() && two.tmp().is_dir());
        assert!(Scratch::make(&root.path().join("none")).is_err());
    }

    #[test]
    fn what_a_dead_process_left_goes_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let alive = Scratch::make(root.path()).unwrap();
        let dead = Scratch::make(root.path()).unwrap().path().to_owned();
        let others =
            ["hast-1-x", "hast-mine", "hast-7-7", "notes"].map(|name| root.path().join(name));
        for other in &others {
            DirBuilder::new().mode(0o700).create(other).unwrap();
        }
        sweep(root.path());
        assert!(alive.tmp().is_dir() && others.iter().all(|other| other.is_dir()));
        assert!(!dead.exists());
    }
}
