//! Indexes of hast's own beside the user's, and entries of an index without looking at any file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;

use super::place::Place;
use super::run::{Call, Git};
use crate::files::{PathError, file_in_the_way};

pub(super) fn disk(path: &Path, error: impl std::fmt::Display) -> GitProblem {
    if let Some(file) = path.parent().and_then(file_in_the_way) {
        return GitProblem::NoDirectory { path: file.display().to_string() };
    }
    GitProblem::Disk { path: path.display().to_string(), why: error.to_string() }
}

impl From<PathError> for GitProblem {
    fn from(error: PathError) -> Self {
        disk(&error.path, error.source)
    }
}

/// A file of hast's that is removed with its handle.
#[derive(Debug)]
pub(super) struct ScratchFile {
    pub(super) path: PathBuf,
}

impl Drop for ScratchFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        let mut lock = self.path.clone().into_os_string();
        lock.push(".lock");
        let _ = fs::remove_file(lock);
    }
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Place {
    /// The directory of hast's own files inside of the repository of a work tree.
    pub(super) fn own_directory(&self) -> PathBuf {
        self.git_dir.join("hast")
    }

    /// The name of a new file there.
    pub(super) fn scratch(&self, kind: &str) -> Result<ScratchFile, GitProblem> {
        let directory = self.own_directory();
        fs::create_dir_all(&directory).map_err(|error| disk(&directory, error))?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!("{kind}-{}-{number}", std::process::id()));
        Ok(ScratchFile { path })
    }

    /// Deletes the files there of processes that have died.
    pub(super) fn sweep_scratch(&self) {
        for entry in fs::read_dir(self.own_directory()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let owner = name.to_str().and_then(|name| name.split('-').nth(1)?.parse::<u32>().ok());
            if owner.is_some_and(|pid| !crate::processes::lives(pid)) {
                let _ = fs::remove_file(entry.path());
            }
        }
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
    pub(super) fn write_tree(&self, index: &ScratchFile) -> Result<ObjectId, GitProblem> {
        let line = self.call(["write-tree"]).index(&index.path).synced().line()?;
        object(&line)
    }

    pub(super) fn read_tree(&self, index: &ScratchFile, tree: &ObjectId) -> Result<(), GitProblem> {
        self.call(["read-tree", tree.as_str()]).index(&index.path).run().map(|_| ())
    }

    /// Sets entries of an index of hast's.
    pub(super) fn set_entries(
        &self,
        index: &ScratchFile,
        entries: &[Entry],
    ) -> Result<(), GitProblem> {
        if entries.is_empty() {
            return Ok(());
        }
        self.setting_entries(entries).index(&index.path).run().map(|_| ())
    }

    /// The command that sets entries, for an index that its caller names.
    pub(super) fn setting_entries(&self, entries: &[Entry]) -> Call<'_> {
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
        self.call(["update-index", "-z", "--replace", "--index-info"]).input(input)
    }

    /// Lets an index know again the files that it has with their content, but not with their dates.
    /// Git changes no file that it does not know.
    pub(super) fn refresh(&self, index: &Path, paths: &[&[u8]]) -> Result<(), GitProblem> {
        // Its code only says that some have changed; whoever writes them will find that out.
        self.refreshing(paths).index(index).output().map(|_| ())
    }

    /// The command for that, for an index that its caller names.
    pub(super) fn refreshing(&self, paths: &[&[u8]]) -> Call<'_> {
        let call = self.call(["add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul"]);
        call.variable("GIT_LITERAL_PATHSPECS", "1").input(list(paths))
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
