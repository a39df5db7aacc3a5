//! An attempt asks git for steps, which are plain data here, and the [`Workspace`] port performs
//! them. A [`Saved`] is made only here and in `worktrees`, and only from a save that was performed.

use serde::{Deserialize, Serialize};

use super::base::{Base, BaseRecord, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use super::evidence::Change;
use super::git_problem::GitProblem;
use super::inspection::Inspection;
use crate::time::UtcTime;

/// One thing to do in a work tree. Doing it again, after a crash or by mistake, ends the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitStep {
    /// What is there before anything is started.
    Look { rules: TreeRules },
    /// Records where an attempt begins.
    Record { key: String, rules: TreeRules, at: UtcTime },
    /// Compares the room with its base, for the judge.
    Inspect { base: Base },
    /// Puts everything that is there on a ref, safe from a power cut.
    Save(SavePlan),
    /// The room as it was at the base.
    RollBack { base: Base, saved: Saved },
    /// What differs between two commits or trees.
    Compare { from: ObjectId, to: ObjectId },
    /// The user's commit hooks, as they were at the base, on what would be committed.
    RunHooks { plan: CommitPlan, base: Base },
    /// Makes the commit's object; no ref moves, the id is the same each time.
    Build { plan: CommitPlan },
    /// Moves a branch from one commit to the next and lets the index follow.
    Advance { branch: String, from: ObjectId, to: ObjectId },
    /// The same for the branch that the work tree is on; refuses where it is on another one by now.
    AdvanceHere { branch: String, from: ObjectId, to: ObjectId },
    /// Points a branch at kept work; another one, `<branch>@2` and so on, where somebody has gone on
    /// with what it kept before, or stands on it. Which one it is, is told.
    Keep { branch: String, commit: ObjectId },
    /// Brings saved work back into the tree, uncommitted: what it has changed since a commit or
    /// tree, or since its parent. Refuses where that would overwrite; protected files stay.
    Restore { name: String, since: Option<ObjectId>, rules: TreeRules },
    /// Files of a recorded tree: what was judged, whatever is in the work tree by now.
    Read { tree: ObjectId, paths: Vec<String> },
    /// The refs that hast made.
    ListRefs,
    /// Deletes refs that still are where they were listed.
    DeleteRefs { refs: Vec<(String, ObjectId)> },
}

/// What is to be saved, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavePlan {
    /// The full name of the ref. Where there is saved work already, it becomes a parent.
    pub name: String,
    pub rules: TreeRules,
    /// Whose ignore rules tell what is part of the work; without a base those of the tree.
    pub base: Option<Base>,
    pub message: String,
    pub at: UtcTime,
    /// Larger files are listed, not saved.
    pub max_file_bytes: u64,
    pub max_total_bytes: u64,
}

/// A commit to be made. Equal plans make the same commit, down to its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitPlan {
    pub content: Content,
    pub parent: ObjectId,
    pub message: String,
    /// The date of author and committer.
    pub at: UtcTime,
    pub identity: Identity,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Tree(ObjectId),
    /// The parent's tree with this one file as it is in the work tree. Refused while the user is in
    /// the middle of something there.
    File {
        path: String,
    },
    /// The parent's tree with this text in the place of one file, whatever is in the work tree.
    Text {
        path: String,
        text: String,
    },
}

/// Who commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// As the user's git has it, else `hast <hast@localhost>`.
    Users,
    Named {
        name: String,
        email: String,
    },
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitResult {
    Looked(Looked),
    Recorded(BaseRecord),
    Inspected(Box<Inspection>),
    Saved(Saved),
    RolledBack(RolledBack),
    Compared(Vec<DiffLine>),
    Hooks(HookVerdict),
    Built { commit: ObjectId },
    Advanced,
    Kept { branch: String },
    Restored { paths: Vec<Change> },
    Files(Vec<TreeFile>),
    Refs(Vec<OwnRef>),
    Deleted,
    Refused(GitProblem),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    pub head: Head,
    /// The user's uncommitted and untracked files, compared with HEAD, without what is left out.
    pub uncommitted: Vec<Uncommitted>,
    /// `merge`, `rebase`, `cherry-pick`, `revert` or `bisect`.
    pub in_progress: Option<String>,
    /// What is in the tree now; none before the first commit.
    pub tree: Option<ObjectId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    Branch {
        name: String,
        commit: ObjectId,
    },
    Detached {
        commit: ObjectId,
    },
    /// A branch without any commit.
    Unborn {
        name: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncommitted {
    pub path: String,
    pub kind: UncommittedKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UncommittedKind {
    Tracked,
    Untracked,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolledBack {
    /// What no ref holds, and where it is now.
    pub aside: Vec<Aside>,
}

/// Something that was taken out of a room and is on no ref.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Aside {
    /// Where it was, from the top of the tree.
    pub path: String,
    pub at: String,
}

/// A path that two trees have differently, with the lines that came and went; none for what is no
/// text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    pub change: Change,
    pub lines: Option<(u64, u64)>,
}

/// What the user's hooks say to a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookVerdict {
    /// With the message as the hooks left it.
    Passed {
        message: String,
    },
    Refused {
        hook: String,
        said: String,
    },
    /// A hook changed what would be committed, and the room's files have it: it is to be judged.
    Rewrote {
        hook: String,
        tree: ObjectId,
    },
    /// A hook changed what would be committed to what no file of the room has.
    ChangedContent {
        hook: String,
    },
}

/// A file of a recorded tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    pub path: String,
    /// None where the tree has no such file.
    pub bytes: Option<Vec<u8>>,
}

/// A ref below `refs/hast/` or a kept branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRef {
    pub name: String,
    pub target: ObjectId,
    /// The date of the commit; none for what is no commit.
    pub at: Option<UtcTime>,
    /// Whether some branch of the user contains it.
    pub merged: bool,
    /// Where somebody stands on it, if it is a branch.
    pub checked_out: Option<String>,
}

/// A work tree with its repository. `hast-world` answers with git, `hast-sim` from memory.
pub trait Workspace {
    fn look(&mut self, rules: &TreeRules) -> Result<Looked, GitProblem>;
    fn record(&mut self, key: &str, rules: &TreeRules) -> Result<Recorded, GitProblem>;
    fn inspect(&mut self, base: &Base) -> Result<Inspection, GitProblem>;
    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem>;
    fn roll_back(&mut self, base: &Base, saved: &Saved) -> Result<RolledBack, GitProblem>;
    fn run_hooks(&mut self, plan: &CommitPlan, base: &Base) -> Result<HookVerdict, GitProblem>;
    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem>;
    fn advance(&mut self, branch: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem>;
    /// Whether HEAD is on this branch, or detached where the branch is `HEAD`.
    fn stands_on(&mut self, branch: &str) -> Result<(), GitProblem>;
    fn keep(&mut self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem>;
    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem>;
    fn restore(
        &mut self,
        name: &str,
        since: Option<&ObjectId>,
        rules: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem>;
    fn read(&mut self, tree: &ObjectId, paths: &[String]) -> Result<Vec<TreeFile>, GitProblem>;
    fn list_refs(&mut self) -> Result<Vec<OwnRef>, GitProblem>;
    fn delete_refs(&mut self, refs: &[(String, ObjectId)]) -> Result<(), GitProblem>;
}

/// Performs a step. A problem is a result: the flow decides what it means.
pub fn perform(workspace: &mut dyn Workspace, step: &GitStep) -> GitResult {
    try_to(workspace, step).unwrap_or_else(GitResult::Refused)
}

fn try_to(workspace: &mut dyn Workspace, step: &GitStep) -> Result<GitResult, GitProblem> {
    Ok(match step {
        GitStep::Look { rules } => GitResult::Looked(workspace.look(rules)?),
        GitStep::Record { key, rules, at } => {
            let found = workspace.record(key, rules)?;
            GitResult::Recorded(BaseRecord::new(key.clone(), rules.clone(), *at, found))
        }
        GitStep::Inspect { base } => GitResult::Inspected(Box::new(workspace.inspect(base)?)),
        GitStep::Save(plan) => GitResult::Saved(Saved::performed(workspace.save(plan)?)),
        GitStep::RollBack { base, saved } => {
            GitResult::RolledBack(workspace.roll_back(base, saved)?)
        }
        GitStep::Compare { from, to } => GitResult::Compared(workspace.compare(from, to)?),
        GitStep::RunHooks { plan, base } => GitResult::Hooks(workspace.run_hooks(plan, base)?),
        GitStep::Build { plan } => GitResult::Built { commit: workspace.build(plan)? },
        GitStep::Advance { branch, from, to } => {
            workspace.advance(branch, from, to)?;
            GitResult::Advanced
        }
        GitStep::AdvanceHere { branch, from, to } => {
            workspace.stands_on(branch)?;
            workspace.advance(branch, from, to)?;
            GitResult::Advanced
        }
        GitStep::Keep { branch, commit } => {
            GitResult::Kept { branch: workspace.keep(branch, commit)? }
        }
        GitStep::Restore { name, since, rules } => {
            GitResult::Restored { paths: workspace.restore(name, since.as_ref(), rules)? }
        }
        GitStep::Read { tree, paths } => GitResult::Files(workspace.read(tree, paths)?),
        GitStep::ListRefs => GitResult::Refs(workspace.list_refs()?),
        GitStep::DeleteRefs { refs } => {
            workspace.delete_refs(refs)?;
            GitResult::Deleted
        }
    })
}
