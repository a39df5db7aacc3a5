//! The command line of the sweep.

use hast_sim::flows::{self, Blow};
use hast_sim::round::{Subject, first_seed};
use hast_sim::sweep;

pub(crate) const USAGE: &str = "usage: hast-sim [--seeds N] [--from N | --fresh TEXT] [--every N] [--jobs N] [--minutes N] [--only SUBJECT,..] [--but SUBJECT,..] [--blow KIND] [--json yes] | --planted SEEDS [--from N | --fresh TEXT] [--every N] | --replay CASE
subjects: store, leases, session, lanes, run, kernel, auto, contract, worktrees, counting";

pub(crate) enum Order {
    Round(Round),
    /// Each planted fault over so many seeds.
    Planted(Round),
    Store(sweep::Case),
    Flow(flows::Case),
}

/// What is swept.
pub(crate) struct Round {
    pub(crate) subjects: Vec<Subject>,
    pub(crate) seeds: u64,
    pub(crate) from: u64,
    /// Of the places that a seed is hit at, every how many is.
    pub(crate) every: u64,
    pub(crate) jobs: u64,
    /// After that many nothing more is begun.
    pub(crate) minutes: Option<u64>,
    /// The only blow; without it all but the one that must be asked for.
    pub(crate) blow: Option<Blow>,
    pub(crate) json: bool,
}

impl Order {
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut round = Round {
            subjects: Subject::all(),
            seeds: 20,
            from: 1,
            every: 1,
            jobs: 1,
            minutes: None,
            blow: None,
            json: false,
        };
        let mut planted = false;
        let mut rest = words.iter();
        while let Some(name) = rest.next() {
            let value = rest.next().ok_or(format!("{name} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{value} is not a number"));
            match name.as_str() {
                "--seeds" => round.seeds = number()?.max(1),
                "--planted" => (planted, round.seeds) = (true, number()?.max(1)),
                "--from" => round.from = number()?,
                "--fresh" => round.from = first_seed(value),
                "--every" => round.every = number()?.max(1),
                "--jobs" => round.jobs = number()?.max(1),
                "--minutes" => round.minutes = Some(number()?),
                "--blow" => {
                    round.blow = Some(Blow::named(value).ok_or(format!("{value} is no blow"))?);
                }
                "--json" => round.json = value == "yes",
                "--only" => round.subjects = subjects(value)?,
                "--but" => {
                    let without = subjects(value)?;
                    round.subjects.retain(|subject| !without.contains(subject));
                }
                "--replay" => {
                    return match value.parse() {
                        Ok(case) => Ok(Self::Flow(case)),
                        Err(_) => value.parse().map(Self::Store),
                    };
                }
                _ => return Err(format!("{name} is unknown")),
            }
        }
        Ok(if planted { Self::Planted(round) } else { Self::Round(round) })
    }
}

fn subjects(names: &str) -> Result<Vec<Subject>, String> {
    let named = |name: &str| Subject::named(name).ok_or(format!("{name} is no subject"));
    names.split(',').map(named).collect()
}
