//! The documents of a root in memory, kept up to date without reading them all again.
//!
//! Own commits feed it; a bounded hot set is looked at each turn; everything is read again only
//! when another process committed or a person was faster.

use std::collections::{BTreeMap, VecDeque};

use super::change::{ChangeSet, Put};
use super::commit::Committed;
use super::content::read_document;
use super::disk::{Disk, FileKind};
use super::identity::{Compared, Identity, Seen};
use super::path::DocPath;
use super::problem::StoreError;
use super::root::Store;

/// What was read, with what a commit needs to know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    pub bytes: Vec<u8>,
    pub identity: Identity,
}

#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The files and directories that it covers.
    scope: Vec<DocPath>,
    documents: BTreeMap<DocPath, Document>,
    /// Most recently used last.
    hot: VecDeque<DocPath>,
    foreign: u64,
}

/// What a turn finds changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    Nothing,
    Documents(Vec<DocPath>),
    /// Everything was read again.
    Everything,
}

/// How many documents are looked at each turn.
pub const HOT_SET: usize = 32;

impl Snapshot {
    /// Reads everything in scope, as one state of the root.
    pub fn read<D: Disk>(store: &mut Store<D>, scope: Vec<DocPath>) -> Result<Self, StoreError> {
        let mut snapshot =
            Self { scope, documents: BTreeMap::new(), hot: VecDeque::new(), foreign: 0 };
        snapshot.read_all(store)?;
        Ok(snapshot)
    }

    /// A document; being asked for makes it hot.
    pub fn get(&mut self, path: &DocPath) -> Option<&Document> {
        self.heat(path);
        self.documents.get(path)
    }

    pub fn documents(&self) -> impl Iterator<Item = (&DocPath, &Document)> {
        self.documents.iter()
    }

    /// Takes in a commit of our own.
    pub fn feed<D: Disk>(
        &mut self,
        store: &mut Store<D>,
        change: &ChangeSet,
        committed: &Committed,
    ) -> Result<Delta, StoreError> {
        if !committed.conflicts.is_empty() {
            return self.read_all(store);
        }
        let mut changed = Vec::new();
        for (put, (path, seen)) in change.puts.iter().zip(&committed.now) {
            self.feed_put(put, seen);
            self.heat(path);
            changed.push(path.clone());
        }
        Ok(Delta::Documents(changed))
    }

    fn feed_put(&mut self, put: &Put, seen: &Seen) {
        match (put, seen) {
            (Put::Create { path, bytes } | Put::Replace { path, bytes, .. }, Seen::File(now)) => {
                let document = Document { bytes: bytes.clone(), identity: *now };
                self.documents.insert(path.clone(), document);
            }
            (Put::Append { path, bytes, .. }, _) => {
                if let Some(document) = self.documents.get_mut(path) {
                    document.bytes.extend_from_slice(bytes);
                    document.identity = Identity::of(&document.bytes, None);
                }
            }
            (Put::Patch { path, at, new, .. }, Seen::File(now)) => {
                if let Some(document) = self.documents.get_mut(path) {
                    let end = *at as usize + new.len();
                    if let Some(there) = document.bytes.get_mut(*at as usize..end) {
                        there.copy_from_slice(new);
                    }
                    document.identity = *now;
                }
            }
            (Put::Archive { from, to }, _) => self.carry(from, to),
            _ => {}
        }
    }

    fn carry(&mut self, from: &DocPath, to: &DocPath) {
        let inside: Vec<_> =
            self.documents.keys().filter(|path| path.is_within(from)).cloned().collect();
        for path in inside {
            let document = self.documents.remove(&path);
            if let (Some(document), Some(moved)) = (document, path.moved(from, to))
                && self.scope.iter().any(|scope| moved.is_within(scope))
            {
                self.documents.insert(moved, document);
            }
        }
    }

    /// Looks at the hot set, and at everything when another process committed.
    pub fn refresh<D: Disk>(&mut self, store: &mut Store<D>) -> Result<Delta, StoreError> {
        let hot: Vec<DocPath> = self.hot.iter().cloned().collect();
        let known = self.foreign;
        let changed = store.read_together(|store| {
            if store.foreign_commits() != known {
                return Ok(None);
            }
            let mut changed = Vec::new();
            for path in hot {
                if self.look_again(store, &path)? {
                    changed.push(path);
                }
            }
            Ok(Some(changed))
        })?;
        match changed {
            None => self.read_all(store),
            Some(changed) if changed.is_empty() => Ok(Delta::Nothing),
            Some(changed) => Ok(Delta::Documents(changed)),
        }
    }

    /// Reads one document again if it may have changed; true when it has.
    fn look_again<D: Disk>(
        &mut self,
        store: &Store<D>,
        path: &DocPath,
    ) -> Result<bool, StoreError> {
        let known = self.documents.get(path);
        let meta = store.disk().look(path)?.meta;
        let meta = meta.filter(|meta| meta.kind == FileKind::File);
        match (known, meta) {
            (None, None) => return Ok(false),
            (Some(known), Some(meta)) if known.identity.compare(&meta) == Compared::Same => {
                return Ok(false);
            }
            _ => {}
        }
        let read = read_document(store.disk(), path)?;
        let read = read.map(|(bytes, identity)| Document { bytes, identity });
        let same = known.map(|one| &one.bytes) == read.as_ref().map(|one| &one.bytes);
        match read {
            Some(document) => self.documents.insert(path.clone(), document),
            None => self.documents.remove(path),
        };
        Ok(!same)
    }

    fn read_all<D: Disk>(&mut self, store: &mut Store<D>) -> Result<Delta, StoreError> {
        let scope = self.scope.clone();
        let documents = store.read_together(|store| {
            let mut documents = BTreeMap::new();
            for path in scope {
                collect(store.disk(), path, &mut documents)?;
            }
            Ok(documents)
        })?;
        self.documents = documents;
        self.foreign = store.foreign_commits();
        Ok(Delta::Everything)
    }

    fn heat(&mut self, path: &DocPath) {
        self.hot.retain(|one| one != path);
        self.hot.push_back(path.clone());
        if self.hot.len() > HOT_SET {
            self.hot.pop_front();
        }
    }
}

fn collect<D: Disk>(
    disk: &D,
    path: DocPath,
    documents: &mut BTreeMap<DocPath, Document>,
) -> Result<(), StoreError> {
    let meta = disk.look(&path)?.meta;
    match meta.map(|meta| meta.kind) {
        Some(FileKind::Dir) => {
            for entry in disk.read_dir(Some(&path))? {
                let inside = path.join(&entry.name);
                let inside = inside.map_err(|bad| StoreError::Malformed(bad.into()))?;
                if !inside.is_technical() {
                    collect(disk, inside, documents)?;
                }
            }
        }
        Some(_) => {
            if let Some((bytes, identity)) = read_document(disk, &path)? {
                documents.insert(path, Document { bytes, identity });
            }
        }
        None => {}
    }
    Ok(())
}
