//! A change set: everything one decision wants to change, as one value.

use super::identity::{Identity, Seen};
use super::path::{BadPath, DocPath};

/// What one commit changes: all of it or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeSet {
    pub role: Box<str>,
    pub puts: Vec<Put>,
    /// What the decision rested on besides the files it changes.
    pub reads: Vec<Read>,
    pub reason: Box<str>,
}

impl ChangeSet {
    pub fn new(role: &str, reason: &str) -> Self {
        Self { role: role.into(), puts: Vec::new(), reads: Vec::new(), reason: reason.into() }
    }

    #[must_use]
    pub fn put(mut self, put: Put) -> Self {
        self.puts.push(put);
        self
    }

    #[must_use]
    pub fn rests_on(mut self, path: DocPath, seen: Seen) -> Self {
        self.reads.push(Read { path, seen });
        self
    }
}

/// A file that was looked at, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    pub path: DocPath,
    pub seen: Seen,
}

/// One change of one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Put {
    /// A new document; the name must be free.
    Create { path: DocPath, bytes: Vec<u8> },
    /// A new content for a document that was read.
    Replace { path: DocPath, before: Identity, bytes: Vec<u8> },
    /// More bytes at the end of a document whose length was read.
    Append { path: DocPath, at: u64, bytes: Vec<u8> },
    /// Other bytes in the place of old ones: as many inside one page of a large table, or more of
    /// them at the end of a growing document ([`Put::tail`]).
    Patch { path: DocPath, before: Identity, at: u64, old: Vec<u8>, new: Vec<u8> },
    /// A file or a tree that moves to a free name below an `archive` directory.
    Archive { from: DocPath, to: DocPath },
}

/// The unit that the system changes at once under a reader's eyes.
pub const PAGE: u64 = 4096;
/// Directories that history is moved to.
pub const ARCHIVE_DIR: &str = "archive";

impl Put {
    /// Another end for a document that grows, in the place of its old one. What stays is neither
    /// read nor written, so the cost does not depend on its length.
    #[must_use]
    pub fn tail(path: DocPath, before: Identity, old: &[u8], new: Vec<u8>) -> Self {
        let at = before.size.saturating_sub(old.len() as u64);
        Self::Patch { path, before, at, old: old.to_vec(), new }
    }

    /// A new content of the document that was read, or a new document where there was none.
    #[must_use]
    pub fn whole(path: DocPath, before: Option<Identity>, bytes: Vec<u8>) -> Self {
        match before {
            Some(before) => Self::Replace { path, before, bytes },
            None => Self::Create { path, bytes },
        }
    }

    /// Lines at the end of a log of this length; where there is no log it begins with them.
    #[must_use]
    pub fn lines(path: DocPath, length: Option<u64>, bytes: Vec<u8>) -> Self {
        match length {
            Some(at) => Self::Append { path, at, bytes },
            None => Self::Create { path, bytes },
        }
    }

    /// The document it changes.
    pub fn path(&self) -> &DocPath {
        match self {
            Self::Create { path, .. }
            | Self::Replace { path, .. }
            | Self::Append { path, .. }
            | Self::Patch { path, .. } => path,
            Self::Archive { from, .. } => from,
        }
    }

    pub fn kind(&self) -> PutKind {
        match self {
            Self::Create { .. } => PutKind::Create,
            Self::Replace { .. } => PutKind::Replace,
            Self::Append { .. } => PutKind::Append,
            Self::Patch { .. } => PutKind::Patch,
            Self::Archive { .. } => PutKind::Archive,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutKind {
    Create,
    Replace,
    Append,
    Patch,
    Archive,
}

impl std::fmt::Display for PutKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Append => "append to",
            Self::Patch => "patch",
            Self::Archive => "archive",
        })
    }
}

/// A change set that could never be committed, whatever the disk holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("the change set changes nothing")]
    Empty,
    #[error("{0} is changed twice in one change set")]
    Twice(DocPath),
    #[error("{0} belongs to the store")]
    Technical(DocPath),
    #[error("the patch of {0} neither keeps its width inside one page nor makes its end longer")]
    PatchShape(DocPath),
    #[error("{0} is no place below an archive directory")]
    NotArchive(DocPath),
    #[error("more than {MAX_PUTS} documents in one change set")]
    TooMany,
    #[error("the new content of {0} is over {MAX_BYTES} bytes")]
    TooLarge(DocPath),
    /// Nothing can be told after the last number.
    #[error("the numbers of {0} are used up: a line in it has the last one there is")]
    Numbers(DocPath),
    #[error(transparent)]
    Path(#[from] BadPath),
}

const MAX_PUTS: usize = 256;
const MAX_BYTES: usize = 1 << 30;
/// What is longer is a new content.
const MAX_TAIL: usize = 64 << 10;

/// Refuses what makes no sense by itself.
pub fn check_form(change: &ChangeSet) -> Result<(), Malformed> {
    if change.puts.is_empty() {
        return Err(Malformed::Empty);
    }
    if change.puts.len() > MAX_PUTS {
        return Err(Malformed::TooMany);
    }
    for (index, put) in change.puts.iter().enumerate() {
        check_put(put)?;
        if let Some(earlier) = change.puts[..index].iter().find(|one| overlap(one, put)) {
            let rotated = matches!((earlier, put), (Put::Archive { from, .. }, Put::Create { path, .. }) if path.is_within(from));
            if !rotated {
                return Err(Malformed::Twice(put.path().clone()));
            }
        }
    }
    Ok(())
}

/// Whether two puts concern the same place, so that they cannot be made independently.
pub fn overlap(one: &Put, other: &Put) -> bool {
    places(one)
        .any(|place| places(other).any(|there| place.is_within(there) || there.is_within(place)))
}

/// Whether a put changes what somebody reads at that path.
pub fn concerns(put: &Put, path: &DocPath) -> bool {
    places(put).any(|place| place.is_within(path) || path.is_within(place))
}

fn places(put: &Put) -> impl Iterator<Item = &DocPath> {
    let target = match put {
        Put::Archive { to, .. } => Some(to),
        _ => None,
    };
    std::iter::once(put.path()).chain(target)
}

fn check_put(put: &Put) -> Result<(), Malformed> {
    if let Some(ours) = places(put).find(|path| is_reserved(path, put.kind())) {
        return Err(Malformed::Technical(ours.clone()));
    }
    match put {
        Put::Create { path, bytes }
        | Put::Replace { path, bytes, .. }
        | Put::Append { path, bytes, .. } => {
            if bytes.len() > MAX_BYTES {
                return Err(Malformed::TooLarge(path.clone()));
            }
        }
        Put::Patch { path, at, old, new, .. } => {
            let in_page = old.len() == new.len() && at % PAGE + new.len() as u64 <= PAGE;
            let longer = old.len() < new.len() && new.len() <= MAX_TAIL;
            let ends = at.checked_add(new.len() as u64).is_some();
            if old.is_empty() || !(in_page || longer) || !ends {
                return Err(Malformed::PatchShape(path.clone()));
            }
        }
        Put::Archive { from, to } => {
            let archived = to.ancestors().any(|dir| dir.name() == ARCHIVE_DIR);
            if !archived || to.is_within(from) || from.is_within(to) {
                return Err(Malformed::NotArchive(to.clone()));
            }
        }
    }
    Ok(())
}

/// The log of steps is the one technical file that rides in a commit.
fn is_reserved(path: &DocPath, kind: PutKind) -> bool {
    path.is_technical()
        && !(*path == steps_log() && matches!(kind, PutKind::Create | PutKind::Append))
}

/// Where the steps of a root are noted.
pub fn steps_log() -> DocPath {
    DocPath::technical("steps.ndjson")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> DocPath {
        DocPath::new(text).unwrap()
    }

    fn create(text: &str) -> Put {
        Put::Create { path: path(text), bytes: Vec::new() }
    }

    fn patch(at: u64, old: &[u8], new: &[u8]) -> Put {
        Put::Patch {
            path: path("t.md"),
            before: Identity::of(b"", None),
            at,
            old: old.to_vec(),
            new: new.to_vec(),
        }
    }

    fn archive(from: &str, to: &str) -> Put {
        Put::Archive { from: path(from), to: path(to) }
    }

    fn form(puts: Vec<Put>) -> Result<(), Malformed> {
        let mut change = ChangeSet::new("planner", "test");
        change.puts = puts;
        check_form(&change)
    }

    #[test]
    fn the_technical_directory_is_not_for_flows_except_the_log_of_steps() {
        assert!(form(vec![create(".hast/journal")]).is_err());
        assert!(form(vec![archive("a", ".hast/archive/a")]).is_err());
        assert!(form(vec![archive(".hast/steps.ndjson", "archive/a")]).is_err());
        assert_eq!(form(vec![create(".hast/steps.ndjson")]), Ok(()));
    }

    #[test]
    fn a_patch_keeps_its_width_inside_one_page() {
        assert_eq!(form(vec![patch(4094, b"ab", b"cd")]), Ok(()));
        assert!(form(vec![patch(4095, b"ab", b"cd")]).is_err());
        assert!(form(vec![patch(0, b"ab", b"c")]).is_err());
        assert!(form(vec![patch(0, b"", b"")]).is_err());
        assert!(form(vec![patch(u64::MAX, b"ab", b"cd")]).is_err());
    }

    #[test]
    fn an_end_may_grow_over_pages_but_not_without_bound_and_never_shrinks() {
        assert_eq!(form(vec![patch(4095, b"]", b",1]")]), Ok(()));
        assert!(form(vec![patch(0, b"]", &[b' '; MAX_TAIL + 1])]).is_err());
        assert!(form(vec![patch(0, b"", b"1")]).is_err());
        assert!(form(vec![patch(u64::MAX - 1, b"]", b",1]")]).is_err());
        let seen = Identity::of(b"[1]", None);
        let tail = Put::tail(path("t.md"), seen, b"]", b",2]".to_vec());
        assert!(matches!(tail, Put::Patch { at: 2, .. }));
    }

    #[test]
    fn a_tree_is_archived_below_an_archive_directory_only() {
        assert_eq!(form(vec![archive("plan/active", "plan/archive/v1")]), Ok(()));
        assert!(form(vec![archive("plan/active", "plan/old/v1")]).is_err());
        assert!(form(vec![archive("archive", "archive/archive")]).is_err());
    }

    #[test]
    fn one_document_changes_once_but_an_archived_log_may_start_anew() {
        assert!(form(vec![create("a"), create("a")]).is_err());
        assert!(form(vec![create("a"), create("a/b")]).is_err());
        assert_eq!(form(vec![archive("a", "archive/a"), create("a")]), Ok(()));
        assert!(form(vec![archive("a", "archive/a"), create("archive/a")]).is_err());
        assert!(form(vec![]).is_err());
    }
}
