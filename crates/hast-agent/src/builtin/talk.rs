//! The loop: ask, use the tools, answer, until the model is done or a bound is reached. The history
//! is linear and is all the memory there is.

use std::path::Path;
use std::sync::Arc;

use hast_flow::agents::usage::Tokens;
use hast_flow::docs::builtin::{BuiltinLine, EndReason, LineKind};
use hast_flow::docs::call::Call;
use hast_flow::docs::goals::BuiltinPrice;
use hast_flow::time::UtcTime;
use hast_flow::words::Lang;
use serde_json::Value;

use super::circle::{Circle, Verdict};
use super::client::failure::{Cause, Failure};
use super::client::retry::{self, Next};
use super::client::{CallResult, Message, Reply, Request, Service, Stop, ToolCall, ask};
use super::context::{Context, Pressure};
use super::prompt::{self, say};
use super::tools::{How, Offer, Tools};
use crate::tools::net::time::Time;

const MAX_TURNS: u32 = 80;
const MAX_FORMAT_ERRORS: u32 = 3;
/// So often a model that ends without its documents is told.
const MAX_REMINDERS: u32 = 2;
/// Calls of one answer; more are no work of a model.
const MAX_CALLS: usize = 64;

/// How the conversation ended.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    pub reason: EndReason,
    pub text: String,
    pub status: Option<u16>,
    pub resume_at: Option<UtcTime>,
}

/// Everything that a conversation needs.
pub struct Talk<'a> {
    pub call: &'a Call,
    pub service: &'a Service,
    pub price: Option<BuiltinPrice>,
    pub window: u64,
    pub time: Arc<dyn Time>,
    /// Takes each line that is printed.
    pub tell: &'a mut dyn FnMut(BuiltinLine),
}

/// What the conversation remembers besides its history.
#[derive(Default)]
struct Counts {
    format_errors: u32,
    reminders: u32,
    retries: u64,
}

impl std::fmt::Debug for Talk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Talk").field("service", &self.service).finish_non_exhaustive()
    }
}

impl End {
    pub fn new(reason: EndReason, text: impl Into<String>) -> Self {
        Self { reason, text: text.into(), status: None, resume_at: None }
    }

    pub fn line(&self) -> BuiltinLine {
        BuiltinLine {
            reason: Some(self.reason),
            text: Some(self.text.clone()).filter(|text| !text.is_empty()),
            status: self.status,
            resume_at: self.resume_at,
            ..BuiltinLine::of(LineKind::End)
        }
    }
}

impl Talk<'_> {
    /// Talks until the end.
    pub fn run(&mut self, prompt: &str, tools: &mut Tools, writes: bool) -> End {
        let offers = tools.offers();
        let system = prompt::system(self.call, writes);
        let mut messages = vec![Message::Asked(prompt.to_owned())];
        self.start(&offers);
        let request = Request { system: &system, tools: &offers, messages: &messages };
        let mut context = Context::new(self.window, request);
        let (mut counts, mut circle) = (Counts::default(), Circle::default());
        for _ in 0..MAX_TURNS {
            if let Err(end) = self.make_room(&mut context, &mut messages) {
                return end;
            }
            let request = Request { system: &system, tools: &offers, messages: &messages };
            let (reply, usage) = match self.answered(request, &mut counts) {
                Ok(answered) => answered,
                Err(end) => return end,
            };
            let said = Message::Said(reply.raw.clone());
            context.count(usage, &said);
            if !is_blank(&reply.raw) {
                messages.push(said);
            }
            let next = match reply.calls.is_empty() {
                true => self.without_calls(&reply, &mut counts),
                false => self.with_calls(reply, tools, &mut circle, &mut counts),
            };
            match next {
                Ok(message) => {
                    context.add(&message);
                    messages.push(message);
                }
                Err(end) => return end,
            }
        }
        End::new(EndReason::MaxTurns, format!("after {MAX_TURNS} turns"))
    }

    fn lang(&self) -> Lang {
        self.call.language.lang()
    }

    fn start(&mut self, offers: &[Offer]) {
        (self.tell)(BuiltinLine {
            provider: Some(self.service.wire.name().to_owned()),
            model: Some(self.service.model.clone()),
            tools: offers.iter().map(|offer| offer.name.to_owned()).collect(),
            ..BuiltinLine::of(LineKind::Start)
        });
    }

    /// Keeps the conversation within the window.
    fn make_room(&self, context: &mut Context, messages: &mut Vec<Message>) -> Result<(), End> {
        match context.pressure() {
            Pressure::None => {}
            Pressure::Shorten => context.shorten(messages),
            Pressure::Warn => {
                context.shorten(messages);
                let warning = say::nearly_full(self.lang());
                match messages.last_mut() {
                    Some(Message::Results { note, .. }) => {
                        *note = Some(
                            note.take().map_or_else(String::new, |note| note + "\n\n") + &warning,
                        );
                    }
                    Some(Message::Asked(text)) => *text = format!("{text}\n\n{warning}"),
                    Some(Message::Said(_)) | None => messages.push(Message::Asked(warning)),
                }
            }
            Pressure::Full => {
                let (used, window) = (context.used(), self.window);
                let text = format!("about {used} of {window} tokens are in use");
                return Err(End::new(EndReason::ContextFull, text));
            }
        }
        Ok(())
    }

    /// The answer to a request, over retries. A retried request has used no tool yet.
    fn answered(
        &mut self,
        request: Request<'_>,
        counts: &mut Counts,
    ) -> Result<(Reply, Option<Tokens>), End> {
        let mut retried = 0;
        loop {
            if self.time.check().is_err() {
                return Err(End::new(EndReason::Cancelled, "cancelled"));
            }
            let tried = ask(self.service, request, &self.time);
            if let Some(usage) = tried.usage {
                self.tell_usage(usage);
            }
            let failure = match tried.reply {
                Ok(reply) => return Ok((reply, tried.usage)),
                Err(failure) => failure,
            };
            counts.retries += 1;
            let Next::Again(wait) = retry::next(&failure, retried, self.dice(counts.retries))
            else {
                return Err(self.given_up(failure));
            };
            retried += 1;
            (self.tell)(BuiltinLine {
                cause: Some(failure.text.clone()),
                status: failure.status,
                after_ms: u64::try_from(wait.as_millis()).ok(),
                ..BuiltinLine::of(LineKind::Retry)
            });
            if self.time.sleep(wait).is_err() {
                return Err(End::new(EndReason::Cancelled, "cancelled"));
            }
        }
    }

    /// A number that is another one each time and in each process.
    fn dice(&self, number: u64) -> u64 {
        let nanos = u64::from(self.time.elapsed().subsec_nanos());
        (nanos ^ u64::from(std::process::id()) << 16).wrapping_add(number.wrapping_mul(0x9E37_79B9))
    }

    fn tell_usage(&mut self, usage: Tokens) {
        (self.tell)(BuiltinLine {
            input: Some(usage.input),
            output: Some(usage.output),
            cached: Some(usage.cached),
            micro_usd: self.price.map(|price| cost(price, usage)),
            ..BuiltinLine::of(LineKind::Usage)
        });
    }

    /// The end that a failure means.
    fn given_up(&self, failure: Failure) -> End {
        let resume_at = failure.after.and_then(|after| {
            let after = jiff::SignedDuration::try_from(after).ok()?;
            Some(UtcTime::new(self.time.now().checked_add(after).ok()?))
        });
        let reason = match failure.cause {
            Cause::Busy => EndReason::Limited,
            Cause::Broken if resume_at.is_some() => EndReason::Limited,
            Cause::Broken | Cause::Rejected => EndReason::Transport,
            Cause::Login => EndReason::Login,
            Cause::ContextFull => EndReason::ContextFull,
            Cause::Cancelled => EndReason::Cancelled,
        };
        let limited = reason == EndReason::Limited;
        let resume_at = resume_at.filter(|_| limited);
        End { status: failure.status, resume_at, ..End::new(reason, failure.text) }
    }

    fn say(&mut self, text: &str) {
        if !text.trim().is_empty() {
            let text = Some(text.to_owned());
            (self.tell)(BuiltinLine { text, ..BuiltinLine::of(LineKind::Text) });
        }
    }

    /// An answer without calls: the end, unless something of it is missing.
    fn without_calls(&mut self, reply: &Reply, counts: &mut Counts) -> Result<Message, End> {
        self.say(&reply.text);
        let lang = self.lang();
        match &reply.stop {
            Stop::Refused(why) => return Err(End::new(EndReason::Refused, why.clone())),
            Stop::ContextFull => return Err(End::new(EndReason::ContextFull, "says the service")),
            Stop::Length => return self.format_error(say::go_on(lang), counts),
            Stop::Paused => return self.format_error(say::go_on(lang), counts),
            Stop::Done => {}
        }
        if self.is_there("blocked.json") || self.is_there("failed.json") {
            return Err(End::new(EndReason::Blocked, ""));
        }
        let missing = self.missing();
        if !missing.is_empty() && counts.reminders < MAX_REMINDERS {
            counts.reminders += 1;
            let outbox = &self.call.outbox;
            return Ok(Message::Asked(say::missing(lang, missing.join(", "), outbox)));
        }
        if reply.text.trim().is_empty() && missing.is_empty() && self.call.expected.is_empty() {
            return self.format_error(say::empty_answer(lang), counts);
        }
        Err(End::new(EndReason::Completed, ""))
    }

    fn format_error(&self, told: String, counts: &mut Counts) -> Result<Message, End> {
        counts.format_errors += 1;
        match counts.format_errors >= MAX_FORMAT_ERRORS {
            true => Err(End::new(EndReason::FormatErrors, told)),
            false => Ok(Message::Asked(told)),
        }
    }

    fn is_there(&self, name: &str) -> bool {
        Path::new(&self.call.outbox).join(name).is_file()
    }

    /// Documents that must come back and are not there.
    fn missing(&self) -> Vec<String> {
        let Call { expected, handoff_path, outbox, workdir, .. } = self.call;
        let documents = expected.iter().filter(|document| document.required);
        let documents = documents.map(|document| Path::new(outbox).join(&document.name));
        let handoff = handoff_path.iter().map(|path| Path::new(workdir).join(path));
        let missing = documents.chain(handoff).filter(|path| !path.is_file());
        missing.map(|path| format!("`{}`", path.display())).collect()
    }

    fn with_calls(
        &mut self,
        reply: Reply,
        tools: &mut Tools,
        circle: &mut Circle,
        counts: &mut Counts,
    ) -> Result<Message, End> {
        self.say(&reply.text);
        if let Stop::Refused(why) = reply.stop {
            return Err(End::new(EndReason::Refused, why));
        }
        let (mut results, mut note) = (Vec::new(), None);
        let mut malformed = true;
        for (number, call) in reply.calls.into_iter().enumerate() {
            if self.time.check().is_err() {
                return Err(End::new(EndReason::Cancelled, "cancelled"));
            }
            let (result, how) = match number < MAX_CALLS {
                true => self.used(&call, tools),
                false => (too_many(&call), How::Malformed),
            };
            malformed &= how == How::Malformed;
            let given = call.arguments.as_ref().unwrap_or(&Value::Null);
            match circle.note(&call.tool, given, &result.text) {
                Verdict::Fine => {}
                Verdict::Warn => note = Some(say::circle(self.lang())),
                Verdict::Circle => {
                    let text =
                        format!("{} was used again and again with the same result", call.tool);
                    return Err(End::new(EndReason::Loop, text));
                }
            }
            results.push(result);
        }
        counts.format_errors = if malformed { counts.format_errors + 1 } else { 0 };
        if counts.format_errors >= MAX_FORMAT_ERRORS {
            let last = results.last().map(|result| result.text.clone()).unwrap_or_default();
            return Err(End::new(
                EndReason::FormatErrors,
                last.chars().take(300).collect::<String>(),
            ));
        }
        Ok(Message::Results { results, note })
    }

    /// One use of a tool, told before and after.
    fn used(&mut self, call: &ToolCall, tools: &mut Tools) -> (CallResult, How) {
        let arguments = match &call.arguments {
            Ok(Value::Object(fields)) => Some(fields.clone().into_iter().collect()),
            _ => None,
        };
        (self.tell)(BuiltinLine {
            id: Some(call.id.clone()),
            tool: Some(call.tool.clone()),
            arguments,
            ..BuiltinLine::of(LineKind::Call)
        });
        let (text, how) = match &call.arguments {
            Err(why) => (why.clone(), How::Malformed),
            Ok(arguments) => {
                let answer = tools.perform(&call.tool, arguments);
                (answer.text, answer.how)
            }
        };
        let ok = how == How::Done;
        (self.tell)(BuiltinLine {
            id: Some(call.id.clone()),
            ok: Some(ok),
            bytes: u64::try_from(text.len()).ok(),
            ..BuiltinLine::of(LineKind::Result)
        });
        (CallResult { id: call.id.clone(), tool: call.tool.clone(), text, ok }, how)
    }
}

/// Content that a service would not take back.
fn is_blank(raw: &Value) -> bool {
    match raw {
        Value::Array(blocks) => blocks.is_empty(),
        Value::Object(message) => {
            let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
            text.is_empty() && !message.contains_key("tool_calls")
        }
        _ => true,
    }
}

fn too_many(call: &ToolCall) -> CallResult {
    let text = format!("an answer may have {MAX_CALLS} calls; this one was not made");
    CallResult { id: call.id.clone(), tool: call.tool.clone(), text, ok: false }
}

/// Dollars a million tokens are millionths of a dollar a token.
pub fn cost(price: BuiltinPrice, usage: Tokens) -> u64 {
    let cached = usage.cached.min(usage.input);
    let of = |tokens: u64, price: f64| {
        // Through text: a conversion of integers to floats could lose without a word.
        tokens.to_string().parse::<f64>().unwrap_or(0.0) * price
    };
    let cost = of(usage.input - cached, price.input)
        + of(cached, price.cached.unwrap_or(price.input))
        + of(usage.output, price.output);
    format!("{:.0}", cost.max(0.0)).parse().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_of_what_was_not_cached_of_what_was_and_of_what_came_out() {
        let price = BuiltinPrice { input: 3.0, output: 15.0, cached: Some(0.3) };
        let usage = Tokens { input: 1_000_000, output: 100_000, cached: 400_000 };
        assert_eq!(cost(price, usage), 1_800_000 + 120_000 + 1_500_000);
        assert_eq!(cost(BuiltinPrice { cached: None, ..price }, usage), 3_000_000 + 1_500_000);
    }
}
