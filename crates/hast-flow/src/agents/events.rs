//! Events are the meaning of an agent's output, line by line and the same for every dialect. The
//! readers of the dialects produce them. This module also classifies a failed request to a model by
//! its status and its text.

use crate::agents::limit::{LimitCause, Reset, find_reset};
use crate::agents::tool_use::ToolUse;
use crate::agents::usage::{Span, Tokens, Usd};

/// One thing that a line of output says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentEvent {
    /// The agent's own id of its session.
    Session(String),
    Model(String),
    /// Something the agent said on its way.
    Said(String),
    /// A piece of what it says, to be joined without a line break.
    SaidMore(String),
    /// A tool it uses.
    Tool(ToolUse),
    /// It tries the model again by itself.
    Retry(ApiError),
    Tokens(Tokens, Span),
    /// What one message of the model used, by its id. A message may be told more than once.
    MessageTokens(String, Tokens),
    Cost(Usd, Span),
    /// A request to the model failed. Only an ending without success makes it count.
    Error(ApiError),
    /// A tool that the agent was not allowed to use.
    Denied(String),
    /// The whole last message, where the agent repeats it.
    Final(String),
    Ended(Ending),
    /// It ended, well unless it said otherwise before.
    Stopped,
}

/// How the agent itself says that it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Success,
    Failure,
}

/// What a line of output is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Known(Vec<AgentEvent>),
    /// Nobody knows what it means; it is kept as it is.
    Raw,
}

/// A failed request to a model, or what reads like one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    pub status: Option<u16>,
    pub text: String,
    pub reset: Option<Reset>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiErrorClass {
    /// A person has to log in, give a key, or pay.
    Login,
    Limit(LimitCause),
    /// No connection, or one that broke.
    Connection,
    Other,
}

/// How much of an error's text is kept.
const MAX_ERROR_CHARS: usize = 2_000;

impl ApiError {
    pub fn new(status: Option<u16>, text: &str) -> Self {
        Self {
            status: status.or_else(|| status_in(text)),
            reset: find_reset(text),
            text: text.trim().chars().take(MAX_ERROR_CHARS).collect(),
        }
    }

    pub fn from_text(text: &str) -> Self {
        Self::new(None, text)
    }

    pub fn class(&self) -> ApiErrorClass {
        let lower = self.text.to_ascii_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
        match self.status {
            Some(401 | 402) => ApiErrorClass::Login,
            Some(429) if says(USAGE) => ApiErrorClass::Limit(LimitCause::Usage),
            Some(429) => ApiErrorClass::Limit(LimitCause::Rate),
            Some(503 | 529) => ApiErrorClass::Limit(LimitCause::Overloaded),
            _ if says(USAGE) => ApiErrorClass::Limit(LimitCause::Usage),
            _ if says(RATE) => ApiErrorClass::Limit(LimitCause::Rate),
            _ if says(OVERLOADED) => ApiErrorClass::Limit(LimitCause::Overloaded),
            _ if says(LOGIN) => ApiErrorClass::Login,
            _ if says(CONNECTION) => ApiErrorClass::Connection,
            _ => ApiErrorClass::Other,
        }
    }
}

const USAGE: &[&str] = &[
    "usage limit",
    "hit your limit",
    "limit reached",
    "session limit",
    "weekly limit",
    "usage_limit",
    "exceeded your current quota",
    "quota exceeded",
    "exhausted your",
    "daily quota",
];
const RATE: &[&str] = &[
    "rate limit",
    "rate_limit",
    "ratelimit",
    "too many requests",
    "resource_exhausted",
    "resource has been exhausted",
];
const OVERLOADED: &[&str] = &["overloaded"];
const LOGIN: &[&str] = &[
    "not logged in",
    "please run /login",
    "please log in",
    "login required",
    "invalid api key",
    "invalid x-api-key",
    "incorrect api key",
    "unauthorized",
    "authentication",
    "unauthenticated",
    "no api key",
    "api key is missing",
    "missing api key",
    "credit balance",
    "no authentication",
];
const CONNECTION: &[&str] = &[
    "econnrefused",
    "econnreset",
    "enotfound",
    "etimedout",
    "connection refused",
    "connection error",
    "connectionerror",
    "connection reset",
    "connection closed",
    "fetch failed",
    "stream disconnected",
    "socket hang up",
    "error sending request",
    "unable to connect",
    "could not connect",
    "error decoding response body",
    "unexpected eof",
    "cannot connect",
    "network error",
    "terminated",
];

/// HTTP statuses that mean something here, as agents print them inside their texts.
const STATUSES: &[&str] =
    &["400", "401", "402", "403", "404", "408", "413", "429", "500", "502", "503", "504", "529"];

fn status_in(text: &str) -> Option<u16> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '/')
        .map(|word| word.trim_matches('.'))
        .find(|word| STATUSES.contains(word))
        .and_then(|word| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_status_and_by_their_words() {
        for (text, status, class) in [
            (
                "API Error: Request rejected (429) · would exceed your rate limit",
                Some(429),
                ApiErrorClass::Limit(LimitCause::Rate),
            ),
            (
                "unexpected status 401 Unauthorized: x, url: http://h/500/v1",
                Some(401),
                ApiErrorClass::Login,
            ),
            (
                "You've hit your usage limit. Try again at 1:15 AM.",
                None,
                ApiErrorClass::Limit(LimitCause::Usage),
            ),
            ("API Error: 529 Overloaded.", Some(529), ApiErrorClass::Limit(LimitCause::Overloaded)),
            ("Not logged in · Please run /login", None, ApiErrorClass::Login),
            ("connect ECONNREFUSED 127.0.0.1:1", None, ApiErrorClass::Connection),
            ("500 Internal Server Error", Some(500), ApiErrorClass::Other),
            ("the prompt is too long by 4290 tokens", None, ApiErrorClass::Other),
        ] {
            let error = ApiError::from_text(text);
            assert_eq!((error.status, error.class()), (status, class), "{text}");
        }
    }
}
