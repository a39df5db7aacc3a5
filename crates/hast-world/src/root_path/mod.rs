//! Paths of a root's files. The directories above a root are the user's and may be reached over links; a
//! name below it may have come with a cloned repository. No directory link below the root is followed, and
//! a link in the place of a file only to a file of the same repository.

mod exact;
mod reading;
mod writing;

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::beneath;
use crate::files::PathError;
use crate::roots::git_top;

pub use writing::Made;

/// Directories whose files no link of a repository may stand for.
pub(crate) const CLOSED: &[&str] = &[".git", ".hast"];

/// A path of a root. As a [`Path`] it is for messages and for programs; files are opened by its methods.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RootPath {
    /// A directory of the user, by its real path.
    root: Arc<Path>,
    full: PathBuf,
}

impl RootPath {
    /// A directory that the user is in or named.
    pub fn new(root: &Path) -> Result<Self, PathError> {
        let real =
            root.canonicalize().map_err(|source| PathError { path: root.to_owned(), source })?;
        Ok(Self { root: real.as_path().into(), full: real })
    }

    /// A path that the user named and that may not be there yet. Links on the way as far as it is there
    /// are the user's.
    pub fn of_user(path: &Path) -> Result<Self, PathError> {
        let mut above = path.ancestors().filter(|above| above.is_dir());
        let found = above.find_map(|above| Some((above, Self::new(above).ok()?)));
        match found {
            Some((above, root)) => Ok(root.join(path.strip_prefix(above).unwrap_or(Path::new("")))),
            None => Self::new(path),
        }
    }

    /// A name below. One that leaves the root is refused when it is opened.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        let name = name.as_ref();
        // Nothing more would leave a slash at the end.
        let full =
            if name.as_os_str().is_empty() { self.full.clone() } else { self.full.join(name) };
        Self { root: Arc::clone(&self.root), full }
    }

    /// The directory that it lies in; none for the root itself.
    pub fn parent(&self) -> Option<Self> {
        let above = self.full.parent().filter(|above| above.starts_with(&self.root))?;
        Some(Self { root: Arc::clone(&self.root), full: above.to_owned() })
    }

    pub fn as_path(&self) -> &Path {
        &self.full
    }

    /// Whether the name is taken, also by a link that leads nowhere.
    pub fn exists(&self) -> bool {
        !matches!(self.kind(), Ok(None))
    }

    /// Whether it is a directory and no link to one.
    pub fn is_dir(&self) -> bool {
        self.kind().is_ok_and(|kind| kind == Some(FileType::Directory))
    }

    /// Whether it is a file that can be read.
    pub fn is_file(&self) -> bool {
        self.resolved()
            .and_then(|real| real.kind())
            .is_ok_and(|kind| kind == Some(FileType::RegularFile))
    }

    /// What is known of a regular file.
    pub fn metadata(&self) -> Result<Metadata, PathError> {
        let read = self.open_file().and_then(|file| file.metadata());
        read.map_err(|source| self.at(source))
    }

    /// The error of a link on the way to it or in its place; a link to a file of the repository is none.
    pub fn check(&self) -> Result<(), PathError> {
        match self.resolved() {
            Err(source) if is_link(&source) => Err(self.at(source)),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// As [`Self::check`], for a directory: a link to another one is an error too.
    pub fn check_directory(&self) -> Result<(), PathError> {
        let loops = match self.kind() {
            Ok(kind) => kind == Some(FileType::Symlink),
            Err(error) => is_link(&error),
        };
        match loops {
            true => Err(self.at(link())),
            false => Ok(()),
        }
    }

    /// What has the name, a link being itself.
    pub(crate) fn kind(&self) -> io::Result<Option<FileType>> {
        let stat = self
            .above()
            .and_then(|(above, name)| Ok(fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW)?));
        match stat {
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::NOENT | Errno::NOTDIR) => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// The directory that it lies in, held open, and its name there.
    pub(crate) fn above(&self) -> io::Result<(OwnedFd, &OsStr)> {
        let below = self.below()?;
        let name = below.file_name().unwrap_or(OsStr::new("."));
        Ok((beneath::open_above(self.open_root()?, below)?, name))
    }

    /// Opens it without following any link.
    pub(crate) fn open(&self, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let below = self.below()?;
        let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        Ok(beneath::open(self.open_root()?, below, flags, mode)?)
    }

    /// Opens a regular file for reading. What is none is not waited for.
    pub(crate) fn open_file(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let opened = match self.open(flags, Mode::empty()) {
            Err(error) if is_link(&error) => self.resolved()?.open(flags, Mode::empty()),
            opened => opened,
        };
        let file = File::from(opened?);
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        }
    }

    /// The file that a link in its place stands for; itself where there is no link.
    pub(crate) fn resolved(&self) -> io::Result<Self> {
        if self.kind()? != Some(FileType::Symlink) {
            return Ok(self.clone());
        }
        let closed = |path: &Path| path.iter().any(|part| CLOSED.iter().any(|one| part == *one));
        let repository = repository(&self.root);
        let real = self.full.canonicalize().map_err(|_| link())?;
        let inside = real.strip_prefix(&repository).is_ok_and(|below| !closed(below));
        match inside && !closed(self.below()?) {
            true => Ok(Self { root: repository.into(), full: real }),
            false => Err(link()),
        }
    }

    fn below(&self) -> io::Result<&Path> {
        self.full.strip_prefix(&self.root).map_err(|_| Errno::XDEV.into())
    }

    fn open_root(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(fs::open(&*self.root, flags, Mode::empty())?)
    }
}

impl Deref for RootPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.full
    }
}

impl AsRef<Path> for RootPath {
    fn as_ref(&self) -> &Path {
        &self.full
    }
}

/// Whether an error tells of a link that was not followed.
pub fn is_link(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::XDEV))
}

fn link() -> io::Error {
    Errno::LOOP.into()
}

/// The repository that a root is in. A repository of all that the user has, at home or above, is none.
pub(crate) fn repository(root: &Path) -> PathBuf {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    let holds_home = |top: &PathBuf| home.as_ref().is_some_and(|home| home.starts_with(top));
    git_top(root).filter(|top| !holds_home(top)).unwrap_or_else(|| root.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_to_a_file_of_the_repository_is_followed_and_every_other_link_is_an_error() {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().join("repository");
        for directory in [".git", ".ai/handoffs", "docs", "package/.ai"] {
            std::fs::create_dir_all(top.join(directory)).unwrap();
        }
        for file in ["../secret", ".git/config", "docs/rules.md", ".ai/own.md"] {
            File::create(top.join(file)).unwrap();
        }
        for (link, target) in [
            ("package/.ai/rules.md", "../../docs/rules.md"),
            (".ai/to-own.md", "own.md"),
            (".ai/to-secret.md", "../../secret"),
            (".ai/to-git.md", "../.git/config"),
            (".ai/nowhere.md", "none"),
            (".ai/loop.md", "loop.md"),
            (".ai/directory", "../docs"),
        ] {
            symlink(target, top.join(link)).unwrap();
        }
        let package = RootPath::new(&top.join("package")).unwrap();
        let top = RootPath::new(&top).unwrap();
        for good in
            [package.join(".ai/rules.md"), top.join(".ai/to-own.md"), top.join(".ai/own.md")]
        {
            assert!(good.read_bounded(9).is_ok() && good.is_file(), "{good:?}");
            assert!(good.check().is_ok());
        }
        for bad in ["to-secret.md", "to-git.md", "nowhere.md", "loop.md", "directory/rules.md"] {
            let bad = top.join(".ai").join(bad);
            let error = bad.read_if_there(9).unwrap_err();
            assert!(is_link(&error.source), "{error}");
            assert!(bad.exists() && !bad.is_file() && bad.check().is_err(), "{bad:?}");
        }
        let directory = top.join(".ai/directory");
        assert!(!directory.is_dir() && directory.check_directory().is_err());
        assert!(top.join(".ai/handoffs").check_directory().is_ok());
        assert!(top.join("../secret").read_bounded(9).is_err());
    }
}
