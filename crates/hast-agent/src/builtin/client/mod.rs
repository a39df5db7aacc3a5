//! One request to a model and its answer, over the format of a vendor. The model's own content is
//! kept as it came and sent back untouched; text, calls, usage and the reason of the end are read
//! out of it.

pub mod anthropic;
pub mod chat;
pub mod failure;
pub mod http;
pub mod retry;
pub mod sse;
pub mod window;

use std::sync::Arc;
use std::time::Duration;

use hast_flow::agents::presets::builtin::Wire;
use hast_flow::agents::usage::Tokens;
use serde_json::Value;
use url::Url;

use super::tools::Offer;
use crate::tools::Secret;
use crate::tools::net::time::Time;
pub use failure::Failure;

/// Where requests go.
#[derive(Clone, Debug)]
pub struct Service {
    pub wire: Wire,
    pub model: String,
    pub base: Url,
    pub key: Option<Secret>,
    pub max_output_tokens: Option<u32>,
    /// So long the service may say nothing.
    pub silence: Duration,
}

/// A conversation, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// What hast says.
    Asked(String),
    /// The model's own content, in the service's format.
    Said(Value),
    /// What its calls gave, all of one turn, and a word of hast after them.
    Results { results: Vec<CallResult>, note: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    pub id: String,
    pub tool: String,
    pub text: String,
    pub ok: bool,
}

/// Everything of one request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub system: &'a str,
    pub tools: &'a [Offer],
    pub messages: &'a [Message],
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// To be sent back as it is.
    pub raw: Value,
    pub text: String,
    pub calls: Vec<ToolCall>,
    pub stop: Stop,
}

/// A use of a tool that the model asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub tool: String,
    /// The arguments, or why they cannot be read.
    pub arguments: Result<Value, String>,
}

/// Why the model ended its turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    #[default]
    Done,
    /// It had no more room for its answer: a last call may be cut.
    Length,
    /// The turn goes on with the next request.
    Paused,
    Refused(String),
    ContextFull,
}

/// What one try came to; what the service counted counts whether or not the try went well.
#[derive(Debug)]
pub struct Tried {
    pub usage: Option<Tokens>,
    pub reply: Result<Reply, Failure>,
}

/// Asks once.
pub fn ask(service: &Service, request: Request<'_>, time: &Arc<dyn Time>) -> Tried {
    match service.wire {
        Wire::Anthropic => anthropic::ask(service, request, time),
        Wire::OpenaiChat => chat::ask(service, request, time),
    }
}

/// Arguments that came as a text.
fn parsed(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(Value::Null) => Ok(Value::Object(serde_json::Map::new())),
        // Some encode the object twice.
        Ok(Value::String(inner)) => serde_json::from_str::<serde_json::Map<String, Value>>(&inner)
            .map(Value::Object)
            .map_err(|_| "the arguments are no JSON object".to_owned()),
        Ok(_) => Err("the arguments are no JSON object".to_owned()),
        Err(error) => Err(format!("the arguments are no JSON: {error}")),
    }
}
