//! A run of two phases with tools before and after a task, from assets to a published report.

use std::collections::BTreeMap;
use std::path::Path;

use crate::rounds::{Outcome, Play};
use crate::stage::Stage;

const REHEARSAL: &str = include_str!("run.rehearsal.yaml");
const TEMPLATE: &str =
    "| phase_name | phase_purpose |\n|-|-|\n| LOOK | look |\n| GENERATING_OUTPUT | write |\n";
const RUNS: &str = "db/process_runs.md";
const EVENTS: &str = "db/events.ndjson";

#[derive(Debug)]
pub struct Published;

/// A directory with assets, a template of two phases, and the rehearsal as every agent.
pub fn stage(hast: &Path) -> Stage {
    let stage = Stage::new(hast);
    stage.write("x.rehearsal.yaml", REHEARSAL);
    stage.write(".ai/config.yaml", "ai_tool: \"rehearsal:x.rehearsal.yaml\"\nsandbox: off\n");
    stage.write("assets/sales.csv", "shop,sold\nA,1\nB,2\n");
    stage.write("db/templates/default_phases.md", TEMPLATE);
    stage
}

impl Play for Published {
    fn set(&self, hast: &Path) -> Stage {
        stage(hast)
    }

    fn arguments(&self, stage: &Stage) -> Vec<String> {
        let runs = stage.read(RUNS);
        let words: &[&str] = if runs.contains("AWAITING_CONFIRMATION") {
            &["run", "confirm"]
        } else if runs.contains("| run-") {
            &["run", "resume"]
        } else {
            &["run", "start", "--mode", "initial", "--yes", "report the sales"]
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn outcome(&self, stage: &Stage) -> Option<Outcome> {
        let runs = stage.names("runs");
        let id = runs.last().filter(|_| stage.read(RUNS).contains("COMPLETED"))?;
        let mut outcome = Outcome::from([("runs".to_owned(), runs.len().to_string())]);
        let tables = ["phases.md", "major_stages.md", "tasks.md", "tool_tasks.md"];
        let tables = tables.map(|name| format!("runs/{id}/db/{name}"));
        let shared = [RUNS, "db/user_instructions.md", "db/knowledge_base_catalog.md"];
        let report = format!("outputs/{id}/report.md");
        let files = tables.into_iter().chain(shared.map(str::to_owned)).chain([report]);
        for file in files {
            let text = stage.read(&file).replace(id, "RUN");
            outcome.insert(file.replace(id, "RUN"), text);
        }
        Some(outcome)
    }

    fn check(&self, stage: &Stage) {
        for (task, times) in executed(&stage.read(EVENTS)) {
            assert_eq!(times, 1, "{task} was executed more than once");
        }
        let catalog = stage.read("db/knowledge_base_catalog.md");
        let mut paths: Vec<&str> =
            catalog.lines().skip(2).filter_map(|line| line.split('|').nth(1)).collect();
        let all = paths.len();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), all, "{catalog}");
        let verified = stage.hast(&["run", "verify"]);
        assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    }
}

/// How often each task and tool task was done, by the log.
fn executed(log: &str) -> BTreeMap<&str, usize> {
    let mut times = BTreeMap::new();
    let done = |line: &&str| line.contains("TASK_EXECUTED") || line.contains("TOOL_TASK_COMPLETED");
    for line in log.lines().filter(done) {
        let rest = line.split_once("task_id\":\"").map(|(_, rest)| rest);
        if let Some((task, _)) = rest.and_then(|rest| rest.split_once('"')) {
            *times.entry(task).or_default() += 1;
        }
    }
    times
}
