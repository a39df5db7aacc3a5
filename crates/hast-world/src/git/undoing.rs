//! Finished work, taken back by one more commit on the user's branch. Later commits and the user's uncommitted
//! files stay: where either is in the way, nothing is done.

use std::path::Path;

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{CommitPlan, Content, Identity};
use hast_flow::attempt::worktrees::{MergePlan, Target, Waits};
use hast_flow::time::UtcTime;

use super::checkout::Checkout;
use super::refs::HeadNow;
use super::run::GitEnvironment;

/// The work to be taken back, and the commit that does it.
#[derive(Clone, Debug)]
pub struct UndoPlan {
    /// The commits since `from`, up to `to`.
    pub from: ObjectId,
    pub to: ObjectId,
    pub message: String,
    pub at: UtcTime,
    /// Stays as the branch has it: it is hast that changes it.
    pub goals: String,
    pub rules: TreeRules,
}

/// The outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// By this commit; none where nothing of it was left.
    By(Option<ObjectId>),
    /// Later commits have changed the same places.
    Conflict {
        paths: Vec<String>,
    },
    /// The work is not on the branch that is checked out.
    Elsewhere,
    Waits(Waits),
}

/// Takes back what some commits brought.
pub fn undo(top: &Path, plan: &UndoPlan) -> Result<Undone, GitProblem> {
    let mut checkout = Checkout::open(top, GitEnvironment::of_this_process()?)?;
    checkout.undo(plan)
}

impl Checkout {
    fn undo(&mut self, plan: &UndoPlan) -> Result<Undone, GitProblem> {
        self.reread_config()?;
        let (onto, name) = match self.git.head()? {
            HeadNow::Branch(name) => (Target::Branch(name.clone()), name),
            HeadNow::Detached => (Target::Detached, "HEAD".to_owned()),
        };
        let lost = |what: &str| GitProblem::Lost { what: what.to_owned() };
        let head = self.git.resolve(&name)?.ok_or_else(|| lost(&name))?;
        if !self.git.is_ancestor(&plan.to, &head)? {
            return Ok(Undone::Elsewhere);
        }
        let tree = match self.git.merged_tree(&plan.to, &head, &plan.from)? {
            Ok(tree) => tree,
            Err(paths) => return Ok(Undone::Conflict { paths }),
        };
        let tree = self.with_path_of(&tree, &head, &plan.goals)?;
        if tree == self.git.tree_of(&head)? {
            return Ok(Undone::By(None));
        }
        let commit = CommitPlan {
            content: Content::Tree(tree.clone()),
            parent: head.clone(),
            message: plan.message.clone(),
            at: plan.at,
            identity: Identity::Users,
        };
        let commit = self.git.planned_commit(&commit, &tree, self.config().signature())?;
        let merge = MergePlan { onto, from: head, to: commit.clone(), rules: plan.rules.clone() };
        Ok(match self.fast_forward(&merge)? {
            None => Undone::By(Some(commit)),
            Some(waits) => Undone::Waits(waits),
        })
    }

    /// A tree in which one file is as a commit has it.
    fn with_path_of(
        &self,
        tree: &ObjectId,
        commit: &ObjectId,
        path: &str,
    ) -> Result<ObjectId, GitProblem> {
        let git = &self.git;
        let own = git.diff(tree, &git.tree_of(commit)?)?;
        let own: Vec<_> = own.iter().filter(|one| one.path == path.as_bytes()).collect();
        let Some(own) = own.first() else { return Ok(tree.clone()) };
        let index = self.scratch_index()?;
        git.read_tree(&index, tree)?;
        git.set_entries(&index, &[own.new_entry()])?;
        git.write_tree(&index)
    }
}
