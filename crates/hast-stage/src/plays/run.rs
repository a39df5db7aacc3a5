//! A run of two phases with tools before and after a task, from assets to a published report.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use crate::dice::Dice;
use crate::rounds::{Outcome, Play};
use crate::stage::Stage;

const REHEARSAL: &str = include_str!("run.rehearsal.yaml");
const TEMPLATE: &str =
    "| phase_name | phase_purpose |\n|-|-|\n| LOOK | look |\n| GENERATING_OUTPUT | write |\n";
const RUNS: &str = "db/process_runs.md";
const JOURNAL: &str = ".hast/journal";
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
        if stage.has(JOURNAL) && !stage.read(RUNS).contains("| run-") {
            recover(stage);
        }
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
        whole(stage);
    }
}

/// Nothing was done twice, no file is catalogued twice, and the tables agree.
fn whole(stage: &Stage) {
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

/// Two runs driven at the same time in one root, killed at moments that nobody chose and started
/// again, until both have ended; how many kills came before an end.
pub fn pair(hast: &Path, kills: u64, seed: u64) -> u64 {
    let stage = stage(hast);
    let mut dice = Dice::of(seed, 1);
    let requests = ["the first report", "the second report"];
    let mut driven = requests.map(|request| start(&stage, request));
    let mut in_time = 0;
    for kill in 0..kills {
        // The first comes before anything can have ended.
        let most = if kill == 0 { SHORTEST_LIFE } else { LONGEST_LIFE };
        std::thread::sleep(Duration::from_micros(dice.below(most)));
        let one = usize::try_from(dice.below(2)).unwrap_or(0);
        let child = &mut driven[one];
        in_time += u64::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        driven[one] = start(&stage, requests[one]);
    }
    for (request, mut child) in requests.iter().zip(driven) {
        child.wait().unwrap();
        // A start may have met the other one at its first commit, or the lock of a guard that dies.
        for _ in 0..STARTS {
            if row(&stage, request).is_none_or(|row| !row.contains("COMPLETED")) {
                start(&stage, request).wait().unwrap();
            }
        }
    }
    let runs = stage.read(RUNS);
    assert_eq!(runs.lines().count(), 4, "{runs}");
    let events = stage.read(EVENTS);
    assert_eq!(runs.matches("| COMPLETED").count(), 2, "{runs}{events}");
    for id in stage.names("runs") {
        assert!(stage.has(&format!("outputs/{id}/report.md")), "{id}");
    }
    let instructions = stage.read("db/user_instructions.md");
    assert!(instructions.contains("I-0001") && instructions.contains("I-0002"), "{instructions}");
    whole(&stage);
    stage.nothing_runs();
    in_time
}

/// Microseconds: about as long as a run takes, and much less.
const LONGEST_LIFE: u64 = 600_000;
const SHORTEST_LIFE: u64 = 20_000;
const STARTS: usize = 6;

/// Begins a run for a request, or goes on with it.
fn start(stage: &Stage, request: &str) -> Child {
    if stage.has(JOURNAL) && row(stage, request).is_none() {
        recover(stage);
    }
    let Some(row) = row(stage, request) else {
        return stage.start(&["run", "start", "--mode", "continuous", "--yes", request]);
    };
    let id = row.split('|').nth(1).unwrap_or_default().trim();
    // The death may have come between the proposal and the `--yes` to it.
    let verb = if row.contains("AWAITING_CONFIRMATION") { "confirm" } else { "resume" };
    stage.start(&["run", verb, id])
}

/// What a start that was killed has recorded is in the table once a command that writes has come
/// by; a second start would be a second run.
fn recover(stage: &Stage) {
    stage.hast(&["run", "cancel", "run-20000101-000000-001"]);
}

/// The row of a run, by its request.
fn row(stage: &Stage, request: &str) -> Option<String> {
    stage.read(RUNS).lines().find(|line| line.contains(request)).map(str::to_owned)
}

/// How often each task and tool task of each run was done, by the log.
fn executed(log: &str) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    let done = |line: &&str| line.contains("TASK_EXECUTED") || line.contains("TOOL_TASK_COMPLETED");
    for line in log.lines().filter(done) {
        let value = |key: &str| Some(line.split_once(key)?.1.split_once('"')?.0);
        if let (Some(run), Some(task)) = (value("run_id\":\""), value("task_id\":\"")) {
            *times.entry(format!("{run} {task}")).or_default() += 1;
        }
    }
    times
}
