//! The calls that no durable commit can avoid: one append with a sync, and the same publications.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use hast_benches::Failure;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::fixture::{LINE, document};

pub(crate) struct Floor {
    dir: PathBuf,
    journal: File,
    log: File,
    length: u64,
}

impl Floor {
    pub(crate) fn new(dir: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(dir.join("tmp"))?;
        let journal = File::create(dir.join("journal"))?;
        let log = File::create(dir.join("log"))?;
        for index in 0..4 {
            fs::write(dir.join(format!("file-{index}.json")), document(0))?;
        }
        Ok(Self { dir: dir.to_owned(), journal, log, length: 0 })
    }

    pub(crate) fn append(&mut self) -> Result<(), Failure> {
        self.journal.write_all_at(LINE, self.length)?;
        self.length += LINE.len() as u64;
        rustix::fs::fdatasync(&self.journal)?;
        Ok(())
    }

    /// One sync, the line in the log, and each file staged and exchanged as a commit does it.
    pub(crate) fn publish(&mut self, round: usize, files: usize) -> Result<(), Failure> {
        for index in 0..files {
            fs::write(self.staged(index), document(round))?;
        }
        self.append()?;
        self.log.write_all_at(LINE, self.length)?;
        for index in 0..files {
            let target = self.dir.join(format!("file-{index}.json"));
            let staged = self.staged(index);
            renameat_with(CWD, &staged, CWD, &target, RenameFlags::EXCHANGE)?;
            fs::remove_file(&staged)?;
        }
        Ok(())
    }

    fn staged(&self, index: usize) -> PathBuf {
        self.dir.join(format!("tmp/{index}"))
    }
}
