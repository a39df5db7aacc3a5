//! The ledger on the disk: read and appended to under a lock that all processes of a root share.
//! A line is written before the result it tells of counts; no sync, because a killed process loses
//! nothing that it wrote, and after a power cut one more refused call is all it costs.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use hast_flow::agents::ledger::{Ledger, LedgerLine};
use hast_flow::formats::ndjson;

use rustix::fs::{Mode, OFlags};

use crate::files::PathError;
use crate::root_path::RootPath;

/// Of a log that is longer, only the end is read: limits and days are there.
const MAX_READ: u64 = 64 << 20;
/// Commands that only look need the last refusals.
const MAX_LOOK: u64 = 4 << 20;

/// The ledger of one root, for all threads of this process.
#[derive(Debug)]
pub struct LedgerFile {
    log: RootPath,
    lock: RootPath,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    ledger: Ledger,
    /// How far the log was read.
    read: u64,
}

impl LedgerFile {
    /// The ledger in a directory of hast's own.
    pub fn within(machine: &RootPath) -> Self {
        Self {
            log: machine.join("ledger.ndjson"),
            lock: machine.join("ledger.lock"),
            known: Mutex::default(),
        }
    }

    /// The ledger as it is, for commands that only look: no lock, and nothing is made.
    pub fn look(machine: &RootPath) -> Result<Ledger, PathError> {
        let path = machine.join("ledger.ndjson");
        let mut known = Known::default();
        match path.open(OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()) {
            Ok(log) => {
                let read = known.catch_up(&mut File::from(log), MAX_LOOK);
                read.map_err(|source| path.at(source))?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(path.at(error)),
        };
        Ok(known.ledger)
    }

    /// Looks at everything that anybody wrote so far, and appends what `decide` returns before
    /// anybody else can look.
    pub fn with<T>(
        &self,
        decide: impl FnOnce(&Ledger) -> (Vec<LedgerLine>, T),
    ) -> Result<T, PathError> {
        let at = |path: &RootPath| {
            let path = path.clone();
            move |source| path.at(source)
        };
        let lock = open(&self.lock).map_err(at(&self.lock))?;
        lock.lock().map_err(at(&self.lock))?;
        let mut log = open(&self.log).map_err(at(&self.log))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let torn = known.catch_up(&mut log, MAX_READ).map_err(at(&self.log))?;
        let (lines, answer) = decide(&known.ledger);
        if !lines.is_empty() {
            let mut text = if torn { "\n".to_owned() } else { String::new() };
            text.extend(lines.iter().filter_map(|line| ndjson::to_line(line).ok()));
            log.seek(SeekFrom::End(0)).map_err(at(&self.log))?;
            log.write_all(text.as_bytes()).map_err(at(&self.log))?;
            known.read += text.len() as u64;
            for line in lines {
                known.ledger.add(line);
            }
        }
        Ok(answer)
    }
}

/// Opens or makes a file for reading and writing.
fn open(path: &RootPath) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NONBLOCK;
    Ok(File::from(path.open(flags, Mode::from_raw_mode(0o600))?))
}

impl Known {
    /// Takes in what was appended; tells whether the log ends in the middle of a line. Under the lock
    /// nobody writes, so that such a line is what a power cut or a full disk left.
    fn catch_up(&mut self, log: &mut File, most: u64) -> io::Result<bool> {
        let length = log.metadata()?.len();
        if length < self.read {
            *self = Self::default();
        }
        let start = self.read.max(length.saturating_sub(most));
        log.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        log.take(most).read_to_end(&mut bytes)?;
        let (lines, _) = ndjson::read::<LedgerLine>("ledger.ndjson", &bytes);
        for line in lines {
            self.ledger.add(line);
        }
        let torn = bytes.last().is_some_and(|last| *last != b'\n');
        self.read = start + bytes.len() as u64;
        Ok(torn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hast_flow::time::UtcTime;

    fn limited(agent: &str) -> LedgerLine {
        let at: UtcTime = "2026-01-12T00:00:00Z".parse().unwrap();
        let until: UtcTime = "2026-01-12T01:00:00Z".parse().unwrap();
        LedgerLine::Limited { at, agent: agent.to_owned(), until, guess: false }
    }

    fn refuses(ledger: &Ledger, agent: &str) -> bool {
        ledger.refuses_until(agent, "2026-01-12T00:30:00Z".parse().unwrap()).is_some()
    }

    #[test]
    fn another_process_sees_what_was_written_before_the_result_counted() {
        let root = tempfile::tempdir().unwrap();
        let (one, two) = (
            LedgerFile::within(&RootPath::new(root.path()).unwrap()),
            LedgerFile::within(&RootPath::new(root.path()).unwrap()),
        );
        one.with(|_| (vec![limited("a")], ())).unwrap();
        assert!(two.with(|ledger| (vec![limited("b")], refuses(ledger, "a"))).unwrap());
        assert!(one.with(|ledger| (Vec::new(), refuses(ledger, "b"))).unwrap());
    }

    #[test]
    fn a_torn_line_costs_itself_and_no_other() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("ledger.ndjson");
        let mut text = ndjson::to_line(&limited("a")).unwrap();
        text += "{\"kind\":\"limi";
        File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        let ledger = LedgerFile::within(&RootPath::new(root.path()).unwrap());
        ledger.with(|_| (vec![limited("b")], ())).unwrap();
        let fresh = LedgerFile::within(&RootPath::new(root.path()).unwrap());
        let both = fresh.with(|l| (Vec::new(), refuses(l, "a") && refuses(l, "b")));
        assert!(both.unwrap());
    }

    #[test]
    fn a_log_that_is_a_link_is_refused_and_not_written_through() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("target");
        File::create(&target).unwrap();
        std::os::unix::fs::symlink(&target, root.path().join("ledger.ndjson")).unwrap();
        let ledger = LedgerFile::within(&RootPath::new(root.path()).unwrap());
        assert!(ledger.with(|_| (vec![limited("a")], ())).is_err());
        assert_eq!(target.metadata().unwrap().len(), 0);
    }
}
