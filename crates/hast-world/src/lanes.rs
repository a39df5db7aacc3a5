//! Several lanes of one process commit to one root: those that wait share one sync.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use hast_flow::store::{ChangeSet, Committed, Policy, Store, StoreError};

use crate::disk::RealDisk;

/// A store that many threads use at once.
#[derive(Clone)]
pub struct Lanes(Arc<Inner>);

struct Inner {
    store: Mutex<Store<RealDisk>>,
    queue: Mutex<Queue>,
    turned: Condvar,
    policy: Box<dyn Policy + Send + Sync>,
}

#[derive(Default)]
struct Queue {
    next_ticket: u64,
    leader: Leader,
    waiting: Vec<(u64, ChangeSet)>,
    finished: BTreeMap<u64, Result<Committed, StoreError>>,
}

/// Whether one of the waiting lanes is committing for all.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Leader {
    #[default]
    None,
    Busy,
}

impl std::fmt::Debug for Lanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lanes").finish_non_exhaustive()
    }
}

impl Lanes {
    pub fn new(store: Store<RealDisk>, policy: Box<dyn Policy + Send + Sync>) -> Self {
        Self(Arc::new(Inner {
            store: Mutex::new(store),
            queue: Mutex::default(),
            turned: Condvar::new(),
            policy,
        }))
    }

    /// Uses the store for something else than a commit.
    pub fn with<T>(&self, use_it: impl FnOnce(&mut Store<RealDisk>) -> T) -> T {
        use_it(&mut self.0.store.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Commits, together with whatever other lanes have waiting.
    pub fn commit(&self, change: ChangeSet) -> Result<Committed, StoreError> {
        let mut queue = self.queue();
        let ticket = queue.next_ticket;
        queue.next_ticket += 1;
        queue.waiting.push((ticket, change));
        loop {
            if let Some(result) = queue.finished.remove(&ticket) {
                return result;
            }
            if queue.leader == Leader::None {
                queue.leader = Leader::Busy;
                let group = std::mem::take(&mut queue.waiting);
                drop(queue);
                let (finished, due) = self.lead(group);
                queue = self.queue();
                queue.finished.extend(finished);
                queue.leader = Leader::None;
                self.0.turned.notify_all();
                if due {
                    self.checkpoint_aside();
                }
            } else {
                let waited = self.0.turned.wait(queue);
                queue = waited.unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn lead(&self, group: Vec<(u64, ChangeSet)>) -> (Finished, bool) {
        let (tickets, changes): (Vec<_>, Vec<_>) = group.into_iter().unzip();
        self.with(|store| {
            let results = store.commit_all(changes, &*self.0.policy);
            let finished = tickets.into_iter().zip(results).collect();
            (finished, store.checkpoint_due())
        })
    }

    /// Syncs on a thread of its own: commits go on meanwhile.
    fn checkpoint_aside(&self) {
        let lanes = self.clone();
        std::thread::spawn(move || {
            let begun = lanes.with(|store| {
                let disk = store.disk().clone();
                store.begin_checkpoint().map(|begun| (begun, disk))
            });
            if let Ok((begun, disk)) = begun {
                let synced = begun.sync(&disk);
                // A failure stops the store; the next commit reports it.
                let _: Result<(), StoreError> =
                    lanes.with(|store| store.finish_checkpoint(&begun, synced));
            }
        });
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Finished = Vec<(u64, Result<Committed, StoreError>)>;
