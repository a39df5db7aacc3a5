//! Recovery from the journal: looks at every document that a record names, and makes it what the
//! records say, unless a person has written there. A torn tail of the journal is no record, and
//! what it was about to say is recovered by nobody: it had not counted.

use super::chain::{Chain, Change, Current, Life, Link, Plan, Published, Staging, Verdict};
use super::codec::{self, Body, Content};
use super::content::{read_opened, read_whole};
use super::disk::{Disk, DiskError, DiskErrorKind, FileKind, Open};
use super::identity::ContentHash;
use super::journal::Found;
use super::path::DocPath;
use super::problem::StoreError;
use super::publish::{Expected, Outcome, conflict_path, staging_path};
use super::root::{Conflict, Opened, Rule, Store, tmp_dir};
use super::seal::last_done;

/// A staged content is published first and looked at again with the changes after it; a document
/// that a person saves meanwhile is looked at again too.
const MOST_LOOKS: usize = 8;

impl<D: Disk> Store<D> {
    /// Finishes what the records found say. The caller holds the commit lock.
    pub(super) fn recover(
        &mut self,
        found: &[Found],
        life: Life,
        opened: &mut Opened,
    ) -> Result<(), StoreError> {
        let plan = plan(found, life, opened);
        let unfinished = opened.examined > 0;
        if unfinished {
            if let Err(error) = self.make_records_durable(found) {
                return self.stop(StoreError::Journal(error));
            }
            if self.options.keeps(Rule::RollForward) {
                self.apply(&plan, life, opened)
                    .or_else(|error| self.stop(StoreError::Unpublished(error)))?;
            }
        }
        match life {
            Life::Rebooted | Life::Untrusted => self.start_epoch(),
            Life::SameBoot if unfinished => {
                self.empty_tmp()?;
                self.write_done(self.journal.next_seq - 1)
            }
            Life::SameBoot => Ok(()),
        }
    }

    /// A record that a dead process wrote may be in memory only; what follows must not overtake it.
    /// Writing it again also covers a sync that failed and is not to be trusted twice.
    fn make_records_durable(&self, found: &[Found]) -> Result<(), DiskError> {
        for record in found {
            self.journal.rewrite(&self.disk, record)?;
        }
        self.disk.sync_data(&self.journal.file)
    }

    fn start_epoch(&mut self) -> Result<(), StoreError> {
        if self.live > 0 && self.options.keeps(Rule::SyncBeforeReset) {
            self.disk.sync_all()?;
        }
        let boot_id = self.disk.boot_id();
        let (head, next_seq) = (self.journal.head, self.journal.next_seq);
        let written = self.journal.write_header(&self.disk, |header| {
            header.epoch += 1;
            header.boot_id = boot_id;
            header.tail = head;
            header.tail_seq = next_seq;
        });
        if let Err(error) = written {
            return self.stop(StoreError::Journal(error));
        }
        self.live = 0;
        self.touched.clear();
        Ok(())
    }

    /// Notes that everything up to that record is published. Not synced: losing it costs a look.
    pub(super) fn write_done(&mut self, seq: u64) -> Result<(), StoreError> {
        let mark = self.journal.mark(self.journal.next_seq);
        let record = codec::encode_record(mark, &Body::Done { seq });
        let written = self.journal.write(&self.disk, &record, 1);
        written.or_else(|error| self.stop(StoreError::Journal(error)))
    }

    fn apply(&mut self, plan: &Plan, life: Life, opened: &mut Opened) -> Result<(), DiskError> {
        for tree in &plan.moves {
            let here = self.disk.stat(&tree.from)?.is_some();
            let there = self.disk.stat(&tree.to)?.is_some();
            if here && !there {
                self.move_tree(&tree.from, &tree.to)?;
                opened.redone.push(tree.to.clone());
            }
        }
        for (path, chain) in &plan.chains {
            for link in &chain.links {
                opened.rescued.extend(self.rescue(path, chain, link, life)?);
            }
            self.mend(path, chain, life, opened)?;
        }
        Ok(())
    }

    /// A process may have died after it swapped a person's edit out and before it swapped it back.
    fn rescue(
        &self,
        path: &DocPath,
        chain: &Chain,
        link: &Link,
        life: Life,
    ) -> Result<Option<Conflict>, DiskError> {
        if !matches!(link.change, Change::Whole { .. })
            || !self.options.keeps(Rule::KeepPersonsEdit)
        {
            return Ok(None);
        }
        let staged = staging_path(link.stage);
        let Some(bytes) = read_whole(&self.disk, &staged)? else {
            return Ok(None);
        };
        if chain.knows(Current::File(&bytes), life) {
            return Ok(None);
        }
        let theirs = read_whole(&self.disk, path)?;
        let swapped = theirs.is_some_and(|now| chain.knows(Current::File(&now), life));
        if swapped {
            self.disk.exchange(&staged, path)?;
        } else {
            let name = format!("{path}.edited");
            if let Ok(edited) = DocPath::new(&name) {
                let kept = self.keep_ours(link.seq, &edited, &bytes)?;
                return Ok(Some(Conflict { path: path.clone(), ..kept }));
            }
        }
        Ok(None)
    }

    /// Brings one document to the end of its chain.
    fn mend(
        &mut self,
        path: &DocPath,
        chain: &Chain,
        life: Life,
        opened: &mut Opened,
    ) -> Result<(), DiskError> {
        for _ in 0..MOST_LOOKS {
            let bytes = read_whole(&self.disk, path)?;
            let meta = self.disk.stat(path)?;
            let current = match (&bytes, meta) {
                (Some(bytes), _) => Current::File(bytes),
                (None, Some(meta)) if meta.kind != FileKind::File => Current::Strange,
                (None, _) => Current::Absent,
            };
            let staging = self.staging(chain)?;
            let verdict = match (chain.judge(current, staging, life), current) {
                (Verdict::Theirs { ours }, _) if !self.options.keeps(Rule::KeepPersonsEdit) => {
                    Verdict::Write { bytes: ours.unwrap_or_default(), mode: 0 }
                }
                (Verdict::Nothing, Current::File(there)) if life == Life::Untrusted => {
                    Verdict::Write { bytes: there.to_vec(), mode: meta.map_or(0, |meta| meta.mode) }
                }
                (verdict, _) => verdict,
            };
            let expected = bytes.as_deref().map_or(Expected::Absent, |bytes| {
                let hash = ContentHash::of(bytes);
                Expected::File { hash, stamp: None }
            });
            if let Verdict::Regions(regions) = &verdict
                && !self.write_regions(path, regions, expected)?
            {
                continue;
            }
            let again = matches!(verdict, Verdict::Stage { .. });
            let conflict = self.carry_out(path, chain, verdict, expected, &mut opened.redone)?;
            let stop = conflict.is_some() || !again;
            opened.conflicts.extend(conflict);
            if stop {
                break;
            }
        }
        Ok(())
    }

    fn carry_out(
        &mut self,
        path: &DocPath,
        chain: &Chain,
        verdict: Verdict,
        expected: Expected,
        redone: &mut Vec<DocPath>,
    ) -> Result<Option<Conflict>, DiskError> {
        let seq = chain.links.last().map_or(0, |link| link.seq);
        let staging = self.staging(chain)?;
        let conflict = match verdict {
            Verdict::Nothing => return Ok(None),
            Verdict::Theirs { ours } => {
                let ours = ours.or(self.staged_content(chain, staging)?);
                // What was kept when it happened is exact; the records know only the sum.
                let kept = self.disk.stat(&conflict_path(seq, path))?.is_some();
                let ours = ours.filter(|_| !(kept && chain.is_published()));
                return Ok(Some(self.side_with_theirs(seq, path, ours)?));
            }
            // Written by now.
            Verdict::Regions(_) => None,
            Verdict::Write { bytes, mode } => {
                let staged = DocPath::technical("tmp/redo");
                self.stage(&staged, &bytes, mode)?;
                self.redo(&staged, path, expected, seq, &bytes)?
            }
            Verdict::Stage { link } => {
                let ours = self.staged_content(chain, staging)?.unwrap_or_default();
                let staged = staging_path(chain.links[link].stage);
                self.redo(&staged, path, expected, seq, &ours)?
            }
        };
        redone.push(path.clone());
        Ok(conflict)
    }

    /// Writes into the file that was judged, and into no other; false where a person has saved another
    /// under its name meanwhile.
    fn write_regions(
        &self,
        path: &DocPath,
        regions: &[(u64, Vec<u8>)],
        expected: Expected,
    ) -> Result<bool, DiskError> {
        let Expected::File { hash, .. } = expected else { return Ok(false) };
        let file = match self.disk.open(path, Open::Write) {
            Err(error) if error.kind == DiskErrorKind::NotFound => return Ok(false),
            opened => opened?,
        };
        let meta = self.disk.stat_file(&file)?;
        if ContentHash::of(&read_opened(&self.disk, &file, &meta)?) != hash {
            return Ok(false);
        }
        for (at, bytes) in regions {
            self.disk.write_at(&file, *at, bytes)?;
        }
        Ok(self.disk.stat(path)?.is_some_and(|now| now.inode == meta.inode))
    }

    fn side_with_theirs(
        &self,
        seq: u64,
        path: &DocPath,
        ours: Option<Vec<u8>>,
    ) -> Result<Conflict, DiskError> {
        if let Some(ours) = ours {
            return self.keep_ours(seq, path, &ours);
        }
        // An earlier recovery that was interrupted may have put it there.
        let place = conflict_path(seq, path);
        let kept = self.disk.stat(&place)?.is_some();
        Ok(Conflict { path: path.clone(), ours: kept.then_some(place), seq })
    }

    fn redo(
        &self,
        staged: &DocPath,
        path: &DocPath,
        expected: Expected,
        seq: u64,
        ours: &[u8],
    ) -> Result<Option<Conflict>, DiskError> {
        Ok(match self.swap_in(staged, path, expected)? {
            Outcome::Visible => None,
            Outcome::Theirs => Some(self.keep_ours(seq, path, ours)?),
        })
    }

    fn staging(&self, chain: &Chain) -> Result<Staging, DiskError> {
        let Some((staged, Content::Staged { .. })) = last_whole(chain) else {
            return Ok(Staging::Gone);
        };
        Ok(match read_whole(&self.disk, &staged)? {
            Some(bytes) if chain.is_last_whole(&bytes) => Staging::Kept,
            _ => Staging::Gone,
        })
    }

    /// The content that only its staging file still has.
    fn staged_content(
        &self,
        chain: &Chain,
        staging: Staging,
    ) -> Result<Option<Vec<u8>>, DiskError> {
        match last_whole(chain) {
            Some((staged, _)) if staging == Staging::Kept => read_whole(&self.disk, &staged),
            _ => Ok(None),
        }
    }

    /// Nobody else stages while the lock is held, so whatever lies there is a leftover.
    pub(super) fn empty_tmp(&self) -> Result<(), DiskError> {
        for entry in self.disk.read_dir(Some(&tmp_dir()))? {
            if !entry.is_dir {
                self.disk.unlink(&DocPath::technical(&format!("tmp/{}", entry.name)))?;
            }
        }
        Ok(())
    }
}

/// The last whole content of a document, and where it was staged.
fn last_whole(chain: &Chain) -> Option<(DocPath, &Content)> {
    chain.links.iter().rev().find_map(|link| match &link.change {
        Change::Whole { content, .. } => Some((staging_path(link.stage), content)),
        Change::Append { .. } | Change::Patch { .. } => None,
    })
}

/// What the records say is to be looked at: after a reboot all of them, otherwise only those that
/// no `Done` covers.
fn plan(found: &[Found], life: Life, opened: &mut Opened) -> Plan {
    let done = last_done(found);
    let mut plan = Plan::default();
    for record in found {
        let Body::Commit(commit) = &record.body else {
            continue;
        };
        let published = if record.seq <= done { Published::Yes } else { Published::Unknown };
        if life != Life::SameBoot || published == Published::Unknown {
            plan.add(record.seq, published, commit);
            opened.examined += 1;
        }
    }
    plan
}
