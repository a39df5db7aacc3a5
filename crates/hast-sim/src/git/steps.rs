//! The simulated checkout as a flow sees it: what hast does there, and no attempt.

use std::collections::BTreeMap;

use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::Change;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::Inspection;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, DiffLine, Head, HookVerdict, Looked, OwnRef, RolledBack, SavePlan,
    TreeFile, Uncommitted, UncommittedKind, Workspace,
};

use super::machine::{Object, is_any};
use super::port::SimWorkspace;

impl Workspace for SimWorkspace {
    fn look(&mut self, rules: &TreeRules) -> Result<Looked, GitProblem> {
        let tree = self.scan(rules)?;
        let name = self.head();
        let commit = self.resolve(&name).ok_or(GitProblem::NoFirstCommit)?;
        let differs = self.diff(&commit, &tree);
        let committed = self.machine.borrow().tree(&commit);
        let uncommitted = differs.into_keys().filter(|path| !is_any(path, &rules.leave_out));
        let named = uncommitted.map(|path| Uncommitted {
            kind: if committed.contains_key(&path) {
                UncommittedKind::Tracked
            } else {
                UncommittedKind::Untracked
            },
            path,
        });
        let uncommitted = named.collect();
        let head = Head::Branch { name, commit };
        Ok(Looked { head, uncommitted, in_progress: None, tree: Some(tree) })
    }

    fn record(&mut self, _: &str, _: &TreeRules) -> Result<Recorded, GitProblem> {
        Err(only_in_a_room("record"))
    }

    fn inspect(&mut self, _: &Base) -> Result<Inspection, GitProblem> {
        Err(only_in_a_room("inspect"))
    }

    fn save(&mut self, _: &SavePlan) -> Result<SavedWork, GitProblem> {
        Err(only_in_a_room("save"))
    }

    fn roll_back(&mut self, _: &Base, _: &Saved) -> Result<RolledBack, GitProblem> {
        Err(only_in_a_room("roll back"))
    }

    fn run_hooks(&mut self, _: &CommitPlan, _: &Base) -> Result<HookVerdict, GitProblem> {
        Err(only_in_a_room("hooks"))
    }

    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        let tree = match &plan.content {
            Content::Tree(tree) => tree.clone(),
            Content::Text { path, text } => {
                let id = self.write(Object::Blob(text.clone().into_bytes()))?;
                self.entries_on(&plan.parent, &BTreeMap::from([(path.clone(), Some(id))]))?
            }
            Content::File { path } => {
                let bytes = self.files().remove(path).unwrap_or_default();
                let id = self.write(Object::Blob(bytes))?;
                self.entries_on(&plan.parent, &BTreeMap::from([(path.clone(), Some(id))]))?
            }
        };
        let parents = vec![plan.parent.clone()];
        let (message, at) = (plan.message.clone(), plan.at.instant().as_second());
        self.write(Object::Commit { tree, parents, message, at })
    }

    fn advance(&mut self, branch: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        if self.resolve(branch).as_ref() == Some(to) {
            return Ok(());
        }
        self.move_ref(branch, Some(from), Some(to))
    }

    fn stands_on(&mut self, branch: &str) -> Result<(), GitProblem> {
        let found = self.head();
        if found == branch {
            return Ok(());
        }
        Err(GitProblem::OtherBranch { name: branch.to_owned(), found })
    }

    fn keep(&mut self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem> {
        self.keep_work(branch, commit)
    }

    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        self.diff_lines(from, to)
    }

    fn restore(
        &mut self,
        name: &str,
        since: Option<&ObjectId>,
        rules: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        self.restore_work(name, since, rules)
    }

    fn read(&mut self, tree: &ObjectId, paths: &[String]) -> Result<Vec<TreeFile>, GitProblem> {
        Ok(self.machine.borrow().files_of(tree, paths))
    }

    fn list_refs(&mut self) -> Result<Vec<OwnRef>, GitProblem> {
        Ok(self.own_refs())
    }

    fn delete_refs(&mut self, refs: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        self.delete_own(refs)
    }
}

impl SimWorkspace {
    /// A commit of a tree on top of a head, on the ref of a plan. The same tree is not saved twice.
    pub(super) fn save_tree(
        &self,
        plan: &SavePlan,
        head: &ObjectId,
        tree: ObjectId,
    ) -> Result<SavedWork, GitProblem> {
        let name = plan.name.clone();
        let before = self.resolve(&name);
        let kept = |id: &ObjectId| {
            let machine = self.machine.borrow();
            matches!(machine.get(id), Some(Object::Commit { tree: kept, .. }) if *kept == tree)
                && machine.parents(id).first() == Some(head)
        };
        let same = before.clone().filter(kept);
        let commit = match same {
            Some(commit) => commit,
            None => {
                let mut parents = vec![head.clone()];
                parents.extend(before.clone().filter(|before| before != head));
                let (message, at) = (plan.message.clone(), plan.at.instant().as_second());
                self.write(Object::Commit { tree: tree.clone(), parents, message, at })?
            }
        };
        if plan.base.as_ref().is_none_or(|base| base.commit() != head) {
            self.sync_objects()?;
        }
        self.move_ref(&name, before.as_ref(), Some(&commit))?;
        Ok(SavedWork { name, commit, tree, overflow: Vec::new() })
    }
}

fn only_in_a_room(command: &str) -> GitProblem {
    let said = "no agent works in the checkout".to_owned();
    GitProblem::Refused { command: command.to_owned(), said }
}
