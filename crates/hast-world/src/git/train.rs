//! Finished work on its way to the user's branch: replayed onto where that is now, brought into its
//! own tree for another test, and taken over by a fast-forward that touches nothing of the user's.

use std::time::{Duration, Instant};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::worktrees::{MergePlan, Replay, Standing, Target, Waits};

use super::RealWorkspace;
use super::half_merge::Begun;
use super::index::{Entry, IndexImage, ScratchFile, object};
use super::paths::shown;
use super::refs::{HeadNow, Move};
use super::run::{Git, Output};
use super::scan::{At, Difference};
use super::way::{NAMED, named};
use crate::files::read_bounded;

/// How long somebody else's lock of the index is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// More than any name of a branch.
const LONGEST_NAME: usize = 4_096;

impl Git {
    /// The commits since `base` on top of `onto`, one by one; where there are merges among them, all
    /// of them as one.
    pub(super) fn replay(
        &self,
        base: &ObjectId,
        head: &ObjectId,
        onto: &ObjectId,
    ) -> Result<Replay, GitProblem> {
        if base == onto {
            return Ok(Replay::Done { commit: head.clone(), tree: self.tree_of(head)? });
        }
        let range = format!("{base}..{head}");
        let call = self.call(["rev-list", "--reverse", "--topo-order", "--parents"]);
        let lines = call.args([range.as_str()]).run()?;
        let text = String::from_utf8_lossy(&lines);
        let mut steps: Vec<(ObjectId, ObjectId)> = Vec::new();
        let mut linear = true;
        for line in text.lines() {
            let ids: Vec<&str> = line.split(' ').collect();
            match ids[..] {
                [commit, parent] => steps.push((object(parent)?, object(commit)?)),
                _ => linear = false,
            }
        }
        if !linear {
            steps = vec![(base.clone(), head.clone())];
        }
        let mut tip = onto.clone();
        let mut tree = self.tree_of(onto)?;
        for (parent, commit) in &steps {
            match self.merged_tree(parent, &tip, commit)? {
                Err(paths) => return Ok(Replay::Conflict { paths }),
                // The same change is there already.
                Ok(merged) if merged == tree => {}
                Ok(merged) => {
                    tip = self.commit_like(commit, &merged, &tip)?;
                    tree = merged;
                }
            }
        }
        Ok(Replay::Done { commit: tip, tree })
    }

    /// The tree of a three-way merge, or the paths that conflict.
    fn merged_tree(
        &self,
        base: &ObjectId,
        ours: &ObjectId,
        theirs: &ObjectId,
    ) -> Result<Result<ObjectId, Vec<String>>, GitProblem> {
        let call = self.call(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"]);
        let base = format!("--merge-base={base}");
        let call = call.args([base.as_str(), ours.as_str(), theirs.as_str()]).synced();
        let output = call.output()?;
        let mut parts = output.stdout.split(|byte| *byte == 0);
        let tree = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        match output.code {
            Some(0) => object(&tree).map(Ok),
            Some(1) => {
                let named = parts.filter(|path| !path.is_empty()).map(shown);
                Ok(Err(named.take(NAMED).collect()))
            }
            _ => {
                let (command, said) = ("merge-tree".to_owned(), output.said());
                Err(GitProblem::Refused { command, said })
            }
        }
    }

    /// A commit with the author, the dates and the words of another one; its signature would not fit
    /// any more, and where the user signs it gets theirs. The same each time.
    fn commit_like(
        &self,
        commit: &ObjectId,
        tree: &ObjectId,
        parent: &ObjectId,
    ) -> Result<ObjectId, GitProblem> {
        let bytes = self.call(["cat-file", "commit", commit.as_str()]).run()?;
        let raw = rewritten(&bytes, tree, parent);
        if let Some(signing) = &self.overrides.signing {
            return self.sign(signing, &raw);
        }
        let call = self.call(["hash-object", "-t", "commit", "-w", "--stdin", "--no-filters"]);
        object(&call.synced().input(raw).line()?)
    }
}

/// The bytes of a commit with another tree and parent, and without signatures.
fn rewritten(commit: &[u8], tree: &ObjectId, parent: &ObjectId) -> Vec<u8> {
    let mut out = format!("tree {tree}\nparent {parent}\n").into_bytes();
    let end = commit.windows(2).position(|two| two == b"\n\n").unwrap_or(commit.len());
    let mut dropping = false;
    for line in commit[..end].split(|byte| *byte == b'\n') {
        // A header that goes on has a space in front.
        if !line.starts_with(b" ") {
            let word = line.split(|byte| *byte == b' ').next().unwrap_or_default();
            let gone: [&[u8]; 5] = [b"tree", b"parent", b"gpgsig", b"gpgsig-sha256", b"mergetag"];
            dropping = gone.contains(&word);
        }
        if !dropping {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
    out.extend_from_slice(&commit[(end + 1).min(commit.len())..]);
    out
}

impl RealWorkspace {
    /// Moves the user's branch forward; where it is checked out, their files and index with it.
    pub(super) fn fast_forward(&mut self, plan: &MergePlan) -> Result<Option<Waits>, GitProblem> {
        let MergePlan { onto, from, to, .. } = plan;
        self.end_half_merge()?;
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
            if let Some((what, _)) = self.in_progress().first() {
                return Ok(Some(Waits::InProgress { what: (*what).to_owned() }));
            }
            self.wait_for_lock()?;
            if let Some(paths) = self.take_over(name, from, to)? {
                return Ok(Some(Waits::UsersFiles { paths }));
            }
        }
        if merges {
            let step =
                Move { name: name.to_owned(), from: Some(from.clone()), to: Some(to.clone()) };
            self.move_or_take_back(step)?;
        }
        self.scene = None;
        self.latest = None;
        if here {
            self.index_catches_up(from, to)?;
        }
        Ok(None)
    }

    /// Moves the branch that the files are ahead of. Whoever gave no answer may have done it: where the
    /// branch is decides.
    fn move_or_take_back(&mut self, step: Move) -> Result<(), GitProblem> {
        let (name, to) = (step.name.clone(), step.to.clone());
        let Err(problem) = self.git.move_refs(&[step]) else { return Ok(()) };
        match self.git.resolve(&name) {
            Ok(found) if found == to => return Ok(()),
            // What cannot be taken back now is when the next merge begins.
            Ok(_) => drop(self.end_half_merge()),
            Err(_) => {}
        }
        Err(problem)
    }

    /// The branch has it already: with the index of before, the user's next commit would take it out.
    fn index_catches_up(&mut self, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        let mut followed = self.index_follows(from, to);
        if followed.is_err() {
            followed = self.wait_for_lock().and_then(|()| self.index_follows(from, to));
        }
        followed.map_err(of_the_machine)?;
        self.forget_begun();
        Ok(())
    }

    /// How this checkout stands to a branch.
    pub(super) fn standing(&mut self, onto: &Target) -> Result<Standing, GitProblem> {
        let on = match (onto, self.git.head()?) {
            (Target::Branch(name), HeadNow::Branch(head)) => head == *name,
            (Target::Branch(name), HeadNow::Detached) => self.rebased().as_ref() == Some(name),
            (Target::Detached, HeadNow::Branch(_)) => false,
            (Target::Detached, HeadNow::Detached) => true,
        };
        if on {
            let busy = self.under_way().or_else(|| self.locked());
            return Ok(busy.map_or(Standing::On, Standing::Busy));
        }
        let elsewhere = match onto {
            Target::Branch(name) => self.checked_out(name)?,
            Target::Detached => None,
        };
        Ok(elsewhere.map_or(Standing::Off, |at| Standing::CheckedOut { at }))
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
        let first = self.in_progress().into_iter().next();
        first.map(|(what, _)| GitProblem::InProgress { what: what.to_owned() })
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
        let users = IndexImage::of_user(&self.git)?;
        let index = self.scratch.index(users.as_ref())?;
        if users.is_none() {
            self.git.read_tree(&index, from)?;
        }
        let old: Vec<Entry> = differences.iter().map(Difference::old_entry).collect();
        self.git.set_entries(&index, &old)?;
        // What an earlier try has written already is as it is going to be.
        let way = self.git.place.way_for(&differences);
        let there = |found: &&Difference| way.there.contains(&found.path[..]);
        let changed = self.git.unlike(&index, &paths(&differences, |found| found.old.is_some()))?;
        let done: Vec<Difference> = differences
            .iter()
            .filter(|found| changed.contains(&found.path) || there(found))
            .cloned()
            .collect();
        let new: Vec<Entry> = done.iter().map(Difference::new_entry).collect();
        self.git.set_entries(&index, &new)?;
        let mut users_own = self.git.unlike(&index, &paths(&done, |found| found.new.is_some()))?;
        // A file that is to go and is something else is not one that went.
        users_own.extend(done.iter().filter(|found| self.stayed(found)).map(|f| f.path.clone()));
        users_own.extend(way.blocked);
        users_own.extend(staged);
        if !users_own.is_empty() {
            return Ok(Some(named(users_own)));
        }
        self.git.vouch_for(&differences)?;
        let already = done.into_iter().map(|found| found.path).collect();
        let begun = Begun::now(&self.git.place, (name, from, to), &differences, already);
        self.note_begun(&begun)?;
        let call = self.git.call(["read-tree", "-m", "-u", from.as_str(), to.as_str()]);
        let problem = match call.index(&index.path).output() {
            Ok(output) if output.code == Some(0) => return Ok(None),
            Ok(output) => {
                let paths = users_files(&output);
                if !paths.is_empty() {
                    self.forget_begun();
                    return Ok(Some(paths));
                }
                GitProblem::NotWritten { said: output.said() }
            }
            Err(problem) => of_the_machine(problem),
        };
        // What cannot be taken back now is when the next merge begins.
        let _ = self.end_half_merge();
        Err(problem)
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

impl Git {
    /// Of these paths, all of which an index has, those whose files are something else.
    pub(super) fn unlike(
        &self,
        index: &ScratchFile,
        paths: &[&[u8]],
    ) -> Result<Vec<Vec<u8>>, GitProblem> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        self.refresh(index, paths)?;
        let call = self.call(["diff-files", "-z", "--name-only", "--ignore-submodules=none"]);
        let changed = call.index(&index.path).run()?;
        let changed: std::collections::BTreeSet<&[u8]> =
            changed.split(|byte| *byte == 0).filter(|path| !path.is_empty()).collect();
        Ok(paths.iter().filter(|path| changed.contains(*path)).map(|path| path.to_vec()).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_keeps_its_words_and_loses_its_signature() {
        let id = |digit: &str| digit.repeat(40).parse::<ObjectId>().unwrap();
        let commit = b"tree 1\nparent 2\nauthor A <a> 1 +0000\ncommitter B <b> 2 +0000\n\
                       gpgsig -----BEGIN\n more\n -----END\nencoding latin1\n\nwords\n\nmore \xe9\n";
        let expected = format!(
            "tree {}\nparent {}\nauthor A <a> 1 +0000\ncommitter B <b> 2 +0000\nencoding latin1\n\n",
            id("a"),
            id("b")
        );
        let expected = [expected.as_bytes(), b"words\n\nmore \xe9\n"].concat();
        assert_eq!(rewritten(commit, &id("a"), &id("b")), expected);
    }
}
