//! Comparing trees, and bringing saved work back, in the simulated checkout or a room.

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::evidence::{Change, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::DiffLine;

use super::machine::{Object, is_any};
use super::port::SimWorkspace;

impl SimWorkspace {
    /// Lines are counted as if every changed file had been written anew.
    pub(super) fn diff_lines(
        &self,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Vec<DiffLine>, GitProblem> {
        for id in [from, to] {
            if self.machine.borrow().get(id).is_none() {
                return Err(GitProblem::Lost { what: id.to_string() });
            }
        }
        let before = self.machine.borrow().tree(from);
        let lines = |id: Option<&ObjectId>| match id
            .and_then(|id| self.machine.borrow().get(id).cloned())
        {
            Some(Object::Blob(bytes)) => {
                bytes.split_inclusive(|byte| *byte == b'\n').count() as u64
            }
            _ => 0,
        };
        let line = |(path, id): (String, Option<ObjectId>)| DiffLine {
            lines: Some((lines(id.as_ref()), lines(before.get(&path)))),
            change: Change {
                kind: self.kind(from, &path, id.as_ref()),
                path: RepoPath(path.into()),
            },
        };
        Ok(self.diff(from, to).into_iter().map(line).collect())
    }

    pub(super) fn restore_work(
        &self,
        name: &str,
        since: Option<&ObjectId>,
        rules: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        let lost = || GitProblem::Lost { what: name.to_owned() };
        let known = |id: &ObjectId| self.machine.borrow().get(id).is_some();
        let commit = self.resolve(name).or_else(|| name.parse().ok().filter(known));
        let commit = commit.ok_or_else(lost)?;
        let parent = || self.machine.borrow().parents(&commit).first().cloned();
        let before = since.cloned().or_else(parent).ok_or_else(lost)?;
        let mut work = self.diff(&before, &commit);
        work.retain(|path, _| !is_any(path, &rules.leave_out) && !is_any(path, &rules.protected));
        let now = self.scan(rules)?;
        let (here, was) = (self.machine.borrow().tree(&now), self.machine.borrow().tree(&before));
        let edited: Vec<String> = work
            .iter()
            .filter(|(path, id)| {
                here.get(*path) != id.as_ref() && here.get(*path) != was.get(*path)
            })
            .map(|(path, _)| path.clone())
            .collect();
        if !edited.is_empty() {
            return Err(GitProblem::InTheWay { paths: edited });
        }
        let wanted = self.entries_on(&now, &work)?;
        self.check_out(&now, &wanted)?;
        let change = |(path, id): (String, Option<ObjectId>)| Change {
            kind: self.kind(&before, &path, id.as_ref()),
            path: RepoPath(path.into()),
        };
        Ok(work.into_iter().map(change).collect())
    }
}
