//! Codex CLI. It reports tokens and no cost.

use serde_json::Value;

use super::json_line::{known, object, text, tokens};
use super::{Description, EndingIs, Home, PromptWay, Resume, no_status, plain};
use crate::agents::events::{AgentEvent, ApiError, Ending, Line};
use crate::agents::tool_use::ToolUse;
use crate::agents::usage::Span;
use crate::process::Stream;

pub(super) const DESCRIPTION: Description = Description {
    name: "codex",
    program: "codex",
    // Without a network it would otherwise wait for one as long as we let it.
    flags: &[
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        "--skip-git-repo-check",
        "-c",
        "features.unbounded_connection_retries=false",
        "--json",
    ],
    stream_words: &["--json"],
    prompt: PromptWay::Stdin(&["-"]),
    resume: Resume::After("resume"),
    env: &[],
    inherit: &["CODEX_*", "OPENAI_*"],
    homes: &[Home::directory(&[("CODEX_HOME", "")], ".codex")],
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
        Some("thread.started") => {
            known(text(&value, "/thread_id").map(|id| AgentEvent::Session(id.to_owned())))
        }
        Some("turn.started" | "item.updated") => known([]),
        Some("item.started") => known(tool(&value)),
        Some("item.completed") => known(item(&value)),
        Some("error") => known([error(text(&value, "/message").unwrap_or("error"))]),
        Some("turn.failed") => {
            let words = text(&value, "/error/message").unwrap_or("the turn failed");
            let error = AgentEvent::Error(ApiError::from_text(words));
            known([error, AgentEvent::Ended(Ending::Failure)])
        }
        Some("turn.completed") => known(completed(&value)),
        _ => Line::Raw,
    }
}

/// What it says while it tries again is not yet a failure.
fn error(words: &str) -> AgentEvent {
    let error = ApiError::from_text(words);
    if words.starts_with("Reconnecting") {
        AgentEvent::Retry(error)
    } else {
        AgentEvent::Error(error)
    }
}

fn tool(value: &Value) -> Option<AgentEvent> {
    match text(value, "/item/type")? {
        "agent_message" | "reasoning" | "error" | "todo_list" => None,
        kind => {
            let changed = value.pointer("/item/changes/0");
            let on = changed.or_else(|| value.get("item"));
            Some(AgentEvent::Tool(ToolUse::new(kind, on)))
        }
    }
}

/// An item of type `error` may be a mere warning: the ending of the turn decides.
fn item(value: &Value) -> Option<AgentEvent> {
    match text(value, "/item/type")? {
        "agent_message" => text(value, "/item/text").map(|text| AgentEvent::Said(text.to_owned())),
        kind => was_refused(value).then(|| AgentEvent::Denied(kind.to_owned())),
    }
}

/// Refused by its policy; or by its own sandbox, which does not start inside of another.
fn was_refused(value: &Value) -> bool {
    let output = text(value, "/item/aggregated_output").unwrap_or_default();
    let no_sandbox = output.starts_with("bwrap: ") && output.contains("setting up uid map");
    text(value, "/item/status") == Some("declined") || no_sandbox
}

fn completed(value: &Value) -> Vec<AgentEvent> {
    let used =
        tokens(value, "/usage/input_tokens", "/usage/output_tokens", "/usage/cached_input_tokens");
    let mut events: Vec<AgentEvent> =
        used.map(|tokens| AgentEvent::Tokens(tokens, Span::Session)).into_iter().collect();
    events.push(AgentEvent::Ended(Ending::Success));
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_its_policy_or_its_own_sandbox_refused_is_denied() {
        let line = |status: &str, output: &str| {
            let line = format!(
                r#"{{"type":"item.completed","item":{{"type":"command_execution","status":"{status}","aggregated_output":"{output}"}}}}"#
            );
            read_line(Stream::Out, &line)
        };
        let denied = known([AgentEvent::Denied("command_execution".to_owned())]);
        let no_sandbox = "bwrap: setting up uid map: Permission denied\\n";
        assert_eq!(line("failed", no_sandbox), denied);
        assert_eq!(line("declined", ""), denied);
        assert_eq!(line("failed", "cat: x: No such file or directory\\n"), known([]));
        assert_eq!(line("completed", ""), known([]));
    }
}
