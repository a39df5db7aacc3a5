//! A start is refused for another run, invalid settings, a missing agent, a repository without a
//! commit, or uncommitted work of `commit: off`. The decision is made over given facts and touches
//! nothing. Every other start is allowed: hast works in rooms, where no file of the user is in the
//! way. The module also tells if the owner of a lock still runs.

pub mod say;

use crate::attempt::git_problem::GitProblem;
use crate::attempt::workspace::Head;
use crate::words::Lang;

/// Everything that a start looks at, as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct StartFindings<'f> {
    pub not_ready: Option<&'f NotReady>,
    /// The process of another run that is alive.
    pub running: Option<u32>,
    pub head: Option<Result<&'f Head, &'f GitProblem>>,
    /// Work that was put into the checkout with `commit: off`: its goal, and what of it is uncommitted.
    pub to_commit: Option<(&'f str, Vec<String>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReady {
    InvalidConfig { findings: String },
    NoAgent { line: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Alive,
    Gone,
}

/// Whether an owner is the process that wrote the lock: a pid alone can be used again.
pub fn owner_of(recorded_start: Option<u64>, running: Option<Running>) -> Owner {
    match (recorded_start, running) {
        (_, None) => Owner::Gone,
        (Some(recorded), Some(Running { started: Some(now) })) if recorded != now => Owner::Gone,
        (_, Some(_)) => Owner::Alive,
    }
}

/// A process with the recorded pid, and when it started, where the system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    pub started: Option<u64>,
}

/// What the next attempt begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartFrom {
    Base,
    /// `--continue`: kept work is where the next attempt begins.
    KeptWork,
    /// `--continue --fewer-tests`: kept work is judged again as it is, and fewer tests are right.
    KeptWorkAsItIs,
}

/// Nothing is started and nothing was touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    NotReady(NotReady),
    Git(GitProblem),
    AlreadyRunning {
        pid: u32,
    },
    /// The work of a goal lies uncommitted in the checkout, where `commit: off` put it.
    NotCommitted {
        goal: String,
        paths: Vec<String>,
    },
    /// What a kept attempt changed was changed by others since.
    KeptWorkOutdated {
        name: String,
        paths: Vec<String>,
    },
}

/// The first reason not to start, if there is any.
pub fn refusal(found: &StartFindings<'_>) -> Option<Refusal> {
    if let Some(not_ready) = found.not_ready {
        return Some(Refusal::NotReady(not_ready.clone()));
    }
    if let Some(pid) = found.running {
        return Some(Refusal::AlreadyRunning { pid });
    }
    match found.head {
        Some(Err(problem)) => return Some(Refusal::Git(problem.clone())),
        Some(Ok(Head::Unborn { .. })) => return Some(Refusal::Git(GitProblem::NoFirstCommit)),
        Some(Ok(Head::Branch { .. } | Head::Detached { .. })) | None => {}
    }
    let (goal, paths) = found.to_commit.as_ref().filter(|(_, paths)| !paths.is_empty())?;
    Some(Refusal::NotCommitted { goal: (*goal).to_owned(), paths: paths.clone() })
}

impl Refusal {
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::NotReady(NotReady::InvalidConfig { findings }) => {
                say::invalid_config(lang, findings)
            }
            Self::NotReady(NotReady::NoAgent { line }) => say::no_agent(lang, line),
            Self::Git(problem) => problem.what(lang),
            Self::AlreadyRunning { pid } => say::already_running(lang, pid),
            Self::NotCommitted { goal, paths } => say::not_committed(lang, goal, named(paths)),
            Self::KeptWorkOutdated { name, paths } => {
                say::kept_work_outdated(lang, name, named(paths))
            }
        }
    }

    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::NotReady(NotReady::InvalidConfig { .. }) => say::invalid_config_next(lang),
            Self::NotReady(NotReady::NoAgent { .. }) => say::no_agent_next(lang),
            Self::Git(problem) => problem.next(lang),
            Self::AlreadyRunning { .. } => say::already_running_next(lang),
            Self::NotCommitted { .. } => say::not_committed_next(lang),
            Self::KeptWorkOutdated { name, .. } => say::kept_work_outdated_next(lang, name),
        }
    }
}

/// How many files a message names.
const NAMED: usize = 10;

/// The first of some paths, and how many more there are.
pub fn named(paths: &[String]) -> String {
    let shown = paths.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} (+{more})"),
    }
}
