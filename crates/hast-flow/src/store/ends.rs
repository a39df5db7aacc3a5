//! How a log ends before more is appended. A last line without its line break was left by somebody who
//! is not us: a whole one gets its break, a torn one is cut off and kept among the conflicts.

use super::content::read_whole;
use super::disk::{Disk, DiskError, DiskErrorKind, FileKind, LockMode, Open};
use super::path::DocPath;
use super::problem::StoreError;
use super::publish::conflict_path;
use super::root::{Conflict, Store};
use crate::formats::ndjson::{LogEnd, MAX_LINE_BYTES};

/// What became of the end of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mended {
    /// It was as it should be.
    Nothing,
    /// The last line was whole and has its line break now.
    Ended,
    /// The last line was torn and is gone.
    Cut(Conflict),
}

/// Enough for the last line of any log that keeps its lines within reason.
const TAIL: u64 = 64 << 10;

impl<D: Disk> Store<D> {
    /// Mends the end of a log. Tells what was cut off, which is kept.
    pub fn mend_end(&mut self, path: &DocPath) -> Result<Option<Conflict>, StoreError> {
        self.enter(LockMode::Exclusive)?;
        let mended = self.catch_up().and_then(|_| self.mend_end_locked(path));
        self.leave()?;
        Ok(match mended? {
            Mended::Cut(conflict) => Some(conflict),
            Mended::Nothing | Mended::Ended => None,
        })
    }

    /// Torn lines that were cut off since somebody last asked.
    pub fn take_torn(&mut self) -> Vec<Conflict> {
        std::mem::take(&mut self.torn)
    }

    /// The caller holds the commit lock.
    pub(super) fn mend_end_locked(&mut self, path: &DocPath) -> Result<Mended, StoreError> {
        if self.disk.stat(path)?.is_none_or(|meta| meta.kind != FileKind::File) {
            return Ok(Mended::Nothing);
        }
        let file = match self.disk.open(path, Open::Write) {
            Err(error) if error.kind == DiskErrorKind::NotFound => return Ok(Mended::Nothing),
            opened => opened?,
        };
        // The length of this file: by now the name may lead to one that a person has saved.
        let size = self.disk.stat_file(&file)?.size;
        if size == 0 || ends_a_line(&self.disk, &file, size)? {
            return Ok(Mended::Nothing);
        }
        let end = if path.name().ends_with(".ndjson") {
            self.end_of(&file, size)?
        } else {
            LogEnd::Unterminated
        };
        // What the journal has of this log must not be done again over what it is from now on.
        if self.live > 0 {
            self.make_room(0)?;
        }
        match end {
            LogEnd::Clean => Ok(Mended::Nothing),
            LogEnd::Unterminated => {
                self.disk.write_at(&file, size, b"\n")?;
                self.disk.sync_file(&file)?;
                Ok(Mended::Ended)
            }
            LogEnd::Torn { cut } => {
                let torn = bytes(&self.disk, &file, cut, size)?;
                let conflict = self.keep_torn(path, &torn)?;
                self.disk.set_len(&file, cut)?;
                self.disk.sync_file(&file)?;
                self.torn.push(conflict.clone());
                Ok(Mended::Cut(conflict))
            }
        }
    }

    /// Beside what was kept before: the same log may be torn twice.
    fn keep_torn(&self, path: &DocPath, torn: &[u8]) -> Result<Conflict, DiskError> {
        let name = DocPath::new(&format!("{path}.torn")).unwrap_or_else(|_| path.clone());
        let mut seq = self.journal.next_seq;
        while read_whole(&self.disk, &conflict_path(seq, &name))?.is_some_and(|kept| kept != torn) {
            seq += 1;
        }
        let kept = self.keep_ours(seq, &name, torn)?;
        Ok(Conflict { path: path.clone(), ..kept })
    }

    fn end_of(&self, file: &D::File, size: u64) -> Result<LogEnd, DiskError> {
        let mut back = TAIL;
        loop {
            let from = size.saturating_sub(back);
            let tail = bytes(&self.disk, file, from, size)?;
            if from == 0 || tail.contains(&b'\n') {
                return Ok(LogEnd::of(&tail, from));
            }
            if back > MAX_LINE_BYTES as u64 {
                // No line of ours. It stays as it is and is told by whoever reads it.
                return Ok(LogEnd::Unterminated);
            }
            back *= 4;
        }
    }
}

/// Whether the next line begins where the file ends.
fn ends_a_line<D: Disk>(disk: &D, file: &D::File, size: u64) -> Result<bool, DiskError> {
    let Some(last) = size.checked_sub(1) else { return Ok(true) };
    let mut byte = [0];
    Ok(disk.read_at(file, last, &mut byte)? == 1 && byte == *b"\n")
}

fn bytes<D: Disk>(disk: &D, file: &D::File, from: u64, to: u64) -> Result<Vec<u8>, DiskError> {
    let mut bytes = vec![0; (to - from) as usize];
    let read = disk.read_at(file, from, &mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}
