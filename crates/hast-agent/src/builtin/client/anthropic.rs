//! Anthropic's Messages.

use std::collections::BTreeMap;
use std::sync::Arc;

use hast_flow::agents::usage::Tokens;
use serde_json::{Value, json};

use super::chat::CUT;
use super::failure::Failure;
use super::http::{Flow, Post, stream};
use super::{Message, Reply, Request, Service, Stop, ToolCall, Tried, parsed};
use crate::builtin::address::at;
use crate::tools::net::time::Time;

const VERSION: &str = "2023-06-01";
/// The format has no default.
const MAX_OUTPUT_TOKENS: u32 = 16_000;

pub fn ask(service: &Service, request: Request<'_>, time: &Arc<dyn Time>) -> Tried {
    let key = service.key.iter().map(|key| ("x-api-key", key.reveal().to_owned()));
    let fixed =
        [("anthropic-version", VERSION.to_owned()), ("accept", "text/event-stream".to_owned())];
    let post = Post {
        url: at(&service.base, "v1/messages"),
        headers: key.chain(fixed).collect(),
        body: Some(body(service, request)),
    };
    let mut reading = Reading::default();
    let ended = stream(post, service.silence, time, |event| reading.take(&event.data));
    let usage = reading.usage();
    Tried { usage, reply: ended.and_then(|()| reading.finish()) }
}

/// Tools, system, messages, in the order in which the cache looks at them, with a mark at the end of
/// each part.
pub fn body(service: &Service, request: Request<'_>) -> Value {
    let mark = json!({ "type": "ephemeral" });
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            json!({ "name": tool.name, "description": tool.about, "input_schema": tool.schema })
        })
        .collect();
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = mark.clone();
    }
    let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
    let tail = messages.last_mut().and_then(|last| last["content"].as_array_mut()?.last_mut());
    if let Some(tail) = tail {
        tail["cache_control"] = mark.clone();
    }
    json!({
        "model": service.model,
        "max_tokens": service.max_output_tokens.unwrap_or(MAX_OUTPUT_TOKENS),
        "stream": true,
        "tools": tools,
        "system": [{ "type": "text", "text": request.system, "cache_control": mark }],
        "messages": messages,
    })
}

fn message(message: &Message) -> Value {
    let text = |text: &str| json!({ "type": "text", "text": text });
    match message {
        Message::Asked(asked) => json!({ "role": "user", "content": [text(asked)] }),
        Message::Said(content) => json!({ "role": "assistant", "content": content }),
        Message::Results { results, note } => {
            // Results come first, all of one turn in one message.
            let results = results.iter().map(|result| {
                json!({
                    "type": "tool_result",
                    "tool_use_id": result.id,
                    "content": [text(&result.text)],
                    "is_error": !result.ok,
                })
            });
            let content: Vec<Value> = results.chain(note.iter().map(|note| text(note))).collect();
            json!({ "role": "user", "content": content })
        }
    }
}

/// An answer as it comes: its blocks by their index.
#[derive(Debug, Default)]
pub struct Reading {
    blocks: BTreeMap<u64, Value>,
    /// The JSON of calls, in pieces.
    inputs: BTreeMap<u64, String>,
    stop: Option<String>,
    /// The last number of each kind; they are cumulative.
    counts: BTreeMap<&'static str, u64>,
    stopped: bool,
}

const COUNTS: [&str; 4] =
    ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

impl Reading {
    pub fn take(&mut self, data: &str) -> Result<Flow, Failure> {
        if data.trim().is_empty() {
            return Ok(Flow::More);
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|_| Failure::broken("a piece of the answer is no JSON"))?;
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => self.count(event.pointer("/message/usage")),
            "content_block_start" => {
                let block = event.get("content_block").cloned().unwrap_or_default();
                self.blocks.insert(index, block);
            }
            "content_block_delta" => self.delta(index, event.get("delta").unwrap_or(&Value::Null)),
            "message_delta" => {
                self.count(event.get("usage"));
                if let Some(stop) = event.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    self.stop = Some(stop.to_owned());
                }
            }
            "message_stop" => {
                self.stopped = true;
                return Ok(Flow::Enough);
            }
            "error" => return Err(Failure::of_error(&event)),
            // `ping`, the end of a block, and what later versions add.
            _ => {}
        }
        Ok(Flow::More)
    }

    fn count(&mut self, usage: Option<&Value>) {
        for name in COUNTS {
            if let Some(number) = usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64) {
                self.counts.insert(name, number);
            }
        }
    }

    /// What the service counted; `input` there leaves the cache out.
    pub fn usage(&self) -> Option<Tokens> {
        let number = |name: &str| self.counts.get(name).copied().unwrap_or(0);
        let cached = number("cache_read_input_tokens");
        let input = number("input_tokens") + number("cache_creation_input_tokens") + cached;
        let output = number("output_tokens");
        (!self.counts.is_empty()).then_some(Tokens { input, output, cached })
    }

    fn delta(&mut self, index: u64, delta: &Value) {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = text("type");
        if kind == "input_json_delta" {
            *self.inputs.entry(index).or_default() += text("partial_json");
            return;
        }
        let Some(block) = self.blocks.get_mut(&index) else { return };
        let append = |block: &mut Value, name: &str, more: &str| {
            let before = block.get(name).and_then(Value::as_str).unwrap_or_default();
            block[name] = format!("{before}{more}").into();
        };
        match kind {
            "text_delta" => append(block, "text", text("text")),
            "thinking_delta" => append(block, "thinking", text("thinking")),
            "signature_delta" => append(block, "signature", text("signature")),
            "citations_delta" => {
                if let (Some(citation), Some(object)) =
                    (delta.get("citation"), block.as_object_mut())
                {
                    let list = object.entry("citations").or_insert_with(|| json!([]));
                    if let Some(list) = list.as_array_mut() {
                        list.push(citation.clone());
                    } else {
                        *list = json!([citation]);
                    }
                }
            }
            _ => {}
        }
    }

    pub fn finish(mut self) -> Result<Reply, Failure> {
        if !self.stopped {
            return Err(Failure::broken("the answer was cut before its end"));
        }
        let cut = self.stop.as_deref() == Some("max_tokens");
        let last = self.blocks.keys().next_back().copied();
        let (mut calls, mut text) = (Vec::new(), String::new());
        for (index, block) in &mut self.blocks {
            let of = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
            match of("type") {
                "text" => text += of("text"),
                "tool_use" => {
                    let (id, tool) = (of("id").to_owned(), of("name").to_owned());
                    // No piece at all means that there are no arguments.
                    let given = self.inputs.get(index).map_or("", String::as_str);
                    let began = block
                        .get("input")
                        .filter(|input| input.as_object().is_some_and(|o| !o.is_empty()));
                    let arguments = match (given.trim().is_empty(), began) {
                        (true, Some(input)) => Ok(input.clone()),
                        _ => parsed(given),
                    };
                    let arguments =
                        if cut && Some(*index) == last { Err(CUT.to_owned()) } else { arguments };
                    block["input"] = arguments.clone().unwrap_or_else(|_| json!({}));
                    calls.push(ToolCall { id, tool, arguments });
                }
                _ => {}
            }
        }
        let stop = match self.stop.as_deref().unwrap_or_default() {
            "max_tokens" => Stop::Length,
            "pause_turn" => Stop::Paused,
            "refusal" => Stop::Refused("the model refused to answer".to_owned()),
            "model_context_window_exceeded" => Stop::ContextFull,
            _ => Stop::Done,
        };
        // A text block without a text is refused when it comes back.
        let blank = |block: &Value| block["type"] == "text" && block["text"] == "";
        let content: Vec<Value> = self.blocks.into_values().filter(|block| !blank(block)).collect();
        Ok(Reply { raw: Value::Array(content), text, calls, stop })
    }
}
