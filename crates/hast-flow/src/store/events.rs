//! The event log of a root: one line a thing that happened. Folding it gives the pointer files.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::{ARCHIVE_DIR, Malformed, Put};
use super::content::read_whole;
use super::disk::{Disk, Open};
use super::path::DocPath;
use super::problem::StoreError;
use super::root::{Conflict, Store};
use crate::ids::{EventId, LAST_NUMBER};
use crate::time::UtcTime;

/// One line of a log, with its fields in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    pub event_id: EventId,
    pub ts: UtcTime,
    pub actor: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub detail: Value,
}

/// Where a log ends and which number comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLog {
    path: DocPath,
    /// None while there is no file.
    length: Option<u64>,
    last_number: u64,
    /// Bytes after which the file moves to the archive.
    limit: u64,
    pending: Vec<u8>,
    torn: Option<Conflict>,
}

/// What reading a log met that is no event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadLine {
    /// Reported and skipped; it stays on the disk.
    Unreadable { segment: DocPath, line: usize },
    /// The last line has no end: somebody died while writing it.
    Torn { segment: DocPath, bytes: usize },
}

/// A log moves to the archive when it passes this size.
pub const ROTATE_AT: u64 = 64 << 20;
/// Enough for the last line of any log that keeps its lines within reason.
const TAIL: u64 = 64 << 10;

impl EventLog {
    /// Finds the end of a log by reading only its tail. A last line without an end is mended first.
    pub fn open<D: Disk>(
        store: &mut Store<D>,
        path: DocPath,
        limit: u64,
    ) -> Result<Self, StoreError> {
        let torn = store.mend_end(&path)?;
        let store = &*store;
        let disk = store.disk();
        let mut log = Self { path, length: None, last_number: 0, limit, pending: Vec::new(), torn };
        if disk.stat(&log.path)?.is_none() {
            let segments = log.segments(store)?;
            log.last_number = segments.last().map_or(0, segment_number);
            return Ok(log);
        }
        let file = disk.open(&log.path, Open::Read)?;
        let size = disk.stat_file(&file)?.size;
        let from = size.saturating_sub(TAIL);
        let mut tail = vec![0; (size - from) as usize];
        let read = disk.read_at(&file, from, &mut tail)?;
        tail.truncate(read);
        log.length = Some(from + read as u64);
        let last = lines(&tail).rev().find_map(parse);
        log.last_number = match last {
            Some(event) => event.event_id.number(),
            // A tail without an event: the whole log has to tell.
            None => {
                let mut highest = 0;
                log.replay(store, |event| {
                    highest = highest.max(event.event_id.number());
                })?;
                highest
            }
        };
        Ok(log)
    }

    pub fn path(&self) -> &DocPath {
        &self.path
    }

    /// Where the torn last line went that opening cut off.
    pub fn torn(&self) -> Option<&Conflict> {
        self.torn.as_ref()
    }

    /// Reads every event there ever was, archived segments first.
    pub fn replay<D: Disk>(
        &self,
        store: &Store<D>,
        mut fold: impl FnMut(&Event),
    ) -> Result<Vec<BadLine>, StoreError> {
        let mut bad = Vec::new();
        let mut segments = self.segments(store)?;
        segments.push(self.path.clone());
        for segment in segments {
            let Some(bytes) = read_whole(store.disk(), &segment)? else {
                continue;
            };
            let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            for (index, line) in lines(&bytes[..whole]).enumerate() {
                match parse(line) {
                    Some(event) => fold(&event),
                    None => {
                        bad.push(BadLine::Unreadable { segment: segment.clone(), line: index + 1 })
                    }
                }
            }
            if whole < bytes.len() {
                bad.push(BadLine::Torn { segment: segment.clone(), bytes: bytes.len() - whole });
            }
        }
        Ok(bad)
    }

    /// Adds an event to what the next commit writes. Its number was never used before.
    pub fn add(&mut self, ts: UtcTime, actor: &str, kind: &str, detail: Value) -> EventId {
        self.last_number += 1;
        let event = Event {
            event_id: EventId::new(ts, self.last_number),
            ts,
            actor: actor.to_owned(),
            kind: kind.to_owned(),
            detail,
        };
        // Text, numbers and maps with text keys always become JSON.
        if let Ok(line) = serde_json::to_vec(&event) {
            self.pending.extend(line);
            self.pending.push(b'\n');
        }
        event.event_id
    }

    /// The puts that write what was added; a log over its limit moves to the archive with them.
    pub fn take_puts(&mut self) -> Result<Vec<Put>, StoreError> {
        if self.last_number > LAST_NUMBER {
            return Err(Malformed::Numbers(self.path.clone()).into());
        }
        let bytes = std::mem::take(&mut self.pending);
        let added = bytes.len() as u64;
        let path = self.path.clone();
        let puts = match self.length {
            Some(length) if length > self.limit => {
                let events = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
                let to = self.segment(self.last_number - events)?;
                let archive = Put::Archive { from: path.clone(), to };
                self.length = None;
                vec![archive, Put::Create { path, bytes }]
            }
            Some(at) => vec![Put::Append { path, at, bytes }],
            None => vec![Put::Create { path, bytes }],
        };
        self.length = Some(self.length.unwrap_or(0) + added);
        Ok(puts)
    }

    fn segment(&self, number: u64) -> Result<DocPath, StoreError> {
        let (stem, dir) = (self.stem(), self.archive_dir()?);
        let name = format!("{stem}-{number:012}.ndjson");
        dir.join(&name).map_err(|bad| StoreError::Malformed(bad.into()))
    }

    fn segments<D: Disk>(&self, store: &Store<D>) -> Result<Vec<DocPath>, StoreError> {
        let dir = self.archive_dir()?;
        if store.disk().stat(&dir)?.is_none() {
            return Ok(Vec::new());
        }
        let start = format!("{}-", self.stem());
        let entries = store.disk().read_dir(Some(&dir))?;
        let mut found: Vec<DocPath> = entries
            .iter()
            .filter(|entry| entry.name.starts_with(&start) && entry.name.ends_with(".ndjson"))
            .filter_map(|entry| dir.join(&entry.name).ok())
            .collect();
        found.sort();
        Ok(found)
    }

    fn archive_dir(&self) -> Result<DocPath, StoreError> {
        let dir = match self.path.parent() {
            Some(parent) => parent.join(ARCHIVE_DIR),
            None => DocPath::new(ARCHIVE_DIR),
        };
        dir.map_err(|bad| StoreError::Malformed(bad.into()))
    }

    fn stem(&self) -> &str {
        let name = self.path.name();
        name.strip_suffix(".ndjson").unwrap_or(name)
    }
}

fn segment_number(segment: &DocPath) -> u64 {
    let name = segment.name().trim_end_matches(".ndjson");
    name.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty())
}

fn parse(line: &[u8]) -> Option<Event> {
    serde_json::from_slice(line).ok()
}
