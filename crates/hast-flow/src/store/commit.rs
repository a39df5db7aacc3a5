//! The commit: check, stage, write the record, one sync, publish. Either all of it happens or none.

use super::chain::StageName;
use super::change::{ChangeSet, Put, overlap};
use super::codec::{self, Body, Commit, Content, Entry};
use super::disk::{Disk, DiskError, LockMode, Times};
use super::identity::{ContentHash, Seen};
use super::journal::DONE_BYTES;
use super::path::DocPath;
use super::policy::Policy;
use super::prepare::{Job, Prepared};
use super::problem::StoreError;
use super::publish::{Expected, Staged, staging_path};
use super::root::{Conflict, Rule, Store};

/// A change set that counts, also after a power cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    pub seq: u64,
    /// What each document is now, for the next change set.
    pub now: Vec<(DocPath, Seen)>,
    /// Documents that a person edited at the same moment; theirs stand.
    pub conflicts: Vec<Conflict>,
}

/// A change set whose record is being written.
struct Ready<F> {
    slot: usize,
    seq: u64,
    commit: Commit,
    /// One for each entry.
    targets: Vec<Target<F>>,
}

struct Target<F> {
    /// The name that the caller used.
    named: DocPath,
    expected: Expected,
    staged: Option<Staged<F>>,
}

/// How many staging files of one round stay open until they are published.
const HELD_FILES: usize = 64;

impl<D: Disk> Store<D> {
    /// Commits one change set.
    pub fn commit(
        &mut self,
        change: ChangeSet,
        policy: &dyn Policy,
    ) -> Result<Committed, StoreError> {
        let mut results = self.commit_all(vec![change], policy);
        results.pop().unwrap_or(Err(StoreError::Stopped))
    }

    /// Decides while the lock is held, and commits what was decided: nobody is faster in between.
    /// Where there is nothing to change, nothing is written.
    pub fn commit_decided<T>(
        &mut self,
        policy: &dyn Policy,
        decide: impl FnOnce(&Self) -> Result<(Option<ChangeSet>, T), StoreError>,
    ) -> Result<(Option<Committed>, T), StoreError> {
        self.enter(LockMode::Exclusive)?;
        self.writable.clear();
        let done = self.catch_up().and_then(|_| decide(self)).and_then(|(change, told)| {
            let Some(change) = change else { return Ok((None, told)) };
            let mut results = [Err(StoreError::Stopped)];
            self.commit_rounds(vec![change], policy, &mut results);
            let [result] = results;
            Ok((Some(result?), told))
        });
        if let Err(error) = self.leave() {
            let _: Result<(), _> = self.stop(error);
        }
        done
    }

    /// Commits change sets of several lanes. Those that do not concern the same places share one
    /// sync; the others follow in their order.
    fn commit_all(
        &mut self,
        changes: Vec<ChangeSet>,
        policy: &dyn Policy,
    ) -> Vec<Result<Committed, StoreError>> {
        let count = changes.len();
        if let Err(error) = self.enter(LockMode::Exclusive) {
            return vec![Err(error); count];
        }
        let mut results = vec![Err(StoreError::Stopped); count];
        self.writable.clear();
        match self.catch_up() {
            Ok(_) => self.commit_rounds(changes, policy, &mut results),
            Err(error) => results.fill(Err(error)),
        }
        if let Err(error) = self.leave() {
            // Everything counts already; only the lock stays with this process.
            let _: Result<(), _> = self.stop(error);
        }
        results
    }

    fn commit_rounds(
        &mut self,
        changes: Vec<ChangeSet>,
        policy: &dyn Policy,
        results: &mut [Result<Committed, StoreError>],
    ) {
        let mut waiting: Vec<(usize, ChangeSet)> = changes.into_iter().enumerate().collect();
        while !waiting.is_empty() {
            let (round, later) = split_round(waiting);
            waiting = later;
            if let Err(error) = self.commit_round(round, policy, results) {
                // The journal failed: nothing after it is tried.
                for (slot, _) in waiting {
                    results[slot] = Err(error.clone());
                }
                return;
            }
        }
    }

    fn commit_round(
        &mut self,
        round: Vec<(usize, ChangeSet)>,
        policy: &dyn Policy,
        results: &mut [Result<Committed, StoreError>],
    ) -> Result<(), StoreError> {
        let mut ready = Vec::with_capacity(round.len());
        self.held = 0;
        for (slot, change) in round {
            let seq = self.journal.next_seq + ready.len() as u64;
            let prepared = self.prepare(change, policy);
            match prepared.and_then(|prepared| self.stage_all(slot, seq, prepared)) {
                Ok(one) => ready.push(one),
                Err(error) => results[slot] = Err(error),
            }
        }
        if ready.is_empty() {
            return Ok(());
        }
        let slots: Vec<usize> = ready.iter().map(|one| one.slot).collect();
        let fail = |results: &mut [Result<Committed, StoreError>], error: &StoreError| {
            for slot in slots {
                results[slot] = Err(error.clone());
            }
        };
        if let Err(error) = self.record(&mut ready) {
            fail(results, &error);
            return if self.health == super::root::Health::Good { Ok(()) } else { Err(error) };
        }
        self.publish_all(ready, results)
    }

    /// Writes the staging files of a change set; on an error none of them is left.
    fn stage_all(
        &mut self,
        slot: usize,
        seq: u64,
        prepared: Prepared,
    ) -> Result<Ready<D::File>, StoreError> {
        let Prepared { role, reason, jobs } = prepared;
        let mut puts = Vec::with_capacity(jobs.len());
        let mut targets = Vec::with_capacity(jobs.len());
        for (index, job) in jobs.into_iter().enumerate() {
            let Job { named, mut entry, expected } = job;
            let staged = self.stage_one(seq, index, &mut entry);
            puts.push(entry);
            match staged {
                Ok(staged) => targets.push(Target { named, expected, staged }),
                Err(error) => {
                    self.unstage(seq, &puts);
                    return Err(error.into());
                }
            }
        }
        Ok(Ready {
            slot,
            seq,
            commit: Commit { role, step: reason, nonce: self.nonce, puts },
            targets,
        })
    }

    fn stage_one(
        &mut self,
        seq: u64,
        index: usize,
        entry: &mut Entry,
    ) -> Result<Option<Staged<D::File>>, DiskError> {
        let Entry::Whole { mode, content, .. } = entry else {
            return Ok(None);
        };
        let Content::Inline(bytes) = content else {
            return Ok(None);
        };
        let path = staging_path(self.stage_name(seq, index));
        let file = self.stage(&path, bytes, *mode)?;
        if bytes.len() > self.options.inline_bytes {
            // Too large for the journal: this content is made durable by a sync of its own.
            self.disk.sync_file(&file)?;
            *content = Content::Staged { hash: ContentHash::of(bytes), size: bytes.len() as u64 };
        }
        let mut held = None;
        if self.held < HELD_FILES && self.new_file(&file)?.1 == Times::Exact {
            self.held += 1;
            held = Some((self.disk.stat_file(&file)?, file));
        }
        Ok(Some(Staged { path, held }))
    }

    fn stage_name(&self, seq: u64, index: usize) -> StageName {
        StageName { seq, index, nonce: self.nonce }
    }

    /// What cannot be removed now goes when the root is opened next.
    fn unstage(&self, seq: u64, puts: &[Entry]) {
        for (index, entry) in puts.iter().enumerate() {
            if matches!(entry, Entry::Whole { .. }) {
                let staged = staging_path(self.stage_name(seq, index));
                let _: Result<(), DiskError> = self.disk.unlink(&staged);
            }
        }
    }

    /// Writes the records and waits for the disk once: the commit point.
    fn record(&mut self, ready: &mut [Ready<D::File>]) -> Result<(), StoreError> {
        let mut records = self.encode(ready);
        let room = records.len() as u64 + DONE_BYTES;
        if room > self.journal.free() {
            if let Err(error) = self.make_room(room) {
                for one in ready.iter() {
                    self.unstage(one.seq, &one.commit.puts);
                }
                return Err(error);
            }
            // Making room may have started a new epoch.
            records = self.encode(ready);
        }
        let syncs = self.options.keeps(Rule::SyncBeforePublish);
        let written =
            self.journal.write(&self.disk, &records, ready.len() as u64).and_then(
                |()| match syncs {
                    true => self.disk.sync_data(&self.journal.file),
                    false => Ok(()),
                },
            );
        match written {
            Ok(()) => Ok(()),
            Err(error) => self.stop(StoreError::Journal(error)),
        }
    }

    fn encode(&self, ready: &mut [Ready<D::File>]) -> Vec<u8> {
        let mut records = Vec::with_capacity(4 << 10);
        for one in ready {
            let body = Body::Commit(std::mem::take(&mut one.commit));
            codec::encode_record_into(&mut records, self.journal.mark(one.seq), &body);
            if let Body::Commit(commit) = body {
                one.commit = commit;
            }
        }
        records
    }

    fn publish_all(
        &mut self,
        ready: Vec<Ready<D::File>>,
        results: &mut [Result<Committed, StoreError>],
    ) -> Result<(), StoreError> {
        let mut failed = None;
        let mut last = 0;
        for one in ready {
            self.note_commit(one.seq, &one.commit);
            last = one.seq;
            let slot = one.slot;
            results[slot] = match &failed {
                None => self.publish_one(one),
                Some(error) => Err(StoreError::clone(error)),
            };
            if let Err(error) = &results[slot] {
                failed = Some(error.clone());
            }
        }
        match failed {
            None => self.write_done(last),
            Some(error) => self.stop(error),
        }
    }

    fn publish_one(&mut self, ready: Ready<D::File>) -> Result<Committed, StoreError> {
        let mut committed = Committed {
            seq: ready.seq,
            now: Vec::with_capacity(ready.targets.len()),
            conflicts: Vec::new(),
        };
        for (entry, target) in ready.commit.puts.iter().zip(ready.targets) {
            let Target { named, expected, staged } = target;
            let published = self.publish(ready.seq, entry, expected, staged);
            let (seen, conflict) = published.map_err(StoreError::Unpublished)?;
            committed.now.push((named, seen));
            committed.conflicts.extend(conflict);
        }
        Ok(committed)
    }
}

/// The change sets that can share a sync, and those that must see the others first.
type Waiting = Vec<(usize, ChangeSet)>;

fn split_round(waiting: Waiting) -> (Waiting, Waiting) {
    let mut round: Waiting = Vec::with_capacity(waiting.len());
    let mut later = Waiting::new();
    for (slot, change) in waiting {
        let meets = round.iter().chain(&later).any(|(_, earlier)| concern_same(earlier, &change));
        if meets {
            later.push((slot, change));
        } else {
            round.push((slot, change));
        }
    }
    (round, later)
}

fn concern_same(one: &ChangeSet, other: &ChangeSet) -> bool {
    let puts_meet = |a: &Put| other.puts.iter().any(|b| overlap(a, b));
    let reads_meet = |writer: &ChangeSet, reader: &ChangeSet| {
        writer
            .puts
            .iter()
            .any(|put| reader.reads.iter().any(|read| super::change::concerns(put, &read.path)))
    };
    one.puts.iter().any(puts_meet) || reads_meet(one, other) || reads_meet(other, one)
}
