//! `.ai/auto.lock`: says who drives a work tree, for people and for whoever comes after a crash. What
//! really keeps two drivers apart is the driver's lock; this file only tells the story.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hast_flow::attempt::recovery::{Owner, Running, owner_of};
use hast_flow::docs::document::read;
use hast_flow::docs::goals::AutoLock;
use hast_flow::formats::source::Source;
use hast_flow::formats::yaml_print::{Layout, print};
use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, unlinkat};

use crate::files::{PathError, read_if_there};
use crate::processes;
use crate::root_path::RootPath;

const SMALL: usize = 64 << 10;
const NAME: &str = "auto.lock";
const STAGED: &str = "auto.lock.new";

/// The lock of this process. What it says can be changed; it goes when it is dropped, and stays
/// when the process dies.
#[derive(Debug)]
#[must_use = "the file is removed when this is dropped"]
pub struct OwnLock {
    path: RootPath,
    lock: AutoLock,
}

/// A lock that was found, and whether its owner still lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub lock: AutoLock,
    pub owner: Owner,
}

/// The lock of somebody else. One that cannot be read is nobody's.
pub fn find(state: &RootPath) -> Result<Option<Found>, PathError> {
    let Some(bytes) = state.join(NAME).read_if_there(SMALL)? else { return Ok(None) };
    let lock = Source::from_bytes(NAME, &bytes)
        .ok()
        .and_then(|source| read::<AutoLock>(&source).ok())
        .map(|read| read.value);
    Ok(lock.map(|lock| {
        let owner = owner_of(lock.process_start, running(lock.pid));
        Found { lock, owner }
    }))
}

impl OwnLock {
    pub fn write(state: &RootPath, lock: AutoLock) -> Result<Self, PathError> {
        let own = Self { path: state.join(NAME), lock };
        own.save()?;
        Ok(own)
    }

    /// Another goal or attempt. Told for people: a failure to write it is no failure of the work.
    pub fn tell(&mut self, goal: &str, attempt: u32) {
        let now = (Some(goal.to_owned()), Some(attempt));
        if (&self.lock.goal, &self.lock.attempt) != (&now.0, &now.1) {
            (self.lock.goal, self.lock.attempt) = now;
            let _ = self.save();
        }
    }

    fn save(&self) -> Result<(), PathError> {
        let save = || -> io::Result<()> {
            let text = print(&self.lock, &Layout::COMPACT).unwrap_or_default();
            let (above, name) = self.path.above()?;
            // What a dead run left there goes; a link that a repository brought is not followed.
            let _ = unlinkat(&above, STAGED, AtFlags::empty());
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let staged = openat(&above, STAGED, flags, Mode::from_raw_mode(0o666))?;
            let written = File::from(staged).write_all(text.as_bytes());
            let saved = written.and_then(|()| Ok(renameat(&above, STAGED, &above, name)?));
            if saved.is_err() {
                let _ = unlinkat(&above, STAGED, AtFlags::empty());
            }
            saved
        };
        save().map_err(|source| self.path.at(source))
    }
}

impl Drop for OwnLock {
    fn drop(&mut self) {
        let _ = self.path.above().map(|(dir, name)| unlinkat(dir, name, AtFlags::empty()));
    }
}

/// A living process with that pid, and when it started.
fn running(pid: u32) -> Option<Running> {
    processes::living(pid).map(|living| Running { started: living.started })
}

/// When this process started, in the kernel's own counting.
pub fn own_start() -> Option<u64> {
    processes::own_start()
}

/// The branch and the commit of a work tree, read from its files; nothing where they are not plain.
pub fn head(git_dir: &Path, common_dir: &Path) -> Option<(String, String)> {
    let text = |path: PathBuf| {
        let bytes = read_if_there(&path, 16 << 20).ok()??;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let head = text(git_dir.join("HEAD"))?;
    let branch = head.trim().strip_prefix("ref: ")?.to_owned();
    let loose = text(common_dir.join(&branch)).map(|id| id.trim().to_owned());
    let packed = || {
        let all = text(common_dir.join("packed-refs"))?;
        let line = all
            .lines()
            .find(|line| line.split_once(' ').is_some_and(|(_, name)| name == branch))?;
        Some(line.split_once(' ')?.0.to_owned())
    };
    let commit = loose.or_else(packed)?;
    Some((branch, commit))
}

/// HEAD names a commit and no branch.
pub fn is_detached(git_dir: &Path) -> bool {
    let bytes = read_if_there(&git_dir.join("HEAD"), SMALL).ok().flatten().unwrap_or_default();
    let head = bytes.trim_ascii();
    !head.is_empty() && head.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(state: &tempfile::TempDir) -> RootPath {
        RootPath::new(state.path()).unwrap()
    }

    fn lock() -> AutoLock {
        AutoLock {
            pid: std::process::id(),
            started_at: "2026-02-09T14:30:00+09:00".parse().unwrap(),
            base_commit: "abc123".to_owned(),
            process_start: own_start(),
            branch: Some("refs/heads/main".to_owned()),
            goal: None,
            attempt: None,
        }
    }

    #[test]
    fn a_lock_tells_of_its_owner_and_goes_with_it() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(find(&of(&state)).unwrap(), None);
        let mut own = OwnLock::write(&of(&state), lock()).unwrap();
        own.tell("M1", 2);
        let found = find(&of(&state)).unwrap().unwrap();
        assert_eq!((found.owner, found.lock.goal.as_deref()), (Owner::Alive, Some("M1")));
        drop(own);
        assert_eq!(find(&of(&state)).unwrap(), None);
    }

    #[test]
    fn a_link_where_the_lock_is_made_is_not_followed() {
        let state = tempfile::tempdir().unwrap();
        let precious = state.path().join("precious");
        File::create(&precious).unwrap().write_all(b"theirs").unwrap();
        for name in ["auto.lock", "auto.lock.new"] {
            std::os::unix::fs::symlink("precious", state.path().join(name)).unwrap();
        }
        let _own = OwnLock::write(&of(&state), lock()).unwrap();
        assert_eq!(std::fs::read(&precious).unwrap(), b"theirs");
    }

    #[test]
    fn a_pid_that_another_process_has_now_is_gone() {
        let state = tempfile::tempdir().unwrap();
        let other = AutoLock { process_start: Some(1), ..lock() };
        let _own = OwnLock::write(&of(&state), other).unwrap();
        assert_eq!(find(&of(&state)).unwrap().unwrap().owner, Owner::Gone);
    }
}
