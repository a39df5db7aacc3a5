//! Aider. It prints text and ends with 0 whatever happened; without flags it commits by itself.

use super::{Description, EndingIs, Home, PromptWay, Resume, no_status, plain};
use crate::agents::events::{AgentEvent, ApiError, Line};
use crate::agents::usage::{Span, Tokens, Usd};
use crate::process::Stream;

pub(super) const DESCRIPTION: Description = Description {
    name: "aider",
    program: "aider",
    flags: &[
        "--yes-always",
        "--no-auto-commits",
        "--chat-history-file",
        "/dev/null",
        "--input-history-file",
        "/dev/null",
        "--no-check-update",
        "--analytics-disable",
        "--no-pretty",
        "--no-gitignore",
        "--no-show-model-warnings",
    ],
    stream_words: &["--no-pretty"],
    prompt: PromptWay::FileAfter("--message-file"),
    resume: Resume::Never,
    env: &[],
    inherit: &["AIDER_*", "OPENAI_*", "ANTHROPIC_*", "GEMINI_*", "OPENROUTER_*", "DEEPSEEK_*"],
    homes: &[Home::directory(&[], ".aider"), Home::file(&[], ".aider.conf.yml")],
    workspace: None,
    read_line,
    ending: EndingIs::Silent,
    status_of_exit: no_status,
};

fn read_line(stream: Stream, line: &str) -> Line {
    match (stream, line.strip_prefix("Tokens: "), failure(line)) {
        (Stream::Out, Some(rest), _) => Line::Known(used(rest)),
        (_, None, Some(error)) => Line::Known(vec![AgentEvent::Error(error)]),
        _ => plain::read_line(stream, line),
    }
}

/// `litellm.RateLimitError: ...`, also right after a piece of an answer that broke off.
fn failure(line: &str) -> Option<ApiError> {
    let words = &line[line.find("litellm.")?..];
    let (name, _) = words.split_once(": ")?;
    name.ends_with("Error").then(|| ApiError::from_text(words))
}

/// `1.2k sent, 34 received. Cost: $0.01 message, $0.02 session.`
fn used(rest: &str) -> Vec<AgentEvent> {
    let (counts, cost) = rest.split_once(" Cost: ").unwrap_or((rest, ""));
    let count = |word: &str| {
        counts.split(", ").find_map(|part| rounded(part.trim_end_matches('.').strip_suffix(word)?))
    };
    let cached = count(" cache hit").unwrap_or(0);
    let tokens = count(" sent").map(|input| Tokens {
        input,
        output: count(" received").unwrap_or(0),
        cached: cached.min(input),
    });
    let message = cost.split(' ').next().and_then(|word| word.strip_prefix('$'));
    let dollars = message.and_then(|word| word.parse().ok()).and_then(Usd::from_dollars);
    tokens
        .map(|tokens| AgentEvent::Tokens(tokens, Span::Step))
        .into_iter()
        .chain(dollars.map(|cost| AgentEvent::Cost(cost, Span::Step)))
        .collect()
}

/// `621`, `9.5k`, `1.2M`.
fn rounded(word: &str) -> Option<u64> {
    let (digits, unit) = match word.char_indices().last()? {
        (at, 'k') => (&word[..at], 1_000.0),
        (at, 'M') => (&word[..at], 1_000_000.0),
        _ => (word, 1.0),
    };
    let number: f64 = digits.replace(',', "").parse().ok()?;
    format!("{:.0}", number * unit).parse().ok()
}
