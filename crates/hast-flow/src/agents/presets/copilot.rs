//! GitHub Copilot CLI. Its last line says how it ended; it reports neither tokens nor money.

use serde_json::Value;

use super::json_line::{known, list, number, object, status, text};
use super::{Description, EndingIs, Home, PromptWay, Resume, no_status, plain};
use crate::agents::events::{AgentEvent, ApiError, Ending, Line};
use crate::agents::tool_use::ToolUse;
use crate::process::Stream;

pub(super) const DESCRIPTION: Description = Description {
    name: "copilot",
    program: "copilot",
    flags: &[
        "--allow-all-tools",
        "--allow-all-paths",
        "--disable-builtin-mcps",
        "--no-auto-update",
        "--output-format",
        "json",
    ],
    stream_words: &["json"],
    prompt: PromptWay::Stdin(&[]),
    resume: Resume::Never,
    env: &[],
    inherit: &["COPILOT_*", "XDG_CACHE_HOME", "GH_TOKEN", "GITHUB_TOKEN"],
    homes: &[
        Home::directory(&[("COPILOT_HOME", "")], ".copilot"),
        // It unpacks itself there before it does anything.
        Home::directory(
            &[("COPILOT_CACHE_HOME", ""), ("XDG_CACHE_HOME", "copilot")],
            ".cache/copilot",
        ),
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
    match text(&value, "/type") {
        Some("assistant.message") => known(message(&value)),
        Some("tool.execution_complete") => known(denied(&value)),
        Some("model.call_failure") => known([AgentEvent::Retry(error(&value))]),
        Some("session.error") => known([AgentEvent::Error(error(&value))]),
        Some("abort") => known([AgentEvent::Ended(Ending::Failure)]),
        Some("result") => known(result(&value)),
        Some(kind) if OTHERS.iter().any(|family| kind.starts_with(family)) => known([]),
        _ => Line::Raw,
    }
}

/// Families of lines that repeat what other lines say, or tell of its insides.
const OTHERS: &[&str] = &["session.", "assistant.", "user.", "model.", "tool.", "hook."];

fn message(value: &Value) -> Vec<AgentEvent> {
    let said = text(value, "/data/content").map(|text| AgentEvent::Said(text.to_owned()));
    let tools = list(value, "/data/toolRequests")
        .filter_map(|tool| Some(ToolUse::new(text(tool, "/name")?, tool.get("arguments"))))
        .map(AgentEvent::Tool);
    said.into_iter().chain(tools).collect()
}

fn denied(value: &Value) -> Option<AgentEvent> {
    let code = text(value, "/data/error/code")?;
    let tool = text(value, "/data/toolName").unwrap_or("a tool");
    (code == "denied" || code == "rejected").then(|| AgentEvent::Denied(tool.to_owned()))
}

fn error(value: &Value) -> ApiError {
    let words = text(value, "/data/message")
        .or_else(|| text(value, "/data/errorMessage"))
        .or_else(|| text(value, "/data/error"))
        .unwrap_or("error");
    ApiError::new(status(value, "/data/statusCode"), words)
}

/// The exit code is 0 after an abort too, so it does not undo a failure.
fn result(value: &Value) -> Vec<AgentEvent> {
    let session = text(value, "/sessionId").map(|id| AgentEvent::Session(id.to_owned()));
    let ending = match number(value, "/exitCode") {
        Some(0) => AgentEvent::Stopped,
        _ => AgentEvent::Ended(Ending::Failure),
    };
    session.into_iter().chain([ending]).collect()
}
