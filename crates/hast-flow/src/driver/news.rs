//! The driver takes in the commits of other processes since its last look. It reads only documents
//! that changed, and of logs only the new end. A view that cannot take such news one by one is
//! built again from all documents.

use std::collections::{BTreeMap, BTreeSet};

use crate::store::change::steps_log;
use crate::store::identity::Compared;
use crate::store::{Disk, DocPath, HistoryClass, Seen, Store, StoreError};

use super::reading::walk;
use super::{Delta, Driver, Flow, Taken};

/// What became of one document.
enum News {
    Document {
        bytes: Vec<u8>,
        seen: Seen,
    },
    /// A log that grew.
    Appended {
        at: u64,
        bytes: Vec<u8>,
    },
    /// Written again with the content that is known.
    Same {
        seen: Seen,
    },
    Gone,
}

/// What a view knows, for whoever looks for what it does not know.
struct Known<'d, F> {
    flow: &'d F,
    seen: &'d BTreeMap<DocPath, Seen>,
    steps: u64,
    /// Documents whose other contents the view takes at any time.
    rests_on: BTreeSet<DocPath>,
}

impl<F: Flow, D: Disk> Driver<'_, F, D> {
    /// Takes in other processes' commits.
    pub(super) fn read_news(&mut self) -> Result<(), StoreError> {
        if self.flow.news() == Taken::No {
            return self.read_all();
        }
        let known = Known {
            flow: self.flow,
            seen: &self.seen,
            steps: self.steps_length,
            rests_on: self.flow.rests_on(&self.view).into_iter().collect(),
        };
        let Some(news) = self.store.read_together(|store| known.look(store))? else {
            return self.read_all();
        };
        self.foreign = self.store.foreign_commits();
        for (path, news) in news {
            match news {
                News::Document { bytes, seen } => self.take_document(&path, &bytes, seen),
                News::Appended { at, bytes } => {
                    let length = at + bytes.len() as u64;
                    self.take_appended(&path, at, &bytes, Seen::Log { length });
                }
                News::Same { seen } => drop(self.seen.insert(path, seen)),
                News::Gone => {
                    self.seen.insert(path.clone(), Seen::Absent);
                    self.flow.fold(&mut self.view, &Delta::Gone { path: &path });
                }
            }
        }
        self.steps.forget_last();
        self.show_unused();
        Ok(())
    }
}

impl<F: Flow> Known<'_, F> {
    /// Everything that is new, in the order of names; none where the view cannot take it so.
    fn look<D: Disk>(&self, store: &Store<D>) -> Result<Option<Vec<(DocPath, News)>>, StoreError> {
        let mut paths = Vec::new();
        walk(store, self.flow, None, &mut paths)?;
        paths.push(steps_log());
        let there: BTreeSet<&DocPath> = paths.iter().collect();
        let gone = self.seen.iter().filter(|(path, seen)| {
            **seen != Seen::Absent && !there.contains(path) && !path.is_technical()
        });
        let mut news = Vec::new();
        for (path, _) in gone {
            if !self.rests_on.contains(path) {
                return Ok(None);
            }
            news.push((path.clone(), News::Gone));
        }
        for path in paths {
            match self.look_at(store, &path)? {
                Some(News::Document { .. }) if !self.takes(&path) => return Ok(None),
                found => news.extend(found.map(|found| (path, found))),
            }
        }
        Ok(Some(news))
    }

    /// A content that comes for the first time, or one that the flow looks at before each decision.
    fn takes(&self, path: &DocPath) -> bool {
        let new = self.seen.get(path).is_none_or(|seen| *seen == Seen::Absent);
        new || self.rests_on.contains(path)
    }

    fn look_at<D: Disk>(
        &self,
        store: &Store<D>,
        path: &DocPath,
    ) -> Result<Option<News>, StoreError> {
        let known = self.seen.get(path).copied();
        let Some(meta) = store.disk().look(path)?.meta else { return Ok(None) };
        if matches!(known, Some(Seen::File(identity)) if identity.compare(&meta) == Compared::Same)
        {
            return Ok(None);
        }
        let stamp = known.and_then(Seen::identity).and_then(|known| known.stamp);
        let same_file = stamp.is_none_or(|stamp| stamp.inode == meta.inode);
        if let Some(length) = self.log_length(path, known).filter(|_| same_file) {
            if meta.size == length {
                return Ok(None);
            }
            if let Some(bytes) = longer(store, path, length)? {
                return Ok(Some(News::Appended { at: length, bytes }));
            }
        }
        let Some((bytes, identity)) = store.read(path)? else { return Ok(None) };
        let seen = Seen::File(identity);
        let same = matches!(known, Some(Seen::File(known)) if known.hash.is_some() && known.hash == identity.hash);
        Ok(Some(if same { News::Same { seen } } else { News::Document { bytes, seen } }))
    }

    /// How much of a log is known.
    fn log_length(&self, path: &DocPath, known: Option<Seen>) -> Option<u64> {
        if *path == steps_log() {
            return known.map(|_| self.steps);
        }
        let is_log = self.flow.policy().class_of(path) == Some(HistoryClass::Append);
        match known.filter(|_| is_log)? {
            Seen::File(identity) => Some(identity.size),
            Seen::Log { length } => Some(length),
            Seen::Absent => None,
        }
    }
}

/// What a log has after the lines that are known; none where it is another file by now.
fn longer<D: Disk>(
    store: &Store<D>,
    path: &DocPath,
    known: u64,
) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(before) = known.checked_sub(1) else { return Ok(None) };
    let Some(mut bytes) = store.read_end(path, before)? else { return Ok(None) };
    if bytes.len() < 2 || bytes[0] != b'\n' {
        return Ok(None);
    }
    bytes.remove(0);
    Ok(Some(bytes))
}
