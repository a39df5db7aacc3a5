//! Indexes of our own, so that the user's is not disturbed, and how the user's gets its content.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::config::Writing;
use super::entries::Entries;
use super::hooking::HookFiles;
use super::place::Place;
use super::run::Git;

pub(super) fn disk(path: &Path, error: impl std::fmt::Display) -> GitProblem {
    GitProblem::Disk { path: path.display().to_string(), why: error.to_string() }
}

/// An index as bytes, with the time that tells git which entries it must look at twice.
#[derive(Clone, Debug)]
pub(super) struct IndexImage {
    bytes: Rc<Vec<u8>>,
    modified: SystemTime,
}

impl IndexImage {
    /// The user's index; none where there is no such file.
    pub(super) fn of_user(git: &Git) -> Result<Option<Self>, GitProblem> {
        Self::read(&git.place.git_dir.join("index"))
    }

    pub(super) fn read(path: &Path) -> Result<Option<Self>, GitProblem> {
        let time = |file: &fs::Metadata| file.modified();
        match fs::metadata(path).and_then(|file| time(&file)) {
            Ok(modified) => {
                let bytes = fs::read(path).map_err(|error| disk(path, error))?;
                Ok(Some(Self { bytes: Rc::new(bytes), modified }))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(disk(path, error)),
        }
    }

    /// One that no git wrote.
    pub(super) fn made(bytes: Vec<u8>, modified: SystemTime) -> Self {
        Self { bytes: Rc::new(bytes), modified }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn has_bytes_of(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.bytes, &other.bytes) || self.bytes == other.bytes
    }

    /// Whether the user's index is this one already. Its time counts: it tells git which entries
    /// it must look at twice.
    pub(super) fn is_installed(&self, git: &Git) -> bool {
        let there = Self::of_user(git).ok().flatten();
        there.is_some_and(|there| there.modified == self.modified && self.has_bytes_of(&there))
    }

    /// Puts this where the user's index is, under git's own lock. The lock is another name of a
    /// file of ours, so that after a death it is known whose it was.
    pub(super) fn install(&self, git: &Git, scratch: &Scratch) -> Result<(), GitProblem> {
        let index = git.place.git_dir.join("index");
        let lock = git.place.git_dir.join(LOCK);
        let file = scratch.file(OWN_LOCK, &self.bytes)?;
        File::options()
            .write(true)
            .open(&file.path)
            .and_then(|open| open.set_modified(self.modified).and_then(|()| open.sync_all()))
            .map_err(|error| disk(&file.path, error))?;
        let until = Instant::now() + LOCKED_FOR;
        loop {
            match fs::hard_link(&file.path, &lock) {
                Ok(()) => break,
                // An editor that asks git for its status has it for a moment.
                Err(error)
                    if error.kind() == ErrorKind::AlreadyExists && Instant::now() < until =>
                {
                    std::thread::sleep(ASK_AGAIN);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    return Err(GitProblem::Locked { path: lock.display().to_string() });
                }
                Err(error) => return Err(disk(&lock, error)),
            }
        }
        renameat_with(CWD, &lock, CWD, &index, RenameFlags::empty()).map_err(|error| {
            let _ = fs::remove_file(&lock);
            disk(&index, error)
        })
    }
}

/// How long somebody else's lock is waited for.
const LOCKED_FOR: Duration = Duration::from_secs(2);
const ASK_AGAIN: Duration = Duration::from_millis(5);

/// Git's lock of the user's index, and what ours are called.
const LOCK: &str = "index.lock";
const HOOK: &str = "hook";
pub(super) const OWN_LOCK: &str = "lock";

/// Where our own indexes and lists live, inside of the work tree's git directory.
#[derive(Debug)]
pub(super) struct Scratch {
    directory: PathBuf,
    branches: PathBuf,
    /// What no ref holds outlasts the work tree that it was found in.
    aside: PathBuf,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Scratch {
    pub(super) fn new(place: &Place) -> Result<Self, GitProblem> {
        let branches = place.common_dir.join("refs").join("heads");
        let (directory, aside) = (place.git_dir.join("hast"), super::aside::directory(place));
        let scratch = Self { directory, branches, aside };
        scratch.make()?;
        scratch.remove_left_behind();
        Ok(scratch)
    }

    /// An agent may have put something else in its place.
    fn make(&self) -> Result<(), GitProblem> {
        let there = fs::symlink_metadata(&self.directory);
        if there.as_ref().is_ok_and(|there| !there.is_dir()) {
            fs::remove_file(&self.directory).map_err(|error| disk(&self.directory, error))?;
        }
        fs::create_dir_all(&self.directory).map_err(|error| disk(&self.directory, error))
    }

    fn fresh(&self, kind: &str) -> Result<PathBuf, GitProblem> {
        self.make()?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(self.directory.join(format!("{kind}-{}-{number}", std::process::id())))
    }

    fn remove_left_behind(&self) {
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| name.split('-').nth(1)?.parse::<u32>().ok());
            if owner.is_some_and(|pid| !crate::processes::lives(pid)) {
                self.release(&entry.path());
                let _ = fs::remove_file(entry.path());
                if name.as_encoded_bytes().starts_with(HOOK.as_bytes()) {
                    let _ = fs::remove_dir_all(entry.path());
                }
            }
        }
    }

    /// The lock of the user's index or of a branch, if it is another name of what a dead process
    /// left.
    fn release(&self, left: &Path) {
        let of = |path: &Path| fs::symlink_metadata(path).map(|file| (file.dev(), file.ino())).ok();
        let Ok(ours) = fs::symlink_metadata(left) else { return };
        if ours.nlink() < 2 {
            return;
        }
        let index = self.directory.parent().map(|git_dir| git_dir.join(LOCK));
        for lock in index.into_iter().chain(super::locks::locks_below(&self.branches)) {
            if of(&lock) == Some((ours.dev(), ours.ino())) {
                let _ = fs::remove_file(lock);
            }
        }
    }

    /// A file with this content that goes with its handle.
    pub(super) fn file(&self, kind: &str, bytes: &[u8]) -> Result<ScratchFile, GitProblem> {
        let file = ScratchFile { path: self.fresh(kind)? };
        let path = &file.path;
        File::create_new(path)
            .and_then(|mut open| open.write_all(bytes))
            .map_err(|error| disk(path, error))?;
        Ok(file)
    }

    /// An index from an image, or an empty one.
    pub(super) fn index(&self, image: Option<&IndexImage>) -> Result<ScratchFile, GitProblem> {
        let Some(image) = image else { return Ok(ScratchFile { path: self.fresh("index")? }) };
        let file = self.file("index", &image.bytes)?;
        let opened = File::options().write(true).open(&file.path);
        opened
            .and_then(|open| open.set_modified(image.modified))
            .map_err(|error| disk(&file.path, error))?;
        Ok(file)
    }

    /// A directory that hooks may write to, with the message of a commit.
    pub(super) fn for_hooks(&self, message: &[u8]) -> Result<HookFiles, GitProblem> {
        let files = HookFiles::new(self.fresh(HOOK)?)?;
        let path = &files.message.path;
        let written = File::create_new(path).and_then(|mut open| open.write_all(message));
        written.map_err(|error| disk(path, error))?;
        Ok(files)
    }

    /// Where things that no ref holds are kept.
    pub(super) fn aside(&self, key: &str) -> PathBuf {
        self.aside.join(hast_flow::attempt::base::ref_part(key))
    }
}

/// A file of ours that is removed with its handle.
#[derive(Debug)]
pub(super) struct ScratchFile {
    pub(super) path: PathBuf,
}

impl ScratchFile {
    pub(super) fn image(&self) -> Result<IndexImage, GitProblem> {
        let image = IndexImage::read(&self.path)?;
        image.ok_or_else(|| disk(&self.path, "the index is gone"))
    }
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        let mut lock = self.path.clone().into_os_string();
        lock.push(".lock");
        let _ = fs::remove_file(lock);
    }
}

/// One entry for an index; no object means that the path goes.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) path: Vec<u8>,
    pub(super) mode: String,
    pub(super) object: Option<ObjectId>,
}

impl Git {
    /// What an index holds, where that needs no git.
    pub(super) fn entries<'i>(&self, image: &'i IndexImage) -> Option<Entries<'i>> {
        match self.overrides.writing {
            Writing::ByGit => None,
            Writing::Plain => Entries::read(&image.bytes),
        }
    }

    /// The tree of an index, and the index as it is then.
    pub(super) fn tree_of_index(
        &self,
        index: &ScratchFile,
        image: IndexImage,
    ) -> Result<(ObjectId, IndexImage), GitProblem> {
        if let Some(tree) = self.entries(&image).and_then(|entries| self.store_tree(&entries)) {
            return Ok((tree, image));
        }
        Ok((self.write_tree(index)?, index.image()?))
    }

    pub(super) fn write_tree(&self, index: &ScratchFile) -> Result<ObjectId, GitProblem> {
        let line = self.call(["write-tree"]).index(&index.path).synced().line()?;
        object(&line)
    }

    pub(super) fn read_tree(&self, index: &ScratchFile, tree: &ObjectId) -> Result<(), GitProblem> {
        self.call(["read-tree", tree.as_str()]).index(&index.path).run().map(|_| ())
    }

    /// Sets entries without looking at any file.
    pub(super) fn set_entries(
        &self,
        index: &ScratchFile,
        entries: &[Entry],
    ) -> Result<(), GitProblem> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut input = Vec::new();
        // What goes comes first: a file may take the place of a directory.
        let (gone, set): (Vec<&Entry>, Vec<&Entry>) =
            entries.iter().partition(|entry| entry.object.is_none());
        for entry in gone.into_iter().chain(set) {
            match &entry.object {
                Some(object) => input.extend(format!("{} {object}\t", entry.mode).bytes()),
                None => {
                    let zero = self.overrides.object_format.zero();
                    input.extend(format!("0 {zero}\t").bytes());
                }
            }
            input.extend_from_slice(&entry.path);
            input.push(0);
        }
        let call = self.call(["update-index", "-z", "--replace", "--index-info"]);
        call.index(&index.path).input(input).run().map(|_| ())
    }

    /// A word such as `--skip-worktree` for each of some paths.
    pub(super) fn mark(
        &self,
        index: &ScratchFile,
        word: &str,
        paths: &[&[u8]],
    ) -> Result<(), GitProblem> {
        if paths.is_empty() {
            return Ok(());
        }
        let call = self.call(["update-index", "-z", word, "--stdin"]);
        call.index(&index.path).input(list(paths)).run().map(|_| ())
    }
}

/// Paths as `-z` lists them.
pub(super) fn list<P: AsRef<[u8]>>(paths: &[P]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in paths {
        bytes.extend_from_slice(path.as_ref());
        bytes.push(0);
    }
    bytes
}

pub(super) fn object(text: &str) -> Result<ObjectId, GitProblem> {
    text.trim().parse().map_err(|_| GitProblem::Lost { what: text.chars().take(80).collect() })
}
