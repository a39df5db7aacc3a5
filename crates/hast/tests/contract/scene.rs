//! A repository with a request for a total, honest agents, and room for one that is not.

use std::ops::Deref;
use std::path::Path;
use std::process::Stdio;

use hast_stage::Stage;
use hast_stage::plays::contract::{REHEARSAL, project};

pub(crate) struct Scene {
    stage: Stage,
}

impl Deref for Scene {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

/// The user's checkout from the room of the request, where no sandbox keeps anybody from it.
pub(crate) const USERS: &str = "../../../../../../../project";

/// One subtask with tests for `src/total.sh`.
pub(crate) const ONE: &str = r#"
  - when: {step: breakdown}
    do:
      - outbox:
          task-breakdown.yaml:
            version: 1
            request_id: "{{request_id}}"
            created_at: "2026-01-12T14:30:00Z"
            created_by: planner
            original_request: total
            objective: a total
            tasks: [{id: T1, name: total, objective: a total, subtasks: [{id: T1-S2, name: sum up, description: d}]}]
            assumptions: []
            task_order: [T1]
"#;

impl Scene {
    /// The first reply that fits is played; the honest ones come last. Nothing keeps an agent from
    /// anything: the gates have to see.
    pub(crate) fn new(replies: &str) -> Self {
        Self::with(replies, "sandbox: off\n")
    }

    pub(crate) fn with(replies: &str, config: &str) -> Self {
        let (head, rest) = REHEARSAL.split_once("replies:\n").unwrap();
        let rehearsal = format!("{head}replies:\n{replies}{rest}");
        let hast = Path::new(env!("CARGO_BIN_EXE_hast"));
        Self { stage: project(hast, &rehearsal, config) }
    }

    /// hast was killed while an agent of this step worked, after these actions. The next one finishes its
    /// work.
    pub(crate) fn killed_during(step: &str, actions: &str) -> Self {
        let scene = Self::new(&format!(
            "  - when: {{step: {step}, missing: .git/go}}\n    do:\n{actions}      - write: {{path: {USERS}/.git/here, text: now}}\n      - hang\n{ONE}"
        ));
        let mut command = scene.hast_command(&["contract", "start", "a total"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        scene.wait_until("the agent works", |scene| scene.has(".git/here"));
        child.kill().unwrap();
        child.wait().unwrap();
        scene.nothing_runs();
        scene.write(".git/go", "");
        scene
    }

    /// The one directory of this project's contracts.
    pub(crate) fn contract(&self, name: &str) -> String {
        self.read(&self.contract_path(name))
    }

    pub(crate) fn contract_path(&self, name: &str) -> String {
        let hash = self.names(".claude/orchestrator/sessions").concat();
        format!(".claude/orchestrator/sessions/{hash}/contracts/R1/{name}")
    }

    pub(crate) fn log(&self) -> String {
        self.read(".claude/orchestrator/events.ndjson")
    }

    /// Reasons of failed gates, in their order.
    pub(crate) fn failures(&self) -> Vec<String> {
        let failed = |line: &&str| line.contains("GATE_FAILED");
        self.log().lines().filter(failed).map(str::to_owned).collect()
    }

    pub(crate) fn commits(&self) -> Vec<String> {
        self.git(&["log", "--format=%s"]).lines().map(str::to_owned).collect()
    }
}
