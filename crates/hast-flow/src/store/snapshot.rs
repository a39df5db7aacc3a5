//! A snapshot remembers the documents of a root at the last look, so that only later changes are
//! read.
//!
//! It keeps identities, not contents: contents go to the caller that folds them. Own commits feed
//! it. Each turn looks at a bounded hot set, and at everything only when another process committed.

use std::collections::BTreeMap;

use super::change::{Put, steps_log};
use super::commit::Committed;
use super::content::{read_from, read_real};
use super::disk::{Disk, DiskError, FileKind, Meta};
use super::identity::{Compared, Identity, Seen};
use super::path::DocPath;
use super::problem::StoreError;
use super::root::Store;

/// The documents that somebody follows.
pub struct Snapshot<'f> {
    wanted: Box<Filter<'f>>,
    known: BTreeMap<DocPath, Known>,
    foreign: u64,
}

/// Says of each name below the root whether it is followed. What lies in a directory that is
/// skipped is never asked about, and the directory never listed.
pub type Filter<'f> = dyn Fn(&DocPath, Name) -> Wanted + 'f;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    File,
    Dir,
}

/// How a name is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Skip,
    /// As a whole; for a directory: what is in it is asked about.
    Read,
    /// By its length: of a longer log only what is new is read.
    Log,
}

/// What a look found. Nothing that our own commits wrote is news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// A document is there with this content.
    Document {
        path: DocPath,
        bytes: Vec<u8>,
        identity: Identity,
    },
    /// A log grew.
    Appended {
        path: DocPath,
        at: u64,
        bytes: Vec<u8>,
    },
    Gone {
        path: DocPath,
    },
}

/// How far a look went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    HotSet,
    /// Another process had committed.
    Everywhere,
}

/// Whether a commit of our own is all that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "after a conflict only a look everywhere tells what stands"]
pub enum Fed {
    Complete,
    /// A person was faster somewhere: [`Snapshot::look_everywhere`].
    LookEverywhere,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    seen: Seen,
    /// Tells a log that grew from another one in its place.
    inode: Option<u64>,
}

/// How many documents are looked at each turn, at most.
pub const HOT_SET: usize = 64;

impl<'f> Snapshot<'f> {
    /// Knows nothing yet: [`Self::look_everywhere`] makes everything news.
    pub fn new(wanted: impl Fn(&DocPath, Name) -> Wanted + 'f) -> Self {
        Self { wanted: Box::new(wanted), known: BTreeMap::new(), foreign: 0 }
    }

    /// What a document was when it was last looked at or written.
    pub fn seen(&self, path: &DocPath) -> Option<Seen> {
        self.known.get(path).map(|known| known.seen)
    }

    pub fn paths(&self) -> impl Iterator<Item = &DocPath> {
        self.known.keys()
    }

    /// Looks at every document as one state of the root, directory by directory in the order of
    /// names, and reads what is new or has changed. The log of steps belongs to it.
    pub fn look_everywhere<D: Disk>(
        &mut self,
        store: &mut Store<D>,
        each: &mut dyn FnMut(News),
    ) -> Result<(), StoreError> {
        store.read_together(|store| self.walk_all(store, each))
    }

    /// A turn: looks at the hot documents, or everywhere when another process committed.
    pub fn look<D: Disk>(
        &mut self,
        store: &mut Store<D>,
        hot: &[DocPath],
        each: &mut dyn FnMut(News),
    ) -> Result<Looked, StoreError> {
        store.read_together(|store| {
            if store.foreign_commits() != self.foreign {
                self.walk_all(store, each)?;
                return Ok(Looked::Everywhere);
            }
            for path in hot.iter().take(HOT_SET) {
                let wanted = self.wants(path);
                if wanted != Wanted::Skip {
                    let looked = store.disk().look(path)?;
                    self.look_at(store.disk(), path, (&looked.real, looked.meta), wanted, each)?;
                }
            }
            Ok(Looked::HotSet)
        })
    }

    /// Takes in a commit of our own, without reading anything.
    pub fn feed(&mut self, puts: &[Put], committed: &Committed) -> Fed {
        for (put, (_, seen)) in puts.iter().zip(&committed.now) {
            self.feed_put(put, *seen);
        }
        if committed.conflicts.is_empty() { Fed::Complete } else { Fed::LookEverywhere }
    }

    fn feed_put(&mut self, put: &Put, seen: Seen) {
        let path = put.path();
        if let Put::Archive { from, to } = put {
            return self.carry(from, to);
        }
        let wanted = self.wants(path);
        let before = self.known.get(path).and_then(|known| known.inode);
        let (seen, inode) = match (put, seen) {
            (Put::Append { .. }, Seen::Log { length }) if wanted == Wanted::Read => {
                // Nobody has seen all of it: the next look reads it.
                (Seen::File(Identity { size: length, hash: None, stamp: None }), before)
            }
            (Put::Create { .. } | Put::Replace { .. }, Seen::File(identity)) => {
                let inode = identity.stamp.map(|stamp| stamp.inode);
                let length = identity.size;
                let log = Seen::Log { length };
                (if wanted == Wanted::Log { log } else { seen }, inode)
            }
            _ => (seen, before),
        };
        match wanted {
            Wanted::Skip => None,
            Wanted::Read | Wanted::Log => self.known.insert(path.clone(), Known { seen, inode }),
        };
    }

    fn carry(&mut self, from: &DocPath, to: &DocPath) {
        let inside: Vec<_> =
            self.known.keys().filter(|path| path.is_within(from)).cloned().collect();
        for path in inside {
            let known = self.known.remove(&path);
            if let (Some(known), Some(moved)) = (known, path.moved(from, to))
                && self.wants(&moved) != Wanted::Skip
            {
                self.known.insert(moved, known);
            }
        }
    }

    fn wants(&self, path: &DocPath) -> Wanted {
        if *path == steps_log() {
            return Wanted::Log;
        }
        let hidden = |dir: DocPath| (self.wanted)(&dir, Name::Dir) == Wanted::Skip;
        if path.is_technical() || path.ancestors().any(hidden) {
            return Wanted::Skip;
        }
        (self.wanted)(path, Name::File)
    }

    fn walk_all<D: Disk>(
        &mut self,
        store: &Store<D>,
        each: &mut dyn FnMut(News),
    ) -> Result<(), StoreError> {
        let disk = store.disk();
        let mut gone = self.known.clone();
        let steps = steps_log();
        let meta = disk.stat(&steps)?;
        gone.remove(&steps);
        self.look_at(disk, &steps, (&steps, meta), Wanted::Log, each)?;
        self.walk(disk, None, &mut gone, each)?;
        for path in gone.into_keys() {
            self.known.remove(&path);
            each(News::Gone { path });
        }
        self.foreign = store.foreign_commits();
        Ok(())
    }

    fn walk<D: Disk>(
        &mut self,
        disk: &D,
        dir: Option<&DocPath>,
        gone: &mut BTreeMap<DocPath, Known>,
        each: &mut dyn FnMut(News),
    ) -> Result<(), DiskError> {
        let mut entries = match disk.read_dir(dir) {
            // A person removed it meanwhile.
            Err(error) if error.kind == super::disk::DiskErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        entries.sort();
        for entry in entries {
            let path = match dir {
                None => DocPath::new(&entry.name),
                Some(dir) => dir.join(&entry.name),
            };
            // A name that cannot be a document is not one of ours.
            let Ok(path) = path else { continue };
            if path.is_technical() {
                continue;
            }
            let name = if entry.is_dir { Name::Dir } else { Name::File };
            match ((self.wanted)(&path, name), name) {
                (Wanted::Skip, _) => {}
                (Wanted::Read | Wanted::Log, Name::Dir) => {
                    self.walk(disk, Some(&path), gone, each)?;
                }
                (wanted, Name::File) => {
                    gone.remove(&path);
                    let (real, meta) = real_file(disk, &path)?;
                    self.look_at(disk, &path, (&real, meta), wanted, each)?;
                }
            }
        }
        Ok(())
    }

    /// Reads a document if it may have changed, and tells of it if it has.
    fn look_at<D: Disk>(
        &mut self,
        disk: &D,
        path: &DocPath,
        (real, meta): (&DocPath, Option<Meta>),
        wanted: Wanted,
        each: &mut dyn FnMut(News),
    ) -> Result<(), DiskError> {
        let known = self.known.get(path).copied();
        let Some(meta) = meta.filter(|meta| meta.kind == FileKind::File) else {
            if known.is_some() {
                self.known.remove(path);
                each(News::Gone { path: path.clone() });
            }
            return Ok(());
        };
        let inode = Some(meta.inode);
        match known {
            Some(Known { seen: Seen::Log { length }, inode: was }) => {
                let same = was.is_none_or(|was| was == meta.inode);
                if same && meta.size == length {
                    self.known.insert(path.clone(), Known { seen: Seen::Log { length }, inode });
                    return Ok(());
                }
                if was == inode && meta.size > length {
                    let bytes = read_from(disk, real, length, meta.size)?;
                    let seen = Seen::Log { length: length + bytes.len() as u64 };
                    self.known.insert(path.clone(), Known { seen, inode });
                    each(News::Appended { path: path.clone(), at: length, bytes });
                    return Ok(());
                }
            }
            Some(Known { seen: Seen::File(identity), .. })
                if identity.compare(&meta) == Compared::Same =>
            {
                return Ok(());
            }
            Some(_) | None => {}
        }
        let read = read_real(disk, real, &meta)?;
        let Some((bytes, identity)) = read else {
            return Ok(());
        };
        let seen = match wanted {
            Wanted::Log => Seen::Log { length: identity.size },
            Wanted::Read | Wanted::Skip => Seen::File(identity),
        };
        self.known.insert(path.clone(), Known { seen, inode });
        let unchanged = matches!(known, Some(Known { seen: Seen::File(was), .. }) if was.hash.is_some() && was.hash == identity.hash);
        if !unchanged {
            each(News::Document { path: path.clone(), bytes, identity });
        }
        Ok(())
    }
}

/// The directories above were walked through and are no links; only the file itself can be one.
fn real_file<D: Disk>(disk: &D, path: &DocPath) -> Result<(DocPath, Option<Meta>), DiskError> {
    let meta = disk.stat(path)?;
    if meta.is_some_and(|meta| meta.kind == FileKind::Link) {
        return match disk.look(path) {
            Ok(looked) => Ok((looked.real, looked.meta)),
            // Not a document of this root, wherever it leads.
            Err(error) if error.kind == super::disk::DiskErrorKind::Escapes => {
                Ok((path.clone(), None))
            }
            Err(error) => Err(error),
        };
    }
    Ok((path.clone(), meta))
}

impl std::fmt::Debug for Snapshot<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("documents", &self.known.len()).finish_non_exhaustive()
    }
}
