//! Reading the user's files: bounded, with the path in every error.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// An I/O error and the path it happened at.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct PathError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// Directories that hold no documents and can be huge.
const SKIPPED: &[&str] = &[".git", ".hast", "node_modules", "target", "worktrees", "attempts"];

/// Reads a file, at most `limit` bytes and one more, so that the caller can tell that it is larger.
pub fn read_bounded(path: &Path, limit: usize) -> Result<Vec<u8>, PathError> {
    let at = |source| PathError { path: path.to_owned(), source };
    let not_regular = || at(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    // Asked before opening too: to open a pipe waits for a writer, and of a device may do things.
    if !fs::metadata(path).map_err(at)?.is_file() {
        return Err(not_regular());
    }
    let file = fs::File::open(path).map_err(at)?;
    let metadata = file.metadata().map_err(at)?;
    if !metadata.is_file() {
        return Err(not_regular());
    }
    let expected = usize::try_from(metadata.len()).unwrap_or(limit).min(limit) + 1;
    let mut bytes = Vec::with_capacity(expected);
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes).map_err(at)?;
    Ok(bytes)
}

/// Reads a file that may be absent.
pub fn read_if_there(path: &Path, limit: usize) -> Result<Option<Vec<u8>>, PathError> {
    match read_bounded(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The names in a directory, in no order, without looking at what they name. A directory that is
/// absent has none; a name that is not text is left out.
pub fn names(directory: &Path) -> Result<Vec<String>, PathError> {
    let at = |source| PathError { path: directory.to_owned(), source };
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(at(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(at)?.file_name().into_string());
    }
    Ok(names)
}

/// Calls `visit` with every file below a directory, in the order of names, and with every directory
/// that cannot be read. Links to directories are not followed, so that a loop ends.
pub fn walk(directory: &Path, visit: &mut dyn FnMut(Result<&Path, PathError>)) {
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        let entries = match sorted_entries(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                visit(Err(error));
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

fn sorted_entries(directory: &Path) -> Result<Vec<(std::ffi::OsString, bool)>, PathError> {
    let at = |source| PathError { path: directory.to_owned(), source };
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).map_err(at)? {
        let entry = entry.map_err(at)?;
        entries.push((entry.file_name(), entry.file_type().map_err(at)?.is_dir()));
    }
    entries.sort();
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_is_in_order_and_leaves_out_what_is_not_ours() {
        let root = tempfile::tempdir().unwrap();
        for file in ["b.txt", "a/2.txt", "a/1.txt", ".git/x", "node_modules/y"] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::File::create(path).unwrap();
        }
        std::os::unix::fs::symlink(root.path(), root.path().join("loop")).unwrap();
        let mut seen = Vec::new();
        walk(root.path(), &mut |path| {
            seen.push(path.unwrap().strip_prefix(root.path()).unwrap().to_owned());
        });
        let names: Vec<_> = seen.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(names, ["b.txt", "loop", "a/1.txt", "a/2.txt"]);
    }

    #[test]
    fn a_walk_goes_on_after_what_cannot_be_read() {
        let mut seen = Vec::new();
        walk(Path::new("/nowhere/at/all"), &mut |path| seen.push(path.map(Path::to_owned)));
        assert!(matches!(&seen[..], [Err(error)] if error.path == Path::new("/nowhere/at/all")));
    }

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
