//! The parts that all benchmarks share: the size that the command line chose, the program under
//! measurement, two things measured by turns in one run, and a table of ratios.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How much a benchmark does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Enough for ratios that mean something.
    Long,
    /// Every part once or a few times: that it still runs, not what it costs.
    Short,
}

impl Size {
    /// The size that the command line chose (`--short`), and the other arguments.
    pub fn of_arguments() -> (Self, Vec<String>) {
        let (short, rest): (Vec<_>, Vec<_>) =
            std::env::args().skip(1).partition(|word| word == "--short");
        let size = if short.is_empty() { Self::Long } else { Self::Short };
        if size == Self::Short {
            println!("short: every part runs, the times mean nothing");
        }
        (size, rest)
    }

    pub fn pick<T>(self, long: T, short: T) -> T {
        match self {
            Self::Long => long,
            Self::Short => short,
        }
    }
}

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
    mut ours: impl FnMut() -> Result<(), Failure>,
    mut peer: impl FnMut() -> Result<(), Failure>,
) -> Result<(Duration, Duration), Failure> {
    let mut times = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
    for _ in 0..rounds {
        times.0.push(timed(&mut ours)?);
        times.1.push(timed(&mut peer)?);
    }
    Ok((median(times.0), median(times.1)))
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

/// The hast of the same build beside this program, or the one that `HAST_BIN` names.
pub fn hast_binary() -> Result<PathBuf, Failure> {
    let path = match std::env::var_os("HAST_BIN") {
        Some(path) => PathBuf::from(path),
        None => std::env::current_exe()?.with_file_name("hast"),
    };
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{}: build it with `cargo build --release -p hast`", path.display()).into())
}

/// Runs a program in a directory, without its output. A program that fails is not measured.
pub fn run(program: impl AsRef<OsStr>, args: &[&str], directory: &Path) -> Result<(), Failure> {
    let program = program.as_ref();
    let status = Command::new(program)
        .args(args)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{} {args:?}: {status}", program.display()).into())
}

fn timed(run: &mut impl FnMut() -> Result<(), Failure>) -> Result<Duration, Failure> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed())
}

/// The middle one of some times.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
