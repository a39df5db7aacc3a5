//! The agents that hast knows by name: flags for a call without a person, the variables they need,
//! and how their output reads. Versions and recordings: `tests/streams/README.md` of this crate.

mod aider;
mod claude;
mod codex;
mod copilot;
mod gemini;
mod goose;
mod json_line;
mod message_stream;
mod opencode;
pub mod own_lines;
pub mod plain;
mod qwen;

use crate::agents::reply::ReadLine;

/// The presets, a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    Claude,
    Codex,
    Gemini,
    Qwen,
    Opencode,
    Goose,
    Copilot,
    Aider,
}

/// Everything about an agent that is not the same for all of them.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    pub name: &'static str,
    pub program: &'static str,
    pub flags: &'static [&'static str],
    /// Words on a line of the user that ask for the output `read_line` reads.
    pub stream_words: &'static [&'static str],
    pub prompt: PromptWay,
    /// What goes between the flags and the prompt to go on with a session.
    pub resume: Resume,
    pub env: &'static [(&'static str, &'static str)],
    /// Variables of the user that it needs, by name or by prefix ending in `*`.
    pub inherit: &'static [&'static str],
    pub homes: &'static [Home],
    pub read_line: ReadLine,
    pub ending: EndingIs,
    /// The HTTP status that an exit code stands for.
    pub status_of_exit: fn(i32) -> Option<u16>,
}

/// How the prompt reaches the agent. Never as an argument: prompts may be longer than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptWay {
    /// On standard input, with these words at the end of the line.
    Stdin(&'static [&'static str]),
    /// As the file after this flag.
    FileAfter(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Not proven for this agent; a session always begins anew.
    Never,
    /// The session's id follows this word.
    After(&'static str),
}

/// A directory or file where the agent keeps its settings: `$variable`, else below the user's home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    pub variable: Option<&'static str>,
    pub below_home: &'static str,
}

/// Whether the absence of an ending in the output means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndingIs {
    /// A call that went well says so; silence about it is a broken call.
    Announced,
    /// The agent just ends.
    Silent,
}

impl Preset {
    pub const ALL: [Self; 8] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Qwen,
        Self::Opencode,
        Self::Goose,
        Self::Copilot,
        Self::Aider,
    ];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.description().name == name)
    }

    pub fn description(self) -> &'static Description {
        match self {
            Self::Claude => &claude::DESCRIPTION,
            Self::Codex => &codex::DESCRIPTION,
            Self::Gemini => &gemini::DESCRIPTION,
            Self::Qwen => &qwen::DESCRIPTION,
            Self::Opencode => &opencode::DESCRIPTION,
            Self::Goose => &goose::DESCRIPTION,
            Self::Copilot => &copilot::DESCRIPTION,
            Self::Aider => &aider::DESCRIPTION,
        }
    }
}

/// For agents whose exit code says nothing about HTTP.
fn no_status(_: i32) -> Option<u16> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::goals::PRESETS;

    #[test]
    fn the_names_in_the_configuration_are_the_presets() {
        let names: Vec<&str> = Preset::ALL.iter().map(|preset| preset.description().name).collect();
        assert_eq!(names, PRESETS);
    }
}
