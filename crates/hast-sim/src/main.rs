//! Long rounds: `cargo run -p hast-sim --release -- --seeds 200` for the store's scripts and every
//! flow; a case that diverged is printed with the command that replays it.

use std::process::ExitCode;

use hast_sim::flows::{self, Name};
use hast_sim::sweep::{self, Mode};

const USAGE: &str = "usage: hast-sim [--seeds N] [--from N] [--every N] [--only store|leases|session|lanes|run|kernel|patch|auto|contract|worktrees|counting] | --replay CASE";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match Round::read(&arguments) {
        Ok(Order::Round(round)) => round.run(),
        Ok(Order::Store(case)) => {
            let mut report = sweep::Report::default();
            sweep::replay(case, None, &mut report);
            show_store(&report)
        }
        Ok(Order::Flow(case)) => {
            let mut report = flows::Report::of_lives();
            flows::replay_named(case, &mut report);
            for life in report.lives.iter().flatten() {
                println!("  {life}");
            }
            show_flows("replay", &report)
        }
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

enum Order {
    Round(Round),
    Store(sweep::Case),
    Flow(flows::Case),
}

struct Round {
    seeds: u64,
    from: u64,
    every: u64,
    only: Option<String>,
}

impl Round {
    fn read(arguments: &[String]) -> Result<Order, String> {
        let mut round = Self { seeds: 20, from: 1, every: 1, only: None };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let value = rest.next().ok_or(format!("{name} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{value} is not a number"));
            match name.as_str() {
                "--seeds" => round.seeds = number()?,
                "--from" => round.from = number()?,
                "--every" => round.every = number()?.max(1),
                "--only" => round.only = Some(value.clone()),
                "--replay" => {
                    return match value.parse() {
                        Ok(case) => Ok(Order::Flow(case)),
                        Err(_) => value.parse().map(Order::Store),
                    };
                }
                _ => return Err(format!("{name} is unknown")),
            }
        }
        Ok(Order::Round(round))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "how long a round took is for the person; nothing in it depends on it"
    )]
    fn run(&self) -> ExitCode {
        let started = std::time::Instant::now();
        let seeds = self.from..self.from + self.seeds;
        let wanted = |name: &str| self.only.as_deref().is_none_or(|only| only == name);
        let mut worst = ExitCode::SUCCESS;
        let mut note = |code: ExitCode| {
            if code != ExitCode::SUCCESS {
                worst = code;
            }
        };
        if wanted("store") {
            note(show_store(&sweep::sweep(seeds.clone(), 4 * self.every, None)));
        }
        if wanted("leases") {
            note(show_leases(seeds.clone()));
        }
        for name in Name::ALL.into_iter().filter(|name| wanted(name.as_str())) {
            let mut report = flows::Report::default();
            flows::sweep_named(name, seeds.clone(), self.every * stride(name), &mut report);
            note(show_flows(name.as_str(), &report));
        }
        println!("{:.1} minutes", started.elapsed().as_secs_f64() / 60.0);
        worst
    }
}

/// A session has thousands of operations; a round hits some of them with each seed.
fn stride(name: Name) -> u64 {
    match name {
        Name::Session | Name::Lanes | Name::Run | Name::Kernel => 97,
        Name::Patch => 7,
        Name::Auto => 13,
        Name::Contract | Name::Worktrees => 23,
        Name::Counting => 3,
    }
}

fn show_flows(name: &str, report: &flows::Report) -> ExitCode {
    let flows::Report { runs, crashes, effects, blows, moods, diverged, lives: _ } = report;
    println!(
        "{name}: runs {runs}, crashes {crashes}, effects {effects}, diverged {}",
        diverged.len()
    );
    println!("  blows {blows:?}\n  agents and people {moods:?}");
    for (case, why) in diverged.iter().take(10) {
        println!("{why}\n  replay: cargo run -p hast-sim --release -- --replay {case}");
    }
    if diverged.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn show_leases(seeds: std::ops::Range<u64>) -> ExitCode {
    let count = seeds.end - seeds.start;
    match hast_sim::leases::sweep(seeds) {
        Ok(merged) => {
            println!("leases: runs {count}, results merged {merged}, diverged 0");
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("leases: {why}");
            ExitCode::FAILURE
        }
    }
}

fn show_store(report: &sweep::Report) -> ExitCode {
    let sweep::Report { runs, crashes, edits, commits, diverged } = report;
    println!(
        "store: runs {runs}, crashes {crashes}, edits {edits}, commits {commits}, diverged {}; each of {} kinds of interruption",
        diverged.len(),
        Mode::ALL.len()
    );
    for (case, why) in diverged.iter().take(10) {
        println!("{why}\n  replay: cargo run -p hast-sim --release -- --replay {case}");
    }
    if diverged.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
