//! The stream that claude prints and qwen copied: `system`, `assistant`, `user`, `result`.

use serde_json::Value;

use super::json_line::{known, list, number, object, status, text};
use crate::agents::events::{AgentEvent, ApiError, Ending, Line};
use crate::agents::tool_use::ToolUse;
use crate::agents::usage::{Span, Tokens, Usd};

/// Whether `input_tokens` counts what was read from the cache.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cache {
    Beside,
    Inside,
}

pub(super) fn read(line: &str, cache: Cache) -> Line {
    let Some(value) = object(line) else { return Line::Raw };
    match text(&value, "/type") {
        Some("system") => system(&value),
        Some("assistant") => known(said(&value, cache)),
        Some("result") => known(result(&value, cache)),
        Some("user" | "stream_event" | "rate_limit_event") => known([]),
        _ => Line::Raw,
    }
}

fn system(value: &Value) -> Line {
    match text(value, "/subtype") {
        Some("init") => known(
            session(value)
                .chain(text(value, "/model").map(|model| AgentEvent::Model(model.to_owned()))),
        ),
        Some("api_retry") => {
            let words = text(value, "/error").unwrap_or("request failed");
            known([AgentEvent::Retry(ApiError::new(status(value, "/error_status"), words))])
        }
        _ => known([]),
    }
}

fn session(value: &Value) -> impl Iterator<Item = AgentEvent> {
    text(value, "/session_id").map(|id| AgentEvent::Session(id.to_owned())).into_iter()
}

/// What the agent prints in the model's place about a request that failed is no answer; its result says it
/// again.
fn said(value: &Value, cache: Cache) -> Vec<AgentEvent> {
    if text(value, "/message/model") == Some("<synthetic>") {
        return Vec::new();
    }
    let used = text(value, "/message/id").zip(tokens(value, "/message/usage", cache));
    let used = used.map(|(id, tokens)| AgentEvent::MessageTokens(id.to_owned(), tokens));
    let parts = list(value, "/message/content").filter_map(|part| match text(part, "/type") {
        Some("text") => text(part, "/text").map(|text| AgentEvent::Said(text.to_owned())),
        Some("tool_use") => {
            text(part, "/name").map(|name| AgentEvent::Tool(ToolUse::new(name, part.get("input"))))
        }
        _ => None,
    });
    used.into_iter().chain(parts).collect()
}

/// `subtype` is "success" on an API error too; only `is_error` tells.
fn result(value: &Value, cache: Cache) -> Vec<AgentEvent> {
    let mut events: Vec<AgentEvent> = session(value).collect();
    events.extend(
        tokens(value, "/usage", cache).map(|tokens| AgentEvent::Tokens(tokens, Span::Call)),
    );
    // On a resumed session the cost counts the calls before, the tokens do not.
    let cost = value.pointer("/total_cost_usd").and_then(Value::as_f64).and_then(Usd::from_dollars);
    events.extend(cost.map(|cost| AgentEvent::Cost(cost, Span::Session)));
    events.extend(list(value, "/permission_denials").map(|denial| {
        AgentEvent::Denied(text(denial, "/tool_name").unwrap_or("a tool").to_owned())
    }));
    let is_error = value.pointer("/is_error").and_then(Value::as_bool).unwrap_or(false);
    let words = text(value, "/result")
        .or_else(|| text(value, "/error/message"))
        .or_else(|| text(value, "/errors/0"))
        .or_else(|| text(value, "/subtype"));
    if is_error {
        let error = ApiError::new(status(value, "/api_error_status"), words.unwrap_or("error"));
        events.extend([AgentEvent::Error(error), AgentEvent::Ended(Ending::Failure)]);
    } else {
        events.extend(text(value, "/result").map(|text| AgentEvent::Final(text.to_owned())));
        events.push(AgentEvent::Ended(Ending::Success));
    }
    events
}

fn tokens(value: &Value, usage: &str, cache: Cache) -> Option<Tokens> {
    let usage = value.pointer(usage)?;
    let input = number(usage, "/input_tokens")?;
    let read = number(usage, "/cache_read_input_tokens").unwrap_or(0);
    let written = number(usage, "/cache_creation_input_tokens").unwrap_or(0);
    let input = match cache {
        Cache::Beside => input.saturating_add(read).saturating_add(written),
        Cache::Inside => input,
    };
    let output = number(usage, "/output_tokens").unwrap_or(0);
    Some(Tokens { input, output, cached: read })
}
