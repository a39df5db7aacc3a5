//! Files of people that hast makes or adds to outside of any flow's state: whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::files::PathError;

/// Whether a file was made, or was there and stayed as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    New,
    WasThere,
}

/// Makes a file with its directories. What is there already is never touched, also not by a race.
pub fn create(path: &Path, bytes: &[u8]) -> Result<Made, PathError> {
    let at = |source| PathError { path: path.to_owned(), source };
    if path.symlink_metadata().is_ok() {
        return Ok(Made::WasThere);
    }
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(at)?;
    let staged = stage(path, bytes, None)?;
    match give_name(&staged, path) {
        Ok(()) => sync_directory(directory).map(|()| Made::New),
        Err(rustix::io::Errno::EXIST) => {
            let _ = fs::remove_file(&staged);
            Ok(Made::WasThere)
        }
        Err(error) => {
            let _ = fs::remove_file(&staged);
            Err(at(error.into()))
        }
    }
}

/// Makes a directory and those above it, where they are missing.
pub fn make_directory(path: &Path) -> Result<(), PathError> {
    fs::create_dir_all(path).map_err(|source| PathError { path: path.to_owned(), source })
}

/// Renames without replacing; a file system that cannot do that can link.
fn give_name(staged: &Path, path: &Path) -> rustix::io::Result<()> {
    use rustix::io::Errno;
    match renameat_with(CWD, staged, CWD, path, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            rustix::fs::link(staged, path)?;
            rustix::fs::unlink(staged)
        }
        other => other,
    }
}

/// Puts another text in the place of a file, keeping its mode. Refused if the file changed since
/// `before` was read. A link is followed, so that it stays one.
pub fn replace(path: &Path, before: &[u8], after: &[u8]) -> Result<(), PathError> {
    let at = |source| PathError { path: path.to_owned(), source };
    let real = path.canonicalize().map_err(at)?;
    let mode = fs::metadata(&real).map_err(at)?.permissions();
    let staged = stage(&real, after, Some(mode))?;
    let changed = fs::read(&real).map_or(true, |now| now != before);
    if changed {
        let _ = fs::remove_file(&staged);
        return Err(at(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "the file changed while it was edited",
        )));
    }
    renameat_with(CWD, &staged, CWD, &real, RenameFlags::empty()).map_err(|error| {
        let _ = fs::remove_file(&staged);
        at(error.into())
    })?;
    sync_directory(real.parent().unwrap_or(Path::new(".")))
}

/// The whole text beside its place, safe on the disk before it gets its name.
fn stage(path: &Path, bytes: &[u8], mode: Option<fs::Permissions>) -> Result<PathBuf, PathError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.hast-");
    remove_left_behind(path, &prefix);
    let staged = path.with_file_name(format!("{prefix}{}", std::process::id()));
    let at = |source| PathError { path: staged.clone(), source };
    let write = || -> io::Result<()> {
        let mut file = File::create_new(&staged)?;
        if let Some(mode) = mode {
            file.set_permissions(mode)?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&staged);
        at(error)
    })?;
    Ok(staged)
}

/// What a process that was killed had staged. A process that lives may still need its own.
fn remove_left_behind(path: &Path, prefix: &str) {
    let entries = path.parent().and_then(|directory| fs::read_dir(directory).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(prefix)?.parse::<u32>().ok());
        let ours = std::process::id();
        if owner.is_some_and(|owner| owner == ours || !crate::processes::lives(owner)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn sync_directory(directory: &Path) -> Result<(), PathError> {
    let at = |source| PathError { path: directory.to_owned(), source };
    File::open(directory).and_then(|directory| directory.sync_all()).map_err(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_file_is_made_once_and_never_overwritten() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("deep/er/file");
        assert_eq!(create(&path, b"one").unwrap(), Made::New);
        assert_eq!(create(&path, b"two").unwrap(), Made::WasThere);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        let dangling = root.path().join("link");
        symlink("/nowhere", &dangling).unwrap();
        assert_eq!(create(&dangling, b"x").unwrap(), Made::WasThere);
        assert_eq!(fs::read_dir(root.path().join("deep/er")).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_process_staged_is_removed_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let dead = root.path().join(".f.hast-4294967295");
        let alive = root.path().join(".f.hast-1");
        let other = root.path().join(".f.hast-notes");
        for path in [&dead, &alive, &other] {
            File::create(path).unwrap();
        }
        create(&root.path().join("f"), b"x").unwrap();
        assert!(!dead.exists() && alive.exists() && other.exists());
    }

    #[test]
    fn a_replaced_file_keeps_its_mode_and_its_link() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().join("real");
        create(&real, b"one").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        let link = root.path().join("link");
        symlink("real", &link).unwrap();
        replace(&link, b"one", b"two").unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"two");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(link.symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("f");
        create(&path, b"theirs").unwrap();
        assert!(replace(&path, b"old", b"ours").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }
}
