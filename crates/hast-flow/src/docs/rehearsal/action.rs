//! Everything that a scripted agent can do, one field an action; an item of a list has one of them.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::short::{self, Short, Shortened, Texts};
use crate::docs::goals::HandoffStatus;
use crate::time::OffsetTime;

macro_rules! actions {
    ($($(#[$doc:meta])* $field:ident($variant:ident): $type:ty;)*) => {
        /// One action: exactly one of its fields is set, and `may_fail` if it may be refused.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct Action {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)*
            /// If it cannot be done, say so on stderr and go on.
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            pub may_fail: bool,
        }

        /// What an action is.
        #[derive(Clone, Copy, Debug)]
        pub enum Act<'a> {
            $($variant(&'a $type)),*
        }

        impl Action {
            /// The names of all actions.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            /// The action, if there is exactly one.
            pub fn act(&self) -> Option<Act<'_>> {
                let mut set = [$(self.$field.as_ref().map(Act::$variant)),*].into_iter().flatten();
                match (set.next(), set.next()) {
                    (Some(act), None) => Some(act),
                    _ => None,
                }
            }
        }
    };
}

actions! {
    /// Writes a file; directories above it are made.
    write(Write): WriteFile;
    /// Writes documents into the outbox: a text as it is, anything else as JSON, or as YAML where the name ends in `.yaml`.
    outbox(Outbox): IndexMap<String, serde_json::Value>;
    append(Append): AppendFile;
    /// Replaces a text that is there exactly `times` times.
    replace(Replace): ReplaceText;
    /// Deletes files, or directories with all that is in them.
    delete(Delete): Texts;
    rename(Rename): MoveFile;
    symlink(Symlink): MakeLink;
    mkdir(Mkdir): Texts;
    chmod(Chmod): ChangeMode;
    /// Runs a shell line, or a program with its arguments, and waits for it.
    run(Run): Run;
    /// Prints a line.
    print(Print): Shortened<Print>;
    /// Prints what a real agent would print: what it says, its tools, its usage, its ending.
    stream(Stream): Speech;
    /// Seconds.
    sleep(Sleep): f64;
    /// Waits until a file is there.
    wait_for(WaitFor): Shortened<WaitFor>;
    /// Starts a process that leaves: own session, parent gone. It plays actions too.
    spawn(Spawn): Escape;
    /// Prints that many bytes without a line break.
    flood(Flood): u64;
    /// Ends with this code.
    exit(Exit): u8;
    /// Ends by this signal.
    signal(Signal): SignalName;
    /// Ends as a program does that has a bug.
    crash(Crash): Nothing;
    /// Never ends by itself.
    hang(Hang): Hang;
    /// Says that a limit is reached, and ends with 1.
    limit(Limit): Shortened<LimitReport>;
    /// Says that a person has to log in, and ends with 1.
    login(Login): Shortened<LoginReport>;
    /// Writes `failed.json` with this error.
    failed(Failed): String;
    /// Writes `blocked.json` with this reason.
    blocked(Blocked): String;
    /// Writes a valid handoff to the place that the call names.
    handoff(Handoff): WriteHandoff;
    /// Ends the call with exit code 97 unless all of it is so.
    expect(Expect): Expect;
}

/// One of `text`, `base64` and `json` is what the file holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WriteFile {
    /// Relative to the working directory.
    #[schemars(length(min = 1), example = &"src/hello.txt")]
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppendFile {
    #[schemars(length(min = 1))]
    pub path: String,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplaceText {
    #[schemars(length(min = 1))]
    pub path: String,
    #[schemars(length(min = 1))]
    pub old: String,
    pub new: String,
    /// 1 unless it says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<NonZeroU32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MoveFile {
    #[schemars(length(min = 1))]
    pub from: String,
    #[schemars(length(min = 1))]
    pub to: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MakeLink {
    #[schemars(length(min = 1))]
    pub path: String,
    #[schemars(length(min = 1))]
    pub target: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeMode {
    #[schemars(length(min = 1))]
    pub path: String,
    pub mode: Mode,
}

/// Octal digits as `chmod` takes them: `755`, `"0755"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode(pub String);

impl Mode {
    pub const EXAMPLE: &str = "755";

    pub fn bits(&self) -> Option<u32> {
        u32::from_str_radix(&self.0, 8).ok().filter(|bits| *bits <= 0o7777)
    }
}

impl Serialize for Mode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Mode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(digits) => Ok(Self(digits)),
            // YAML reads `0755` as the number 755: its digits are what was written.
            serde_json::Value::Number(digits) => Ok(Self(digits.to_string())),
            _ => Err(de::Error::custom("expected octal digits")),
        }
    }
}

impl JsonSchema for Mode {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Mode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "integer"], "examples": [Self::EXAMPLE] })
    }
}

/// A line for `sh -c`, or a program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    Line(String),
    Words(Vec<String>),
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Line(line) => line.serialize(serializer),
            Self::Words(words) => words.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(line) => Ok(Self::Line(line)),
            words => serde_json::from_value(words).map(Self::Words).map_err(de::Error::custom),
        }
    }
}

impl JsonSchema for Run {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Run".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string" }, "minItems": 1 },
        ] })
    }
}

/// One of `text` and `base64` is printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Print {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<OutputName>,
    /// Whose lines these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<Dialect>,
    /// A text gets a line break at its end unless this is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newline: Option<bool>,
}

impl Short for Print {
    fn from_text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }

    fn as_text(&self) -> Option<&str> {
        let text = self.text.as_deref()?;
        (*self == Self::from_text(text)).then_some(text)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OutputName {
    #[default]
    Stdout,
    Stderr,
}

/// Whose stream it is: hast's own lines, or those of a preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    #[default]
    Hast,
    Claude,
    Codex,
    Gemini,
    Qwen,
    Opencode,
    Goose,
    Copilot,
    Aider,
}

/// What an agent tells of itself, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Speech {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<Dialect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub say: Option<Texts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Texts>,
    /// Tools that it was not allowed to use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied: Option<Texts>,
    /// A request failed, and it tries again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<ApiFailure>,
    /// A request failed for good; it ends with a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ApiFailure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<SpeechUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<SpeechEnd>,
}

/// A request to a model that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiFailure {
    /// The HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    pub text: String,
    /// Seconds until it may be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_in: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<OffsetTime>,
}

/// Tokens, and money where the dialect tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SpeechUsage {
    /// What came from the cache included.
    pub input: u64,
    pub output: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SpeechEnd {
    Success,
    Failure,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitFor {
    #[schemars(length(min = 1))]
    pub path: String,
    /// It fails after this time; 60 unless it says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
}

impl Short for WaitFor {
    fn from_text(text: &str) -> Self {
        Self { path: text.to_owned(), seconds: None }
    }

    fn as_text(&self) -> Option<&str> {
        self.seconds.is_none().then_some(&*self.path)
    }
}

/// What the process that leaves does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Escape {
    #[serde(rename = "do", with = "short::actions")]
    #[schemars(with = "Vec<short::ActionOrWord>")]
    pub actions: Vec<Action>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_term: bool,
    /// Whether it keeps the output open, as daemons often do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_output: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum SignalName {
    Abrt,
    Hup,
    Int,
    Kill,
    Quit,
    Segv,
    Term,
}

/// There is nothing to say about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Nothing {}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Hang {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignore_term: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LimitReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<Dialect>,
    /// 429 unless it says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Seconds until it may be tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets_in: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<OffsetTime>,
}

impl Short for LimitReport {
    fn from_text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }

    fn as_text(&self) -> Option<&str> {
        let text = self.text.as_deref()?;
        (*self == Self::from_text(text)).then_some(text)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LoginReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<Dialect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Short for LoginReport {
    fn from_text(text: &str) -> Self {
        Self { like: None, text: Some(text.to_owned()) }
    }

    fn as_text(&self) -> Option<&str> {
        self.like.is_none().then_some(self.text.as_deref()).flatten()
    }
}

/// A handoff; its front matter is made from the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WriteHandoff {
    pub status: HandoffStatus,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
    /// Another goal than the one of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_id: Option<String>,
}

/// What must be so before the next action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Expect {
    /// Texts that the prompt must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Texts>,
    /// Texts that the prompt must not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_in_prompt: Option<Texts>,
    /// Files that must be there, relative to the working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<Texts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Texts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileText>,
}

/// A file and a text that it must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileText {
    #[schemars(length(min = 1))]
    pub path: String,
    pub has: Texts,
}
