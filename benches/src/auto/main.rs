//! One attempt of `hast auto`, without its agent and its tests, against the git commands that it
//! cannot avoid. Run with `cargo run --release -p hast-benches --bin auto [FILES ...]` after
//! `cargo build --release -p hast`.

mod bare;
mod repository;

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bare::Bare;
use hast_benches::{Row, median, table};
use repository::{Ends, Repository};

const GOAL: &str = "1.3x";

fn main() -> Result<(), Box<dyn Error>> {
    let hast = binary()?;
    let asked: Vec<usize> =
        std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let sizes = if asked.is_empty() { vec![100, 50_000] } else { asked };
    let mut rows = Vec::new();
    for files in sizes {
        let rounds = if files > 10_000 { 7 } else { 25 };
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

/// The release binary beside this one, or the one that `HAST_BIN` names.
fn binary() -> Result<PathBuf, Box<dyn Error>> {
    let path = match std::env::var_os("HAST_BIN") {
        Some(path) => PathBuf::from(path),
        None => std::env::current_exe()?.with_file_name("hast"),
    };
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{}: build it with `cargo build --release -p hast`", path.display()).into())
}

/// Which git commands one run starts.
fn count(repository: &Repository) -> Result<(), Box<dyn Error>> {
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

/// All sides by turns, so that a busy moment hits each of them.
fn measure(
    ours: &Repository,
    peer: &Repository,
    files: usize,
    rounds: usize,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let [mut once, mut twice, mut agent, mut passed, mut failed] =
        [(); 5].map(|()| Vec::<Duration>::new());
    for _ in 0..rounds {
        ours.reset(Ends::Passes)?;
        let start = Instant::now();
        ours.run()?;
        once.push(start.elapsed());
        peer.reset(Ends::Passes)?;
        passed.push(Bare::new(peer).passed_attempt()?);
        ours.reset(Ends::FailsFirst)?;
        let start = Instant::now();
        ours.run()?;
        twice.push(start.elapsed());
        peer.reset(Ends::Passes)?;
        failed.push(Bare::new(peer).failed_attempt()?);
        agent.push(peer.own_programs()?);
    }
    let [once, twice, agent] = [once, twice, agent].map(median);
    println!(
        "{files} files: a run {once:?}, agent and tests alone {agent:?}, one retry more {twice:?}"
    );
    let row = |name: &str, ours: Duration, peer: Duration| Row {
        name: format!("{name}, {files} files"),
        ours,
        peer,
        goal: GOAL.to_owned(),
    };
    Ok(vec![
        row("auto, one attempt that passes", once.saturating_sub(agent), median(passed)),
        row(
            "auto, one attempt that fails first",
            twice.saturating_sub(once).saturating_sub(agent),
            median(failed),
        ),
    ])
}
