//! A settlement is the plan for an attempt that has been judged: acts on the repository, and the
//! state of the goal after them. It can be printed before any act is performed. Its order puts a
//! save before every rollback, so that no unsaved work is rolled back.

use std::fmt;

use crate::attempt::base::{attempt_ref, kept_branch};
use crate::attempt::judge::Verdict;
use crate::attempt::reason::{Class, Reason};
use crate::words::Lang;

/// The attempt that was judged, and what there is to know around it.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    pub goal: &'a str,
    pub title: &'a str,
    pub kind: WorkKind,
    pub number: u32,
    /// Attempts since the last retry, this one included if it counts.
    pub spent: u32,
    pub max_retries: u32,
    pub commits: Commits,
}

/// What the commit is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    Feature,
    /// A goal that writes tests: the RED step, or an adversarial one.
    Tests,
}

/// The configuration's `commit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commits {
    Auto,
    Off,
}

/// What to do, in this order, and what the goal is then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub acts: Vec<Act>,
    pub then: Then,
}

/// One act on the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// What is uncommitted becomes a commit on the branch, if there is anything.
    Commit { message: String },
    /// The whole attempt goes onto a ref.
    Save { name: String },
    /// A branch points at what was saved, for a person to look at.
    Keep { branch: String },
    /// What passed goes into the user's checkout, uncommitted (`commit: off`).
    PutIntoCheckout,
    /// Tree and branch of the room go back to the base.
    RollBack,
}

/// What follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    Done,
    /// Done, and since nothing was committed, no other goal may start on top of it.
    DoneAndStop,
    TryAgain,
    Block(Blocked),
    /// The agent may be asked again later; no attempt was spent.
    Wait,
    /// Nothing more is tried: a person has to do something about the agent first.
    Stop,
}

/// Why a goal is handed to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocked {
    ByAgent(Reason),
    /// `max_retries` attempts are spent; the last one's reason.
    RetriesUsedUp {
        attempts: u32,
        last: Reason,
    },
}

/// Plans what becomes of an attempt.
pub fn settle(verdict: &Verdict, attempt: &Attempt<'_>) -> Settlement {
    let save = || Act::Save { name: attempt_ref(attempt.goal, attempt.number) };
    match (verdict.class, &verdict.reason) {
        (Class::Complete | Class::ExpectedFailure, _) => match attempt.commits {
            Commits::Auto => Settlement {
                acts: vec![Act::Commit { message: commit_message(attempt) }],
                then: Then::Done,
            },
            Commits::Off => Settlement {
                acts: vec![save(), Act::PutIntoCheckout, Act::RollBack],
                then: Then::DoneAndStop,
            },
        },
        (Class::Blocked, reason) => handed_over(attempt, Blocked::ByAgent(reason.clone())),
        (Class::Failed | Class::NoProgress, reason) if attempt.spent >= attempt.max_retries => {
            let last = reason.clone();
            handed_over(attempt, Blocked::RetriesUsedUp { attempts: attempt.spent, last })
        }
        (Class::Failed | Class::NoProgress | Class::Interrupted, _) => {
            Settlement { acts: vec![save(), Act::RollBack], then: Then::TryAgain }
        }
        (Class::Limited, _) => Settlement { acts: vec![save(), Act::RollBack], then: Then::Wait },
        (Class::NotStarted, _) => {
            Settlement { acts: vec![save(), Act::RollBack], then: Then::Stop }
        }
    }
}

/// The work is on a branch for a person to look at; nothing of it is in the checkout.
fn handed_over(attempt: &Attempt<'_>, why: Blocked) -> Settlement {
    let save = Act::Save { name: attempt_ref(attempt.goal, attempt.number) };
    let keep = Act::Keep { branch: kept_branch(attempt.goal) };
    Settlement { acts: vec![save, keep, Act::RollBack], then: Then::Block(why) }
}

/// `feat(M1): Title`, with trailers that say which attempt it was.
pub fn commit_message(attempt: &Attempt<'_>) -> String {
    let kind = match attempt.kind {
        WorkKind::Feature => "feat",
        WorkKind::Tests => "test",
    };
    // A title of several lines could bring trailers of its own.
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (goal, title) = (one_line(attempt.goal), one_line(attempt.title));
    let number = attempt.number;
    format!("{kind}({goal}): {title}\n\nHast-Goal: {goal}\nHast-Attempt: {number}\n")
}

impl Blocked {
    /// What stands in `blocked_reason`.
    pub fn text(&self, lang: Lang) -> String {
        let (Self::ByAgent(reason) | Self::RetriesUsedUp { last: reason, .. }) = self;
        self.telling(reason.text(lang), lang)
    }

    /// The same, where the last attempt was told in these words.
    pub fn telling(&self, last: String, lang: Lang) -> String {
        match self {
            Self::ByAgent(_) => last,
            Self::RetriesUsedUp { attempts, .. } => say::retries_used_up(lang, attempts, last),
        }
    }

    /// How many attempts there were, where that is the cause.
    pub fn attempts(&self) -> Option<u32> {
        match self {
            Self::ByAgent(_) => None,
            Self::RetriesUsedUp { attempts, .. } => Some(*attempts),
        }
    }

    /// The name of the cause in JSON and events.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ByAgent(reason) => reason.code(),
            Self::RetriesUsedUp { .. } => "max_retries_exceeded",
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit { message } => {
                write!(f, "commit {}", message.lines().next().unwrap_or_default())
            }
            Self::Save { name } => write!(f, "save {name}"),
            Self::Keep { branch } => write!(f, "keep {branch}"),
            Self::PutIntoCheckout => f.write_str("put into the checkout"),
            Self::RollBack => f.write_str("roll back"),
        }
    }
}

impl fmt::Display for Settlement {
    /// `save refs/hast/attempts/M1/2, roll back -> try again`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, act) in self.acts.iter().enumerate() {
            write!(f, "{}{act}", if index == 0 { "" } else { ", " })?;
        }
        let then = match &self.then {
            Then::Done => "done",
            Then::DoneAndStop => "done, stop",
            Then::TryAgain => "try again",
            Then::Block(_) => "blocked",
            Then::Wait => "wait",
            Then::Stop => "stop",
        };
        write!(f, "{}-> {then}", if self.acts.is_empty() { "" } else { " " })
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        retries_used_up(attempts, reason) { en: "max retries exceeded ({attempts}): {reason}", ko: "max retries exceeded ({attempts}): {reason}" }
    }
}
