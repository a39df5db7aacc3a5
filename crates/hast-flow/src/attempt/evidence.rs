//! Evidence is everything known about an attempt after its agent has ended and none of its
//! processes runs any more. The workspace and the supervisor collect it from git and the machine.
//! The judge decides over it and never looks at the machine itself.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::agents::outbox::Word;
use crate::agents::outcome::{FailureClass, Outcome};
use crate::suites::Counted;
use crate::time::OffsetTime;
use crate::words::Lang;

/// A path inside of the work tree, with `/`, as git names it. Bytes that are not UTF-8 are shown
/// escaped, so that a path in a message can be copied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RepoPath(pub Box<str>);

impl RepoPath {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first of some, and how many more there are: what a message names.
    pub fn first_of(paths: &[String]) -> (Self, usize) {
        let first = paths.first().map(String::as_str).unwrap_or_default();
        (Self(first.into()), paths.len().saturating_sub(1))
    }

    /// The last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEnd {
    Ended,
    /// The same, with an exit code, a signal or words that say that it went wrong. Judged like any other end;
    /// a person wants to know.
    EndedBadly {
        why: String,
    },
    /// The same, by an agent that was not allowed to use a tool.
    Denied {
        why: String,
    },
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
    /// Processes of the agent could not be ended: nothing may be judged while they run.
    Leaked,
    /// `failed.json`.
    SaidFailed {
        error: String,
    },
    /// `blocked.json`.
    SaidBlocked {
        reason: String,
    },
}

impl CallEnd {
    /// The end of a call whose agent was to change files. Only what the agent wrote into
    /// `failed.json` is its word that it failed; a stream or an exit code that says so is not.
    pub fn of(outcome: &Outcome, word: Option<&Word>, lang: Lang) -> Self {
        match (outcome, word) {
            (Outcome::Blocked { reason }, _) => Self::SaidBlocked { reason: reason.clone() },
            (Outcome::Limited(_), _) => Self::Limited,
            (Outcome::LoginNeeded { text }, _) => Self::LoginNeeded { advice: text.clone() },
            (Outcome::NotStarted(cause), _) => Self::NotStarted { why: cause.what(lang) },
            (Outcome::NeverBegan { reason }, _) => Self::NotStarted { why: reason.clone() },
            (Outcome::Cancelled, _) => Self::Interrupted,
            (Outcome::Failed { class: FailureClass::TimedOut, .. }, _) => Self::TimedOut,
            (Outcome::Failed { class: FailureClass::Stalled, .. }, _) => Self::Stalled,
            (Outcome::Failed { class: FailureClass::Flooded, .. }, _) => Self::Flooded,
            (Outcome::Failed { class: FailureClass::Supervision, .. }, _) => Self::Leaked,
            (_, Some(Word::Failed { error })) => Self::SaidFailed { error: error.clone() },
            (Outcome::Completed | Outcome::Denied { .. } | Outcome::Failed { .. }, _) => {
                Self::Ended
            }
        }
    }
}

/// Something that an attempt must not do to the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Breach {
    NestedRepository {
        path: RepoPath,
    },
    SymlinkLeaves {
        path: RepoPath,
    },
    /// Something inside of a submodule is not as it was: nothing of it could be committed.
    SubmoduleChanged {
        path: RepoPath,
    },
    /// Larger than what is read into git, so nobody can say what is in it.
    TooLarge {
        path: RepoPath,
    },
    /// A pipe, a socket, a device, a name that git takes from nobody, a directory deeper than a path may be
    /// long: no commit can hold it.
    NotStorable {
        path: RepoPath,
    },
    /// The value of a secret that the agent was given stands in a file.
    SecretWritten {
        path: RepoPath,
        variable: String,
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
    /// A test file that is at another path now and is one there too: byte for byte, or under its name and
    /// with most of its lines.
    Moved,
    /// It held something, and nothing of that is left: it is empty or blank, or a link is in its place.
    Emptied,
    /// Only the mode or the type differs.
    Mode,
    /// Added, and nothing is in it: empty or blank, or no file at all but a link.
    Hollow,
    /// New, and ignored by rules that are as new: it may be out of scope, and it is in no commit.
    NotCommitted,
}

impl ChangeKind {
    /// Whether the tree that is committed has it.
    pub fn is_work(self) -> bool {
        self != Self::NotCommitted
    }
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
        /// For a blocked one: what it says, in one line.
        reason: String,
        /// Tests that the agent says it took away (`## Removed Tests`).
        removed_tests: Vec<String>,
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
    /// What it told of its tests; nothing where nobody asked.
    pub counted: Counted,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestEnd {
    Green,
    Red {
        code: i32,
    },
    /// 126, 127, a signal, a limit of time: nothing is known about the code.
    CouldNotRun {
        why: String,
    },
    /// The same, and no work on the code can mend it: the command begins with a program that is not
    /// installed.
    NoProgram {
        name: String,
        why: String,
    },
}
