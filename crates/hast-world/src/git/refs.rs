//! Refs of the user's repository: where they are, and several moves at once, all or none.

use std::collections::BTreeMap;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::Head;

use super::index::object;
use super::run::{Git, problem};

/// HEAD is on a branch, or on none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HeadNow {
    Branch(String),
    Detached,
}

/// One move of a ref; no object means that it is not there.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub(super) name: String,
    pub(super) from: Option<ObjectId>,
    pub(super) to: Option<ObjectId>,
}

impl Git {
    /// All refs, by name.
    pub(super) fn refs(&self) -> Result<BTreeMap<String, ObjectId>, GitProblem> {
        let bytes = self.call(["for-each-ref", "--format=%(objectname) %(refname)"]).run()?;
        let text = String::from_utf8_lossy(&bytes);
        let line = |line: &str| {
            let (id, name) = line.split_once(' ')?;
            Some((name.to_owned(), id.parse().ok()?))
        };
        Ok(text.lines().filter_map(line).collect())
    }

    pub(super) fn head(&self) -> Result<HeadNow, GitProblem> {
        let call = self.call(["symbolic-ref", "-q", "--no-recurse", "HEAD"]);
        let (shown, output) = (call.shown(), call.output()?);
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match output.code {
            Some(0) => Ok(HeadNow::Branch(text)),
            Some(1) => Ok(HeadNow::Detached),
            _ => {
                let file = self.place.git_dir.join("HEAD");
                let said = format!("{}: {}", file.display(), output.said());
                Err(GitProblem::Refused { command: shown, said })
            }
        }
    }

    /// The branch of HEAD, which has no commit. A ref that git cannot read has none either: git's words
    /// about it are the problem.
    pub(super) fn unborn(&self, name: String) -> Result<Head, GitProblem> {
        let call = self.call(["for-each-ref", &name]);
        let (command, output) = (call.shown(), call.output()?);
        if output.code == Some(0) && output.stderr.is_empty() {
            return Ok(Head::Unborn { name });
        }
        Err(problem(command, &output))
    }

    /// The object that a name stands for; none if it stands for nothing.
    pub(super) fn resolve(&self, name: &str) -> Result<Option<ObjectId>, GitProblem> {
        let call = self.call(["rev-parse", "-q", "--verify", "--end-of-options", name]);
        let output = call.output()?;
        if output.code != Some(0) {
            return Ok(None);
        }
        object(String::from_utf8_lossy(&output.stdout).trim()).map(Some)
    }

    pub(super) fn tree_of(&self, commit: &ObjectId) -> Result<ObjectId, GitProblem> {
        let found = self.resolve(&format!("{commit}^{{tree}}"))?;
        found.ok_or_else(|| GitProblem::Lost { what: commit.to_string() })
    }

    pub(super) fn is_ancestor(&self, old: &ObjectId, new: &ObjectId) -> Result<bool, GitProblem> {
        let call = self.call(["merge-base", "--is-ancestor", old.as_str(), new.as_str()]);
        Ok(call.output()?.code == Some(0))
    }

    /// Whether a commit is really there: after a power cut a ref may point at one that is not.
    pub(super) fn has_commit(&self, id: &ObjectId) -> Result<bool, GitProblem> {
        let call = self.call(["cat-file", "-e", &format!("{id}^{{tree}}")]);
        Ok(call.output()?.code == Some(0))
    }

    /// Several moves, all or none, each from where the ref is expected to be.
    pub(super) fn move_refs(&self, moves: &[Move]) -> Result<(), GitProblem> {
        let mut input = String::from("start\n");
        for step in moves {
            let name = &step.name;
            // The name may follow another one; the ref itself is meant.
            let line = match (&step.from, &step.to) {
                (None, None) => continue,
                (None, Some(to)) => format!("create {name} {to}\n"),
                (Some(from), Some(to)) => format!("update {name} {to} {from}\n"),
                (Some(from), None) => format!("delete {name} {from}\n"),
            };
            input.push_str("option no-deref\n");
            input.push_str(&line);
        }
        input.push_str("commit\n");
        let call = self.call(["update-ref", "-m", "hast", "--stdin"]).synced();
        let moved = call.input(input.into_bytes()).run().map(|_| ());
        match moved {
            Err(GitProblem::Refused { command, said }) => {
                let way = || moves.iter().find_map(|step| self.in_the_way(&step.name));
                let found = self.who_moved(moves)?.or_else(way);
                Err(found.unwrap_or(GitProblem::Refused { command, said }))
            }
            Err(killed @ GitProblem::Killed { .. }) => {
                let lock = |step: &Move| self.place.common_dir.join(format!("{}.lock", step.name));
                self.place.remove_unheld(moves.iter().map(lock).collect());
                Err(killed)
            }
            other => other,
        }
    }

    /// Moves a ref, unless that was done before.
    pub(super) fn advance(
        &self,
        name: &str,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<(), GitProblem> {
        let (name, from, to) = (name.to_owned(), Some(from.clone()), Some(to.clone()));
        match self.move_refs(&[Move { name, from, to: to.clone() }]) {
            Err(GitProblem::Moved { found, .. }) if found == to => Ok(()),
            other => other,
        }
    }

    /// A branch whose name is the beginning of another one's, so that git cannot have both.
    fn in_the_way(&self, name: &str) -> Option<GitProblem> {
        let short = name.strip_prefix("refs/heads/")?;
        let mut above = short.match_indices('/').map(|(at, _)| &short[..at]);
        let is_there =
            |above: &&str| matches!(self.resolve(&format!("refs/heads/{above}")), Ok(Some(_)));
        above.find(is_there).map(|above| GitProblem::BranchInTheWay { name: above.to_owned() })
    }

    /// The first ref that is not where it was expected.
    fn who_moved(&self, moves: &[Move]) -> Result<Option<GitProblem>, GitProblem> {
        for step in moves {
            let found = self.resolve(&step.name)?;
            if found != step.from {
                let (name, expected) = (step.name.clone(), step.from.clone());
                return Ok(Some(GitProblem::Moved { name, expected, found }));
            }
        }
        Ok(None)
    }
}
