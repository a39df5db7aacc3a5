//! SIGKILL at moments that nobody chose, and a look at every file after each.

use std::io::{BufRead, BufReader};

use hast_stage::dice::random_seed;
use hast_world::disk::RealDisk;

use super::{Failure, writer};

pub(super) fn run(rounds: u64) -> Result<(), Failure> {
    let scratch = tempfile::tempdir_in("target")?;
    let root = scratch.path().join("root");
    std::fs::create_dir(&root)?;
    let (mut acknowledged, mut reached, mut ahead) = (0, 0, 0);
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
        reached = writer::recover(RealDisk::open(&root)?, last)
            .map_err(|error| format!("round {round}: {error}"))?;
        ahead += reached - last;
        if round % 500 == 0 {
            println!("{round} rounds, {reached} commits");
        }
    }
    println!(
        "kill: {rounds} rounds, {acknowledged} acknowledged commits, 0 lost, {ahead} more had reached the journal, every file whole"
    );
    Ok(())
}

/// Shorter than any sleep, so that the kill falls inside a commit.
fn spin(times: u64) {
    for _ in 0..times {
        std::hint::spin_loop();
    }
}
