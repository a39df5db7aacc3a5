//! Reading files that the user named or that git keeps: bounded, with the path in every error. Files of a
//! root are read by [`crate::root_path::RootPath`], which follows no link that a repository brought.

use std::fs::{self, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// An I/O error and the path it happened at.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct PathError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// Directories that hold no documents and can be huge.
pub(crate) const SKIPPED: &[&str] =
    &[".git", ".hast", "node_modules", "target", "worktrees", "attempts"];

/// Reads a file that the user named, over whatever links: at most `limit` bytes and one more, so that
/// the caller can tell that it is larger.
pub fn read_named(path: &Path, limit: usize) -> Result<Vec<u8>, PathError> {
    read_bounded(path, limit)
}

/// As [`read_named`], for files beside a root's: git's, and those of the user's home.
pub(crate) fn read_bounded(path: &Path, limit: usize) -> Result<Vec<u8>, PathError> {
    let at = |source| PathError { path: path.to_owned(), source };
    let not_regular = || at(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    // Asked before opening too: to open a pipe waits for a writer, and of a device may do things.
    if !fs::metadata(path).map_err(at)?.is_file() {
        return Err(not_regular());
    }
    let file = fs::File::open(path).map_err(at)?;
    match file.metadata().map_err(at)?.is_file() {
        true => read_open(file, limit).map_err(at),
        false => Err(not_regular()),
    }
}

/// Reads an open file as far as the limit and one byte more.
pub(crate) fn read_open(file: fs::File, limit: usize) -> io::Result<Vec<u8>> {
    let expected = usize::try_from(file.metadata()?.len()).unwrap_or(limit).min(limit) + 1;
    let mut bytes = Vec::with_capacity(expected);
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file that may be absent.
pub(crate) fn read_if_there(path: &Path, limit: usize) -> Result<Option<Vec<u8>>, PathError> {
    match read_bounded(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The file or directory that stands where the other kind belongs, if an error is about one: a directory in the
/// place of a file, or a file in the place of a directory on the way to it.
#[must_use]
pub fn in_the_way(path: &Path, error: &io::Error) -> Option<PathBuf> {
    match error.kind() {
        io::ErrorKind::IsADirectory => Some(path.to_owned()),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => file_in_the_way(path),
        _ => None,
    }
}

/// The first part of a path that is there and no directory.
pub(crate) fn file_in_the_way(path: &Path) -> Option<PathBuf> {
    let parts: Vec<&Path> = path.ancestors().collect();
    let is_file = |part: &&&Path| fs::metadata(part).is_ok_and(|there| !there.is_dir());
    parts.iter().rev().find(is_file).map(|part| part.to_path_buf())
}

/// Opens every directory of a tree that is to be deleted. A link is no tree.
pub(crate) fn open_directories(top: &Path) {
    if !fs::symlink_metadata(top).is_ok_and(|there| there.is_dir()) {
        return;
    }
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        allow(&directory, 0o700);
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
        }
    }
}

/// Gives the owner these rights where some of them are missing.
pub(crate) fn allow(path: &Path, rights: u32) {
    let Ok(there) = fs::symlink_metadata(path) else { return };
    let mode = there.permissions().mode();
    if mode & rights != rights {
        let _ = fs::set_permissions(path, Permissions::from_mode(mode & 0o7777 | rights));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_stops_at_the_limit_and_names_the_path() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("f");
        io::Write::write_all(&mut fs::File::create(&path).unwrap(), b"123456").unwrap();
        assert_eq!(read_bounded(&path, 3).unwrap(), b"1234");
        assert_eq!(read_bounded(&path, 100).unwrap(), b"123456");
        let error = read_bounded(&root.path().join("none"), 3).unwrap_err();
        assert!(error.to_string().contains("none"));
        assert!(read_bounded(root.path(), 3).is_err());
    }

    #[test]
    fn a_pipe_without_a_writer_is_refused_and_not_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("goals.yaml");
        let fifo = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, fifo, mode, 0).unwrap();
        let error = read_bounded(&path, 3).unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::InvalidInput);
    }
}
