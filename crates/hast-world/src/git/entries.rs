//! What an index holds, read without git: entries, flags, and the trees that it knows already. Only
//! the plain forms; whatever else there is in one, git reads.

use hast_flow::attempt::base::ObjectId;

use super::scan::Difference;

/// A name of an object, in bytes.
pub(super) const ID: usize = 20;
/// Before an entry's object: two times, device, inode, mode, owner, group, size.
pub(super) const STAT: usize = 40;
pub(super) const MODE: usize = 24;
/// Deepest that directories may be nested.
const DEEPEST: usize = 256;

/// The extension that names trees.
pub(super) const TREE: &[u8] = b"TREE";
/// Those that only help to read an index faster.
const HINTS: [&[u8]; 2] = [b"EOIE", b"IEOT"];

const ASSUMED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const SKIPPED: u16 = 0x4000;
const INTENDED: u16 = 0x2000;

pub(super) const GITLINK: u32 = 0o160_000;

/// An index of git, as far as its plain forms go: every path once, nothing only intended.
#[derive(Debug)]
pub(super) struct Entries<'b> {
    pub(super) all: Vec<IndexEntry<'b>>,
    /// The trees that git remembers in it.
    pub(super) known: Option<KnownTree<'b>>,
    /// Where they end in the file, and whether more follows than trees and hints for readers.
    pub(super) end: usize,
    pub(super) others: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry<'b> {
    pub(super) path: &'b [u8],
    /// Where it begins in the file.
    pub(super) at: usize,
    pub(super) mode: u32,
    pub(super) object: &'b [u8],
    pub(super) assumed: bool,
    pub(super) skipped: bool,
}

/// A directory whose tree was written before, unless something below it changed since.
#[derive(Debug, Default)]
pub(super) struct KnownTree<'b> {
    pub(super) name: &'b [u8],
    /// How many entries are below it, and its tree.
    pub(super) valid: Option<(usize, &'b [u8])>,
    pub(super) below: Vec<KnownTree<'b>>,
}

impl<'b> Entries<'b> {
    /// Reads an index with names of twenty bytes; nothing if it is not a plain one.
    pub(super) fn read(bytes: &'b [u8]) -> Option<Self> {
        let (head, body) = bytes.split_at_checked(12)?;
        let version = number(head.get(4..8)?)?;
        if &head[..4] != b"DIRC" || !matches!(version, 2 | 3) {
            return None;
        }
        let count = usize::try_from(number(&head[8..])?).ok()?;
        let mut rest = body;
        // Smaller than what the file could hold: a count that lies takes no memory.
        let mut all: Vec<IndexEntry<'b>> = Vec::with_capacity(count.min(body.len() / (STAT + ID)));
        for _ in 0..count {
            let (mut entry, after) = entry(rest)?;
            entry.at = bytes.len() - rest.len();
            if all.last().is_some_and(|last| last.path >= entry.path) {
                return None;
            }
            all.push(entry);
            rest = after;
        }
        let (known, others) = extensions(rest)?;
        Some(Self { all, known, end: bytes.len() - rest.len(), others })
    }

    /// Whether there are files below a directory, which ends in `/`.
    pub(super) fn has_below(&self, directory: &[u8]) -> bool {
        let at = self.all.partition_point(|entry| entry.path < directory);
        self.all.get(at).is_some_and(|entry| entry.path.starts_with(directory))
    }

    /// What differs in another index.
    pub(super) fn differences(&self, other: &Self) -> Option<Vec<Difference>> {
        let mut found = Vec::new();
        let (mut old, mut new) = (self.all.iter().peekable(), other.all.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return Some(found),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(one), Some(two)) => one.path.cmp(two.path),
            };
            let (was, is) = (
                if order.is_le() { old.next() } else { None },
                if order.is_ge() { new.next() } else { None },
            );
            let same = was.zip(is).is_some_and(|(was, is)| was.is_as(is));
            if !same {
                found.push(difference(was, is)?);
            }
        }
    }
}

impl IndexEntry<'_> {
    fn is_as(&self, other: &Self) -> bool {
        self.object == other.object && self.mode == other.mode
    }
}

fn difference(was: Option<&IndexEntry<'_>>, is: Option<&IndexEntry<'_>>) -> Option<Difference> {
    let mode = |entry: Option<&IndexEntry<'_>>| format!("{:06o}", entry.map_or(0, |e| e.mode));
    let id = |entry: Option<&IndexEntry<'_>>| match entry {
        Some(entry) => object_id(entry.object).map(Some),
        None => Some(None),
    };
    Some(Difference {
        path: was.or(is)?.path.to_vec(),
        old_mode: mode(was),
        new_mode: mode(is),
        old: id(was)?,
        new: id(is)?,
    })
}

/// The name of an object from its bytes.
pub(super) fn object_id(bytes: &[u8]) -> Option<ObjectId> {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(half), 16)?);
        }
    }
    text.parse().ok()
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?))
}

/// One entry, and what comes after it.
fn entry(bytes: &[u8]) -> Option<(IndexEntry<'_>, &[u8])> {
    let mode = number(bytes.get(MODE..)?)?;
    let object = bytes.get(STAT..STAT + ID)?;
    let short = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let flags = short(STAT + ID)?;
    let (more, start) = match flags & EXTENDED {
        0 => (0, STAT + ID + 2),
        _ => (short(STAT + ID + 2)?, STAT + ID + 4),
    };
    if flags & STAGE != 0 || more & INTENDED != 0 {
        return None;
    }
    let path = bytes.get(start..)?;
    let path = &path[..path.iter().position(|byte| *byte == 0)?];
    if path.is_empty() {
        return None;
    }
    // Padded with one to eight zeros.
    let length = (start + path.len() + 8) & !7;
    let (assumed, skipped) = (flags & ASSUMED != 0, more & SKIPPED != 0);
    Some((IndexEntry { path, at: 0, mode, object, assumed, skipped }, bytes.get(length..)?))
}

/// The trees among what follows the entries. A lower-case name changes what the entries mean.
fn extensions(bytes: &[u8]) -> Option<(Option<KnownTree<'_>>, bool)> {
    let (mut rest, _checksum) = bytes.split_at_checked(bytes.len().checked_sub(ID)?)?;
    let (mut known, mut others) = (None, false);
    while !rest.is_empty() {
        let name = rest.get(..4)?;
        let length = usize::try_from(number(rest.get(4..)?)?).ok()?;
        let (body, after) = rest.get(8..)?.split_at_checked(length)?;
        if !name[0].is_ascii_uppercase() {
            return None;
        }
        if name == TREE {
            known = known_tree(&mut &*body, 0);
        } else if !HINTS.contains(&name) {
            others = true;
        }
        rest = after;
    }
    Some((known, others))
}

fn known_tree<'b>(bytes: &mut &'b [u8], depth: usize) -> Option<KnownTree<'b>> {
    if depth > DEEPEST {
        return None;
    }
    let name = until(bytes, 0)?;
    let count = std::str::from_utf8(until(bytes, b' ')?).ok()?;
    let below: usize = std::str::from_utf8(until(bytes, b'\n')?).ok()?.parse().ok()?;
    let valid = match count.parse::<usize>() {
        Ok(count) => {
            let (object, rest) = bytes.split_at_checked(ID)?;
            *bytes = rest;
            Some((count, object))
        }
        Err(_) => None,
    };
    let mut tree = KnownTree { name, valid, below: Vec::new() };
    for _ in 0..below {
        tree.below.push(known_tree(bytes, depth + 1)?);
    }
    Some(tree)
}

fn until<'b>(bytes: &mut &'b [u8], end: u8) -> Option<&'b [u8]> {
    let at = bytes.iter().position(|byte| *byte == end)?;
    let found = &bytes[..at];
    *bytes = &bytes[at + 1..];
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of three files, two of them in a directory whose tree is known.
    fn index() -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x03\0\0\0\x03".to_vec();
        for (path, mode, flags) in
            [("a", 0o100_644, 0_u16), ("d/b", 0o100_755, ASSUMED), ("d/c", GITLINK, EXTENDED)]
        {
            let start = bytes.len();
            bytes.extend([0; MODE]);
            bytes.extend(u32::to_be_bytes(mode));
            bytes.extend([0; STAT - MODE - 4]);
            bytes.extend([7; ID]);
            bytes.extend(u16::to_be_bytes(flags | 3));
            if flags & EXTENDED != 0 {
                bytes.extend(u16::to_be_bytes(SKIPPED));
            }
            bytes.extend(path.bytes());
            let length = (bytes.len() - start + 8) & !7;
            bytes.resize(start + length, 0);
        }
        let mut tree = b"\0-1 1\nd\x002 0\n".to_vec();
        tree.extend([9; ID]);
        bytes.extend(b"TREE");
        bytes.extend(u32::to_be_bytes(u32::try_from(tree.len()).unwrap()));
        bytes.extend(tree);
        bytes.extend([0; ID]);
        bytes
    }

    #[test]
    fn entries_flags_and_known_trees_are_read() {
        let bytes = index();
        let entries = Entries::read(&bytes).unwrap();
        let all: Vec<_> =
            entries.all.iter().map(|e| (e.path, e.mode, e.assumed, e.skipped)).collect();
        let wanted: [(&[u8], u32, bool, bool); 3] = [
            (b"a", 0o100_644, false, false),
            (b"d/b", 0o100_755, true, false),
            (b"d/c", GITLINK, false, true),
        ];
        assert_eq!(all, wanted);
        let known = entries.known.unwrap();
        assert_eq!(known.valid, None);
        assert_eq!(known.below[0].valid, Some((2, &[9; ID][..])));
    }

    #[test]
    fn whatever_an_agent_makes_of_an_index_is_read_or_refused() {
        let whole = index();
        for length in 0..whole.len() {
            let _ = Entries::read(&whole[..length]);
        }
        for at in 0..whole.len() {
            for value in [0, 1, b'0', b'9', b'l', 0x7f, 0x80, 0xff] {
                let mut broken = whole.clone();
                broken[at] = value;
                let _ = Entries::read(&broken);
            }
        }
    }

    #[test]
    fn what_git_must_read_is_refused() {
        let plain = index();
        let changed = |at: usize, value: u8| {
            let mut bytes = plain.clone();
            bytes[at] = value;
            bytes
        };
        let stage = changed(12 + STAT + ID, 0x10);
        let version = changed(7, 4);
        let mut link = plain.clone();
        let at = plain.windows(4).position(|window| window == b"TREE").unwrap();
        link[at..at + 4].copy_from_slice(b"link");
        let mut order = plain.clone();
        order[12 + STAT + ID + 2] = b'z';
        for bytes in [stage, version, link, order] {
            assert!(Entries::read(&bytes).is_none());
        }
        assert!(Entries::read(&plain).is_some());
    }
}
