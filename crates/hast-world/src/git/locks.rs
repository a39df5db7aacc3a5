//! Locks that a killed git leaves. One is taken away only if it is not older than the attempt and
//! nobody who could hold it lives; a lock of the user stays.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use hast_flow::time::UtcTime;

use super::place::Place;
use crate::files::read_bounded;

/// How long a lock is taken for that of a command that is about to end.
const PATIENCE: Duration = Duration::from_millis(500);
/// Longest that a file with a path in it may be.
const LONGEST_PATH: usize = 8 << 10;
/// Most entries of a directory of refs that are looked at.
const MOST_ENTRIES: usize = 20_000;
/// Files of a git directory that git replaces under a lock.
pub(super) const LOCKED: [&str; 4] = ["index", "HEAD", "packed-refs", "config"];

impl Place {
    /// Removes what a process that died since then has left, and names it.
    pub(super) fn remove_left_locks(&self, since: UtcTime) -> Vec<String> {
        self.remove_unheld(self.locks(since))
    }

    /// Removes those of these locks that nobody can hold, and names them.
    pub(super) fn remove_unheld(&self, mut left: Vec<PathBuf>) -> Vec<String> {
        left.retain(|lock| lock.symlink_metadata().is_ok_and(|there| there.is_file()));
        let end = Instant::now() + PATIENCE;
        while !left.is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
            left.retain(|lock| lock.symlink_metadata().is_ok());
        }
        if left.is_empty() || self.somebody_is_at_work(&left) {
            return Vec::new();
        }
        left.retain(|lock| fs::remove_file(lock).is_ok());
        let shown =
            |lock: &PathBuf| lock.strip_prefix(&self.top).unwrap_or(lock).display().to_string();
        left.iter().map(shown).collect()
    }

    /// Locks that are there and not older than a time.
    pub(super) fn locks(&self, since: UtcTime) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for directory in [&self.git_dir, &self.common_dir] {
            found.extend(LOCKED.map(|name| directory.join(format!("{name}.lock"))));
        }
        for directory in [self.common_dir.join("refs"), self.git_dir.join("refs")] {
            found.extend(locks_below(&directory));
        }
        found.sort();
        found.dedup();
        found.retain(|lock| is_since(lock, since));
        found
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

/// The locks in a directory of refs.
pub(super) fn locks_below(directory: &Path) -> Vec<PathBuf> {
    let (mut open, mut found, mut looked) = (vec![directory.to_owned()], Vec::new(), 0);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            looked += 1;
            if looked > MOST_ENTRIES {
                return found;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            } else if entry.file_name().as_encoded_bytes().ends_with(b".lock") {
                found.push(entry.path());
            }
        }
    }
    found
}

/// Directories where git wants to make a lock: no git has made them, and none can go on.
pub(super) fn directories_like_locks(refs: &Path) -> Vec<PathBuf> {
    let (mut open, mut found, mut looked) = (vec![refs.to_owned()], Vec::new(), 0);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            looked += 1;
            if looked > MOST_ENTRIES {
                return found;
            }
            let lock = entry.file_name().as_encoded_bytes().ends_with(b".lock");
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true if lock => found.push(entry.path()),
                true => open.push(entry.path()),
                false => {}
            }
        }
    }
    found
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

/// Whether a plain file was made at or after a time.
fn is_since(lock: &Path, since: UtcTime) -> bool {
    let Ok(there) = lock.symlink_metadata() else { return false };
    let since = u64::try_from(since.instant().as_second()).unwrap_or(0);
    let since = SystemTime::UNIX_EPOCH + Duration::from_secs(since);
    there.is_file() && there.modified().is_ok_and(|modified| modified >= since)
}

fn holds(process: &Path, locks: &[PathBuf]) -> bool {
    let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    files.filter_map(|file| fs::read_link(file.path()).ok()).any(|file| locks.contains(&file))
}
