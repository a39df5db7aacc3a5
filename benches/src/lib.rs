//! What the benchmarks share: two things measured by turns in one run, and a table of ratios.

use std::fmt::Write;
use std::time::{Duration, Instant};

/// Two measured sides of one comparison.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub ours: Duration,
    pub peer: Duration,
    pub goal: String,
}

/// Runs both sides by turns and keeps the median of each, so that a busy moment hits both.
pub fn by_turns(
    rounds: usize,
    mut ours: impl FnMut(),
    mut peer: impl FnMut(),
) -> (Duration, Duration) {
    let mut times = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
    for _ in 0..rounds {
        times.0.push(timed(&mut ours));
        times.1.push(timed(&mut peer));
    }
    (median(times.0), median(times.1))
}

/// The rows as a table.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{:<46} {:>10} {:>10} {:>7}  goal", "", "hast", "peer", "ratio");
    for row in rows {
        let ratio = row.ours.as_secs_f64() / row.peer.as_secs_f64();
        let _ = writeln!(
            text,
            "{:<46} {:>7.2} ms {:>7.2} ms {ratio:>6.2}x  {}",
            row.name,
            row.ours.as_secs_f64() * 1e3,
            row.peer.as_secs_f64() * 1e3,
            row.goal
        );
    }
    text
}

fn timed(run: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// The middle one of some times.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
