//! Logs: one JSON object a line, only ever appended to. A crash may tear the last line; any other
//! bad line is reported with its number and skipped. Lines of white space are skipped in silence.

use memchr::{memchr, memrchr};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::formats::diagnostic::{Diagnostic, Finding, Format, Kind};
use crate::formats::source::{Place, Source};

/// A longer line is skipped; nothing that hast writes comes near it.
pub const MAX_LINE_BYTES: usize = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What JSON takes for white space inside a line; a form feed, for one, is none.
const SPACES: [char; 3] = [' ', '\t', '\r'];

/// A line with a complete object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// From 1; unknown in the tail of a file.
    pub number: Option<usize>,
    /// Where the line starts in the file.
    pub offset: u64,
    pub text: &'a str,
}

/// How a log ends, which is what the next append must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEnd {
    /// With a line break, or with nothing at all.
    Clean,
    /// With a whole line that lacks its line break: write one first.
    Unterminated,
    /// With the torn beginning of a line: cut the file off at this offset first.
    Torn { cut: u64 },
}

/// The lines of a log that is in memory, or of its last part.
#[derive(Clone, Debug)]
pub struct LogLines<'a> {
    name: &'a str,
    rest: &'a [u8],
    offset: u64,
    number: Option<usize>,
}

/// Reads a log piece by piece, for one that should not be in memory as a whole. It holds one line
/// at most.
#[derive(Clone, Debug)]
pub struct LogFeed {
    name: String,
    /// The beginning of a line whose end has not come yet.
    pending: Vec<u8>,
    /// How much of that line came after the limit and was dropped.
    dropped: usize,
    offset: u64,
    number: usize,
}

/// Why a value cannot be a line of a log.
#[derive(Debug, thiserror::Error)]
pub enum NotALine {
    #[error("the value cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("a line of a log must be an object")]
    NotAnObject,
    #[error("the line has {bytes} bytes, more than the limit of {MAX_LINE_BYTES}")]
    TooLong { bytes: usize },
}

/// The line to append: compact JSON, which has no line breaks inside, and one line break.
pub fn to_line<T: Serialize>(value: &T) -> Result<String, NotALine> {
    let mut line = serde_json::to_string(value)?;
    if !line.starts_with('{') {
        return Err(NotALine::NotAnObject);
    }
    if line.len() > MAX_LINE_BYTES {
        return Err(NotALine::TooLong { bytes: line.len() });
    }
    line.push('\n');
    Ok(line)
}

/// Reads all of a log: its good lines as values, and what is wrong with the others.
pub fn read<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> (Vec<T>, Vec<Diagnostic>) {
    let mut values = Vec::new();
    let mut findings = Vec::new();
    for line in LogLines::whole(name, bytes).typed::<T>() {
        match line {
            Ok((_, value)) => values.push(value),
            Err(finding) => findings.push(finding),
        }
    }
    (values, findings)
}

impl LogEnd {
    /// How the log ends whose last bytes these are. They must reach back to a line break, or to
    /// the start of the file: [`LogLines::tail`] checks that.
    pub fn of(bytes: &[u8], offset: u64) -> Self {
        let start = memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        let last = RawLine {
            number: None,
            offset: offset + start as u64,
            bytes: &bytes[start..],
            length: bytes.len() - start,
            terminated: false,
        };
        last.end()
    }
}

impl<'a> LogLines<'a> {
    /// The lines of a whole log.
    pub fn whole(name: &'a str, bytes: &'a [u8]) -> Self {
        Self { name, rest: bytes, offset: 0, number: Some(0) }
    }

    /// The whole lines in the last bytes of a log, which start at `offset`. The first line is
    /// dropped as cut, except at the start of the file. None where no line starts: read more.
    pub fn tail(name: &'a str, bytes: &'a [u8], offset: u64) -> Option<Self> {
        if offset == 0 {
            return Some(Self::whole(name, bytes));
        }
        let start = memchr(b'\n', bytes)? + 1;
        Some(Self { name, rest: &bytes[start..], offset: offset + start as u64, number: None })
    }

    /// How the log ends.
    pub fn end(&self) -> LogEnd {
        LogEnd::of(self.rest, self.offset)
    }

    /// The lines as values. A line that is an object of another type is a finding too.
    pub fn typed<T: DeserializeOwned>(
        mut self,
    ) -> impl Iterator<Item = Result<(LogLine<'a>, T), Diagnostic>> {
        let name = self.name;
        std::iter::from_fn(move || self.next_raw()).map(move |line| line.read(name))
    }

    /// The next line that is not blank, good or bad.
    fn next_raw(&mut self) -> Option<RawLine<'a>> {
        std::iter::from_fn(|| self.cut_line()).find(|line| !line.is_blank())
    }

    fn cut_line(&mut self) -> Option<RawLine<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (bytes, rest, terminated) = match memchr(b'\n', self.rest) {
            Some(at) => (&self.rest[..at], &self.rest[at + 1..], true),
            None => (self.rest, &self.rest[self.rest.len()..], false),
        };
        self.number = self.number.map(|number| number + 1);
        let line = RawLine {
            number: self.number,
            offset: self.offset,
            bytes,
            length: bytes.len(),
            terminated,
        };
        self.offset += (self.rest.len() - rest.len()) as u64;
        self.rest = rest;
        Some(line)
    }
}

impl<'a> Iterator for LogLines<'a> {
    type Item = Result<LogLine<'a>, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.next_raw()?;
        Some(line.read::<IgnoredAny>(self.name).map(|(line, _)| line))
    }
}

impl LogFeed {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), pending: Vec::new(), dropped: 0, offset: 0, number: 0 }
    }

    /// Takes the next bytes of the file and hands over every line that ends in them.
    pub fn push<T: DeserializeOwned>(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(Result<(LogLine<'_>, T), Diagnostic>),
    ) {
        while let Some(at) = memchr(b'\n', bytes) {
            self.keep(&bytes[..at]);
            self.end_line(true, &mut each);
            bytes = &bytes[at + 1..];
        }
        self.keep(bytes);
    }

    /// Hands over a last line without a line break, and says how the log ends.
    pub fn finish<T: DeserializeOwned>(
        mut self,
        mut each: impl FnMut(Result<(LogLine<'_>, T), Diagnostic>),
    ) -> LogEnd {
        let end = self.raw(false).end();
        self.end_line(false, &mut each);
        end
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_BYTES - self.pending.len();
        let kept = bytes.len().min(room);
        self.pending.extend_from_slice(&bytes[..kept]);
        self.dropped += bytes.len() - kept;
    }

    fn raw(&self, terminated: bool) -> RawLine<'_> {
        RawLine {
            number: Some(self.number + 1),
            offset: self.offset,
            bytes: &self.pending,
            length: self.pending.len() + self.dropped,
            terminated,
        }
    }

    fn end_line<T: DeserializeOwned>(
        &mut self,
        terminated: bool,
        each: &mut impl FnMut(Result<(LogLine<'_>, T), Diagnostic>),
    ) {
        let line = self.raw(terminated);
        let length = line.length + usize::from(terminated);
        if !line.is_blank() {
            each(line.read(&self.name));
        }
        self.offset += length as u64;
        self.number += 1;
        self.pending.clear();
        self.dropped = 0;
    }
}

/// A line as it is on disk.
#[derive(Clone, Copy, Debug)]
struct RawLine<'a> {
    number: Option<usize>,
    offset: u64,
    bytes: &'a [u8],
    /// How long the line is on disk; of one over the limit `bytes` may be only the beginning.
    length: usize,
    terminated: bool,
}

impl<'a> RawLine<'a> {
    /// The line without the byte-order mark of its file.
    fn content(&self) -> &'a [u8] {
        match self.bytes.strip_prefix(BYTE_ORDER_MARK) {
            Some(content) if self.offset == 0 => content,
            _ => self.bytes,
        }
    }

    /// One over the limit is never blank: what was dropped of it may be anything.
    fn is_blank(&self) -> bool {
        self.length <= MAX_LINE_BYTES
            && self.content().iter().all(|byte| SPACES.contains(&char::from(*byte)))
    }

    fn end(&self) -> LogEnd {
        if self.is_blank() {
            LogEnd::Clean
        } else if self.is_torn() {
            LogEnd::Torn { cut: self.offset }
        } else {
            LogEnd::Unterminated
        }
    }

    /// An unfinished line that is no object. One over the limit cannot be judged and is not cut.
    fn is_torn(&self) -> bool {
        !self.terminated && self.length <= MAX_LINE_BYTES && !is_object(self.content())
    }

    fn read<T: DeserializeOwned>(self, name: &str) -> Result<(LogLine<'a>, T), Diagnostic> {
        if self.length > MAX_LINE_BYTES {
            let finding = Finding::TooLarge { bytes: self.length, limit: MAX_LINE_BYTES };
            return Err(self.diagnose(name, 0, finding));
        }
        if self.is_torn() {
            let bytes = self.bytes.len();
            return Err(self.diagnose(name, 0, Finding::TornTail { bytes }).warning());
        }
        let text = std::str::from_utf8(self.content()).map_err(|error| {
            let at = error.valid_up_to();
            let finding = Finding::NotUtf8 { line: self.number.unwrap_or(0), byte: at };
            self.diagnose(name, at, finding)
        })?;
        let line =
            LogLine { number: self.number, offset: self.offset, text: text.trim_matches(SPACES) };
        if !line.text.starts_with('{') {
            return Err(self.not_an_object(name, text));
        }
        match serde_json::from_str(text) {
            Ok(value) => Ok((line, value)),
            Err(error) => Err(self.syntax(name, &error)),
        }
    }

    fn not_an_object(&self, name: &str, text: &str) -> Diagnostic {
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => {
                let finding = Finding::WrongType { expected: Kind::Map, found: kind_of(text) };
                self.diagnose(name, 0, finding)
            }
            Err(error) => self.syntax(name, &error),
        }
    }

    fn syntax(&self, name: &str, error: &serde_json::Error) -> Diagnostic {
        let message = error.to_string();
        // The place is told by the diagnostic; the line that serde_json counts is always 1.
        let detail = message.split(" at line ").next().unwrap_or_default().to_owned();
        let finding = Finding::Syntax { format: Format::Ndjson, detail };
        self.diagnose(name, error.column().saturating_sub(1), finding)
    }

    fn diagnose(&self, name: &str, at: usize, finding: Finding) -> Diagnostic {
        Diagnostic {
            place: self.number.map(|number| self.place(number, at)),
            ..Diagnostic::of_file(name, finding)
        }
    }

    fn place(&self, number: usize, at: usize) -> Place {
        // Of a line over the limit the beginning is enough to recognise it.
        let content = self.content();
        let text = String::from_utf8_lossy(&content[..content.len().min(MAX_LINE_BYTES)]);
        let start = usize::try_from(self.offset).unwrap_or(usize::MAX);
        Place {
            line: number,
            bytes: start..start.saturating_add(self.length),
            ..Source::new("", &text).place(at..text.len())
        }
    }
}

fn is_object(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    text.trim_start_matches(SPACES).starts_with('{')
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// What a valid JSON value that is no object is.
fn kind_of(text: &str) -> Kind {
    match text.trim_matches(SPACES).as_bytes() {
        [b'[', ..] => Kind::List,
        [b'"', ..] => Kind::Text,
        [b't' | b'f', ..] => Kind::Bool,
        [b'n', ..] => Kind::Null,
        number if number.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => Kind::Number,
        _ => Kind::Integer,
    }
}
