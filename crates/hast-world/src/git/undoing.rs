//! Finished work, taken back by one more commit on the user's branch. Later commits and the user's uncommitted
//! files stay: where either is in the way, nothing is done.

use std::path::Path;
use std::time::Duration;

use hast_flow::attempt::base::{ObjectId, TreeRules};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{CommitPlan, Content, Identity};
use hast_flow::attempt::worktrees::{MergePlan, Target, Waits};
use hast_flow::time::UtcTime;

use super::checkout::Checkout;
use super::index::{Entry, object};
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
    /// The file with the goals: hast changes it, so it stays as the branch has it but for the status lines.
    pub goals: String,
    pub rules: TreeRules,
}

/// The outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    Done(TakenBack),
    /// Later commits have changed the same places.
    Conflict {
        paths: Vec<String>,
    },
    /// The work is not on the branch that is checked out.
    Elsewhere,
    Waits(Waits),
}

/// Work that is not on the branch any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// None where there was nothing to commit.
    pub commit: Option<ObjectId>,
    /// Something of the work was left to take back.
    pub had_work: bool,
    /// The commit has the status of the goals too.
    pub has_status: bool,
    /// HEAD is on no branch.
    pub is_detached: bool,
}

/// Takes back what some commits brought. `reopened` sets the status of the goals in the text of their file; it is
/// committed too, unless the user has changed that file.
pub fn undo(
    top: &Path,
    plan: &UndoPlan,
    reopened: &dyn Fn(&str) -> Option<String>,
) -> Result<Undone, GitProblem> {
    let mut checkout = Checkout::open(top, GitEnvironment::of_this_process()?)?;
    // A person waits for the answer.
    checkout.patience = Duration::ZERO;
    checkout.undo(plan, reopened)
}

impl Checkout {
    fn undo(
        &mut self,
        plan: &UndoPlan,
        reopened: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Undone, GitProblem> {
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
        let work = self.with_path_of(&tree, &head, &plan.goals)?;
        let is_detached = matches!(onto, Target::Detached);
        let before = self.git.tree_of(&head)?;
        let told =
            TakenBack { commit: None, had_work: work != before, has_status: false, is_detached };
        if let Some(tree) = self.with_status_lines(&work, &head, &plan.goals, reopened)? {
            let commit = self.undoing(plan, &tree, &head)?;
            match self.move_to(plan, &onto, &head, &commit)? {
                None => {
                    let told = TakenBack { commit: Some(commit), has_status: true, ..told };
                    return Ok(Undone::Done(told));
                }
                // What the user has staged of it stays theirs.
                Some(Waits::UsersFiles { paths }) if paths == [plan.goals.clone()] => {}
                Some(waits) => return Ok(Undone::Waits(waits)),
            }
        }
        if work == before {
            return Ok(Undone::Done(told));
        }
        let commit = self.undoing(plan, &work, &head)?;
        Ok(match self.move_to(plan, &onto, &head, &commit)? {
            None => Undone::Done(TakenBack { commit: Some(commit), ..told }),
            Some(waits) => Undone::Waits(waits),
        })
    }

    fn undoing(
        &self,
        plan: &UndoPlan,
        tree: &ObjectId,
        head: &ObjectId,
    ) -> Result<ObjectId, GitProblem> {
        let commit = CommitPlan {
            content: Content::Tree(tree.clone()),
            parent: head.clone(),
            message: plan.message.clone(),
            at: plan.at,
            identity: Identity::Users,
        };
        self.git.planned_commit(&commit, tree, self.config().signature())
    }

    fn move_to(
        &mut self,
        plan: &UndoPlan,
        onto: &Target,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Option<Waits>, GitProblem> {
        let (onto, rules) = (onto.clone(), plan.rules.clone());
        self.fast_forward(&MergePlan { onto, from: from.clone(), to: to.clone(), rules })
    }

    /// The tree with the goals reopened; none where nothing changes, or where the user has changed their file.
    fn with_status_lines(
        &self,
        tree: &ObjectId,
        head: &ObjectId,
        goals: &str,
        reopened: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<ObjectId>, GitProblem> {
        let git = &self.git;
        let files = git.files_of(head, &[goals.to_owned()])?;
        let Some(bytes) = files.into_iter().next().and_then(|file| file.bytes) else {
            return Ok(None);
        };
        let Ok(committed) = String::from_utf8(bytes) else { return Ok(None) };
        let Some(text) = reopened(&committed).filter(|text| *text != committed) else {
            return Ok(None);
        };
        if !git.place.top.join(goals).is_file() {
            return Ok(None);
        }
        let write = |text: String| {
            let call = git.call(["hash-object", "-w", "--stdin", "--no-filters"]);
            object(&call.input(text.into_bytes()).synced().line()?)
        };
        let here = object(&git.call(["hash-object", "--path", goals, "--", goals]).line()?)?;
        if here != write(committed)? {
            return Ok(None);
        }
        let (path, mode) = (goals.as_bytes().to_vec(), "100644".to_owned());
        self.with_entry(tree, Entry { path, mode, object: Some(write(text)?) }).map(Some)
    }

    /// A tree in which one file is as a commit has it.
    fn with_path_of(
        &self,
        tree: &ObjectId,
        commit: &ObjectId,
        path: &str,
    ) -> Result<ObjectId, GitProblem> {
        let own = self.git.diff(tree, &self.git.tree_of(commit)?)?;
        match own.iter().find(|one| one.path == path.as_bytes()) {
            Some(own) => self.with_entry(tree, own.new_entry()),
            None => Ok(tree.clone()),
        }
    }
}
