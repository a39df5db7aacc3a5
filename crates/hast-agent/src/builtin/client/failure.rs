//! Why a request gave no answer, and which of the causes pass by themselves.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::tools::net::waiting::retry_after;

/// A request that gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub cause: Cause,
    pub status: Option<u16>,
    /// In words, without secrets.
    pub text: String,
    /// Not before then, says the service.
    pub after: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Too many requests, or the service is too busy.
    Busy,
    /// The service or the way to it is out of order.
    Broken,
    /// A person has to give a key, or to pay.
    Login,
    /// The conversation is larger than the window.
    ContextFull,
    /// The request itself is refused, and would be again.
    Rejected,
    Cancelled,
}

const MAX_TEXT: usize = 600;

/// Words of services for money that a person has to spend.
const MONEY: &[&str] = &[
    "insufficient_quota",
    "billing",
    "credit balance",
    "insufficient credits",
    "insufficient balance",
    "spend limit",
    "spending limit",
    "payment required",
    "quota_exceeded",
    "exceeded your current quota",
];
const FULL: &[&str] = &[
    "context_length_exceeded",
    "prompt is too long",
    "maximum context length",
    "context window",
    "exceeds the available context size",
    "exceed_context_size",
    "input length and `max_tokens` exceed",
    "too many tokens",
];

impl Failure {
    pub fn new(cause: Cause, text: impl AsRef<str>) -> Self {
        let text = text.as_ref().split_whitespace().collect::<Vec<_>>().join(" ");
        Self { cause, status: None, text: text.chars().take(MAX_TEXT).collect(), after: None }
    }

    pub fn broken(text: impl AsRef<str>) -> Self {
        Self::new(Cause::Broken, text)
    }

    pub fn cancelled() -> Self {
        Self::new(Cause::Cancelled, "cancelled")
    }

    /// Of an answer that is no success.
    pub fn of_status(status: u16, body: &str, after: Option<&str>, now: Timestamp) -> Self {
        let parsed: Option<Value> = serde_json::from_str(body).ok();
        let text = parsed.as_ref().map_or_else(|| words_of_page(body), words);
        let cause = cause_of(status, body);
        let after = after.and_then(|after| retry_after(after, now));
        Self { status: Some(status), after, ..Self::new(cause, text) }
    }

    /// Of an error inside of an answer that began well.
    pub fn of_error(error: &Value) -> Self {
        let text = words(error);
        let code = |name: &str| error.pointer(name).and_then(Value::as_u64);
        let status =
            code("/error/code").or_else(|| code("/code")).or_else(|| code("/error/status"));
        let status = status.and_then(|status| u16::try_from(status).ok());
        let kind = error.pointer("/error/type").or_else(|| error.get("type"));
        let known = match kind.and_then(Value::as_str).unwrap_or_default() {
            "overloaded_error" => Some(529),
            "rate_limit_error" => Some(429),
            "authentication_error" | "permission_error" => Some(401),
            "billing_error" => Some(402),
            "invalid_request_error" | "not_found_error" => Some(400),
            "api_error" | "timeout_error" | "server_error" => Some(500),
            _ => None,
        };
        let status = status.filter(|status| (400..600).contains(status)).or(known);
        let body = error.to_string();
        // An error of no known kind in mid-stream is a stream that broke.
        let cause = cause_of(status.unwrap_or(500), &body);
        Self { status, ..Self::new(cause, text) }
    }

    pub fn passes(&self) -> bool {
        matches!(self.cause, Cause::Busy | Cause::Broken)
    }
}

fn cause_of(status: u16, body: &str) -> Cause {
    let lower = body.to_ascii_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    match status {
        402 => Cause::Login,
        400 | 403 | 429 if says(MONEY) => Cause::Login,
        401 | 403 => Cause::Login,
        400 | 413 | 422 | 500 if says(FULL) => Cause::ContextFull,
        429 | 503 | 529 => Cause::Busy,
        408 | 409 | 425 => Cause::Broken,
        500.. => Cause::Broken,
        _ => Cause::Rejected,
    }
}

/// The message in an error, by the names that services give it.
fn words(error: &Value) -> String {
    let places = ["/error/message", "/message", "/error", "/detail", "/0/error/message"];
    let found = places.iter().find_map(|place| error.pointer(place).and_then(Value::as_str));
    found.map_or_else(|| error.to_string(), str::to_owned)
}

/// A page instead of an answer: enough to see what it is.
fn words_of_page(body: &str) -> String {
    let body = body.trim();
    if body.is_empty() { "an empty answer".to_owned() } else { body.chars().take(200).collect() }
}
