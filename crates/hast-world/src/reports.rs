//! Finds the reports that a run of tests wrote below a project, and asks pytest for one outside of it. What
//! lay there before is no word about this run, however new it claims to be.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use hast_flow::process::exit::Exit;
use hast_flow::process::{CommandSpec, Ended, SandboxMode};
use hast_flow::suites::ReportFile;
use hast_flow::suites::junit::{MOST_BYTES, may_be_report};
use hast_flow::words::shell_word;
use uuid::Uuid;

use crate::files::read_bounded;
use crate::roots;
use crate::supervisor::{LOCK, REPORT};

/// Directories in which no runner writes reports, and which can be huge.
const SKIPPED: &[&str] = &[
    ".git",
    ".hast",
    ".ai",
    ".claude",
    ".fingerprint",
    ".venv",
    "deps",
    "incremental",
    "node_modules",
    "site-packages",
    "venv",
    "worktrees",
];
/// Most entries that are looked at; a larger tree has no reports.
const MOST_ENTRIES: usize = 200_000;
/// Most reports of one run, and their bytes together.
const MOST_REPORTS: usize = 5_000;
const MOST_TOGETHER: usize = 4 * MOST_BYTES;

/// The files of a project that may be reports, as they are now.
pub(crate) struct Reports {
    root: PathBuf,
    /// Nothing where the tree is too large to be looked through.
    found: Option<BTreeMap<PathBuf, Stamp>>,
}

/// What tells a written file from the one before: a change sets `changed`, and nobody can set it back.
type Stamp = (u64, u64, i64, i64);

impl Reports {
    pub(crate) fn look(root: &Path) -> Self {
        Self { root: root.to_owned(), found: find(root) }
    }

    /// Those that are new or were written since.
    pub(crate) fn written_since(&self) -> Vec<ReportFile> {
        let (Some(before), Some(now)) = (&self.found, find(&self.root)) else { return Vec::new() };
        let mut together = 0;
        let new = now.into_iter().filter(|(path, stamp)| before.get(path) != Some(stamp));
        new.map(|(path, _)| {
            let bytes = if together > MOST_TOGETHER {
                Err("more than is read of one run".to_owned())
            } else {
                read_bounded(&path, MOST_BYTES).map_err(|error| error.source.to_string())
            };
            together += bytes.as_ref().map_or(0, Vec::len);
            let shown = path.strip_prefix(&self.root).unwrap_or(&path);
            ReportFile { path: shown.to_string_lossy().into_owned(), bytes }
        })
        .collect()
    }
}

/// A report that pytest is asked for, in a directory that is made for one run: no agent can have written it.
pub(crate) struct AskedReport {
    directory: PathBuf,
    /// Held as long as the run lasts: without it the directory is one that a killed process left.
    _lock: File,
}

/// What pytest reads options from.
const ADDOPTS: &str = "PYTEST_ADDOPTS";
const OPTION: &str = "--junitxml";

impl AskedReport {
    pub(crate) fn make() -> io::Result<Self> {
        let name = format!("{REPORT}{}", Uuid::now_v7());
        let directory = roots::temporary().canonicalize()?.join(name);
        DirBuilder::new().mode(0o700).create(&directory)?;
        let lock = File::create(directory.join(LOCK))?;
        lock.try_lock().map_err(io::Error::from)?;
        Ok(Self { directory, _lock: lock })
    }

    fn path(&self) -> PathBuf {
        self.directory.join("report.xml")
    }

    /// Adds the option to what a run is given, and lets it write there.
    pub(crate) fn ask_pytest(&self, spec: &mut CommandSpec) {
        let path = self.path();
        let Some(path) = path.to_str() else { return };
        let mut options = spec.env.get(OsStr::new(ADDOPTS)).cloned().unwrap_or_default();
        if !options.is_empty() {
            options.push(" ");
        }
        options.push(format!("{OPTION}={}", shell_word(path)));
        spec.env.insert(ADDOPTS.into(), options);
        if spec.sandbox.mode != SandboxMode::Off {
            spec.sandbox.writable.push(self.directory.clone());
        }
    }

    /// Whether a run failed because its pytest writes no reports.
    pub(crate) fn is_unknown_to(&self, ended: &Ended) -> bool {
        let refused = format!("unrecognized arguments: {OPTION}");
        ended.exit != Exit::Exited(0)
            && [&ended.stdout, &ended.stderr].iter().any(|text| text.text().contains(&refused))
    }

    pub(crate) fn read(&self) -> Option<ReportFile> {
        let path = self.path();
        let is_file = fs::symlink_metadata(&path).is_ok_and(|there| there.is_file());
        let bytes = read_bounded(&path, MOST_BYTES).map_err(|error| error.source.to_string());
        is_file.then(|| ReportFile { path: "pytest".to_owned(), bytes })
    }
}

impl Drop for AskedReport {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Only files: a link could lead to a report of another run.
fn find(root: &Path) -> Option<BTreeMap<PathBuf, Stamp>> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    let mut entries = 0;
    while let Some(directory) = open.pop() {
        // A directory that is closed to us has no report for us.
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            entries += 1;
            if entries > MOST_ENTRIES || found.len() > MOST_REPORTS {
                return None;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() {
                if !SKIPPED.iter().any(|skipped| entry.file_name() == *skipped) {
                    open.push(path);
                }
                continue;
            }
            let below = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
            if let (true, true, Ok(meta)) =
                (kind.is_file(), may_be_report(&below), entry.metadata())
            {
                found.insert(path, stamp(&meta));
            }
        }
    }
    Some(found)
}

fn stamp(meta: &Metadata) -> Stamp {
    (meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "<testsuite><testcase name='a'/></testsuite>";

    #[expect(clippy::disallowed_methods, reason = "sets the scene: these are no files of hast")]
    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn only_what_was_written_since_is_a_report_of_this_run() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "old/junit.xml", ONE);
        write(root.path(), "target/surefire-reports/TEST-A.xml", ONE);
        let before = Reports::look(root.path());
        assert_eq!(before.written_since(), []);
        write(root.path(), "target/surefire-reports/TEST-A.xml", "<testsuite/>");
        write(root.path(), "build/test-results/test/TEST-B.xml", ONE);
        write(root.path(), "node_modules/x/junit.xml", ONE);
        write(root.path(), "src/layout.xml", ONE);
        std::os::unix::fs::symlink("old/junit.xml", root.path().join("junit.xml")).unwrap();
        let names: Vec<String> =
            before.written_since().into_iter().map(|report| report.path).collect();
        assert_eq!(
            names,
            ["build/test-results/test/TEST-B.xml", "target/surefire-reports/TEST-A.xml"]
        );
    }
}
