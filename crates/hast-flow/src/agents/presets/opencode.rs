//! opencode. It reports tokens and cost for every step, and nothing at the end.

use serde_json::Value;

use super::json_line::{number, object, status, text};
use super::{Description, EndingIs, Home, PromptWay, Resume, no_status, plain};
use crate::agents::events::{AgentEvent, ApiError, Ending, Line};
use crate::agents::limit::find_reset;
use crate::agents::tool_use::ToolUse;
use crate::agents::usage::{Span, Tokens, Usd};
use crate::process::Stream;

pub(super) const DESCRIPTION: Description = Description {
    name: "opencode",
    program: "opencode",
    flags: &["run", "--auto", "--format", "json"],
    stream_words: &["json"],
    prompt: PromptWay::Stdin(&[]),
    resume: Resume::Never,
    env: &[("OPENCODE_DISABLE_AUTOUPDATE", "1")],
    inherit: &[
        "OPENCODE_*",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "ANTHROPIC_*",
        "OPENAI_*",
        "OPENROUTER_*",
        "GEMINI_*",
        "GOOGLE_*",
    ],
    homes: &[
        Home::directory(&[("XDG_CONFIG_HOME", "opencode")], ".config/opencode"),
        Home::directory(&[("XDG_DATA_HOME", "opencode")], ".local/share/opencode"),
        Home::directory(&[("XDG_STATE_HOME", "opencode")], ".local/state/opencode"),
        Home::directory(&[("XDG_CACHE_HOME", "opencode")], ".cache/opencode"),
    ],
    workspace: None,
    read_line,
    ending: EndingIs::Announced,
    status_of_exit: no_status,
};

fn read_line(stream: Stream, line: &str) -> Line {
    if stream == Stream::Err {
        return plain::read_error_stream(line);
    }
    let Some(value) = object(line) else { return Line::Raw };
    let mut events: Vec<AgentEvent> = text(&value, "/sessionID")
        .map(|id| AgentEvent::Session(id.to_owned()))
        .into_iter()
        .collect();
    match text(&value, "/type") {
        Some("step_start" | "reasoning") => {}
        Some("text") => {
            events.extend(text(&value, "/part/text").map(|text| AgentEvent::Said(text.to_owned())));
        }
        Some("tool_use") => events.extend(tool(&value)),
        Some("step_finish") => events.extend(step(&value)),
        Some("error") => {
            let words = text(&value, "/error/data/message")
                .or_else(|| text(&value, "/error/name"))
                .unwrap_or("error");
            let mut error = ApiError::new(status(&value, "/error/data/statusCode"), words);
            let wait = text(&value, "/error/data/responseHeaders/retry-after");
            error.reset = wait.and_then(|wait| find_reset(&format!("retry after {wait}")));
            events.extend([AgentEvent::Error(error), AgentEvent::Ended(Ending::Failure)]);
        }
        _ => return Line::Raw,
    }
    Line::Known(events)
}

fn tool(value: &Value) -> Vec<AgentEvent> {
    let name = text(value, "/part/tool").unwrap_or("tool").to_owned();
    let refused = text(value, "/part/state/error").is_some_and(|error| {
        error.contains("rejected permission") || error.contains("permission denied")
    });
    let denied = refused.then(|| AgentEvent::Denied(name.clone()));
    let used = ToolUse::new(&name, value.pointer("/part/state/input"));
    [Some(AgentEvent::Tool(used)), denied].into_iter().flatten().collect()
}

fn step(value: &Value) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    if let Some(input) = number(value, "/part/tokens/input") {
        let read = number(value, "/part/tokens/cache/read").unwrap_or(0);
        let written = number(value, "/part/tokens/cache/write").unwrap_or(0);
        let reasoning = number(value, "/part/tokens/reasoning").unwrap_or(0);
        let output = number(value, "/part/tokens/output").unwrap_or(0);
        let tokens = Tokens {
            input: input.saturating_add(read).saturating_add(written),
            output: output.saturating_add(reasoning),
            cached: read,
        };
        events.push(AgentEvent::Tokens(tokens, Span::Step));
    }
    // It prints 0 for models whose price it does not know.
    let cost = value.pointer("/part/cost").and_then(Value::as_f64).filter(|cost| *cost > 0.0);
    let cost = cost.and_then(Usd::from_dollars);
    events.extend(cost.map(|cost| AgentEvent::Cost(cost, Span::Step)));
    match text(value, "/part/reason") {
        Some("tool-calls") => {}
        Some("stop" | "length") => events.push(AgentEvent::Ended(Ending::Success)),
        _ => events.push(AgentEvent::Ended(Ending::Failure)),
    }
    events
}
