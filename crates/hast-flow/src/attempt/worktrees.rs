//! Work trees beside the user's own, as steps: made, brought up to date, merged, taken away. The user's
//! branch moves by fast-forward only, and nothing of the user's is ever in the way of it.

use std::fmt;

use super::base::{ObjectId, Saved, SavedWork, TreeRules, ref_part};
use super::git_problem::GitProblem;
use super::workspace::Head;
use crate::ids::{ProjectHash, RequestId};
use crate::plain_name::{is_plain_name, plain_name};
use crate::time::UtcTime;

/// The name of a work tree: one directory, and one part of a branch's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeName(Box<str>);

impl TreeName {
    /// The tree for a goal, or for whatever an id names.
    pub fn of(id: &str) -> Self {
        Self(plain_name(id).into())
    }

    /// The name that an earlier version gave the tree for a goal. Agents work there, and some of them decode
    /// percent signs.
    pub fn earlier(id: &str) -> Self {
        Self(ref_part(id).into())
    }

    /// The tree for a request of the contract flow. No goal has this name: of a goal's, only capital digits
    /// follow the sign.
    pub fn of_request(project: &ProjectHash, request: &RequestId) -> Self {
        Self(format!("{REQUEST}{project}-{request}").into())
    }

    /// The tree in which the tests of such a request are tried on changed code.
    pub fn of_trial(project: &ProjectHash, request: &RequestId) -> Self {
        Self(format!("{REQUEST}{project}-{request}-trial").into())
    }

    pub fn is_of_a_request(&self) -> bool {
        self.0.starts_with(REQUEST)
    }

    /// A name as it stands on the disk; none where it cannot be one of ours.
    pub fn read(name: &str) -> Option<Self> {
        is_plain_name(name).then(|| Self(name.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The ref that has the commits of the work in the tree.
    pub fn branch(&self) -> String {
        format!("{LANES}{}", self.0)
    }
}

/// The beginning of the names of trees for requests.
const REQUEST: &str = "=contract-";

/// Where the refs of work in rooms are.
pub const LANES: &str = "refs/hast/lanes/";

impl fmt::Display for TreeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One thing to do with work trees. Doing it again, after a crash or by mistake, ends the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorktreeStep {
    /// Where a branch is; without one, the user's checkout.
    Tip { onto: Option<Target> },
    /// A work tree with its branch at a commit. What an earlier one of that name still held is on a
    /// ref first.
    Add(TreePlan),
    /// Takes a work tree away, and its branch.
    Remove { tree: TreeName, spent: Spent },
    /// Puts what a tree holds, and no commit of the user's does, on a ref.
    Rescue(TreePlan),
    /// The work trees that hast made, whole or not.
    List,
    /// The commits since `base` once more on top of `onto`. No ref moves, the ids are the same each
    /// time.
    Replay { base: ObjectId, head: ObjectId, onto: ObjectId },
    /// A tree and its branch at another commit; what was not committed there is gone.
    Bring { tree: TreeName, to: ObjectId },
    /// The user's branch, and their checkout where it is on that branch, go forward.
    Merge(MergePlan),
    /// How the user's checkout stands to what finished work goes onto.
    Stand { onto: Target },
    /// Whether a commit is there and part of a branch; without one, of the user's checkout.
    Contains { onto: Option<Target>, commit: ObjectId },
    /// How much differs between two trees, with renamed files found; paths that begin with one of
    /// these are left out.
    Measure { from: ObjectId, to: ObjectId, leave_out: Vec<String> },
    /// What somebody else made, into a tree at its base. Nothing outside of the tree is touched, and
    /// what does not fit leaves the tree at the base.
    Deliver(DeliverPlan),
}

/// Work of somebody else for a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliverPlan {
    pub tree: TreeName,
    pub base: ObjectId,
    pub work: Delivered,
    /// A file to lie beside it, unless the work brings one there: path and content.
    pub file: Option<(String, String)>,
    /// What each changed file, and all of them, may hold.
    pub max_file_bytes: u64,
    pub max_total_bytes: u64,
}

/// How work is brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// A diff against the base, as git prints it.
    Patch(String),
    /// A branch of the repository that is at this commit.
    Branch { name: String, commit: ObjectId },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreePlan {
    pub tree: TreeName,
    pub at: ObjectId,
    /// Globs, as in a `.gitignore`, of files that git does not have and that are copied.
    pub copy: Vec<String>,
    /// What belongs to the work, should something of an earlier tree have to be saved, and when.
    pub rules: TreeRules,
    pub now: UtcTime,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergePlan {
    pub onto: Target,
    pub from: ObjectId,
    pub to: ObjectId,
    pub rules: TreeRules,
}

/// What is moved by a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The full name of a branch.
    Branch(String),
    /// The user's HEAD, which is on no branch.
    Detached,
}

impl Target {
    /// What a commit comes onto where HEAD is like this, and the commit that is there; none before the first.
    pub fn of(head: &Head) -> Option<(Self, &ObjectId)> {
        match head {
            Head::Branch { name, commit } => Some((Self::Branch(name.clone()), commit)),
            Head::Detached { commit } => Some((Self::Detached, commit)),
            Head::Unborn { .. } => None,
        }
    }

    /// The full name of the branch, or `HEAD`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Branch(name) => name,
            Self::Detached => "HEAD",
        }
    }
}

impl From<String> for Target {
    fn from(name: String) -> Self {
        if name == "HEAD" { Self::Detached } else { Self::Branch(name) }
    }
}

/// Why a work tree may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spent {
    /// All of it is on a ref.
    Saved(Saved),
    /// Its commits are part of this one. Refused where they are not.
    Merged { into: ObjectId },
    /// Nothing was done in it. Refused where something was.
    Unused,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorktreeResult {
    Tip(Head),
    Added(Added),
    Removed,
    /// The proof, where there was anything to save.
    Rescued(Option<Saved>),
    Listed(Vec<FoundTree>),
    Replayed {
        commit: ObjectId,
        tree: ObjectId,
    },
    Conflict {
        paths: Vec<String>,
    },
    Brought,
    Merged,
    /// The merge would touch what the user has not committed, or what they are in the middle of.
    Waits(Waits),
    Stands(Standing),
    Contains(bool),
    Measured {
        /// Lines that came and went; what is no text has none.
        lines: u64,
        files: u64,
    },
    Delivered,
    /// What was brought cannot be put there; the words are git's, or ours.
    Unfit {
        why: String,
    },
    Refused(GitProblem),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The ref that has what an earlier tree of that name held.
    pub recovered: Option<String>,
    pub copied: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Uncommitted or untracked files.
    UsersFiles { paths: Vec<String> },
    /// A merge, rebase or the like of the user.
    InProgress { what: String },
    /// The branch is checked out in another work tree of the user.
    CheckedOut { at: String },
}

/// How the user's checkout stands to what finished work goes onto.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is on it, and nobody is in the middle of anything there.
    On,
    /// It is on it, or will be again, and the user is in the middle of something.
    Busy(GitProblem),
    /// It is elsewhere.
    Off,
    /// It is elsewhere, and another work tree of the user is on it.
    CheckedOut { at: String },
}

/// A work tree that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundTree {
    pub tree: TreeName,
    /// Where its branch is; none where there is no such branch.
    pub head: Option<ObjectId>,
    pub state: TreeState,
    /// What it takes on the disk.
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeState {
    Whole,
    /// It was never finished, or parts of it are gone.
    Broken,
}

/// The work trees of a repository. `hast-world` answers with git.
pub trait Worktrees {
    fn tip(&mut self, onto: Option<&Target>) -> Result<Head, GitProblem>;
    fn add(&mut self, plan: &TreePlan) -> Result<Added, GitProblem>;
    fn remove(&mut self, tree: &TreeName, spent: &Spent) -> Result<(), GitProblem>;
    fn rescue(&mut self, plan: &TreePlan) -> Result<Option<SavedWork>, GitProblem>;
    fn list(&mut self) -> Result<Vec<FoundTree>, GitProblem>;
    fn replay(
        &mut self,
        base: &ObjectId,
        head: &ObjectId,
        onto: &ObjectId,
    ) -> Result<Replay, GitProblem>;
    fn bring(&mut self, tree: &TreeName, to: &ObjectId) -> Result<(), GitProblem>;
    fn merge(&mut self, plan: &MergePlan) -> Result<Option<Waits>, GitProblem>;
    fn standing(&mut self, onto: &Target) -> Result<Standing, GitProblem>;
    fn contains(&mut self, onto: Option<&Target>, commit: &ObjectId) -> Result<bool, GitProblem>;
    /// Lines and files.
    fn measure(
        &mut self,
        from: &ObjectId,
        to: &ObjectId,
        leave_out: &[String],
    ) -> Result<(u64, u64), GitProblem>;
    /// Why it does not fit, where it does not.
    fn deliver(&mut self, plan: &DeliverPlan) -> Result<Option<String>, GitProblem>;
}

/// What replaying commits came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    Done { commit: ObjectId, tree: ObjectId },
    Conflict { paths: Vec<String> },
}

/// Performs a step. A problem is a result: the flow decides what it means.
pub fn perform(worktrees: &mut dyn Worktrees, step: &WorktreeStep) -> WorktreeResult {
    try_to(worktrees, step).unwrap_or_else(WorktreeResult::Refused)
}

fn try_to(trees: &mut dyn Worktrees, step: &WorktreeStep) -> Result<WorktreeResult, GitProblem> {
    Ok(match step {
        WorktreeStep::Tip { onto } => WorktreeResult::Tip(trees.tip(onto.as_ref())?),
        WorktreeStep::Add(plan) => WorktreeResult::Added(trees.add(plan)?),
        WorktreeStep::Remove { tree, spent } => {
            trees.remove(tree, spent)?;
            WorktreeResult::Removed
        }
        WorktreeStep::Rescue(plan) => {
            WorktreeResult::Rescued(trees.rescue(plan)?.map(Saved::performed))
        }
        WorktreeStep::List => WorktreeResult::Listed(trees.list()?),
        WorktreeStep::Replay { base, head, onto } => match trees.replay(base, head, onto)? {
            Replay::Done { commit, tree } => WorktreeResult::Replayed { commit, tree },
            Replay::Conflict { paths } => WorktreeResult::Conflict { paths },
        },
        WorktreeStep::Bring { tree, to } => {
            trees.bring(tree, to)?;
            WorktreeResult::Brought
        }
        WorktreeStep::Merge(plan) => match trees.merge(plan)? {
            None => WorktreeResult::Merged,
            Some(waits) => WorktreeResult::Waits(waits),
        },
        WorktreeStep::Stand { onto } => WorktreeResult::Stands(trees.standing(onto)?),
        WorktreeStep::Contains { onto, commit } => {
            WorktreeResult::Contains(trees.contains(onto.as_ref(), commit)?)
        }
        WorktreeStep::Measure { from, to, leave_out } => {
            let (lines, files) = trees.measure(from, to, leave_out)?;
            WorktreeResult::Measured { lines, files }
        }
        WorktreeStep::Deliver(plan) => match trees.deliver(plan)? {
            None => WorktreeResult::Delivered,
            Some(why) => WorktreeResult::Unfit { why },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tree_has_a_ref_of_hast_s_to_itself() {
        assert_eq!(TreeName::of("M4.1").branch(), "refs/hast/lanes/M4.1");
        assert_eq!(TreeName::of("목표/1").branch(), "refs/hast/lanes/목표+1");
        assert_eq!(TreeName::read("목표+1"), Some(TreeName::of("목표/1")));
        assert_eq!(TreeName::read("%2E%2E%2Fx"), Some(TreeName::earlier("../x")));
        for name in ["..", ".hidden", "a b", "x.lock", ""] {
            assert_eq!(TreeName::read(name), None, "{name}");
        }
    }
}
