//! A unit of a flow killed at moments that nobody chose, and resumed until it has ended.

use hast_stage::dice::random_seed;
use hast_stage::{plays, rounds};

use super::Failure;

/// Rounds that run at once.
const LANES: usize = 3;

pub(super) fn run(name: &str, rounds: u64, seed: Option<u64>) -> Result<(), Failure> {
    let play = plays::named(name).ok_or_else(|| format!("no flow has the name {name}"))?;
    let hast = super::build()?;
    let seed = seed.unwrap_or_else(random_seed);
    let tally = rounds::play(&*play, &hast, rounds, seed, LANES);
    println!("{name}: seed {seed}, {tally}");
    if tally.diverged.is_empty() { Ok(()) } else { Err(tally.diverged.join("\n").into()) }
}
