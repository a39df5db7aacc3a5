//! How the driver reads: everything at first, then only what may have changed, and guarded documents
//! against what they were.

use super::{Delta, Driver, Flow, Rule, Touched};
use crate::step_log::StepLog;
use crate::store::change::steps_log;
use crate::store::identity::Compared;
use crate::store::problem::ASIDE;
use crate::store::{Disk, DocPath, Seen, Store, StoreError};

impl<F: Flow, D: Disk> Driver<'_, F, D> {
    /// Looks at what the next decision rests on: other processes' commits, and documents that a
    /// person may have saved since. One document may be from before another process's commit and the
    /// next from after it, and that commit may add to what the decision rests on: all is looked at again.
    pub(super) fn look_around(&mut self) -> Result<(), StoreError> {
        loop {
            if self.others_committed()? {
                self.read_news()?;
            }
            if std::mem::take(&mut self.strangers) {
                self.compare_guarded()?;
            }
            let changed = self.look_at_rest()?;
            if !changed || !self.others_committed()? {
                return Ok(());
            }
        }
    }

    fn others_committed(&mut self) -> Result<bool, StoreError> {
        let foreign = self.store.read_together(|store| Ok(store.foreign_commits()))?;
        Ok(foreign != self.foreign && self.broken != Some(Rule::ReadNews))
    }

    /// Looks at each document that the view says; tells whether one is not as it was.
    fn look_at_rest(&mut self) -> Result<bool, StoreError> {
        let mut changed = false;
        for path in self.flow.rests_on(&self.view) {
            let known = self.seen.get(&path).copied();
            let meta = self.store.disk().look(&path)?.meta;
            let same = match (known, meta) {
                (Some(Seen::File(identity)), Some(meta)) => {
                    identity.compare(&meta) == Compared::Same
                }
                (Some(Seen::Log { length }), Some(meta)) => meta.size == length,
                (Some(Seen::Absent), None) => true,
                _ => false,
            };
            if !same {
                changed = true;
                self.look_again(&path, known)?;
            }
        }
        Ok(changed)
    }

    /// Compares every guarded document with what it was.
    fn compare_guarded(&mut self) -> Result<(), StoreError> {
        for (path, found) in self.guard.all() {
            let meta = self.store.disk().look(&path)?.meta;
            let same =
                found.zip(meta).is_some_and(|(found, meta)| found.compare(&meta) == Compared::Same);
            if !same {
                self.look_again(&path, self.seen.get(&path).copied())?;
            }
        }
        Ok(())
    }

    pub(super) fn look_again(
        &mut self,
        path: &DocPath,
        known: Option<Seen>,
    ) -> Result<(), StoreError> {
        let read = self.store.read(path)?;
        if let Some(kept) = self.guard.bytes(path) {
            let there = read.as_ref().map(|(_, identity)| *identity);
            match &read {
                Some((bytes, identity)) if bytes == kept => self.guard.found(path, *identity),
                _ => self.flow.touched(&mut self.view, &Touched { path, kept, there }),
            }
            self.seen.insert(path.clone(), there.map_or(Seen::Absent, Seen::File));
            return Ok(());
        }
        let Some((bytes, identity)) = read else {
            self.seen.insert(path.clone(), Seen::Absent);
            self.flow.fold(&mut self.view, &Delta::Gone { path });
            return Ok(());
        };
        let same = matches!(known, Some(Seen::File(known)) if known.hash == identity.hash);
        if same {
            self.seen.insert(path.clone(), Seen::File(identity));
        } else {
            self.take_document(path, &bytes, Seen::File(identity));
        }
        Ok(())
    }

    /// Forgets everything and reads all documents together.
    pub(super) fn read_all(&mut self) -> Result<(), StoreError> {
        let flow = self.flow;
        let documents = self.store.read_together(|store| collect(store, flow))?;
        let foreign = self.store.foreign_commits();
        if foreign != self.foreign {
            // Another process of ours: what it wrote is what counts.
            self.guard.clear();
            self.foreign = foreign;
        }
        self.view = F::View::default();
        self.steps = StepLog::default();
        self.steps_length = 0;
        self.seen.clear();
        for (path, bytes, seen) in &documents {
            let kept = self.guard.bytes(path).map(<[u8]>::to_vec);
            self.take_document(path, kept.as_deref().unwrap_or(bytes), *seen);
        }
        self.steps.forget_last();
        self.tell_touched(&documents);
        self.show_unused();
        Ok(())
    }

    /// Shows the flow again what it was shown before others' commits.
    pub(super) fn show_unused(&mut self) {
        // Whoever ended a step meanwhile has used a result of its own.
        self.unused.retain(|key, _| self.steps.is_open(key));
        for (key, result) in &self.unused {
            self.flow.fold(&mut self.view, &Delta::Result { key, result });
        }
    }

    /// After everything was read again: what of the guarded documents is not what it was. The view has
    /// what they were.
    fn tell_touched(&mut self, documents: &[ReadDocument]) {
        for (path, _) in self.guard.all() {
            let now = documents.iter().find(|(read, _, _)| *read == path);
            let Some(kept) = self.guard.bytes(&path) else { continue };
            if now.is_some_and(|(_, bytes, _)| bytes == kept) {
                continue;
            }
            let there = now.and_then(|(_, _, seen)| seen.identity());
            if now.is_none() {
                let seen = Seen::Absent;
                self.seen.insert(path.clone(), seen);
                let bytes = kept;
                self.flow.fold(&mut self.view, &Delta::Document { path: &path, bytes, seen });
            }
            self.flow.touched(&mut self.view, &Touched { path: &path, kept, there });
        }
    }
}

type ReadDocument = (DocPath, Vec<u8>, Seen);

/// All documents that the flow reads, in the order of their names.
fn collect<F: Flow, D: Disk>(store: &Store<D>, flow: &F) -> Result<Vec<ReadDocument>, StoreError> {
    let mut paths = Vec::new();
    walk(store, flow, None, &mut paths)?;
    paths.push(steps_log());
    let mut documents = Vec::with_capacity(paths.len());
    for path in paths {
        if let Some((bytes, identity)) = store.read(&path)? {
            documents.push((path, bytes, Seen::File(identity)));
        }
    }
    Ok(documents)
}

/// Their names below a directory.
pub(super) fn walk<F: Flow, D: Disk>(
    store: &Store<D>,
    flow: &F,
    directory: Option<&DocPath>,
    into: &mut Vec<DocPath>,
) -> Result<(), StoreError> {
    let mut entries = store.disk().read_dir(directory)?;
    entries.sort();
    for entry in entries {
        let name = match directory {
            None => DocPath::new(&entry.name),
            Some(directory) => directory.join(&entry.name),
        };
        // A name that cannot be a document is not one of ours.
        let Ok(path) = name else { continue };
        let is_aside = path.as_str().ends_with(ASIDE);
        if path.is_technical() || is_aside || !flow.reads(&path, entry.is_dir) {
            continue;
        }
        if entry.is_dir {
            walk(store, flow, Some(&path), into)?;
        } else {
            into.push(path);
        }
    }
    Ok(())
}
