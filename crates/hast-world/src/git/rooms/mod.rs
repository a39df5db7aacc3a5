//! Rooms at a path of their own: each is a tree of the user's base commit with a throw-away git
//! directory, beside an index that only hast writes. hast is given the user's repository and a
//! directory for rooms; it never starts git in the git directory that an agent could write.

mod change;
mod own_commits;
mod private_git;
mod quarantine;
mod tree;
mod walk;

use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::{ROOM_VERSION, RoomRecord, RoomState, room_ref};

use super::config::Config;
use super::index::disk;
use super::place::{Place, is_a_place_of_ours};
use super::run::{Git, GitEnvironment};
use crate::files::read_bounded;

/// Largest record of a room that is read.
const LONGEST_RECORD: usize = 64 << 10;
/// Beginning of the names of directories that are on their way out.
const GONE: &str = "gone-";

/// The rooms of one checkout of the user's.
#[derive(Debug)]
pub struct RealRooms {
    /// Git with the user's repository and checkout.
    git: Git,
    config: Config,
    directory: PathBuf,
}

/// An open room. Nobody else opens it before this is dropped.
#[derive(Debug)]
pub struct Room {
    slot: String,
    path: PathBuf,
    record: RoomRecord,
    _lock: File,
}

impl Room {
    /// Where the agent works.
    pub fn tree(&self) -> PathBuf {
        self.path.join("tree")
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

    /// The index of the base.
    fn index(&self) -> PathBuf {
        self.trusted().join("index")
    }

    /// The base's ignore rules as one list.
    fn ignores(&self) -> PathBuf {
        self.trusted().join("ignores")
    }

    fn record_path(&self) -> PathBuf {
        self.path.join("meta.json")
    }

    /// Writes the record as a whole: a reader finds the old one or the new one.
    fn write_record(&self) -> Result<(), GitProblem> {
        let path = self.record_path();
        let staged = self.path.join("meta.json.new");
        let text = serde_json::to_vec_pretty(&self.record).unwrap_or_default();
        let written = File::create(&staged)
            .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
            .and_then(|()| rustix::fs::rename(&staged, &path).map_err(Into::into));
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
        let (overrides, compared) = Default::default();
        let mut git = Git { environment, place, overrides, compared, packs: None };
        let config = Config::read(&git)?;
        git.overrides = config.overrides.clone();
        make_private(directory)?;
        let directory = directory.canonicalize().map_err(|error| disk(directory, error))?;
        Ok(Self { git, config, directory })
    }

    /// A room at a commit: made, or put back to it. A room of another process is refused as locked.
    pub fn open(&self, slot: &str, base: &ObjectId) -> Result<Room, GitProblem> {
        let lock = self.lock(slot)?;
        let path = self.directory.join(slot);
        let found = self.read_record(&path);
        let record = self.record_of(base)?;
        let mut room = Room { slot: slot.to_owned(), path, record, _lock: lock };
        self.pin(&room)?;
        if found.is_none() {
            self.clear(&room.path)?;
            make_private(&room.path)?;
            make_private(&room.trusted())?;
            make_private(&room.tree())?;
        }
        self.put_to(&mut room, base)?;
        Ok(room)
    }

    /// Puts a room back to a commit. What was in it is gone: save it first.
    pub fn reset(&self, room: &mut Room, to: &ObjectId) -> Result<(), GitProblem> {
        room.record = self.record_of(to)?;
        self.pin(room)?;
        self.put_to(room, to)
    }

    /// Deletes a room.
    pub fn remove(&self, room: Room) -> Result<(), GitProblem> {
        self.clear(&room.path)?;
        let pin = room_ref(&room.slot);
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

    /// Brings files, index, ignore rules and git directory of a room to a commit.
    fn put_to(&self, room: &mut Room, to: &ObjectId) -> Result<(), GitProblem> {
        let known = room.record_path().exists();
        if known {
            room.record.state = RoomState::Resetting;
            room.write_record()?;
        }
        remove_any(&room.agents_git())?;
        remove_any(&room.tree().join(".git"))?;
        self.bring_tree(room, to)?;
        self.write_ignores(room)?;
        self.make_private_git(room)?;
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
            branch: (head.code == Some(0)).then_some(branch),
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
        ours.then_some(record)
    }

    /// The base stays reachable while the user prunes.
    fn pin(&self, room: &Room) -> Result<(), GitProblem> {
        let (name, base) = (room_ref(&room.slot), room.record.base.as_str());
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

/// Writes a file of a room that hast alone reads, or that an agent may change as it likes.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), GitProblem> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| File::create(path)?.write_all(bytes));
    written.map_err(|error| disk(path, error))
}

fn make_private(path: &Path) -> Result<(), GitProblem> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| disk(path, error))
}

/// Deletes a directory in which an agent may have closed others.
fn remove_all(path: &Path) -> Result<(), GitProblem> {
    walk::open_directories(path);
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(disk(path, error)),
        _ => Ok(()),
    }
}

/// Deletes whatever is at a path.
fn remove_any(path: &Path) -> Result<(), GitProblem> {
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(there) if there.is_dir() => remove_all(path),
        Ok(_) => fs::remove_file(path).map_err(|error| disk(path, error)),
    }
}
