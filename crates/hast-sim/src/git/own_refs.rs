//! The refs that hast made in a simulated repository: kept work, and what can be cleared away.

use hast_flow::attempt::base::{MOST_KEPT, ObjectId, another_branch};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::OwnRef;
use hast_flow::time::UtcTime;

use super::machine::{Machine, Object};
use super::port::SimWorkspace;

fn is_ours(name: &str) -> bool {
    name.starts_with("refs/hast/") || name.starts_with("refs/heads/hast/kept/")
}

fn is_users(name: &str) -> bool {
    name.starts_with("refs/heads/") && !name.starts_with("refs/heads/hast/")
}

/// Where somebody stands on a branch.
fn checked_out(machine: &Machine, name: &str) -> Option<String> {
    if machine.head == name {
        return Some("work".to_owned());
    }
    None
}

impl SimWorkspace {
    pub(super) fn keep_work(&self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem> {
        for number in 1..=MOST_KEPT {
            let name = another_branch(branch, number);
            let before = self.resolve(&name);
            match &before {
                Some(before) if before == commit => return Ok(name),
                Some(before) if !self.may_move(&name, before) => continue,
                Some(_) | None => {}
            }
            self.move_ref(&name, before.as_ref(), Some(commit))?;
            return Ok(name);
        }
        Err(GitProblem::TooMuch { what: branch.to_owned() })
    }

    fn may_move(&self, name: &str, before: &ObjectId) -> bool {
        let machine = self.machine.borrow();
        let mut ours = machine.refs.iter().filter(|(name, _)| name.starts_with("refs/hast/"));
        ours.any(|(_, id)| machine.ancestry(id).contains(before))
            && checked_out(&machine, name).is_none()
    }

    pub(super) fn own_refs(&self) -> Vec<OwnRef> {
        let machine = self.machine.borrow();
        let listed = machine.refs.iter().filter(|(name, _)| is_ours(name)).map(|(name, id)| {
            let at = match machine.get(id) {
                Some(Object::Commit { at, .. }) => {
                    jiff::Timestamp::from_second(*at).ok().map(UtcTime::new)
                }
                _ => None,
            };
            let mut users = machine.refs.iter().filter(|(name, _)| is_users(name));
            let merged = users.any(|(_, tip)| machine.ancestry(tip).contains(id));
            let checked_out = checked_out(&machine, name);
            OwnRef { name: name.clone(), target: id.clone(), at, merged, checked_out }
        });
        listed.collect()
    }

    pub(super) fn delete_own(&self, refs: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        for (name, target) in refs {
            let found = self.resolve(name);
            if !is_ours(name) || found.as_ref().is_some_and(|found| found != target) {
                let (name, expected) = (name.clone(), Some(target.clone()));
                return Err(GitProblem::Moved { name, expected, found });
            }
            if let Some(at) = checked_out(&self.machine.borrow(), name) {
                return Err(GitProblem::CheckedOut { name: name.clone(), at });
            }
        }
        for (name, target) in refs {
            if self.resolve(name).is_some() {
                self.move_ref(name, Some(target), None)?;
            }
        }
        Ok(())
    }
}
