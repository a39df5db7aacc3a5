//! Which commands a repository brings, and whether this user approved exactly these. Where the
//! approval is kept is not known here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::docs::document::Version;
use crate::docs::goals::{BUILTIN_PROVIDERS, Config, Goal, Goals};

/// What a repository would have run, by the name of its field: `ai_tool`, `goals.M1.test_command`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Commands(BTreeMap<String, String>);

/// An approval, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    pub version: Version<1>,
    /// The repository, by its real path.
    pub repository: String,
    pub commands: Commands,
}

/// Proof that the user approved what a repository would have run. Only [`Commands::judge`] and
/// whoever asks the user make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Trusted(());

/// What keeps commands from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Nobody approved anything of this repository.
    New,
    /// Something else was approved; these fields differ.
    Changed(Vec<Change>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub field: String,
    pub before: Option<String>,
    pub now: Option<String>,
}

/// Why commands run without an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// `HAST_TRUST=all`.
    All,
    Approved,
}

impl Commands {
    /// What the settings of a project would have run, and what widens what is run.
    pub fn of_config(config: &Config) -> Self {
        let mut commands = Self::default();
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        commands.add("test_command".to_owned(), text(&config.test_command));
        commands.add("ai_tool".to_owned(), text(&config.ai_tool));
        for (name, line) in &config.ai_tools {
            commands.add(format!("ai_tools.{name}"), line.clone());
        }
        commands.add("room_setup".to_owned(), text(&config.room_setup));
        commands.add("worktree_setup".to_owned(), text(&config.worktree_setup));
        // A key must not be sent elsewhere, and no other variable in its place.
        for name in BUILTIN_PROVIDERS {
            let settings = config.builtin.as_ref().and_then(|all| all.of(name));
            let Some(settings) = settings else { continue };
            commands.add(format!("builtin.{name}.base_url"), text(&settings.base_url));
            commands.add(format!("builtin.{name}.key_env"), text(&settings.key_env));
        }
        // An approved command must not get more hands by another change.
        commands.add("env".to_owned(), config.env.join(", "));
        commands.add("sandbox_write".to_owned(), config.sandbox_write.join(", "));
        if config.sandbox == Some(crate::docs::goals::SandboxMode::Off) {
            commands.add("sandbox".to_owned(), "off".to_owned());
        }
        commands
    }

    /// Adds what goals would have run.
    #[must_use]
    pub fn with_goals(mut self, goals: &Goals) -> Self {
        self.add_goals(&goals.goals);
        self
    }

    /// Adds a command of another kind: an expert's tool.
    #[must_use]
    pub fn with(mut self, field: &str, command: &str) -> Self {
        self.add(field.to_owned(), command.to_owned());
        self
    }

    fn add_goals(&mut self, goals: &[Goal]) {
        for goal in goals {
            for (name, value) in [("test_command", &goal.test_command), ("tool", &goal.tool)] {
                self.add(format!("goals.{}.{name}", goal.id), value.clone().unwrap_or_default());
            }
            self.add_goals(&goal.children);
        }
    }

    fn add(&mut self, field: String, command: String) {
        if !command.trim().is_empty() {
            self.0.insert(field, command);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(field, command)| (field.as_str(), command.as_str()))
    }

    /// Whether these may be run. A repository that brings no command needs no approval.
    pub fn judge(&self, approved: Option<&Approval>, repository: &str) -> Result<Trusted, Doubt> {
        if self.is_empty() {
            return Ok(Trusted(()));
        }
        // An approval speaks for the place it was given for, wherever its file was put.
        let Some(approval) = approved.filter(|approval| approval.repository == repository) else {
            return Err(Doubt::New);
        };
        let changes = self.changes_since(&approval.commands);
        if changes.is_empty() { Ok(Trusted(())) } else { Err(Doubt::Changed(changes)) }
    }

    /// What is new or different. A command that went away needs no approval.
    fn changes_since(&self, before: &Self) -> Vec<Change> {
        let differs = |(field, now): (&String, &String)| {
            let old = before.0.get(field);
            (old != Some(now)).then(|| Change {
                field: field.clone(),
                before: old.cloned(),
                now: Some(now.clone()),
            })
        };
        self.0.iter().filter_map(differs).collect()
    }
}

impl Trusted {
    /// The user has just approved, or said beforehand that all may run.
    pub fn by_the_user(_: Allowance) -> Self {
        Self(())
    }
}

/// The name of the file that holds a repository's approval. The path may have any bytes.
pub fn file_name(repository: &[u8]) -> String {
    let digest = Sha256::digest(repository);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(ai_tool: &str) -> Config {
        Config { ai_tool: Some(ai_tool.to_owned()), ..Config::default() }
    }

    fn approval(commands: Commands) -> Approval {
        Approval { version: Version, repository: "/p".to_owned(), commands }
    }

    #[test]
    fn what_was_approved_runs_and_what_changed_asks_again_and_says_what() {
        let commands = Commands::of_config(&config("claude"));
        assert_eq!(commands.judge(None, "/p"), Err(Doubt::New));
        let approval = approval(commands.clone());
        assert!(commands.judge(Some(&approval), "/p").is_ok());
        let changed = Commands::of_config(&config("sh -c 'evil' {stdin}"));
        let Err(Doubt::Changed(changes)) = changed.judge(Some(&approval), "/p") else {
            panic!("a changed command was run");
        };
        assert_eq!(changes[0].field, "ai_tool");
        assert_eq!(changes[0].before.as_deref(), Some("claude"));
    }

    #[test]
    fn an_approval_of_another_place_does_not_count() {
        let commands = Commands::of_config(&config("claude"));
        let approval = approval(commands.clone());
        assert_eq!(commands.judge(Some(&approval), "/moved"), Err(Doubt::New));
    }

    #[test]
    fn every_command_and_whatever_widens_one_counts() {
        let goals = Goals {
            goals: serde_json::from_value(serde_json::json!([{
                "id": "M1", "title": "t", "status": "active",
                "children": [{ "id": "M1.1", "title": "t", "status": "active",
                    "test_command": "make", "tool": "x" }]
            }]))
            .unwrap(),
        };
        let mut config = config("claude");
        config.test_command = Some("cargo test".into());
        config.ai_tools.insert("x".into(), "y {stdin}".into());
        config.room_setup = Some("npm ci".into());
        config.env = vec!["AWS_*".into()];
        config.sandbox_write = vec!["~/.cargo".into()];
        config.sandbox = Some(crate::docs::goals::SandboxMode::Off);
        let commands = Commands::of_config(&config).with_goals(&goals).with("experts.a", "b");
        let fields: Vec<_> = commands.iter().map(|(field, _)| field).collect();
        let expected = [
            "ai_tool",
            "ai_tools.x",
            "env",
            "experts.a",
            "goals.M1.1.test_command",
            "goals.M1.1.tool",
            "room_setup",
            "sandbox",
            "sandbox_write",
            "test_command",
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn a_repository_without_commands_needs_no_approval() {
        assert!(Commands::of_config(&Config::default()).judge(None, "/p").is_ok());
    }

    #[test]
    fn two_paths_never_share_a_file() {
        assert_ne!(file_name(b"/a"), file_name(b"/a\n"));
        assert_eq!(file_name(b"/a").len(), 64 + 5);
    }
}
