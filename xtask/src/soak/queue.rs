//! `soak --queue`: workers that claim, renew, release and die over many goals.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use hast_stage::dice::random_seed;
use hast_stage::{fleet, rounds};

use super::{Figures, Part, progress};

const GOALS: usize = 500;
const WORKERS: u64 = 16;

pub(super) fn run(hast: &Path, rounds: u64, seed: Option<u64>) -> Part {
    let seed = seed.unwrap_or_else(random_seed);
    let (mut sum, mut diverged) = (fleet::Tally::default(), Vec::new());
    for round in 1..=rounds {
        let seed = seed.wrapping_add(round - 1);
        // The fleet judges its log with assertions.
        match catch_unwind(AssertUnwindSafe(|| fleet::run(hast, GOALS, WORKERS, seed))) {
            Ok(tally) => sum.add(&tally),
            Err(panic) => diverged.push(format!("seed {seed}: {}", rounds::said(&*panic))),
        }
        progress("queue", round, rounds, 5);
    }
    let counts = vec![
        ("rounds", rounds),
        ("goals in each", GOALS as u64),
        ("workers", WORKERS),
        ("calls", sum.calls),
        ("kills", sum.kills),
        ("claims", sum.claims as u64),
        ("claims that ran out", sum.expired as u64),
        ("late calls refused", sum.late),
    ];
    Part::ran("queue", format!("--queue {rounds} {seed}"), Figures { counts, diverged })
}
