//! Directories: what readers see, and which changes of names could survive.
//!
//! Changes of one name persist in their order, and nothing persists inside a directory that did
//! not: every journalling file system keeps that much. Everything else may be lost singly.

use std::collections::{BTreeMap, BTreeSet};

use crate::rng::Rng;

pub(super) const ROOT: u64 = 1;

type Entries = BTreeMap<u64, BTreeMap<String, u64>>;
type Name = (u64, String);

/// All directories, by inode.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) seen: Entries,
    durable: Entries,
    pending: Vec<NameChange>,
    /// When the names of each directory last changed.
    pub(super) changed: BTreeMap<u64, u64>,
}

/// Names that change together or not at all.
#[derive(Clone, Debug)]
struct NameChange {
    sets: Vec<(Name, Option<u64>)>,
    /// The file or directory that this change created.
    created: Option<u64>,
}

impl NameChange {
    fn touches(&self, names: &BTreeSet<Name>) -> bool {
        self.sets.iter().any(|(name, _)| names.contains(name))
    }
}

impl Names {
    pub(super) fn new() -> Self {
        let root = Entries::from([(ROOT, BTreeMap::new())]);
        Self { seen: root.clone(), durable: root, pending: Vec::new(), changed: BTreeMap::new() }
    }

    pub(super) fn find(&self, dir: u64, name: &str) -> Option<u64> {
        self.seen.get(&dir)?.get(name).copied()
    }

    pub(super) fn is_dir(&self, inode: u64) -> bool {
        self.seen.contains_key(&inode)
    }

    /// A new file or directory under a name.
    pub(super) fn create(&mut self, dir: u64, name: &str, inode: u64, is_dir: bool, now: u64) {
        if is_dir {
            self.seen.insert(inode, BTreeMap::new());
            self.durable.insert(inode, BTreeMap::new());
        }
        let sets = vec![((dir, name.to_owned()), Some(inode))];
        self.change(sets, Some(inode), now);
    }

    /// Names that get other meanings in one step.
    pub(super) fn assign(&mut self, sets: Vec<(Name, Option<u64>)>, now: u64) {
        self.change(sets, None, now);
    }

    fn change(&mut self, sets: Vec<(Name, Option<u64>)>, created: Option<u64>, now: u64) {
        self.changed.extend(sets.iter().map(|((dir, _), _)| (*dir, now)));
        let change = NameChange { sets, created };
        apply(&mut self.seen, &change);
        self.pending.push(change);
    }

    pub(super) fn sync_dir(&mut self, dir: u64) {
        self.persist(|change| change.sets.iter().any(|((at, _), _)| *at == dir));
    }

    pub(super) fn sync_created(&mut self, inode: u64) {
        self.persist(|change| change.created == Some(inode));
    }

    pub(super) fn sync_name(&mut self, dir: u64, name: &str) {
        let name = (dir, name.to_owned());
        let wanted = |change: &NameChange| change.sets.iter().any(|(at, _)| *at == name);
        // A real file system writes its journal in order; here that matters for the directories
        // that earlier owners of the name were moved to.
        let moved_to: BTreeSet<u64> = self
            .pending
            .iter()
            .filter(|change| wanted(change))
            .flat_map(|change| change.sets.iter().map(|((dir, _), _)| *dir))
            .collect();
        self.persist(|change| {
            wanted(change) || change.created.is_some_and(|dir| moved_to.contains(&dir))
        });
    }

    pub(super) fn sync_all(&mut self) {
        self.persist(|_| true);
    }

    /// Makes the wanted changes survive, and every earlier change of the same names.
    fn persist(&mut self, wanted: impl Fn(&NameChange) -> bool) {
        let mut names = BTreeSet::new();
        let mut keep = Vec::new();
        let mut persisted = Vec::new();
        for change in std::mem::take(&mut self.pending).into_iter().rev() {
            if wanted(&change) || change.touches(&names) {
                names.extend(change.sets.iter().map(|(name, _)| name.clone()));
                persisted.push(change);
            } else {
                keep.push(change);
            }
        }
        self.pending = keep.into_iter().rev().collect();
        for change in persisted.into_iter().rev() {
            apply(&mut self.durable, &change);
        }
    }

    /// What a power cut leaves. Returns the inodes that still have a name.
    pub(super) fn cut(&mut self, rng: &mut Rng) -> BTreeSet<u64> {
        let keep_percent = [0, 10, 50, 90, 100][rng.below(5)];
        let mut lost = BTreeSet::new();
        for change in std::mem::take(&mut self.pending) {
            let reachable = reach(&self.durable);
            let placed = change
                .sets
                .iter()
                .all(|((dir, _), inode)| inode.is_none() || reachable.contains(dir));
            if placed && !change.touches(&lost) && rng.percent(keep_percent) {
                apply(&mut self.durable, &change);
            } else {
                lost.extend(change.sets.into_iter().map(|(name, _)| name));
            }
        }
        let reachable = reach(&self.durable);
        self.durable.retain(|dir, _| reachable.contains(dir));
        self.seen = self.durable.clone();
        reachable
    }
}

fn apply(entries: &mut Entries, change: &NameChange) {
    for ((dir, name), inode) in &change.sets {
        let Some(dir) = entries.get_mut(dir) else {
            continue;
        };
        match inode {
            Some(inode) => dir.insert(name.clone(), *inode),
            None => dir.remove(name),
        };
    }
}

fn reach(entries: &Entries) -> BTreeSet<u64> {
    let mut reached = BTreeSet::from([ROOT]);
    let mut ahead = vec![ROOT];
    while let Some(dir) = ahead.pop() {
        for &inode in entries.get(&dir).into_iter().flat_map(BTreeMap::values) {
            if reached.insert(inode) {
                ahead.push(inode);
            }
        }
    }
    reached
}
