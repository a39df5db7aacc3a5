//! A small repository with goals, and a clone of it where somebody else works.

use std::ops::Deref;
use std::path::Path;

use hast_stage::{Ran, Stage};
use serde_json::{Value, json};

pub(crate) struct Scene {
    stage: Stage,
}

impl Deref for Scene {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

pub(crate) const GOALS: &str = "goals:
  - id: M1
    title: \"The first\"
    status: active
    allowed_changes: [\"src/\"]
  - id: M2
    title: \"The second\"
    status: active
    allowed_changes: [\"docs/\"]
";

/// A handoff that fits the goal.
pub(crate) fn handoff(goal: &str) -> String {
    format!(
        "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: {goal}\n---\n\n## Done\n- it\n\n## Key Decisions\n- none\n\n## Changed Files\n- src\n\n## Next\nnothing\n\n## Context Files\n"
    )
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self::with("", "test ! -f src/bug.txt || { echo FAIL bug; exit 1; }\n")
    }

    /// With more configuration, and a test command.
    pub(crate) fn with(config: &str, check: &str) -> Self {
        let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
        stage.write(".ai/goals.yaml", GOALS);
        let config = format!(
            "test_command: \"sh check.sh\"\nroom: own-path\nai_tool: \"false {{prompt}}\"\n{config}"
        );
        stage.write(".ai/config.yaml", config);
        stage.write(".ai/rules.md", "- rules\n");
        stage.write(
            ".ai/.gitignore",
            "/auto.lock\n/.hast/\n/events/\n/attempts/\n/queue/\n/state/\n/protocols/\n/reports/\n/worktrees/\n",
        );
        stage.write("check.sh", check);
        stage.write("src/a.txt", "a\nb\nc\n");
        stage.write("docs/a.md", "docs\n");
        stage.write(".gitignore", "*.log\n");
        stage.make_repository();
        let scene = Self { stage };
        scene.git(&["clone", "-q", ".", "../elsewhere"]);
        scene
    }

    /// A packet for a goal.
    pub(crate) fn export(&self, goal: &str) -> Value {
        self.export_for("generic", goal)
    }

    pub(crate) fn export_for(&self, adapter: &str, goal: &str) -> Value {
        let ran = self.hast(&["protocol", "export", "--adapter", adapter, "--goal", goal]);
        assert_eq!(ran.code, 0, "{ran:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    /// What a worker elsewhere changed, as git prints it.
    pub(crate) fn patch(&self, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            self.write(&format!("../elsewhere/{path}"), text);
        }
        let elsewhere = |args: &[&str]| self.git(&[&["-C", "../elsewhere"], args].concat());
        elsewhere(&["add", "-A"]);
        let patch = elsewhere(&["diff", "--cached", "--binary", "HEAD"]);
        elsewhere(&["reset", "-q", "--hard"]);
        // Git ends a binary file with an empty line.
        patch + "\n\n"
    }

    /// The same as commits on a branch that was pushed.
    pub(crate) fn branch(&self, name: &str, commits: &[(&str, &str)]) -> Value {
        let elsewhere = |args: &[&str]| self.git(&[&["-C", "../elsewhere"], args].concat());
        elsewhere(&["config", "user.name", "Worker"]);
        elsewhere(&["config", "user.email", "worker@localhost"]);
        elsewhere(&["checkout", "-q", "-b", name]);
        for (path, text) in commits {
            self.write(&format!("../elsewhere/{path}"), text);
            elsewhere(&["add", "-A"]);
            elsewhere(&["commit", "-q", "-m", &format!("work on {path}")]);
        }
        elsewhere(&["push", "-q", "origin", name]);
        json!({"name": name, "commit": elsewhere(&["rev-parse", "HEAD"])})
    }

    /// A finished result that brings a patch, and its handoff.
    pub(crate) fn result(&self, task: &Value, patch: &str) -> Value {
        let goal = task["goal"]["id"].as_str().unwrap();
        json!({
            "schema": "protocol_result.v1",
            "packet_id": task["packet_id"],
            "goal_id": goal,
            "base_commit": task["base"]["commit"],
            "status": "complete",
            "patch": patch,
            "handoff": handoff(goal),
        })
    }

    pub(crate) fn ingest(&self, result: &Value) -> Ran {
        self.deliver(result);
        self.hast(&["protocol", "ingest", "../result.json"])
    }

    /// Lays a result beside the project.
    pub(crate) fn deliver(&self, result: &Value) {
        self.write("../result.json", result.to_string());
    }

    /// The answer as JSON.
    pub(crate) fn answer(&self, result: &Value) -> (i32, Value) {
        self.deliver(result);
        let ran = self.hast(&["protocol", "ingest", "../result.json", "--json"]);
        let value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}"));
        (ran.code, value)
    }

    /// The code of a refusal, which changes nothing but the log of steps.
    pub(crate) fn refused(&self, result: &Value) -> String {
        let before = self.state();
        let (code, answer) = self.answer(result);
        assert_eq!(code, 1, "{answer}");
        assert_eq!(self.state(), before);
        answer["problem"]["code"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Branches, files and what was told: everything that a result could change.
    pub(crate) fn state(&self) -> Vec<String> {
        vec![
            self.git(&["for-each-ref", "--format=%(refname) %(objectname)"]),
            self.git(&["status", "--porcelain"]),
            self.read(".ai/events/events.ndjson"),
            self.read(".ai/goals.yaml"),
            format!("{:?}", self.rooms()),
        ]
    }

    pub(crate) fn status_of(&self, goal: &str) -> String {
        let goals = self.read(".ai/goals.yaml");
        let (_, rest) = goals.split_once(&format!("id: {goal}\n")).unwrap();
        let (_, rest) = rest.split_once("status: ").unwrap();
        rest.lines().next().unwrap_or_default().to_owned()
    }

    pub(crate) fn events(&self, kind: &str) -> usize {
        let log = self.read(".ai/events/events.ndjson");
        log.lines().filter(|line| line.contains(&format!("\"type\":\"{kind}\""))).count()
    }

    /// No tree, no branch of a lane, no process, no claim; and the user's files as git has them.
    pub(crate) fn nothing_is_left(&self) {
        assert_eq!(self.rooms(), []);
        assert_eq!(self.git(&["for-each-ref", "refs/hast/lanes"]), "");
        assert_eq!(self.names(".git/worktrees"), Vec::<String>::new());
        assert_eq!(self.git(&["status", "--porcelain"]), "");
        self.nothing_runs();
    }

    pub(crate) fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.root().join(path).symlink_metadata().is_ok()
    }
}
