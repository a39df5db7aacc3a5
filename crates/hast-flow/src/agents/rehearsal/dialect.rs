//! The lines that a real agent would print for what it says, uses and ends with; so that a
//! rehearsal exercises the same readers as the agent does.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::agents::presets::Preset;
use crate::docs::rehearsal::{
    ApiFailure, Dialect, LimitReport, LoginReport, Speech, SpeechEnd, SpeechUsage, Texts,
};

/// The preset whose lines these are; hast's own have none.
pub fn preset(dialect: Dialect) -> Option<Preset> {
    match dialect {
        Dialect::Hast => None,
        Dialect::Claude => Some(Preset::Claude),
        Dialect::Codex => Some(Preset::Codex),
        Dialect::Gemini => Some(Preset::Gemini),
        Dialect::Qwen => Some(Preset::Qwen),
        Dialect::Opencode => Some(Preset::Opencode),
        Dialect::Goose => Some(Preset::Goose),
        Dialect::Copilot => Some(Preset::Copilot),
        Dialect::Aider => Some(Preset::Aider),
    }
}

/// What a reached limit sounds like.
pub fn limit(report: &LimitReport) -> Speech {
    let LimitReport { like, status, text, resets_in, resets_at } = report.clone();
    let text = text.unwrap_or_else(|| "You have hit your usage limit.".to_owned());
    let error = ApiFailure { status: status.or(Some(429)), text, resets_in, resets_at };
    Speech { like, error: Some(error), ..Speech::default() }
}

/// What a missing login sounds like.
pub fn login(report: &LoginReport) -> Speech {
    let text = report.text.clone().unwrap_or_else(|| "Invalid API key".to_owned());
    let error = ApiFailure { status: Some(401), text, ..ApiFailure::default() };
    Speech { like: report.like, error: Some(error), ..Speech::default() }
}

/// The lines for standard output. A failed request ends with a failure; where a dialect tells the
/// usage only with the ending, the usage brings one.
pub fn lines(speech: &Speech, now: Timestamp) -> Vec<String> {
    let told = Told::new(speech, now);
    match speech.like.unwrap_or_default() {
        Dialect::Hast => told.hast(),
        Dialect::Claude => told.messages(CacheIs::Beside),
        Dialect::Qwen => told.messages(CacheIs::Inside),
        Dialect::Codex => told.codex(),
        Dialect::Gemini => told.gemini(),
        Dialect::Opencode => told.opencode(),
        Dialect::Goose => told.goose(),
        Dialect::Copilot => told.copilot(),
        Dialect::Aider => return told.aider(),
    }
    .into_iter()
    .map(|value| value.to_string())
    .collect()
}

#[derive(Clone, Copy, PartialEq)]
enum CacheIs {
    Beside,
    Inside,
}

/// A speech without its options.
struct Told<'s> {
    session: &'s str,
    model: &'s str,
    starts: bool,
    say: &'s [String],
    tool: &'s [String],
    denied: &'s [String],
    retry: Option<(&'s ApiFailure, Option<Timestamp>)>,
    error: Option<(&'s ApiFailure, Option<Timestamp>)>,
    usage: Option<SpeechUsage>,
    end: Option<SpeechEnd>,
}

impl<'s> Told<'s> {
    fn new(speech: &'s Speech, now: Timestamp) -> Self {
        let list = |texts: &'s Option<Texts>| texts.as_ref().map_or(&[][..], |texts| &texts.0);
        let reset = |failure: &ApiFailure| {
            let wait = failure.resets_in.map(|wait| SignedDuration::from_secs(wait.into()));
            let later = wait.and_then(|wait| now.checked_add(wait).ok());
            failure.resets_at.map(|time| time.instant()).or(later)
        };
        let failure = |failure: &'s Option<ApiFailure>| failure.as_ref().map(|f| (f, reset(f)));
        let failed = speech.error.as_ref().map(|_| SpeechEnd::Failure);
        Self {
            session: speech.session.as_deref().unwrap_or("rehearsal"),
            model: speech.model.as_deref().unwrap_or("rehearsal"),
            starts: speech.session.is_some() || speech.model.is_some(),
            say: list(&speech.say),
            tool: list(&speech.tool),
            denied: list(&speech.denied),
            retry: failure(&speech.retry),
            error: failure(&speech.error),
            usage: speech.usage,
            end: speech.end.or(failed),
        }
    }

    fn hast(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        if self.starts {
            lines.push(json!({ "hast": "session", "id": self.session }));
            lines.push(json!({ "hast": "model", "name": self.model }));
        }
        lines.extend(self.say.iter().map(|text| json!({ "hast": "said", "text": text })));
        lines.extend(self.tool.iter().map(|name| json!({ "hast": "tool", "name": name })));
        lines.extend(self.denied.iter().map(|name| json!({ "hast": "denied", "name": name })));
        for (kind, failure) in [("retry", self.retry), ("error", self.error)] {
            lines.extend(failure.map(|(failure, reset)| {
                json!({ "hast": kind, "status": failure.status, "text": failure.text,
                    "resets_at": reset.map(|at| at.to_string()) })
            }));
        }
        lines.extend(self.usage.map(|used| {
            json!({ "hast": "usage", "input_tokens": used.input, "output_tokens": used.output,
                "cached_tokens": used.cached.unwrap_or(0), "usd": used.usd, "of": "call" })
        }));
        let ok = self.end.map(|end| end == SpeechEnd::Success);
        lines.extend(ok.map(|ok| json!({ "hast": "ended", "ok": ok })));
        lines
    }

    /// claude and qwen.
    fn messages(&self, cache: CacheIs) -> Vec<Value> {
        let mut lines = Vec::new();
        if self.starts {
            lines.push(json!({ "type": "system", "subtype": "init", "session_id": self.session, "model": self.model }));
        }
        lines.extend(self.retry.map(|(failure, _)| {
            json!({ "type": "system", "subtype": "api_retry", "attempt": 1, "error_status": failure.status, "error": failure.text })
        }));
        let parts = self.say.iter().map(|text| json!({ "type": "text", "text": text }));
        let tools = self
            .tool
            .iter()
            .map(|name| json!({ "type": "tool_use", "id": "toolu_1", "name": name, "input": {} }));
        lines.extend(parts.chain(tools).map(|part| {
            json!({ "type": "assistant", "message": { "role": "assistant", "content": [part] }, "session_id": self.session })
        }));
        if self.end.is_some() || self.usage.is_some() || !self.denied.is_empty() {
            lines.push(self.messages_result(cache));
        }
        lines
    }

    fn messages_result(&self, cache: CacheIs) -> Value {
        let failed = self.end == Some(SpeechEnd::Failure);
        let words = match self.error {
            Some((failure, reset)) => with_reset(&failure.text, reset),
            None if failed => "it did not work".to_owned(),
            None => self.say.last().cloned().unwrap_or_default(),
        };
        let denials: Vec<Value> =
            self.denied.iter().map(|name| json!({ "tool_name": name })).collect();
        let usage = self.usage.map(|used| {
            let cached = used.cached.unwrap_or(0);
            let input = match cache {
                CacheIs::Beside => used.input.saturating_sub(cached),
                CacheIs::Inside => used.input,
            };
            json!({ "input_tokens": input, "cache_read_input_tokens": cached, "output_tokens": used.output })
        });
        json!({ "type": "result", "subtype": "success", "is_error": failed, "num_turns": 1,
            "session_id": self.session, "result": words, "usage": usage,
            "api_error_status": self.error.and_then(|(failure, _)| failure.status),
            "total_cost_usd": self.usage.and_then(|used| used.usd), "permission_denials": denials })
    }

    fn codex(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        if self.starts {
            lines.push(json!({ "type": "thread.started", "thread_id": self.session }));
            lines.push(json!({ "type": "turn.started" }));
        }
        lines.extend(self.retry.map(|failure| {
            json!({ "type": "error", "message": format!("Reconnecting... 1/5 ({})", in_words(failure)) })
        }));
        lines.extend(self.say.iter().map(|text| {
            json!({ "type": "item.completed", "item": { "id": "item_1", "type": "agent_message", "text": text } })
        }));
        lines.extend(self.tool.iter().map(
            |name| json!({ "type": "item.started", "item": { "id": "item_2", "type": name } }),
        ));
        if let Some(failure) = self.error {
            let message = in_words(failure);
            lines.push(json!({ "type": "error", "message": message }));
            lines.push(json!({ "type": "turn.failed", "error": { "message": message } }));
        } else if self.end == Some(SpeechEnd::Failure) {
            lines.push(json!({ "type": "turn.failed", "error": { "message": "it did not work" } }));
        } else if self.end.is_some() || self.usage.is_some() {
            let usage = self.usage.map(|used| {
                json!({ "input_tokens": used.input, "cached_input_tokens": used.cached.unwrap_or(0), "output_tokens": used.output })
            });
            lines.push(json!({ "type": "turn.completed", "usage": usage }));
        }
        lines
    }

    fn gemini(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        if self.starts {
            lines.push(json!({ "type": "init", "session_id": self.session, "model": self.model }));
        }
        lines.extend(self.retry.map(|failure| json!({ "type": "error", "severity": "warning", "message": in_words(failure) })));
        lines.extend(self.say.iter().map(|text| json!({ "type": "message", "role": "assistant", "content": text, "delta": true })));
        lines.extend(
            self.tool
                .iter()
                .map(|name| json!({ "type": "tool_use", "tool_name": name, "tool_id": "1" })),
        );
        if self.end.is_some() || self.usage.is_some() {
            let stats = self.usage.map(|used| {
                json!({ "input_tokens": used.input, "output_tokens": used.output, "cached": used.cached.unwrap_or(0) })
            });
            let error = self
                .error
                .map(|failure| json!({ "type": "FatalApiError", "message": in_words(failure) }));
            let status = if self.end == Some(SpeechEnd::Failure) { "error" } else { "success" };
            lines.push(
                json!({ "type": "result", "status": status, "error": error, "stats": stats }),
            );
        }
        lines
    }

    fn opencode(&self) -> Vec<Value> {
        let id = self.session;
        let mut lines = Vec::new();
        if self.starts {
            lines.push(json!({ "type": "step_start", "sessionID": id, "part": {} }));
        }
        lines.extend(
            self.say
                .iter()
                .map(|text| json!({ "type": "text", "sessionID": id, "part": { "text": text } })),
        );
        lines.extend(self.tool.iter().map(|name| json!({ "type": "tool_use", "sessionID": id, "part": { "tool": name, "state": { "status": "completed" } } })));
        lines.extend(self.denied.iter().map(|name| {
            json!({ "type": "tool_use", "sessionID": id, "part": { "tool": name, "state": { "status": "error", "error": "The user rejected permission to use this tool" } } })
        }));
        if let Some((failure, reset)) = self.error {
            let headers = reset.map(|at| json!({ "retry-after": at.to_string() }));
            lines.push(json!({ "type": "error", "sessionID": id, "error": { "name": "APIError", "data": {
                "message": failure.text, "statusCode": failure.status, "responseHeaders": headers } } }));
        } else if self.end.is_some() || self.usage.is_some() {
            let tokens = self.usage.map(|used| {
                let cached = used.cached.unwrap_or(0);
                json!({ "input": used.input.saturating_sub(cached), "output": used.output, "reasoning": 0, "cache": { "read": cached, "write": 0 } })
            });
            let reason = if self.end == Some(SpeechEnd::Failure) { "error" } else { "stop" };
            let cost = self.usage.and_then(|used| used.usd).unwrap_or(0.0);
            lines.push(json!({ "type": "step_finish", "sessionID": id, "part": { "reason": reason, "tokens": tokens, "cost": cost } }));
        }
        lines
    }

    fn goose(&self) -> Vec<Value> {
        let message = |part: Value| json!({ "type": "message", "message": { "role": "assistant", "content": [part] } });
        let text = |text: &str| message(json!({ "type": "text", "text": text }));
        let mut lines: Vec<Value> = self.say.iter().map(|said| text(said)).collect();
        lines.extend(self.tool.iter().map(|name| {
            message(json!({ "type": "toolRequest", "id": "1", "toolCall": { "value": { "name": name } } }))
        }));
        if let Some(failure) = self.error {
            lines.push(text(&format!("Ran into this error: {}", in_words(failure))));
        } else if self.end == Some(SpeechEnd::Failure) {
            lines.push(json!({ "type": "error", "error": "it did not work" }));
        }
        if self.end.is_some() || self.usage.is_some() {
            lines.push(json!({ "type": "complete", "input_tokens": self.usage.map(|used| used.input), "output_tokens": self.usage.map(|used| used.output) }));
        }
        lines
    }

    fn copilot(&self) -> Vec<Value> {
        let message = |content: &str, tools: Value| json!({ "type": "assistant.message", "data": { "content": content, "toolRequests": tools } });
        let mut lines: Vec<Value> = self.say.iter().map(|text| message(text, json!([]))).collect();
        lines.extend(self.tool.iter().map(|name| message("", json!([{ "name": name }]))));
        lines.extend(self.denied.iter().map(|name| {
            json!({ "type": "tool.execution_complete", "data": { "toolName": name, "success": false, "error": { "code": "denied" } } })
        }));
        let failed = |kind: &str, (failure, reset): (&ApiFailure, Option<Timestamp>)| json!({ "type": kind, "data": { "message": with_reset(&failure.text, reset), "statusCode": failure.status } });
        lines.extend(self.retry.map(|failure| failed("model.call_failure", failure)));
        lines.extend(self.error.map(|failure| failed("session.error", failure)));
        lines.extend(self.end.map(|end| {
            let code = u8::from(end == SpeechEnd::Failure);
            json!({ "type": "result", "sessionId": self.session, "exitCode": code, "usage": {} })
        }));
        lines
    }

    /// Text, as aider prints it.
    fn aider(&self) -> Vec<String> {
        let mut lines = self.say.to_vec();
        lines.extend(self.error.map(|(failure, reset)| {
            let kind = match failure.status {
                Some(401) => "AuthenticationError",
                Some(429) => "RateLimitError",
                _ => "APIError",
            };
            let status = failure.status.map(|status| format!("{status} ")).unwrap_or_default();
            format!("litellm.{kind}: {status}{}", with_reset(&failure.text, reset))
        }));
        lines.extend(self.usage.map(|used| {
            let cost = used.usd.map(|usd| format!(" Cost: ${usd} message, ${usd} session."));
            let cached =
                used.cached.map(|cached| format!(", {cached} cache hit")).unwrap_or_default();
            format!(
                "Tokens: {} sent{cached}, {} received.{}",
                used.input,
                used.output,
                cost.unwrap_or_default()
            )
        }));
        lines
    }
}

/// A failure as dialects tell it that have only words.
fn in_words((failure, reset): (&ApiFailure, Option<Timestamp>)) -> String {
    let status =
        failure.status.map(|status| format!("unexpected status {status}: ")).unwrap_or_default();
    format!("{status}{}", with_reset(&failure.text, reset))
}

fn with_reset(text: &str, reset: Option<Timestamp>) -> String {
    match reset {
        Some(at) => format!("{text} Try again at {at}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "dialect_tests.rs"]
mod tests;
