//! Output without a form: an agent of the user's own, `claude -p` as text, and error streams. Lines
//! that hast defines for such agents are understood.

use super::own_lines;
use crate::agents::events::{AgentEvent, ApiError, ApiErrorClass, Line};
use crate::process::Stream;

/// Reads the output of an agent whose lines are just text.
pub fn read_line(stream: Stream, line: &str) -> Line {
    match stream {
        Stream::Err => read_error_stream(line),
        Stream::Out => {
            if let Some(ours) = own_lines::read(line) {
                return ours;
            }
            let said = AgentEvent::Said(line.to_owned());
            Line::Known([Some(said), complaint(line, &[STARTS])].into_iter().flatten().collect())
        }
    }
}

/// Reads a line of the error stream of any agent: complaints count, the rest is kept as it is.
pub(super) fn read_error_stream(line: &str) -> Line {
    match retry(line).or_else(|| complaint(line, &[STARTS, STARTS_OF_ERRORS])) {
        Some(event) => Line::Known(vec![event]),
        None => Line::Raw,
    }
}

/// `Retrying in 60s (attempt 1/10): ...`, `Attempt 1 failed with status 529. Retrying ...`: the
/// time in it is the agent's own, not the service's.
fn retry(line: &str) -> Option<AgentEvent> {
    let is_retry = line.starts_with("Retrying in ")
        || line.starts_with("Attempt ") && line.contains(" failed") && line.contains("Retrying");
    is_retry.then(|| AgentEvent::Retry(ApiError { reset: None, ..ApiError::from_text(line) }))
}

/// How a line starts on which an agent says that it, not the work, has a problem. Anywhere else
/// the same words may belong to the work: an agent may well write about rate limits.
const STARTS: &[&str] = &[
    "api error",
    "[api error",
    "claude ai usage limit reached",
    "claude usage limit reached",
    "you've hit your",
    "you’ve hit your",
    "you have hit your",
    "5-hour limit reached",
    "session limit reached",
    "weekly limit reached",
    "usage limit reached",
    "not logged in",
    "please run /login",
    "invalid api key",
    "credit balance is too low",
    "ran into this error:",
];

/// More of them, for the error stream: nobody answers there.
const STARTS_OF_ERRORS: &[&str] = &[
    "error:",
    "error code: ",
    "fatal:",
    "unexpected status",
    "authentication_error",
    "rate limit",
];

fn complaint(line: &str, starts: &[&[&str]]) -> Option<AgentEvent> {
    let start: String = line.trim_start().chars().take(40).collect::<String>().to_lowercase();
    if !starts.iter().copied().flatten().any(|phrase| start.starts_with(phrase)) {
        return None;
    }
    let error = ApiError::from_text(line);
    match error.class() {
        // A compiler says `error:` too; only what we understand is worth more than the line itself.
        ApiErrorClass::Other => None,
        ApiErrorClass::Login | ApiErrorClass::Limit(_) | ApiErrorClass::Connection => {
            Some(AgentEvent::Error(error))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(line: &str) -> usize {
        match read_line(Stream::Out, line) {
            Line::Known(events) => {
                events.iter().filter(|event| matches!(event, AgentEvent::Error(_))).count()
            }
            Line::Raw => 0,
        }
    }

    #[test]
    fn a_complaint_counts_and_work_about_the_same_words_does_not() {
        for complaint in [
            "Claude AI usage limit reached|1794830400",
            "You've hit your session limit · resets 3pm (Asia/Seoul)",
            "API Error: 401 {\"type\":\"error\"}",
            "Not logged in · Please run /login",
        ] {
            assert_eq!(errors(complaint), 1, "{complaint}");
        }
        for work in [
            "I added a test for the rate limit of the server (429).",
            "The login page now says `not logged in`.",
            "Rate limit of 429 answers: done.",
            "Error: 401 is now answered with a page of its own.",
            "error: expected `;`, found `}`",
            "  - usage limit reached -> resume_at",
        ] {
            assert_eq!(errors(work), 0, "{work}");
        }
    }
}
