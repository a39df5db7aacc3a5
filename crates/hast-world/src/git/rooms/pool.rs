//! The rooms of a checkout as a pool: a unit of work takes a free room or a new one, and gives it
//! back without deleting the files, so that the next unit finds most of them there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::rooms::{RoomKind, RoomRecord, RoomState};
use hast_flow::ids::Sha256;
use hast_flow::plain_name::plain_name;

use super::super::directories::disk_use;
use super::super::index::disk;
use super::{IgnoredFiles, LONGEST_RECORD, RealRooms, Room};
use crate::files::read_bounded;
use crate::settings::user_directory;

/// The start of the name of a room whose repository is gone. `--gc` deletes it like any free room.
const LOST: &str = "lost-";
/// Most rooms of one checkout.
const MOST_ROOMS: u32 = 512;

/// The directory of the rooms of a checkout, outside of it: among the user's state.
pub fn rooms_directory(top: &Path, variables: &[(OsString, OsString)]) -> Option<PathBuf> {
    let top = top.canonicalize().ok()?;
    let state = user_directory(variables, "XDG_STATE_HOME", ".local/state")?;
    let name = plain_name(&top.file_name().unwrap_or_default().to_string_lossy());
    let hash = Sha256::of(top.as_os_str().as_encoded_bytes()).to_string();
    let hash: String = hash.chars().filter(char::is_ascii_hexdigit).take(12).collect();
    Some(state.join("hast/rooms").join(format!("{name}-{hash}")))
}

/// The room in which a unit works, by the records of the rooms.
pub fn room_of_unit(rooms: &Path, unit: &str) -> Option<UnitRoom> {
    let slots = fs::read_dir(rooms).ok()?.flatten().map(|entry| entry.path());
    let mut known = slots.filter_map(|path| record_in(&path).map(|record| (path, record)));
    let (path, record) = known.find(|(_, record)| record.unit.as_deref() == Some(unit))?;
    Some(UnitRoom { tree: path.join("tree"), work: path.join("work"), kind: record.kind })
}

/// The rooms of a checkout, as they are on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoomsOnDisk {
    pub rooms: usize,
    /// Those that a unit of work has.
    pub in_use: usize,
    pub bytes: u64,
    /// The kind of the room that was made last.
    pub kind: Option<RoomKind>,
}

/// Counts the rooms in a directory by their records.
pub fn rooms_on_disk(rooms: &Path) -> RoomsOnDisk {
    let mut found = RoomsOnDisk::default();
    let mut newest = None;
    let slots = fs::read_dir(rooms).into_iter().flatten().flatten().map(|entry| entry.path());
    for (path, record) in slots.filter_map(|path| record_in(&path).map(|record| (path, record))) {
        found.rooms += 1;
        found.in_use += usize::from(record.unit.is_some());
        found.bytes += disk_use(&path);
        let made = fs::metadata(path.join("meta.json")).and_then(|there| there.modified()).ok();
        if made >= newest {
            (newest, found.kind) = (made, Some(record.kind));
        }
    }
    found
}

/// Where the room of a unit is on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitRoom {
    pub tree: PathBuf,
    pub work: PathBuf,
    pub kind: RoomKind,
}

/// The record of a room, whosever it is.
fn record_in(room: &Path) -> Option<RoomRecord> {
    let bytes = read_bounded(&room.join("meta.json"), LONGEST_RECORD).ok()?;
    serde_json::from_slice(&bytes).ok()
}

impl RealRooms {
    /// The room of a unit at a commit, with nothing in it but the commit's files.
    pub fn open_for(&self, unit: &str, base: &ObjectId) -> Result<Room, GitProblem> {
        let (slot, lock) = match self.slot_of(unit) {
            Some(slot) => (slot.clone(), self.lock_soon(&slot)?),
            None => self.free_slot()?,
        };
        self.open_locked(&slot, lock, base, Some(unit.to_owned()))
    }

    /// The room that a unit has, as it was left; none where it has none. A reset that was cut off is
    /// done again.
    pub fn attach(&self, unit: &str) -> Result<Option<Room>, GitProblem> {
        let Some(slot) = self.slot_of(unit) else { return Ok(None) };
        let lock = self.lock_soon(&slot)?;
        let Some(mut room) = self.unlocked(&slot) else { return Ok(None) };
        room._lock = Some(lock);
        if !self.git.has_commit(&room.record.base)? {
            return Err(self.lay_aside(room)?);
        }
        // What worked when it was made may not work any more: the settings or the machine changed.
        if room.record.kind == RoomKind::SamePath && self.kind == RoomKind::OwnPath {
            room.record.kind = RoomKind::OwnPath;
            room.write_record()?;
        }
        if room.record.state == RoomState::Resetting {
            let base = room.record.base.clone();
            self.put_to(&mut room, &base, IgnoredFiles::Removed)?;
            self.shade(&room)?;
        }
        Ok(Some(room))
    }

    /// A room whose base is in no repository here: another one is at this path now, or the objects were
    /// deleted. Nothing in it can be compared any more, so its files stay beside the rooms for the user to look
    /// at, and its unit has none.
    fn lay_aside(&self, mut room: Room) -> Result<GitProblem, GitProblem> {
        room.record.unit = None;
        room.write_record()?;
        let names = (1..).map(|number| self.directory.join(format!("{LOST}{number}")));
        let free = |path: &PathBuf| !path.exists();
        let aside = names.take(MOST_ROOMS as usize).find(free);
        let too_much = || GitProblem::TooMuch { what: self.directory.display().to_string() };
        let aside = aside.ok_or_else(too_much)?;
        rustix::fs::rename(&room.path, &aside).map_err(|error| disk(&aside, error))?;
        Ok(GitProblem::RoomOfAnother { path: aside.join("tree").display().to_string() })
    }

    /// The room of a unit for another part of the process that holds it.
    pub fn held_elsewhere(&self, unit: &str) -> Option<Room> {
        self.unlocked(&self.slot_of(unit)?)
    }

    /// Gives a room back. Its files stay for whoever takes it next.
    pub fn give_back(&self, mut room: Room) -> Result<(), GitProblem> {
        room.record.unit = None;
        room.write_record()
    }

    /// The units that have a room, with the bytes that it takes.
    pub fn units(&self) -> Vec<(String, u64)> {
        let mut units: Vec<(String, u64)> = Vec::new();
        for (slot, record) in self.records() {
            let bytes = disk_use(&self.directory.join(slot));
            units.extend(record.unit.map(|unit| (unit, bytes)));
        }
        units.sort();
        units
    }

    /// Deletes the rooms that no unit has; counts them and their bytes.
    pub fn free(&self) -> Result<(usize, u64), GitProblem> {
        self.sweep()?;
        let (mut rooms, mut bytes) = (0, 0);
        for (slot, record) in self.records() {
            if record.unit.is_some() {
                continue;
            }
            let (Ok(lock), Some(mut room)) = (self.lock(&slot), self.unlocked(&slot)) else {
                continue;
            };
            room._lock = Some(lock);
            rooms += 1;
            bytes += disk_use(&room.path);
            self.remove(room)?;
        }
        Ok((rooms, bytes))
    }

    fn unlocked(&self, slot: &str) -> Option<Room> {
        let path = self.directory.join(slot);
        let record = self.read_record(&path)?;
        Some(Room { slot: slot.to_owned(), path, record, _lock: None })
    }

    fn slot_of(&self, unit: &str) -> Option<String> {
        let mut records = self.records().into_iter();
        records.find(|(_, record)| record.unit.as_deref() == Some(unit)).map(|(slot, _)| slot)
    }

    /// The rooms of this checkout, by slot.
    fn records(&self) -> Vec<(String, RoomRecord)> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let mut all: Vec<(String, RoomRecord)> = entries
            .filter_map(|entry| {
                let record = self.read_record(&entry.path())?;
                Some((entry.file_name().into_string().ok()?, record))
            })
            .collect();
        all.sort_by_key(|(slot, _)| slot.parse::<u32>().unwrap_or(u32::MAX));
        all
    }

    /// A room that no unit has and no process holds; the next number where there is none.
    fn free_slot(&self) -> Result<(String, File), GitProblem> {
        for number in 1..=MOST_ROOMS {
            let slot = number.to_string();
            let taken = |record: RoomRecord| record.unit.is_some();
            let path = self.directory.join(&slot);
            if self.read_record(&path).is_some_and(taken) {
                continue;
            }
            match self.lock(&slot) {
                Err(GitProblem::Locked { .. }) => {}
                Err(problem) => return Err(problem),
                // Another process may have taken it before the lock.
                Ok(_) if self.read_record(&path).is_some_and(taken) => {}
                Ok(lock) => return Ok((slot, lock)),
            }
        }
        Err(GitProblem::TooMuch { what: self.directory.display().to_string() })
    }
}
