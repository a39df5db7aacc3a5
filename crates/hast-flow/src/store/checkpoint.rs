//! Checkpoints: once everything a record published is synced by itself, the record may go.

use std::collections::BTreeSet;

use super::codec::Entry;
use super::content::fill_with_zeros;
use super::disk::{Disk, DiskError, DiskErrorKind, LockMode, Open};
use super::header::AREA_START;
use super::path::DocPath;
use super::problem::StoreError;
use super::root::{Rule, Store, Trace};

/// A position up to which the journal may be forgotten after [`Checkpoint::sync`].
#[derive(Clone, Debug)]
#[must_use = "a checkpoint that is not finished keeps the journal full"]
pub struct Checkpoint {
    epoch: u64,
    head: u64,
    next_seq: u64,
    scope: Scope,
}

/// What has to be synced.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scope {
    Nothing,
    Files(BTreeSet<DocPath>),
    Everything,
}

/// With more files than this, one `syncfs` is cheaper than a sync of each.
const FEW_FILES: usize = 16;
/// Stands in the header for a machine on which a sync failed.
pub(super) const UNTRUSTED: [u8; 16] = [0; 16];

impl Checkpoint {
    /// Waits for the disk. Needs no lock: commits may go on meanwhile.
    pub fn sync<D: Disk>(&self, disk: &D) -> Result<(), DiskError> {
        match &self.scope {
            Scope::Nothing => Ok(()),
            Scope::Everything => disk.sync_all(),
            Scope::Files(paths) => sync_files(disk, paths),
        }
    }
}

impl<D: Disk> Store<D> {
    /// Whether the journal is full enough, or old enough, for a checkpoint.
    pub fn checkpoint_due(&self) -> bool {
        let header = &self.journal.header;
        self.live >= self.options.checkpoint_commits || self.journal.free() < header.area / 4
    }

    /// Syncs what was published and frees the journal.
    pub fn checkpoint(&mut self) -> Result<(), StoreError> {
        let checkpoint = self.begin_checkpoint()?;
        let synced = checkpoint.sync(&self.disk);
        self.finish_checkpoint(&checkpoint, synced)
    }

    /// Leaves no live record behind.
    pub fn close(mut self) -> Result<(), StoreError> {
        // Another process may have left records of its own.
        let checkpoint = self.begin_checkpoint()?;
        if self.live == 0 {
            return Ok(());
        }
        let synced = checkpoint.sync(&self.disk);
        self.finish_checkpoint(&checkpoint, synced)
    }

    /// Notes the position. What lies before it is published, because the lock was free.
    pub fn begin_checkpoint(&mut self) -> Result<Checkpoint, StoreError> {
        self.enter(LockMode::Exclusive)?;
        let caught_up = self.catch_up();
        let checkpoint = self.note_checkpoint();
        self.leave()?;
        caught_up.map(|_| checkpoint)
    }

    fn note_checkpoint(&self) -> Checkpoint {
        Checkpoint {
            epoch: self.journal.header.epoch,
            head: self.journal.head,
            next_seq: self.journal.next_seq,
            scope: self.scope(),
        }
    }

    fn scope(&self) -> Scope {
        if !self.options.keeps(Rule::SyncBeforeReset) {
            return Scope::Nothing;
        }
        let mut paths = BTreeSet::new();
        for trace in self.touched.iter().flat_map(|touched| &touched.what) {
            match trace {
                Trace::Tree => return Scope::Everything,
                Trace::File(path) => paths.insert(path.clone()),
            };
            if paths.len() > FEW_FILES {
                return Scope::Everything;
            }
        }
        if paths.is_empty() { Scope::Nothing } else { Scope::Files(paths) }
    }

    /// Moves the tail in the header to the noted position, if the sync went well.
    pub fn finish_checkpoint(
        &mut self,
        checkpoint: &Checkpoint,
        synced: Result<(), DiskError>,
    ) -> Result<(), StoreError> {
        self.enter(LockMode::Exclusive)?;
        let result = self.catch_up().and_then(|_| self.finish_locked(checkpoint, synced));
        self.leave()?;
        result
    }

    fn finish_locked(
        &mut self,
        checkpoint: &Checkpoint,
        synced: Result<(), DiskError>,
    ) -> Result<(), StoreError> {
        if let Err(error) = synced {
            return self.distrust(error);
        }
        let header = &self.journal.header;
        if header.epoch != checkpoint.epoch || header.tail >= checkpoint.head {
            return Ok(());
        }
        let moved = self.journal.write_header(&self.disk, |header| {
            header.tail = checkpoint.head;
            header.tail_seq = checkpoint.next_seq;
        });
        if let Err(error) = moved {
            return self.stop(StoreError::Journal(error));
        }
        self.touched.retain(|touched| touched.seq >= checkpoint.next_seq);
        self.live = self.touched.len() as u64;
        Ok(())
    }

    /// After a failed sync the system may call lost pages clean. Everybody has to reopen, and who
    /// opens next writes every document of the journal again.
    fn distrust(&mut self, error: DiskError) -> Result<(), StoreError> {
        let marked = self.journal.write_header(&self.disk, |header| header.boot_id = UNTRUSTED);
        self.stop(StoreError::Journal(marked.err().unwrap_or(error)))
    }

    /// Makes room for a record while the lock is held: the one case in which a commit waits.
    pub(super) fn make_room(&mut self, bytes: u64) -> Result<(), StoreError> {
        let checkpoint = self.note_checkpoint();
        let synced = checkpoint.sync(&self.disk);
        self.finish_locked(&checkpoint, synced)?;
        if bytes > self.journal.header.area {
            self.grow(bytes)?;
        }
        Ok(())
    }

    /// A larger ring, while the old one holds nothing.
    fn grow(&mut self, bytes: u64) -> Result<(), StoreError> {
        let old = self.journal.header.area;
        let area = bytes.next_power_of_two().max(old * 2);
        fill_with_zeros(&self.disk, &self.journal.file, AREA_START + old, AREA_START + area)?;
        self.disk.sync_file(&self.journal.file)?;
        let grown = self.journal.write_header(&self.disk, |header| {
            header.area = area;
            // What the ring held lies elsewhere now.
            header.epoch += 1;
        });
        grown.or_else(|error| self.stop(StoreError::Journal(error)))
    }
}

pub(super) fn trace(entry: &Entry) -> Trace {
    match entry {
        Entry::Whole { path, .. } | Entry::Append { path, .. } | Entry::Patch { path, .. } => {
            Trace::File(path.clone())
        }
        Entry::Archive { .. } => Trace::Tree,
    }
}

fn sync_files<D: Disk>(disk: &D, paths: &BTreeSet<DocPath>) -> Result<(), DiskError> {
    let mut dirs = BTreeSet::new();
    for path in paths {
        match disk.open(path, Open::Read) {
            Ok(file) => disk.sync_file(&file)?,
            // Moved or removed by somebody since; its directory still tells so.
            Err(error) if gone(&error) => {}
            Err(error) => return Err(error),
        }
        dirs.extend(path.ancestors());
    }
    // From the top: a name in a directory that has none itself would be lost with it.
    disk.sync_dir(None)?;
    for dir in &dirs {
        match disk.sync_dir(Some(dir)) {
            Err(error) if gone(&error) => {}
            result => result?,
        }
    }
    Ok(())
}

fn gone(error: &DiskError) -> bool {
    matches!(
        error.kind,
        DiskErrorKind::NotFound | DiskErrorKind::NotADirectory | DiskErrorKind::IsADirectory
    )
}

/// Syncs one file and every name that leads to it.
pub(super) fn make_durable<D: Disk>(disk: &D, path: &DocPath) -> Result<(), DiskError> {
    sync_files(disk, &BTreeSet::from([path.clone()]))
}
