//! A unit of a flow killed at moments that nobody chose, and resumed until it has ended.

use std::path::Path;

use hast_stage::dice::random_seed;
use hast_stage::{plays, rounds};

use super::{Figures, Part};
use crate::Failure;

/// Rounds that run at once.
const LANES: usize = 3;

pub(super) fn run(
    hast: &Path,
    name: &str,
    rounds: u64,
    seed: Option<u64>,
) -> Result<Part, Failure> {
    let play = plays::named(name).ok_or_else(|| format!("no flow has the name {name}"))?;
    let seed = seed.unwrap_or_else(random_seed);
    let tally = rounds::play(&*play, hast, rounds, seed, LANES);
    let counts = vec![
        ("rounds", tally.rounds),
        ("kills", tally.kills),
        ("kills after the end", tally.ended_before),
    ];
    let again = format!("--flow {name} {rounds} {seed}");
    Ok(Part::ran(name, again, Figures { counts, diverged: tally.diverged }))
}
