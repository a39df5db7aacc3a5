//! The simulated work tree as a flow sees it.

use std::collections::BTreeMap;

use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::{Change, ChangeKind, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::given_back::{GivenBack, IgnoredBack};
use hast_flow::attempt::inspection::{HandoffFile, Inspection};
use hast_flow::attempt::workspace::{
    CommitPlan, Content, DiffLine, Guarded, Head, HookVerdict, LeftWork, Looked, OwnRef, Reach,
    RolledBack, SavePlan, TreeFile, Uncommitted, UncommittedKind, Workspace,
};
use hast_flow::time::UtcTime;

use super::guard::Snapshot;
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

    fn record(&mut self, key: &str, rules: &TreeRules) -> Result<Recorded, GitProblem> {
        let tree = self.scan(rules)?;
        let name = format!("refs/hast/bases/{key}");
        let (branch, snapshot) = {
            let files = self.files();
            let kept = |path: &String| Some((path.clone(), files.get(path)?.clone()));
            let protected = rules.protected.iter().filter_map(kept).collect();
            let machine = self.machine.borrow();
            let (refs, config) = (machine.refs_but(&name), machine.config.clone());
            (self.head(), Snapshot { refs, config, protected })
        };
        let commit = self.resolve(&branch).ok_or(GitProblem::NoFirstCommit)?;
        let bytes = serde_json::to_vec(&snapshot)
            .map_err(|error| GitProblem::Lost { what: error.to_string() })?;
        let snapshot = self.write(Object::Blob(bytes))?;
        self.move_ref(&name, self.resolve(&name).as_ref(), Some(&snapshot))?;
        Ok(Recorded { branch, commit, tree, snapshot })
    }

    fn inspect(&mut self, base: &Base) -> Result<Inspection, GitProblem> {
        let mut protected = self.give_back(base)?;
        let found = self.machine.borrow().refs.clone();
        let (head, breaches) = self.inspect_branch(base)?;
        let refs = self.displaced(base, &breaches, &found)?;
        let rules = base.rules();
        let tree = self.scan(rules)?;
        let committed = self.committed_since(base, &head)?;
        let tree = self.put_left_back(base, &committed, tree)?;
        let now = self.diff(base.tree(), &tree);
        let touched = committed
            .keys()
            .filter(|path| is_any(path, &rules.protected) || is_any(path, &rules.leave_out));
        protected.extend(touched.map(|path| RepoPath(path.as_str().into())));
        let handoffs = rules.handoffs.as_deref().unwrap_or("\0");
        let earlier = self.machine.borrow().tree(base.commit());
        let rewritten = committed
            .keys()
            .chain(now.keys())
            .filter(|path| path.starts_with(handoffs) && earlier.contains_key(*path));
        protected.extend(rewritten.map(|path| RepoPath(path.as_str().into())));
        protected.sort();
        protected.dedup();
        let changes = self.changes_since(base, &head, (&now, &committed));
        let files = self.files();
        let new = now.keys().filter(|path| path.starts_with(handoffs));
        let handoffs = new
            .filter(|path| self.kind(base.tree(), path, None) == ChangeKind::Added)
            .filter_map(|path| {
                let name = path.strip_prefix(handoffs)?.to_owned();
                Some(HandoffFile { name, bytes: Ok(files.get(path)?.clone()) })
            });
        let handoffs = handoffs.collect();
        let mut entries = now.clone();
        let start = self.machine.borrow().tree(base.tree());
        for path in committed.keys().filter(|path| !now.contains_key(*path)) {
            entries.insert(path.clone(), start.get(path).cloned());
        }
        let commit_tree = self.entries_on(&head, &entries)?;
        let head_tree = self.machine.borrow().tree(&head);
        let uncommitted = self.machine.borrow().tree(&commit_tree) != head_tree;
        Ok(Inspection {
            breaches,
            others: Vec::new(),
            not_committed: Vec::new(),
            protected,
            // What stood in the place of a simulated file is not kept.
            given_back: GivenBack { refs, ..GivenBack::default() },
            changes,
            // The simulated tree has files only.
            links: Vec::new(),
            handoffs,
            head,
            tree,
            commit_tree,
            uncommitted,
        })
    }

    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        let branch = self.head();
        let mut head = self.resolve(&branch).ok_or(GitProblem::NoFirstCommit)?;
        // A power cut may have taken the commit and left the ref.
        if let Some(base) =
            plan.base.as_ref().filter(|_| self.machine.borrow().get(&head).is_none())
        {
            head = base.commit().clone();
        }
        let tree = self.scan(&plan.rules)?;
        self.save_tree(plan, &head, tree)
    }

    fn roll_back(&mut self, base: &Base, saved: &Saved) -> Result<RolledBack, GitProblem> {
        self.give_back(base)?;
        let now = self.scan(base.rules())?;
        let edited = self.diff(&saved.work().tree, &now);
        let edited: Vec<String> =
            edited.into_keys().filter(|path| !is_any(path, &base.rules().protected)).collect();
        if !edited.is_empty() {
            return Err(GitProblem::EditedSince { paths: edited });
        }
        // Before anything is moved: a branch that somebody else took away is not made up for.
        let at = self.resolve(base.branch());
        let saved_on = self.machine.borrow().parents(&saved.work().commit).first().cloned();
        let lost = at.as_ref().is_some_and(|at| self.machine.borrow().get(at).is_none());
        if !lost && at != saved_on && at.as_ref() != Some(base.commit()) {
            let (name, expected) = (base.branch().to_owned(), saved_on);
            return Err(GitProblem::Moved { name, expected, found: at });
        }
        self.check_out(&now, base.tree())?;
        self.restore_refs(base)?;
        self.move_ref(base.branch(), at.as_ref(), Some(base.commit()))?;
        self.switch_to(base.branch())?;
        let handoffs = self.lost_handoffs(&now, base.tree(), base.rules());
        Ok(RolledBack { handoffs, ..RolledBack::default() })
    }

    fn guard(&mut self, base: &Base, reach: Reach) -> Result<Guarded, GitProblem> {
        self.guard_since(base, reach)
    }

    fn run_hooks(&mut self, plan: &CommitPlan, base: &Base) -> Result<HookVerdict, GitProblem> {
        self.give_back(base)?;
        // The simulated tree has no ignored files.
        let ignored = IgnoredBack::default();
        Ok(HookVerdict::Passed { message: plan.message.clone(), ignored })
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

    fn discard(
        &mut self,
        left: &LeftWork,
        saved: &Saved,
        rules: &TreeRules,
    ) -> Result<RolledBack, GitProblem> {
        self.take_out(left, saved, rules)
    }

    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        self.diff_lines(from, to)
    }

    /// Its locks are gone with whoever held them.
    fn unlock(&mut self, _: UtcTime) -> Result<Vec<String>, GitProblem> {
        Ok(Vec::new())
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
