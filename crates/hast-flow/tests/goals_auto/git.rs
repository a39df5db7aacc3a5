//! A git in memory that remembers what it was asked.

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

use crate::scene::{Left, id};

/// A git that does nothing but remember. Trees are numbered by what was done to them.
pub(crate) struct FakeGit {
    pub(crate) did: Vec<String>,
    pub(crate) branch: String,
    pub(crate) head: ObjectId,
    pub(crate) tree: ObjectId,
    pub(crate) users: Vec<String>,
    pub(crate) left: Option<Left>,
    pub(crate) hook: Option<String>,
    pub(crate) refs: BTreeMap<String, ObjectId>,
    pub(crate) commits: BTreeMap<ObjectId, String>,
    /// Paths that differ between two objects.
    pub(crate) differences: BTreeMap<(ObjectId, ObjectId), Vec<&'static str>>,
    pub(crate) locks: Vec<String>,
}

impl FakeGit {
    fn inspection(&self) -> Inspection {
        let left = self.left.clone();
        let changes = left
            .iter()
            .flat_map(|left| left.changes.clone())
            .map(|path| Change { path: RepoPath(path.into()), kind: ChangeKind::Modified });
        let handoffs = left.iter().filter_map(|left| left.handoff.clone()).map(|text| {
            HandoffFile { name: "2026-02-09_143000.md".into(), bytes: Ok(text.into_bytes()) }
        });
        let committed = left.as_ref().is_some_and(|left| left.committed);
        Inspection {
            breaches: Vec::new(),
            others: Vec::new(),
            not_committed: Vec::new(),
            protected: Vec::new(),
            given_back: GivenBack::default(),
            changes: changes.collect(),
            links: Vec::new(),
            handoffs: handoffs.collect(),
            head: self.head.clone(),
            tree: self.tree.clone(),
            commit_tree: self.tree.clone(),
            uncommitted: left.is_some() && !committed,
        }
    }
}

impl Workspace for FakeGit {
    fn look(&mut self, _: &TreeRules) -> Result<Looked, GitProblem> {
        self.did.push("look".into());
        let dirty = self.left.iter().flat_map(|left| left.changes.clone()).map(str::to_owned);
        let file = |path| Uncommitted { path, kind: UncommittedKind::Tracked };
        Ok(Looked {
            head: Head::Branch { name: self.branch.clone(), commit: self.head.clone() },
            uncommitted: self.users.iter().cloned().chain(dirty).map(file).collect(),
            in_progress: None,
            tree: Some(self.tree.clone()),
        })
    }

    fn record(&mut self, key: &str, _: &TreeRules) -> Result<Recorded, GitProblem> {
        self.did.push(format!("record {key}"));
        Ok(Recorded {
            branch: self.branch.clone(),
            commit: self.head.clone(),
            tree: self.tree.clone(),
            snapshot: id('e'),
        })
    }

    fn inspect(&mut self, _: &Base) -> Result<Inspection, GitProblem> {
        self.did.push("inspect".into());
        Ok(self.inspection())
    }

    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        self.did.push(format!("save {}", plan.name));
        self.refs.insert(plan.name.clone(), id('5'));
        let (name, commit, tree) = (plan.name.clone(), id('5'), self.tree.clone());
        Ok(SavedWork { name, commit, tree, overflow: Vec::new() })
    }

    fn roll_back(&mut self, base: &Base, _: &Saved) -> Result<RolledBack, GitProblem> {
        self.did.push("roll back".into());
        (self.head, self.tree, self.left) = (base.commit().clone(), base.tree().clone(), None);
        Ok(RolledBack::default())
    }

    fn guard(&mut self, _: &Base, _: Reach) -> Result<Guarded, GitProblem> {
        self.did.push("guard".into());
        Ok(Guarded::default())
    }

    fn run_hooks(&mut self, plan: &CommitPlan, _: &Base) -> Result<HookVerdict, GitProblem> {
        self.did.push("hooks".into());
        Ok(match &self.hook {
            Some(said) => HookVerdict::Refused { hook: "pre-commit".into(), said: said.clone() },
            None => HookVerdict::Passed {
                message: plan.message.clone(),
                ignored: IgnoredBack::default(),
            },
        })
    }

    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        let first = plan.message.lines().next().unwrap().to_owned();
        self.did.push(format!("build {first}"));
        // The same plan makes the same commit.
        let text = format!("{plan:?}");
        let sum = text.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
        let commit: ObjectId = format!("{sum:016x}{:024x}", 0).parse().unwrap();
        let what = match &plan.content {
            Content::Tree(_) => plan.message.clone(),
            Content::File { path } | Content::Text { path, .. } => {
                format!("{path}\n{}", plan.message)
            }
        };
        self.commits.insert(commit.clone(), what);
        Ok(commit)
    }

    fn advance(&mut self, _: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        assert!(self.head == *from || self.head == *to, "{} {from} {to}", self.head);
        self.did.push("advance".into());
        if from == to {
            return Ok(());
        }
        self.head = to.clone();
        if !self.commits.get(to).is_some_and(|what| what.starts_with(".ai/goals.yaml")) {
            self.left = None;
        }
        Ok(())
    }

    fn stands_on(&mut self, _: &str) -> Result<(), GitProblem> {
        Ok(())
    }

    fn keep(&mut self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem> {
        self.did.push(format!("keep {branch}"));
        self.refs.insert(branch.to_owned(), commit.clone());
        Ok(branch.to_owned())
    }

    fn discard(
        &mut self,
        left: &LeftWork,
        _: &Saved,
        _: &TreeRules,
    ) -> Result<RolledBack, GitProblem> {
        if left.within.is_some() {
            self.did.push("reports out".into());
            return Ok(RolledBack::default());
        }
        self.did.push("discard".into());
        self.left = None;
        Ok(RolledBack::default())
    }

    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        self.did.push("compare".into());
        let pair = (from.clone(), to.clone());
        let paths = self.differences.get(&pair).cloned().unwrap_or_default();
        let line = |path: &str| DiffLine {
            change: Change { path: RepoPath(path.into()), kind: ChangeKind::Modified },
            lines: Some((3, 1)),
        };
        Ok(paths.into_iter().map(line).collect())
    }

    fn unlock(&mut self, _: UtcTime) -> Result<Vec<String>, GitProblem> {
        self.did.push("unlock".into());
        Ok(std::mem::take(&mut self.locks))
    }

    fn restore(
        &mut self,
        name: &str,
        _: Option<&ObjectId>,
        _: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        self.did.push(format!("restore {name}"));
        Ok(Vec::new())
    }

    fn read(&mut self, _: &ObjectId, _: &[String]) -> Result<Vec<TreeFile>, GitProblem> {
        unreachable!("auto reads no files of a tree")
    }

    fn list_refs(&mut self) -> Result<Vec<OwnRef>, GitProblem> {
        Ok(Vec::new())
    }

    fn delete_refs(&mut self, _: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        Ok(())
    }
}
