//! A git in memory that remembers what it was asked.

use std::collections::BTreeMap;

use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::{Change, ChangeKind, RepoPath};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::{HandoffFile, Inspection};
use hast_flow::attempt::workspace::{
    CommitPlan, Content, DiffLine, Head, HookVerdict, Looked, OwnRef, RolledBack, SavePlan,
    TreeFile, Uncommitted, UncommittedKind, Workspace,
};

use crate::scene::{Left, id};

/// A git that does nothing but remember: the user's checkout, and one room at a time.
pub(crate) struct FakeGit {
    pub(crate) did: Vec<String>,
    pub(crate) branch: String,
    /// Where the user's branch is.
    pub(crate) head: ObjectId,
    /// Uncommitted files of the user.
    pub(crate) users: Vec<String>,
    /// What an agent left in the room; nothing ever lies in the checkout.
    pub(crate) left: Option<Left>,
    /// Where the room began, and the ref of its work.
    pub(crate) base: ObjectId,
    pub(crate) room_head: ObjectId,
    pub(crate) tree: ObjectId,
    /// Whether the step is one within the room.
    pub(crate) inside: bool,
    pub(crate) hook: Option<String>,
    /// Files of the user that are where restored work would go.
    pub(crate) in_the_way: Vec<String>,
    pub(crate) refs: BTreeMap<String, ObjectId>,
    pub(crate) commits: BTreeMap<ObjectId, String>,
    /// Paths that differ between two objects.
    pub(crate) differences: BTreeMap<(ObjectId, ObjectId), Vec<&'static str>>,
}

const LANE: &str = "refs/hast/lanes/M1";

impl FakeGit {
    fn inspection(&self) -> Inspection {
        let left = self.left.clone();
        let changes = left
            .iter()
            .flat_map(|left| left.changes.clone())
            .map(|path| Change { path: RepoPath(path.into()), kind: ChangeKind::Modified });
        let handoffs =
            left.iter().filter_map(|left| left.handoff.clone()).map(|text| HandoffFile {
                name: "2026-02-09_143000.md".into(),
                bytes: Ok(text.into_bytes()),
                ignored: false,
            });
        let committed = left.as_ref().is_some_and(|left| left.committed);
        Inspection {
            breaches: Vec::new(),
            others: Vec::new(),
            not_committed: Vec::new(),
            squashed: None,
            taken_back: Vec::new(),
            protected: Vec::new(),
            changes: changes.collect(),
            links: Vec::new(),
            handoffs: handoffs.collect(),
            head: self.room_head.clone(),
            tree: self.tree.clone(),
            commit_tree: self.tree.clone(),
            uncommitted: left.is_some() && !committed,
        }
    }
}

impl Workspace for FakeGit {
    fn look(&mut self, _: &TreeRules) -> Result<Looked, GitProblem> {
        self.did.push("look".into());
        let (name, commit, files) = match self.inside {
            true => (LANE.to_owned(), self.base.clone(), Vec::new()),
            false => (self.branch.clone(), self.head.clone(), self.users.clone()),
        };
        let file = |path| Uncommitted { path, kind: UncommittedKind::Tracked };
        Ok(Looked {
            head: Head::Branch { name, commit },
            uncommitted: files.into_iter().map(file).collect(),
            in_progress: None,
            tree: Some(self.tree.clone()),
        })
    }

    fn record(&mut self, key: &str, _: &TreeRules) -> Result<Recorded, GitProblem> {
        self.did.push(format!("record {key}"));
        self.left = None;
        let (tree, snapshot) = (self.tree.clone(), id('e'));
        Ok(Recorded { branch: LANE.to_owned(), commit: self.base.clone(), tree, snapshot })
    }

    fn inspect(&mut self, _: &Base) -> Result<Inspection, GitProblem> {
        self.did.push("inspect".into());
        Ok(self.inspection())
    }

    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        self.did.push(format!("save {}", plan.name));
        self.refs.insert(plan.name.clone(), id('5'));
        let tree = if self.left.is_some() { id('6') } else { self.tree.clone() };
        let (name, commit) = (plan.name.clone(), id('5'));
        Ok(SavedWork { name, commit, tree, overflow: Vec::new() })
    }

    fn roll_back(&mut self, base: &Base, _: &Saved) -> Result<RolledBack, GitProblem> {
        self.did.push("roll back".into());
        (self.room_head, self.tree, self.left) = (base.commit().clone(), base.tree().clone(), None);
        Ok(RolledBack::default())
    }

    fn run_hooks(&mut self, plan: &CommitPlan, _: &Base) -> Result<HookVerdict, GitProblem> {
        self.did.push("hooks".into());
        Ok(match &self.hook {
            Some(said) => HookVerdict::Refused { hook: "pre-commit".into(), said: said.clone() },
            None => HookVerdict::Passed { message: plan.message.clone() },
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
        let head = if self.inside { &mut self.room_head } else { &mut self.head };
        assert!(*head == *from || *head == *to, "{head} {from} {to}");
        self.did.push("advance".into());
        *head = to.clone();
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

    fn restore(
        &mut self,
        name: &str,
        _: Option<&ObjectId>,
        _: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        let place = if self.inside { "" } else { " into the checkout" };
        self.did.push(format!("restore {}{place}", &name[..4]));
        if !self.inside && !self.in_the_way.is_empty() {
            return Err(GitProblem::InTheWay { paths: self.in_the_way.clone() });
        }
        let change = Change { path: RepoPath("src/a.py".into()), kind: ChangeKind::Modified };
        Ok(vec![change])
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
