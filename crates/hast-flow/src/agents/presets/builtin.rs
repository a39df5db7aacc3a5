//! hast's own agent: a format, a model and settings in, a command and the reading of its lines out.

use std::collections::BTreeMap;

use super::json_line::{known, object};
use crate::agents::command::{AgentCall, AgentCommand, shown_line};
use crate::agents::events::{AgentEvent, ApiError, Ending, Line};
use crate::agents::limit::Reset;
use crate::agents::problem::AgentProblem;
use crate::agents::tool_use::ToolUse;
use crate::agents::usage::{Span, Tokens, Usd};
use crate::docs::builtin::{BuiltinLine, EndReason, LineKind};
use crate::docs::goals::{BuiltinProvider, Config, builtin_parts};
use crate::process::{Stdin, Stream};

/// The variable that has the settings of the configuration, as JSON.
pub const SETTINGS: &str = "HAST_BUILTIN";

/// What a call of the built-in agent speaks with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Builtin {
    pub wire: Wire,
    pub model: String,
    /// The settings as JSON, once it is known which configuration holds.
    settings: String,
    key_env: String,
}

/// A format of requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    Anthropic,
    OpenaiChat,
}

impl Wire {
    pub const ALL: [Self; 2] = [Self::Anthropic, Self::OpenaiChat];

    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenaiChat => "openai-chat",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wire| wire.name() == name)
    }

    /// The variable that has the key, unless the settings name another.
    pub fn key_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::OpenaiChat => "OPENAI_API_KEY",
        }
    }

    /// The vendor's variable for the address.
    pub fn address_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::OpenaiChat => "OPENAI_BASE_URL",
        }
    }

    /// The vendor.
    pub fn address(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenaiChat => "https://api.openai.com",
        }
    }
}

impl Builtin {
    /// Reads `builtin:FORMAT/MODEL`.
    pub fn parse(line: &str) -> Result<Self, AgentProblem> {
        let bad = || AgentProblem::BadBuiltin { line: line.to_owned() };
        let (wire, model) = builtin_parts(line).ok_or_else(bad)?;
        let wire = Wire::named(wire).ok_or_else(bad)?;
        let key_env = wire.key_variable().to_owned();
        Ok(Self { wire, model: model.to_owned(), settings: "{}".to_owned(), key_env })
    }

    /// With what the configuration says of its format.
    #[must_use]
    pub fn configured(self, config: &Config) -> Self {
        let settings = config.builtin.as_ref().and_then(|all| all.of(self.wire.name()));
        let text = settings.and_then(|settings| serde_json::to_string(settings).ok());
        self.with_settings(text.unwrap_or_else(|| "{}".to_owned()))
    }

    /// With settings as a process was given them.
    #[must_use]
    pub fn with_settings(mut self, settings: String) -> Self {
        let parsed: BuiltinProvider = serde_json::from_str(&settings).unwrap_or_default();
        if let Some(name) = parsed.key_env {
            self.key_env = name;
        }
        Self { settings, ..self }
    }

    /// The variable that has the key.
    pub fn key_env(&self) -> &str {
        &self.key_env
    }

    /// The settings as JSON.
    pub fn settings(&self) -> &str {
        &self.settings
    }

    fn word(&self) -> String {
        format!("{}/{}", self.wire.name(), self.model)
    }

    pub(crate) fn command(&self, call: &AgentCall, hast: &str) -> AgentCommand {
        let mut env: BTreeMap<String, String> = call.environment();
        env.insert(SETTINGS.to_owned(), self.settings.clone());
        let search = ["GEMINI_API_KEY", "GOOGLE_API_KEY"].map(str::to_owned);
        let own = [self.key_env.clone(), self.wire.address_variable().to_owned()];
        AgentCommand {
            program: hast.to_owned(),
            args: ["agent", "builtin", &self.word()].map(str::to_owned).to_vec(),
            cwd: call.call.workdir.clone(),
            stdin: Stdin::Bytes(call.prompt.clone().into_bytes()),
            env,
            inherit: own.into_iter().chain(search).collect(),
            shown: shown_line(["hast", "agent", "builtin", &self.word(), "<", "{prompt_file}"]),
        }
    }
}

pub(crate) fn read_line(stream: Stream, line: &str) -> Line {
    if stream == Stream::Err {
        return Line::Raw;
    }
    match object(line).and_then(|value| serde_json::from_value::<BuiltinLine>(value).ok()) {
        Some(line) => known(events(line)),
        None => Line::Raw,
    }
}

fn events(line: BuiltinLine) -> Vec<AgentEvent> {
    match line.kind {
        LineKind::Start => line.model.map(AgentEvent::Model).into_iter().collect(),
        LineKind::Text => line.text.map(AgentEvent::Said).into_iter().collect(),
        LineKind::Call => {
            let arguments = line.arguments.map(|all| all.into_iter().collect());
            let tool = line.tool.unwrap_or_default();
            vec![AgentEvent::Tool(ToolUse::new(&tool, arguments.as_ref()))]
        }
        LineKind::Result => Vec::new(),
        LineKind::Usage => {
            let tokens = Tokens {
                input: line.input.unwrap_or(0),
                output: line.output.unwrap_or(0),
                cached: line.cached.unwrap_or(0),
            };
            let cost = line.micro_usd.map(|amount| AgentEvent::Cost(Usd(amount), Span::Step));
            std::iter::once(AgentEvent::Tokens(tokens, Span::Step)).chain(cost).collect()
        }
        LineKind::Retry => {
            let cause = line.cause.unwrap_or_default();
            vec![AgentEvent::Retry(ApiError::new(line.status, &cause))]
        }
        LineKind::End => ended(line),
    }
}

/// The end as everything else of hast knows ends.
fn ended(line: BuiltinLine) -> Vec<AgentEvent> {
    let text = line.text.unwrap_or_default();
    let of = |status: Option<u16>, words: String| {
        let mut error = ApiError::new(status, &words);
        error.reset = line.resume_at.map(|at| Reset::At(at.instant())).or(error.reset);
        vec![AgentEvent::Error(error), AgentEvent::Ended(Ending::Failure)]
    };
    let status = line.status;
    match line.reason {
        Some(EndReason::Completed | EndReason::Blocked) => vec![AgentEvent::Ended(Ending::Success)],
        Some(EndReason::Limited) => of(status.or(Some(429)), text),
        Some(EndReason::Login) => of(Some(401), text),
        Some(EndReason::Transport) => of(status, format!("connection error: {text}")),
        Some(EndReason::ContextFull) => of(None, format!("the context is full: {text}")),
        Some(EndReason::MaxTurns) => of(None, format!("too many turns: {text}")),
        Some(EndReason::Loop) => of(None, format!("it went in a circle: {text}")),
        Some(EndReason::FormatErrors) => of(None, format!("its tool calls cannot be read: {text}")),
        Some(EndReason::Refused) => of(None, format!("the model refused: {text}")),
        Some(EndReason::Cancelled) | None => of(None, format!("it was ended: {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::events::ApiErrorClass;
    use crate::agents::limit::LimitCause;
    use crate::docs::document::read;
    use crate::formats::source::Source;

    fn of_end(line: &str) -> (Ending, Option<ApiErrorClass>) {
        let Line::Known(events) = read_line(Stream::Out, line) else { panic!("{line}") };
        let ending = events.iter().find_map(|event| match event {
            AgentEvent::Ended(ending) => Some(*ending),
            _ => None,
        });
        let class = events.iter().find_map(|event| match event {
            AgentEvent::Error(error) => Some(error.class()),
            _ => None,
        });
        (ending.unwrap(), class)
    }

    #[test]
    fn each_reason_is_an_end_that_hast_knows() {
        let end = |reason: &str| format!(r#"{{"type":"end","reason":"{reason}","text":"x"}}"#);
        assert_eq!(of_end(&end("completed")), (Ending::Success, None));
        assert_eq!(of_end(&end("blocked")), (Ending::Success, None));
        let limit = ApiErrorClass::Limit(LimitCause::Rate);
        assert_eq!(of_end(&end("limited")), (Ending::Failure, Some(limit)));
        assert_eq!(of_end(&end("login")), (Ending::Failure, Some(ApiErrorClass::Login)));
        assert_eq!(of_end(&end("transport")), (Ending::Failure, Some(ApiErrorClass::Connection)));
        for reason in ["max_turns", "context_full", "loop", "format_errors", "refused", "cancelled"]
        {
            assert_eq!(
                of_end(&end(reason)),
                (Ending::Failure, Some(ApiErrorClass::Other)),
                "{reason}"
            );
        }
    }

    #[test]
    fn lines_say_what_they_used_and_what_is_done() {
        let usage = r#"{"type":"usage","input":10,"output":2,"cached":4,"micro_usd":7}"#;
        let tokens = Tokens { input: 10, output: 2, cached: 4 };
        let events =
            vec![AgentEvent::Tokens(tokens, Span::Step), AgentEvent::Cost(Usd(7), Span::Step)];
        assert_eq!(read_line(Stream::Out, usage), Line::Known(events));
        let call =
            r#"{"type":"call","id":"1","tool":"read_file","arguments":{"file_path":"a.rs"}}"#;
        let tool = ToolUse { name: "read_file".into(), on: Some("a.rs".into()) };
        assert_eq!(read_line(Stream::Out, call), Line::Known(vec![AgentEvent::Tool(tool)]));
        assert_eq!(read_line(Stream::Out, "{\"type\":\"sang\"}"), Line::Raw);
    }

    #[test]
    fn the_settings_of_its_format_and_the_variable_of_the_key_go_with_the_call() {
        let text = "test_command: t\nai_tool: claude\nbuiltin:\n  openai-chat: {base_url: \"http://h:1\", key_env: MY_KEY}\n";
        let config = read::<Config>(&Source::new("config.yaml", text)).unwrap().value;
        let of = |line: &str| Builtin::parse(line).unwrap().configured(&config);
        let chat = of("builtin:openai-chat/m");
        assert_eq!(
            (chat.key_env(), chat.settings()),
            ("MY_KEY", r#"{"base_url":"http://h:1","key_env":"MY_KEY"}"#)
        );
        let messages = of("builtin:anthropic/m");
        assert_eq!((messages.key_env(), messages.settings()), ("ANTHROPIC_API_KEY", "{}"));
    }
}
