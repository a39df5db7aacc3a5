//! `soak --queue`: workers that claim, renew, release and die over many goals.

use super::Failure;

const GOALS: usize = 500;
const WORKERS: u64 = 16;

pub(super) fn run(rounds: u64, seed: Option<u64>) -> Result<(), Failure> {
    let hast = super::build()?;
    let seed = seed.unwrap_or_else(hast_stage::dice::random_seed);
    for round in 0..rounds {
        let seed = seed.wrapping_add(round);
        let tally = hast_stage::fleet::run(&hast, GOALS, WORKERS, seed);
        println!("seed {seed}, {WORKERS} workers, {GOALS} goals: {tally}");
    }
    Ok(())
}
