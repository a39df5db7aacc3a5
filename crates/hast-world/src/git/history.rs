//! What the commits of an attempt changed on the way: a later one that takes it back leaves it in the history
//! of the branch.

use std::collections::BTreeSet;

use hast_flow::attempt::base::{Base, ObjectId};
use hast_flow::attempt::evidence::{Breach, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;

use super::RealWorkspace;
use super::run::Git;
use super::scan::{Difference, parse_raw};

/// Longer lines of commits are git's to follow.
const LONGEST: usize = 1_000;

impl RealWorkspace {
    /// Paths that some commit since the base changed, and that are as they were both where the branch is and in
    /// the work tree.
    pub(super) fn taken_back(
        &self,
        base: &Base,
        head: &ObjectId,
        (now, committed): (&[Difference], &[Difference]),
        breaches: &[Breach],
    ) -> Result<BTreeSet<Vec<u8>>, GitProblem> {
        // A history that is not the base's is nothing to walk.
        if head == base.commit() || breaches.contains(&Breach::HistoryRewritten) {
            return Ok(BTreeSet::new());
        }
        let steps = self.git.steps_between(base.commit(), head)?;
        if steps.len() < 2 {
            return Ok(BTreeSet::new());
        }
        let known: BTreeSet<&[u8]> =
            now.iter().chain(committed).map(|found| found.path.as_slice()).collect();
        // Committed as it was and taken out again, what was uncommitted before is nobody's change.
        let before = self.git.diff(base.commit(), base.tree())?;
        let was_there = |found: &Difference| {
            before.iter().any(|known| known == found || *known == found.reversed())
        };
        let changed = self.git.changed_by(&steps)?;
        let new = changed
            .into_iter()
            .filter(|found| !known.contains(found.path.as_slice()) && !was_there(found));
        Ok(new.map(|found| found.path).collect())
    }

    /// A commit can be made of names that git then refuses to have in an index: nothing can be committed on
    /// top of it.
    pub(super) fn refused_commit(
        &self,
        head: &ObjectId,
        problem: GitProblem,
        breaches: &mut Vec<Breach>,
    ) -> Result<ObjectId, GitProblem> {
        match &problem {
            GitProblem::Refused { said, .. } if said.contains("invalid path") => {
                let path = said.split('\'').nth(1).unwrap_or(said);
                breaches.push(Breach::NotStorable { path: RepoPath(path.into()) });
                self.git.tree_of(head)
            }
            _ => Err(problem),
        }
    }
}

/// A commit, and the one that it is compared with.
type Step = (ObjectId, Option<ObjectId>);

impl Git {
    /// The commits after a base, each with its first parent.
    fn steps_between(&self, base: &ObjectId, head: &ObjectId) -> Result<Vec<Step>, GitProblem> {
        if let Some(steps) = self.line_between(base, head) {
            return Ok(steps);
        }
        let range = format!("{base}..{head}");
        let bytes = self.call(["rev-list", "--parents", &range]).run()?;
        let text = String::from_utf8_lossy(&bytes);
        let ids = text.lines().map(|line| line.split(' ').map(super::index::object));
        ids.map(|mut ids| {
            let commit = ids.next().unwrap_or_else(|| super::index::object(""))?;
            Ok((commit, ids.next().transpose()?))
        })
        .collect()
    }

    /// The same where it is a line of loose commits.
    fn line_between(&self, base: &ObjectId, head: &ObjectId) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let mut at = head.clone();
        while at != *base {
            let parents = self.parents_in_loose(&at)?;
            let [parent] = &parents[..] else { return None };
            steps.push((at, Some(parent.clone())));
            at = parent.clone();
            if steps.len() > LONGEST {
                return None;
            }
        }
        Some(steps)
    }

    fn changed_by(&self, steps: &[Step]) -> Result<Vec<Difference>, GitProblem> {
        let line = |(commit, parent): &Step| match parent {
            Some(parent) => format!("{commit} {parent}\n"),
            None => format!("{commit}\n"),
        };
        let input: String = steps.iter().map(line).collect();
        let call =
            self.call(["diff-tree", "--stdin", "--root", "--no-commit-id", "-r", "-z", "--raw"]);
        let call = call.args(["--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv"]);
        let call = call.args(["--ignore-submodules=none"]);
        parse_raw(&call.input(input.into_bytes()).run()?)
    }
}
