//! What was put aside is the only copy of it: whoever takes it away while an attempt is under way is
//! told of. It cannot be given back.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::aside;
use super::place::Place;

/// No call takes a path that is longer.
const LONGEST_PATH: usize = 4_096;
/// More than this is not listed.
const MOST: usize = 10_000;

/// What lies aside, by its path in the repository, and how it looked.
pub(super) type Lying = BTreeMap<String, String>;

impl Place {
    /// All that lies aside, what lies flat before what lies deep.
    pub(super) fn lying_aside(&self) -> Lying {
        let mut lying = Lying::new();
        let mut level = vec![aside::directory(self)];
        while !level.is_empty() {
            let mut below = Vec::new();
            for directory in level {
                for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                    let Ok(there) = entry.metadata() else { continue };
                    if lying.len() == MOST {
                        return lying;
                    }
                    if there.is_dir() {
                        below.push(entry.path());
                    }
                    // A name that is no text, or too long, could not be found again by it.
                    if let Some(name) = self.named(&entry.path()) {
                        lying.insert(name, looks(&there));
                    }
                }
            }
            level = below;
        }
        lying
    }

    /// What of it is gone or is not what it was. Of a directory that is gone nothing else is named.
    pub(super) fn lost_aside(&self, before: &Lying) -> Vec<String> {
        let mut lost: Vec<String> = Vec::new();
        for (path, was) in before {
            let is_below = |above: &String| path.starts_with(&format!("{above}/"));
            let now = fs::symlink_metadata(self.unnamed(path));
            let there = now.is_ok_and(|now| looks(&now) == *was);
            if !there && !lost.iter().any(is_below) {
                lost.push(path.clone());
            }
        }
        lost
    }

    fn named(&self, path: &Path) -> Option<String> {
        let name = path.strip_prefix(&self.common_dir).ok()?.to_str()?;
        (path.as_os_str().len() < LONGEST_PATH).then(|| name.to_owned())
    }

    fn unnamed(&self, path: &str) -> PathBuf {
        self.common_dir.join(path)
    }
}

/// A directory gets new entries; everything else stays as it is.
fn looks(there: &Metadata) -> String {
    if there.is_dir() {
        return format!("{}", there.ino());
    }
    format!("{} {} {}.{}", there.ino(), there.size(), there.mtime(), there.mtime_nsec())
}
