//! SIGKILL at moments that nobody chose, and a look at every file after each.

use std::io::{BufRead, BufReader};

use hast_stage::dice::random_seed;
use hast_world::disk::RealDisk;

use super::{Figures, Part, progress, writer};
use crate::Failure;

pub(super) fn run(rounds: u64) -> Result<Part, Failure> {
    std::fs::create_dir_all("target")?;
    let scratch = tempfile::tempdir_in("target")?;
    let root = scratch.path().join("root");
    std::fs::create_dir(&root)?;
    let (mut acknowledged, mut reached, mut ahead) = (0, 0, 0);
    let (mut done, mut diverged) = (0, Vec::new());
    for round in 1..=rounds {
        let (mut child, out) = writer::start(&root)?;
        let wanted = random_seed() % 12;
        let mut last = reached;
        let mut lines = BufReader::new(out).lines();
        for line in lines.by_ref().take(wanted as usize) {
            last = line?.parse()?;
        }
        spin(random_seed() % 40_000);
        child.kill()?;
        child.wait()?;
        // What it said before it died counts too.
        for line in lines {
            if let Ok(number) = line?.parse() {
                last = number;
            }
        }
        acknowledged += last - reached;
        done = round;
        match writer::recover(RealDisk::open(&root)?, last) {
            Ok(number) => reached = number,
            Err(error) => {
                diverged.push(format!("round {round}: {error}"));
                // Every later round would find the same.
                break;
            }
        }
        ahead += reached - last;
        progress("kill", round, rounds, 500);
    }
    let counts = vec![
        ("rounds", done),
        ("kills", done),
        ("acknowledged commits", acknowledged),
        ("more that had reached the journal", ahead),
    ];
    Ok(Part::ran("writer", format!("--kill {rounds}"), Figures { counts, diverged }))
}

/// Shorter than any sleep, so that the kill falls inside a commit.
fn spin(times: u64) {
    for _ in 0..times {
        std::hint::spin_loop();
    }
}
