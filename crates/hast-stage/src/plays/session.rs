//! Research in lanes: half of the tasks fetch pages, the other half is made from them, and one of
//! those is rejected once.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::pages::Pages;
use crate::rounds::{Outcome, Play};
use crate::stage::Stage;

/// How many different pages the tasks fetch: what one has fetched is there for the others.
const PAGES: usize = 5;

#[derive(Debug)]
pub struct Research {
    tasks: usize,
    pages: Pages,
}

impl Research {
    /// A session of so many tasks.
    pub fn of(tasks: usize) -> Self {
        Self { tasks, pages: Pages::serve() }
    }

    fn rehearsal(&self) -> String {
        let half = self.tasks / 2;
        let mut tasks: Vec<Value> = (1..=half).map(fetching).collect();
        tasks.extend((half + 1..=self.tasks).map(|number| made_from(number, number - half)));
        let plan = json!({"major_version": 1, "revision": 1, "tasks": tasks});
        let rejected = id(half + 1);
        let mut text = format!(
            "version: 1\nreplies:\n  - when: {{step: plan}}\n    do:\n      - outbox:\n          state.json: {{}}\n          decomposition.json: {plan}\n"
        );
        let _ = write!(
            text,
            r#"  - when: {{step: synthesize}}
    do: [{{outbox: {{out.md: "{{{{task_id}}}}, attempt {{{{attempt}}}}\n"}}}}]
  - when: {{step: review, unit: {rejected}, attempt: 1}}
    do: [{{outbox: {{report.json: {{verdict: FAIL, findings: [], required_fixes: [more]}}}}}}]
  - when: {{step: review}}
    do: [{{outbox: {{report.json: {{verdict: PASS, findings: [], required_fixes: []}}}}}}]
  - when: {{step: finalize}}
    do: [{{outbox: {{final.md: "All of it, as [K-0001] says.\n"}}}}]
  - when: {{step: verdict}}
    do: [{{outbox: {{verdict.md: "PASS: it answers.\n"}}}}]
"#
        );
        text
    }
}

fn id(number: usize) -> String {
    format!("T-{number:04}")
}

fn task(number: usize, source: &str, deps: &[String], calls: &Value) -> Value {
    json!({
        "id": id(number), "title": format!("task {number}"), "level": 1, "parent_id": null,
        "data_sources": [source], "deps": deps,
        "outputs": [{"path": format!("/execution/outputs/{}/out.md", id(number)), "type": "note"}],
        "tool_calls": calls, "acceptance": ["it is there"],
    })
}

fn fetching(number: usize) -> Value {
    let url = format!("https://news.example/{}", number % PAGES);
    task(number, "WEB", &[], &json!([{"name": "web_fetch", "args": {"url": url}}]))
}

fn made_from(number: usize, source: usize) -> Value {
    task(number, "SYNTHESIS", &[id(source)], &json!([]))
}

impl Play for Research {
    fn set(&self, hast: &Path) -> Stage {
        let stage = Stage::new(hast).with("HAST_WEB_GATEWAY", &self.pages.gateway());
        stage.write("x.rehearsal.yaml", self.rehearsal());
        stage.write(".ai/config.yaml", "ai_tool: \"rehearsal:x.rehearsal.yaml\"\nsandbox: off\n");
        stage
    }

    fn arguments(&self, stage: &Stage) -> Vec<String> {
        if directory(stage).is_none() {
            // What a start that was killed has recorded is there once a command has looked; a second
            // start would be a second session.
            stage.hast(&["session", "list"]);
        }
        let words: &[&str] = match directory(stage) {
            Some(_) => &["session", "resume", "--parallel", "4"],
            None => &["session", "start", "what do the pages say?", "--parallel", "4"],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    /// Every output, report and copy, the plan and the answer; ids of knowledge are given in the
    /// order in which lanes come home.
    fn outcome(&self, stage: &Stage) -> Option<Outcome> {
        let session = directory(stage)?;
        if !stage.has(&format!("{session}/pointers.json")) {
            return None;
        }
        let mut outcome = Outcome::new();
        for path in ["plan/active/decomposition.json", "output/final.md", "verdict.md"] {
            let text = stage.read(&format!("{session}/{path}"));
            // Below the answer stands what each id is.
            let above = text.split("\n\n## ").next().unwrap_or_default().to_owned();
            outcome.insert(path.to_owned(), above);
        }
        for place in ["critique/reports", "output/artifacts", "context/sources"] {
            for name in stage.names(&format!("{session}/{place}")) {
                let text = stage.read(&format!("{session}/{place}/{name}"));
                outcome.insert(format!("{place}/{name}"), without_times(&text));
            }
        }
        for number in 1..=self.tasks {
            let place = format!("execution/outputs/{}", id(number));
            for name in ["out.md", "attempt-2/out.md", "attempt-3/out.md"] {
                let path = format!("{place}/{name}");
                if stage.has(&format!("{session}/{path}")) {
                    outcome.insert(path.clone(), stage.read(&format!("{session}/{path}")));
                }
            }
        }
        let known = stage.read(&format!("{session}/context/index.json"));
        let known = known.lines().filter(|line| line.contains("artifact_path"));
        let mut known: Vec<&str> =
            known.filter_map(|line| line.rsplit("outputs/").next()).collect();
        known.sort_unstable();
        outcome.insert("knowledge".to_owned(), known.join("\n"));
        Some(outcome)
    }

    fn check(&self, stage: &Stage) {
        let session = directory(stage).unwrap();
        let log = stage.read(&format!("{session}/plan/active/status_log.ndjson"));
        once(&log, |event| event["type"] == "TASK_EXECUTED");
        for name in stage.names(&format!("{session}/execution/run_logs")) {
            // A call that was repeated would have written its line twice.
            once(&stage.read(&format!("{session}/execution/run_logs/{name}")), |_| true);
        }
        let verified = stage.hast(&["session", "verify"]);
        assert_eq!(verified.code, 0, "{}", verified.out);
    }
}

/// The only session in which something was written.
fn directory(stage: &Stage) -> Option<String> {
    let mut there = stage.names("sessions").into_iter().map(|name| format!("sessions/{name}"));
    there.find(|place| stage.has(&format!("{place}/status.json")))
}

/// Each task's attempt is told of once.
fn once(log: &str, counts: impl Fn(&Value) -> bool) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in log.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        if !counts(&value) {
            continue;
        }
        let detail = value.get("detail").unwrap_or(&value);
        let key = format!("{} {}", detail["task_id"], detail["attempt"]);
        *seen.entry(key).or_default() += 1;
    }
    for (attempt, times) in seen {
        assert_eq!(times, 1, "{attempt} happened {times} times");
    }
}

fn without_times(text: &str) -> String {
    let timed = ["\"ts\"", "\"fetched_at\"", "\"created_at\""];
    let kept = text.lines().filter(|line| !timed.iter().any(|field| line.contains(field)));
    kept.map(|line| format!("{line}\n")).collect()
}
