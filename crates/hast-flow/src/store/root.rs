//! An open root: its locks, its journal, and what another process did meanwhile.

use std::collections::BTreeMap;

use super::chain::Life;
use super::change::PAGE;
use super::codec::{Body, Commit};
use super::content::{fill_with_zeros, read_document, read_from};
use super::disk::{Disk, DiskError, FileKind, LockMode, Locked, Open, Patience, Times};
use super::header::{AREA_START, Header, NoHeader, SLOT_AT};
use super::identity::{Identity, Seen, Stamp, Trust};
use super::journal::{Found, Journal, Opening, journal_path};
use super::path::{DocPath, TECHNICAL_DIR};
use super::problem::StoreError;
use super::seal::{is_ours, life, take_over};

/// The store of one root, for one process.
#[derive(Debug)]
pub struct Store<D: Disk> {
    pub(super) disk: D,
    pub(super) options: Options,
    pub(super) lock: D::File,
    pub(super) lock_inode: u64,
    pub(super) journal: Journal<D::File>,
    pub(super) health: Health,
    /// Documents changed by the live records, for a checkpoint that syncs only them.
    pub(super) touched: Vec<Touched>,
    /// Live commits in the journal.
    pub(super) live: u64,
    /// Commits of other processes that were noticed since opening.
    pub(super) foreign: u64,
    /// What this process's new files are like, once one was seen.
    pub(super) new_files: std::cell::Cell<Option<(u32, Times)>>,
    technical: DocPath,
    /// Our directory when its names last were those that we opened.
    names: Option<Stamp>,
    /// Directories that this commit found to take new names.
    pub(super) writable: Vec<Option<DocPath>>,
    /// Staging files that the present round keeps open.
    pub(super) held: usize,
    /// Makes the names of this process's staging files its own.
    pub(super) nonce: u64,
    pub(super) logs: BTreeMap<DocPath, OpenLog<D::File>>,
    /// Torn lines that were cut off logs, for whoever tells people.
    pub(super) torn: Vec<Conflict>,
}

/// Sizes and, for the sweep, rules to break.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Bytes of the ring of records in a new journal.
    pub journal_area: u64,
    /// Commits after which a checkpoint is due.
    pub checkpoint_commits: u64,
    /// Largest content that goes into the journal itself.
    pub inline_bytes: usize,
    /// A safety rule that a test breaks on purpose, to see that its absence is noticed.
    pub broken: Option<Rule>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            journal_area: 2 << 20,
            checkpoint_commits: 1_000,
            inline_bytes: 256 << 10,
            broken: None,
        }
    }
}

/// The safety rules that the sweep proves necessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    LengthCheck,
    SyncBeforePublish,
    RollForward,
    SyncBeforeReset,
    KeepPersonsEdit,
}

impl Options {
    pub(super) fn keeps(&self, rule: Rule) -> bool {
        self.broken != Some(rule)
    }
}

/// Whether this process may still write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    Good,
    /// A sync or a publication failed; only reopening finds out what counts.
    Stopped,
}

#[derive(Clone, Debug)]
pub(super) struct Touched {
    pub(super) seq: u64,
    pub(super) what: Vec<Trace>,
}

/// What a commit leaves to be synced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trace {
    File(DocPath),
    /// A tree moved: only a sync of everything covers it.
    Tree,
}

#[derive(Debug)]
pub(super) struct OpenLog<F> {
    pub(super) inode: u64,
    pub(super) file: F,
    /// Where the last line that we appended ends.
    pub(super) ends_at: Option<u64>,
}

/// What opening a root had to repair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// Commits that were in the journal and had to be looked at again.
    pub examined: u64,
    /// Documents that were published again.
    pub redone: Vec<DocPath>,
    pub conflicts: Vec<Conflict>,
    /// Edits of people that a killed publication had taken off their places; kept where `ours` says.
    pub rescued: Vec<Conflict>,
    /// A journal that nobody could read was moved there.
    pub set_aside: Option<DocPath>,
    /// The same with a journal that somebody else made, and that had commits to carry out.
    pub foreign: Option<DocPath>,
}

/// A document that a person edited while a commit of ours was on its way. Theirs stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub path: DocPath,
    /// What we would have written; none for a tree that was moved away.
    pub ours: Option<DocPath>,
    pub seq: u64,
}

pub(super) fn tmp_dir() -> DocPath {
    DocPath::technical("tmp")
}

pub(super) fn lock_path() -> DocPath {
    DocPath::technical("lock")
}

pub fn conflicts_dir() -> DocPath {
    DocPath::technical("conflicts")
}

impl<D: Disk> Store<D> {
    /// Opens the root, takes up what a dead process left, and leaves the lock free.
    pub fn open(disk: D, options: Options) -> Result<(Self, Opened), StoreError> {
        make_technical_files(&disk)?;
        let lock = disk.open(&lock_path(), Open::WriteOrCreate)?;
        let lock_inode = disk.stat_file(&lock)?.inode;
        disk.lock(&lock, LockMode::Exclusive, Patience::Wait)?;
        disk.learn_times(&lock)?;
        let mut opened = Opened::default();
        let journal = open_journal(&disk, &options, &mut opened)?;
        let nonce = disk.salt();
        let mut store = Self {
            disk,
            nonce,
            new_files: std::cell::Cell::new(None),
            technical: DocPath::technical_dir(),
            names: None,
            held: 0,
            writable: Vec::new(),
            options,
            lock,
            lock_inode,
            journal,
            health: Health::Good,
            touched: Vec::new(),
            live: 0,
            foreign: 0,
            logs: BTreeMap::new(),
            torn: Vec::new(),
        };
        let result = store.take_over(&mut opened);
        let unlocked = store.disk.unlock(&store.lock);
        result?;
        unlocked?;
        Ok((store, opened))
    }

    fn take_over(&mut self, opened: &mut Opened) -> Result<(), StoreError> {
        let found = self.journal.scan(&self.disk)?;
        self.note_found(&found);
        if self.journal.header.serial < PROVEN_SERIAL {
            self.prove_names()?;
        }
        let life = life(&self.disk, &self.journal.header);
        if life == Life::SameBoot {
            // Whoever wrote the header may have died before syncing it. A power cut would bring the one
            // before it back, and with it commits that are done with.
            let synced = self.disk.sync_data(&self.journal.file);
            synced.or_else(|error| self.stop(StoreError::Journal(error)))?;
        }
        self.recover(&found, life, opened)?;
        Ok(self.empty_tmp()?)
    }

    /// The journal's name may not have been synced by whoever made it.
    fn prove_names(&mut self) -> Result<(), StoreError> {
        self.disk.sync_dir(None)?;
        self.disk.sync_dir(Some(&DocPath::technical_dir()))?;
        self.journal.write_header(&self.disk, |_| ())?;
        Ok(())
    }

    pub fn disk(&self) -> &D {
        &self.disk
    }

    /// Commits of other processes noticed so far; when it grows, what was read may be old.
    pub fn foreign_commits(&self) -> u64 {
        self.foreign
    }

    /// Reads a document with what a later commit needs to know about it.
    pub fn read(&self, path: &DocPath) -> Result<Option<(Vec<u8>, Identity)>, StoreError> {
        Ok(read_document(&self.disk, path)?)
    }

    /// Reads what a document has from a place on.
    pub fn read_end(&self, path: &DocPath, from: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let looked = self.disk.look(path)?;
        match looked.meta.filter(|meta| meta.kind == FileKind::File && meta.size >= from) {
            Some(meta) => Ok(Some(read_from(&self.disk, &looked.real, from, meta.size)?)),
            None => Ok(None),
        }
    }

    pub fn seen(&self, path: &DocPath) -> Result<Seen, StoreError> {
        Ok(self.read(path)?.map_or(Seen::Absent, |(_, identity)| Seen::File(identity)))
    }

    /// Holds the commit lock shared while several files are read as one.
    pub fn read_together<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        loop {
            self.enter(LockMode::Shared)?;
            if self.all_published()? {
                break;
            }
            // A process died half way: finish for it, which takes the lock for itself.
            self.leave()?;
            self.enter(LockMode::Exclusive)?;
            let caught_up = self.catch_up();
            self.leave()?;
            caught_up?;
        }
        let result = read(self);
        self.leave()?;
        result
    }

    /// Whether nothing happened in the journal since we last looked.
    fn all_published(&mut self) -> Result<bool, StoreError> {
        self.check_names()?;
        let (head, next_seq) = (self.journal.head, self.journal.next_seq);
        let header = self.journal.read_header(&self.disk)?;
        let news = self.journal.scan(&self.disk)?;
        (self.journal.head, self.journal.next_seq) = (head, next_seq);
        Ok(news.is_empty() && header == Ok(self.journal.header))
    }

    /// Takes the commit lock, waiting for it.
    pub(super) fn enter(&mut self, mode: LockMode) -> Result<(), StoreError> {
        if self.health == Health::Stopped {
            return Err(StoreError::Stopped);
        }
        match self.disk.lock(&self.lock, mode, Patience::Wait)? {
            Locked::Yes => Ok(()),
            Locked::HeldByAnother => Err(StoreError::Stopped),
        }
    }

    pub(super) fn leave(&mut self) -> Result<(), StoreError> {
        Ok(self.disk.unlock(&self.lock)?)
    }

    /// Sees what other processes did since we last held the lock, and finishes for the dead.
    pub(super) fn catch_up(&mut self) -> Result<Vec<Conflict>, StoreError> {
        self.check_names()?;
        let header = match self.journal.read_header(&self.disk)? {
            Ok(header) => header,
            Err(_) => return self.stop(StoreError::Stopped),
        };
        if header.serial != self.journal.header.serial {
            // Its writer may have died between writing and syncing it; we are about to rely on it.
            if let Err(error) = self.disk.sync_data(&self.journal.file) {
                return self.stop(StoreError::Journal(error));
            }
            if header.boot_id != self.disk.boot_id() {
                return self.stop(StoreError::Stopped);
            }
            self.adopt(header);
        }
        let found = self.journal.scan(&self.disk)?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        self.foreign += self.note_found(&found);
        let mut opened = Opened::default();
        self.recover(&found, Life::SameBoot, &mut opened)?;
        Ok(opened.conflicts)
    }

    fn adopt(&mut self, header: Header) {
        let moved_on = header.epoch != self.journal.header.epoch || header.tail > self.journal.head;
        self.journal.header = header;
        self.touched.retain(|touched| touched.seq >= header.tail_seq);
        self.live = self.touched.len() as u64;
        if moved_on {
            self.journal.head = header.tail;
            self.journal.next_seq = header.tail_seq;
            self.touched.clear();
            self.live = 0;
            self.foreign += 1;
        }
    }

    /// Whoever deletes `.hast` under a running process must not make it write into nowhere. While
    /// the times of the directory stay, so do its names.
    fn check_names(&mut self) -> Result<(), StoreError> {
        let now = self.disk.now();
        let dir = self.disk.stat(&self.technical)?;
        if let (Some(meta), Some(names)) = (&dir, &self.names)
            && names.fits_names(meta)
        {
            return Ok(());
        }
        for (path, inode) in [(lock_path(), self.lock_inode), (journal_path(), self.journal.inode)]
        {
            let still = self.disk.stat(&path)?.map(|meta| meta.inode);
            if still != Some(inode) {
                return self.stop(StoreError::Stopped);
            }
        }
        let stamp = dir.map(|meta| Stamp::new(&meta, now));
        self.names = stamp.filter(|stamp| stamp.trust == Trust::Settled);
        Ok(())
    }

    pub(super) fn stop<T>(&mut self, error: StoreError) -> Result<T, StoreError> {
        self.health = Health::Stopped;
        Err(error)
    }

    /// Counts the commits found and remembers what they touched.
    fn note_found(&mut self, found: &[Found]) -> u64 {
        let mut commits = 0;
        for record in found {
            if let Body::Commit(commit) = &record.body {
                self.note_commit(record.seq, commit);
                commits += 1;
            }
        }
        commits
    }

    pub(super) fn note_commit(&mut self, seq: u64, commit: &Commit) {
        self.live += 1;
        let what = commit.puts.iter().map(super::checkpoint::trace).collect();
        self.touched.push(Touched { seq, what });
    }
}

/// From this header on the names of the journal are known to be synced.
const PROVEN_SERIAL: u64 = 2;

fn make_technical_files<D: Disk>(disk: &D) -> Result<(), DiskError> {
    let dir = DocPath::technical_dir();
    // What stands in their place is refused before anything is made.
    let mut missing = Vec::new();
    for dir in [dir, tmp_dir(), conflicts_dir()] {
        match disk.stat(&dir)? {
            Some(_) => disk.check_writable(Some(&dir))?,
            None => missing.push(dir),
        }
    }
    for dir in &missing {
        make_dir_if_missing(disk, dir)?;
    }
    let ignore = DocPath::technical(".gitignore");
    if disk.stat(&ignore)?.is_none() {
        let file = disk.open(&ignore, Open::WriteOrCreate)?;
        disk.write_at(&file, 0, b"*\n")?;
    }
    Ok(())
}

pub(super) fn make_dir_if_missing<D: Disk>(disk: &D, dir: &DocPath) -> Result<(), DiskError> {
    match disk.make_dir(dir) {
        Err(error) if error.kind == super::disk::DiskErrorKind::Exists => Ok(()),
        result => result,
    }
}

fn open_journal<D: Disk>(
    disk: &D,
    options: &Options,
    opened: &mut Opened,
) -> Result<Journal<D::File>, StoreError> {
    match Journal::open(disk, Open::Write)? {
        Opening::Ready(journal) if is_ours(disk, &journal.header) => return Ok(journal),
        Opening::Ready(mut journal) => {
            if take_over(disk, &mut journal)? {
                return Ok(journal);
            }
            opened.foreign = Some(put_aside(disk)?);
        }
        Opening::Missing => {}
        Opening::Unreadable(NoHeader::Newer) => {
            let path = format!("{TECHNICAL_DIR}/journal");
            return Err(StoreError::Newer { path });
        }
        Opening::Unreadable(NoHeader::Damaged) => {
            opened.set_aside = Some(put_aside(disk)?);
        }
    }
    create_journal(disk, options)?;
    match Journal::open(disk, Open::Write)? {
        Opening::Ready(journal) => Ok(journal),
        Opening::Missing | Opening::Unreadable(_) => Err(StoreError::Stopped),
    }
}

fn put_aside<D: Disk>(disk: &D) -> Result<DocPath, DiskError> {
    let aside = DocPath::technical(&format!("conflicts/journal-{}", disk.now()));
    disk.rename_new(&journal_path(), &aside)?;
    Ok(aside)
}

fn create_journal<D: Disk>(disk: &D, options: &Options) -> Result<(), DiskError> {
    let staged = DocPath::technical("tmp/journal");
    if disk.stat(&staged)?.is_some() {
        disk.unlink(&staged)?;
    }
    let file = disk.open(&staged, Open::CreateNew)?;
    let area = options.journal_area.max(PAGE);
    // Zeros, not a reservation: a commit then changes no metadata of the journal.
    fill_with_zeros(disk, &file, 0, AREA_START + area)?;
    let salt = disk.salt();
    let header = Header {
        serial: PROVEN_SERIAL - 1,
        epoch: 1,
        salt,
        seal: disk.seal(salt).bytes(),
        boot_id: disk.boot_id(),
        tail: 0,
        tail_seq: 1,
        area,
    };
    let slot = SLOT_AT[(header.serial % 2) as usize];
    disk.write_at(&file, slot, &header.encode())?;
    disk.sync_file(&file)?;
    disk.rename_new(&staged, &journal_path())
}
