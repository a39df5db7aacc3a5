//! Lines that hast itself defines, for agents that people write: one JSON object a line with the
//! field `hast`. The page `docs/agents.md` has them; they are a public interface.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::json_line::{known, number, object, status, text, tokens};
use super::{Preset, plain};
use crate::agents::events::{AgentEvent, ApiError, Ending, Line};
use crate::agents::limit::Reset;
use crate::agents::tool_use::ToolUse;
use crate::agents::usage::{Span, Usd};
use crate::process::Stream;

/// Reads one of our lines; `None` where it is none, or says nothing that can be understood.
pub(super) fn read(line: &str) -> Option<Line> {
    // Cheaper than a failed parse, and it keeps other objects out of this.
    if !line.starts_with("{\"hast\":") && !line.starts_with("{\"hast\" :") {
        return None;
    }
    let value = object(line)?;
    let said = |pointer| text(&value, pointer).map(str::to_owned);
    let event = match text(&value, "/hast")? {
        "said" => AgentEvent::Said(said("/text")?),
        "final" => AgentEvent::Final(said("/text")?),
        "tool" => AgentEvent::Tool(ToolUse { name: said("/name")?, on: said("/on") }),
        "denied" => AgentEvent::Denied(said("/name")?),
        "session" => AgentEvent::Session(said("/id")?),
        "model" => AgentEvent::Model(said("/name")?),
        "retry" => AgentEvent::Retry(failure(&value)),
        "error" => AgentEvent::Error(failure(&value)),
        "usage" => return Some(known(usage(&value))),
        "ended" => AgentEvent::Ended(match value.pointer("/ok").and_then(Value::as_bool)? {
            true => Ending::Success,
            false => Ending::Failure,
        }),
        _ => return None,
    };
    Some(known([event]))
}

/// Reads the output of a rehearsal: our lines, lines of a preset that it plays, and text.
pub(crate) fn read_rehearsed(stream: Stream, line: &str) -> Line {
    match played(stream, line) {
        Some(line) => line,
        None => plain::read_line(stream, line),
    }
}

/// How a rehearsal prints a line of the preset that it plays, so that nobody has to guess whose
/// line it is.
pub fn played_line(preset: Preset, line: &str) -> String {
    json!({ "hast": "line", "of": preset.description().name, "line": line }).to_string()
}

fn played(stream: Stream, line: &str) -> Option<Line> {
    if !line.starts_with("{\"hast\":\"line\"") {
        return None;
    }
    let value = object(line)?;
    let preset = Preset::named(text(&value, "/of")?)?;
    Some((preset.description().read_line)(stream, text(&value, "/line")?))
}

fn failure(value: &Value) -> ApiError {
    let mut error =
        ApiError::new(status(value, "/status"), text(value, "/text").unwrap_or("error"));
    let at = text(value, "/resets_at").and_then(|time| time.parse::<Timestamp>().ok());
    let wait = number(value, "/resets_in_seconds").and_then(|wait| i64::try_from(wait).ok());
    let given = at.map(Reset::At).or(wait.map(|wait| Reset::In(SignedDuration::from_secs(wait))));
    error.reset = given.or(error.reset);
    error
}

fn usage(value: &Value) -> Vec<AgentEvent> {
    let span = match text(value, "/of") {
        Some("step") => Span::Step,
        Some("session") => Span::Session,
        _ => Span::Call,
    };
    let used = tokens(value, "/input_tokens", "/output_tokens", "/cached_tokens");
    let cost = value.pointer("/usd").and_then(Value::as_f64).and_then(Usd::from_dollars);
    let tokens = used.map(|tokens| AgentEvent::Tokens(tokens, span));
    tokens.into_iter().chain(cost.map(|cost| AgentEvent::Cost(cost, span))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::usage::Tokens;

    #[test]
    fn each_line_of_the_page_is_understood() {
        let tokens = Tokens { input: 10, output: 2, cached: 4 };
        let at = "2026-11-16T05:00:00Z".parse().unwrap();
        let limited = ApiError {
            status: Some(429),
            text: "slow down".to_owned(),
            reset: Some(Reset::At(at)),
        };
        for (line, expected) in [
            (r#"{"hast":"said","text":"hi"}"#, vec![AgentEvent::Said("hi".into())]),
            (r#"{"hast": "tool", "name": "Write"}"#, vec![AgentEvent::Tool("Write".into())]),
            (
                r#"{"hast":"tool","name":"Bash","on":"make"}"#,
                vec![AgentEvent::Tool(ToolUse { name: "Bash".into(), on: Some("make".into()) })],
            ),
            (r#"{"hast":"session","id":"s1"}"#, vec![AgentEvent::Session("s1".into())]),
            (
                r#"{"hast":"usage","input_tokens":10,"output_tokens":2,"cached_tokens":4,"usd":0.5,"of":"step"}"#,
                vec![
                    AgentEvent::Tokens(tokens, Span::Step),
                    AgentEvent::Cost(Usd(500_000), Span::Step),
                ],
            ),
            (
                r#"{"hast":"error","status":429,"text":"slow down","resets_at":"2026-11-16T05:00:00Z"}"#,
                vec![AgentEvent::Error(limited)],
            ),
            (r#"{"hast":"ended","ok":false}"#, vec![AgentEvent::Ended(Ending::Failure)]),
        ] {
            assert_eq!(plain::read_line(Stream::Out, line), Line::Known(expected), "{line}");
        }
    }

    #[test]
    fn anything_else_stays_text() {
        for line in [
            r#"{"hast":"sang","text":"la"}"#,
            r#"{"hast":"said"}"#,
            r#"{"hast":3}"#,
            r#"{"hast":"said","text":"x""#,
            r#"{"text":"x","hast":"said"}"#,
        ] {
            let said = AgentEvent::Said(line.to_owned());
            assert_eq!(plain::read_line(Stream::Out, line), Line::Known(vec![said]), "{line}");
        }
        let line = r#"{"hast":"ended","ok":true}"#;
        assert_eq!(plain::read_line(Stream::Err, line), Line::Raw);
    }
}
