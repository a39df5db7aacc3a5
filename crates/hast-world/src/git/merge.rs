//! Finished work on its way to the user's branch: a fast-forward that touches nothing of the user's. Files
//! come first, then the index, then the branch, so that a merge that is cut off is known by its branch.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::worktrees::{MergePlan, Standing, Target, Waits};

use super::checkout::Checkout;
use super::cut_off_merge::Begun;
use super::diff::Difference;
use super::in_the_way::named;
use super::index::{Entry, ScratchFile, disk};
use super::place::At;
use super::refs::HeadNow;
use super::run::{Git, Output};
use crate::files::read_bounded;

/// How long a lock of the index that is somebody else's is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a user who is in the middle of something is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// More than any name of a branch.
const LONGEST_NAME: usize = 4_096;

impl Checkout {
    /// Moves the user's branch forward; where it is checked out, their files and index with it.
    pub(super) fn fast_forward(&mut self, plan: &MergePlan) -> Result<Option<Waits>, GitProblem> {
        self.go_forward(plan).map_err(|problem| match problem {
            GitProblem::Disk { .. } => of_the_machine(problem),
            problem => problem,
        })
    }

    fn go_forward(&mut self, plan: &MergePlan) -> Result<Option<Waits>, GitProblem> {
        let MergePlan { onto, from, to, .. } = plan;
        self.wait_for_user(onto)?;
        self.end_cut_off_merge()?;
        let (name, here) = match (onto, self.git.head()?) {
            (Target::Branch(name), HeadNow::Branch(head)) => (name.as_str(), head == *name),
            (Target::Branch(name), HeadNow::Detached) => (name.as_str(), false),
            (Target::Detached, HeadNow::Detached) => ("HEAD", true),
            (Target::Detached, HeadNow::Branch(_)) => return Err(moved("HEAD", from, None)),
        };
        let found = self.git.resolve(name)?;
        // It was done before, and somebody has gone on from there.
        if let Some(found) = found.as_ref().filter(|found| *found != from && *found != to)
            && self.git.is_ancestor(to, found)?
        {
            return Ok(None);
        }
        if found.as_ref() != Some(from) && found.as_ref() != Some(to) {
            return Err(moved(name, from, found));
        }
        if !self.git.is_ancestor(from, to)? {
            return Err(moved(name, from, found));
        }
        if self.rebased().as_deref() == Some(name) {
            return Ok(Some(Waits::InProgress { what: "rebase".to_owned() }));
        }
        if !here && let Some(at) = self.checked_out(name)? {
            return Ok(Some(Waits::CheckedOut { at }));
        }
        let merges = from != to && found.as_ref() == Some(from);
        if here && merges {
            if let Some(what) = self.git.place.in_progress() {
                return Ok(Some(Waits::InProgress { what: what.to_owned() }));
            }
            self.wait_for_lock()?;
            if let Some(paths) = self.take_over(name, from, to)? {
                return Ok(Some(Waits::UsersFiles { paths }));
            }
        }
        if merges {
            self.move_or_take_back(name, from, to)?;
        }
        if here {
            self.forget_begun();
        }
        Ok(None)
    }

    /// Moves the branch that the files are ahead of. A git that gave no answer may have done it: where the
    /// branch is decides.
    fn move_or_take_back(
        &mut self,
        name: &str,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<(), GitProblem> {
        let Err(problem) = self.git.advance(name, from, to) else { return Ok(()) };
        match self.git.resolve(name) {
            Ok(found) if found.as_ref() == Some(to) => return Ok(()),
            // What cannot be taken back now is when the next merge begins.
            Ok(_) => drop(self.end_cut_off_merge()),
            Err(_) => {}
        }
        Err(problem)
    }

    /// How this checkout stands to a branch.
    pub(super) fn standing(&mut self, onto: &Target) -> Result<Standing, GitProblem> {
        if self.works_on(onto)? {
            let busy = self.under_way().or_else(|| self.locked());
            return Ok(busy.map_or(Standing::On, Standing::Busy));
        }
        let elsewhere = match onto {
            Target::Branch(name) => self.checked_out(name)?,
            Target::Detached => None,
        };
        Ok(elsewhere.map_or(Standing::Off, |at| Standing::CheckedOut { at }))
    }

    /// Whether this checkout is on a branch, or rebases it.
    fn works_on(&self, onto: &Target) -> Result<bool, GitProblem> {
        Ok(match (onto, self.git.head()?) {
            (Target::Branch(name), HeadNow::Branch(head)) => head == *name,
            (Target::Branch(name), HeadNow::Detached) => self.rebased().as_ref() == Some(name),
            (Target::Detached, HeadNow::Branch(_)) => false,
            (Target::Detached, HeadNow::Detached) => true,
        })
    }

    /// Refuses while the user is in the middle of something: a commit of ours would be taken for a part
    /// of it, or come between.
    pub(super) fn nothing_under_way(&self) -> Result<(), GitProblem> {
        match self.under_way() {
            Some(problem) => Err(problem),
            None => self.wait_for_lock(),
        }
    }

    fn under_way(&self) -> Option<GitProblem> {
        let what = self.git.place.in_progress()?;
        Some(GitProblem::InProgress { what: what.to_owned() })
    }

    fn locked(&self) -> Option<GitProblem> {
        let lock = self.git.place.git_dir.join("index.lock");
        lock.exists().then(|| GitProblem::Locked { path: lock.display().to_string() })
    }

    /// The branch that a rebase of the user's is going to move.
    fn rebased(&self) -> Option<String> {
        let names = ["rebase-merge/head-name", "rebase-apply/head-name"];
        names.iter().find_map(|name| {
            let text = read_bounded(&self.git.place.git_dir.join(name), LONGEST_NAME).ok()?;
            Some(String::from_utf8_lossy(&text).trim().to_owned())
        })
    }

    /// A merge, a rebase or a command of the user's may end before the merge gives up, where it is about the
    /// branch that is merged into.
    fn wait_for_user(&self, onto: &Target) -> Result<(), GitProblem> {
        let here = self.works_on(onto)?;
        let end = Instant::now() + self.patience;
        while here && (self.under_way().is_some() || self.locked().is_some()) {
            if Instant::now() >= end {
                break;
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// A command of the user's has a moment to end.
    fn wait_for_lock(&self) -> Result<(), GitProblem> {
        let end = Instant::now() + PATIENCE;
        while let Some(locked) = self.locked() {
            if Instant::now() > end {
                return Err(locked);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Where else a branch is checked out.
    fn checked_out(&self, name: &str) -> Result<Option<String>, GitProblem> {
        let call = self.git.call(["for-each-ref", "--format=%(worktreepath)", name]);
        Ok(Some(call.line()?).filter(|path| !path.is_empty()))
    }

    /// Files from one commit to the next. Names what the user has at those paths instead; then
    /// nothing was touched.
    fn take_over(
        &mut self,
        name: &str,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Option<Vec<String>>, GitProblem> {
        let differences = self.git.diff(from, to)?;
        let staged = self.staged(&differences)?;
        let mut ready = self.compare_with_files(&differences, from)?;
        ready.users_own.extend(staged);
        if !ready.users_own.is_empty() {
            return Ok(Some(named(ready.users_own)));
        }
        let (index, already) = (ready.index, ready.already);
        let begun = Begun::now(&self.git.place, (name, from, to), &differences, already);
        self.note_begun(&begun)?;
        let call = self.git.call(["read-tree", "-m", "-u", from.as_str(), to.as_str()]).fetching();
        let written = match call.index(&index.path).output() {
            Ok(output) if output.code == Some(0) => self
                .sync_files()
                .and_then(|()| self.index_follows(&differences, to).map_err(of_the_machine)),
            Ok(output) => {
                let paths = users_files(&output);
                if !paths.is_empty() {
                    self.forget_begun();
                    return Ok(Some(paths));
                }
                Err(GitProblem::NotWritten { said: output.said() })
            }
            Err(problem) => Err(of_the_machine(problem)),
        };
        if written.is_err() {
            // What cannot be taken back now is when the next merge begins.
            let _ = self.end_cut_off_merge();
        }
        written.map(|()| None)
    }

    /// Compares what differs between two commits with the user's files. `commit` stands for the user's index
    /// where there is none.
    pub(super) fn compare_with_files(
        &self,
        differences: &[Difference],
        commit: &ObjectId,
    ) -> Result<Ready, GitProblem> {
        let index = self.copied_index(commit)?;
        // Where a sparse checkout has no file there is nothing to compare, and git writes none.
        let left_out = self.left_out_of_sparse(differences)?;
        let differences: Vec<Difference> =
            differences.iter().filter(|one| !left_out.contains(&one.path)).cloned().collect();
        let differences = &differences[..];
        let old: Vec<Entry> = differences.iter().map(Difference::old_entry).collect();
        self.git.set_entries(&index, &old)?;
        let way = self.git.place.way_for(differences);
        let existing = paths(differences, |found| found.old.is_some());
        let changed = self.git.unlike(&index.path, &existing)?;
        let is_done = |found: &&Difference| {
            changed.contains(&found.path) || way.there.contains(&found.path[..])
        };
        let done: Vec<Difference> = differences.iter().filter(is_done).cloned().collect();
        let new: Vec<Entry> = done.iter().map(Difference::new_entry).collect();
        self.git.set_entries(&index, &new)?;
        let coming = paths(&done, |found| found.new.is_some());
        let unlike = self.git.unlike(&index.path, &coming)?;
        let mut users_own: Vec<Vec<u8>> = unlike.into_iter().chain(way.blocked).collect();
        // A file that is to go and is something else is not one that went.
        let stayed = done.iter().filter(|found| self.stayed(found));
        users_own.extend(stayed.map(|found| found.path.clone()));
        let already = done.into_iter().map(|found| found.path).collect();
        Ok(Ready { index, already, users_own })
    }

    /// Files of a merge survive a power cut before its branch moves: git syncs none that it checks out.
    fn sync_files(&self) -> Result<(), GitProblem> {
        let top = &self.git.place.top;
        let directory = std::fs::File::open(top).map_err(|error| disk(top, error))?;
        crate::disk::sync_file_system(directory).map_err(|error| disk(top, error))
    }

    /// Whether something is where nothing is to be.
    fn stayed(&self, found: &Difference) -> bool {
        found.new.is_none() && self.git.place.look_at(&found.path) != At::Nothing
    }

    /// Paths for which the user has put something else into their index.
    fn staged(&self, differences: &[Difference]) -> Result<Vec<Vec<u8>>, GitProblem> {
        let listed = self.git.staged_entries()?;
        let other = differences
            .iter()
            .filter(|found| !listed.has(&found.old_entry()) && !listed.has(&found.new_entry()));
        Ok(other.map(|found| found.path.clone()).collect())
    }
}

/// The user's files compared with both sides of a merge.
pub(super) struct Ready {
    /// A copy of the user's index with the old side; where the files have the new one already, with that.
    pub(super) index: ScratchFile,
    already: BTreeSet<Vec<u8>>,
    /// Paths that are like neither side.
    pub(super) users_own: Vec<Vec<u8>>,
}

impl Git {
    /// Of these paths, all of which an index has, those whose files are something else.
    pub(super) fn unlike(
        &self,
        index: &Path,
        paths: &[&[u8]],
    ) -> Result<BTreeSet<Vec<u8>>, GitProblem> {
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        self.refresh(index, paths)?;
        let call = self.call(["diff-files", "-z", "--name-only", "--ignore-submodules=none"]);
        let changed = call.index(index).run()?;
        let changed = changed.split(|byte| *byte == 0).filter(|path| paths.contains(path));
        Ok(changed.map(<[u8]>::to_vec).collect())
    }
}

/// What read-tree names as the user's. It looks at all of it before it touches anything.
fn users_files(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    let named =
        ["would be overwritten", "not uptodate", "would lose untracked", "would be removed"];
    let lines = text.lines().filter(|line| named.iter().any(|words| line.contains(words)));
    lines.filter_map(|line| line.split('\'').nth(1)).map(str::to_owned).collect()
}

/// In the middle of a merge nothing is wrong with the work.
fn of_the_machine(problem: GitProblem) -> GitProblem {
    match problem {
        problem if problem.is_everybodys() => problem,
        problem => GitProblem::NotWritten { said: problem.to_string() },
    }
}

fn paths(all: &[Difference], wanted: impl Fn(&Difference) -> bool) -> Vec<&[u8]> {
    all.iter().filter(|found| wanted(found)).map(|found| found.path.as_slice()).collect()
}

fn moved(name: &str, expected: &ObjectId, found: Option<ObjectId>) -> GitProblem {
    GitProblem::Moved { name: name.to_owned(), expected: Some(expected.clone()), found }
}
