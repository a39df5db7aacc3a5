//! Operations on exactly the thing that has a name: a link is a link, also in the last place. They are for trees
//! that code of an agent could change, in which any directory may have become a link to somewhere else.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, Timespec, Timestamps};

use super::RootPath;
use crate::files::{PathError, open_directories, read_open};

impl RootPath {
    /// A path below, as git names it.
    pub(crate) fn named(&self, path: &[u8]) -> Self {
        self.join(OsStr::from_bytes(path))
    }

    /// What is known of it; none where nothing is there, and where a link is on the way.
    pub(crate) fn there(&self) -> Option<Metadata> {
        let opened = self.open(OFlags::PATH, Mode::empty()).ok()?;
        File::from(opened).metadata().ok()
    }

    /// Whether all above it are directories.
    pub(crate) fn is_reached(&self) -> bool {
        self.above().is_ok()
    }

    /// The bytes of a regular file: at most `limit` and one more.
    pub(crate) fn read_exact(&self, limit: usize) -> io::Result<Vec<u8>> {
        read_open(self.open_exact()?, limit)
    }

    /// A regular file, opened for reading.
    pub(crate) fn open_exact(&self) -> io::Result<File> {
        let file = File::from(self.open(OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty())?);
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        }
    }

    /// Where a link leads.
    pub(crate) fn leads_to(&self) -> Option<Vec<u8>> {
        let (above, name) = self.above().ok()?;
        Some(fs::readlinkat(above, name, Vec::new()).ok()?.into_bytes())
    }

    /// Deletes what has the name, with all that is below. What lies behind a link stays.
    pub(crate) fn remove(&self) -> Result<(), PathError> {
        let remove = || -> io::Result<()> {
            match self.kind() {
                Ok(None) => Ok(()),
                Ok(Some(FileType::Directory)) => {
                    open_directories(self.as_path());
                    std::fs::remove_dir_all(self.as_path())
                }
                Ok(Some(_)) => {
                    let (above, name) = self.above()?;
                    Ok(fs::unlinkat(above, name, AtFlags::empty())?)
                }
                // Then nothing of the tree has the name.
                Err(error) if super::is_link(&error) => Ok(()),
                Err(error) => Err(error),
            }
        };
        remove().map_err(|source| self.at(source))
    }

    /// Afterwards nothing has the name, and what is above it, as far as it is there, are directories.
    pub(crate) fn make_way(&self) -> Result<(), PathError> {
        let above: Vec<Self> = std::iter::successors(self.parent(), Self::parent).collect();
        for above in above.iter().rev().filter(|above| above.as_path() != &*self.root) {
            match above.kind() {
                Ok(Some(FileType::Directory)) => {}
                Ok(None) => return Ok(()),
                Ok(Some(_)) => above.remove()?,
                Err(error) => return Err(self.at(error)),
            }
        }
        self.remove()
    }

    /// A new file where nothing is; directories above it are made.
    pub(crate) fn make_file(&self) -> io::Result<File> {
        if let Some(above) = self.parent() {
            above.make_directories()?;
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        Ok(File::from(self.open(flags, Mode::from_raw_mode(0o666))?))
    }

    /// A file with these bytes in the place of what has the name.
    pub(crate) fn put(&self, bytes: &[u8]) -> Result<(), PathError> {
        self.remove()?;
        let put = || self.make_file()?.write_all(bytes);
        put().map_err(|source| self.at(source))
    }

    /// A copy of a file or link where nothing is, with the same content, rights and date; blocks are shared where
    /// the disk can. Of anything else there is no copy.
    pub(crate) fn copy_to(&self, to: &Self) -> io::Result<()> {
        if let Some(leads) = self.leads_to() {
            if let Some(above) = to.parent() {
                above.make_directories()?;
            }
            let (above, name) = to.above()?;
            return Ok(fs::symlinkat(leads, above, name)?);
        }
        let mut from = self.open_exact()?;
        let there = from.metadata()?;
        let mut copy = to.make_file()?;
        io::copy(&mut from, &mut copy)?;
        copy.set_permissions(PermissionsExt::from_mode(there.permissions().mode() & 0o7777))?;
        copy.set_modified(there.modified()?)
    }

    /// A private directory, with those above it that are missing.
    pub(crate) fn make_private(&self) -> Result<(), PathError> {
        let make = || -> io::Result<()> {
            if let Some(above) = self.parent() {
                above.make_directories()?;
            }
            let (above, name) = self.above()?;
            Ok(fs::mkdirat(above, name, Mode::RWXU)?)
        };
        if self.is_dir() { Ok(()) } else { make().map_err(|source| self.at(source)) }
    }

    /// The sign of an overlay that nothing is there, where nothing is.
    pub(crate) fn mark_absent(&self) -> Result<(), PathError> {
        let mark = || -> io::Result<()> {
            let (above, name) = self.above()?;
            Ok(fs::mknodat(above, name, FileType::CharacterDevice, Mode::empty(), 0)?)
        };
        mark().map_err(|source| self.at(source))
    }

    pub(crate) fn set_date(&self, date: Timespec) -> io::Result<()> {
        let dates = Timestamps { last_access: date, last_modification: date };
        let (above, name) = self.above()?;
        Ok(fs::utimensat(above, name, &dates, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Moves it to a path of hast's own; false where that is on another file system.
    pub(crate) fn move_to(&self, to: &Path) -> io::Result<bool> {
        let (above, name) = self.above()?;
        match fs::renameat(above, name, fs::CWD, to) {
            Err(rustix::io::Errno::XDEV) => Ok(false),
            moved => Ok(moved.map(|()| true)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    /// A root with a link in the place of a directory, and a directory that it leads to.
    fn linked() -> (tempfile::TempDir, RootPath) {
        let scratch = tempfile::tempdir().unwrap();
        let outside = scratch.path().join("outside");
        std::fs::create_dir_all(outside.join("d")).unwrap();
        let top = scratch.path().join("root");
        std::fs::create_dir(&top).unwrap();
        let root = RootPath::new(&top).unwrap();
        RootPath::new(&outside).unwrap().join("file").put(b"mine").unwrap();
        symlink("../outside", root.join("link")).unwrap();
        (scratch, root)
    }

    #[test]
    fn nothing_is_removed_made_or_read_behind_a_link() {
        let (scratch, root) = linked();
        let behind = root.join("link/file");
        behind.remove().unwrap();
        root.join("link/d").remove().unwrap();
        assert!(behind.put(b"x").is_err() && root.join("link/new").put(b"x").is_err());
        assert!(root.join("link/n").make_private().is_err());
        assert!(root.join("link/n").mark_absent().is_err());
        assert!(behind.read_exact(9).is_err() && behind.there().is_none() && !behind.is_reached());
        assert!(behind.move_to(&scratch.path().join("moved")).is_err());
        assert!(behind.set_date(Timespec { tv_sec: 1, tv_nsec: 0 }).is_err());
        assert!(root.join("link").there().is_some_and(|there| there.is_symlink()));
        assert_eq!(std::fs::read_dir(scratch.path().join("outside")).unwrap().count(), 2);
        assert_eq!(std::fs::read(scratch.path().join("outside/file")).unwrap(), b"mine");
    }

    #[test]
    fn a_link_gives_way_and_what_it_leads_to_stays() {
        let (scratch, root) = linked();
        let path = root.join("link/file");
        path.make_way().unwrap();
        path.put(b"new").unwrap();
        assert!(root.join("link").is_dir());
        assert_eq!(path.read_exact(9).unwrap(), b"new");
        assert_eq!(std::fs::read(scratch.path().join("outside/file")).unwrap(), b"mine");
        symlink(scratch.path().join("outside/file"), root.join("last")).unwrap();
        root.join("last").put(b"own").unwrap();
        assert_eq!(std::fs::read(scratch.path().join("outside/file")).unwrap(), b"mine");
    }

    #[test]
    fn a_copy_has_content_rights_and_date_and_a_link_stays_one() {
        let (_scratch, root) = linked();
        let one = root.join("one");
        one.put(b"text").unwrap();
        std::fs::set_permissions(&one, PermissionsExt::from_mode(0o751)).unwrap();
        one.set_date(Timespec { tv_sec: 7, tv_nsec: 5 }).unwrap();
        one.copy_to(&root.join("deep/two")).unwrap();
        let two = root.join("deep/two").there().unwrap();
        assert_eq!((two.mode() & 0o7777, two.mtime(), two.mtime_nsec()), (0o751, 7, 5));
        root.join("link").copy_to(&root.join("deep/link")).unwrap();
        assert_eq!(root.join("deep/link").leads_to().unwrap(), b"../outside");
    }
}
