//! Whether objects are what their names say. Git does not write one that is there already, and does not hash
//! what it reads: a file that an agent put there would be committed, or given back, in place of the true
//! one. Those that lie by themselves are read here, the rest by one git.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use flate2::read::ZlibDecoder;
use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::RealWorkspace;
use super::aside::{directory, lies_aside};
use super::entries::{GITLINK, object_id};
use super::index::{ScratchFile, object};
use super::paths::{repo_path, shown};
use super::place::Place;
use super::run::Git;
use super::scan::{Difference, Scanned};
use super::snapshot::Home;

/// What lies where packs are: name, inode, size and last change, which nobody can choose.
pub(super) type Packs = BTreeSet<(OsString, u64, u64, i64, i64)>;

/// Where false objects lie that were found outside of any attempt.
pub(super) const OBJECTS: &str = "objects";
/// What a path of theirs begins with.
const IN_OBJECTS: &str = ".git/objects/";

const SUBMODULE: &str = "160000";

/// Longest that the header of an object may be.
const LONGEST_HEADER: usize = 64;
/// Larger than any object that is taken for one.
const LARGEST: u64 = 16 << 30;

/// Which of the packed objects git is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packed {
    All,
    /// None where the packs are those from before any agent.
    OfNewPacks,
}

impl Place {
    fn packs(&self) -> Packs {
        let entries = fs::read_dir(self.common_dir.join("objects/pack")).into_iter().flatten();
        let seen = |entry: fs::DirEntry| {
            let there = entry.metadata().ok()?;
            let changed = (there.ctime(), there.ctime_nsec());
            Some((entry.file_name(), there.ino(), there.size(), changed.0, changed.1))
        };
        entries.flatten().filter_map(seen).collect()
    }
}

impl Git {
    /// Nothing of an agent has run since somebody looked: what is packed is not its doing.
    pub(super) fn remember_packs(&mut self) {
        self.packs = Some(self.place.packs());
    }

    fn packs_are_known(&self) -> bool {
        self.packs.as_ref().is_some_and(|packs| *packs == self.place.packs())
    }

    /// Those of some objects that are not there, or with another content than their names say.
    pub(super) fn untrue(
        &self,
        ids: &BTreeSet<ObjectId>,
        packed: Packed,
    ) -> Result<BTreeSet<ObjectId>, GitProblem> {
        let mut found = BTreeSet::new();
        if ids.is_empty() {
            return Ok(found);
        }
        let known = self.packs_are_known();
        let mut asked = Vec::new();
        for id in ids {
            match self.is_true_loose(id) {
                Some(false) => drop(found.insert(id.clone())),
                // Git takes a packed one first.
                Some(true) if !known => asked.push(id),
                Some(true) => {}
                None if known && packed == Packed::OfNewPacks => {}
                None => asked.push(id),
            }
        }
        self.ask_about(&asked, known, &mut found)?;
        Ok(found)
    }

    /// By what git itself reads.
    fn ask_about(
        &self,
        ids: &[&ObjectId],
        known: bool,
        found: &mut BTreeSet<ObjectId>,
    ) -> Result<(), GitProblem> {
        let Some(first) = ids.first() else { return Ok(()) };
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let printed = self.call(["cat-file", "--batch"]).input(input.into_bytes()).run();
        match printed {
            Ok(printed) => {
                let mut rest = &printed[..];
                for id in ids {
                    let is_true = answer(id, &mut rest).unwrap_or(false);
                    found.extend((!is_true).then(|| (*id).clone()));
                }
                Ok(())
            }
            // It stops at one that it cannot read, and prints no more than fits into memory.
            Err(GitProblem::Refused { .. } | GitProblem::TooMuch { .. }) if ids.len() > 1 => {
                let (one, other) = ids.split_at(ids.len() / 2);
                self.ask_about(one, known, found)?;
                self.ask_about(other, known, found)
            }
            Err(GitProblem::TooMuch { .. }) if known => Ok(()),
            Err(GitProblem::Refused { .. }) => {
                found.insert((*first).clone());
                Ok(())
            }
            Err(problem) => Err(problem),
        }
    }

    /// Whether what lies there by itself is the object; none where nothing does.
    fn is_true_loose(&self, id: &ObjectId) -> Option<bool> {
        let path = self.loose(id)?;
        let there = fs::symlink_metadata(&path).ok()?;
        Some(there.is_file() && inflates_to(&path, id).unwrap_or(false))
    }

    /// Takes away what lies in the place of an object and is none, so that the true one can be written,
    /// or shows from a pack.
    pub(super) fn untrue_aside(
        &self,
        ids: &BTreeSet<ObjectId>,
        aside: &Path,
    ) -> Result<(), GitProblem> {
        for id in ids.iter().filter(|id| self.is_true_loose(id) == Some(false)) {
            let (directory, name) = id.as_str().split_at(2);
            let path = format!("objects/{directory}/{name}");
            self.place.move_aside(Home::Common, path.as_bytes(), aside)?;
        }
        Ok(())
    }

    /// Before files are written: each has to be what is recorded, from a true object. One that cannot be
    /// had is named, and nothing is written.
    pub(super) fn vouch_for(&self, differences: &[Difference]) -> Result<(), GitProblem> {
        let ids: BTreeSet<ObjectId> = blobs(differences).map(|(id, _)| id.clone()).collect();
        let untrue = self.untrue(&ids, Packed::OfNewPacks)?;
        if untrue.is_empty() {
            return Ok(());
        }
        self.untrue_aside(&untrue, &directory(&self.place).join(OBJECTS))?;
        let lost = self.untrue(&untrue, Packed::All)?;
        match blobs(differences).find(|(id, _)| lost.contains(id)) {
            None => Ok(()),
            Some((id, path)) => Err(GitProblem::Lost { what: format!("{} ({id})", shown(path)) }),
        }
    }

    /// Refuses an index that was read from a tree and holds something else: a tree can be false too.
    pub(super) fn is_of_tree(
        &self,
        index: &ScratchFile,
        tree: &ObjectId,
    ) -> Result<(), GitProblem> {
        let image = index.image()?;
        match self.entries(&image).and_then(|entries| self.tree_id(&entries)) {
            Some(found) if found != *tree => Err(GitProblem::Lost { what: tree.to_string() }),
            _ => Ok(()),
        }
    }

    /// The objects that an index has at some paths, but those of submodules.
    pub(super) fn objects_at<'p>(
        &self,
        index: &ScratchFile,
        paths: &[&'p [u8]],
    ) -> Result<Vec<(&'p [u8], ObjectId)>, GitProblem> {
        let image = index.image()?;
        if let Some(entries) = self.entries(&image) {
            let named = |path: &&'p [u8]| {
                let at = entries.all.binary_search_by(|entry| entry.path.cmp(path)).ok()?;
                let entry = entries.all.get(at).filter(|entry| entry.mode != GITLINK)?;
                Some((*path, object_id(entry.object)?))
            };
            return Ok(paths.iter().filter_map(named).collect());
        }
        let listed = self.call(["ls-files", "-z", "-s"]).index(&index.path).run()?;
        let wanted: BTreeSet<&[u8]> = paths.iter().copied().collect();
        let mut found = Vec::new();
        for line in listed.split(|byte| *byte == 0) {
            let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
            let head = String::from_utf8_lossy(&line[..tab]);
            let mut words = head.split(' ');
            let (mode, id) = (words.next(), words.next().unwrap_or_default());
            if let Some(path) = wanted.get(&line[tab + 1..])
                && mode != Some(SUBMODULE)
            {
                found.push((*path, object(id)?));
            }
        }
        Ok(found)
    }
}

impl RealWorkspace {
    /// Files of which a false object lay there. One that lies aside was found by an inspection that did not come
    /// to its end.
    pub(super) fn forged_of(&self, base: &Base, scanned: &Scanned) -> Vec<Breach> {
        let found = scanned.forged.iter().map(|path| repo_path(path));
        let mut found: Vec<RepoPath> = found.collect();
        if found.is_empty() {
            let lying = lies_aside(&self.scratch.aside(base.key()), &[]).into_iter();
            let objects = lying.filter(|one| one.path.starts_with(IN_OBJECTS));
            found.extend(objects.map(|one| RepoPath(one.path.into())));
        }
        found.into_iter().map(|path| Breach::ForgedObject { path }).collect()
    }

    /// Lets the objects of some files be true again, from the files. Says of which they cannot.
    pub(super) fn true_again(
        &self,
        differences: &[Difference],
        aside: &Path,
    ) -> Result<Vec<String>, GitProblem> {
        let named: Vec<(&ObjectId, &[u8])> = blobs(differences).collect();
        let ids = named.iter().map(|(id, _)| (*id).clone()).collect();
        let untrue = self.git.untrue(&ids, Packed::OfNewPacks)?;
        if untrue.is_empty() {
            return Ok(Vec::new());
        }
        self.git.untrue_aside(&untrue, aside)?;
        let paths: Vec<&[u8]> =
            named.iter().filter(|(id, _)| untrue.contains(id)).map(|(_, path)| *path).collect();
        self.git.take_in(&self.scratch.index(None)?, &paths, aside)?;
        let untrue = self.git.untrue(&untrue, Packed::All)?;
        let lost = named.iter().filter(|(id, _)| untrue.contains(id));
        Ok(lost.map(|(_, path)| shown(path)).collect())
    }
}

/// The files that differences bring, and where to.
fn blobs(differences: &[Difference]) -> impl Iterator<Item = (&ObjectId, &[u8])> {
    let files = differences.iter().filter(|found| found.new_mode != SUBMODULE);
    files.filter_map(|found| Some((found.new.as_ref()?, found.path.as_slice())))
}

/// Whether the next answer of a batch is the content of an object.
fn answer(id: &ObjectId, rest: &mut &[u8]) -> Option<bool> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&rest[..end]).ok()?;
    let after = &rest[end + 1..];
    *rest = after;
    let [_, kind, size] = line.split(' ').collect::<Vec<_>>()[..] else { return Some(false) };
    let content = after.get(..size.parse().ok()?)?;
    *rest = after.get(content.len() + 1..)?;
    Some(is_named(id, kind, content))
}

/// Whether a name is that of some content.
pub(super) fn is_named(id: &ObjectId, kind: &str, content: &[u8]) -> bool {
    let mut hash = Hash::of(id);
    hash.update(format!("{kind} {}\0", content.len()).as_bytes());
    hash.update(content);
    hash.is(id)
}

fn inflates_to(path: &Path, id: &ObjectId) -> io::Result<bool> {
    let mut reader = ZlibDecoder::new(File::open(path)?);
    let mut hash = Hash::of(id);
    let mut part = vec![0; 64 << 10];
    let (mut left, mut begun) = (None, Vec::new());
    loop {
        let count = match reader.read(&mut part) {
            Ok(0) => return Ok(left == Some(0) && hash.is(id)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hash.update(&part[..count]);
        let mut body = count as u64;
        if left.is_none() {
            begun.extend_from_slice(&part[..count]);
            let Some((header, size)) = header(&begun) else {
                if begun.len() > LONGEST_HEADER {
                    return Ok(false);
                }
                continue;
            };
            (left, body) = (Some(size), (begun.len() - header) as u64);
        }
        // One that says less than it holds ends here.
        match left.and_then(|left| left.checked_sub(body)) {
            Some(after) => left = Some(after),
            None => return Ok(false),
        }
    }
}

/// How long the header is, and what follows by its word.
fn header(begun: &[u8]) -> Option<(usize, u64)> {
    let end = begun.iter().take(LONGEST_HEADER).position(|byte| *byte == 0)?;
    let size = std::str::from_utf8(&begun[..end]).ok()?.split(' ').nth(1)?.parse().ok()?;
    (size <= LARGEST).then_some((end + 1, size))
}

/// As long as the names of the repository.
enum Hash {
    Short(Sha1),
    Long(Sha256),
}

impl Hash {
    fn of(id: &ObjectId) -> Self {
        match id.as_str().len() {
            40 => Self::Short(Sha1::new()),
            _ => Self::Long(Sha256::new()),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Short(hash) => hash.update(bytes),
            Self::Long(hash) => hash.update(bytes),
        }
    }

    fn is(self, id: &ObjectId) -> bool {
        let named = match self {
            Self::Short(hash) => object_id(&hash.finalize()),
            Self::Long(hash) => object_id(&hash.finalize()),
        };
        named.as_ref() == Some(id)
    }
}
