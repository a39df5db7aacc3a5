//! The agents that hast knows by name: flags for a call without a person, the variables they need,
//! and how their output reads. Versions and recordings: `tests/streams/README.md` of this crate.

mod aider;
pub mod builtin;
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

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

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
    /// The flag that adds a directory to the workspace, for an agent that writes nowhere else.
    pub workspace: Option<&'static str>,
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

/// A directory or file where the agent keeps its settings, sessions or caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// Variables that move it, with what comes below their value. The first that is set counts.
    pub moved: &'static [(&'static str, &'static str)],
    /// Where it is else, below the user's home.
    pub below_home: &'static str,
    pub kind: HomeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeKind {
    /// Made before a call: under a sandbox the agent cannot make it.
    Directory,
    File,
}

impl Home {
    const fn directory(
        moved: &'static [(&'static str, &'static str)],
        below_home: &'static str,
    ) -> Self {
        Self { moved, below_home, kind: HomeKind::Directory }
    }

    const fn file(
        moved: &'static [(&'static str, &'static str)],
        below_home: &'static str,
    ) -> Self {
        Self { moved, below_home, kind: HomeKind::File }
    }

    /// Where it is for a user with these variables; nowhere for one without a home.
    pub fn path<'v>(&self, variable: impl Fn(&str) -> Option<&'v OsStr>) -> Option<PathBuf> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(Path::new);
        let mut moved = self.moved.iter().filter_map(|(name, below)| Some((set(name)?, *below)));
        let (above, below) = match moved.next() {
            Some(moved) => moved,
            None => (set("HOME")?, self.below_home),
        };
        Some(if below.is_empty() { above.to_owned() } else { above.join(below) })
    }
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
    use crate::docs::goals::agent_rights::missing_rights;
    use crate::docs::goals::{Config, PRESETS};

    #[test]
    fn the_names_in_the_configuration_are_the_presets() {
        let names: Vec<&str> = Preset::ALL.iter().map(|preset| preset.description().name).collect();
        assert_eq!(names, PRESETS);
    }

    #[test]
    fn every_preset_has_the_right_to_write() {
        for preset in Preset::ALL {
            let Description { program, flags, .. } = preset.description();
            let words = [&[*program], *flags].concat();
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(missing_rights(&words, &Config::default()), None, "{program}");
        }
    }

    #[test]
    fn a_home_is_where_its_variable_says_else_below_the_users() {
        let homes = |preset: Preset, set: &[(&str, &str)]| -> Vec<String> {
            let variable = |name: &str| {
                let set = [("HOME", "/h")].iter().chain(set).find(|(key, _)| *key == name);
                set.map(|(_, value)| OsStr::new(*value))
            };
            let homes = preset.description().homes.iter().filter_map(|home| home.path(variable));
            homes.map(|path| path.to_str().unwrap().to_owned()).collect()
        };
        let xdg = [
            ("XDG_CONFIG_HOME", "/x/c"),
            ("XDG_DATA_HOME", "/x/d"),
            ("XDG_STATE_HOME", "/x/s"),
            ("XDG_CACHE_HOME", "/x/k"),
        ];
        for (preset, set, expected) in [
            (Preset::Claude, &[][..], &["/h/.claude", "/h/.claude.json"][..]),
            (Preset::Claude, &[("CLAUDE_CONFIG_DIR", "/c")], &["/c", "/c/.claude.json"]),
            (Preset::Codex, &[("CODEX_HOME", "/c")], &["/c"]),
            (Preset::Gemini, &[("GEMINI_CLI_HOME", "/g")], &["/g/.gemini"]),
            (Preset::Gemini, &[("GEMINI_CLI_HOME", "")], &["/h/.gemini"]),
            (Preset::Qwen, &[("QWEN_HOME", "/q")], &["/q"]),
            (
                Preset::Opencode,
                &xdg,
                &["/x/c/opencode", "/x/d/opencode", "/x/s/opencode", "/x/k/opencode"],
            ),
            (Preset::Goose, &xdg, &["/x/c/goose", "/x/d/goose", "/x/s/goose"]),
            (
                Preset::Goose,
                &[("GOOSE_PATH_ROOT", "/g"), xdg[0]],
                &["/g/config", "/g/data", "/g/state"],
            ),
            (Preset::Copilot, &[], &["/h/.copilot", "/h/.cache/copilot"]),
            (Preset::Copilot, &[("COPILOT_HOME", "/c"), xdg[3]], &["/c", "/x/k/copilot"]),
        ] {
            assert_eq!(homes(preset, set), expected, "{preset:?} {set:?}");
        }
    }

    #[test]
    fn a_variable_that_moves_a_home_reaches_the_agent() {
        use crate::process::environment::{Pattern, filtered};
        for preset in Preset::ALL {
            let Description { homes, inherit, .. } = preset.description();
            let wanted: Vec<Pattern> = inherit.iter().map(|text| text.parse().unwrap()).collect();
            for (name, _) in homes.iter().flat_map(|home| home.moved) {
                let kept = filtered([((*name).into(), "/x".into())], &wanted);
                assert_eq!(kept.len(), 1, "{preset:?} {name}");
            }
        }
    }
}
