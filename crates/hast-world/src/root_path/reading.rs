//! Reads files of a root: bounded, with the path in every error.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use rustix::fs::{Dir, FileType, Mode, OFlags};

use super::{RootPath, is_link};
use crate::files::{PathError, SKIPPED, read_open};

impl RootPath {
    /// Reads a file, at most `limit` bytes and one more, so that the caller can tell that it is larger.
    pub fn read_bounded(&self, limit: usize) -> Result<Vec<u8>, PathError> {
        self.open_file().and_then(|file| read_open(file, limit)).map_err(|source| self.at(source))
    }

    /// Reads a file that may be absent.
    pub fn read_if_there(&self, limit: usize) -> Result<Option<Vec<u8>>, PathError> {
        match self.read_bounded(limit) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The names in a directory, in no order, without looking at what they name. A directory that is
    /// absent has none; a name that is not text is left out.
    pub fn names(&self) -> Result<Vec<String>, PathError> {
        match self.entries() {
            Ok(entries) => {
                Ok(entries.into_iter().filter_map(|(name, _)| name.into_string().ok()).collect())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(self.at(error)),
        }
    }

    /// Calls `visit` with every file below a directory, in the order of names, and with every directory
    /// that cannot be read. Links to directories are not followed, so that a loop ends.
    pub fn walk(&self, visit: &mut dyn FnMut(Result<&Self, PathError>)) {
        let mut open = vec![self.clone()];
        while let Some(directory) = open.pop() {
            let entries = match directory.entries() {
                Ok(entries) => entries,
                Err(error) => {
                    visit(Err(directory.at(error)));
                    continue;
                }
            };
            let mut below = Vec::new();
            for (name, is_directory) in entries {
                let path = directory.join(&name);
                if is_directory && !SKIPPED.iter().any(|skipped| name == *skipped) {
                    below.push(path);
                } else if !is_directory {
                    visit(Ok(&path));
                }
            }
            open.extend(below.into_iter().rev());
        }
    }

    /// What a directory has, in the order of names, and what of it is a directory.
    pub(crate) fn entries(&self) -> io::Result<Vec<(OsString, bool)>> {
        use std::os::unix::ffi::OsStringExt;
        let directory = self.open(OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        let mut entries = Vec::new();
        for entry in Dir::new(directory)? {
            let entry = entry?;
            let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
            if name == "." || name == ".." {
                continue;
            }
            let is_directory = match entry.file_type() {
                FileType::Unknown => self.join(&name).is_dir(),
                known => known == FileType::Directory,
            };
            entries.push((name, is_directory));
        }
        entries.sort();
        Ok(entries)
    }

    /// An error with its path; the link itself where it tells of one.
    pub(crate) fn at(&self, source: io::Error) -> PathError {
        let link = if is_link(&source) { self.link_on_the_way() } else { None };
        PathError { path: link.unwrap_or_else(|| self.full.clone()), source }
    }

    fn link_on_the_way(&self) -> Option<PathBuf> {
        let above: Vec<Self> = std::iter::successors(Some(self.clone()), Self::parent).collect();
        let is_link = |path: &&Self| path.kind().is_ok_and(|kind| kind == Some(FileType::Symlink));
        above.iter().rev().find(is_link).map(|link| link.full.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_is_in_order_and_leaves_out_what_is_not_ours() {
        let scratch = tempfile::tempdir().unwrap();
        let root = RootPath::new(scratch.path()).unwrap();
        for file in ["b.txt", "a/2.txt", "a/1.txt", ".git/x", "node_modules/y"] {
            root.join(file).create(b"").unwrap();
        }
        std::os::unix::fs::symlink(scratch.path(), root.join("loop")).unwrap();
        let mut seen = Vec::new();
        root.walk(&mut |path| {
            seen.push(path.unwrap().strip_prefix(&*root).unwrap().to_owned());
        });
        let names: Vec<_> = seen.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(names, ["b.txt", "loop", "a/1.txt", "a/2.txt"]);
    }

    #[test]
    fn a_walk_goes_on_after_what_cannot_be_read() {
        let scratch = tempfile::tempdir().unwrap();
        let none = RootPath::new(scratch.path()).unwrap().join("nowhere");
        let mut seen = Vec::new();
        none.walk(&mut |path| seen.push(path.cloned()));
        assert!(matches!(&seen[..], [Err(error)] if error.path == *none));
        assert_eq!(none.names().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_pipe_without_a_writer_is_refused_and_not_waited_for() {
        let scratch = tempfile::tempdir().unwrap();
        let pipe = RootPath::new(scratch.path()).unwrap().join("goals.yaml");
        rustix::fs::mknodat(rustix::fs::CWD, &*pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
        let error = pipe.read_bounded(3).unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::InvalidInput);
        assert!(pipe.exists() && !pipe.is_file());
    }
}
