//! The index and the tree with one file changed, without starting git. Only where git would take the
//! file's bytes as they are: no attributes anywhere that could speak of it, no line ends to convert.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use hast_flow::attempt::base::ObjectId;
use sha1::{Digest, Sha1};

use super::RealWorkspace;
use super::entries::{Entries, ID, KnownTree, MODE, STAT, TREE};
use super::index::IndexImage;
use super::objects::{Kind, raw};
use crate::files::read_bounded;

const ATTRIBUTES: &str = ".gitattributes";
const PLAIN_FILE: u32 = 0o100_644;
/// Larger files are git's to read.
const LARGEST: usize = 16 << 20;

impl RealWorkspace {
    /// The user's index with the content that a file has now. Nothing: git has to.
    pub(super) fn index_with_file(&self, users: &IndexImage, path: &str) -> Option<IndexImage> {
        let entries = self.git.entries(users)?;
        if self.has_attributes(path, &entries) {
            return None;
        }
        let place = self.git.place.at(path.as_bytes());
        let before = fs::symlink_metadata(&place).ok().filter(fs::Metadata::is_file)?;
        let content = read_bounded(&place, LARGEST).ok()?;
        let after = fs::symlink_metadata(&place).ok()?;
        let seen = |file: &fs::Metadata| (file.ino(), file.size(), file.ctime(), file.ctime_nsec());
        if seen(&before) != seen(&after) || content.contains(&b'\r') {
            return None;
        }
        let object = self.git.store(Kind::Blob, &content)?;
        let bytes = with_file(users.bytes(), &entries, path.as_bytes(), (&after, &object))?;
        // Not later than the file: git looks at it twice, as at all that changed since.
        Some(IndexImage::made(bytes, after.modified().ok()?))
    }

    /// Whether some file of attributes could speak of a path. What it says is git's to know.
    fn has_attributes(&self, path: &str, entries: &Entries<'_>) -> bool {
        let mut beside: Vec<String> = vec![ATTRIBUTES.to_owned()];
        for (at, _) in path.match_indices('/') {
            beside.push(format!("{}/{ATTRIBUTES}", &path[..at]));
        }
        let listed = |name: &String| {
            entries.all.binary_search_by(|entry| entry.path.cmp(name.as_bytes())).is_ok()
        };
        let top = &self.git.place.top;
        let mut files: Vec<PathBuf> = beside.iter().map(|name| top.join(name)).collect();
        files.push(self.git.place.common_dir.join("info").join("attributes"));
        files.extend(self.config.attributes_file.clone());
        beside.iter().any(listed) || files.iter().any(|file| file.symlink_metadata().is_ok())
    }
}

/// An index in which one entry is a file as it is now.
fn with_file(
    bytes: &[u8],
    entries: &Entries<'_>,
    path: &[u8],
    (file, object): (&fs::Metadata, &ObjectId),
) -> Option<Vec<u8>> {
    let at = entries.all.binary_search_by(|entry| entry.path.cmp(path)).ok()?;
    let entry = &entries.all[at];
    // What other extensions say may not be true of the new one.
    if entries.others || entry.mode != PLAIN_FILE || entry.assumed || entry.skipped {
        return None;
    }
    let mut new = bytes.get(..entries.end)?.to_vec();
    let (times, owner) = looks(file);
    put(&mut new, entry.at, &times)?;
    put(&mut new, entry.at + MODE + 4, &owner)?;
    new.get_mut(entry.at + STAT..)?.get_mut(..ID)?.copy_from_slice(&raw(object)?);
    if let Some(known) = &entries.known {
        let mut trees = Vec::new();
        print(known, Some(path), &mut trees);
        new.extend_from_slice(TREE);
        new.extend(u32::to_be_bytes(u32::try_from(trees.len()).ok()?));
        new.extend(trees);
    }
    let checksum = Sha1::digest(&new);
    new.extend(checksum);
    Some(new)
}

fn put(bytes: &mut [u8], at: usize, numbers: &[u32]) -> Option<()> {
    let places = bytes.get_mut(at..)?.chunks_exact_mut(4);
    for (place, number) in places.zip(numbers) {
        place.copy_from_slice(&number.to_be_bytes());
    }
    Some(())
}

/// The trees that git remembers; those above what changed are not known any more.
fn print(known: &KnownTree<'_>, changed: Option<&[u8]>, into: &mut Vec<u8>) {
    into.extend_from_slice(known.name);
    into.push(0);
    match known.valid.filter(|_| changed.is_none()) {
        Some((count, object)) => {
            into.extend(format!("{count} {}\n", known.below.len()).bytes());
            into.extend_from_slice(object);
        }
        None => into.extend(format!("-1 {}\n", known.below.len()).bytes()),
    }
    for below in &known.below {
        let inside = changed.and_then(|path| path.strip_prefix(below.name)?.strip_prefix(b"/"));
        print(below, inside, into);
    }
}

/// What git remembers of a file besides its content: enough of each number to see that it changed.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as git keeps them")]
fn looks(file: &fs::Metadata) -> ([u32; 6], [u32; 3]) {
    let times = [file.ctime(), file.ctime_nsec(), file.mtime(), file.mtime_nsec()];
    let [changed, changed_ns, modified, modified_ns] = times.map(|number| number as u32);
    let [device, inode, size] = [file.dev(), file.ino(), file.size()].map(|number| number as u32);
    let when = [changed, changed_ns, modified, modified_ns, device, inode];
    (when, [file.uid(), file.gid(), size])
}
