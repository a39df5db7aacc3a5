//! The logs in which git writes down where refs and HEAD went, line by line, oldest first.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How much of the end of a log of git is read.
const LONGEST: u64 = 4 << 20;

/// A line of a log of refs.
pub(super) struct Line<'l> {
    pub(super) old: &'l str,
    pub(super) new: &'l str,
    said: &'l str,
}

impl<'l> Line<'l> {
    pub(super) fn read(line: &'l str) -> Option<Self> {
        let (about, said) = line.split_once('\t').unwrap_or((line, ""));
        let mut parts = about.split(' ');
        Some(Self { old: parts.next()?, new: parts.next()?, said })
    }

    /// The branch, without where branches are, that HEAD went away from; it was at `old`.
    pub(super) fn left(&self) -> Option<&'l str> {
        let (from, _) = self.said.strip_prefix("checkout: moving from ")?.split_once(" to ")?;
        Some(from)
    }

    /// The ref whose name went to another one.
    pub(super) fn renamed(&self) -> Option<&'l str> {
        let (from, _) = self.said.strip_prefix("Branch: renamed ")?.split_once(" to ")?;
        Some(from)
    }
}

/// The end of a log of git; nothing where there is none that could be read.
pub(super) fn end_of(path: &Path) -> String {
    since(path, 0)
}

/// What was added to a log since it had this size: all of it, where it is a shorter one by now.
pub(super) fn since(path: &Path, size: u64) -> String {
    let read = || {
        let there = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        let mut file = fs::File::open(path).ok()?;
        let known = if size > there.len() { 0 } else { size };
        let skipped = known.max(there.len().saturating_sub(LONGEST));
        file.seek(SeekFrom::Start(skipped)).ok()?;
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // The first line may have been cut.
        Some(if skipped == known { text } else { text.split_once('\n')?.1.to_owned() })
    };
    read().unwrap_or_default()
}
