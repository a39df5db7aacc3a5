//! Files of people that hast makes or adds to outside of any flow's state: whole or not at all.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{self, AtFlags, Mode, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::RootPath;
use crate::beneath;
use crate::files::{PathError, read_open};

/// Whether a file was made, or was there and stayed as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    New,
    WasThere,
}

impl RootPath {
    /// Makes a file with its directories. What is there already is never touched, also not by a race.
    pub fn create(&self, bytes: &[u8]) -> Result<Made, PathError> {
        let make = || -> io::Result<Made> {
            if self.kind()?.is_some() {
                return Ok(Made::WasThere);
            }
            if let Some(above) = self.parent() {
                above.make_directories()?;
            }
            let staged = Staged::write(self, bytes, None)?;
            match staged.give_name() {
                Ok(()) => Ok(Made::New),
                Err(Errno::EXIST) => Ok(Made::WasThere),
                Err(errno) => Err(errno.into()),
            }
        };
        make().map_err(|source| self.at(source))
    }

    /// Puts another text in the place of a file, keeping its mode. Refused if the file changed since
    /// `before` was read. A link to a file of the repository stays one.
    pub fn replace(&self, before: &[u8], after: &[u8]) -> Result<(), PathError> {
        let put = || -> io::Result<()> {
            let real = self.resolved()?;
            let file = real.open_file()?;
            let mode = file.metadata()?.permissions();
            let staged = Staged::write(&real, after, Some(mode))?;
            if read_open(real.open_file()?, before.len())? != before {
                let changed = "the file changed while it was edited";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, changed));
            }
            Ok(staged.replace_name()?)
        };
        put().map_err(|source| self.at(source))
    }

    /// Removes a directory with all that is in it; no link on the way or below is followed.
    pub fn remove_directory(&self) -> Result<(), PathError> {
        self.check_directory()?;
        std::fs::remove_dir_all(self.as_path()).map_err(|source| self.at(source))
    }

    /// Makes a directory and those above it, where they are missing.
    pub fn make_directory(&self) -> Result<(), PathError> {
        self.make_directories().map_err(|source| self.at(source))
    }

    pub(super) fn make_directories(&self) -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let mut at = self.open_root()?;
        for name in self.below()? {
            let opened = beneath::open(&at, name.as_ref(), flags, Mode::empty());
            at = match opened {
                Err(Errno::NOENT) => {
                    match fs::mkdirat(&at, name, Mode::from_raw_mode(0o777)) {
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(errno) => return Err(errno.into()),
                    }
                    beneath::open(&at, name.as_ref(), flags, Mode::empty())?
                }
                opened => opened?,
            };
        }
        Ok(())
    }
}

/// The whole text beside its place, safe on the disk before it gets its name.
struct Staged {
    above: OwnedFd,
    name: Vec<u8>,
    staged: Vec<u8>,
}

impl Staged {
    fn write(path: &RootPath, bytes: &[u8], mode: Option<Permissions>) -> io::Result<Self> {
        let (above, name) = path.above()?;
        let prefix = [b".", name.as_bytes(), b".hast-"].concat();
        remove_left_behind(&above, &prefix);
        let staged = [&prefix[..], std::process::id().to_string().as_bytes()].concat();
        let name = name.as_bytes().to_vec();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = fs::openat(&above, &*staged, flags, Mode::from_raw_mode(0o666))?;
        let made = Self { above, name, staged };
        let mut file = File::from(file);
        if let Some(mode) = mode {
            file.set_permissions(mode)?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(made)
    }

    /// Renames without replacing; a file system that cannot do that can link.
    fn give_name(&self) -> rustix::io::Result<()> {
        let Self { above, name, staged } = self;
        match renameat_with(above, &**staged, above, &**name, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                fs::linkat(above, &**staged, above, &**name, AtFlags::empty())?;
            }
            renamed => renamed?,
        }
        sync(above)
    }

    fn replace_name(&self) -> rustix::io::Result<()> {
        let Self { above, name, staged } = self;
        renameat_with(above, &**staged, above, &**name, RenameFlags::empty())?;
        sync(above)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // Gone already where it got its name.
        let _ = fs::unlinkat(&self.above, &*self.staged, AtFlags::empty());
    }
}

/// What a process that was killed had staged. A process that lives may still need its own.
fn remove_left_behind(above: &OwnedFd, prefix: &[u8]) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let listed = fs::openat(above, ".", flags, Mode::empty()).and_then(fs::Dir::new);
    for entry in listed.into_iter().flatten().flatten() {
        let name = entry.file_name().to_bytes();
        let owner = name.strip_prefix(prefix).and_then(|rest| std::str::from_utf8(rest).ok());
        let owner = owner.and_then(|owner| owner.parse::<u32>().ok());
        let ours = std::process::id();
        if owner.is_some_and(|owner| owner == ours || !crate::processes::lives(owner)) {
            let _ = fs::unlinkat(above, name, AtFlags::empty());
        }
    }
}

fn sync(directory: impl AsFd) -> rustix::io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    fs::fsync(fs::openat(directory, ".", flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    fn root() -> (tempfile::TempDir, RootPath) {
        let scratch = tempfile::tempdir().unwrap();
        let root = RootPath::new(scratch.path()).unwrap();
        (scratch, root)
    }

    fn read(path: &Path) -> Vec<u8> {
        std::fs::read(path).unwrap()
    }

    #[test]
    fn a_file_is_made_once_and_never_overwritten() {
        let (_scratch, root) = root();
        let path = root.join("deep/er/file");
        assert_eq!(path.create(b"one").unwrap(), Made::New);
        assert_eq!(path.create(b"two").unwrap(), Made::WasThere);
        assert_eq!(read(&path), b"one");
        let dangling = root.join("link");
        symlink("/nowhere", &dangling).unwrap();
        assert_eq!(dangling.create(b"x").unwrap(), Made::WasThere);
        assert_eq!(root.join("deep/er").names().unwrap().len(), 1);
    }

    #[test]
    fn nothing_is_made_behind_a_link() {
        let (scratch, _) = root();
        let outside = scratch.path().join("outside");
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::create_dir(scratch.path().join("root")).unwrap();
        let root = RootPath::new(&scratch.path().join("root")).unwrap();
        symlink("../outside", root.join("link")).unwrap();
        assert!(root.join("link/file").create(b"x").is_err());
        assert!(root.join("link/deep/file").create(b"x").is_err());
        assert!(root.join("link/deep").make_directory().is_err());
        assert!(root.join("../outside/file").create(b"x").is_err());
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_process_staged_is_removed_and_nothing_else() {
        let (_scratch, root) = root();
        let [dead, alive, other] =
            [".f.hast-4294967295", ".f.hast-1", ".f.hast-notes"].map(|name| root.join(name));
        for path in [&dead, &alive, &other] {
            File::create(path).unwrap();
        }
        root.join("f").create(b"x").unwrap();
        assert!(!dead.exists() && alive.exists() && other.exists());
    }

    #[test]
    fn a_replaced_file_keeps_its_mode_and_its_link() {
        let (_scratch, root) = root();
        let real = root.join("real");
        real.create(b"one").unwrap();
        std::fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
        let link = root.join("link");
        symlink("real", &link).unwrap();
        link.replace(b"one", b"two").unwrap();
        assert_eq!(read(&real), b"two");
        assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(link.symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let (_scratch, root) = root();
        let path = root.join("f");
        path.create(b"theirs").unwrap();
        assert!(path.replace(b"old", b"ours").is_err());
        assert_eq!(read(&path), b"theirs");
        assert_eq!(root.names().unwrap().len(), 1);
    }
}
