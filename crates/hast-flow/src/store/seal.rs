//! Tells a journal of this user from one that a repository brought: records of a stranger's journal could
//! write any document of the root, so that they are never carried out.

use super::chain::Life;
use super::checkpoint::UNTRUSTED;
use super::codec::Body;
use super::disk::{Disk, Open};
use super::header::{Header, NoHeader};
use super::journal::{Found, Journal, Opening};
use super::problem::StoreError;

pub const SEAL_BYTES: usize = 16;

/// The bytes that a journal with a certain salt has if it is one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// Every journal counts.
    Any,
    /// Made with a key that no repository knows.
    Is([u8; SEAL_BYTES]),
    /// There is no key, so that no journal can be known for ours.
    Unknown,
}

impl Seal {
    /// What a journal of ours carries.
    pub(super) fn bytes(self) -> [u8; SEAL_BYTES] {
        match self {
            Self::Is(bytes) => bytes,
            Self::Any | Self::Unknown => [0; SEAL_BYTES],
        }
    }

    fn fits(self, header: &Header) -> bool {
        match self {
            Self::Any => true,
            Self::Is(bytes) => header.seal == bytes,
            Self::Unknown => false,
        }
    }
}

/// What a journal shows to whoever only looks at the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glance {
    /// Nothing was cut off, or nobody can tell.
    AtRest,
    /// A commit of ours waits to be finished.
    Unfinished,
    /// So many commits of a stranger's journal wait. Nobody carries them out.
    Foreign(usize),
}

/// Looks at the journal of a root, and changes nothing.
pub fn glance<D: Disk>(disk: &D) -> Result<Glance, StoreError> {
    let mut journal = match Journal::open(disk, Open::Read)? {
        Opening::Ready(journal) => journal,
        Opening::Missing => return Ok(Glance::AtRest),
        // To set it aside is for whoever may write.
        Opening::Unreadable(NoHeader::Damaged | NoHeader::Newer) => {
            let counts = disk.seal(0) == Seal::Any;
            return Ok(if counts { Glance::Unfinished } else { Glance::AtRest });
        }
    };
    let found = journal.scan(disk)?;
    Ok(match unfinished(&found, life(disk, &journal.header)) {
        0 => Glance::AtRest,
        _ if is_ours(disk, &journal.header) => Glance::Unfinished,
        count => Glance::Foreign(count),
    })
}

/// Whether the journal of a root is one of ours; changes nothing.
pub fn has_own_journal<D: Disk>(disk: &D) -> Result<bool, StoreError> {
    Ok(match Journal::open(disk, Open::Read)? {
        Opening::Ready(journal) => is_ours(disk, &journal.header),
        Opening::Missing | Opening::Unreadable(_) => disk.seal(0) == Seal::Any,
    })
}

pub(super) fn is_ours<D: Disk>(disk: &D, header: &Header) -> bool {
    disk.seal(header.salt).fits(header)
}

/// Makes a stranger's journal ours if nothing in it waits to be carried out. Tells whether it did.
pub(super) fn take_over<D: Disk>(
    disk: &D,
    journal: &mut Journal<D::File>,
) -> Result<bool, StoreError> {
    let found = journal.scan(disk)?;
    if unfinished(&found, life(disk, &journal.header)) > 0 {
        return Ok(false);
    }
    let (salt, boot_id) = (disk.salt(), disk.boot_id());
    let (head, next_seq) = (journal.head, journal.next_seq);
    journal.write_header(disk, |header| {
        // Its records so far are dead, also for whoever knows the salt that they were made with.
        *header = Header {
            epoch: header.epoch + 1,
            salt,
            seal: disk.seal(salt).bytes(),
            boot_id,
            tail: head,
            tail_seq: next_seq,
            ..*header
        };
    })?;
    Ok(true)
}

/// What happened to the machine since the journal was written.
pub(super) fn life<D: Disk>(disk: &D, header: &Header) -> Life {
    match header.boot_id {
        UNTRUSTED => Life::Untrusted,
        id if id == disk.boot_id() => Life::SameBoot,
        _ => Life::Rebooted,
    }
}

/// The commits that recovery would look at.
fn unfinished(found: &[Found], life: Life) -> usize {
    let done = last_done(found);
    let waits = |record: &&Found| {
        matches!(record.body, Body::Commit(_)) && (life != Life::SameBoot || record.seq > done)
    };
    found.iter().filter(waits).count()
}

/// Up to here everything is published.
pub(super) fn last_done(found: &[Found]) -> u64 {
    let done = found.iter().filter_map(|record| match record.body {
        Body::Done { seq } => Some(seq),
        Body::Commit(_) => None,
    });
    done.max().unwrap_or(0)
}
