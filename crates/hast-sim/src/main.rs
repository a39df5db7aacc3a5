//! The sweep from the command line: `cargo run -p hast-sim --release -- --seeds 200` hits every
//! subject over 200 seeds; a case that diverged is printed with the command that replays it.

mod arguments;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arguments::{Order, Round};
use hast_sim::flows::{self, Blow};
use hast_sim::planted::{Discovery, Planted};
use hast_sim::round::Figures;
use hast_sim::sweep;
use serde_json::json;

/// Of one seed of a subject; the figures count all.
const MOST_TOLD: usize = 10;
const REPLAY: &str = "cargo run -p hast-sim --release --";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match Order::read(&words) {
        Ok(Order::Round(round)) => run(&round),
        Ok(Order::Planted(round)) => find_planted(&round),
        Ok(Order::Store(case)) => {
            let mut report = sweep::Report::default();
            sweep::replay(case, None, &mut report);
            for (_, why) in &report.diverged {
                println!("{why}");
            }
            println!("store: commits {}, diverged {}", report.commits, report.diverged.len());
            code(report.diverged.is_empty())
        }
        Ok(Order::Flow(case)) => {
            let mut report = flows::Report::of_lives();
            flows::replay_named(case, &mut report);
            for life in report.lives.iter().flatten() {
                println!("  {life}");
            }
            let figures = Figures { seeds: 1, ..Figures::of_flow(&report) };
            show("replay", &figures);
            tell(&figures);
            code(report.diverged.is_empty())
        }
        Err(why) => {
            eprintln!("{why}\n{}", arguments::USAGE);
            ExitCode::from(2)
        }
    }
}

/// Sweeps for each planted fault, and fails where one is not found.
fn find_planted(round: &Round) -> ExitCode {
    let last = round.from + round.seeds - 1;
    println!("planted faults, seeds {} to {last}, every {}", round.from, round.every);
    let mut faults = Vec::new();
    let mut all = true;
    for planted in Planted::ALL {
        let (name, subject) = (planted.as_str(), planted.subject().as_str());
        let found = planted.find(round.from..last + 1, round.every);
        match &found {
            Some(Discovery { seed, runs, why }) => {
                println!("{name}: found in {subject}, seed {seed}, after {runs} runs: {why}");
            }
            None => println!("{name}: not found in {subject}"),
        }
        all &= found.is_some();
        let runs = found.map(|found| found.runs);
        faults.push(json!({"fault": name, "subject": subject, "runs": runs}));
    }
    if round.json {
        println!("{}", json!(faults));
    }
    code(all)
}

fn code(good: bool) -> ExitCode {
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a round took is for the person; what a seed does never depends on it"
)]
fn run(round: &Round) -> ExitCode {
    let started = Instant::now();
    let names: Vec<_> = round.subjects.iter().map(|subject| subject.as_str()).collect();
    let last = round.from + round.seeds - 1;
    println!("seeds {} to {last}, every {}: {}", round.from, round.every, names.join(", "));
    let figures = sweep_all(round, &|| started.elapsed());
    let mut good = true;
    for (subject, figures) in round.subjects.iter().zip(&figures) {
        show(subject.as_str(), figures);
        good &= figures.diverged.is_empty();
    }
    let minutes = started.elapsed().as_secs_f64() / 60.0;
    let runs: u64 = figures.iter().map(|figures| figures.runs).sum();
    let diverged: usize = figures.iter().map(|figures| figures.diverged.len()).sum();
    println!("all: runs {runs}, diverged {diverged}, {minutes:.1} minutes");
    if round.json {
        let subjects = round.subjects.iter().zip(&figures);
        let subjects: Vec<_> = subjects.map(|(subject, one)| one.to_json(*subject)).collect();
        println!(
            "{}",
            json!({"from": round.from, "seeds": round.seeds, "every": round.every,
            "minutes": (minutes * 10.0).round() / 10.0, "subjects": subjects})
        );
    }
    code(good)
}

/// Seed by seed, all subjects of a seed before the next: a round that is cut short has hit each.
fn sweep_all(round: &Round, elapsed: &(dyn Fn() -> Duration + Sync)) -> Vec<Figures> {
    let sums: Vec<Mutex<Figures>> = round.subjects.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let count = round.subjects.len();
    let pieces = usize::try_from(round.seeds).unwrap_or(usize::MAX).saturating_mul(count);
    let work = || loop {
        let piece = next.fetch_add(1, Ordering::Relaxed);
        let late = round.minutes.is_some_and(|most| elapsed().as_secs() >= most * 60);
        if piece >= pieces || late {
            return;
        }
        let (number, subject) = (piece / count, piece % count);
        let figures: Figures =
            round.subjects[subject].sweep(round.from + number as u64, round.every, round.blow);
        // At once, for whoever waits for a round of an hour.
        tell(&figures);
        if let Ok(mut sum) = sums[subject].lock() {
            sum.add(figures);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..round.jobs {
            scope.spawn(work);
        }
        work();
    });
    sums.into_iter().map(|sum| sum.into_inner().unwrap_or_default()).collect()
}

fn show(name: &str, figures: &Figures) {
    let Figures { seeds, runs, crashes, blows, moods, documents, diverged, .. } = figures;
    println!("{name}: seeds {seeds}, runs {runs}, crashes {crashes}, diverged {}", diverged.len());
    if !blows.is_empty() {
        println!("  blows {blows:?}");
    }
    if !moods.is_empty() {
        println!("  agents and people {moods:?}");
    }
    if blows.contains_key(Blow::EditAny.as_str()) {
        let (all, left) = (documents.len(), figures.unedited());
        println!("  kinds of documents {all}, not edited {left:?}");
    }
}

/// What diverged, with the command that replays it.
fn tell(figures: &Figures) {
    for (arguments, why) in figures.diverged.iter().take(MOST_TOLD) {
        println!("{why}\n  replay: {REPLAY} {arguments}");
    }
}
