//! Long rounds on the real disk: `--kill N` kills a writer N times, `--power N` copies the images of
//! three file systems N times each under a writer, mounts the copies and recovers them, `--auto N`
//! kills `hast auto` in N repositories, `--flow NAME N` kills a unit of a flow in N projects,
//! `--queue N` lets a fleet of dying workers share goals N times. `--sim MINUTES` sweeps. `--dev`
//! before one of them takes the dev profile, for a quick try.

mod auto;
mod figures;
mod flow;
mod kill;
mod power;
mod queue;
mod writer;

use std::path::{Path, PathBuf};

use crate::programs::{Profile, build};
use crate::{Failure, sim};
pub(crate) use figures::{Figures, Outcome, Part};

const USAGE: &str = "usage: cargo xtask soak [--dev] --kill [ROUNDS] | --power [COPIES] | --auto [ROUNDS [SEED]] | --flow NAME [ROUNDS [SEED]] | --queue [ROUNDS [SEED]] | --sim MINUTES";
const KILL_ROUNDS: u64 = 2_000;
const POWER_COPIES: u64 = 8;
const AUTO_ROUNDS: u64 = 200;
const FLOW_ROUNDS: u64 = 200;

/// One order of the command line, with its sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Kill(u64),
    Power(u64),
    Auto(u64, Option<u64>),
    Flow(String, u64, Option<u64>),
    Queue(u64, Option<u64>),
}

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--writer", root] => return writer::run(Path::new(root)),
        ["--sim", minutes] => return sim::soak(minutes.parse()?),
        _ => {}
    }
    let (profile, words) = match words.as_slice() {
        ["--dev", rest @ ..] => (Profile::Dev, rest),
        all => (Profile::Release, all),
    };
    let mut diverged = 0;
    let hast = || Ok(build(profile)?.join("hast"));
    for part in Order::read(words)?.play(&hast)? {
        println!("{part}");
        diverged += part.diverged().len();
    }
    if diverged == 0 { Ok(()) } else { Err(format!("{diverged} diverged").into()) }
}

impl Order {
    fn read(words: &[&str]) -> Result<Self, Failure> {
        Ok(match words {
            ["--kill"] => Self::Kill(KILL_ROUNDS),
            ["--kill", rounds] => Self::Kill(rounds.parse()?),
            ["--power"] => Self::Power(POWER_COPIES),
            ["--power", copies] => Self::Power(copies.parse()?),
            ["--auto"] => Self::Auto(AUTO_ROUNDS, None),
            ["--auto", rounds] => Self::Auto(rounds.parse()?, None),
            ["--auto", rounds, seed] => Self::Auto(rounds.parse()?, Some(seed.parse()?)),
            ["--flow", name] => Self::Flow((*name).to_owned(), FLOW_ROUNDS, None),
            ["--flow", name, rounds] => Self::Flow((*name).to_owned(), rounds.parse()?, None),
            ["--flow", name, rounds, seed] => {
                Self::Flow((*name).to_owned(), rounds.parse()?, Some(seed.parse()?))
            }
            ["--queue"] => Self::Queue(1, None),
            ["--queue", rounds] => Self::Queue(rounds.parse()?, None),
            ["--queue", rounds, seed] => Self::Queue(rounds.parse()?, Some(seed.parse()?)),
            _ => return Err(USAGE.into()),
        })
    }

    /// Runs it to its end; `hast` is asked for the program only where one is needed. A divergence is
    /// a figure; an error is that it could not be run.
    pub(crate) fn play(
        &self,
        hast: &dyn Fn() -> Result<PathBuf, Failure>,
    ) -> Result<Vec<Part>, Failure> {
        Ok(match self {
            Self::Kill(rounds) => vec![kill::run(*rounds)?],
            Self::Power(copies) => power::run(*copies)?,
            Self::Auto(rounds, seed) => vec![auto::run(&hast()?, *rounds, *seed)?],
            Self::Flow(name, rounds, seed) => vec![flow::run(&hast()?, name, *rounds, *seed)?],
            Self::Queue(rounds, seed) => vec![queue::run(&hast()?, *rounds, *seed)],
        })
    }
}

/// A sign of life now and then, for the person who waits.
fn progress(part: &str, round: u64, rounds: u64, every: u64) {
    if round.is_multiple_of(every) && round < rounds {
        eprintln!("{part}: {round} of {rounds}");
    }
}
