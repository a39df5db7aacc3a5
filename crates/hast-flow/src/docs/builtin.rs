//! Lines that the built-in agent prints, a JSON object each. A public interface: fields are added, never
//! changed. `docs/builtin.md` says which fields each type has.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document;
use crate::time::UtcTime;

/// One line. What a type does not have is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BuiltinLine {
    #[serde(rename = "type")]
    pub kind: LineKind,
    /// `start`: the format that is spoken, `anthropic` or `openai-chat`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// `start`: the model that is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `start`: the tools of this call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// `text`: what the model says; `end`: the cause in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `call`, `result`: which use of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `call`: the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// `call`: what the tool was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<IndexMap<String, serde_json::Value>>,
    /// `result`: false where the tool could not do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// `result`: how long the answer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// `usage`: tokens of one request that went in, those from a cache included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// `usage`: tokens that came out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// `usage`: the part of `input` that was read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// `usage`: the cost of the request in millionths of a dollar, where the settings have a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_usd: Option<u64>,
    /// `retry`: why the request is made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// `retry`, `end`: the HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// `retry`: how long it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// `end`: why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<EndReason>,
    /// `end` with `limited`: when the service may be asked again, where it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_at: Option<UtcTime>,
}

document!(BuiltinLine, "builtin-line", Ndjson, Keep);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    #[default]
    Start,
    Text,
    Call,
    Result,
    Usage,
    Retry,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    Completed,
    Blocked,
    MaxTurns,
    ContextFull,
    Loop,
    FormatErrors,
    Refused,
    Limited,
    Login,
    Transport,
    Cancelled,
}

impl BuiltinLine {
    pub fn of(kind: LineKind) -> Self {
        Self { kind, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_fields_of_its_type_and_no_others() {
        let line = BuiltinLine {
            id: Some("c1".into()),
            ok: Some(true),
            bytes: Some(7),
            ..BuiltinLine::of(LineKind::Result)
        };
        let text = r#"{"type":"result","id":"c1","ok":true,"bytes":7}"#;
        assert_eq!(serde_json::to_string(&line).unwrap(), text);
        assert_eq!(serde_json::from_str::<BuiltinLine>(text).unwrap(), line);
    }
}
