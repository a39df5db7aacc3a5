//! Making a committed change visible, without ever destroying what a person wrote meanwhile.

use super::chain::StageName;
use super::checkpoint::make_durable;
use super::codec::{Content, Entry};
use super::content::{has_content, read_whole};
use super::disk::{Disk, DiskError, DiskErrorKind, Exchange, FileKind, Meta, Open, Times};
use super::identity::{ContentHash, Identity, Seen, Stamp, Trust};
use super::path::DocPath;
use super::regions::FILLER;
use super::root::{Conflict, OpenLog, Rule, Store, conflicts_dir, make_dir_if_missing, tmp_dir};

/// What stood at a path when it was decided to put another content there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expected {
    Absent,
    File { hash: ContentHash, stamp: Option<Stamp> },
}

/// A content in its staging file, on its way into place.
#[derive(Debug)]
pub(super) struct Staged<F> {
    pub(super) path: DocPath,
    /// What it was once it was written, where times tell whether it still is.
    pub(super) held: Option<(Meta, F)>,
}

/// Whether a publication arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Visible,
    /// A person was faster; theirs stands.
    Theirs,
}

/// How many logs stay open between commits.
const OPEN_LOGS: usize = 8;

/// The staging file of an entry of a commit.
pub(super) fn staging_path(name: StageName) -> DocPath {
    let StageName { seq, index, nonce } = name;
    DocPath::technical(&format!("tmp/{seq}-{index}-{nonce:x}"))
}

impl<D: Disk> Store<D> {
    /// Writes a content into a staging file; a full disk shows here, before anything counts.
    pub(super) fn stage(
        &self,
        staged: &DocPath,
        bytes: &[u8],
        mode: u32,
    ) -> Result<D::File, DiskError> {
        let file = match self.disk.open(staged, Open::CreateNew) {
            Err(error) if error.kind == DiskErrorKind::Exists => {
                self.disk.unlink(staged)?;
                self.disk.open(staged, Open::CreateNew)?
            }
            opened => opened?,
        };
        self.disk.write_at(&file, 0, bytes)?;
        if mode != 0 && self.new_file(&file)?.0 != mode {
            self.disk.set_mode(&file, mode)?;
        }
        Ok(file)
    }

    /// The same for every file that this process makes.
    pub(super) fn new_file(&self, file: &D::File) -> Result<(u32, Times), DiskError> {
        if let Some(known) = self.new_files.get() {
            return Ok(known);
        }
        let meta = self.disk.stat_file(file)?;
        self.new_files.set(Some((meta.mode, meta.times)));
        Ok((meta.mode, meta.times))
    }

    /// Publishes one entry of a commit. Returns what a later commit needs to know about it.
    pub(super) fn publish(
        &mut self,
        seq: u64,
        entry: &Entry,
        expected: Expected,
        staged: Option<Staged<D::File>>,
    ) -> Result<(Seen, Option<Conflict>), DiskError> {
        match entry {
            Entry::Whole { path, content, .. } => {
                let Some(Staged { path: staged, held }) = staged else {
                    return Err(missing(path));
                };
                let outcome = self.swap_in(&staged, path, expected)?;
                let conflict = match outcome {
                    Outcome::Visible => None,
                    Outcome::Theirs => Some(self.keep_staged(seq, path, &staged)?),
                };
                let stamp = self.stamp_of(held)?;
                Ok((Seen::File(identity_of(content, stamp)), conflict))
            }
            Entry::Append { path, at, bytes } => {
                let outcome = self.append(path, *at, bytes)?;
                let conflict = self.unless_visible(outcome, seq, path, bytes)?;
                let length = at + bytes.len() as u64;
                Ok((Seen::Log { length }, conflict))
            }
            Entry::Patch { path, at, old, new } => {
                let (outcome, identity) = self.patch(path, *at, old, new)?;
                let conflict = self.unless_visible(outcome, seq, path, new)?;
                Ok((Seen::File(identity), conflict))
            }
            Entry::Archive { from, to } => {
                let conflict = self.move_tree(from, to)?.then(|| Conflict {
                    path: from.clone(),
                    ours: None,
                    seq,
                });
                Ok((Seen::Absent, conflict))
            }
        }
    }

    /// What the published file looks like, unless somebody has written into it since.
    fn stamp_of(&self, held: Option<(Meta, D::File)>) -> Result<Option<Stamp>, DiskError> {
        let Some((written, file)) = held else {
            return Ok(None);
        };
        let now = self.disk.stat_file(&file)?;
        let same = now.size == written.size && now.modified == written.modified;
        Ok(same.then(|| Stamp::new(&now, self.disk.now())))
    }

    /// Puts a staging file in the place of what is expected there.
    pub(super) fn swap_in(
        &self,
        staged: &DocPath,
        path: &DocPath,
        expected: Expected,
    ) -> Result<Outcome, DiskError> {
        let Expected::File { hash, stamp } = expected else {
            self.make_parents(path)?;
            return match self.disk.rename_new(staged, path) {
                Ok(()) => Ok(Outcome::Visible),
                Err(error) if error.kind == DiskErrorKind::Exists => self.overruled(staged, path),
                Err(error) => Err(error),
            };
        };
        match self.disk.exchange(staged, path) {
            Ok(Exchange::Done) => {}
            Ok(Exchange::Unsupported) => {
                self.disk.rename_over(staged, path)?;
                return Ok(Outcome::Visible);
            }
            Err(error) if error.kind == DiskErrorKind::NotFound => {
                return self.deleted(staged, path);
            }
            Err(error) => return Err(error),
        }
        if self.is_expected(staged, hash, stamp)? || !self.options.keeps(Rule::KeepPersonsEdit) {
            self.disk.unlink(staged)?;
            return Ok(Outcome::Visible);
        }
        self.disk.exchange(staged, path)?;
        Ok(Outcome::Theirs)
    }

    /// The name is taken although nothing was there when we looked.
    fn overruled(&self, staged: &DocPath, path: &DocPath) -> Result<Outcome, DiskError> {
        if !self.options.keeps(Rule::KeepPersonsEdit) {
            self.disk.rename_over(staged, path)?;
            return Ok(Outcome::Visible);
        }
        Ok(Outcome::Theirs)
    }

    /// The document is gone although it was there when we looked.
    fn deleted(&self, staged: &DocPath, path: &DocPath) -> Result<Outcome, DiskError> {
        if self.disk.stat(staged)?.is_some() && !self.options.keeps(Rule::KeepPersonsEdit) {
            self.make_parents(path)?;
            self.disk.rename_over(staged, path)?;
            return Ok(Outcome::Visible);
        }
        Ok(Outcome::Theirs)
    }

    fn is_expected(
        &self,
        swapped_out: &DocPath,
        hash: ContentHash,
        stamp: Option<Stamp>,
    ) -> Result<bool, DiskError> {
        if let Some(stamp) = stamp.filter(|stamp| stamp.trust == Trust::Racy) {
            return has_content(&self.disk, swapped_out, stamp.size, hash);
        }
        let settled = stamp.filter(|stamp| stamp.trust == Trust::Settled);
        if let (Some(stamp), Some(meta)) = (settled, self.disk.stat(swapped_out)?)
            && stamp.fits_renamed(&meta)
        {
            return Ok(true);
        }
        let bytes = read_whole(&self.disk, swapped_out)?;
        Ok(bytes.is_some_and(|bytes| ContentHash::of(&bytes) == hash))
    }

    fn append(&mut self, path: &DocPath, at: u64, bytes: &[u8]) -> Result<Outcome, DiskError> {
        let Some(meta) = self.disk.stat(path)? else {
            return Ok(Outcome::Theirs);
        };
        if meta.size != at && self.options.keeps(Rule::KeepPersonsEdit) {
            return Ok(Outcome::Theirs);
        }
        let disk = &self.disk;
        let Some(log) = open_log(&mut self.logs, disk, path, meta.inode)? else {
            return Ok(Outcome::Theirs);
        };
        disk.write_at(log, at, bytes)?;
        if let Some(log) = self.logs.get_mut(path) {
            log.ends_at = bytes.ends_with(b"\n").then_some(at + bytes.len() as u64);
        }
        Ok(self.arrived(path, meta.inode)?.map_or(Outcome::Theirs, |_| Outcome::Visible))
    }

    /// An editor saves under a new inode; what went into the old one reached nobody.
    fn arrived(&self, path: &DocPath, inode: u64) -> Result<Option<Meta>, DiskError> {
        Ok(self.disk.stat(path)?.filter(|meta| meta.inode == inode))
    }

    fn patch(
        &mut self,
        path: &DocPath,
        at: u64,
        old: &[u8],
        new: &[u8],
    ) -> Result<(Outcome, Identity), DiskError> {
        let theirs = (Outcome::Theirs, Identity { size: 0, hash: None, stamp: None });
        let Some(meta) = self.disk.stat(path)?.filter(|meta| meta.kind == FileKind::File) else {
            return Ok(theirs);
        };
        let disk = &self.disk;
        let Some(file) = open_log(&mut self.logs, disk, path, meta.inode)? else {
            return Ok(theirs);
        };
        let end = at + old.len() as u64;
        let fits = (new.len() == old.len() || meta.size == end) && holds(disk, file, at, old)?;
        if !fits && self.options.keeps(Rule::KeepPersonsEdit) {
            return Ok(theirs);
        }
        if new.len() > old.len() {
            // The room first: a reader then finds the old end and spaces, or the new one, and never
            // a new beginning in a file of the old length.
            disk.write_at(file, end, &vec![FILLER; new.len() - old.len()])?;
        }
        disk.write_at(file, at, new)?;
        let now = disk.now();
        Ok(self.arrived(path, meta.inode)?.map_or(theirs, |meta| {
            let stamp = Some(Stamp::new(&meta, now));
            (Outcome::Visible, Identity { size: meta.size, hash: None, stamp })
        }))
    }

    /// Moves a tree; true when somebody else had moved it, or taken the new name.
    pub(super) fn move_tree(&mut self, from: &DocPath, to: &DocPath) -> Result<bool, DiskError> {
        self.make_parents(to)?;
        self.logs.retain(|path, _| !path.is_within(from));
        match self.disk.rename_new(from, to) {
            Ok(()) => Ok(false),
            Err(error) if matches!(error.kind, DiskErrorKind::Exists | DiskErrorKind::NotFound) => {
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn make_parents(&self, path: &DocPath) -> Result<(), DiskError> {
        let missing: Vec<_> = {
            let mut missing = Vec::new();
            for dir in path.ancestors() {
                if self.disk.stat(&dir)?.is_some() {
                    break;
                }
                missing.push(dir);
            }
            missing
        };
        for dir in missing.iter().rev() {
            make_dir_if_missing(&self.disk, dir)?;
        }
        Ok(())
    }

    fn unless_visible(
        &self,
        outcome: Outcome,
        seq: u64,
        path: &DocPath,
        ours: &[u8],
    ) -> Result<Option<Conflict>, DiskError> {
        Ok(match outcome {
            Outcome::Visible => None,
            Outcome::Theirs => Some(self.keep_ours(seq, path, ours)?),
        })
    }

    fn keep_staged(
        &self,
        seq: u64,
        path: &DocPath,
        staged: &DocPath,
    ) -> Result<Conflict, DiskError> {
        let ours = read_whole(&self.disk, staged)?.unwrap_or_default();
        let conflict = self.keep_ours(seq, path, &ours)?;
        self.disk.unlink(staged)?;
        Ok(conflict)
    }

    /// Puts what we would have written beside the documents, durably: the record of it may be
    /// called published afterwards.
    pub(super) fn keep_ours(
        &self,
        seq: u64,
        path: &DocPath,
        ours: &[u8],
    ) -> Result<Conflict, DiskError> {
        let place = conflict_path(seq, path);
        if read_whole(&self.disk, &place)?.as_deref() != Some(ours) {
            self.make_parents(&place)?;
            let file = self.disk.open(&place, Open::WriteOrCreate)?;
            self.disk.set_len(&file, 0)?;
            self.disk.write_at(&file, 0, ours)?;
        }
        make_durable(&self.disk, &place)?;
        if let Some(dir) = path.parent()
            && self.disk.stat(&dir)?.is_some()
        {
            self.disk.sync_dir(Some(&dir))?;
        }
        self.disk.sync_dir(Some(&tmp_dir()))?;
        Ok(Conflict { path: path.clone(), ours: Some(place), seq })
    }
}

/// Whether a file has these bytes at that place.
pub(super) fn holds<D: Disk>(
    disk: &D,
    file: &D::File,
    at: u64,
    bytes: &[u8],
) -> Result<bool, DiskError> {
    let mut there = vec![0; bytes.len()];
    let length = disk.read_at(file, at, &mut there)?;
    Ok(there[..length] == *bytes)
}

/// The open handle of a log or table, kept between commits while the name still leads to it. None
/// where the name leads to another file by now: a person saved it between the look and the opening,
/// and what was decided about the old file must not be written into theirs.
pub(super) fn open_log<'a, D: Disk>(
    logs: &'a mut std::collections::BTreeMap<DocPath, OpenLog<D::File>>,
    disk: &D,
    path: &DocPath,
    inode: u64,
) -> Result<Option<&'a D::File>, DiskError> {
    if logs.get(path).is_none_or(|log| log.inode != inode) {
        logs.remove(path);
        let file = match disk.open(path, Open::Write) {
            Err(error) if error.kind == DiskErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        if disk.stat_file(&file)?.inode != inode {
            return Ok(None);
        }
        if logs.len() >= OPEN_LOGS {
            logs.pop_first();
        }
        logs.insert(path.clone(), OpenLog { inode, file, ends_at: None });
    }
    Ok(logs.get(path).map(|log| &log.file))
}

fn missing(path: &DocPath) -> DiskError {
    DiskError {
        action: super::disk::Action::Open,
        path: path.to_string(),
        kind: DiskErrorKind::NotFound,
    }
}

/// Where our side of a conflict lies.
pub fn conflict_path(seq: u64, path: &DocPath) -> DocPath {
    let rest = format!("{}/{seq}/{path}", conflicts_dir().name());
    DocPath::technical(&rest)
}

fn identity_of(content: &Content, stamp: Option<Stamp>) -> Identity {
    match content {
        Content::Inline(bytes) => Identity::of(bytes, stamp),
        Content::Staged { hash, size } => Identity { size: *size, hash: Some(*hash), stamp },
    }
}
