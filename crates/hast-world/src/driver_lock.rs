//! The lock of whoever drives a unit: a session, a run, a request, a goal lane. The kernel frees it
//! with the process; what is written into it is only for the message to the next one.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustix::fs::{AtFlags, Mode, OFlags};

use crate::files::PathError;
use crate::processes::{lives, own_start};
use crate::root_path::RootPath;

/// How long a lock may outlive its owner.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);

/// Held until dropped.
#[derive(Debug)]
#[must_use = "the unit is free again when this is dropped"]
pub struct DriverLock {
    _file: File,
}

/// Who drives a unit, as far as they left a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    pub pid: u32,
    /// When the process started, in the system's own counting: a pid alone may be another's.
    pub started: u64,
    pub host: String,
    pub since: String,
}

#[derive(Debug, thiserror::Error)]
pub enum NoLock {
    #[error("pid {} on {} drives this since {}", .0.pid, .0.host, .0.since)]
    Held(Owner),
    #[error("cannot lock {path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
}

impl DriverLock {
    /// Takes the lock of a unit of that root, or says who has it.
    ///
    /// A process that was killed while it started a program leaves the lock to that program until it
    /// has closed what it inherited: an owner that is gone is waited for, a moment.
    pub fn take(root: &RootPath, unit: &str) -> Result<Self, NoLock> {
        let until = Instant::now() + PATIENCE;
        loop {
            match Self::take_now(root, unit) {
                Err(NoLock::Held(owner)) if owner.is_gone() && Instant::now() < until => {
                    std::thread::sleep(LOOK);
                }
                result => return result,
            }
        }
    }

    /// Removes the lock of a unit that never comes back, if nobody has it. Whoever finds it again
    /// makes a new one.
    pub fn forget(root: &RootPath, unit: &str) {
        if let Ok(_held) = Self::take_now(root, unit) {
            let place = place(root, unit);
            let _ =
                place.above().map(|(dir, name)| rustix::fs::unlinkat(dir, name, AtFlags::empty()));
        }
    }

    fn take_now(root: &RootPath, unit: &str) -> Result<Self, NoLock> {
        let path = place(root, unit);
        let refused = |PathError { path, source }| NoLock::Io { path, source };
        let io = |source| refused(path.at(source));
        root.join(".hast").make_directory().map_err(refused)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NONBLOCK;
        let mut file = File::from(path.open(flags, Mode::from_raw_mode(0o666)).map_err(io)?);
        let there = file.metadata().map_err(io)?;
        // Locked twice by one process, a file that is both locks would be waited for without end.
        let other = root.join(".hast/lock").metadata();
        if other.is_ok_and(|other| (other.dev(), other.ino()) == (there.dev(), there.ino())) {
            return Err(io(std::io::Error::new(ErrorKind::InvalidInput, "it is `.hast/lock` too")));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut note = String::new();
                // The owner may be writing its note just now; an empty one still tells the truth.
                let _: std::io::Result<usize> = file.read_to_string(&mut note);
                return Err(NoLock::Held(Owner::read(&note)));
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        // A file that has another name too may be somebody's: the note is not worth it.
        if there.nlink() == 1 {
            let note = Owner::this_process().written();
            file.set_len(0).and_then(|()| file.write_all(note.as_bytes())).map_err(io)?;
        }
        Ok(Self { _file: file })
    }
}

fn place(root: &RootPath, unit: &str) -> RootPath {
    root.join(".hast").join(format!("driver-{unit}.lock"))
}

/// What this machine, or this container, is called.
pub fn this_host() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname");
    host.map_or("this machine".to_owned(), |host| host.trim().to_owned())
}

impl Owner {
    /// Whether it ran on this machine and runs no more. Somebody else's process is none we may judge.
    fn is_gone(&self) -> bool {
        self.pid != 0 && self.host == this_host() && !lives(self.pid)
    }

    fn this_process() -> Self {
        Self {
            pid: std::process::id(),
            started: own_start().unwrap_or(0),
            host: this_host(),
            since: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }

    fn written(&self) -> String {
        let Self { pid, started, host, since } = self;
        format!("pid: {pid}\nstarted: {started}\nhost: {host}\nsince: {since}\n")
    }

    fn read(note: &str) -> Self {
        let field = |name: &str| {
            let lines = note.lines().filter_map(|line| line.split_once(": "));
            let mut values = lines.filter(|(key, _)| *key == name).map(|(_, value)| value);
            values.next().unwrap_or_default().to_owned()
        };
        Self {
            pid: field("pid").parse().unwrap_or(0),
            started: field("started").parse().unwrap_or(0),
            host: field("host"),
            since: field("since"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn of(path: &Path) -> RootPath {
        RootPath::new(path).unwrap()
    }

    #[test]
    fn a_lock_that_outlives_its_owner_for_a_moment_is_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let first = DriverLock::take(&of(root.path()), "u").unwrap();
        // The note of a process that is gone: no pid is that large.
        let gone = Owner { pid: 0x7fff_fff0, ..Owner::this_process() };
        let path = root.path().join(".hast/driver-u.lock");
        File::options().write(true).truncate(true).open(&path).unwrap();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .write_all(gone.written().as_bytes())
            .unwrap();
        let ended = std::thread::spawn(move || {
            std::thread::sleep(LOOK * 5);
            drop(first);
        });
        let _second = DriverLock::take(&of(root.path()), "u").unwrap();
        ended.join().unwrap();
    }

    #[test]
    fn no_file_of_the_user_is_changed_by_a_link_in_the_place_of_a_lock() {
        let root = tempfile::tempdir().unwrap();
        let precious = root.path().join("precious");
        File::create(&precious).unwrap().write_all(b"theirs").unwrap();
        std::fs::create_dir(root.path().join(".hast")).unwrap();
        let link = root.path().join(".hast/driver-u.lock");
        std::os::unix::fs::symlink("../precious", link).unwrap();
        assert!(matches!(DriverLock::take(&of(root.path()), "u"), Err(NoLock::Io { .. })));
        assert_eq!(std::fs::read(&precious).unwrap(), b"theirs");
        let below = root.path().join("below");
        std::fs::create_dir(&below).unwrap();
        std::os::unix::fs::symlink("..", below.join(".hast")).unwrap();
        assert!(matches!(DriverLock::take(&of(&below), "u"), Err(NoLock::Io { .. })));
        assert!(!root.path().join("driver-u.lock").exists());
        std::fs::remove_file(root.path().join(".hast/driver-u.lock")).unwrap();
        std::fs::hard_link(&precious, root.path().join(".hast/driver-u.lock")).unwrap();
        let held = DriverLock::take(&of(root.path()), "u").unwrap();
        assert_eq!(std::fs::read(&precious).unwrap(), b"theirs");
        drop(held);
        std::fs::hard_link(&precious, root.path().join(".hast/lock")).unwrap();
        assert!(matches!(DriverLock::take(&of(root.path()), "u"), Err(NoLock::Io { .. })));
    }

    #[test]
    fn a_second_driver_is_told_who_the_first_is() {
        let root = tempfile::tempdir().unwrap();
        let first = DriverLock::take(&of(root.path()), "S-20260112-143000Z").unwrap();
        let Err(NoLock::Held(owner)) = DriverLock::take(&of(root.path()), "S-20260112-143000Z")
        else {
            panic!("two drivers of one session");
        };
        assert_eq!(owner.pid, std::process::id());
        assert_eq!(owner, Owner::read(&owner.written()));
        let other = DriverLock::take(&of(root.path()), "another").unwrap();
        drop((first, other));
        assert!(DriverLock::take(&of(root.path()), "S-20260112-143000Z").is_ok());
    }
}
