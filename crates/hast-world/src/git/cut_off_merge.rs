//! A merge that has begun in the user's checkout and did not end: where its branch is decides. What was
//! written for it is taken back exactly, and what is anybody else's is left as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::checkout::Checkout;
use super::diff::Difference;
use super::index::{Entry, disk, list};
use super::place::{At, Place};
use super::refs::HeadNow;
use super::run::Git;
use crate::files::read_bounded;

/// Where it is written down that a merge has begun, beside our other files in the git directory.
const NOTE: &str = "merging";
/// More than the paths of any merge.
const LONGEST_NOTE: usize = 64 << 20;

/// What is known before the first file of a merge is touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Begun {
    /// The branch that is to move, from where and to where.
    name: String,
    from: ObjectId,
    to: ObjectId,
    /// Paths that were already as the merge makes them: nobody writes those.
    already: BTreeSet<Vec<u8>>,
    /// Directories that were not there.
    made: BTreeSet<Vec<u8>>,
}

impl Begun {
    pub(super) fn now(
        place: &Place,
        (name, from, to): (&str, &ObjectId, &ObjectId),
        differences: &[Difference],
        already: BTreeSet<Vec<u8>>,
    ) -> Self {
        let is_made = |above: &&[u8]| !matches!(place.look_at(above), At::Directory);
        let made = directories(differences).into_iter().filter(is_made).map(<[u8]>::to_vec);
        let (made, name) = (made.collect(), name.to_owned());
        Self { name, from: from.clone(), to: to.clone(), already, made }
    }

    /// `name NUL from NUL to NUL`, then each path with a sign in front of it and a NUL behind.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{}\0{}\0{}\0", self.name, self.from, self.to).into_bytes();
        let signed = |sign: u8, path: &Vec<u8>| [&[sign], &path[..], b"\0"].concat();
        bytes.extend(self.already.iter().flat_map(|path| signed(b'=', path)));
        bytes.extend(self.made.iter().flat_map(|path| signed(b'/', path)));
        bytes.extend_from_slice(b"end");
        bytes
    }

    /// What was written before a power cut may be a part of it: then nothing was touched yet.
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut parts = bytes.strip_suffix(b"\0end")?.split(|byte| *byte == 0);
        let mut word = || String::from_utf8(parts.next()?.to_vec()).ok();
        let (name, from, to) = (word()?, word()?.parse().ok()?, word()?.parse().ok()?);
        let (mut already, mut made) = (BTreeSet::new(), BTreeSet::new());
        for part in parts {
            match part.split_first()? {
                (b'=', path) => already.insert(path.to_vec()),
                (b'/', path) => made.insert(path.to_vec()),
                _ => return None,
            };
        }
        Some(Self { name, from, to, already, made })
    }
}

/// Every directory that the new files of a merge are in.
fn directories(differences: &[Difference]) -> BTreeSet<&[u8]> {
    let new = differences.iter().filter(|found| found.new.is_some());
    new.flat_map(|found| {
        let ends = found.path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        ends.map(|(at, _)| &found.path[..at])
    })
    .collect()
}

/// The entries of the user's index as git lists them, by path.
pub(super) struct StagedEntries(BTreeMap<Vec<u8>, Vec<Vec<u8>>>);

impl StagedEntries {
    /// Whether a path is there as an entry says, and in no other way.
    pub(super) fn has(&self, entry: &Entry) -> bool {
        let wanted = entry.object.as_ref().map(|id| format!("{} {id} 0", entry.mode).into_bytes());
        match (wanted, self.0.get(&entry.path).map(Vec::as_slice)) {
            (None, None) => true,
            (Some(wanted), Some([only])) => *only == wanted,
            _ => false,
        }
    }
}

impl Git {
    pub(super) fn staged_entries(&self) -> Result<StagedEntries, GitProblem> {
        let listed = self.call(["ls-files", "-s", "-z"]).users_index().run()?;
        let mut entries: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
        for line in listed.split(|byte| *byte == 0) {
            let mut parts = line.splitn(2, |byte| *byte == b'\t');
            if let (Some(entry), Some(path)) = (parts.next(), parts.next()) {
                entries.entry(path.to_vec()).or_default().push(entry.to_vec());
            }
        }
        Ok(StagedEntries(entries))
    }

    /// Whether something is what the merge writes there, or the beginning of it. Needs no room.
    fn is_beginning(&self, found: &Difference) -> Result<bool, GitProblem> {
        let Some(new) = &found.new else { return Ok(false) };
        match (self.place.look_at(&found.path), found.new_mode.as_str()) {
            (At::File { size: 0 }, "100644" | "100755") => return Ok(true),
            (At::File { .. }, "100644" | "100755") => {}
            (At::Link, "120000") => {
                let whole = self.call(["cat-file", "blob", new.as_str()]).run()?;
                let there = fs::read_link(self.place.at(&found.path));
                return Ok(there.is_ok_and(|there| there.as_os_str().as_bytes() == whole));
            }
            _ => return Ok(false),
        }
        let mut path = OsString::from("--path=");
        path.push(OsStr::from_bytes(&found.path));
        // As git writes it: with the ends of lines and the filters of this checkout.
        let call = self.call(["cat-file", "--filters"]).args([path.as_os_str()]);
        let whole = match call.args([new.as_str()]).run() {
            Err(GitProblem::TooMuch { .. }) => return Ok(false),
            other => other?,
        };
        let there = read_bounded(&self.place.at(&found.path), whole.len());
        Ok(there.is_ok_and(|there| whole.starts_with(&there)))
    }
}

impl Checkout {
    fn merge_note(&self) -> PathBuf {
        self.git.place.own_directory().join(NOTE)
    }

    pub(super) fn note_begun(&self, begun: &Begun) -> Result<(), GitProblem> {
        let (note, file) = (self.merge_note(), self.git.place.scratch(NOTE)?);
        let written = File::create_new(&file.path)
            .and_then(|mut open| open.write_all(&begun.bytes()).and_then(|()| open.sync_all()));
        written.map_err(|error| disk(&file.path, error))?;
        renameat_with(CWD, &file.path, CWD, &note, RenameFlags::empty())
            .map_err(|error| disk(&note, error))
    }

    pub(super) fn forget_begun(&self) {
        // One that stays is found to be over when the next merge begins.
        let _ = fs::remove_file(self.merge_note());
    }

    /// Ends a merge that has begun and did not end: where the branch has it, the index follows; else
    /// what was written of it goes.
    pub(super) fn end_cut_off_merge(&mut self) -> Result<(), GitProblem> {
        let Ok(bytes) = read_bounded(&self.merge_note(), LONGEST_NOTE) else { return Ok(()) };
        let Some(begun) = Begun::read(&bytes) else {
            self.forget_begun();
            return Ok(());
        };
        let Begun { name, from, to, .. } = &begun;
        let found = self.git.resolve(name)?;
        let is_here = match self.git.head()? {
            HeadNow::Branch(head) => head == *name,
            HeadNow::Detached => name == "HEAD",
        };
        match &found {
            Some(found) if found == to && is_here => self.end_at_branch(&begun)?,
            Some(found) if found == to || self.git.is_ancestor(to, found)? => {}
            // Without its objects nobody can tell what it wrote.
            _ if !self.git.has_commit(to)? || !self.git.has_commit(from)? => {}
            _ => self.take_merge_back(&begun)?,
        }
        self.forget_begun();
        Ok(())
    }

    /// The branch has it. Where the index is still the one of before, the user's next commit would take the
    /// merge out: a power cut, or an earlier version that moved the branch first, may leave that.
    fn end_at_branch(&self, begun: &Begun) -> Result<(), GitProblem> {
        let differences = self.git.diff(&begun.from, &begun.to)?;
        let staged = self.git.staged_entries()?;
        let is_before = differences.iter().all(|found| staged.has(&found.old_entry()));
        if is_before { self.index_follows(&differences, &begun.to) } else { Ok(()) }
    }

    /// The paths of a merge as they were before it, where they have what it writes or a beginning of
    /// that. What the user has staged or edited since is theirs.
    fn take_merge_back(&mut self, begun: &Begun) -> Result<(), GitProblem> {
        let differences = self.git.diff(&begun.from, &begun.to)?;
        let mut staged = self.git.staged_entries()?;
        let has_all = differences.iter().all(|found| staged.has(&found.new_entry()));
        if has_all && !differences.is_empty() {
            let back: Vec<Difference> = differences.iter().map(Difference::reversed).collect();
            self.index_follows(&back, &begun.from)?;
            staged = self.git.staged_entries()?;
        }
        let is_ours = |found: &&Difference| {
            !begun.already.contains(&found.path) && staged.has(&found.old_entry())
        };
        let ours: Vec<&Difference> = differences.iter().filter(is_ours).collect();
        let (known, new): (Vec<&Difference>, Vec<&Difference>) =
            ours.into_iter().partition(|found| found.old.is_some());
        for found in self.written(&new)? {
            let path = self.git.place.at(&found.path);
            let gone = match self.git.place.look_at(&found.path) {
                // A submodule that is not there has an empty one.
                At::Directory => fs::remove_dir(&path),
                _ => fs::remove_file(&path),
            };
            gone.map_err(|error| disk(&path, error))?;
        }
        let made =
            directories(&differences).into_iter().filter(|above| begun.made.contains(*above));
        // What is not empty has something else in it, and stays.
        made.rev().for_each(|above| drop(fs::remove_dir(self.git.place.at(above))));
        self.bring_known_back(&known)
    }

    /// Files that were there before, as they were.
    fn bring_known_back(&self, known: &[&Difference]) -> Result<(), GitProblem> {
        let index = self.scratch_index()?;
        let old: Vec<Entry> = known.iter().map(|found| found.old_entry()).collect();
        self.git.set_entries(&index, &old)?;
        let all: Vec<&[u8]> = known.iter().map(|found| found.path.as_slice()).collect();
        let changed: BTreeSet<Vec<u8>> = self.git.unlike(&index.path, &all)?;
        let place = &self.git.place;
        let (gone, there): (Vec<&Difference>, Vec<&Difference>) = known
            .iter()
            .filter(|found| {
                changed.contains(&found.path) && place.file_above(&found.path).is_none()
            })
            .partition(|found| place.look_at(&found.path) == At::Nothing);
        let mut back: Vec<&[u8]> = gone.iter().map(|found| found.path.as_slice()).collect();
        let written = self.written(&there)?;
        back.extend(written.iter().map(|found| found.path.as_slice()));
        if back.is_empty() {
            return Ok(());
        }
        let call = self.git.call(["checkout-index", "-f", "-z", "--stdin"]);
        call.index(&index.path).input(list(&back)).run().map(|_| ())
    }

    /// Of these, those at which there is what the merge writes, or a beginning of it.
    fn written<'d>(&self, all: &[&'d Difference]) -> Result<Vec<&'d Difference>, GitProblem> {
        let there = all.iter().copied().filter(|found| found.new.is_some());
        let there = there.filter(|found| self.git.place.look_at(&found.path) != At::Nothing);
        let there: Vec<&Difference> = there.collect();
        let whole = match self.whole(&there) {
            Err(killed @ GitProblem::Killed { .. }) => return Err(killed),
            // There may be no room for an index until something is gone.
            Err(_) => BTreeSet::new(),
            Ok(whole) => whole,
        };
        let mut written = Vec::new();
        for found in there {
            if whole.contains(&found.path) || self.git.is_beginning(found)? {
                written.push(found);
            }
        }
        Ok(written)
    }

    /// Those of these paths that have all of what the merge writes.
    fn whole(&self, there: &[&Difference]) -> Result<BTreeSet<Vec<u8>>, GitProblem> {
        let index = self.scratch_index()?;
        let new: Vec<Entry> = there.iter().map(|found| found.new_entry()).collect();
        self.git.set_entries(&index, &new)?;
        let paths: Vec<&[u8]> = there.iter().map(|found| found.path.as_slice()).collect();
        let mut whole: BTreeSet<Vec<u8>> = paths.iter().map(|path| path.to_vec()).collect();
        for other in self.git.unlike(&index.path, &paths)? {
            whole.remove(&other);
        }
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written_and_a_part_of_it_is_none() {
        let id = |digit: &str| digit.repeat(40).parse::<ObjectId>().unwrap();
        let paths = |all: &[&[u8]]| all.iter().map(|path| path.to_vec()).collect();
        let begun = Begun {
            name: "refs/heads/main".into(),
            from: id("a"),
            to: id("b"),
            already: paths(&[b"a\nb", b"\xff"]),
            made: paths(&[b"src/new"]),
        };
        let bytes = begun.bytes();
        assert_eq!(Begun::read(&bytes), Some(begun));
        for end in 0..bytes.len() {
            assert_eq!(Begun::read(&bytes[..end]), None, "{end}");
        }
    }
}
