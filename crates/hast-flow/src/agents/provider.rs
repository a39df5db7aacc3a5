//! A provider answers a call: a preset, a command line, or a rehearsal. It is read from the
//! configuration. It makes the command of a call and the reader of its output, and starts nothing.

use crate::agents::command::{AgentCall, AgentCommand, NativeSession, shown_line};
use crate::agents::presets::builtin::{self, Builtin};
use crate::agents::presets::{
    Description, EndingIs, Home, Preset, PromptWay, Resume, own_lines, plain,
};
use crate::agents::problem::AgentProblem;
use crate::agents::reply::{ReadLine, ReplyReader};
use crate::agents::template::Template;
use crate::process::Stdin;

/// An agent, as the configuration names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    Preset(Preset),
    Template(Template),
    /// hast's own agent, as a child process.
    Builtin(Builtin),
    /// Scripted replies, played by hast itself as a child process.
    Rehearsal {
        file: String,
    },
}

/// A reader for the kept output of a call, by the command line in its record.
pub fn reader_of(command: &str) -> ReplyReader {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    if words.next() == Some("agent") && words.next() == Some("rehearse") {
        return ReplyReader::new(own_lines::read_rehearsed);
    }
    let preset = Preset::ALL.into_iter().find(|preset| preset.description().program == program);
    match (preset, Template::parse(command)) {
        (Some(preset), _) => Provider::Preset(preset).reader(),
        (None, Ok(template)) => Provider::Template(template).reader(),
        (None, Err(_)) => ReplyReader::new(plain::read_line),
    }
}

impl Provider {
    /// Reads `ai_tool`, a line of `ai_tools`, `HAST_AI_TOOL`.
    pub fn parse(line: &str) -> Result<Self, AgentProblem> {
        let line = line.trim();
        if line.is_empty() {
            return Err(AgentProblem::Empty);
        }
        if let Some(file) = line.strip_prefix("rehearsal:") {
            return match file.trim() {
                "" => Err(AgentProblem::NoRehearsalFile),
                file => Ok(Self::Rehearsal { file: file.to_owned() }),
            };
        }
        if line.starts_with("builtin:") {
            return Builtin::parse(line).map(Self::Builtin);
        }
        match Preset::named(line) {
            Some(preset) => Ok(Self::Preset(preset)),
            None => Template::parse(line).map(Self::Template),
        }
    }

    /// The known program that this calls.
    pub fn known(&self) -> Option<Preset> {
        match self {
            Self::Preset(preset) => Some(*preset),
            Self::Template(template) => template.known_as(),
            Self::Builtin(_) | Self::Rehearsal { .. } => None,
        }
    }

    /// The program that must be there. `hast` is how hast itself is called.
    pub fn program<'a>(&'a self, hast: &'a str) -> &'a str {
        match self {
            Self::Preset(preset) => preset.description().program,
            Self::Template(template) => template.program(),
            Self::Builtin(_) | Self::Rehearsal { .. } => hast,
        }
    }

    /// What is to be started for a call.
    pub fn command(&self, call: &AgentCall, hast: &str) -> Result<AgentCommand, AgentProblem> {
        match self {
            Self::Preset(preset) => Ok(preset_command(preset.description(), call)),
            Self::Template(template) => template.command(call),
            Self::Builtin(builtin) => Ok(builtin.command(call, hast)),
            Self::Rehearsal { file } => Ok(rehearsal_command(file, call, hast)),
        }
    }

    /// Where the agent keeps its settings and sessions: it writes there, and hast compares it.
    pub fn homes(&self) -> &'static [Home] {
        match self {
            Self::Preset(preset) => preset.description().homes,
            Self::Template(template) => {
                template.known_as().map_or(&[], |preset| preset.description().homes)
            }
            Self::Builtin(_) | Self::Rehearsal { .. } => &[],
        }
    }

    /// A reader for the output of one call.
    pub fn reader(&self) -> ReplyReader {
        ReplyReader::new(self.read_line())
    }

    /// Whether a call that went well says so in its output.
    pub fn ending(&self) -> EndingIs {
        match self {
            Self::Builtin(_) => EndingIs::Announced,
            _ => self.streaming().map_or(EndingIs::Silent, |description| description.ending),
        }
    }

    /// The HTTP status that an exit code stands for.
    pub fn status_of_exit(&self, code: i32) -> Option<u16> {
        self.streaming().and_then(|description| (description.status_of_exit)(code))
    }

    fn read_line(&self) -> ReadLine {
        match self {
            Self::Template(template) => template.read_line(),
            Self::Preset(preset) => preset.description().read_line,
            Self::Builtin(_) => builtin::read_line,
            Self::Rehearsal { .. } => own_lines::read_rehearsed,
        }
    }

    fn streaming(&self) -> Option<&'static Description> {
        match self {
            Self::Preset(preset) => Some(preset.description()),
            Self::Template(template) => template.streaming(),
            Self::Builtin(_) | Self::Rehearsal { .. } => None,
        }
    }
}

fn preset_command(description: &Description, call: &AgentCall) -> AgentCommand {
    let mut args: Vec<&str> = description.flags.to_vec();
    if let (Resume::After(word), NativeSession::Resume(id)) = (description.resume, &call.session) {
        args.extend([word, id]);
    }
    if let Some(flag) = description.workspace {
        args.extend([flag, &call.call.outbox]);
    }
    let file = &call.call.prompt_file;
    let (stdin, shown_end): (Stdin, &[&str]) = match description.prompt {
        PromptWay::Stdin(words) => {
            args.extend(words);
            (Stdin::Bytes(call.prompt.clone().into_bytes()), &["<", "{prompt_file}"])
        }
        PromptWay::FileAfter(flag) => {
            args.push(flag);
            (Stdin::Nothing, &["{prompt_file}"])
        }
    };
    let shown_words = std::iter::once(&description.program).chain(&args).copied();
    let shown = [&shown_line(shown_words), shown_end.join(" ").as_str()].join(" ");
    let mut args: Vec<String> = args.into_iter().map(str::to_owned).collect();
    if matches!(description.prompt, PromptWay::FileAfter(_)) {
        args.push(file.clone());
    }
    let mut env = call.environment();
    env.extend(description.env.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    AgentCommand {
        program: description.program.to_owned(),
        args,
        cwd: call.call.workdir.clone(),
        stdin,
        env,
        inherit: description.inherit.iter().map(|name| (*name).to_owned()).collect(),
        shown,
    }
}

fn rehearsal_command(file: &str, call: &AgentCall, hast: &str) -> AgentCommand {
    AgentCommand {
        program: hast.to_owned(),
        args: ["agent", "rehearse", file].map(str::to_owned).to_vec(),
        cwd: call.call.workdir.clone(),
        stdin: Stdin::Nothing,
        env: call.environment(),
        inherit: Vec::new(),
        shown: shown_line(["hast", "agent", "rehearse", file]),
    }
}
