//! goose. It ends with 0 on every API failure; only what it says tells.

use serde_json::Value;

use super::json_line::{known, list, number, object, text};
use super::{Description, EndingIs, Home, PromptWay, Resume, no_status, plain};
use crate::agents::events::{AgentEvent, ApiError, Ending, Line};
use crate::agents::tool_use::ToolUse;
use crate::agents::usage::{Span, Tokens};
use crate::process::Stream;

pub(super) const DESCRIPTION: Description = Description {
    name: "goose",
    program: "goose",
    flags: &[
        "run",
        "--no-profile",
        "--with-builtin",
        "developer",
        "-q",
        "--output-format",
        "stream-json",
    ],
    stream_words: &["stream-json"],
    prompt: PromptWay::Stdin(&["-i", "-"]),
    resume: Resume::Never,
    env: &[("GOOSE_MODE", "auto"), ("GOOSE_TELEMETRY_ENABLED", "false")],
    inherit: &[
        "GOOSE_*",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "OPENAI_*",
        "ANTHROPIC_*",
        "GOOGLE_*",
        "OPENROUTER_*",
    ],
    homes: &[
        Home::directory(
            &[("GOOSE_PATH_ROOT", "config"), ("XDG_CONFIG_HOME", "goose")],
            ".config/goose",
        ),
        Home::directory(
            &[("GOOSE_PATH_ROOT", "data"), ("XDG_DATA_HOME", "goose")],
            ".local/share/goose",
        ),
        Home::directory(
            &[("GOOSE_PATH_ROOT", "state"), ("XDG_STATE_HOME", "goose")],
            ".local/state/goose",
        ),
    ],
    workspace: None,
    read_line,
    ending: EndingIs::Announced,
    status_of_exit: no_status,
};

/// How it says that a request failed, in the place of an answer.
const FAILED: &[&str] = &["Ran into this error:", "Network error:"];

fn read_line(stream: Stream, line: &str) -> Line {
    if stream == Stream::Err {
        return plain::read_error_stream(line);
    }
    let Some(value) = object(line) else { return plain::read_line(stream, line) };
    match text(&value, "/type") {
        Some("message") if text(&value, "/message/role") == Some("assistant") => {
            known(list(&value, "/message/content").flat_map(part))
        }
        Some("message" | "notification" | "model_change") => known([]),
        Some("error") => {
            let words = text(&value, "/error").unwrap_or("error");
            known([
                AgentEvent::Error(ApiError::from_text(words)),
                AgentEvent::Ended(Ending::Failure),
            ])
        }
        Some("complete") => known(complete(&value)),
        _ => Line::Raw,
    }
}

fn part(part: &Value) -> Vec<AgentEvent> {
    match text(part, "/type") {
        Some("text") => match text(part, "/text") {
            Some(words) if FAILED.iter().any(|start| words.trim_start().starts_with(start)) => {
                vec![
                    AgentEvent::Error(ApiError::from_text(words)),
                    AgentEvent::Ended(Ending::Failure),
                ]
            }
            Some(words) => vec![AgentEvent::SaidMore(words.to_owned())],
            None => Vec::new(),
        },
        Some("toolRequest") => {
            let name = text(part, "/toolCall/value/name").unwrap_or("tool");
            vec![AgentEvent::Tool(ToolUse::new(name, part.pointer("/toolCall/value/arguments")))]
        }
        _ => Vec::new(),
    }
}

/// It also comes after a failure and must not turn one into a success.
fn complete(value: &Value) -> Vec<AgentEvent> {
    let tokens = number(value, "/input_tokens").map(|input| Tokens {
        input,
        output: number(value, "/output_tokens").unwrap_or(0),
        cached: 0,
    });
    tokens
        .map(|tokens| AgentEvent::Tokens(tokens, Span::Session))
        .into_iter()
        .chain([AgentEvent::Stopped])
        .collect()
}
