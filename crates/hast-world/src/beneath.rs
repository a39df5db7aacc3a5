//! Opens names below a directory and follows no link on the way, whoever made the names. A link is told
//! as [`Errno::LOOP`], a name that leaves the directory as [`Errno::XDEV`].

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

/// Opens a path below a directory. The path itself may name the directory with `.`.
pub(crate) fn open(
    dir: impl AsFd,
    path: &Path,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    // A mode without a file to make is an error of this call.
    let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
    match system::open(dir.as_fd(), path, flags, mode) {
        // No such call on this system, or whoever guards it does not know the call. What is no directory
        // may be a link, which only a second look tells.
        Err(Errno::NOSYS | Errno::PERM | Errno::NOTDIR) => by_parts(dir.as_fd(), path, flags, mode),
        opened => opened,
    }
}

/// Opens the directory that a path lies in, for what is done with its last name alone.
pub(crate) fn open_above(dir: impl AsFd, path: &Path) -> Result<OwnedFd, Errno> {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    open(dir, above.unwrap_or(Path::new(".")), flags, Mode::empty())
}

#[cfg(target_os = "linux")]
mod system {
    use super::*;
    use rustix::fs::ResolveFlags;

    pub(super) fn open(
        dir: BorrowedFd<'_>,
        path: &Path,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        fs::openat2(dir, path, flags, mode, resolve)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::*;

    pub(super) fn open(_: BorrowedFd<'_>, _: &Path, _: OFlags, _: Mode) -> Result<OwnedFd, Errno> {
        Err(Errno::NOSYS)
    }
}

/// The same one name at a time, for systems that cannot do it in one call.
fn by_parts(dir: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let mut names: Vec<&OsStr> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Errno::XDEV);
            }
        }
    }
    let last = names.pop().unwrap_or(OsStr::new("."));
    let mut held: Option<OwnedFd> = None;
    let above = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    for name in names {
        let at = held.as_ref().map_or(dir, AsFd::as_fd);
        held = Some(one(at, name, above, Mode::empty())?);
    }
    one(held.as_ref().map_or(dir, AsFd::as_fd), last, flags, mode)
}

/// A link in the place of a directory is told as a link.
fn one(at: BorrowedFd<'_>, name: &OsStr, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    fs::openat(at, name, flags, mode).map_err(|errno| {
        let is_link = || {
            let stat = fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW);
            stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
        };
        if errno == Errno::NOTDIR && is_link() { Errno::LOOP } else { errno }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    type Way = fn(BorrowedFd<'_>, &Path, OFlags, Mode) -> Result<OwnedFd, Errno>;

    #[test]
    fn no_link_is_followed_and_nothing_above_is_reached_in_one_call_and_by_parts() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::File::create(root.join("a/b/file")).unwrap();
        symlink("a", root.join("inside")).unwrap();
        symlink("a/b/file", root.join("last")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let dir: OwnedFd = std::fs::File::open(&root).unwrap().into();
        let either: Way = |dir, path, flags, mode| open(dir, path, flags, mode);
        let parts: Way = |dir, path, flags, mode| {
            by_parts(dir, path, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, mode)
        };
        for way in [either, parts] {
            let opened = |path: &str, flags| {
                way(dir.as_fd(), Path::new(path), flags, Mode::empty()).map(drop)
            };
            let read = OFlags::RDONLY;
            for path in ["a/b/file", ".", "a"] {
                assert_eq!(opened(path, read), Ok(()), "{path}");
            }
            for path in ["inside/b/file", "last", "loop", "loop/x"] {
                assert_eq!(opened(path, read), Err(Errno::LOOP), "{path}");
            }
            assert_eq!(opened("inside", read | OFlags::DIRECTORY), Err(Errno::LOOP));
            assert_eq!(opened("../root/a", read), Err(Errno::XDEV));
            assert_eq!(opened("/etc", read), Err(Errno::XDEV));
            assert_eq!(opened("a/none", read), Err(Errno::NOENT));
        }
    }
}
