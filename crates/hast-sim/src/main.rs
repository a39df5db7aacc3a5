//! Long rounds of the crash sweep: `cargo run -p hast-sim --release -- --seeds 200` for the store,
//! `-- --session 50` for sessions driven to their end.

use std::process::ExitCode;

use hast_sim::session;
use hast_sim::sweep::{Case, Report, replay, sweep};

const USAGE: &str =
    "usage: hast-sim [--seeds N] [--from N] [--every N] | --replay SEED:MODE:OP | --session N";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, seeds] = arguments.as_slice()
        && flag == "--session"
        && let Ok(seeds) = seeds.parse::<u64>()
    {
        return show_sessions(&session::sweep(1..seeds + 1, 7));
    }
    match run(&arguments) {
        Ok(report) => show(&report),
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<Report, String> {
    let (mut seeds, mut from, mut every) = (20, 1, 1);
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        let value = rest.next().ok_or(format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{value} is not a number"));
        match name.as_str() {
            "--seeds" => seeds = number()?,
            "--from" => from = number()?,
            "--every" => every = number()?.max(1),
            "--replay" => {
                let mut report = Report::default();
                replay(value.parse::<Case>()?, None, &mut report);
                return Ok(report);
            }
            _ => return Err(format!("{name} is unknown")),
        }
    }
    Ok(sweep(from..from + seeds, every, None))
}

fn show_sessions(report: &session::Report) -> ExitCode {
    let diverged = report.diverged.len();
    let session::Report { runs, crashes, power_cuts, effects, .. } = report;
    println!(
        "session runs {runs}, crashes {crashes}, power cuts {power_cuts}, effects {effects}, diverged {diverged}"
    );
    for (case, why) in report.diverged.iter().take(10) {
        println!("{case}: {why}");
    }
    if diverged == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn show(report: &Report) -> ExitCode {
    println!(
        "runs {}, commits {}, crashes {}, edits {}, diverged {}",
        report.runs,
        report.commits,
        report.crashes,
        report.edits,
        report.diverged.len()
    );
    for (case, why) in report.diverged.iter().take(10) {
        println!("{why}\n  replay: cargo run -p hast-sim --release -- --replay {case}");
    }
    if report.diverged.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
