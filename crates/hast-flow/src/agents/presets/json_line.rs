//! Reading one JSON object a line, without caring what else is in it.

use serde_json::Value;

use crate::agents::events::{AgentEvent, Line};
use crate::agents::usage::Tokens;

/// The object on a line, or nothing where the line is something else.
pub(super) fn object(line: &str) -> Option<Value> {
    // Most foreign lines are plain text; looking at one byte is cheaper than a failed parse.
    if !line.starts_with('{') {
        return None;
    }
    serde_json::from_str(line).ok()
}

/// The text at a JSON pointer, unless it is empty.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

pub(super) fn number(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}

pub(super) fn status(value: &Value, pointer: &str) -> Option<u16> {
    number(value, pointer).and_then(|status| u16::try_from(status).ok())
}

pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// Tokens where `input` counts what came from the cache too; nothing if neither side is there.
pub(super) fn tokens(value: &Value, input: &str, output: &str, cached: &str) -> Option<Tokens> {
    let (input, output) = (number(value, input), number(value, output));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Tokens {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: number(value, cached).unwrap_or(0),
    })
}

/// A line that says these things, or nothing that matters.
pub(super) fn known(events: impl IntoIterator<Item = AgentEvent>) -> Line {
    Line::Known(events.into_iter().collect())
}
