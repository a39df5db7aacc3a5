//! `hast auto` killed at moments that nobody chose, and started again until it is done. Each round
//! must end as a run that nobody disturbed, with everything of the user's as it was.

mod scene;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hast_stage::dice::{Dice, random_seed};
use scene::{Done, Scene};

use super::{Figures, Part, progress};
use crate::Failure;

/// Rounds that run at once: most of a round is waiting for the disk.
const LANES: usize = 3;
/// Most kills in a round, and most starts after them.
const KILLS: u64 = 6;
const STARTS: usize = 12;

/// What all rounds came to.
#[derive(Debug, Default)]
struct Tally {
    kills: AtomicU64,
    ended_before: AtomicU64,
    failed_attempts: AtomicU64,
    handed_over: AtomicU64,
    diverged: Mutex<Vec<String>>,
}

pub(super) fn run(hast: &Path, rounds: u64, seed: Option<u64>) -> Result<Part, Failure> {
    let seed = seed.unwrap_or_else(random_seed);
    let start = Instant::now();
    let undisturbed = Scene::new(hast)?;
    undisturbed.finish(STARTS)?;
    let length = start.elapsed();
    let expected = undisturbed.done()?;
    undisturbed.check(&expected)?;
    let (tally, next) = (Tally::default(), AtomicU64::new(1));
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number > rounds {
                        return;
                    }
                    let mut dice = Dice::of(seed, number);
                    lane_round(hast, number, &mut dice, length, &expected, &tally);
                    progress("auto", number, rounds, 20);
                }
            });
        }
    });
    let diverged = tally.diverged.into_inner().map_err(|_| "a lane panicked")?;
    let counts = vec![
        ("rounds", rounds),
        ("kills", tally.kills.into_inner()),
        ("kills after the end", tally.ended_before.into_inner()),
        ("failed attempts kept", tally.failed_attempts.into_inner()),
        ("goals handed to a person", tally.handed_over.into_inner()),
    ];
    Ok(Part::ran("auto", format!("--auto {rounds} {seed}"), Figures { counts, diverged }))
}

fn lane_round(
    hast: &Path,
    number: u64,
    dice: &mut Dice,
    length: Duration,
    expected: &Done,
    tally: &Tally,
) {
    let outcome = Scene::new(hast).and_then(|scene| {
        let played = round(&scene, dice, length, expected, tally);
        played.map_err(|error| format!("round {number}: {error}; see {}", scene.keep()).into())
    });
    if let Err(error) = outcome {
        // Told at once: a long soak may be interrupted before its figures.
        eprintln!("auto: {error}");
        if let Ok(mut diverged) = tally.diverged.lock() {
            diverged.push(error.to_string());
        }
    }
}

/// Kills, starts again until all is done, looks at everything.
fn round(
    scene: &Scene,
    dice: &mut Dice,
    length: Duration,
    expected: &Done,
    tally: &Tally,
) -> Result<(), Failure> {
    let most = u64::try_from(length.as_micros())?;
    for kill in 0..=dice.below(KILLS) {
        let mut child = scene.start()?;
        std::thread::sleep(Duration::from_micros(dice.below(most)));
        if child.try_wait()?.is_some() {
            tally.ended_before.fetch_add(1, Ordering::Relaxed);
        }
        child.kill()?;
        child.wait()?;
        tally.kills.fetch_add(1, Ordering::Relaxed);
        scene.person_acts()?;
        scene.user_writes(&format!("cache/later/{kill}.bin"), &dice.bytes())?;
    }
    scene.finish(STARTS)?;
    scene.check(expected)?;
    tally.handed_over.fetch_add(scene.handed_over.get(), Ordering::Relaxed);
    tally.failed_attempts.fetch_add(scene.failed_attempts()?, Ordering::Relaxed);
    Ok(())
}
