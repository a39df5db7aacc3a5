//! OpenAI's Chat Completions, and the servers that speak it: Ollama, llama.cpp, vLLM, OpenRouter.

use std::sync::Arc;

use hast_flow::agents::usage::Tokens;
use serde_json::{Map, Value, json};

use super::failure::Failure;
use super::http::{Flow, Post, stream};
use super::{Message, Reply, Request, Service, Stop, ToolCall, Tried, parsed};
use crate::builtin::address::at;
use crate::tools::net::time::Time;

pub fn ask(service: &Service, request: Request<'_>, time: &Arc<dyn Time>) -> Tried {
    let headers =
        service.key.iter().map(|key| ("authorization", format!("Bearer {}", key.reveal())));
    let post = Post {
        url: at(&service.base, "v1/chat/completions"),
        headers: headers.chain([("accept", "text/event-stream".to_owned())]).collect(),
        body: Some(body(service, request)),
    };
    let mut reading = Reading::default();
    let ended = stream(post, service.silence, time, |event| reading.take(&event.data));
    let usage = reading.usage;
    Tried { usage, reply: ended.and_then(|()| reading.finish()) }
}

pub fn body(service: &Service, request: Request<'_>) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": request.system })];
    for message in request.messages {
        match message {
            Message::Asked(text) => messages.push(json!({ "role": "user", "content": text })),
            Message::Said(raw) => messages.push(raw.clone()),
            Message::Results { results, note } => {
                messages.extend(results.iter().map(|result| {
                    json!({ "role": "tool", "tool_call_id": result.id, "content": result.text })
                }));
                messages.extend(note.iter().map(|note| json!({ "role": "user", "content": note })));
            }
        }
    }
    let tools = request.tools.iter().map(|tool| {
        let function =
            json!({ "name": tool.name, "description": tool.about, "parameters": tool.schema });
        json!({ "type": "function", "function": function })
    });
    let mut body = json!({
        "model": service.model,
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    let tools: Vec<Value> = tools.collect();
    if !tools.is_empty() {
        body["tools"] = tools.into();
    }
    if let Some(most) = service.max_output_tokens {
        // The vendor has another name for it by now; everything else knows the first.
        let vendor = service.base.host_str() == Some("api.openai.com");
        body[if vendor { "max_completion_tokens" } else { "max_tokens" }] = most.into();
    }
    body
}

/// A call as its pieces come.
#[derive(Debug, Default)]
struct Piece {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// An answer as it comes.
#[derive(Debug, Default)]
pub struct Reading {
    pub usage: Option<Tokens>,
    text: String,
    refusal: String,
    pieces: Vec<Piece>,
    finish: Option<String>,
    done: bool,
}

impl Reading {
    pub fn take(&mut self, data: &str) -> Result<Flow, Failure> {
        let data = data.trim();
        if data == "[DONE]" {
            self.done = true;
            return Ok(Flow::Enough);
        }
        if data.is_empty() {
            return Ok(Flow::More);
        }
        let chunk: Value = serde_json::from_str(data)
            .map_err(|_| Failure::broken("a piece of the answer is no JSON"))?;
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Failure::of_error(&chunk));
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            let number = |place: &str| usage.pointer(place).and_then(Value::as_u64).unwrap_or(0);
            // Some repeat it in each piece: the last counts, and it is never added.
            self.usage = Some(Tokens {
                input: number("/prompt_tokens"),
                output: number("/completion_tokens"),
                cached: number("/prompt_tokens_details/cached_tokens"),
            });
        }
        let Some(choice) = chunk.pointer("/choices/0") else { return Ok(Flow::More) };
        let delta = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(&Value::Null);
        if let Some(text) = delta.get("content").and_then(Value::as_str) {
            self.text += text;
        }
        if let Some(text) = delta.get("refusal").and_then(Value::as_str) {
            self.refusal += text;
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.piece(call);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
        }
        Ok(Flow::More)
    }

    /// Joins pieces by their index; without one, a new id begins a new call.
    fn piece(&mut self, call: &Value) {
        let text = |place: &str| call.pointer(place).and_then(Value::as_str).unwrap_or_default();
        let index = call.get("index").and_then(Value::as_u64);
        let (id, name) = (text("/id"), text("/function/name"));
        let known = match index {
            Some(_) => self.pieces.iter().position(|piece| piece.index == index),
            None if !id.is_empty() => self.pieces.iter().position(|piece| piece.id == id),
            None if !name.is_empty() => None,
            None => self.pieces.len().checked_sub(1),
        };
        let at = known.unwrap_or_else(|| {
            self.pieces.push(Piece { index, ..Piece::default() });
            self.pieces.len() - 1
        });
        let piece = &mut self.pieces[at];
        if piece.id.is_empty() {
            id.clone_into(&mut piece.id);
        }
        if piece.name.is_empty() {
            name.clone_into(&mut piece.name);
        }
        match call.pointer("/function/arguments") {
            Some(Value::String(more)) => piece.arguments += more,
            // Some send the object itself.
            Some(object @ Value::Object(_)) => piece.arguments = object.to_string(),
            _ => {}
        }
    }

    /// The answer. Servers that leave `[DONE]` out are believed once they gave a reason for the end.
    pub fn finish(self) -> Result<Reply, Failure> {
        let Some(finish) = self.finish.clone().or_else(|| self.done.then(String::new)) else {
            return Err(Failure::broken("the answer was cut before its end"));
        };
        let cut = finish == "length";
        let mut calls = Vec::new();
        for (number, piece) in self.pieces.iter().enumerate() {
            let id = match piece.id.as_str() {
                "" => format!("call_{number}"),
                id => id.to_owned(),
            };
            let arguments = parsed(&piece.arguments);
            // The last call of an answer that was cut may lack its end and still be JSON by chance.
            let last = cut && number + 1 == self.pieces.len();
            let arguments = if last { Err(CUT.to_owned()) } else { arguments };
            calls.push(ToolCall { id, tool: piece.name.clone(), arguments });
        }
        let stop = match finish.as_str() {
            "length" => Stop::Length,
            "content_filter" => Stop::Refused("the service's content filter".to_owned()),
            _ if !self.refusal.is_empty() => Stop::Refused(self.refusal.clone()),
            _ => Stop::Done,
        };
        let raw = self.raw(&calls);
        Ok(Reply { raw, text: self.text, calls, stop })
    }

    /// The message that goes back. Arguments that are no JSON would be refused there.
    fn raw(&self, calls: &[ToolCall]) -> Value {
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        let empty = self.text.is_empty() && !calls.is_empty();
        message.insert(
            "content".to_owned(),
            if empty { Value::Null } else { self.text.clone().into() },
        );
        if !calls.is_empty() {
            let calls = calls.iter().zip(&self.pieces).map(|(call, piece)| {
                let arguments = match &call.arguments {
                    Ok(_) if !piece.arguments.trim().is_empty() => piece.arguments.as_str(),
                    _ => "{}",
                };
                let function = json!({ "name": call.tool, "arguments": arguments });
                json!({ "id": call.id, "type": "function", "function": function })
            });
            message.insert("tool_calls".to_owned(), calls.collect::<Vec<Value>>().into());
        }
        Value::Object(message)
    }
}

/// The finding for a call that the limit of the output cut.
pub(super) const CUT: &str = "the answer was cut at the limit of output tokens in this call; make it again, in smaller parts";
