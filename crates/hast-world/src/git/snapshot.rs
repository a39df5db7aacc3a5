//! Everything about a start that does not fit a line: refs, ignore rules, index flags, and the bytes
//! of protected files. One object of git: a header in JSON, then the bytes it points into.

use std::collections::BTreeMap;
use std::ops::Range;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use serde::{Deserialize, Serialize};

use super::odd::Odd;
use super::refs::Refs;
use super::remaining::Lying;

/// What a start was, besides its commit and its tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Snapshot {
    pub(super) refs: Refs,
    /// The tree of the user's index, where it was not what the work tree had.
    pub(super) index: Option<ObjectId>,
    pub(super) ignores: Vec<u8>,
    pub(super) flags: Flags,
    /// Protected paths of the work tree that no rule names: ignored files that a glob matched, and a
    /// directory of hooks in the tree.
    pub(super) guarded: Vec<Vec<u8>>,
    pub(super) files: Vec<Kept>,
    /// A merge, rebase or the like that was under way.
    pub(super) in_progress: Vec<String>,
    /// What was ignored; a directory ends in `/`.
    pub(super) ignored: Vec<Vec<u8>>,
    /// What is inside of each submodule, in one word.
    pub(super) submodules: BTreeMap<String, String>,
    /// What no commit holds; nothing is known of it where an older hast began.
    pub(super) odd: Option<Odd>,
    /// The repository's other work trees.
    pub(super) others: Vec<Kept>,
    /// What lay aside.
    pub(super) aside: Lying,
}

/// Index entries that git was told not to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) assumed: Vec<Vec<u8>>,
    /// Not in the work tree, as a sparse checkout has it, or there and hidden.
    pub(super) skipped: Vec<Vec<u8>>,
}

/// Where a protected path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Home {
    /// The git directory that work trees share.
    Common,
    /// The work tree's own git directory.
    Own,
    Tree,
}

/// A protected path as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) home: Home,
    pub(super) path: Vec<u8>,
    pub(super) was: Was,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Was {
    Directory {
        mode: u32,
    },
    File {
        mode: u32,
        bytes: Vec<u8>,
    },
    /// Too large to keep: a change is seen, and can be undone only from the tree.
    LargeFile {
        mode: u32,
        size: u64,
        modified: u128,
        changed: i128,
    },
    Link {
        target: Vec<u8>,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    refs: Refs,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index: Option<ObjectId>,
    ignores: Range<usize>,
    assumed: Range<usize>,
    skipped: Range<usize>,
    guarded: Range<usize>,
    files: Vec<FileLine>,
    in_progress: Vec<String>,
    #[serde(default)]
    ignored: Range<usize>,
    #[serde(default)]
    submodules: BTreeMap<String, String>,
    #[serde(default)]
    others: Vec<FileLine>,
    #[serde(default)]
    aside: Lying,
    #[serde(default)]
    odd: Option<OddLine>,
}

#[derive(Serialize, Deserialize)]
struct OddLine {
    special: Range<usize>,
    /// None in a record that did not ask for them: what is new cannot be told then.
    nested: Option<Range<usize>>,
    bare: Range<usize>,
    empty: Range<usize>,
}

#[derive(Serialize, Deserialize)]
struct FileLine {
    home: Home,
    path: Range<usize>,
    kind: Kind,
    mode: u32,
    bytes: Range<usize>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Directory,
    File,
    LargeFile,
    Link,
}

impl Snapshot {
    pub(super) fn encode(&self) -> Result<Vec<u8>, GitProblem> {
        let mut pool = Vec::new();
        let mut put = |bytes: &[u8]| {
            let start = pool.len();
            pool.extend_from_slice(bytes);
            start..pool.len()
        };
        let files = self.files.iter().map(|kept| kept.line(&mut put)).collect();
        let others = self.others.iter().map(|kept| kept.line(&mut put)).collect();
        let odd = self.odd.as_ref().map(|odd| OddLine {
            special: put(&super::index::list(&odd.special)),
            nested: Some(put(&super::index::list(&odd.nested))),
            bare: put(&super::index::list(&odd.bare)),
            empty: put(&super::index::list(&odd.empty)),
        });
        let header = Header {
            version: 1,
            refs: self.refs.clone(),
            index: self.index.clone(),
            ignores: put(&self.ignores),
            assumed: put(&super::index::list(&self.flags.assumed)),
            skipped: put(&super::index::list(&self.flags.skipped)),
            guarded: put(&super::index::list(&self.guarded)),
            files,
            in_progress: self.in_progress.clone(),
            ignored: put(&super::index::list(&self.ignored)),
            submodules: self.submodules.clone(),
            odd,
            others,
            aside: self.aside.clone(),
        };
        let mut out = serde_json::to_vec(&header)
            .map_err(|error| GitProblem::Lost { what: error.to_string() })?;
        out.push(b'\n');
        out.extend(pool);
        Ok(out)
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, GitProblem> {
        let broken = || GitProblem::Lost { what: "the record of a start".to_owned() };
        let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(broken)?;
        let header: Header = serde_json::from_slice(&bytes[..end]).map_err(|_| broken())?;
        let pool = &bytes[end + 1..];
        let get = |range: &Range<usize>| pool.get(range.clone()).ok_or_else(broken);
        let paths = |range: &Range<usize>| -> Result<Vec<Vec<u8>>, GitProblem> {
            let parts = get(range)?.split(|byte| *byte == 0).filter(|path| !path.is_empty());
            Ok(parts.map(<[u8]>::to_vec).collect())
        };
        let kept = |line: &FileLine| -> Result<Kept, GitProblem> {
            let bytes = get(&line.bytes)?.to_vec();
            let was = match line.kind {
                Kind::Directory => Was::Directory { mode: line.mode },
                Kind::File => Was::File { mode: line.mode, bytes },
                Kind::Link => Was::Link { target: bytes },
                Kind::LargeFile => large(line.mode, &bytes).ok_or_else(broken)?,
            };
            Ok(Kept { home: line.home, path: get(&line.path)?.to_vec(), was })
        };
        let odd = match &header.odd {
            None | Some(OddLine { nested: None, .. }) => None,
            Some(line @ OddLine { nested: Some(nested), .. }) => Some(Odd {
                special: paths(&line.special)?,
                nested: paths(nested)?,
                bare: paths(&line.bare)?,
                empty: paths(&line.empty)?,
            }),
        };
        Ok(Self {
            odd,
            ignores: get(&header.ignores)?.to_vec(),
            flags: Flags { assumed: paths(&header.assumed)?, skipped: paths(&header.skipped)? },
            guarded: paths(&header.guarded)?,
            ignored: paths(&header.ignored)?,
            submodules: header.submodules,
            refs: header.refs,
            index: header.index,
            files: header.files.iter().map(kept).collect::<Result<_, _>>()?,
            others: header.others.iter().map(kept).collect::<Result<_, _>>()?,
            aside: header.aside,
            in_progress: header.in_progress,
        })
    }
}

impl Kept {
    fn line(&self, put: &mut impl FnMut(&[u8]) -> Range<usize>) -> FileLine {
        let path = put(&self.path);
        let (kind, mode, bytes) = match &self.was {
            Was::Directory { mode } => (Kind::Directory, *mode, 0..0),
            Was::File { mode, bytes } => (Kind::File, *mode, put(bytes)),
            Was::Link { target } => (Kind::Link, 0, put(target)),
            Was::LargeFile { mode, size, modified, changed } => {
                let stamp = format!("{size} {modified} {changed}");
                (Kind::LargeFile, *mode, put(stamp.as_bytes()))
            }
        };
        FileLine { home: self.home, path, kind, mode, bytes }
    }
}

fn large(mode: u32, stamp: &[u8]) -> Option<Was> {
    let text = std::str::from_utf8(stamp).ok()?;
    let mut words = text.split(' ');
    let size = words.next()?.parse().ok()?;
    let (modified, changed) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some(Was::LargeFile { mode, size, modified, changed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_reads_back_as_it_was_written() {
        let kept = |path: &[u8], was| Kept { home: Home::Tree, path: path.to_vec(), was };
        let snapshot = Snapshot {
            refs: Refs::new(),
            index: Some("a".repeat(40).parse().unwrap()),
            ignores: b"*.o\n".to_vec(),
            flags: Flags { assumed: vec![b"a\xff".to_vec()], skipped: vec![b"b\nc".to_vec()] },
            guarded: vec![b".env".to_vec()],
            files: vec![
                kept(b"d", Was::Directory { mode: 0o755 }),
                kept(b"d/f", Was::File { mode: 0o644, bytes: b"\0\n\xff".to_vec() }),
                kept(b"l", Was::Link { target: b"../x".to_vec() }),
                kept(b"g", Was::LargeFile { mode: 0o644, size: 9, modified: 8, changed: -7 }),
            ],
            in_progress: vec!["MERGE_HEAD".to_owned()],
            ignored: vec![b"target/".to_vec(), b".env".to_vec()],
            submodules: BTreeMap::from([("sub".to_owned(), "empty".to_owned())]),
            odd: Some(Odd {
                special: vec![b"run/socket".to_vec()],
                nested: vec![b"vendor/x".to_vec()],
                bare: vec![b"tests/r.git".to_vec()],
                empty: Vec::new(),
            }),
            others: vec![kept(b"worktrees/w/HEAD", Was::File { mode: 0o644, bytes: vec![1] })],
            aside: BTreeMap::from([("hast/aside/a".to_owned(), "1 2 3.4".to_owned())]),
        };
        assert_eq!(Snapshot::decode(&snapshot.encode().unwrap()).unwrap(), snapshot);
    }

    #[test]
    fn what_is_no_snapshot_is_lost_and_no_panic() {
        for bytes in [&b""[..], b"{}\n", b"x\ny"] {
            assert!(Snapshot::decode(bytes).is_err());
        }
    }
}
