//! Cost of a durable commit, compared with the system calls that it cannot avoid. All measurements
//! are interleaved in one run. Only the ratios mean something.

mod concurrent;
mod fixture;
mod floor;

use std::path::Path;
use std::time::{Duration, Instant};

use fixture::Root;
use hast_benches::{Failure, Size, median};

const USAGE: &str = "usage: store [--short] [--dir DIR] [--rounds N] [--seconds N] [--only PART]
parts: commits, history, patch, index, roots, open, processes";

fn main() -> Result<(), Failure> {
    if std::env::args().nth(1).as_deref() == Some("--child") {
        let arguments: Vec<String> = std::env::args().skip(2).collect();
        return concurrent::child(&arguments);
    }
    let (size, arguments) = Size::of_arguments();
    let mut settings = Settings::of(size);
    let mut rest = arguments.into_iter();
    while let Some(name) = rest.next() {
        let value = rest.next().ok_or(USAGE)?;
        match name.as_str() {
            "--dir" => settings.dir = value.into(),
            "--rounds" => settings.rounds = value.parse()?,
            "--seconds" => settings.time = Duration::from_secs(value.parse()?),
            "--only" => settings.only = Some(value),
            _ => return Err(USAGE.into()),
        }
    }
    std::fs::create_dir_all(&settings.dir)?;
    let scratch = tempfile::tempdir_in(&settings.dir)?;
    run(&settings, scratch.path())
}

struct Settings {
    size: Size,
    dir: std::path::PathBuf,
    rounds: usize,
    time: Duration,
    only: Option<String>,
}

impl Settings {
    fn of(size: Size) -> Self {
        Self {
            size,
            dir: "target/bench-store".into(),
            rounds: size.pick(300, 5),
            time: size.pick(Duration::from_secs(5), Duration::from_millis(200)),
            only: None,
        }
    }
}

fn run(settings: &Settings, scratch: &Path) -> Result<(), Failure> {
    let wanted = |part: &str| settings.only.as_deref().is_none_or(|only| only == part);
    if wanted("commits") {
        commits(settings.rounds, scratch)?;
    }
    if wanted("history") {
        history(settings, scratch)?;
    }
    if wanted("patch") {
        patch(settings, scratch)?;
    }
    if wanted("index") {
        index(settings, scratch)?;
    }
    if wanted("roots") {
        concurrent::roots(settings.time, settings.size, scratch)?;
    }
    if wanted("open") {
        opening(settings.size, scratch)?;
    }
    if wanted("processes") {
        concurrent::processes(settings.time, scratch)?;
    }
    Ok(())
}

/// A thing to measure, by name.
type Contender<'a> = (&'static str, Box<dyn FnMut(usize) -> Result<(), Failure> + 'a>);

/// Lets the contenders take turns and returns the median of each.
fn race(rounds: usize, contenders: &mut [Contender<'_>]) -> Result<Vec<Duration>, Failure> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for round in 0..rounds + rounds / 10 {
        for (index, (_, contender)) in contenders.iter_mut().enumerate() {
            let start = Instant::now();
            contender(round)?;
            // The first tenth warms up.
            if round >= rounds / 10 {
                times[index].push(start.elapsed());
            }
        }
    }
    Ok(times.into_iter().map(median).collect())
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn commits(rounds: usize, scratch: &Path) -> Result<(), Failure> {
    let mut bare = floor::Floor::new(&scratch.join("bare"))?;
    let [mut f0, mut f1, mut f4] = [
        floor::Floor::new(&scratch.join("floor-0"))?,
        floor::Floor::new(&scratch.join("floor-1"))?,
        floor::Floor::new(&scratch.join("floor-4"))?,
    ];
    let mut event = Root::new(&scratch.join("event"))?;
    let mut one = Root::new(&scratch.join("one"))?;
    let mut four = Root::new(&scratch.join("four"))?;
    let times = race(
        rounds,
        &mut [
            ("bare append + fdatasync", Box::new(|_| bare.append())),
            ("floor, 1 file", Box::new(|n| f1.publish(n, 1))),
            ("floor, 4 files", Box::new(|n| f4.publish(n, 4))),
            ("commit, event only", Box::new(|_| event.commit(0))),
            ("commit, event + 1 file", Box::new(|_| one.commit(1))),
            ("commit, event + 4 files", Box::new(|_| four.commit(4))),
            ("floor, event only", Box::new(|n| f0.publish(n, 0))),
        ],
    )?;
    println!("commits (median us; ratio to the floor with the same publications, goal 1.3)");
    println!("  bare append + fdatasync      {:8.1}", micros(times[0]));
    for (name, time, floor) in [
        ("commit, event only", times[3], times[6]),
        ("commit, event + 1 file", times[4], times[1]),
        ("commit, event + 4 files", times[5], times[2]),
    ] {
        let ratio = time.as_secs_f64() / floor.as_secs_f64();
        println!(
            "  {name:<28} {:8.1}   floor {:8.1}   ratio {ratio:.2}",
            micros(time),
            micros(floor)
        );
    }
    Ok(())
}

fn history(settings: &Settings, scratch: &Path) -> Result<(), Failure> {
    let (lines, rows) = settings.size.pick((100_000, 10_000), (1_000, 100));
    let mut young = Root::new(&scratch.join("young"))?;
    let mut old = Root::with_history(&scratch.join("old"), lines, rows)?;
    let mut young_file = Root::new(&scratch.join("young-file"))?;
    let mut old_file = Root::with_history(&scratch.join("old-file"), lines, rows)?;
    let times = race(
        settings.rounds,
        &mut [
            ("young", Box::new(|_| young.commit(0))),
            ("old", Box::new(|_| old.commit(0))),
            ("young", Box::new(|_| young_file.commit(1))),
            ("old", Box::new(|_| old_file.commit(1))),
        ],
    )?;
    println!("history: {lines} log lines and {rows}-row tables (goal under 1.1)");
    for (name, at) in [("event only", 0), ("event + 1 file", 2)] {
        let ratio = times[at + 1].as_secs_f64() / times[at].as_secs_f64();
        println!(
            "  {name:<28} young {:8.1}   old {:8.1}   ratio {ratio:.2}",
            micros(times[at]),
            micros(times[at + 1])
        );
    }
    Ok(())
}

fn patch(settings: &Settings, scratch: &Path) -> Result<(), Failure> {
    let rows = settings.size.pick(100_000, 200);
    let mut small = Root::with_history(&scratch.join("small-table"), 1, 100)?;
    let mut large = Root::with_history(&scratch.join("large-table"), 1, rows)?;
    let mut bare = floor::Floor::new(&scratch.join("patch-floor"))?;
    let times = race(
        settings.rounds,
        &mut [
            ("bare", Box::new(|_| bare.append())),
            ("small", Box::new(|n| small.patch(n))),
            ("large", Box::new(|n| large.patch(n))),
        ],
    )?;
    println!("patch of one row (median us)");
    let ratio = |a: usize, b: usize| times[a].as_secs_f64() / times[b].as_secs_f64();
    println!(
        "  100 rows {:.1}   {rows} rows {:.1}   growth {:.2}   to bare append + fdatasync {:.2}",
        micros(times[1]),
        micros(times[2]),
        ratio(2, 1),
        ratio(2, 0)
    );
    Ok(())
}

fn index(settings: &Settings, scratch: &Path) -> Result<(), Failure> {
    let entries = settings.size.pick(100_000, 200);
    let mut small = Root::with_index(&scratch.join("small-index"), 100)?;
    let mut large = Root::with_index(&scratch.join("large-index"), entries)?;
    let mut anew = Root::with_index(&scratch.join("index-anew"), entries)?;
    let times = race(
        settings.rounds,
        &mut [
            ("small", Box::new(|n| small.grow_index(n))),
            ("large", Box::new(|n| large.grow_index(n))),
        ],
    )?;
    let whole = race(5, &mut [("anew", Box::new(|n| anew.rewrite_index(n)))])?;
    println!("one more entry of 300 bytes in a JSON document (median us; goal: growth under 1.1)");
    println!(
        "  100 entries {:.1}   {entries} entries {:.1}   growth {:.2}   {entries} written anew {:.0}",
        micros(times[0]),
        micros(times[1]),
        times[1].as_secs_f64() / times[0].as_secs_f64(),
        micros(whole[0])
    );
    Ok(())
}

fn opening(size: Size, scratch: &Path) -> Result<(), Failure> {
    println!("opening a root and reading its steps (median ms; goal 50 for 10,000)");
    for steps in size.pick([10_000, 100_000], [100, 200]) {
        let dir = scratch.join(format!("steps-{steps}"));
        fixture::write_steps(&dir, steps)?;
        let mut times = Vec::new();
        for _ in 0..11 {
            let start = Instant::now();
            let open = fixture::open_with_steps(&dir)?;
            times.push(start.elapsed());
            if open != 1 {
                return Err(format!("{open} open steps").into());
            }
        }
        println!("  {steps:>7} steps {:8.2}", micros(median(times)) / 1e3);
    }
    Ok(())
}
