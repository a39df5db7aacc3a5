//! Gemini CLI. Its exit code is the HTTP status of the failure, cut to eight bits.

use serde_json::Value;

use super::json_line::{known, object, text, tokens};
use super::{Description, EndingIs, Home, PromptWay, Resume, plain};
use crate::agents::events::{AgentEvent, ApiError, Ending, Line};
use crate::agents::tool_use::ToolUse;
use crate::agents::usage::Span;
use crate::process::Stream;

pub(super) const DESCRIPTION: Description = Description {
    name: "gemini",
    program: "gemini",
    flags: &["--approval-mode", "yolo", "-o", "stream-json"],
    stream_words: &["stream-json"],
    prompt: PromptWay::Stdin(&[]),
    resume: Resume::After("--resume"),
    env: &[("GEMINI_CLI_TRUST_WORKSPACE", "true")],
    inherit: &["GEMINI_*", "GOOGLE_*"],
    homes: &[Home::directory(&[("GEMINI_CLI_HOME", ".gemini")], ".gemini")],
    workspace: Some("--include-directories"),
    read_line,
    ending: EndingIs::Announced,
    status_of_exit,
};

/// Statuses that become exit codes above the small ones that mean something else.
const STATUSES: &[u16] = &[401, 403, 404, 429, 500, 503, 529];

fn status_of_exit(code: i32) -> Option<u16> {
    STATUSES.iter().copied().find(|status| i32::from(status & 255) == code)
}

fn read_line(stream: Stream, line: &str) -> Line {
    if stream == Stream::Err {
        return plain::read_error_stream(line);
    }
    let Some(value) = object(line) else { return Line::Raw };
    match text(&value, "/type") {
        Some("init") => known(
            text(&value, "/session_id")
                .map(|id| AgentEvent::Session(id.to_owned()))
                .into_iter()
                .chain(text(&value, "/model").map(|model| AgentEvent::Model(model.to_owned()))),
        ),
        Some("message") if text(&value, "/role") == Some("assistant") => {
            known(text(&value, "/content").map(|text| AgentEvent::SaidMore(text.to_owned())))
        }
        Some("tool_use") => {
            let used = |name| ToolUse::new(name, value.get("parameters"));
            known(text(&value, "/tool_name").map(|name| AgentEvent::Tool(used(name))))
        }
        Some("tool_result") => known(denied(&value)),
        Some("message") => known([]),
        Some("error") => {
            known(text(&value, "/message").map(|text| AgentEvent::Retry(ApiError::from_text(text))))
        }
        Some("result") => known(result(&value)),
        _ => Line::Raw,
    }
}

/// Tools that it does not offer where it may not write; a call of one of them says that it was not found.
const WRITING: &[&str] = &["write_file", "replace", "run_shell_command"];

/// A result names the tool's call only, which begins with the name of the tool.
fn denied(value: &Value) -> Option<AgentEvent> {
    let (tool, _) = text(value, "/tool_id")?.split_once("__")?;
    let refused = match text(value, "/error/type")? {
        "policy_violation" => true,
        "tool_not_registered" => WRITING.contains(&tool),
        _ => false,
    };
    refused.then(|| AgentEvent::Denied(tool.to_owned()))
}

fn result(value: &Value) -> Vec<AgentEvent> {
    let used = tokens(value, "/stats/input_tokens", "/stats/output_tokens", "/stats/cached");
    let mut events: Vec<AgentEvent> =
        used.map(|tokens| AgentEvent::Tokens(tokens, Span::Call)).into_iter().collect();
    if text(value, "/status") == Some("success") {
        events.push(AgentEvent::Ended(Ending::Success));
    } else {
        let words = text(value, "/error/message").unwrap_or("error");
        let error = AgentEvent::Error(ApiError::from_text(words));
        events.extend([error, AgentEvent::Ended(Ending::Failure)]);
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_it_does_not_offer_because_it_may_not_write_is_denied() {
        let line = |tool: &str, kind: &str| {
            let line = format!(
                r#"{{"type":"tool_result","tool_id":"{tool}__{tool}_1794978031599_0","status":"error","error":{{"type":"{kind}","message":"Tool not found."}}}}"#
            );
            read_line(Stream::Out, &line)
        };
        let denied = |tool: &str| known([AgentEvent::Denied(tool.to_owned())]);
        assert_eq!(line("write_file", "tool_not_registered"), denied("write_file"));
        assert_eq!(line("web_fetch", "policy_violation"), denied("web_fetch"));
        assert_eq!(line("no_such_tool", "tool_not_registered"), known([]));
        assert_eq!(line("write_file", "file_write_failure"), known([]));
    }
}
