//! Before a commit: is everything still as it was read, and may this role do this?

use super::change::{ChangeSet, PAGE, Put, Read, check_form};
use super::codec::{Before, Content, Entry};
use super::content::{has_content, read_whole};
use super::disk::{Disk, DiskError, DiskErrorKind, FileKind, Looked, Meta};
use super::ends::Mended;
use super::identity::{Compared, ContentHash, Identity, Seen, Stamp};
use super::path::DocPath;
use super::policy::Policy;
use super::problem::StoreError;
use super::publish::{Expected, holds, open_log};
use super::root::{Rule, Store};

/// A change set that passed every check, ready to be staged.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) role: Box<str>,
    pub(super) reason: Box<str>,
    pub(super) jobs: Vec<Job>,
}

/// One document of it.
#[derive(Debug)]
pub(super) struct Job {
    /// As the caller named it; the entry has the place that links lead to.
    pub(super) named: DocPath,
    pub(super) entry: Entry,
    pub(super) expected: Expected,
}

impl<D: Disk> Store<D> {
    pub(super) fn prepare(
        &mut self,
        change: ChangeSet,
        policy: &dyn Policy,
    ) -> Result<Prepared, StoreError> {
        check_form(&change)?;
        for put in &change.puts {
            judge(policy, &change.role, put)?;
        }
        for read in &change.reads {
            self.check_read(read)?;
        }
        let archived: Vec<DocPath> = change
            .puts
            .iter()
            .filter_map(|put| match put {
                Put::Archive { from, .. } => Some(from.clone()),
                _ => None,
            })
            .collect();
        let mut jobs = Vec::with_capacity(change.puts.len());
        for put in change.puts {
            jobs.push(self.prepare_put(put, &archived)?);
        }
        Ok(Prepared { role: change.role, reason: change.reason, jobs })
    }

    fn prepare_put(&mut self, put: Put, archived: &[DocPath]) -> Result<Job, StoreError> {
        let named = put.path().clone();
        let (entry, expected) = match put {
            Put::Create { path, bytes } => {
                let leaves = archived.iter().any(|from| path.is_within(from));
                (self.prepare_create(path, bytes, leaves)?, Expected::Absent)
            }
            Put::Replace { path, before, bytes } => self.prepare_replace(&path, &before, bytes)?,
            Put::Append { path, at, bytes } => {
                (self.prepare_append(&path, at, bytes)?, Expected::Absent)
            }
            Put::Patch { path, before, at, old, new } => {
                (self.prepare_patch(&path, &before, at, old, new)?, Expected::Absent)
            }
            Put::Archive { from, to } => (self.prepare_archive(&from, to)?, Expected::Absent),
        };
        Ok(Job { named, entry, expected })
    }

    fn check_read(&self, read: &Read) -> Result<(), StoreError> {
        let looked = self.disk.look(&read.path)?;
        let holds = match (&read.seen, &looked.meta) {
            (Seen::Absent, None) => true,
            (Seen::Log { length }, Some(meta)) => meta.size == *length,
            (Seen::File(identity), Some(meta)) => self.still(&looked, meta, identity)?,
            (Seen::Absent, Some(_)) | (Seen::File(_) | Seen::Log { .. }, None) => false,
        };
        if holds { Ok(()) } else { Err(stale(&read.path)) }
    }

    /// Whether the file is still the one that was read.
    fn still(&self, looked: &Looked, meta: &Meta, was: &Identity) -> Result<bool, DiskError> {
        Ok(match was.compare(meta) {
            Compared::Same => true,
            Compared::Different => false,
            Compared::Read => match was.hash {
                Some(hash) => has_content(&self.disk, &looked.real, was.size, hash)?,
                None => false,
            },
        })
    }

    fn prepare_create(
        &mut self,
        path: DocPath,
        bytes: Vec<u8>,
        leaves: bool,
    ) -> Result<Entry, StoreError> {
        let path = if leaves {
            path
        } else {
            let looked = self.disk.look(&path)?;
            if looked.meta.is_some() {
                return Err(stale(&path));
            }
            self.check_place(&looked.real)?;
            looked.real
        };
        Ok(Entry::Whole { path, before: Before::Absent, mode: 0, content: Content::Inline(bytes) })
    }

    fn prepare_replace(
        &mut self,
        path: &DocPath,
        was: &Identity,
        bytes: Vec<u8>,
    ) -> Result<(Entry, Expected), StoreError> {
        let now = self.disk.now();
        let (looked, meta) = self.look_at_file(path)?;
        if !self.still(&looked, &meta, was)? {
            return Err(stale(path));
        }
        let hash = match was.hash {
            Some(hash) => hash,
            None => match read_whole(&self.disk, &looked.real)? {
                Some(bytes) => ContentHash::of(&bytes),
                None => return Err(stale(path)),
            },
        };
        self.check_place(&looked.real)?;
        let entry = Entry::Whole {
            path: looked.real,
            before: Before::File(hash),
            mode: meta.mode,
            content: Content::Inline(bytes),
        };
        let expected = Expected::File { hash, stamp: Some(Stamp::new(&meta, now)) };
        Ok((entry, expected))
    }

    fn prepare_append(
        &mut self,
        path: &DocPath,
        at: u64,
        bytes: Vec<u8>,
    ) -> Result<Entry, StoreError> {
        let (looked, meta) = self.look_at_file(path)?;
        let at = if self.options.keeps(Rule::LengthCheck) { at } else { meta.size };
        if meta.size != at {
            return Err(stale(path));
        }
        if !self.reserve(&looked.real, &meta, at, bytes.len() as u64)? {
            return Err(stale(path));
        }
        let ours = self.logs.get(&looked.real).is_some_and(|log| log.ends_at == Some(at));
        if !ours && self.mend_end_locked(&looked.real)? != Mended::Nothing {
            // Whoever wants to append has to see what it is by now.
            return Err(stale(path));
        }
        Ok(Entry::Append { path: looked.real, at, bytes })
    }

    /// A full disk must show before the change counts; only a new page can meet one. False where the
    /// name leads to another file by now.
    fn reserve(
        &mut self,
        path: &DocPath,
        meta: &Meta,
        at: u64,
        length: u64,
    ) -> Result<bool, DiskError> {
        let disk = &self.disk;
        let Some(log) = open_log(&mut self.logs, disk, path, meta.inode)? else {
            return Ok(false);
        };
        let end = at + length;
        if at.div_ceil(PAGE) < end.div_ceil(PAGE) {
            disk.reserve(log, at, length)?;
        }
        Ok(true)
    }

    fn prepare_patch(
        &mut self,
        path: &DocPath,
        was: &Identity,
        at: u64,
        old: Vec<u8>,
        new: Vec<u8>,
    ) -> Result<Entry, StoreError> {
        let (looked, meta) = self.look_at_file(path)?;
        if !self.still(&looked, &meta, was)? {
            return Err(stale(path));
        }
        let end = at + old.len() as u64;
        if new.len() > old.len() {
            let grows = (new.len() - old.len()) as u64;
            if meta.size != end || !self.reserve(&looked.real, &meta, end, grows)? {
                return Err(stale(path));
            }
        }
        // Opened for writing: a table that cannot be written must show before the change counts.
        let file = open_log(&mut self.logs, &self.disk, &looked.real, meta.inode)?;
        let Some(file) = file else { return Err(stale(path)) };
        if !holds(&self.disk, file, at, &old)? {
            return Err(stale(path));
        }
        Ok(Entry::Patch { path: looked.real, at, old, new })
    }

    fn prepare_archive(&mut self, from: &DocPath, to: DocPath) -> Result<Entry, StoreError> {
        let looked = self.disk.look(from)?;
        if looked.meta.is_none() {
            return Err(stale(from));
        }
        if self.disk.look(&to)?.meta.is_some() {
            return Err(stale(&to));
        }
        self.check_place(&looked.real)?;
        self.check_place(&to)?;
        Ok(Entry::Archive { from: looked.real, to })
    }

    fn look_at_file(&self, path: &DocPath) -> Result<(Looked, Meta), StoreError> {
        let looked = self.look(path)?;
        match looked.meta {
            Some(meta) if meta.kind == FileKind::File => Ok((looked, meta)),
            _ => Err(stale(path)),
        }
    }

    /// In the root, and in a directory that this commit has seen to be real, only the last name can
    /// be a link.
    fn look(&self, path: &DocPath) -> Result<Looked, DiskError> {
        let real = match path.parent_text() {
            None => true,
            Some(dir) => self.writable.iter().flatten().any(|known| known.as_str() == dir),
        };
        if real
            && let Some(meta) = self.disk.stat(path)?
            && meta.kind == FileKind::File
        {
            return Ok(Looked { real: path.clone(), meta: Some(meta) });
        }
        self.disk.look(path)
    }

    /// The nearest directory that exists must take new names.
    fn check_place(&mut self, path: &DocPath) -> Result<(), DiskError> {
        let known = |dir: &Option<DocPath>| dir.as_ref().map(DocPath::as_str) == path.parent_text();
        if self.writable.iter().any(known) {
            return Ok(());
        }
        self.check_writable(path)?;
        self.writable.push(path.parent());
        Ok(())
    }

    fn check_writable(&self, path: &DocPath) -> Result<(), DiskError> {
        for dir in path.ancestors() {
            match self.disk.check_writable(Some(&dir)) {
                Err(error) if error.kind == DiskErrorKind::NotFound => {}
                result => return result,
            }
        }
        self.disk.check_writable(None)
    }
}

fn judge(policy: &dyn Policy, role: &str, put: &Put) -> Result<(), StoreError> {
    let (kind, path) = (put.kind(), put.path());
    let class = policy.judge(role, kind, path)?;
    if class.allows(kind) {
        Ok(())
    } else {
        Err(StoreError::History { path: path.clone(), class, kind })
    }
}

fn stale(path: &DocPath) -> StoreError {
    StoreError::Stale { path: path.clone() }
}
