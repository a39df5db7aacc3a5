//! Long rounds on the real disk: `--kill N` kills a writer N times, `--power N` copies the images of
//! three file systems N times each under a writer, mounts the copies and recovers them, `--auto N`
//! kills `hast auto` in N repositories.

mod auto;
mod kill;
mod power;
mod writer;

use std::path::Path;
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

const USAGE: &str =
    "usage: cargo xtask soak --kill [ROUNDS] | --power [COPIES] | --auto [ROUNDS [SEED]]";
const KILL_ROUNDS: u64 = 2_000;
const POWER_COPIES: u64 = 8;
const AUTO_ROUNDS: u64 = 200;

pub(crate) fn run(arguments: &[String]) -> ExitCode {
    match dispatch(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--kill"] => kill::run(KILL_ROUNDS),
        ["--kill", rounds] => kill::run(rounds.parse()?),
        ["--power"] => power::run(POWER_COPIES),
        ["--power", copies] => power::run(copies.parse()?),
        ["--auto"] => auto::run(AUTO_ROUNDS, None),
        ["--auto", rounds] => auto::run(rounds.parse()?, None),
        ["--auto", rounds, seed] => auto::run(rounds.parse()?, Some(seed.parse()?)),
        ["--writer", root] => writer::run(Path::new(root)),
        _ => Err(USAGE.into()),
    }
}
