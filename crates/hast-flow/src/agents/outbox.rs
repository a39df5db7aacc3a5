//! The outbox holds what a call brings back. This module finds the documents that are there, those
//! that are missing or wrong, and the agent's own `failed.json` or `blocked.json`. It is given the
//! contents of the files and the agent's last message. The caller reads the files; this module
//! touches no disk.

use std::collections::BTreeMap;

use crate::agents::outcome::Documents;
use crate::docs::call::{CallBlocked, CallFailed, CallFinding, ExpectedDocument};
use crate::docs::document::{Document, read};
use crate::docs::registry;
use crate::formats::diagnostic::Diagnostic;
use crate::formats::source::Source;
use crate::words::Lang;

pub const FAILED_FILE: &str = "failed.json";
pub const BLOCKED_FILE: &str = "blocked.json";

/// The files of an outbox by name, as they lay there when the process had ended.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What an outbox, or the last message in its place, holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    pub documents: Vec<TakenDocument>,
    pub findings: Vec<OutboxFinding>,
    /// Files that nobody asked for.
    pub others: Vec<String>,
    pub word: Option<Word>,
}

/// A document that is there and keeps its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenDocument {
    pub name: String,
    pub bytes: Vec<u8>,
    pub from: From,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Outbox,
    /// A fenced block of the last message.
    Message,
}

/// What the agent said instead of answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    Blocked { reason: String },
    Failed { error: String },
}

/// Why a document has to be asked for again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboxFinding {
    Missing { name: String },
    Wrong(Diagnostic),
}

/// Takes what was expected. An outbox without any of it is replaced by the last message.
pub fn take(expected: &[ExpectedDocument], files: &Files, final_text: &str) -> Taken {
    let is_expected = |name: &str| expected.iter().any(|document| document.name == name);
    let word = agents_word(expected, files);
    let from_message = !files.keys().any(|name| is_expected(name)) && word.is_none();
    let mut taken = Taken { word, ..Taken::default() };
    taken.others =
        files.keys().filter(|name| !is_expected(name) && !is_word(name)).cloned().collect();
    for document in expected {
        let found = if from_message {
            fenced_block(final_text, &document.name).map(|text| (text.into_bytes(), From::Message))
        } else {
            files.get(&document.name).map(|bytes| (bytes.clone(), From::Outbox))
        };
        match found {
            Some((bytes, from)) => taken.check(document, bytes, from),
            None if document.required && taken.word.is_none() => {
                taken.findings.push(OutboxFinding::Missing { name: document.name.clone() });
            }
            None => {}
        }
    }
    taken
}

impl Taken {
    pub fn documents(&self, expected: &[ExpectedDocument]) -> Documents {
        if !expected.iter().any(|document| document.required) {
            Documents::NoneExpected
        } else if self.findings.is_empty() {
            Documents::Complete
        } else {
            Documents::Missing
        }
    }

    /// The findings as the next call is told them.
    pub fn call_findings(&self, lang: Lang) -> Vec<CallFinding> {
        self.findings.iter().map(|finding| finding.for_call(lang)).collect()
    }

    fn check(&mut self, document: &ExpectedDocument, bytes: Vec<u8>, from: From) {
        let name = &document.name;
        let findings = match Source::from_bytes(name, &bytes) {
            Err(finding) => vec![finding],
            Ok(source) => {
                let schema = document.schema.as_deref().and_then(registry::find);
                schema.map_or_else(Vec::new, |entry| (entry.check)(&source))
            }
        };
        let errors: Vec<Diagnostic> = findings.into_iter().filter(Diagnostic::is_error).collect();
        if errors.is_empty() {
            self.documents.push(TakenDocument { name: name.clone(), bytes, from });
        } else {
            self.findings.extend(errors.into_iter().map(OutboxFinding::Wrong));
        }
    }
}

impl OutboxFinding {
    /// As the next call is told it.
    pub fn for_call(&self, lang: Lang) -> CallFinding {
        match self {
            Self::Missing { name } => CallFinding {
                file: name.clone(),
                line: None,
                problem: say::missing(lang, name),
                next: say::missing_next(lang, name),
            },
            Self::Wrong(diagnostic) => CallFinding {
                file: diagnostic.file.clone(),
                line: diagnostic.line(),
                problem: diagnostic.finding.what(lang),
                next: diagnostic.finding.next(lang),
            },
        }
    }
}

/// What to do about the findings of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextAsk {
    Nothing,
    /// Ask again; the number is the next call's `regeneration`.
    Again {
        regeneration: u32,
    },
    GiveUp,
}

pub fn next_ask(findings: &[OutboxFinding], regeneration: u32, max_regenerations: u32) -> NextAsk {
    if findings.is_empty() {
        NextAsk::Nothing
    } else if regeneration < max_regenerations {
        NextAsk::Again { regeneration: regeneration + 1 }
    } else {
        NextAsk::GiveUp
    }
}

/// Blocked wins over failed: a person can still help. A word that breaks its schema is still one.
fn agents_word(expected: &[ExpectedDocument], files: &Files) -> Option<Word> {
    let word = |name: &str| {
        // A flow may expect a document of that very name; then it is a document.
        let expected = expected.iter().any(|document| document.name == name);
        if expected { None } else { files.get(name) }
    };
    if let Some(bytes) = word(BLOCKED_FILE) {
        let reason = lenient(BLOCKED_FILE, bytes, |blocked: CallBlocked| blocked.reason);
        return Some(Word::Blocked { reason });
    }
    let bytes = word(FAILED_FILE)?;
    let error = lenient(FAILED_FILE, bytes, |failed: CallFailed| failed.error);
    Some(Word::Failed { error })
}

fn lenient<D: Document>(name: &str, bytes: &[u8], field: fn(D) -> String) -> String {
    const LONGEST: usize = 2_000;
    let document = Source::from_bytes(name, bytes).ok().and_then(|source| read::<D>(&source).ok());
    match document {
        Some(read) => field(read.value),
        None => String::from_utf8_lossy(bytes).trim().chars().take(LONGEST).collect(),
    }
}

fn is_word(name: &str) -> bool {
    name == FAILED_FILE || name == BLOCKED_FILE
}

/// The last closed fenced block whose info string ends in the file's name.
pub fn fenced_block(text: &str, name: &str) -> Option<String> {
    let mut found = None;
    let mut open: Option<Fence> = None;
    for line in text.split_inclusive('\n') {
        match &mut open {
            None => open = Fence::opening(line),
            Some(fence) if fence.closes(line) => {
                let fence = open.take();
                found = fence.filter(|fence| fence.names(name)).map(|fence| fence.body).or(found);
            }
            Some(fence) => fence.add(line),
        }
    }
    found
}

struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    info: String,
    body: String,
}

impl Fence {
    fn opening(line: &str) -> Option<Self> {
        let bare = line.trim_start_matches(' ');
        let indent = line.len() - bare.len();
        let mark = bare.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
        let rest = bare.trim_start_matches(mark);
        let length = bare.len() - rest.len();
        let info = rest.trim();
        let is_fence = indent <= 3 && length >= 3 && !(mark == '`' && info.contains('`'));
        let fence = Self { mark, length, indent, info: info.to_owned(), body: String::new() };
        is_fence.then_some(fence)
    }

    fn closes(&self, line: &str) -> bool {
        let bare = line.trim_start_matches(' ');
        let rest = bare.trim_start_matches(self.mark);
        line.len() - bare.len() <= 3
            && bare.len() - rest.len() >= self.length
            && rest.trim().is_empty()
    }

    fn add(&mut self, line: &str) {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        self.body.push_str(&line[spaces.min(self.indent)..]);
    }

    /// `report.json`, `json report.json`, `json:out/report.json`, but not `my-report.json`.
    fn names(&self, name: &str) -> bool {
        let info = self.info.trim_end_matches(['"', '\'', '}', ')']);
        info.strip_suffix(name).is_some_and(|before| {
            let last = before.chars().next_back();
            last.is_none_or(|c| c.is_whitespace() || ":=/\"'({,".contains(c))
        })
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        missing(name) { en: "`{name}` is not in the outbox", ko: "아웃박스에 `{name}`(이)가 없습니다" }
        missing_next(name) { en: "write `{name}` into the directory that HAST_OUTBOX names", ko: "`{name}`(을)를 HAST_OUTBOX가 가리키는 디렉터리에 쓰세요" }
    }
}
