//! The machine's disk behind the port of the store. Every path stays below the root it was opened
//! with; every error carries the path a person would type.

mod links;
mod platform;
mod refusal;
pub mod sealing;
mod written;

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hast_flow::store::DocPath;
use hast_flow::store::disk::{
    Action, DirEntry, Disk, DiskError, DiskErrorKind, Exchange, FileKind, LockMode, Locked, Looked,
    Meta, Open, Patience, Times,
};
use hast_flow::store::seal::Seal;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use refusal::{refused, refused_io};
use sealing::Sealing;
use written::Written;

use crate::beneath;
use crate::files::PathError;
use crate::root_path::RootPath;

/// A root on the machine's disk.
#[derive(Clone, Debug)]
pub struct RealDisk(Arc<Root>);

#[derive(Debug)]
struct Root {
    /// Opened anew where somebody took the directory away and it was put back.
    dir: RwLock<Arc<OwnedFd>>,
    path: PathBuf,
    boot_id: [u8; 16],
    /// The file system that stamps every change with a time of its own, once that is known.
    exact_on: OnceLock<u64>,
    written: OnceLock<Written>,
    sealing: Sealing,
}

/// A clock of a thousand ticks a second makes fewer steps in that time than there are probes.
const PROBES: usize = 8;
const PROBE_TIME: Duration = Duration::from_millis(3);

/// An open file, with the path it was opened by for its messages.
#[derive(Debug)]
pub struct RealFile {
    file: File,
    path: DocPath,
}

/// Everything that was written to the file system of a directory is on the disk from here on.
pub(crate) fn sync_file_system(directory: File) -> std::io::Result<()> {
    Ok(platform::sync_all(&directory.into())?)
}

impl RealDisk {
    /// Opens an existing directory as a root.
    pub fn open(root: &Path) -> Result<Self, DiskError> {
        Self::open_as(root, platform::boot_id())
    }

    /// Opens a directory of a root, over no link that a repository brought.
    pub fn open_in(directory: &RootPath, sealing: Sealing) -> Result<Self, DiskError> {
        directory.check_directory().map_err(|PathError { path, source }| {
            refused_io(Action::Open, path.display().to_string(), &source)
        })?;
        Self::open_sealing(directory, platform::boot_id(), sealing)
    }

    /// As [`Self::open`], on behalf of another start of the machine: for images of a disk that were
    /// taken while it was in use.
    pub fn open_as(root: &Path, boot_id: [u8; 16]) -> Result<Self, DiskError> {
        Self::open_sealing(root, boot_id, Sealing::Any)
    }

    fn open_sealing(root: &Path, boot_id: [u8; 16], sealing: Sealing) -> Result<Self, DiskError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = fs::open(root, flags, Mode::empty())
            .map_err(|errno| refused(Action::Open, root.display().to_string(), errno))?;
        let (dir, path) = (RwLock::new(Arc::new(dir)), root.to_owned());
        let (exact_on, written) = (OnceLock::new(), OnceLock::new());
        Ok(Self(Arc::new(Root { dir, path, boot_id, exact_on, written, sealing })))
    }

    fn dir(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.0.dir.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A directory that has no name any more takes no files.
    fn find_again(&self) {
        let gone = fs::fstat(&*self.dir()).is_ok_and(|stat| stat.st_nlink == 0);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if gone && let Ok(found) = fs::open(&self.0.path, flags, Mode::empty()) {
            *self.0.dir.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(found);
        }
    }

    pub fn root(&self) -> &Path {
        &self.0.path
    }

    fn error(&self, action: Action, path: &DocPath, errno: Errno) -> DiskError {
        refused(action, self.shown(path), errno)
    }

    fn shown(&self, path: &DocPath) -> String {
        self.0.path.join(path.as_str()).display().to_string()
    }

    fn open_dir(&self, dir: Option<&DocPath>, action: Action) -> Result<OwnedFd, DiskError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let name = dir.map_or(".", DocPath::as_str);
        let opened = beneath::open(&*self.dir(), Path::new(name), flags, Mode::empty());
        opened.map_err(|errno| {
            let shown = dir.map_or(self.0.path.display().to_string(), |dir| self.shown(dir));
            refused(action, shown, errno)
        })
    }

    /// The directory that a path lies in, for what is done with its last name. No link on the way to it
    /// is followed.
    fn above<'p>(&self, path: &'p DocPath) -> Result<(Arc<OwnedFd>, &'p str), Errno> {
        let dir = self.dir();
        match path.as_str().rsplit_once('/') {
            None => Ok((dir, path.as_str())),
            Some((_, name)) => {
                let above = beneath::open_above(&*dir, Path::new(path.as_str()))?;
                Ok((Arc::new(above), name))
            }
        }
    }

    /// Plain `renameat` where nothing is asked for beyond that: not every system has the other.
    fn rename(&self, from: &DocPath, to: &DocPath, flags: RenameFlags) -> Result<(), Errno> {
        let (from, to) = (self.above(from)?, self.above(to)?);
        match flags.is_empty() {
            true => fs::renameat(&*from.0, from.1, &*to.0, to.1),
            false => fs::renameat_with(&*from.0, from.1, &*to.0, to.1, flags),
        }
    }

    fn meta(&self, stat: &Stat) -> Meta {
        meta_of(stat, self.0.exact_on.get().copied())
    }
}

#[cfg_attr(
    target_os = "linux",
    expect(clippy::unnecessary_cast, reason = "this field has another width on other systems")
)]
fn device(stat: &Stat) -> u64 {
    stat.st_dev as u64
}

#[cfg_attr(
    target_os = "linux",
    expect(clippy::unnecessary_cast, reason = "these fields have other widths on other systems")
)]
fn meta_of(stat: &Stat, exact_on: Option<u64>) -> Meta {
    let nanoseconds = |seconds: i64, rest: u64| (seconds.max(0) as u64) * 1_000_000_000 + rest;
    Meta {
        kind: match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => FileKind::File,
            FileType::Directory => FileKind::Dir,
            FileType::Symlink => FileKind::Link,
            _ => FileKind::Other,
        },
        inode: stat.st_ino,
        size: stat.st_size as u64,
        modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
        changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        mode: stat.st_mode as u32 & 0o7777,
        times: if exact_on == Some(device(stat)) { Times::Exact } else { Times::Ticking },
    }
}

impl Disk for RealDisk {
    type File = RealFile;

    fn shown(&self, path: &DocPath) -> String {
        Self::shown(self, path)
    }

    fn open(&self, path: &DocPath, how: Open) -> Result<RealFile, DiskError> {
        let (flags, action) = match how {
            Open::Read => (OFlags::RDONLY, Action::Open),
            Open::Write => (OFlags::RDWR, Action::Open),
            Open::CreateNew => (OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, Action::Create),
            Open::WriteOrCreate => (OFlags::RDWR | OFlags::CREATE, Action::Create),
        };
        // A pipe in the place of a document must not hang the process.
        let (flags, mode) = (flags | OFlags::NONBLOCK, Mode::from_raw_mode(0o666));
        let opened = beneath::open(&*self.dir(), Path::new(path.as_str()), flags, mode);
        let fd = opened.map_err(|errno| self.error(action, path, errno))?;
        let stat = fs::fstat(&fd).map_err(|errno| self.error(action, path, errno))?;
        let kind = match self.meta(&stat).kind {
            FileKind::File => return Ok(RealFile { file: File::from(fd), path: path.clone() }),
            FileKind::Dir => DiskErrorKind::IsADirectory,
            FileKind::Link | FileKind::Other => DiskErrorKind::NotAFile,
        };
        Err(DiskError { action, path: self.shown(path), kind })
    }

    fn stat_file(&self, file: &RealFile) -> Result<Meta, DiskError> {
        let stat = fs::fstat(&file.file);
        let stat = stat.map_err(|errno| self.error(Action::Look, &file.path, errno))?;
        Ok(self.meta(&stat))
    }

    fn read_at(&self, file: &RealFile, at: u64, into: &mut [u8]) -> Result<usize, DiskError> {
        let mut done = 0;
        while done < into.len() {
            match rustix::io::pread(&file.file, &mut into[done..], at + done as u64) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(self.error(Action::Read, &file.path, errno)),
            }
        }
        Ok(done)
    }

    fn write_at(&self, file: &RealFile, at: u64, bytes: &[u8]) -> Result<(), DiskError> {
        self.changing(&file.path, || {
            let mut done = 0;
            while done < bytes.len() {
                match rustix::io::pwrite(&file.file, &bytes[done..], at + done as u64) {
                    Ok(0) => return Err(self.error(Action::Write, &file.path, Errno::NOSPC)),
                    Ok(count) => done += count,
                    Err(Errno::INTR) => {}
                    Err(errno) => return Err(self.error(Action::Write, &file.path, errno)),
                }
            }
            Ok(())
        })
    }

    fn set_len(&self, file: &RealFile, length: u64) -> Result<(), DiskError> {
        self.changing(&file.path, || {
            fs::ftruncate(&file.file, length)
                .map_err(|errno| self.error(Action::Write, &file.path, errno))
        })
    }

    fn set_mode(&self, file: &RealFile, mode: u32) -> Result<(), DiskError> {
        fs::fchmod(&file.file, Mode::from_raw_mode(mode as _))
            .map_err(|errno| self.error(Action::Write, &file.path, errno))
    }

    fn reserve(&self, file: &RealFile, at: u64, length: u64) -> Result<(), DiskError> {
        self.changing(&file.path, || match platform::reserve(&file.file, at, length) {
            // A file system without reservations shows a full disk later.
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            Err(errno) => Err(self.error(Action::Write, &file.path, errno)),
        })
    }

    fn sync_data(&self, file: &RealFile) -> Result<(), DiskError> {
        platform::sync_data(&file.file).map_err(|errno| self.error(Action::Sync, &file.path, errno))
    }

    fn sync_file(&self, file: &RealFile) -> Result<(), DiskError> {
        fs::fsync(&file.file).map_err(|errno| self.error(Action::Sync, &file.path, errno))
    }

    fn stat(&self, path: &DocPath) -> Result<Option<Meta>, DiskError> {
        let stat = self
            .above(path)
            .and_then(|(dir, name)| fs::statat(&*dir, name, AtFlags::SYMLINK_NOFOLLOW));
        match stat {
            Ok(stat) => Ok(Some(self.meta(&stat))),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(self.error(Action::Look, path, errno)),
        }
    }

    fn look(&self, path: &DocPath) -> Result<Looked, DiskError> {
        let flags = OFlags::PATH;
        let opened = beneath::open(&*self.dir(), Path::new(path.as_str()), flags, Mode::empty());
        let found = match opened.and_then(fs::fstat) {
            Ok(stat) => Some(self.meta(&stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => None,
            Err(Errno::LOOP) => return self.look_through_links(path),
            Err(errno) => return Err(self.error(Action::Look, path, errno)),
        };
        if found.is_some_and(|meta| meta.kind == FileKind::Link) {
            return self.look_through_links(path);
        }
        let real = path.clone();
        Ok(Looked { real, meta: found })
    }

    fn check_writable(&self, dir: Option<&DocPath>) -> Result<(), DiskError> {
        let opened = self.open_dir(dir, Action::Write)?;
        let access = fs::Access::WRITE_OK | fs::Access::EXEC_OK;
        fs::accessat(&opened, ".", access, AtFlags::EACCESS).map_err(|errno| {
            let shown = dir.map_or(self.0.path.display().to_string(), |dir| self.shown(dir));
            refused(Action::Write, shown, errno)
        })
    }

    fn read_dir(&self, dir: Option<&DocPath>) -> Result<Vec<DirEntry>, DiskError> {
        let shown = || dir.map_or(self.0.path.display().to_string(), |dir| self.shown(dir));
        let refuse = |errno| refused(Action::List, shown(), errno);
        let fd = self.open_dir(dir, Action::List)?;
        let mut entries = Vec::new();
        for entry in fs::Dir::read_from(&fd).map_err(refuse)? {
            let entry = entry.map_err(refuse)?;
            let Ok(name) = entry.file_name().to_str() else {
                // No document of ours has such a name.
                continue;
            };
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let flags = AtFlags::SYMLINK_NOFOLLOW;
                    let stat = fs::statat(&fd, entry.file_name(), flags);
                    stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
                }
                known => known,
            };
            entries.push(DirEntry { name: name.to_owned(), is_dir: kind == FileType::Directory });
        }
        entries.sort();
        Ok(entries)
    }

    fn exchange(&self, one: &DocPath, other: &DocPath) -> Result<Exchange, DiskError> {
        let swap = || {
            let (from, to) = (self.above(one)?, self.above(other)?);
            fs::renameat_with(&*from.0, from.1, &*to.0, to.1, RenameFlags::EXCHANGE)
        };
        self.changing(other, || match swap() {
            Ok(()) => Ok(Exchange::Done),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(Exchange::Unsupported),
            Err(errno) => Err(self.error(Action::Rename, other, errno)),
        })
    }

    fn rename_new(&self, from: &DocPath, to: &DocPath) -> Result<(), DiskError> {
        match self.moving(from, to, || self.rename(from, to, RenameFlags::NOREPLACE)) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                if self.stat(to)?.is_some() {
                    return Err(self.error(Action::Rename, to, Errno::EXIST));
                }
                self.rename_over(from, to)
            }
            Err(errno) => Err(self.error(Action::Rename, to, errno)),
            Ok(()) => Ok(()),
        }
    }

    fn rename_over(&self, from: &DocPath, to: &DocPath) -> Result<(), DiskError> {
        self.moving(from, to, || self.rename(from, to, RenameFlags::empty()))
            .map_err(|errno| self.error(Action::Rename, to, errno))
    }

    fn unlink(&self, path: &DocPath) -> Result<(), DiskError> {
        self.changing(path, || {
            self.above(path)
                .and_then(|(dir, name)| fs::unlinkat(&*dir, name, AtFlags::empty()))
                .map_err(|errno| self.error(Action::Remove, path, errno))
        })
    }

    fn make_dir(&self, path: &DocPath) -> Result<(), DiskError> {
        self.changing(path, || {
            self.above(path)
                .and_then(|(dir, name)| fs::mkdirat(&*dir, name, Mode::from_raw_mode(0o777)))
                .map_err(|errno| self.error(Action::MakeDir, path, errno))
        })
    }

    fn remove_dir(&self, path: &DocPath) -> Result<(), DiskError> {
        self.changing(path, || {
            self.above(path)
                .and_then(|(dir, name)| fs::unlinkat(&*dir, name, AtFlags::REMOVEDIR))
                .map_err(|errno| self.error(Action::Remove, path, errno))
        })
    }

    fn sync_dir(&self, dir: Option<&DocPath>) -> Result<(), DiskError> {
        let fd = self.open_dir(dir, Action::Sync)?;
        fs::fsync(&fd).map_err(|errno| {
            let name = dir.map_or(".", DocPath::as_str);
            let shown = self.0.path.join(name).display().to_string();
            refused(Action::Sync, shown, errno)
        })
    }

    fn sync_all(&self) -> Result<(), DiskError> {
        platform::sync_all(&self.dir())
            .map_err(|errno| refused(Action::Sync, self.0.path.display().to_string(), errno))
    }

    fn lock(
        &self,
        file: &RealFile,
        mode: LockMode,
        patience: Patience,
    ) -> Result<Locked, DiskError> {
        self.find_again();
        let io = |error: &std::io::Error| refused_io(Action::Lock, self.shown(&file.path), error);
        let waited = match (mode, patience) {
            (LockMode::Shared, Patience::Wait) => file.file.lock_shared(),
            (LockMode::Exclusive, Patience::Wait) => file.file.lock(),
            (_, Patience::Try) => {
                let tried = match mode {
                    LockMode::Shared => file.file.try_lock_shared(),
                    LockMode::Exclusive => file.file.try_lock(),
                };
                return match tried {
                    Ok(()) => Ok(Locked::Yes),
                    Err(std::fs::TryLockError::WouldBlock) => Ok(Locked::HeldByAnother),
                    Err(std::fs::TryLockError::Error(error)) => Err(io(&error)),
                };
            }
        };
        waited.map_err(|error| io(&error))?;
        Ok(Locked::Yes)
    }

    fn unlock(&self, file: &RealFile) -> Result<(), DiskError> {
        let unlocked = file.file.unlock();
        unlocked.map_err(|error| refused_io(Action::Lock, self.shown(&file.path), &error))
    }

    fn boot_id(&self) -> [u8; 16] {
        self.0.boot_id
    }

    fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| since.as_nanos() as u64)
    }

    fn salt(&self) -> u64 {
        RandomState::new().build_hasher().finish()
    }

    fn seal(&self, salt: u64) -> Seal {
        self.0.sealing.seal(salt)
    }

    /// Changes and looks by turns: more different times than a clock has ticked meanwhile prove that
    /// each change got its own. Whoever is interrupted too long to tell takes the times for ticks.
    fn learn_times(&self, ours: &RealFile) -> Result<(), DiskError> {
        let look = |error| self.error(Action::Look, &ours.path, error);
        // A file that has another name too may be somebody's, and is not changed to learn something.
        if fs::fstat(&ours.file).map_err(look)?.st_nlink != 1 {
            return Ok(());
        }
        let started = Instant::now();
        let mut last: Option<Stat> = None;
        for _ in 0..PROBES {
            self.write_at(ours, 0, b" ")?;
            let stat = fs::fstat(&ours.file).map_err(look)?;
            let modified = self.meta(&stat).modified;
            if last.is_some_and(|last| self.meta(&last).modified >= modified) {
                return Ok(());
            }
            last = Some(stat);
        }
        if let Some(stat) = last.filter(|_| started.elapsed() < PROBE_TIME) {
            self.0.exact_on.get_or_init(|| device(&stat));
        }
        Ok(())
    }
}
