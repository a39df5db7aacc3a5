//! Where calls on the queue are answered: under the lock of its log, with one append and one sync.
//! What a call costs does not depend on history: a full file of the log is archived, and the next
//! one begins with what is active.

use crate::docs::goals::{Claim, QueueEvent, QueueEventKind};
use crate::flows::goals::queue::{Decided, News, Queue, Refused};
use crate::formats::ndjson;
use crate::ids::{EventId, LAST_NUMBER};
use crate::roles::Access::Write;
use crate::roles::{Class, PolicyTable, Row};
use crate::store::disk::{Disk, FileKind, Open};
use crate::store::{ChangeSet, DocPath, HistoryClass, Malformed, Put, Store, StoreError};
use crate::time::UtcTime;

/// The log, below the root of the queue.
pub const LOG: &str = "queue.ndjson";
/// Whoever calls: every worker is the same to the files.
const ROLE: &str = "queue";

pub const POLICY: PolicyTable = PolicyTable {
    classes: &[Class { path: LOG, history: HistoryClass::Append }],
    rows: &[Row { role: ROLE, access: Write, path: LOG }],
    riders: &[],
};

/// A log over this, and over twice what it began with, is archived.
const FULL: u64 = 64 << 10;

/// The queue of one directory, for one process.
pub struct Desk<D: Disk> {
    store: Store<D>,
    log: DocPath,
    queue: Queue,
    seen: Option<Segment>,
}

/// How far a file of the log was read.
#[derive(Clone, Copy, Debug)]
struct Segment {
    inode: u64,
    length: u64,
    /// Bytes of its first line.
    carried: u64,
}

impl<D: Disk> Desk<D> {
    pub fn open(mut store: Store<D>) -> Result<Self, StoreError> {
        let log = log_path()?;
        store.mend_end(&log)?;
        Ok(Self { store, log, queue: Queue::default(), seen: None })
    }

    /// What the log said when it was last looked at.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Ends what is over, and tells what that was.
    pub fn sweep(&mut self, now: UtcTime) -> Result<Vec<Claim>, StoreError> {
        let (_, swept) = self.answer(now, |_| None)?;
        Ok(swept)
    }

    /// Answers one call. What is over is ended first, and nobody else calls meanwhile.
    pub fn call(
        &mut self,
        now: UtcTime,
        decide: impl FnOnce(&Queue) -> Decided,
    ) -> Result<Result<Claim, Refused>, StoreError> {
        let (answer, _) = self.answer(now, |queue| Some(decide(queue)))?;
        Ok(answer.unwrap_or(Err(Refused::NoClaimableGoals)))
    }

    fn answer(
        &mut self,
        now: UtcTime,
        decide: impl FnOnce(&Queue) -> Option<Decided>,
    ) -> Result<Answer, StoreError> {
        let Self { store, log, queue, seen } = self;
        let called = store.commit_decided(&POLICY, |store| {
            read_news(store.disk(), log, queue, seen)?;
            let mut page = Page { log, queue, now, lines: Vec::new() };
            let full = seen.is_some_and(|seen| seen.length > FULL.max(2 * seen.carried));
            let aside = if full { Some(turn_over(log, &mut page)?) } else { None };
            let over = page.queue.sweep(now);
            let swept: Vec<Claim> =
                over.iter().flat_map(|news| &news.detail.claims).cloned().collect();
            page.write_all(over)?;
            let (answer, news) = match decide(page.queue) {
                Some(Decided { answer, news }) => (Some(answer), news),
                None => (None, Vec::new()),
            };
            page.write_all(news)?;
            let (lines, told) = (page.lines, (answer, swept));
            if lines.is_empty() {
                return Ok((None, (told, 0)));
            }
            let mut change = ChangeSet::new(ROLE, "a call");
            let (length, added) = (seen.map(|seen| seen.length), lines.len() as u64);
            let length = length.filter(|_| aside.is_none());
            change.puts.extend(aside);
            change.puts.push(Put::lines(log.clone(), length, lines));
            *seen = seen.filter(|_| length.is_some());
            Ok((Some(change), (told, added)))
        });
        match called {
            Ok((committed, (told, added))) => {
                if let Some(seen) = &mut self.seen {
                    seen.length += added;
                }
                if committed.is_some() && self.store.checkpoint_due() {
                    self.store.checkpoint()?;
                }
                Ok(told)
            }
            Err(error) => {
                // The queue in memory is ahead of the log: the next call reads it again.
                self.seen = None;
                Err(error)
            }
        }
    }
}

/// The queue as its log tells it now, and what is over ended; nothing of that is written.
pub fn look<D: Disk>(disk: &D, now: UtcTime) -> Result<Queue, StoreError> {
    let (log, mut queue) = (log_path()?, Queue::default());
    read_news(disk, &log, &mut queue, &mut None)?;
    let over = queue.sweep(now);
    Page { log: &log, queue: &mut queue, now, lines: Vec::new() }.write_all(over)?;
    Ok(queue)
}

fn log_path() -> Result<DocPath, StoreError> {
    DocPath::new(LOG).map_err(|bad| StoreError::Malformed(bad.into()))
}

/// What a call was answered, and which claims were over.
type Answer = (Option<Result<Claim, Refused>>, Vec<Claim>);

/// What a call adds, and the queue as it is after that.
struct Page<'q> {
    log: &'q DocPath,
    queue: &'q mut Queue,
    now: UtcTime,
    lines: Vec<u8>,
}

impl Page<'_> {
    fn write_all(&mut self, news: Vec<News>) -> Result<(), StoreError> {
        news.into_iter().try_for_each(|one| self.write(one))
    }

    fn write(&mut self, news: News) -> Result<(), StoreError> {
        if self.queue.events >= LAST_NUMBER {
            return Err(Malformed::Numbers(self.log.clone()).into());
        }
        let event = QueueEvent {
            event_id: EventId::new(self.now, self.queue.events + 1),
            ts: self.now,
            actor: news.actor,
            kind: news.kind,
            detail: news.detail,
        };
        self.queue.apply(&event);
        // Our lines hold nothing that JSON cannot.
        self.lines.extend(ndjson::to_line(&event).unwrap_or_default().into_bytes());
        Ok(())
    }
}

/// The full file moves aside, and the new one begins with what is active.
fn turn_over(log: &DocPath, page: &mut Page<'_>) -> Result<Put, StoreError> {
    let to = DocPath::new(&format!("archive/queue-{:012}.ndjson", page.queue.events));
    let to = to.map_err(|bad| StoreError::Malformed(bad.into()))?;
    page.write(page.queue.carried())?;
    Ok(Put::Archive { from: log.clone(), to })
}

/// Folds what others wrote since the last call.
fn read_news<D: Disk>(
    disk: &D,
    log: &DocPath,
    queue: &mut Queue,
    seen: &mut Option<Segment>,
) -> Result<(), StoreError> {
    let meta = disk.stat(log)?.filter(|meta| meta.kind == FileKind::File);
    let Some(meta) = meta else {
        // A log that somebody took away takes its claims with it, but no fence is given again.
        *seen = None;
        *queue = queue.without_claims();
        return Ok(());
    };
    let known = seen.filter(|seen| seen.inode == meta.inode && seen.length <= meta.size);
    let from = known.map_or(0, |seen| seen.length);
    if known.is_some() && from == meta.size {
        return Ok(());
    }
    let file = disk.open(log, Open::Read)?;
    let mut bytes = vec![0; usize::try_from(meta.size - from).unwrap_or(usize::MAX)];
    let length = disk.read_at(&file, from, &mut bytes)?;
    bytes.truncate(length);
    if known.is_none() {
        *queue = queue.without_claims();
    }
    // A bad line is skipped here and told by `verify`.
    for event in ndjson::read::<QueueEvent>(LOG, &bytes).0 {
        queue.apply(&event);
    }
    let carried = match known {
        Some(seen) => seen.carried,
        None => carried_bytes(&bytes),
    };
    *seen = Some(Segment { inode: meta.inode, length: from + length as u64, carried });
    Ok(())
}

/// How long the first line is, if it carries claims over.
fn carried_bytes(bytes: &[u8]) -> u64 {
    let line = bytes.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
    let carries = serde_json::from_slice::<QueueEvent>(line)
        .is_ok_and(|event| event.kind == QueueEventKind::Carried);
    if carries { line.len() as u64 } else { 0 }
}

impl<D: Disk> std::fmt::Debug for Desk<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("queue", &self.queue).finish_non_exhaustive()
    }
}
