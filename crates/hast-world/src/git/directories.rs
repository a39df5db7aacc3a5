//! Directories as a whole: listed, measured, and deleted whatever modes their parts have.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hast_flow::attempt::git_problem::GitProblem;

use super::index::disk;

/// How long somebody who still writes is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn directories(path: &Path) -> Result<Vec<PathBuf>, GitProblem> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(disk(path, error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| disk(path, error))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Removes a directory whatever modes its parts have. Links are removed, not followed. A git whose
/// hast was killed may still be writing there: it is waited for.
pub(super) fn remove_all(path: &Path) -> Result<(), GitProblem> {
    let end = Instant::now() + PATIENCE;
    loop {
        match fs::remove_dir_all(path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound && !path.exists() => return Ok(()),
            Err(error) if Instant::now() > end => return Err(disk(path, error)),
            Err(_) => open_up(path),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Directories that their owner may not write to, made writable.
fn open_up(path: &Path) {
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        let _ = fs::set_permissions(&directory, fs::Permissions::from_mode(0o700));
        open.extend(directories(&directory).unwrap_or_default());
    }
}

/// What a directory takes on the disk, each file once.
pub(super) fn disk_use(path: &Path) -> u64 {
    let mut open = vec![path.to_owned()];
    let mut bytes = 0;
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let Ok(there) = entry.metadata() else { continue };
            bytes += there.blocks() * 512 / there.nlink().max(1);
            if there.is_dir() {
                open.push(entry.path());
            }
        }
    }
    bytes
}
