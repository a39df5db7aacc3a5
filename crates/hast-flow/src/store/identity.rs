//! An identity describes a file as it was when it was read. A commit compares it with the file to
//! tell if the file is unchanged.
//!
//! A stamp (inode, size, times) answers without reading. The stamp is not trusted where the file
//! changed within one tick of the clock that stamped it. There the content decides.

use sha2::{Digest, Sha256};

use super::disk::{FileKind, Meta, Times};

/// The first half of the SHA-256 of a content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    pub fn of(bytes: &[u8]) -> Self {
        let digest = Sha256::digest(bytes);
        let mut half = [0; 16];
        half.copy_from_slice(&digest[..16]);
        Self(half)
    }
}

impl std::fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for byte in &self.0[..6] {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// What the file system says about a file, and whether it said so too early to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub inode: u64,
    pub size: u64,
    pub modified: u64,
    pub changed: u64,
    pub trust: Trust,
}

/// Whether an equal stamp proves an equal content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Settled,
    /// The file changed so shortly before it was looked at that another change could hide behind
    /// the same time.
    Racy,
}

/// Longest tick of the clocks that stamp files (a jiffy at 100 Hz), doubled.
const RACY_NANOSECONDS: u64 = 20_000_000;

impl Stamp {
    /// `now` is the time at which the file was looked at, before it was read.
    pub fn new(meta: &Meta, now: u64) -> Self {
        let newest = meta.modified.max(meta.changed);
        Self {
            inode: meta.inode,
            size: meta.size,
            modified: meta.modified,
            changed: meta.changed,
            trust: match meta.times {
                Times::Exact => Trust::Settled,
                Times::Ticking if newest.saturating_add(RACY_NANOSECONDS) < now => Trust::Settled,
                Times::Ticking => Trust::Racy,
            },
        }
    }

    /// Whether the file still carries this stamp.
    pub fn fits(&self, meta: &Meta) -> bool {
        meta.kind == FileKind::File && self.fits_renamed(meta) && (self.changed == meta.changed)
    }

    /// Whether a directory still has the names that it had.
    pub fn fits_names(&self, meta: &Meta) -> bool {
        let same = meta.kind == FileKind::Dir && self.fits_renamed(meta);
        same && self.changed == meta.changed && self.trust == Trust::Settled
    }

    /// As [`Self::fits`], for a file that we renamed ourselves: a rename changes only that time.
    pub fn fits_renamed(&self, meta: &Meta) -> bool {
        self.inode == meta.inode && self.size == meta.size && self.modified == meta.modified
    }
}

/// A file as it was read. The hash is missing for a table that was patched: nobody read all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub size: u64,
    pub hash: Option<ContentHash>,
    pub stamp: Option<Stamp>,
}

impl Identity {
    pub fn of(bytes: &[u8], stamp: Option<Stamp>) -> Self {
        Self { size: bytes.len() as u64, hash: Some(ContentHash::of(bytes)), stamp }
    }
}

/// What somebody saw at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    Absent,
    File(Identity),
    /// A log, of which only the length matters: what was there does not change.
    Log {
        length: u64,
    },
}

impl Seen {
    /// What the file was, where it was one.
    pub fn identity(self) -> Option<Identity> {
        match self {
            Self::File(identity) => Some(identity),
            Self::Absent | Self::Log { .. } => None,
        }
    }
}

/// How a file compares with what was seen, before its content is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    Same,
    Different,
    /// Only the content can tell.
    Read,
}

impl Identity {
    pub fn compare(&self, meta: &Meta) -> Compared {
        if meta.kind != FileKind::File || meta.size != self.size {
            return Compared::Different;
        }
        let stamped = self.stamp.filter(|stamp| stamp.fits(meta));
        match (stamped, self.hash) {
            (Some(stamp), _) if stamp.trust == Trust::Settled => Compared::Same,
            (_, Some(_)) => Compared::Read,
            // A patched table: the patch itself compares the bytes that it changes.
            (Some(_), None) => Compared::Same,
            (None, None) => Compared::Different,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: u64 = 4_000_000;

    fn meta(modified: u64) -> Meta {
        Meta {
            kind: FileKind::File,
            inode: 7,
            size: 3,
            modified,
            changed: modified,
            mode: 0o644,
            times: Times::Ticking,
        }
    }

    fn identity(meta: &Meta, now: u64) -> Identity {
        Identity::of(b"abc", Some(Stamp::new(meta, now)))
    }

    #[test]
    fn an_old_stamp_that_still_fits_proves_the_content() {
        let file = meta(5);
        let seen = identity(&file, 5 + 100 * TICK);
        assert_eq!(seen.compare(&file), Compared::Same);
    }

    #[test]
    fn a_file_changed_in_the_tick_it_was_read_in_is_read_again() {
        let file = meta(5);
        assert_eq!(identity(&file, 5).compare(&file), Compared::Read);
        assert_eq!(identity(&file, 5 + TICK).compare(&file), Compared::Read);
    }

    #[test]
    fn where_every_change_shows_a_fresh_stamp_proves_the_content() {
        let file = Meta { times: Times::Exact, ..meta(5) };
        assert_eq!(identity(&file, 5).compare(&file), Compared::Same);
        assert_eq!(identity(&file, 5).compare(&Meta { modified: 6, ..file }), Compared::Read);
    }

    #[test]
    fn another_stamp_with_the_same_size_is_decided_by_the_content() {
        let seen = identity(&meta(5), 5 + 100 * TICK);
        assert_eq!(seen.compare(&meta(6)), Compared::Read);
        let longer = Meta { size: 4, ..meta(5) };
        assert_eq!(seen.compare(&longer), Compared::Different);
    }

    #[test]
    fn a_table_known_by_its_stamp_alone_is_different_under_another_stamp() {
        let mut seen = identity(&meta(5), 5);
        seen.hash = None;
        assert_eq!(seen.compare(&meta(5)), Compared::Same);
        assert_eq!(seen.compare(&meta(6)), Compared::Different);
    }
}
