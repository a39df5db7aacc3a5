//! A project that somebody has just begun, and an agent that is only a script.

use std::io::Write;
use std::ops::Deref;
use std::process::Stdio;

use hast_stage::{Ran, Stage};
use serde_json::Value;

pub(crate) struct Scene {
    stage: Stage,
}

impl Deref for Scene {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

/// Writes a file named after its goal and attempt, and reports.
pub(crate) const WORK: &str = "      - write: {path: \"src/{{goal_id}}.txt\", text: \"{{attempt}}\\n\"}\n      - handoff: {status: complete, done: [it], next: nothing}\n";

/// The agent does this, whatever it is asked.
pub(crate) fn always(actions: &str) -> String {
    format!("  - do:\n{actions}")
}

impl Scene {
    /// A repository where `hast init` was just run.
    pub(crate) fn new(replies: &str) -> Self {
        let scene = Self::before_init();
        let ran = scene.hast(&["init"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        scene.agent(replies);
        scene.git(&["add", "-A"]);
        scene.git(&["commit", "-qm", "hast"]);
        scene
    }

    pub(crate) fn before_init() -> Self {
        let scene = Self { stage: Stage::new(env!("CARGO_BIN_EXE_hast")) };
        scene.write("src/a.txt", "a\n");
        scene.write("check.sh", "! grep -rq wrong src\n");
        scene.write("README", "read me\n");
        scene.make_repository();
        scene
    }

    /// The settings of a project whose agent plays these replies.
    pub(crate) fn agent(&self, replies: &str) {
        self.config(replies, "");
    }

    pub(crate) fn config(&self, replies: &str, more: &str) {
        self.write(".ai/agent.yaml", format!("version: 1\nreplies:\n{replies}"));
        let settings = "test_command: \"sh check.sh\"\nai_tool: \"rehearsal:.ai/agent.yaml\"\n";
        self.write(".ai/config.yaml", format!("{settings}{more}"));
    }

    pub(crate) fn goals(&self) -> String {
        self.read(".ai/goals.yaml")
    }

    /// Goals without a word about them: `M1:active` with two spaces for each level.
    pub(crate) fn set_goals(&self, lines: &str) {
        let mut text = String::from("goals:\n");
        let mut above = 0;
        for line in lines.lines() {
            let level = (line.len() - line.trim_start().len()) / 2;
            let pad = " ".repeat(level * 4);
            if level > above {
                text += &format!("{}  children:\n", " ".repeat((level - 1) * 4));
            }
            above = level;
            let (id, status) = line.trim().split_once(':').unwrap();
            text +=
                &format!("{pad}- id: {id}\n{pad}  title: title of {id}\n{pad}  status: {status}\n");
        }
        self.write(".ai/goals.yaml", text);
    }

    /// The goals of the tree, as `hast goal list` tells programs.
    pub(crate) fn listed(&self) -> Vec<Value> {
        let told = json(&self.hast(&["goal", "list", "--json"]));
        told["goals"].as_array().unwrap().clone()
    }

    pub(crate) fn status_of(&self, id: &str) -> String {
        let goals = self.listed();
        let goal = goals.iter().find(|goal| goal["id"] == id);
        goal.map_or_else(String::new, |goal| goal["status"].as_str().unwrap().to_owned())
    }

    /// A command with something on its stdin.
    pub(crate) fn hast_with(&self, args: &[&str], input: &str) -> Ran {
        let mut command = self.hast_command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that refuses may not read it all.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// A next action exactly as it is printed, by a shell.
    pub(crate) fn as_printed(&self, line: &str) -> Ran {
        self.shell(&format!("PATH=\"$(dirname \"$HAST\"):$PATH\"; {line}"))
    }
}

/// The one document that a command printed.
pub(crate) fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("not one document: {ran:?}"))
}

/// The command behind `next: ` on stdout.
pub(crate) fn next(ran: &Ran) -> String {
    let line = ran.out.lines().find_map(|line| line.strip_prefix("next: "));
    line.unwrap_or_else(|| panic!("no next action: {ran:?}")).to_owned()
}
