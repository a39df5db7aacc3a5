//! Makes a rehearsal from a call that is over: what it printed, what it left in the outbox and in
//! the tree, how it ended. The same call gives the same text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use indexmap::IndexMap;

use crate::agents::outbox::Files;
use crate::agents::presets::Preset;
use crate::agents::redact::Redactor;
use crate::docs::call::Call;
use crate::docs::call_record::{CallRecord, ExitKind};
use crate::docs::document::Version;
use crate::docs::rehearsal::{
    Action, Dialect, Hang, MakeLink, Mode, Numbers, OutputName, Print, Rehearsal, Reply, Shortened,
    SignalName, Texts, When, WriteFile,
};
use crate::formats::yaml_print::{Layout, print};
use crate::words::{Lang, visible};

/// A larger file is left out.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// Files that would make all of them larger than this are left out.
const MAX_BYTES_IN_ALL: usize = 8 << 20;
/// Of a stream so many bytes are kept, half of its start and half of its end.
const MAX_STREAM_BYTES: usize = 256 << 10;
/// More than the hard limit of a call's output.
const FLOOD_BYTES: u64 = 1_200_000_000;

/// Everything that is known of the call.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    pub call: &'a Call,
    pub record: &'a CallRecord,
    pub stdout: &'a [u8],
    pub stderr: &'a [u8],
    pub outbox: &'a Files,
    /// By path, relative to the working directory.
    pub tree: &'a [(String, Change)],
}

/// What became of a file in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// With a mode where writing alone would not give it.
    File {
        bytes: Vec<u8>,
        mode: Option<Mode>,
    },
    Link {
        target: String,
    },
    Deleted,
    /// It is too large, or no file.
    LeftOut,
}

/// The rehearsal as a file, and what it does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub text: String,
    pub left_out: Vec<String>,
}

pub fn recording(recorded: Recorded<'_>, redactor: &Redactor, lang: Lang) -> Recording {
    let mut maker = Maker { redactor, lang, actions: Vec::new(), left_out: Vec::new(), bytes: 0 };
    maker.stream(recorded.stderr, OutputName::Stderr, None);
    // What is gone makes room for what has come: a directory where a file was.
    let (gone, come): (Vec<_>, Vec<_>) =
        recorded.tree.iter().partition(|(_, change)| *change == Change::Deleted);
    for (path, change) in gone.into_iter().chain(come) {
        maker.change(path, change, recorded.call);
    }
    maker.outbox(recorded.outbox);
    // The ending is on standard output, so it comes when all else is there.
    maker.stream(recorded.stdout, OutputName::Stdout, dialect_of(&recorded.record.command));
    maker.ending(recorded.record);
    let Maker { actions, left_out, .. } = maker;
    let reply = Reply { name: None, when: when(recorded.call), actions };
    let rehearsal = Rehearsal { version: Version, about: None, replies: vec![reply] };
    let mut text = String::new();
    let time = recorded.record.started_at.to_string();
    for line in std::iter::once(&say::header(lang, time)).chain(&left_out) {
        text += &format!("# {}\n", visible(line));
    }
    text += &print(&rehearsal, &Layout::COMPACT).unwrap_or_default();
    Recording { text, left_out }
}

fn when(call: &Call) -> When {
    When {
        flow: Some(call.flow),
        role: Some(call.role.clone()),
        step: Some(call.step.clone()),
        unit: Some(call.unit.clone()),
        attempt: Some(Numbers::One(call.attempt)),
        regeneration: Some(Numbers::One(call.regeneration)),
        ..When::default()
    }
}

/// Whose lines the call printed, by the program on its command line.
fn dialect_of(command: &str) -> Option<Dialect> {
    let program = command.split_whitespace().next()?.rsplit('/').next()?;
    let preset = Preset::ALL.into_iter().find(|preset| preset.description().program == program)?;
    Some(match preset {
        Preset::Claude => Dialect::Claude,
        Preset::Codex => Dialect::Codex,
        Preset::Gemini => Dialect::Gemini,
        Preset::Qwen => Dialect::Qwen,
        Preset::Opencode => Dialect::Opencode,
        Preset::Goose => Dialect::Goose,
        Preset::Copilot => Dialect::Copilot,
        Preset::Aider => Dialect::Aider,
    })
}

struct Maker<'r> {
    redactor: &'r Redactor,
    lang: Lang,
    actions: Vec<Action>,
    left_out: Vec<String>,
    bytes: usize,
}

/// Bytes as a document can hold them.
enum Content {
    Text(String),
    Base64(String),
}

impl Maker<'_> {
    fn change(&mut self, path: &str, change: &Change, call: &Call) {
        let place = place(path, call);
        let action = match change {
            Change::Deleted => Action { delete: Some(Texts(vec![place])), ..Action::default() },
            Change::Link { target } => {
                let target = literal(target);
                Action { symlink: Some(MakeLink { path: place, target }), ..Action::default() }
            }
            Change::LeftOut => return self.left_out.push(say::left_out(self.lang, path)),
            Change::File { bytes, mode } => {
                if !self.has_room(bytes.len()) {
                    return self.left_out.push(say::left_out(self.lang, path));
                }
                self.write(place, bytes, mode.clone())
            }
        };
        self.actions.push(action);
    }

    fn outbox(&mut self, files: &Files) {
        let mut texts = IndexMap::new();
        for (name, bytes) in files {
            if !self.has_room(bytes.len()) {
                self.left_out.push(say::left_out(self.lang, name));
                continue;
            }
            match self.content(bytes) {
                Content::Text(text) => {
                    texts.insert(name.clone(), serde_json::Value::String(text));
                }
                Content::Base64(_) => {
                    let path = format!("{{{{outbox}}}}/{}", literal(name));
                    let action = self.write(path, bytes, None);
                    self.actions.push(action);
                }
            }
        }
        if !texts.is_empty() {
            self.actions.push(Action { outbox: Some(texts), ..Action::default() });
        }
    }

    fn write(&self, path: String, bytes: &[u8], mode: Option<Mode>) -> Action {
        let mut write = WriteFile { path, mode, ..WriteFile::default() };
        match self.content(bytes) {
            Content::Text(text) => write.text = Some(text),
            Content::Base64(base64) => write.base64 = Some(base64),
        }
        Action { write: Some(write), ..Action::default() }
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        let fits = bytes <= MAX_FILE_BYTES && self.bytes + bytes <= MAX_BYTES_IN_ALL;
        self.bytes += if fits { bytes } else { 0 };
        fits
    }

    fn content(&self, bytes: &[u8]) -> Content {
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Content::Text(literal(&self.redactor.text(text))),
            _ => Content::Base64(STANDARD.encode(bytes)),
        }
    }

    /// One action a line, so that a person can change them.
    fn stream(&mut self, bytes: &[u8], to: OutputName, like: Option<Dialect>) {
        let (head, tail) = ends(bytes);
        if head.len() + tail.len() < bytes.len() {
            let dropped = bytes.len() - head.len() - tail.len();
            self.left_out.push(say::stream_cut(self.lang, dropped));
        }
        let to = (to == OutputName::Stderr).then_some(to);
        for line in lines(head).chain(lines(tail)) {
            let print = match self.content(line) {
                Content::Base64(base64) => {
                    Print { base64: Some(base64), to, like, ..Print::default() }
                }
                Content::Text(text) => match text.strip_suffix('\n') {
                    Some(line) if !line.is_empty() => {
                        Print { text: Some(line.to_owned()), to, like, ..Print::default() }
                    }
                    _ => {
                        let newline = Some(false);
                        Print { text: Some(text), to, like, newline, ..Print::default() }
                    }
                },
            };
            self.actions.push(Action { print: Some(Shortened(print)), ..Action::default() });
        }
    }

    fn ending(&mut self, record: &CallRecord) {
        let code = record.exit.code.unwrap_or(0);
        let mut action = Action::default();
        match record.exit.kind {
            ExitKind::Exited if code == 0 => return,
            ExitKind::Exited => action.exit = Some(u8::try_from(code).unwrap_or(1)),
            ExitKind::Signalled => match signal(code) {
                Some(name) => action.signal = Some(name),
                None => action.exit = Some(u8::try_from(128 + code).unwrap_or(1)),
            },
            ExitKind::TimedOut | ExitKind::Stalled => action.hang = Some(Hang::default()),
            ExitKind::Flooded => action.flood = Some(FLOOD_BYTES),
            ExitKind::NotStarted | ExitKind::Leaked | ExitKind::Cancelled | ExitKind::Lost => {
                return self.left_out.push(say::no_ending(self.lang));
            }
        }
        self.actions.push(action);
    }
}

/// Where a change is played: the handoff has another name in each call.
fn place(path: &str, call: &Call) -> String {
    let of_tree = call.handoff_path.as_deref().and_then(|handoff| {
        handoff.strip_prefix(&*call.workdir).map(|rest| rest.trim_start_matches('/'))
    });
    if of_tree == Some(path) { "{{handoff_path}}".to_owned() } else { literal(path) }
}

/// A text that no placeholder is found in.
fn literal(text: &str) -> String {
    text.replace("{{", "{{{{")
}

fn signal(number: i32) -> Option<SignalName> {
    Some(match number {
        1 => SignalName::Hup,
        2 => SignalName::Int,
        3 => SignalName::Quit,
        6 => SignalName::Abrt,
        9 => SignalName::Kill,
        11 => SignalName::Segv,
        15 => SignalName::Term,
        _ => return None,
    })
}

/// Start and end of a stream, both of whole lines.
fn ends(bytes: &[u8]) -> (&[u8], &[u8]) {
    if bytes.len() <= MAX_STREAM_BYTES {
        return (bytes, &[]);
    }
    let half = MAX_STREAM_BYTES / 2;
    let head = memchr::memrchr(b'\n', &bytes[..half]).map_or(0, |at| at + 1);
    let tail = bytes.len() - half;
    let tail = memchr::memchr(b'\n', &bytes[tail..]).map_or(bytes.len(), |at| tail + at + 1);
    (&bytes[..head], &bytes[tail..])
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        header(time) { en: "made by hast agent record from a call of {time}", ko: "hast agent record가 {time}의 호출에서 만들었습니다" }
        left_out(name) { en: "left out, too large or not a file: {name}", ko: "너무 크거나 파일이 아니어서 빠짐: {name}" }
        stream_cut(bytes) { en: "left out of the middle of a stream: {bytes} bytes", ko: "스트림 중간에서 빠짐: {bytes}바이트" }
        no_ending() { en: "how the call ended cannot be played; it ends with 0", ko: "호출이 끝난 방식은 재현할 수 없어 0으로 끝납니다" }
        other_name(count) { en: "left out, names that are not text: {count}", ko: "이름이 텍스트가 아니어서 빠짐: {count}개" }
        commits(count) { en: "commits of the agent: {count}; their files are written, not committed", ko: "에이전트의 커밋: {count}개. 파일만 쓰고 커밋하지 않습니다" }
    }
}
