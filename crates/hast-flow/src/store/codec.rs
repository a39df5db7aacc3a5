//! The records of the journal. Reading takes any bytes and believes only what carries the right
//! checksum, epoch and number.

use super::identity::ContentHash;
use super::path::DocPath;

pub const RECORD_HEAD: usize = 24;

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Commit(Commit),
    /// Every commit up to that number is published.
    Done {
        seq: u64,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    pub role: Box<str>,
    pub step: Box<str>,
    /// Of the process that staged the contents, in the names of its staging files.
    pub nonce: u64,
    pub puts: Vec<Entry>,
}

/// One document in a record: enough to publish it again, and to tell what was there before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Whole { path: DocPath, before: Before, mode: u32, content: Content },
    Append { path: DocPath, at: u64, bytes: Vec<u8> },
    Patch { path: DocPath, at: u64, old: Vec<u8>, new: Vec<u8> },
    Archive { from: DocPath, to: DocPath },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    Absent,
    File(ContentHash),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Inline(Vec<u8>),
    /// Too large for the journal: it lies in the staging file of this entry, synced.
    Staged {
        hash: ContentHash,
        size: u64,
    },
}

/// Which records belong to the journal now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub salt: u64,
    pub epoch: u64,
    pub seq: u64,
}

/// The bytes of a record.
pub fn encode_record(mark: Mark, body: &Body) -> Vec<u8> {
    let mut record = Vec::new();
    encode_record_into(&mut record, mark, body);
    record
}

/// Adds the bytes of a record to those of others.
pub fn encode_record_into(out: &mut Vec<u8>, mark: Mark, body: &Body) {
    let start = out.len();
    out.resize(start + RECORD_HEAD, 0);
    encode_body(body, out);
    let record = &mut out[start..];
    let length = (record.len() - RECORD_HEAD) as u32;
    record[..4].copy_from_slice(&length.to_le_bytes());
    record[8..16].copy_from_slice(&mark.epoch.to_le_bytes());
    record[16..24].copy_from_slice(&mark.seq.to_le_bytes());
    let crc = record_crc(mark.salt, length, &record[8..]);
    record[4..8].copy_from_slice(&crc.to_le_bytes());
}

/// How many bytes the body of a record has, if this can be the head of the record with this mark.
pub fn body_length(mark: Mark, head: &[u8; RECORD_HEAD]) -> Option<usize> {
    let mut input = Input(head);
    let length = input.u32()?;
    let _crc = input.u32()?;
    let fits = input.u64()? == mark.epoch && input.u64()? == mark.seq && length > 0;
    fits.then_some(length as usize)
}

/// Reads a record, head and body; nothing that is not exactly the record with this mark.
pub fn decode_record(mark: Mark, record: &[u8]) -> Option<Body> {
    let head: &[u8; RECORD_HEAD] = record.first_chunk()?;
    let length = body_length(mark, head)?;
    if record.len() != RECORD_HEAD + length {
        return None;
    }
    let crc = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
    if crc != record_crc(mark.salt, length as u32, &record[8..]) {
        return None;
    }
    let mut input = Input(&record[RECORD_HEAD..]);
    let body = decode_body(&mut input)?;
    input.0.is_empty().then_some(body)
}

fn record_crc(salt: u64, length: u32, rest: &[u8]) -> u32 {
    let crc = crc32c::crc32c(&salt.to_le_bytes());
    let crc = crc32c::crc32c_append(crc, &length.to_le_bytes());
    crc32c::crc32c_append(crc, rest)
}

fn encode_body(body: &Body, out: &mut Vec<u8>) {
    match body {
        Body::Done { seq } => {
            out.push(2);
            out.extend_from_slice(&seq.to_le_bytes());
        }
        Body::Commit(commit) => {
            out.push(1);
            put_bytes(out, commit.role.as_bytes());
            put_bytes(out, commit.step.as_bytes());
            out.extend_from_slice(&commit.nonce.to_le_bytes());
            out.extend_from_slice(&(commit.puts.len() as u32).to_le_bytes());
            for entry in &commit.puts {
                encode_entry(entry, out);
            }
        }
    }
}

fn encode_entry(entry: &Entry, out: &mut Vec<u8>) {
    match entry {
        Entry::Whole { path, before, mode, content } => {
            out.push(1);
            put_bytes(out, path.as_str().as_bytes());
            match before {
                Before::Absent => out.push(0),
                Before::File(hash) => {
                    out.push(1);
                    out.extend_from_slice(&hash.0);
                }
            }
            out.extend_from_slice(&mode.to_le_bytes());
            match content {
                Content::Inline(bytes) => {
                    out.push(0);
                    put_bytes(out, bytes);
                }
                Content::Staged { hash, size } => {
                    out.push(1);
                    out.extend_from_slice(&hash.0);
                    out.extend_from_slice(&size.to_le_bytes());
                }
            }
        }
        Entry::Append { path, at, bytes } => {
            out.push(2);
            put_bytes(out, path.as_str().as_bytes());
            out.extend_from_slice(&at.to_le_bytes());
            put_bytes(out, bytes);
        }
        Entry::Patch { path, at, old, new } => {
            out.push(3);
            put_bytes(out, path.as_str().as_bytes());
            out.extend_from_slice(&at.to_le_bytes());
            put_bytes(out, old);
            put_bytes(out, new);
        }
        Entry::Archive { from, to } => {
            out.push(4);
            put_bytes(out, from.as_str().as_bytes());
            put_bytes(out, to.as_str().as_bytes());
        }
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn decode_body(input: &mut Input<'_>) -> Option<Body> {
    match input.u8()? {
        1 => {
            let role = input.text()?.into();
            let step = input.text()?.into();
            let nonce = input.u64()?;
            let count = input.u32()? as usize;
            // No capacity is taken from the count: it is only a claim until the entries are read.
            let mut puts = Vec::new();
            for _ in 0..count {
                puts.push(decode_entry(input)?);
            }
            Some(Body::Commit(Commit { role, step, nonce, puts }))
        }
        2 => Some(Body::Done { seq: input.u64()? }),
        _ => None,
    }
}

fn decode_entry(input: &mut Input<'_>) -> Option<Entry> {
    Some(match input.u8()? {
        1 => Entry::Whole {
            path: input.path()?,
            before: match input.u8()? {
                0 => Before::Absent,
                1 => Before::File(ContentHash(input.array()?)),
                _ => return None,
            },
            mode: input.u32()?,
            content: match input.u8()? {
                0 => Content::Inline(input.sized()?.to_vec()),
                1 => Content::Staged { hash: ContentHash(input.array()?), size: input.u64()? },
                _ => return None,
            },
        },
        2 => {
            Entry::Append { path: input.path()?, at: input.u64()?, bytes: input.sized()?.to_vec() }
        }
        3 => Entry::Patch {
            path: input.path()?,
            at: input.u64()?,
            old: input.sized()?.to_vec(),
            new: input.sized()?.to_vec(),
        },
        4 => Entry::Archive { from: input.path()?, to: input.path()? },
        _ => return None,
    })
}

/// Bytes being taken from the front; every taking says when there are not enough.
pub(super) struct Input<'a>(pub(super) &'a [u8]);

impl<'a> Input<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn sized(&mut self) -> Option<&'a [u8]> {
        let count = self.u32()? as usize;
        self.bytes(count)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.sized()?).ok()
    }

    pub(super) fn path(&mut self) -> Option<DocPath> {
        DocPath::new(self.text()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MARK: Mark = Mark { salt: 0x5a17, epoch: 3, seq: 41 };

    fn paths() -> impl Strategy<Value = DocPath> {
        "[a-z가]{1,8}(/[a-z]{1,8}){0,2}".prop_map(|text| DocPath::new(&text).unwrap())
    }

    fn contents() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(any::<u8>(), 0..200)
    }

    fn entries() -> impl Strategy<Value = Entry> {
        let hash = any::<[u8; 16]>().prop_map(ContentHash);
        let before = prop_oneof![Just(Before::Absent), hash.clone().prop_map(Before::File)];
        let content = prop_oneof![
            contents().prop_map(Content::Inline),
            (hash, any::<u64>()).prop_map(|(hash, size)| Content::Staged { hash, size }),
        ];
        prop_oneof![
            (paths(), before, any::<u32>(), content).prop_map(|(path, before, mode, content)| {
                Entry::Whole { path, before, mode, content }
            }),
            (paths(), any::<u64>(), contents()).prop_map(|(path, at, bytes)| Entry::Append {
                path,
                at,
                bytes
            }),
            (paths(), any::<u64>(), contents(), contents())
                .prop_map(|(path, at, old, new)| Entry::Patch { path, at, old, new }),
            (paths(), paths()).prop_map(|(from, to)| Entry::Archive { from, to }),
        ]
    }

    fn bodies() -> impl Strategy<Value = Body> {
        let commit =
            ("[a-z]{0,9}", ".{0,20}", any::<u64>(), proptest::collection::vec(entries(), 0..5));
        prop_oneof![
            any::<u64>().prop_map(|seq| Body::Done { seq }),
            commit.prop_map(|(role, step, nonce, puts)| {
                Body::Commit(Commit { role: role.into(), step: step.into(), nonce, puts })
            }),
        ]
    }

    proptest! {
        #[test]
        fn a_record_reads_as_it_was_written_and_only_under_its_mark(body in bodies()) {
            let record = encode_record(MARK, &body);
            prop_assert_eq!(decode_record(MARK, &record), Some(body));
            for other in [
                Mark { salt: 1, ..MARK },
                Mark { epoch: 4, ..MARK },
                Mark { seq: 42, ..MARK },
            ] {
                prop_assert_eq!(decode_record(other, &record), None);
            }
        }

        #[test]
        fn a_torn_or_flipped_record_is_never_accepted(
            body in bodies(),
            at in any::<proptest::sample::Index>(),
            flip in 1u8..,
        ) {
            let record = encode_record(MARK, &body);
            let at = at.index(record.len());
            prop_assert_eq!(decode_record(MARK, &record[..at]), None);
            let mut zeroed = record.clone();
            zeroed[at..].fill(0);
            prop_assert!(zeroed == record || decode_record(MARK, &zeroed).is_none());
            let mut flipped = record;
            flipped[at] ^= flip;
            prop_assert_eq!(decode_record(MARK, &flipped), None);
        }

        #[test]
        fn hostile_bytes_under_a_right_checksum_never_panic(tail in contents()) {
            let mut record = vec![0; RECORD_HEAD];
            record.extend_from_slice(&tail);
            let length = tail.len() as u32;
            record[..4].copy_from_slice(&length.to_le_bytes());
            record[8..16].copy_from_slice(&MARK.epoch.to_le_bytes());
            record[16..24].copy_from_slice(&MARK.seq.to_le_bytes());
            let crc = record_crc(MARK.salt, length, &record[8..]);
            record[4..8].copy_from_slice(&crc.to_le_bytes());
            if let Some(body) = decode_record(MARK, &record) {
                prop_assert_eq!(encode_record(MARK, &body), record);
            }
        }
    }
}
