//! How a call ended: the process's exit, what the stream said and what lies in the outbox, together.
//! The exit code alone decides nothing.

use crate::agents::events::{ApiError, ApiErrorClass, Ending};
use crate::agents::limit::{Limit, Moment};
use crate::agents::outbox::Word;
use crate::agents::presets::EndingIs;
use crate::agents::provider::Provider;
use crate::agents::reply::AgentReply;
use crate::process::exit::{Exit, NotStarted};

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The agent ended well. Whether its documents are, the outbox says.
    Completed,
    /// The agent needs a person, by its own word.
    Blocked {
        reason: String,
    },
    /// No attempt is spent.
    Limited(Limit),
    /// A person has to log in; trying again without that is useless.
    LoginNeeded {
        text: String,
    },
    /// The agent ended well without its documents, because it was not allowed to use these tools.
    Denied {
        tools: Vec<String>,
    },
    Failed {
        class: FailureClass,
        reason: String,
    },
    /// Nothing ran.
    NotStarted(NotStarted),
    /// The agent ended before a model answered: nothing of it counts.
    NeverBegan {
        reason: String,
    },
    Cancelled,
}

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureClass {
    /// `failed.json`, or an ending that the agent itself called a failure.
    AgentSaid,
    /// A request to the model failed for good.
    Api,
    Connection,
    /// A stream that ends without its ending: the agent died, or its connection did.
    NoEnding,
    ExitCode(i32),
    Signal(i32),
    TimedOut,
    Stalled,
    Flooded,
    /// It used all that the budget allows.
    Budget,
    /// Processes are left that could not be ended, or the guard was killed.
    Supervision,
    /// It changed what it may not.
    Strayed,
}

/// Everything that is known when a process has ended.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    pub provider: &'a Provider,
    pub exit: &'a Exit,
    pub reply: &'a AgentReply,
    pub documents: Documents,
    /// What the agent said in `blocked.json` or `failed.json`.
    pub word: Option<&'a Word>,
}

/// Whether the documents that must come back did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Documents {
    NoneExpected,
    Complete,
    Missing,
}

/// Names the outcome, first match wins.
pub fn classify(evidence: Evidence<'_>, moment: Moment) -> Outcome {
    let Evidence { exit, reply, word, .. } = evidence;
    match exit {
        Exit::NotStarted(cause) => return Outcome::NotStarted(cause.clone()),
        Exit::Cancelled => return Outcome::Cancelled,
        _ => {}
    }
    match word {
        Some(Word::Blocked { reason }) => return Outcome::Blocked { reason: reason.clone() },
        Some(Word::Failed { error }) => return failed(FailureClass::AgentSaid, error),
        None => {}
    }
    if reply.ending == Some(Ending::Success) {
        return after_success(evidence);
    }
    // Words in plain text are weaker than work that is there.
    let done = *exit == Exit::Exited(0) && evidence.documents == Documents::Complete;
    let counts = !done || reply.ending.is_some();
    if let Some(outcome) = refused(evidence, moment).filter(|_| counts) {
        return outcome;
    }
    without_success(evidence)
}

/// The stream says that all went well; only the supervisor can know better.
fn after_success(evidence: Evidence<'_>) -> Outcome {
    let Evidence { exit, reply, documents, .. } = evidence;
    if let Some(class) = ended_by_us(exit) {
        return failed(class, "");
    }
    if documents == Documents::Missing && !reply.denials.is_empty() {
        return Outcome::Denied { tools: reply.denials.clone() };
    }
    Outcome::Completed
}

/// A refusal by the model's service. It also explains a call that we ended while the agent was
/// waiting for the service.
fn refused(evidence: Evidence<'_>, moment: Moment) -> Option<Outcome> {
    let Evidence { reply, .. } = evidence;
    let error = reply.last_error();
    let class = error.map(|error| class_of(error, evidence));
    if class == Some(ApiErrorClass::Login) {
        return Some(Outcome::LoginNeeded {
            text: error.map_or_else(String::new, |e| e.text.clone()),
        });
    }
    if let Some(limit) = reply.limit(moment) {
        return Some(Outcome::Limited(limit));
    }
    match (class, error) {
        (Some(ApiErrorClass::Limit(cause)), Some(error)) => {
            let resume_at = error.reset.and_then(|reset| reset.resolve(moment));
            Some(Outcome::Limited(Limit { cause, resume_at, text: error.text.clone() }))
        }
        _ => None,
    }
}

/// The class of an error; where its text has no status, the exit code may tell it.
fn class_of(error: &ApiError, evidence: Evidence<'_>) -> ApiErrorClass {
    let status = match (error.class(), evidence.exit) {
        (ApiErrorClass::Other, Exit::Exited(code)) => evidence.provider.status_of_exit(*code),
        _ => None,
    };
    match status {
        Some(_) => ApiError { status, ..error.clone() }.class(),
        None => error.class(),
    }
}

fn without_success(evidence: Evidence<'_>) -> Outcome {
    let Evidence { exit, reply, documents, provider, .. } = evidence;
    let words = reply.last_error().map_or("", |error| error.text.as_str());
    if let Some(class) = ended_by_us(exit) {
        return failed(class, words);
    }
    if let Exit::Signalled(signal) = exit {
        return failed(FailureClass::Signal(*signal), words);
    }
    if reply.ending == Some(Ending::Failure) {
        return match reply.last_error().map(ApiError::class) {
            Some(ApiErrorClass::Connection) => failed(FailureClass::Connection, words),
            Some(_) => failed(FailureClass::Api, words),
            None => failed(FailureClass::AgentSaid, words),
        };
    }
    match (provider.ending(), exit) {
        (EndingIs::Announced, Exit::Exited(0)) => failed(FailureClass::NoEnding, words),
        (_, Exit::Exited(code)) if *code != 0 && documents != Documents::Complete => {
            failed(FailureClass::ExitCode(*code), words)
        }
        (EndingIs::Announced, _) => failed(FailureClass::NoEnding, words),
        (EndingIs::Silent, _) => silent(evidence, words),
    }
}

/// An agent that just ends: its complaints count only where work is missing.
fn silent(evidence: Evidence<'_>, words: &str) -> Outcome {
    let error = evidence.reply.last_error();
    match (evidence.documents, error.map(ApiError::class)) {
        (Documents::Complete, _) | (_, None) => Outcome::Completed,
        (_, Some(ApiErrorClass::Connection)) => failed(FailureClass::Connection, words),
        (_, Some(_)) => failed(FailureClass::Api, words),
    }
}

fn ended_by_us(exit: &Exit) -> Option<FailureClass> {
    match exit {
        Exit::TimedOut => Some(FailureClass::TimedOut),
        Exit::Stalled => Some(FailureClass::Stalled),
        Exit::Flooded => Some(FailureClass::Flooded),
        Exit::Leaked(_) | Exit::Lost => Some(FailureClass::Supervision),
        Exit::Exited(_) | Exit::Signalled(_) | Exit::NotStarted(_) | Exit::Cancelled => None,
    }
}

fn failed(class: FailureClass, reason: &str) -> Outcome {
    Outcome::Failed { class, reason: reason.to_owned() }
}
