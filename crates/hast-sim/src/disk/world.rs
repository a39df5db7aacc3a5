//! The state of the simulated machine: files, names, locks, time, and what goes wrong when.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::store::DocPath;
use hast_flow::store::disk::{LockMode, Times};

use super::files::File;
use super::names::{Names, ROOT};
use crate::rng::Rng;

/// One machine with one root.
#[derive(Debug)]
pub struct World {
    pub(super) rng: Rng,
    pub(super) names: Names,
    pub(super) files: BTreeMap<u64, File>,
    pub(super) next_inode: u64,
    pub(super) boots: u64,
    pub(super) salts: u64,
    /// Who holds which lock file, and how.
    pub(super) locks: BTreeMap<u64, Vec<(u64, LockMode)>>,
    pub(super) dead: BTreeSet<u64>,
    pub(super) next_process: u64,
    /// Operations made so far.
    pub operations: u64,
    pub(super) nanoseconds: u64,
    /// How finely this machine stamps changes; every other seed has the coarse kind.
    pub(super) times: Times,
    pub(super) faults: Vec<Fault>,
    pub(super) edits: Vec<Edit>,
    /// People wait while the script reads, so that what it read is what its decision saw.
    pub people_wait: bool,
    /// What happened, for the checker.
    pub events: Vec<Event>,
    /// Blocking syncs so far.
    pub syncs: u64,
    recovery: Recovery,
}

/// Whether somebody has looked at the root since the power was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    Done,
    Due,
}

/// Something that goes wrong at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub at: u64,
    pub kind: FaultKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The process dies before the operation.
    DieBefore,
    /// The process dies after it; of a write only a part may be done.
    DieAfter,
    Full,
    Denied,
    /// The device reports an error.
    Broken,
}

/// What became of an operation outside of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    Fine,
    Refused,
    /// It is not done: the process is dead.
    Dead,
    /// It is done, and then the process is dead.
    DoneThenDead,
}

/// A person who saves a file at an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub at: u64,
    pub path: DocPath,
    pub bytes: Vec<u8>,
    pub style: EditStyle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditStyle {
    /// Writes another file and renames it, as most editors do.
    Rename,
    /// Writes into the same file.
    InPlace,
    /// Saves what is there with more at its end, as a new file.
    AtEnd,
}

/// What the checker has to know about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Died {
        at: u64,
    },
    /// A person's edit, and what they wrote it over.
    Edited {
        path: DocPath,
        over: Option<Vec<u8>>,
        bytes: Vec<u8>,
        recovery: Recovery,
    },
}

/// The clock that stamps files ticks slowly, as a kernel's does.
const TICK: u64 = 4_000_000;
const OPERATION_NANOSECONDS: u64 = 300_000;

impl World {
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed),
            names: Names::new(),
            files: BTreeMap::new(),
            next_inode: ROOT + 1,
            boots: 1,
            salts: seed << 16,
            locks: BTreeMap::new(),
            dead: BTreeSet::new(),
            next_process: 1,
            operations: 0,
            nanoseconds: 1_000_000_000,
            times: if seed.is_multiple_of(2) { Times::Exact } else { Times::Ticking },
            faults: Vec::new(),
            edits: Vec::new(),
            people_wait: false,
            events: Vec::new(),
            syncs: 0,
            recovery: Recovery::Done,
        }
    }

    pub fn plan_fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    pub fn plan_edit(&mut self, edit: Edit) {
        self.edits.push(edit);
    }

    /// Time passes: whatever was stamped until now is settled.
    pub fn wait(&mut self) {
        self.nanoseconds += 100 * TICK;
    }

    /// Whether a process holds a lock.
    pub fn is_locked(&self) -> bool {
        self.locks.values().any(|holders| !holders.is_empty())
    }

    /// Faults that have not come yet.
    pub fn faults_left(&self) -> usize {
        self.faults.len()
    }

    pub fn forget_plans(&mut self) {
        self.faults.clear();
        self.edits.clear();
    }

    /// The next operation begins; people may act first.
    pub(super) fn step(&mut self) -> Option<FaultKind> {
        self.operations += 1;
        self.nanoseconds += OPERATION_NANOSECONDS;
        let now = self.operations;
        while let Some(at) = self.edits.iter().position(|edit| edit.at <= now && !self.people_wait)
        {
            let edit = self.edits.remove(at);
            self.edit(edit);
        }
        let at = self.faults.iter().position(|fault| fault.at == now)?;
        Some(self.faults.remove(at).kind)
    }

    /// An operation on something else of this machine, a work tree: it counts, and can be hit, like
    /// one on the disk.
    pub fn operate(&mut self, process: u64) -> Hit {
        if self.dead.contains(&process) {
            return Hit::Dead;
        }
        match self.step() {
            Some(FaultKind::DieBefore) => {
                self.kill(process);
                Hit::Dead
            }
            Some(FaultKind::DieAfter) => {
                self.kill(process);
                Hit::DoneThenDead
            }
            Some(FaultKind::Full | FaultKind::Denied | FaultKind::Broken) => Hit::Refused,
            None => Hit::Fine,
        }
    }

    /// The time of a change; where times are exact, no two changes have the same.
    pub(super) fn stamp(&mut self) -> u64 {
        match self.times {
            Times::Ticking => self.nanoseconds / TICK * TICK,
            Times::Exact => {
                self.nanoseconds += 1;
                self.nanoseconds
            }
        }
    }

    pub fn is_alive(&self, process: u64) -> bool {
        !self.dead.contains(&process)
    }

    /// The process ends by itself; the kernel frees its locks.
    pub fn exit(&mut self, process: u64) {
        self.dead.insert(process);
        for holders in self.locks.values_mut() {
            holders.retain(|(holder, _)| *holder != process);
        }
    }

    pub fn kill(&mut self, process: u64) {
        self.exit(process);
        let at = self.operations;
        self.events.push(Event::Died { at });
    }

    /// The power goes, and comes back.
    pub fn cut_power(&mut self) {
        for process in 0..self.next_process {
            self.dead.insert(process);
        }
        self.locks.clear();
        let mut rng = self.rng.fork(self.operations);
        let reachable = self.names.cut(&mut rng);
        self.files.retain(|inode, _| reachable.contains(inode));
        for file in self.files.values_mut() {
            file.cut(&mut rng);
        }
        self.boots += 1;
        self.recovery = Recovery::Due;
    }

    /// A process has opened the root.
    pub fn recovered(&mut self) {
        self.recovery = Recovery::Done;
    }

    /// The directory of a path and its last name.
    pub(super) fn place<'a>(&self, path: &'a DocPath) -> Option<(u64, &'a str)> {
        let mut dir = ROOT;
        let mut parts = path.as_str().split('/').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return self.names.is_dir(dir).then_some((dir, part));
            }
            dir = self.names.find(dir, part)?;
        }
        None
    }

    pub(super) fn find(&self, path: &DocPath) -> Option<u64> {
        let (dir, name) = self.place(path)?;
        self.names.find(dir, name)
    }

    pub(super) fn dir_inode(&self, dir: Option<&DocPath>) -> Option<u64> {
        let inode = dir.map_or(Some(ROOT), |dir| self.find(dir));
        inode.filter(|inode| self.names.is_dir(*inode))
    }

    /// What a reader finds at a path.
    pub fn content(&self, path: &DocPath) -> Option<&[u8]> {
        let inode = self.find(path)?;
        self.files.get(&inode).map(|file| file.data.as_slice())
    }

    /// Every file outside the store's own directory, by path.
    pub fn documents(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        self.collect(ROOT, "", &mut found);
        found.retain(|path, _| !path.starts_with(".hast/"));
        found
    }

    /// Every file, by path.
    pub fn all_files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        self.collect(ROOT, "", &mut found);
        found
    }

    fn collect(&self, dir: u64, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
        for (name, inode) in self.names.seen.get(&dir).into_iter().flatten() {
            let path = format!("{prefix}{name}");
            match self.files.get(inode) {
                Some(file) => {
                    found.insert(path, file.data.clone());
                }
                None => self.collect(*inode, &format!("{path}/"), found),
            }
        }
    }

    pub(super) fn new_file(&mut self) -> u64 {
        let inode = self.next_inode;
        self.next_inode += 1;
        let now = self.stamp();
        self.files.insert(inode, File::new(now));
        inode
    }

    /// A person saves a file, and their editor syncs it.
    fn edit(&mut self, edit: Edit) {
        let Some((dir, name)) = self.place(&edit.path) else {
            return;
        };
        let over = self.content(&edit.path).map(<[u8]>::to_vec);
        let present = self.names.find(dir, name);
        if present.is_some_and(|inode| self.names.is_dir(inode)) {
            return;
        }
        let before = over.as_deref().filter(|_| edit.style == EditStyle::AtEnd);
        let bytes = [before.unwrap_or_default(), &edit.bytes].concat();
        let stamp = self.stamp();
        let inode = match (edit.style, present) {
            (EditStyle::InPlace, Some(inode)) => inode,
            (EditStyle::Rename | EditStyle::AtEnd, _) | (_, None) => {
                let inode = self.new_file();
                self.names.create(dir, name, inode, false, stamp);
                inode
            }
        };
        if let Some(file) = self.files.get_mut(&inode) {
            file.set_len(bytes.len(), stamp);
            file.write(0, &bytes, stamp);
            file.sync();
        }
        for above in edit.path.ancestors() {
            if let Some((dir, name)) = self.place(&above) {
                self.names.sync_name(dir, name);
            }
        }
        self.names.sync_name(dir, name);
        let recovery = self.recovery;
        self.events.push(Event::Edited { path: edit.path, over, bytes, recovery });
    }
}
