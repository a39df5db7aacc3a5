//! Rooms: each is a tree of the user's base commit with a throw-away git directory, beside an index
//! that only hast writes. An agent sees it at the checkout's path or at the room's own. hast is given the user's repository and a
//! directory for rooms; it never starts git in the git directory that an agent could write.

mod ability;
mod begun_files;
mod change;
mod hooks;
mod inspection;
mod own_commits;
mod pool;
mod private_git;
mod quarantine;
mod restoring;
mod saving;
mod secrets;
mod shade;
mod shown_files;
mod submodules;
mod tree;
mod trees;
mod users_repository;
mod walk;
mod workspace;

use std::cell::OnceCell;
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hast_flow::agents::redact::Redactor;
use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::{ROOM_VERSION, RoomKind, RoomRecord, RoomState, room_ref};
use hast_flow::plain_name::plain_name;

use super::config::Config;
use super::index::disk;
use super::place::{Place, is_a_place_of_ours};
use super::run::{Git, GitEnvironment};
use crate::files::read_bounded;
use crate::root_path::RootPath;

/// Largest record of a room that is read.
const LONGEST_RECORD: usize = 64 << 10;
/// Beginning of the names of directories that are on their way out.
const GONE: &str = "gone-";
/// How long a lock is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

pub use pool::{RoomsOnDisk, UnitRoom, room_of_unit, rooms_directory, rooms_on_disk};
pub use submodules::moved_submodules;
pub use trees::RealWorktrees;
pub use workspace::RoomWorkspace;

/// The rooms of one checkout of the user's.
#[derive(Debug)]
pub struct RealRooms {
    /// Git with the user's repository and checkout.
    git: Git,
    config: Config,
    directory: PathBuf,
    /// The kind of rooms that are made; one that is there keeps its own.
    kind: RoomKind,
    /// The settings of every room's git directory, once they were asked for.
    settings: OnceCell<Vec<u8>>,
    /// Secrets that agents are given: none of them may be in what they leave.
    secrets: Redactor,
}

/// An open room. Nobody else opens it before this is dropped.
#[derive(Debug)]
pub struct Room {
    slot: String,
    path: PathBuf,
    record: RoomRecord,
    /// None where another part of this process holds the room.
    _lock: Option<File>,
}

/// The fate of ignored files when a room goes to a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IgnoredFiles {
    /// Caches and installed dependencies stay for the next attempt at the same unit.
    Kept,
    Removed,
}

impl Room {
    /// Where the agent works.
    pub fn tree(&self) -> PathBuf {
        self.path.join("tree")
    }

    /// The same for what hast does there by itself: it follows no link on the way, whoever made one.
    fn files(&self) -> Result<RootPath, GitProblem> {
        Ok(RootPath::new(&self.tree())?)
    }

    pub fn base(&self) -> &ObjectId {
        &self.record.base
    }

    /// The git directory that the agent had, once its work is looked at.
    fn agents_git(&self) -> PathBuf {
        self.path.join("git")
    }

    fn trusted(&self) -> PathBuf {
        self.path.join("trusted")
    }

    /// The directory that an overlay needs beside its upper layer.
    fn overlay_work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// The index of the base.
    fn index(&self) -> PathBuf {
        self.trusted().join("index")
    }

    /// The base's ignore rules as one list.
    fn ignores(&self) -> PathBuf {
        self.trusted().join("ignores")
    }

    /// The tree and the commits that hast found after the agent.
    fn judgement(&self) -> PathBuf {
        self.trusted().join("judgement.json")
    }

    /// The user's files that were put into the room, with their hashes.
    fn shown_list(&self) -> PathBuf {
        self.trusted().join("shown.json")
    }

    fn record_path(&self) -> PathBuf {
        self.path.join("meta.json")
    }

    /// Writes the record as a whole: a reader finds the old one or the new one, and the new one after a power
    /// cut too.
    fn write_record(&self) -> Result<(), GitProblem> {
        let path = self.record_path();
        let staged = self.path.join("meta.json.new");
        let text = serde_json::to_vec_pretty(&self.record).unwrap_or_default();
        let written = File::create(&staged)
            .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
            .and_then(|()| rustix::fs::rename(&staged, &path).map_err(Into::into))
            .and_then(|()| File::open(&self.path)?.sync_all());
        written.map_err(|error: std::io::Error| disk(&path, error))
    }
}

impl RealRooms {
    /// The rooms in `directory` of the checkout whose top `top` is.
    pub fn new(
        top: &Path,
        directory: &Path,
        environment: GitEnvironment,
    ) -> Result<Self, GitProblem> {
        let place = Place::find(top)?;
        is_a_place_of_ours(&place.top, directory).or_else(|problem| match problem {
            // Rooms lie outside of the checkout; a link on the way there is the user's own.
            GitProblem::Linked { .. } if !directory.starts_with(&place.top) => Ok(()),
            other => Err(other),
        })?;
        let (git, config) = Git::open(place, environment)?;
        make_private(directory)?;
        let directory = directory.canonicalize().map_err(|error| disk(directory, error))?;
        let kind = RoomKind::OwnPath;
        let (settings, secrets) = (OnceCell::new(), Redactor::default());
        Ok(Self { git, config, directory, kind, settings, secrets })
    }

    /// The same, and new rooms are of this kind.
    #[must_use]
    pub fn of_kind(self, kind: RoomKind) -> Self {
        Self { kind, ..self }
    }

    /// The same, and none of these values may be in what an agent leaves.
    #[must_use]
    pub fn guarding(self, secrets: Redactor) -> Self {
        Self { secrets, ..self }
    }

    /// A room at a commit: made, or put back to it. A room of another process is refused as locked.
    pub fn open(&self, slot: &str, base: &ObjectId) -> Result<Room, GitProblem> {
        let lock = self.lock(slot)?;
        self.open_locked(slot, lock, base, None)
    }

    /// The same where the lock is held, for a unit of work.
    fn open_locked(
        &self,
        slot: &str,
        lock: File,
        base: &ObjectId,
        unit: Option<String>,
    ) -> Result<Room, GitProblem> {
        let path = self.directory.join(slot);
        let found = self.read_record(&path);
        let record = RoomRecord { unit, kind: self.kind, ..self.record_of(base)? };
        let mut room = Room { slot: slot.to_owned(), path, record, _lock: Some(lock) };
        self.pin(&room)?;
        if found.is_none() {
            self.clear(&room.path)?;
            make_private(&room.path)?;
            make_private(&room.trusted())?;
            make_private(&room.tree())?;
        }
        make_private(&room.overlay_work())?;
        remove_any(&room.rules_list())?;
        self.put_to(&mut room, base, IgnoredFiles::Removed)?;
        self.shade(&room)?;
        Ok(room)
    }

    /// Puts a room back to a commit. What was in it is gone, but for ignored files: save it first.
    pub fn reset(&self, room: &mut Room, to: &ObjectId) -> Result<(), GitProblem> {
        let (unit, kind) = (room.record.unit.take(), room.record.kind);
        room.record = RoomRecord { unit, kind, ..self.record_of(to)? };
        self.pin(room)?;
        self.put_to(room, to, IgnoredFiles::Kept)?;
        self.shade(room)
    }

    /// Deletes a room.
    pub fn remove(&self, room: Room) -> Result<(), GitProblem> {
        self.clear(&room.path)?;
        let pin = self.pin_of(&room);
        self.git.call(["update-ref", "-d", &pin]).run()?;
        drop(room);
        Ok(())
    }

    /// Deletes what no process holds and no record makes a room; counts it.
    pub fn sweep(&self) -> Result<usize, GitProblem> {
        let mut removed = 0;
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !is_dir {
                continue;
            }
            if name.starts_with(GONE) {
                remove_all(&entry.path())?;
                removed += 1;
            } else if let Ok(_lock) = self.lock(&name)
                && self.read_record(&entry.path()).is_none()
            {
                self.clear(&entry.path())?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Brings files, index, ignore rules and git directory of a room to a commit. It is not marked for a
    /// start yet. A room that was there says that it is being reset until no power cut can bring back what
    /// was in it: work that is saved already would be taken for new.
    fn put_to(
        &self,
        room: &mut Room,
        to: &ObjectId,
        ignored: IgnoredFiles,
    ) -> Result<(), GitProblem> {
        let known = room.record_path().exists();
        if known {
            room.record.state = RoomState::Resetting;
            room.write_record()?;
        }
        remove_any(&room.agents_git())?;
        remove_any(&room.judgement())?;
        remove_any(&room.shown_list())?;
        remove_any(&room.tree().join(".git"))?;
        if known {
            self.forget_submodule_gits(room)?;
        }
        self.bring_tree(room, to, ignored)?;
        match ignored {
            IgnoredFiles::Kept => self.restore_begun(room, &|_| false)?,
            IgnoredFiles::Removed => self.forget_begun(room)?,
        }
        self.write_ignores(room)?;
        self.make_private_git(room, &room.index())?;
        if known {
            sync(&room.path)?;
        }
        room.record.state = RoomState::Open;
        room.write_record()
    }

    fn record_of(&self, base: &ObjectId) -> Result<RoomRecord, GitProblem> {
        let head = self.git.call(["symbolic-ref", "-q", "HEAD"]).output()?;
        let branch = String::from_utf8_lossy(&head.stdout).trim().to_owned();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        Ok(RoomRecord {
            version: ROOM_VERSION,
            checkout: self.git.place.top.display().to_string(),
            base: base.clone(),
            unit: None,
            branch: (head.code == Some(0)).then_some(branch),
            kind: RoomKind::OwnPath,
            state: RoomState::Resetting,
            boot_id: boot.trim().to_owned(),
        })
    }

    /// The record of a room of this checkout; none where there is no whole room.
    fn read_record(&self, path: &Path) -> Option<RoomRecord> {
        let bytes = read_bounded(&path.join("meta.json"), LONGEST_RECORD).ok()?;
        let record: RoomRecord = serde_json::from_slice(&bytes).ok()?;
        let ours = record.version == ROOM_VERSION
            && record.checkout == self.git.place.top.display().to_string();
        // Somebody may have deleted parts of it.
        let whole = path.join("tree").is_dir() && path.join("trusted/index").is_file();
        (ours && whole).then_some(record)
    }

    /// The ref of a room's base.
    fn pin_of(&self, room: &Room) -> String {
        let rooms = self.directory.file_name().unwrap_or_default().to_string_lossy();
        room_ref(&plain_name(&rooms), &room.slot)
    }

    /// The base stays reachable while the user prunes.
    fn pin(&self, room: &Room) -> Result<(), GitProblem> {
        let (name, base) = (self.pin_of(room), room.record.base.as_str());
        self.git.call(["update-ref", &name, base]).synced().run().map(|_| ())
    }

    /// The kernel frees the lock with the process.
    fn lock(&self, slot: &str) -> Result<File, GitProblem> {
        let path = self.directory.join(format!("{slot}.lock"));
        let file = File::options().create(true).write(true).truncate(false).open(&path);
        let file = file.map_err(|error| disk(&path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(_) => Err(GitProblem::Locked { path: path.display().to_string() }),
        }
    }

    /// The same once whoever has it is gone: a process that was killed may have been starting another,
    /// which holds the lock a moment longer.
    fn lock_soon(&self, slot: &str) -> Result<File, GitProblem> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.lock(slot) {
                Err(GitProblem::Locked { .. }) if Instant::now() < end => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                result => return result,
            }
        }
    }

    /// Takes a directory out of sight in one step, then deletes it.
    fn clear(&self, path: &Path) -> Result<(), GitProblem> {
        if fs::symlink_metadata(path).is_err() {
            return Ok(());
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let gone = self.directory.join(format!("{GONE}{}-{name}", std::process::id()));
        rustix::fs::rename(path, &gone).map_err(|error| disk(path, error))?;
        remove_all(&gone)
    }

    /// Git for a room's tree: the user's repository, hast's index, started where no agent can write.
    fn git_of(&self, room: &Room) -> Git {
        let mut git = self.git.clone();
        git.place.top = room.tree();
        git
    }
}

/// Writes a file of a room in a directory that hast alone writes.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), GitProblem> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| File::create(path)?.write_all(bytes));
    written.map_err(|error| disk(path, error))
}

/// Waits until everything on the file system of a path survives a power cut.
fn sync(path: &Path) -> Result<(), GitProblem> {
    let synced = File::open(path).and_then(|open| Ok(rustix::fs::syncfs(open)?));
    synced.map_err(|error| disk(path, error))
}

fn make_private(path: &Path) -> Result<(), GitProblem> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| disk(path, error))
}

/// Deletes a directory in which an agent may have closed others.
fn remove_all(path: &Path) -> Result<(), GitProblem> {
    crate::files::open_directories(path);
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(disk(path, error)),
        _ => Ok(()),
    }
}

/// Deletes whatever is at a path that hast alone made.
fn remove_any(path: &Path) -> Result<(), GitProblem> {
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(there) if there.is_dir() => remove_all(path),
        Ok(_) => fs::remove_file(path).map_err(|error| disk(path, error)),
    }
}
