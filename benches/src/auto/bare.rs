//! The git commands that an attempt cannot do without, bare and with the same syncs. As a careful
//! script would: one look for each of the two trees, the refs before and after, what differs. And
//! the least there is: nothing is looked at but the tree, nothing judged.

use std::time::{Duration, Instant};

use hast_benches::Failure;

use crate::repository::{GOALS_FILE, Repository};

const SYNCED: [&str; 4] = ["-c", "core.fsync=all", "-c", "core.fsyncMethod=fsync"];
const LOOK: &[&str] = &[
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-renames",
    "--untracked-files=all",
    "--ignored=matching",
];
const SCAN: &[&str] = &["ls-files", "-z", "-t", "-m", "-d", "-o", "--exclude-standard"];

type Outcome<T> = Result<T, Failure>;

pub(crate) struct Bare<'r> {
    repository: &'r Repository,
    spent: Duration,
}

impl<'r> Bare<'r> {
    pub(crate) fn new(repository: &'r Repository) -> Self {
        Self { repository, spent: Duration::ZERO }
    }

    fn read(&mut self, args: &[&str]) -> Outcome<String> {
        let start = Instant::now();
        let output = self.repository.git(args, b"")?;
        self.spent += start.elapsed();
        Ok(output)
    }

    fn synced(&mut self, args: &[&str], input: &str) -> Outcome<String> {
        let all = [&SYNCED[..], args].concat();
        let start = Instant::now();
        let output = self.repository.git(&all, input.as_bytes())?;
        self.spent += start.elapsed();
        Ok(output)
    }

    /// Everything up to the tree of the work: the same for both endings.
    fn work(&mut self) -> Outcome<(String, String)> {
        self.read(LOOK)?;
        let base = self.read(&["for-each-ref", "--format=%(objectname)", "refs/heads/main"])?;
        self.repository.agent_works()?;
        self.read(&["for-each-ref"])?;
        let changed = self.read(SCAN)?;
        let paths: String = changed
            .split('\0')
            .filter_map(|line| line.get(2..))
            .map(|p| format!("{p}\0"))
            .collect();
        self.synced(&["update-index", "-z", "--add", "--remove", "--stdin"], &paths)?;
        let tree = self.synced(&["write-tree"], "")?;
        self.read(&["diff-tree", "-r", "-z", "--raw", &base, &tree])?;
        Ok((base, tree))
    }

    pub(crate) fn passed_attempt(mut self) -> Outcome<Duration> {
        let (base, tree) = self.work()?;
        let done = self.commit(&base, &tree, "refs/heads/main", &base)?;
        self.goals_file(&done)?;
        Ok(self.spent)
    }

    pub(crate) fn failed_attempt(mut self) -> Outcome<Duration> {
        let (base, tree) = self.work()?;
        self.commit(&base, &tree, "refs/hast/attempts/M1/1", "")?;
        self.read(&["read-tree", "-m", "-u", &tree, &base])?;
        Ok(self.spent)
    }

    /// The least: is the tree clean, add everything, write it, commit it.
    fn least_work(&mut self) -> Outcome<(String, String)> {
        let base = self.repository.git(&["rev-parse", "HEAD"], b"")?;
        self.read(LOOK)?;
        self.repository.agent_works()?;
        self.synced(&["add", "-A"], "")?;
        let tree = self.synced(&["write-tree"], "")?;
        Ok((base, tree))
    }

    pub(crate) fn least_passed(mut self) -> Outcome<Duration> {
        let (base, tree) = self.least_work()?;
        let done = self.commit(&base, &tree, "refs/heads/main", &base)?;
        self.repository.marks_done()?;
        self.synced(&["add", GOALS_FILE], "")?;
        let tree = self.synced(&["write-tree"], "")?;
        self.commit(&done, &tree, "refs/heads/main", &done)?;
        Ok(self.spent)
    }

    pub(crate) fn least_failed(mut self) -> Outcome<Duration> {
        let (base, tree) = self.least_work()?;
        self.commit(&base, &tree, "refs/hast/attempts/M1/1", "")?;
        self.read(&["read-tree", "-m", "-u", &tree, &base])?;
        Ok(self.spent)
    }

    /// goals.yaml alone: its object, a tree, a commit, the branch.
    fn goals_file(&mut self, parent: &str) -> Outcome<()> {
        self.repository.marks_done()?;
        let object = self.synced(&["hash-object", "-w", GOALS_FILE], "")?;
        let entry = format!("100644 {object}\t{GOALS_FILE}\n");
        self.synced(&["update-index", "--index-info"], &entry)?;
        let tree = self.synced(&["write-tree"], "")?;
        self.commit(parent, &tree, "refs/heads/main", parent)?;
        Ok(())
    }

    fn commit(&mut self, parent: &str, tree: &str, name: &str, from: &str) -> Outcome<String> {
        let commit = self.synced(&["commit-tree", tree, "-p", parent], "work\n")?;
        let zero = "0".repeat(parent.len());
        let from = if from.is_empty() { &zero } else { from };
        self.synced(&["update-ref", "--stdin"], &format!("update {name} {commit} {from}\n"))?;
        Ok(commit)
    }
}
