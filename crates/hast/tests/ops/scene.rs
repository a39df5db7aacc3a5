//! A project in which things have happened.

use std::ops::Deref;

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

const GOALS: &str = "goals:
  # people's words stay
  - {id: M1, title: \"첫 목표\", status: blocked, blocked_reason: tests}
  - {id: M2, title: second, status: active}
";

impl Scene {
    pub(crate) fn new(events: &[String]) -> Self {
        let stage = Stage::new(env!("CARGO_BIN_EXE_hast"));
        stage.write(".ai/goals.yaml", GOALS);
        stage.write(".ai/events/events.ndjson", events.concat());
        Self { stage }
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let output = self
            .hast_command(args)
            .env("HAST_TEST_WORLD", "2026-02-09T15:00:00Z#1")
            .output()
            .unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn json(&self, args: &[&str]) -> (i32, Value) {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let ran = self.run(&args);
        (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran:?}")))
    }

    /// The ids of what waits.
    pub(crate) fn waiting(&self) -> Vec<String> {
        let (_, list) = self.json(&["inbox", "list"]);
        let items = list["items"].as_array().unwrap().iter();
        items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }
}

pub(crate) fn event(number: u64, kind: &str, detail: Value) -> String {
    let ts = format!("2026-02-09T14:{:02}:00Z", number % 60);
    let id = format!("EV-20260209T14{:02}00Z-{number:04}", number % 60);
    let mut line = json!({"event_id": id, "ts": ts, "actor": "controller", "type": kind});
    line["detail"] = detail;
    format!("{line}\n")
}

pub(crate) fn blocked(number: u64) -> String {
    event(
        number,
        "GOAL_BLOCKED",
        json!({
            "goal_id": "M1", "attempt": 3, "code": "retries", "reason": "max retries exceeded",
            "class": "failed", "test_tail": "assertion failed: \u{1b}[31mtotal\nleft: 1",
            "diff": {"files": 2, "added": 10, "removed": 3, "paths": ["M src/total.rs +10 -3"]},
            "look": ["git diff abc refs/hast/attempts/M1/3"],
        }),
    )
}
