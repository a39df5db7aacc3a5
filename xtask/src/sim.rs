//! The sweep of `hast-sim` as a program of its own: release build, all cores, seeds that no earlier
//! round has used.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use hast_stage::dice::random_seed;
use serde::Deserialize;

use crate::Failure;
use crate::programs::{Profile, build};

/// More than any number of minutes gets through.
const ALL_SEEDS: u64 = 1_000_000;

/// What a round of the sweep came to, as `hast-sim --json yes` prints it.
#[derive(Debug, Deserialize)]
pub(crate) struct Sweep {
    pub(crate) from: u64,
    pub(crate) seeds: u64,
    pub(crate) every: u64,
    pub(crate) minutes: f64,
    pub(crate) subjects: Vec<Subject>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Subject {
    pub(crate) subject: String,
    pub(crate) seeds: u64,
    pub(crate) runs: u64,
    pub(crate) crashes: u64,
    pub(crate) blows: BTreeMap<String, u64>,
    /// The arguments that replay each.
    pub(crate) diverged: Vec<String>,
}

/// `soak --sim`: sweeps every subject for so many minutes and fails where a run diverges.
pub(crate) fn soak(minutes: u64) -> Result<(), Failure> {
    let mut command = fresh(&build(Profile::Release)?, ALL_SEEDS);
    command.args(["--minutes", &minutes.to_string()]);
    if command.status()?.success() {
        return Ok(());
    }
    Err("a run diverged, or the sweep broke off -> replay it with the command above".into())
}

/// A round of so many seeds, with its figures. Divergences are figures too.
pub(crate) fn sweep(programs: &Path, seeds: u64) -> Result<Sweep, Failure> {
    let mut command = fresh(programs, seeds);
    let output = command.args(["--json", "yes"]).stderr(Stdio::inherit()).output()?;
    let said = String::from_utf8(output.stdout)?;
    eprint!("{said}");
    let last = said.lines().last().unwrap_or_default();
    serde_json::from_str(last)
        .map_err(|error| format!("hast-sim printed no figures: {error}").into())
}

/// A fault that was planted, and the runs after which the sweep of its subject had found it.
#[derive(Debug, Deserialize)]
pub(crate) struct PlantedFault {
    pub(crate) fault: String,
    pub(crate) subject: String,
    pub(crate) runs: Option<u64>,
}

/// Each planted fault, with new seeds and a sweep as short as that of `.ci/run`.
pub(crate) fn planted(programs: &Path) -> Result<Vec<PlantedFault>, Failure> {
    let text = format!("{:016x}", random_seed());
    let mut command = Command::new(programs.join("hast-sim"));
    command.args(["--planted", "8", "--every", "4", "--fresh", &text, "--json", "yes"]);
    let output = command.stderr(Stdio::inherit()).output()?;
    let said = String::from_utf8(output.stdout)?;
    eprint!("{said}");
    let last = said.lines().last().unwrap_or_default();
    serde_json::from_str(last)
        .map_err(|error| format!("hast-sim named no planted faults: {error}").into())
}

fn fresh(programs: &Path, seeds: u64) -> Command {
    let text = format!("{:016x}", random_seed());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut command = Command::new(programs.join("hast-sim"));
    command.args(["--fresh", &text, "--seeds", &seeds.to_string(), "--jobs", &jobs.to_string()]);
    println!("hast-sim --fresh {text} --seeds {seeds} --jobs {jobs}");
    command
}
