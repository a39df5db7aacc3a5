//! Where the files of the goals flow are, below the root of a project.

pub const DIRECTORY: &str = ".ai";
pub const CONFIG: &str = ".ai/config.yaml";
pub const GOALS: &str = ".ai/goals.yaml";
pub const RULES: &str = ".ai/rules.md";
pub const HANDOFFS: &str = ".ai/handoffs";
pub const IGNORE: &str = ".ai/.gitignore";
pub const CONFIG_SCHEMA: &str = ".ai/.hast/config.schema.json";
pub const GOALS_SCHEMA: &str = ".ai/.hast/goals.schema.json";

/// What hast writes for itself; git leaves it out, and so do scope, commit and rollback.
pub const MACHINE_FILES: &[&str] = &[
    "auto.lock",
    ".hast/",
    "events/",
    "attempts/",
    "queue/",
    "state/",
    "protocols/",
    "reports/",
    "worktrees/",
];

/// The text of `.ai/.gitignore`.
pub fn ignore_text() -> String {
    MACHINE_FILES.iter().map(|name| format!("/{name}\n")).collect()
}
