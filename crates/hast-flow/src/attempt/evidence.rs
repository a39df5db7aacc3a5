//! What is known about an attempt when its agent has ended and nothing of it runs any more.
//! Collected from git and the machine by someone else; judged here.

use crate::time::OffsetTime;

/// A path inside of the work tree, with `/`, as git names it. Bytes that are not UTF-8 are shown
/// escaped, so that a path in a message can be copied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepoPath(pub Box<str>);

/// Everything that a judge looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub call: CallEnd,
    /// What was done to git that no attempt may do.
    pub breaches: Vec<Breach>,
    /// Protected paths that changed. They have been restored.
    pub protected: Vec<RepoPath>,
    /// Content and modes compared with the base: commits, work tree and untracked files together,
    /// without machine files and handoffs.
    pub changes: Vec<Change>,
    /// Handoffs that were not there at the base, by name, oldest first.
    pub handoffs: Vec<NewHandoff>,
}

/// How the agent's process ended. Its exit code alone decides nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    Ended,
    /// A usage limit; no attempt is spent.
    Limited,
    /// hast was interrupted or killed while the agent ran.
    Interrupted,
    NotStarted {
        why: String,
    },
    LoginNeeded {
        advice: String,
    },
    TimedOut,
    Stalled,
    Flooded,
    /// `failed.json`.
    SaidFailed {
        error: String,
    },
    /// `blocked.json`.
    SaidBlocked {
        reason: String,
    },
}

/// Something that an attempt must not do to the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// The base is no longer an ancestor of the branch.
    HistoryRewritten,
    BranchSwitched {
        to: String,
    },
    HeadDetached,
    RefMoved {
        name: String,
    },
    SubmoduleAdded {
        path: RepoPath,
    },
    NestedRepository {
        path: RepoPath,
    },
    SymlinkLeaves {
        path: RepoPath,
    },
    /// `assume-unchanged` or `skip-worktree` on a file that had neither.
    HiddenByIndex {
        path: RepoPath,
    },
    /// Larger than what is read into git, so nobody can say what is in it.
    TooLarge {
        path: RepoPath,
    },
}

/// One path that differs from the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub path: RepoPath,
    pub kind: ChangeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// Only the mode or the type differs.
    Mode,
}

/// A handoff that the attempt left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewHandoff {
    /// The file's name, without its directory.
    pub name: String,
    pub content: HandoffContent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandoffContent {
    Valid {
        goal_id: String,
        status: HandoffWord,
        timestamp: OffsetTime,
        /// For a blocked one: what it says.
        reason: String,
    },
    Invalid {
        why: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoffWord {
    Complete,
    Failed,
    Blocked,
}

/// How a run of the test command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestRun {
    pub end: TestEnd,
    /// The last lines of its output, without secrets.
    pub tail: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestEnd {
    Green,
    Red {
        code: i32,
    },
    /// 126, 127, a signal, a limit of time: nothing is known about the code.
    CouldNotRun {
        why: String,
    },
}
