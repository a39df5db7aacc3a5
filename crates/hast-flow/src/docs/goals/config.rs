//! `config.yaml`: how hast tests, which agents it calls, and the limits of both.

use std::num::NonZeroU32;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Rules;
use crate::docs::goals::agent_line::agent_line;
use crate::docs::goals::builtin_settings::{BuiltinSettings, builtin_rules};
use crate::docs::goals::minutes::Minutes;
use crate::document;
use crate::formats::diagnostic::Finding;
use crate::words::Lang;

/// Settings, the same for every flow; only `test_command` and `ai_tool` are needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Config {
    /// Run by `sh -c` at the root of the tree; exit 0 means green.
    #[schemars(required, example = &"cargo test")]
    pub test_command: Option<String>,
    /// A preset's name; or a command line with {prompt}, {prompt_file} or {stdin}.
    #[schemars(required, example = &"claude")]
    pub ai_tool: Option<String>,
    /// More agents, for `--tool NAME`, `roles` and a goal's `tool`.
    #[serde(default)]
    pub ai_tools: IndexMap<String, String>,
    #[serde(default)]
    pub timeout_minutes: Option<Minutes>,
    #[serde(default)]
    pub stall_minutes: Option<Minutes>,
    #[serde(default)]
    pub max_retries: Option<NonZeroU32>,
    #[serde(default)]
    pub max_regenerations: Option<u32>,
    #[serde(default)]
    pub max_context_bytes: Option<NonZeroU32>,
    /// Which agent plays which role.
    #[serde(default)]
    pub roles: IndexMap<String, String>,
    /// Agents to use when the first is limited or missing.
    #[serde(default)]
    pub fallback: Vec<String>,
    #[serde(default)]
    pub sandbox: Option<SandboxMode>,
    #[serde(default)]
    pub sandbox_write: Vec<String>,
    #[serde(default)]
    pub budget: Option<Budget>,
    #[serde(default)]
    pub on_limit: Option<OnLimit>,
    /// The answer of `auto` to tests that are red before any work.
    #[serde(default)]
    pub on_red_base: Option<OnRedBase>,
    #[serde(default)]
    pub commit: Option<CommitMode>,
    /// Where agents see their room: at the checkout's path where that works, or at a path of its own.
    #[serde(default)]
    pub room: Option<RoomSetting>,
    /// Run by `sh -c` in each new room.
    #[serde(default)]
    pub room_setup: Option<String>,
    /// Globs of files that git does not have and that are copied into each new room.
    #[serde(default)]
    pub room_copy: Vec<String>,
    /// Globs of ignored files that stay as the agent left them when the tests run.
    #[serde(default)]
    pub room_keep: Vec<String>,
    /// Without effect.
    #[serde(default)]
    pub isolation: Option<Isolation>,
    /// The old name of `room_setup`.
    #[serde(default)]
    pub worktree_setup: Option<String>,
    /// The old name of `room_copy`.
    #[serde(default)]
    pub worktree_copy: Vec<String>,
    #[serde(default)]
    pub protect: Vec<String>,
    /// Names, or prefixes ending in `*`, of variables that agents get.
    #[serde(default)]
    pub env: Vec<String>,
    #[serde(default)]
    pub queue_dir: Option<String>,
    #[serde(default)]
    pub language: Option<Language>,
    #[serde(default)]
    pub memory: Option<Memory>,
    #[serde(default)]
    pub sec: Option<SecSettings>,
    /// The built-in agent, by the format that it speaks.
    #[serde(default)]
    pub builtin: Option<BuiltinSettings>,
}

document!(Config, "config", Yaml, Warn, rules config_rules);

impl Config {
    /// How long a call may take.
    pub fn timeout(&self) -> Minutes {
        self.timeout_minutes.unwrap_or(Minutes::new(30))
    }

    /// How long an agent may be silent.
    pub fn stall(&self) -> Minutes {
        self.stall_minutes.unwrap_or(Minutes::new(10))
    }

    /// The command that is run in each new room.
    pub fn setup(&self) -> Option<&String> {
        self.room_setup.as_ref().or(self.worktree_setup.as_ref())
    }

    /// Globs of what is copied into each new room.
    pub fn copy(&self) -> &[String] {
        if self.room_copy.is_empty() { &self.worktree_copy } else { &self.room_copy }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxMode {
    Enforce,
    Prefer,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoomSetting {
    SamePath,
    OwnPath,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Budget {
    pub tokens: Option<u64>,
    pub usd: Option<f64>,
    pub minutes: Option<NonZeroU32>,
    pub per: Option<BudgetPeriod>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BudgetPeriod {
    Call,
    Unit,
    Day,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnLimit {
    Wait,
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnRedBase {
    Warn,
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CommitMode {
    Auto,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    Inplace,
    Worktree,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Ko,
    En,
}

impl Language {
    pub fn lang(self) -> Lang {
        match self {
            Self::Ko => Lang::Ko,
            Self::En => Lang::En,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    Builtin,
    ClaudeMem,
    Off,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SecSettings {
    pub user_agent: Option<String>,
}

/// Agents that hast knows how to call by name alone.
pub const PRESETS: &[&str] =
    &["claude", "codex", "gemini", "qwen", "opencode", "goose", "copilot", "aider"];

/// Fields of earlier versions, with their names by now.
const OLD_FIELDS: [(&str, Option<&str>); 3] = [
    ("isolation", None),
    ("worktree_setup", Some("room_setup")),
    ("worktree_copy", Some("room_copy")),
];

/// Every agent line says where the prompt goes.
fn config_rules(config: &Config, rules: &mut Rules<'_>) {
    let tree = rules.tree;
    for (key, text) in [("test_command", &config.test_command), ("ai_tool", &config.ai_tool)] {
        if let (Some(text), Some(node)) = (text, tree.get(key))
            && text.trim().is_empty()
        {
            rules.report(node, Finding::Empty { name: key.to_owned() });
        }
    }
    if let (Some(line), Some(node)) = (&config.ai_tool, tree.get("ai_tool")) {
        agent_line(line, node, config, rules);
    }
    Minutes::rule(config.timeout_minutes, tree, "timeout_minutes", rules);
    Minutes::rule(config.stall_minutes, tree, "stall_minutes", rules);
    if let Some(builtin) = &config.builtin {
        builtin_rules(builtin, rules);
    }
    for (name, instead) in OLD_FIELDS {
        if let Some(node) = tree.get(name) {
            let instead = instead.map(str::to_owned);
            rules.warn(node, Finding::OldField { name: name.to_owned(), instead });
        }
    }
    let named = tree.get("ai_tools").map_or(&[][..], |tools| tools.fields());
    for ((_, line), field) in config.ai_tools.iter().zip(named) {
        agent_line(line, &field.node, config, rules);
    }
}
