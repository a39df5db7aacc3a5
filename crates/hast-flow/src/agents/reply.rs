//! Folds an agent's output into one reply, with memory that does not grow with the output.

use crate::agents::events::{AgentEvent, ApiError, ApiErrorClass, Ending, Line};
use crate::agents::limit::{Limit, Moment};
use crate::agents::usage::{Earlier, Messages, Meter, Span, Tokens, Usage, Usd};
use crate::process::Stream;

/// The longest line that is understood; a longer one is counted and skipped.
pub const MAX_LINE_BYTES: usize = 8 << 20;
/// How much of what the agent said last is kept.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
const MAX_RAW_LINES: usize = 64;
const MAX_RAW_CHARS: usize = 2_000;
const MAX_ERRORS: usize = 8;
const MAX_DENIALS: usize = 32;

/// How an agent's lines are read. A function without state: what was said before is in the reply.
pub type ReadLine = fn(Stream, &str) -> Line;

/// What the agent said, all in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentReply {
    pub session: Option<String>,
    pub model: Option<String>,
    pub ending: Option<Ending>,
    /// The last failures of requests, oldest first.
    pub errors: Vec<ApiError>,
    /// The last time that the agent tried again by itself.
    pub retry: Option<ApiError>,
    pub denials: Vec<String>,
    /// Whether a model has answered: with words, or by the use of a tool.
    pub answered: bool,
    pub raw: RawLines,
    pub lines: u64,
    tokens: Meter<Tokens>,
    messages: Messages,
    cost: Meter<Usd>,
    said: TailText,
    final_text: Option<String>,
}

/// Lines that nobody understood: the first ones, and how many more there were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawLines {
    pub first: Vec<String>,
    pub more: u64,
    /// Lines longer than [`MAX_LINE_BYTES`].
    pub too_long: u64,
}

impl AgentReply {
    /// The agent's last message: what it repeated as its result, else the end of what it said.
    pub fn final_text(&self) -> &str {
        self.final_text.as_deref().unwrap_or(&self.said.text)
    }

    /// What this call used. `earlier` is what a resumed session had reported before.
    pub fn usage(&self, earlier: Earlier) -> Usage {
        Usage {
            tokens: self.tokens.of_call(|| earlier.tokens()),
            cost: self.cost.of_call(|| earlier.cost()),
        }
    }

    /// What the agent reported, in its own counting: the `earlier` of the session's next call.
    pub fn reported(&self) -> Usage {
        Usage { tokens: self.tokens.reported(), cost: self.cost.reported() }
    }

    /// The failure that ended the call, or the one it was still retrying when it was ended.
    pub fn last_error(&self) -> Option<&ApiError> {
        self.errors.last().or(self.retry.as_ref())
    }

    /// The refusal among the failures, if there is one, with its reset time as an instant.
    pub fn limit(&self, moment: Moment) -> Option<Limit> {
        let refusals = || {
            self.errors.iter().rev().chain(&self.retry).filter_map(|error| match error.class() {
                ApiErrorClass::Limit(cause) => Some((cause, error)),
                _ => None,
            })
        };
        let (cause, error) = refusals().next()?;
        // The reset time may stand in another line than the refusal that came last.
        let resume_at =
            refusals().find_map(|(_, error)| error.reset).and_then(|reset| reset.resolve(moment));
        Some(Limit { cause, resume_at, text: error.text.clone() })
    }

    fn fold(&mut self, event: AgentEvent) {
        self.answered |= match &event {
            AgentEvent::Said(_) | AgentEvent::SaidMore(_) | AgentEvent::Final(_) => true,
            AgentEvent::Tool(_) | AgentEvent::Denied(_) => true,
            AgentEvent::Tokens(tokens, _) | AgentEvent::MessageTokens(_, tokens) => {
                tokens.output > 0
            }
            AgentEvent::Session(_) | AgentEvent::Model(_) | AgentEvent::Cost(..) => false,
            AgentEvent::Retry(_) | AgentEvent::Error(_) => false,
            AgentEvent::Ended(_) | AgentEvent::Stopped => false,
        };
        match event {
            AgentEvent::Session(id) => self.session = Some(id),
            AgentEvent::Model(name) => self.model = Some(name),
            AgentEvent::Said(text) => {
                self.said.start_line();
                self.said.push(&text);
            }
            AgentEvent::SaidMore(text) => self.said.push(&text),
            AgentEvent::Tool(_) => self.said.start_line(),
            AgentEvent::Retry(error) => self.retry = Some(error),
            AgentEvent::Tokens(tokens, span) => self.tokens.report(tokens, span),
            AgentEvent::MessageTokens(id, tokens) => {
                let more = self.messages.beyond(&id, tokens);
                self.tokens.report(more, Span::Step);
            }
            AgentEvent::Cost(cost, span) => self.cost.report(cost, span),
            AgentEvent::Error(error) => {
                if self.errors.len() >= MAX_ERRORS {
                    self.errors.remove(0);
                }
                self.errors.push(error);
            }
            AgentEvent::Denied(tool) => {
                if self.denials.len() < MAX_DENIALS {
                    self.denials.push(tool);
                }
            }
            AgentEvent::Final(text) => self.final_text = Some(bounded_end(text)),
            AgentEvent::Ended(ending) => self.ending = Some(ending),
            AgentEvent::Stopped => {
                self.ending.get_or_insert(Ending::Success);
            }
        }
    }
}

impl RawLines {
    fn keep(&mut self, line: &str) {
        if self.first.len() < MAX_RAW_LINES {
            self.first.push(line.chars().take(MAX_RAW_CHARS).collect());
        } else {
            self.more += 1;
        }
    }
}

/// Reads output as it comes, in pieces of any size.
#[derive(Debug)]
pub struct ReplyReader {
    read_line: ReadLine,
    out: LineBuffer,
    err: LineBuffer,
    reply: AgentReply,
}

impl ReplyReader {
    pub fn new(read_line: ReadLine) -> Self {
        Self {
            read_line,
            out: LineBuffer::default(),
            err: LineBuffer::default(),
            reply: AgentReply::default(),
        }
    }

    /// Takes the next bytes and tells what they say, for whoever watches.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) -> Vec<AgentEvent> {
        let lines = match stream {
            Stream::Out => self.out.push(bytes),
            Stream::Err => self.err.push(bytes),
        };
        let mut events = Vec::new();
        for line in lines {
            self.take(stream, line, &mut events);
        }
        events
    }

    /// What was used so far, in the agent's own counting.
    pub fn used(&self) -> Usage {
        self.reply.reported()
    }

    /// Whether the agent said that it is at its end.
    pub fn has_ended(&self) -> bool {
        self.reply.ending.is_some()
    }

    /// The reply; a last line without its line break counts.
    pub fn finish(mut self) -> AgentReply {
        for (stream, rest) in [(Stream::Out, self.out.finish()), (Stream::Err, self.err.finish())] {
            if let Some(line) = rest {
                self.take(stream, line, &mut Vec::new());
            }
        }
        self.reply
    }

    fn take(&mut self, stream: Stream, line: BufferedLine, events: &mut Vec<AgentEvent>) {
        self.reply.lines += 1;
        let BufferedLine::Whole(line) = line else {
            self.reply.raw.too_long += 1;
            return;
        };
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.trim().is_empty() {
            return;
        }
        match (self.read_line)(stream, text) {
            Line::Raw => self.reply.raw.keep(text),
            Line::Known(found) => {
                for event in found {
                    self.reply.fold(event.clone());
                    events.push(event);
                }
            }
        }
    }
}

/// Cuts bytes into lines and forgets what does not fit one.
#[derive(Debug, Default)]
struct LineBuffer {
    pending: Vec<u8>,
    overflowed: bool,
}

enum BufferedLine {
    Whole(Vec<u8>),
    TooLong,
}

impl LineBuffer {
    fn push(&mut self, bytes: &[u8]) -> Vec<BufferedLine> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            self.add(&rest[..at]);
            lines.extend(self.finish().or(Some(BufferedLine::Whole(Vec::new()))));
            rest = &rest[at + 1..];
        }
        self.add(rest);
        lines
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.overflowed || self.pending.len() + bytes.len() > MAX_LINE_BYTES {
            self.overflowed = true;
            self.pending = Vec::new();
        } else {
            self.pending.extend_from_slice(bytes);
        }
    }

    fn finish(&mut self) -> Option<BufferedLine> {
        if std::mem::take(&mut self.overflowed) {
            return Some(BufferedLine::TooLong);
        }
        let line = std::mem::take(&mut self.pending);
        (!line.is_empty()).then_some(BufferedLine::Whole(line))
    }
}

/// The end of a text that grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TailText {
    text: String,
}

impl TailText {
    fn start_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn push(&mut self, more: &str) {
        self.text.push_str(more);
        // Cutting at twice the size makes a long text cost no more than copying it once.
        if self.text.len() > 2 * MAX_TEXT_BYTES {
            self.text = bounded_end(std::mem::take(&mut self.text));
        }
    }
}

fn bounded_end(text: String) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text;
    }
    let mut start = text.len() - MAX_TEXT_BYTES;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text[start..].to_owned()
}
