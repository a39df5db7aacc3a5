//! Files, links and directories that are in no tree and stand where new files are to come. Ignored
//! ones are the user's all the same, and git would write over them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::diff::Difference;
use super::place::{At, Place};

/// How many files a result names.
pub(super) const NAMED: usize = 50;

/// What was found on the way of some differences.
#[derive(Debug, Default)]
pub(super) struct Way<'d> {
    /// Paths of new files at which there is a file or a link, perhaps what is to come.
    pub(super) there: BTreeSet<&'d [u8]>,
    /// What can be nothing but somebody else's.
    pub(super) blocked: Vec<Vec<u8>>,
}

impl Place {
    /// Looks at where differences bring something that was not there before. What they take away
    /// themselves is in nobody's way.
    pub(super) fn way_for<'d>(&self, differences: &'d [Difference]) -> Way<'d> {
        let known = differences.iter().filter(|found| found.old.is_some());
        let known: BTreeSet<&[u8]> = known.map(|found| found.path.as_slice()).collect();
        let mut way = Way::default();
        for found in differences.iter().filter(|found| found.old.is_none()) {
            if let Some(above) = self.file_above(&found.path) {
                if !known.contains(above) {
                    way.blocked.push(above.to_vec());
                }
                continue;
            }
            match self.look_at(&found.path) {
                At::Nothing => {}
                At::File { .. } | At::Link => {
                    way.there.insert(&found.path);
                }
                At::Directory if self.holds_only(&found.path, &known) => {}
                At::Directory | At::Other => way.blocked.push(found.path.clone()),
            }
        }
        way
    }

    /// The first part of a path that is no directory and would have to be one.
    pub(super) fn file_above<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let mut above = ends.map(|(at, _)| &path[..at]);
        above.find(|above| !matches!(self.look_at(above), At::Nothing | At::Directory))
    }

    /// Whether a directory has no files but these.
    fn holds_only(&self, directory: &[u8], known: &BTreeSet<&[u8]>) -> bool {
        let mut open = vec![directory.to_vec()];
        while let Some(directory) = open.pop() {
            let Ok(entries) = fs::read_dir(self.at(&directory)) else { return false };
            for entry in entries {
                let Ok(entry) = entry else { return false };
                let path = [&directory[..], b"/", OsStr::as_bytes(&entry.file_name())].concat();
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => open.push(path),
                    Ok(_) if known.contains(&path[..]) => {}
                    Ok(_) | Err(_) => return false,
                }
            }
        }
        true
    }
}

/// Paths for a message, each once.
pub(super) fn named(mut paths: Vec<Vec<u8>>) -> Vec<String> {
    paths.sort();
    paths.dedup();
    paths.iter().take(NAMED).map(|path| super::paths::shown(path)).collect()
}
