//! Objects that are written and read without starting git: a loose object is a header, its content
//! and the hash of both, and has been the same since git began. Whatever is not plain is git's to do.

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::ZlibDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::time::UtcTime;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use sha1::{Digest, Sha1};

use super::config::Writing;
use super::entries::{Entries, IndexEntry, KnownTree, object_id};
use super::index::object;
use super::run::Git;

/// Largest object that is read or written here.
const LARGEST: u64 = 64 << 20;
/// More new trees than this are git's to write.
const MOST_TREES: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blob,
    Tree,
    Commit,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Blob => "blob",
            Self::Tree => "tree",
            Self::Commit => "commit",
        }
    }
}

/// A commit before it is an object.
#[derive(Debug)]
pub(super) struct NewCommit<'c> {
    pub(super) tree: &'c ObjectId,
    pub(super) parents: &'c [&'c ObjectId],
    pub(super) name: &'c str,
    pub(super) email: &'c str,
    pub(super) at: UtcTime,
    pub(super) message: &'c str,
}

impl NewCommit<'_> {
    /// As git prints it; nothing if git would change a name, or refuse.
    fn print(&self) -> Option<String> {
        let seconds = self.at.instant().as_second();
        let plain =
            is_plain_name(self.name) && is_plain_name(self.email) && !self.message.contains('\0');
        (plain && seconds >= 0).then(|| self.text())
    }

    pub(super) fn text(&self) -> String {
        let seconds = self.at.instant().as_second();
        let mut text = format!("tree {}\n", self.tree);
        for parent in self.parents {
            text += &format!("parent {parent}\n");
        }
        let who = format!("{} <{}> {seconds} +0000", self.name, self.email);
        text += &format!("author {who}\ncommitter {who}\n\n{}", self.message);
        text
    }
}

/// Whether git takes a name or an address as it is.
pub(super) fn is_plain_name(text: &str) -> bool {
    let crud = |byte: &u8| *byte <= b' ' || b".,:;<>\"\\'".contains(byte);
    let bytes = text.as_bytes();
    let ends = bytes.first().zip(bytes.last());
    ends.is_some_and(|(first, last)| !crud(first) && !crud(last))
        && !bytes.iter().any(|byte| b"<>\n\0".contains(byte))
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Git {
    /// Writes an object, safe from a power cut once this returns. Nothing: git has to, and its words
    /// tell why it could not be done here.
    pub(super) fn store(&self, kind: Kind, content: &[u8]) -> Option<ObjectId> {
        if self.overrides.writing == Writing::ByGit || content.len() as u64 > LARGEST {
            return None;
        }
        let mut whole = format!("{} {}\0", kind.word(), content.len()).into_bytes();
        whole.extend_from_slice(content);
        let id = object_id(&Sha1::digest(&whole))?;
        let path = self.loose(&id)?;
        // What is there already may have been put there to be taken for it. Ours is synced before it
        // gets its name.
        if self.whole_object(&id).is_some_and(|there| there == whole) {
            return Some(id);
        }
        let directory = path.parent()?;
        fs::create_dir_all(directory).ok()?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let staged = directory.join(format!("tmp_obj_hast_{}_{number}", std::process::id()));
        let written = write_packed(&staged, &whole)
            .and_then(|()| Ok(renameat_with(CWD, &staged, CWD, &path, RenameFlags::empty())?));
        if written.is_err() {
            let _ = fs::remove_file(&staged);
            return None;
        }
        Some(id)
    }

    /// The same commit, by git where it cannot be written here.
    pub(super) fn make_commit(&self, commit: &NewCommit<'_>) -> Result<ObjectId, GitProblem> {
        if let Some(commit) = self.store_commit(commit) {
            return Ok(commit);
        }
        let mut call = self.call(["commit-tree", commit.tree.as_str()]);
        for parent in commit.parents {
            call = call.args(["-p", parent.as_str()]);
        }
        let date = format!("@{} +0000", commit.at.instant().as_second());
        let call = call.synced().input(commit.message.as_bytes().to_vec());
        let call = super::settle::signed_by(call, commit.name, commit.email, &date);
        object(&call.line()?)
    }

    /// Whether an object lies there by itself and is a commit.
    pub(super) fn is_loose_commit(&self, id: &ObjectId) -> bool {
        self.whole_object(id).is_some_and(|whole| whole.starts_with(b"commit "))
    }

    pub(super) fn store_commit(&self, commit: &NewCommit<'_>) -> Option<ObjectId> {
        self.store(Kind::Commit, commit.print()?.as_bytes())
    }

    /// The tree of an index, with those of its trees written that are not known yet.
    pub(super) fn store_tree(&self, entries: &Entries<'_>) -> Option<ObjectId> {
        let mut trees = Trees { git: self, left: MOST_TREES, kept: true };
        object_id(&trees.tree(&entries.all, 0, entries.known.as_ref())?)
    }

    /// The name of that tree, from nothing but the entries.
    pub(super) fn tree_id(&self, entries: &Entries<'_>) -> Option<ObjectId> {
        let mut trees = Trees { git: self, left: usize::MAX, kept: false };
        object_id(&trees.tree(&entries.all, 0, None)?)
    }

    /// The tree of a commit that is a loose object.
    pub(super) fn tree_in_loose(&self, commit: &ObjectId) -> Option<ObjectId> {
        let whole = self.whole_object(commit)?;
        let mut lines = commit_lines(&whole)?;
        std::str::from_utf8(lines.next()?.strip_prefix(b"tree ")?).ok()?.parse().ok()
    }

    /// The parents of a commit that is a loose object.
    pub(super) fn parents_in_loose(&self, commit: &ObjectId) -> Option<Vec<ObjectId>> {
        let whole = self.whole_object(commit)?;
        let lines = commit_lines(&whole)?.skip(1);
        let parents = lines.map_while(|line| line.strip_prefix(b"parent "));
        parents.map(|id| std::str::from_utf8(id).ok()?.parse().ok()).collect()
    }

    /// A loose object with its header, if its content is what its name says.
    fn whole_object(&self, id: &ObjectId) -> Option<Vec<u8>> {
        if self.overrides.writing == Writing::ByGit {
            return None;
        }
        let path = self.loose(id)?;
        fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let mut whole = Vec::new();
        let mut reader = ZlibDecoder::new(File::open(path).ok()?).take(LARGEST + 64);
        reader.read_to_end(&mut whole).ok()?;
        (object_id(&Sha1::digest(&whole))? == *id).then_some(whole)
    }

    pub(super) fn loose(&self, id: &ObjectId) -> Option<PathBuf> {
        let (directory, name) = id.as_str().split_at_checked(2)?;
        Some(self.place.common_dir.join("objects").join(directory).join(name))
    }
}

/// The lines of a commit, its header left out.
fn commit_lines(whole: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let text = whole.strip_prefix(b"commit ")?;
    let start = text.iter().position(|byte| *byte == 0)? + 1;
    Some(text.get(start..)?.split(|byte| *byte == b'\n'))
}

thread_local! {
    /// Larger than most objects by far: it is made once.
    static PACKING: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), true));
}

fn packed(whole: &[u8]) -> io::Result<Vec<u8>> {
    PACKING.with_borrow_mut(|packing| {
        packing.reset();
        let mut packed = Vec::new();
        let (mut taken, mut status) = (0, Status::Ok);
        while status != Status::StreamEnd {
            packed.reserve(1_024 + (whole.len() - taken) / 2);
            status = packing.compress_vec(&whole[taken..], &mut packed, FlushCompress::Finish)?;
            taken = usize::try_from(packing.total_in()).map_err(io::Error::other)?;
        }
        Ok(packed)
    })
}

fn write_packed(path: &std::path::Path, whole: &[u8]) -> io::Result<()> {
    let packed = packed(whole)?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(&packed)?;
    file.set_permissions(Permissions::from_mode(0o444))?;
    file.sync_all()
}

/// Makes trees from entries, which are in the order that trees have.
struct Trees<'g> {
    git: &'g Git,
    left: usize,
    /// Whether they are written, or only their names are wanted.
    kept: bool,
}

impl Trees<'_> {
    /// The tree of entries whose paths have `start` bytes in common.
    fn tree(
        &mut self,
        entries: &[IndexEntry<'_>],
        start: usize,
        known: Option<&KnownTree<'_>>,
    ) -> Option<Vec<u8>> {
        if let Some((count, object)) = known.and_then(|known| known.valid)
            && count == entries.len()
        {
            return Some(object.to_vec());
        }
        self.left = self.left.checked_sub(1)?;
        let mut content = Vec::new();
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let name = first.path.get(start..)?;
            let Some(end) = name.iter().position(|byte| *byte == b'/') else {
                content.extend(format!("{:o} ", first.mode).bytes());
                content.extend_from_slice(name);
                content.push(0);
                content.extend_from_slice(first.object);
                rest = &rest[1..];
                continue;
            };
            let above = first.path.get(..=start + end)?;
            let count = rest.partition_point(|entry| entry.path.starts_with(above));
            let (below, after) = rest.split_at_checked(count)?;
            let name = &name[..end];
            let known = known.and_then(|known| known.below.iter().find(|tree| tree.name == name));
            let object = self.tree(below, start + end + 1, known)?;
            content.extend_from_slice(b"40000 ");
            content.extend_from_slice(name);
            content.push(0);
            content.extend(object);
            rest = after;
        }
        if !self.kept {
            let header = format!("tree {}\0", content.len());
            return Some(
                Sha1::new().chain_update(header).chain_update(content).finalize().to_vec(),
            );
        }
        let id = self.git.store(Kind::Tree, &content)?;
        raw(&id)
    }
}

/// A name of an object as bytes.
pub(super) fn raw(id: &ObjectId) -> Option<Vec<u8>> {
    let digits = id.as_str().as_bytes();
    let half = |digit: u8| char::from(digit).to_digit(16).and_then(|half| u8::try_from(half).ok());
    digits.chunks_exact(2).map(|pair| Some(half(pair[0])? << 4 | half(pair[1])?)).collect()
}
