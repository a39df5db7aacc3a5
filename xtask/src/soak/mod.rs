//! Long rounds on the real disk: `--kill N` kills a writer N times, `--power N` copies the images of
//! three file systems N times each under a writer, mounts the copies and recovers them, `--auto N`
//! kills `hast auto` in N repositories, `--flow NAME N` kills a unit of a flow in N projects,
//! `--queue N` lets a fleet of dying workers share goals N times.

mod auto;
mod flow;
mod kill;
mod power;
mod queue;
mod writer;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: cargo xtask soak --kill [ROUNDS] | --power [COPIES] | --auto [ROUNDS [SEED]] | --flow NAME [ROUNDS [SEED]] | --queue [ROUNDS [SEED]]";
const KILL_ROUNDS: u64 = 2_000;
const POWER_COPIES: u64 = 8;
const AUTO_ROUNDS: u64 = 200;
const FLOW_ROUNDS: u64 = 200;

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
        ["--flow", name] => flow::run(name, FLOW_ROUNDS, None),
        ["--flow", name, rounds] => flow::run(name, rounds.parse()?, None),
        ["--flow", name, rounds, seed] => flow::run(name, rounds.parse()?, Some(seed.parse()?)),
        ["--queue"] => queue::run(1, None),
        ["--queue", rounds] => queue::run(rounds.parse()?, None),
        ["--queue", rounds, seed] => queue::run(rounds.parse()?, Some(seed.parse()?)),
        ["--writer", root] => writer::run(Path::new(root)),
        _ => Err(USAGE.into()),
    }
}

/// The binary of this very source.
fn build() -> Result<PathBuf, Failure> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "-p", "hast"])
        .current_dir(crate::repository_root())
        .status()?;
    if !built.success() {
        return Err("hast does not compile".into());
    }
    let own = std::env::current_exe()?;
    let target = own.parent().and_then(Path::parent).ok_or("no target directory")?;
    Ok(target.join("release/hast"))
}
