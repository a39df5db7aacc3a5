//! Links, pipes and the like within a git directory: git follows them when it writes, and so would hast,
//! to where no sandbox lets an agent write. What was there before an attempt is its owner's.

use std::fs;
use std::path::{Path, PathBuf};

use super::place::Place;
use super::snapshot::Home;

/// More entries than this are not looked at.
const MOST: usize = 20_000;
/// Directories of git's own that it writes into at any depth.
const LOGS: &str = "logs";
const REFS: &str = "refs";
/// Objects are in directories of it.
const OBJECTS: &str = "objects";

impl Place {
    /// What git never makes itself, by where it is.
    pub(super) fn not_plain(&self) -> Vec<(Home, String)> {
        let mut found: Vec<(Home, String)> = Vec::new();
        let homes = [(Home::Own, &self.git_dir), (Home::Common, &self.common_dir)];
        let homes = &homes[..if self.is_linked() { 2 } else { 1 }];
        for (home, directory) in homes {
            let mut odd = odd_in(directory);
            odd.extend(odd_in(&directory.join(OBJECTS)));
            odd.extend(odd_below(&directory.join(LOGS)));
            // A ref may be a link to another one.
            let refs = odd_below(&directory.join(REFS)).into_iter();
            odd.extend(refs.filter(|path| !path.is_symlink() || path.is_dir()));
            let name =
                |path: PathBuf| Some(path.strip_prefix(directory).ok()?.to_str()?.to_owned());
            found.extend(odd.into_iter().filter_map(name).map(|name| (*home, name)));
            let logs = directory.join(LOGS);
            if logs.symlink_metadata().is_ok_and(|there| there.is_file()) {
                found.push((*home, LOGS.to_owned()));
            }
        }
        found
    }
}

/// What is directly in a directory and is neither a file nor a directory. Where a link leads to is not
/// looked at.
fn odd_in(directory: &Path) -> Vec<PathBuf> {
    let entries = entries(directory).take(MOST);
    let is_odd = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| !kind.is_dir() && !kind.is_file())
    };
    entries.filter(is_odd).map(|entry| entry.path()).collect()
}

/// The same at any depth.
fn odd_below(directory: &Path) -> Vec<PathBuf> {
    let (mut open, mut found, mut looked) = (vec![directory.to_owned()], Vec::new(), 0);
    while let Some(directory) = open.pop() {
        for entry in entries(&directory) {
            looked += 1;
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if !kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
        if looked > MOST {
            break;
        }
    }
    found
}

fn entries(directory: &Path) -> impl Iterator<Item = fs::DirEntry> {
    let real = directory.symlink_metadata().is_ok_and(|there| there.is_dir());
    let listed = real.then(|| fs::read_dir(directory).ok()).flatten();
    listed.into_iter().flatten().flatten()
}
