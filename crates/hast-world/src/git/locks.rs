//! Locks of a git that was killed while hast waited for it. One is taken away only if no process lives
//! that could hold it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::place::Place;
use crate::files::read_bounded;

/// How long a lock is taken for that of a command that is about to end.
const PATIENCE: Duration = Duration::from_millis(500);
/// Longest that a file with a path in it may be.
const LONGEST_PATH: usize = 8 << 10;

impl Place {
    /// Removes those of these locks that no process can hold.
    pub(super) fn remove_unheld(&self, mut left: Vec<PathBuf>) {
        left.retain(|lock| lock.symlink_metadata().is_ok_and(|there| there.is_file()));
        let end = Instant::now() + PATIENCE;
        while !left.is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
            left.retain(|lock| lock.symlink_metadata().is_ok());
        }
        if left.is_empty() || self.somebody_is_at_work(&left) {
            return;
        }
        for lock in left {
            let _ = fs::remove_file(lock);
        }
    }

    /// Whether a process lives that could hold one of these: one that has it open, or a git that
    /// works in any work tree of the repository. Where nobody can tell, somebody is.
    fn somebody_is_at_work(&self, locks: &[PathBuf]) -> bool {
        let Ok(processes) = fs::read_dir("/proc") else { return true };
        let places = self.work_trees();
        processes.flatten().any(|process| {
            let is_pid = process.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit);
            is_pid && (is_git_in(&process.path(), &places) || holds(&process.path(), locks))
        })
    }

    /// The work trees that share the repository, and the repository itself.
    fn work_trees(&self) -> Vec<PathBuf> {
        let mut places = vec![self.top.clone(), self.common_dir.clone()];
        places.extend(self.common_dir.parent().map(Path::to_owned));
        let linked = fs::read_dir(self.common_dir.join("worktrees")).into_iter().flatten();
        for entry in linked.flatten() {
            let dot = read_bounded(&entry.path().join("gitdir"), LONGEST_PATH).unwrap_or_default();
            let dot = Path::new(OsStr::from_bytes(dot.trim_ascii_end()));
            places.extend(dot.parent().and_then(|top| top.canonicalize().ok()));
        }
        places
    }
}

fn is_git_in(process: &Path, places: &[PathBuf]) -> bool {
    let name = fs::read(process.join("comm")).unwrap_or_default();
    if !name.starts_with(b"git") {
        return false;
    }
    match fs::read_link(process.join("cwd")) {
        Ok(at) => places.iter().any(|place| at.starts_with(place)),
        // It is gone, or another user's: theirs may be anywhere.
        Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
    }
}

fn holds(process: &Path, locks: &[PathBuf]) -> bool {
    let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    files.filter_map(|file| fs::read_link(file.path()).ok()).any(|file| locks.contains(&file))
}
