//! Files that a room has before its first agent and that no commit has: copies from the checkout, and
//! what the setup and the tests on the base left. They are put back whenever the room is reset, and
//! are nobody's work.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::RoomKind;
use serde::{Deserialize, Serialize};

use super::super::index::disk;
use super::{RealRooms, Room, remove_any, write_file};
use crate::files::read_bounded;
use crate::root_path::RootPath;

const LONGEST_LIST: usize = 512 << 20;
/// How much is copied. A file beyond that is deleted once somebody changes it.
const MOST_BYTES: u64 = 4 << 30;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BegunFile {
    path: Vec<u8>,
    stamp: Stamp,
    copied: bool,
}

/// By what a change of a file is seen. Nobody sets the last one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    mode: u32,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Room {
    fn begun_list(&self) -> PathBuf {
        self.trusted().join("begun.json")
    }

    /// Copies of these files, out of the agent's reach.
    fn begun_copies(&self) -> Result<RootPath, GitProblem> {
        Ok(RootPath::new(&self.path)?.join("begun"))
    }
}

impl RealRooms {
    /// Notes and copies what is there, once for each unit.
    pub(super) fn note_begun(&self, room: &Room) -> Result<(), GitProblem> {
        if room.begun_list().exists() {
            return Ok(());
        }
        let (tree, copies) = (room.files()?, room.begun_copies()?);
        copies.remove()?;
        let git = self.git_of(room);
        let list = git.call(["ls-files", "-z", "-o"]).index(&room.index()).from(&room.trusted());
        let list = list.run()?;
        let of_submodules = files_below(&tree, self.submodules(room)?);
        let of_submodules = of_submodules.iter().map(Vec::as_slice);
        let (mut begun, mut bytes) = (Vec::new(), 0);
        for path in list.split(|byte| *byte == 0).chain(of_submodules) {
            let at = tree.named(path);
            // A name that ends with a slash is a repository.
            let Some(stamp) = stamp(&at).filter(|_| !path.is_empty() && !path.ends_with(b"/"))
            else {
                continue;
            };
            bytes += stamp.size;
            let copied = bytes <= MOST_BYTES;
            if copied {
                copy(&at, &copies.named(path))?;
            }
            begun.push(BegunFile { path: path.to_vec(), stamp, copied });
        }
        write_list(room, &begun)
    }

    /// Puts these files back as they were, but those that are to stay.
    pub(super) fn restore_begun(
        &self,
        room: &Room,
        stays: &dyn Fn(&[u8]) -> bool,
    ) -> Result<(), GitProblem> {
        let mut begun = list(room);
        let (tree, copies) = (room.files()?, room.begun_copies()?);
        let mut differs = false;
        for file in &mut begun {
            let at = tree.named(&file.path);
            if stays(&file.path) || stamp(&at).as_ref() == Some(&file.stamp) {
                continue;
            }
            differs = true;
            at.make_way()?;
            if file.copied {
                copy(&copies.named(&file.path), &at)?;
                file.stamp = stamp(&at).unwrap_or_else(|| file.stamp.clone());
            }
        }
        if differs { write_list(room, &begun) } else { Ok(()) }
    }

    /// Submodules in which a file of these, or one that the user tracks there, is another one now. What a build adds
    /// or makes anew there is no change.
    pub(super) fn changed_submodules(
        &self,
        room: &Room,
        absent: &[Vec<u8>],
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        let mut submodules = self.submodules(room)?;
        if submodules.is_empty() {
            return Ok(submodules);
        }
        let begun = list(room);
        let (tree, copies) = (room.files()?, room.begun_copies()?);
        let differs = |file: &&BegunFile| {
            let (at, copy) = (tree.named(&file.path), copies.named(&file.path));
            stamp(&at).as_ref() != Some(&file.stamp) && !same_content(&at, &copy)
        };
        submodules.retain(|submodule| {
            let inside = [submodule.as_slice(), b"/"].concat();
            let tracked = self.tracked_in(submodule);
            let counts = |file: &&BegunFile| {
                let name = file.path.strip_prefix(&inside[..]);
                name.is_some_and(|name| tracked.as_ref().is_none_or(|all| all.contains(name)))
            };
            let mut seen = begun.iter().filter(counts).peekable();
            match (seen.peek(), room.record.kind) {
                (None, RoomKind::SamePath) => self.is_changed_through(&tree, submodule, absent),
                _ => seen.any(|file| differs(&file)),
            }
        });
        Ok(submodules)
    }

    /// A submodule's own git is in the git directory that is thrown away: without it, git takes the
    /// submodule for one that was never filled, and leaves its files alone.
    pub(super) fn forget_submodule_gits(&self, room: &Room) -> Result<(), GitProblem> {
        let tree = room.files()?;
        let submodules = self.submodules(room)?;
        submodules.iter().try_for_each(|path| Ok(tree.named(path).join(".git").remove()?))
    }

    /// Whether an ignored file is what the room began with, or what the user has at the same path.
    pub(super) fn is_as_begun(&self, room: &Room, path: &[u8]) -> Result<bool, GitProblem> {
        let (at, copies) = (room.files()?.named(path), room.begun_copies()?);
        Ok(same_content(&at, &copies.named(path))
            || (room.record.kind == RoomKind::SamePath
                && same_content(&at, &self.git.place.at(path))))
    }

    /// The next unit begins with nothing of these.
    pub(super) fn forget_begun(&self, room: &Room) -> Result<(), GitProblem> {
        remove_any(&room.begun_list())?;
        Ok(room.begun_copies()?.remove()?)
    }

    pub(super) fn begun_paths(&self, room: &Room) -> BTreeSet<Vec<u8>> {
        list(room).into_iter().map(|file| file.path).collect()
    }
}

fn list(room: &Room) -> Vec<BegunFile> {
    let bytes = read_bounded(&room.begun_list(), LONGEST_LIST).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn write_list(room: &Room, begun: &[BegunFile]) -> Result<(), GitProblem> {
    write_file(&room.begun_list(), &serde_json::to_vec(begun).unwrap_or_default())
}

/// The stamp of a file or link; none for anything else.
fn stamp(path: &RootPath) -> Option<Stamp> {
    let there = path.there()?;
    let plain = there.is_file() || there.is_symlink();
    plain.then(|| Stamp {
        mode: there.mode(),
        size: there.size(),
        modified: (there.mtime(), there.mtime_nsec()),
        changed: (there.ctime(), there.ctime_nsec()),
    })
}

/// All files in some directories of a tree, but for git's.
pub(super) fn files_below(tree: &RootPath, directories: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let (mut open, mut files) = (directories, Vec::new());
    while let Some(directory) = open.pop() {
        for (name, is_directory) in tree.named(&directory).entries().unwrap_or_default() {
            let path = [directory.as_slice(), b"/", name.as_bytes()].concat();
            match is_directory {
                _ if name == ".git" => {}
                true => open.push(path),
                false => files.push(path),
            }
        }
    }
    files
}

/// True where a file or link of a room is the same as another one. A file of another size is not read: an agent may
/// have made it as large as it likes.
pub(super) fn same_content(one: &RootPath, other: &Path) -> bool {
    if let Some(there) = fs::symlink_metadata(other).ok().filter(fs::Metadata::is_file) {
        let size = usize::try_from(there.len()).unwrap_or(usize::MAX);
        let bytes = one.there().filter(|mine| mine.len() == there.len());
        let bytes = bytes.and_then(|_| one.read_exact(size).ok());
        return bytes.is_some() && bytes == fs::read(other).ok();
    }
    let link = fs::read_link(other).ok().map(|leads| leads.into_os_string().into_encoded_bytes());
    link.is_some() && one.leads_to() == link
}

/// A copy with the same content, rights and date.
fn copy(from: &RootPath, to: &RootPath) -> Result<(), GitProblem> {
    from.copy_to(to).map_err(|error| disk(from, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_compared_with_one_of_its_own_size_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let tree = RootPath::new(scratch.path()).unwrap();
        let [mine, users] = ["mine", "users"].map(|name| tree.join(name));
        for (bytes, expected) in [(b"text", true), (b"next", false)] {
            mine.put(b"text").unwrap();
            users.put(bytes).unwrap();
            assert_eq!(same_content(&mine, &users), expected);
            users.remove().unwrap();
        }
        users.put(b"text").unwrap();
        // More than any memory holds; nothing of it is on the disk.
        mine.remove().unwrap();
        mine.make_file().unwrap().set_len(1 << 42).unwrap();
        assert!(!same_content(&mine, &users));
    }
}
