//! One attempt of `hast auto`, without its agent and its tests, against the git commands that it
//! cannot avoid. Run with `cargo run --release -p hast-benches --bin auto [FILES ...]` after
//! `cargo build --release -p hast`.

mod bare;
mod repository;

use std::time::{Duration, Instant};

use bare::Bare;
use hast_benches::{Failure, Row, Size, hast_binary, median, table};
use repository::{Ends, FAILURES, MORE_GOALS, Repository};

const GOAL: &str = "1.3x";

fn main() -> Result<(), Failure> {
    let (size, arguments) = Size::of_arguments();
    let hast = hast_binary()?;
    let asked: Vec<usize> = arguments.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
    let usual = size.pick(vec![100, 50_000], vec![100]);
    let sizes = if asked.is_empty() { usual } else { asked };
    let mut rows = Vec::new();
    for files in sizes {
        let rounds = size.pick(if files > 10_000 { 7 } else { 25 }, 1);
        let (ours, peer) = (Repository::new(&hast, files)?, Repository::new(&hast, files)?);
        if rows.is_empty() {
            count(&ours)?;
        }
        rows.extend(measure(&ours, &peer, files, rounds)?);
    }
    print!("{}", table(&rows));
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load: {}", load.trim());
    Ok(())
}

/// Which git commands one run starts.
fn count(repository: &Repository) -> Result<(), Failure> {
    for ends in [Ends::Passes, Ends::FailsFirst] {
        repository.reset(ends)?;
        let commands = repository.logged_run()?;
        println!("{} git commands, {}:", commands.len(), ends.words());
        for command in commands {
            println!("    {command}");
        }
    }
    Ok(())
}

/// What the two sides took, round by round.
#[derive(Default)]
struct Times {
    once: Vec<Duration>,
    all: Vec<Duration>,
    failed_first: Vec<Duration>,
    /// The agent and the tests: of a run of one attempt, where they run on the base too; of a further goal, and
    /// of an attempt that fails.
    own: [Vec<Duration>; 3],
    script: [Vec<Duration>; 2],
    least: [Vec<Duration>; 2],
}

/// All sides by turns, so that a busy moment hits each of them.
fn measure(
    ours: &Repository,
    peer: &Repository,
    files: usize,
    rounds: usize,
) -> Result<Vec<Row>, Failure> {
    let mut times = Times::default();
    for _ in 0..rounds {
        times.once.push(run(ours, Ends::Passes)?);
        times.script[0].push(bare(peer, Bare::passed_attempt)?);
        times.least[0].push(bare(peer, Bare::least_passed)?);
        times.all.push(run(ours, Ends::AllPass)?);
        times.script[1].push(bare(peer, Bare::failed_attempt)?);
        times.least[1].push(bare(peer, Bare::least_failed)?);
        times.failed_first.push(run(ours, Ends::FailsFirst)?);
        times.own[0].push(peer.own_programs(Ends::Passes, 2)?);
        times.own[1].push(peer.own_programs(Ends::Passes, 1)?);
        times.own[2].push(peer.own_programs(Ends::FailsFirst, 1)?);
    }
    Ok(rows(times, files))
}

fn run(ours: &Repository, ends: Ends) -> Result<Duration, Failure> {
    ours.reset(ends)?;
    let start = Instant::now();
    ours.run()?;
    Ok(start.elapsed())
}

fn bare<'r>(
    peer: &'r Repository,
    attempt: impl FnOnce(Bare<'r>) -> Result<Duration, Failure>,
) -> Result<Duration, Failure> {
    peer.reset(Ends::Passes)?;
    attempt(Bare::new(peer))
}

fn rows(times: Times, files: usize) -> Vec<Row> {
    let [once, all, failed_first] = [times.once, times.all, times.failed_first].map(median);
    let (own, script, least) =
        (times.own.map(median), times.script.map(median), times.least.map(median));
    println!(
        "{files} files: a run {once:?}, with {MORE_GOALS} goals more {all:?}, with {FAILURES} failures first \
         {failed_first:?}; agent and tests alone {:?}",
        own[0]
    );
    let run = once.saturating_sub(own[0]);
    let passed = (all.saturating_sub(once) / MORE_GOALS).saturating_sub(own[1]);
    let failed = (failed_first.saturating_sub(once) / FAILURES).saturating_sub(own[2]);
    let row = |name: &str, ours: Duration, peer: Duration, goal: &str| Row {
        name: format!("{name}, {files} files"),
        ours,
        peer,
        goal: goal.to_owned(),
    };
    vec![
        row("an attempt that passes", passed, script[0], GOAL),
        row("an attempt that fails", failed, script[1], GOAL),
        row("passes, least git", passed, least[0], "-"),
        row("fails, least git", failed, least[1], "-"),
        row("a run of one attempt, start to end", run, script[0], "-"),
    ]
}
