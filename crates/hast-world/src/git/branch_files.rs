//! A branch that moves, and its log, without starting git: under git's own lock, synced, in the
//! order in which git does it. Whatever is not plain, or not as expected, is git's to do and to tell.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use hast_flow::attempt::base::ObjectId;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::config::Writing;
use super::index::{OWN_LOCK, Scratch};
use super::objects::is_plain_name;
use super::refs::HeadNow;
use super::run::Git;

/// Who is named in the log of a branch.
pub(super) type Signature<'s> = (&'s str, &'s str);

/// One step of a branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Advance<'a> {
    pub(super) branch: &'a str,
    pub(super) from: &'a ObjectId,
    pub(super) to: &'a ObjectId,
}

impl Git {
    /// Moves a branch that is a file of its own from where it is expected to be. Nothing: git has to.
    pub(super) fn advance_in_files(
        &self,
        step: Advance<'_>,
        scratch: &Scratch,
        (name, email): Signature<'_>,
    ) -> Option<()> {
        let Advance { branch, to, .. } = step;
        let known = is_plain_name(name) && is_plain_name(email);
        if self.overrides.writing == Writing::ByGit || !branch.starts_with("refs/heads/") || !known
        {
            return None;
        }
        let common = &self.place.common_dir;
        let (path, lock) = (common.join(branch), locked(&common.join(branch))?);
        fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let logs = self.logs_of(branch)?;
        let staged = scratch.file(OWN_LOCK, format!("{to}\n").as_bytes()).ok()?;
        File::open(&staged.path).and_then(|file| file.sync_all()).ok()?;
        // The lock is another name of a file of ours: after a death it is known whose it was.
        fs::hard_link(&staged.path, &lock).ok()?;
        let moved = self.move_under_lock(step, &logs, &lock, &path, (name, email));
        if moved.is_none() {
            let _ = fs::remove_file(&lock);
        }
        moved
    }

    fn move_under_lock(
        &self,
        Advance { branch, from, to }: Advance<'_>,
        logs: &[PathBuf],
        lock: &Path,
        path: &Path,
        (name, email): Signature<'_>,
    ) -> Option<()> {
        if self.ref_in_files(branch)?.as_ref() != Some(from) {
            return None;
        }
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        let line = format!("{from} {to} {name} <{email}> {seconds} +0000\thast\n");
        for log in logs {
            let mut log = File::options().append(true).open(log).ok()?;
            log.write_all(line.as_bytes()).ok()?;
        }
        renameat_with(CWD, lock, CWD, path, RenameFlags::empty()).ok()
    }

    /// The logs that git would write to, if they are there: the branch's own, and that of a HEAD that
    /// is on it.
    fn logs_of(&self, branch: &str) -> Option<Vec<PathBuf>> {
        let mut logs = vec![self.place.common_dir.join("logs").join(branch)];
        if self.head().ok()? == HeadNow::Branch(branch.to_owned()) {
            let head = &self.place.git_dir;
            if locked(&head.join("HEAD"))?.symlink_metadata().is_ok() {
                return None;
            }
            logs.push(head.join("logs").join("HEAD"));
        }
        let plain = |log: &PathBuf| fs::symlink_metadata(log).is_ok_and(|there| there.is_file());
        logs.iter().all(plain).then_some(logs)
    }
}

/// Where git locks a file.
pub(super) fn locked(path: &Path) -> Option<PathBuf> {
    Some(PathBuf::from(format!("{}.lock", path.to_str()?)))
}
