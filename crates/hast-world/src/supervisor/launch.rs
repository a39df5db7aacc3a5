//! The last step before the program where there is no namespace, in a process of its own: own
//! session, death with the guard, sandbox, then `exec`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use hast_flow::process::exit::{Applied, NotStarted};
use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::begin::{self, ClosedPaths};
use super::scratch::Scratch;
use super::start;
use super::wire::Order;

/// What the launcher has to know. The environment is not here: it is the launcher's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Launch {
    order: Order,
    /// Whether the guard made the closed paths read-only.
    closed: ClosedPaths,
    guard: i32,
}

/// What the launcher did: the sandbox, and why it did not become the program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Launched {
    pub(super) applied: Applied,
    pub(super) failed: Option<NotStarted>,
}

impl Launch {
    pub(super) fn new(order: &Order, closed: ClosedPaths) -> Self {
        // Variables may be secret and are not for a file.
        let order = Order { env: Vec::new(), ..order.clone() };
        Self { order, closed, guard: rustix::process::getpid().as_raw_pid() }
    }

    pub(super) fn write(&self, scratch: &Scratch) -> io::Result<()> {
        File::create(scratch.launch())?.write_all(&serde_json::to_vec(self)?)?;
        File::create(scratch.launched())?;
        Ok(())
    }
}

impl Launched {
    pub(super) fn read(scratch: &Scratch) -> Option<Self> {
        // Written whole before the program starts; a second line says why it did not.
        let text = fs::read_to_string(scratch.launched()).ok()?;
        serde_json::from_str(text.lines().last()?).ok()
    }
}

/// Becomes the program. Returns only if that failed; then the reason is in the scratch directory.
pub(super) fn launch(scratch: PathBuf) -> io::Result<()> {
    let scratch = Scratch::at(scratch);
    let launch: Launch = serde_json::from_slice(&fs::read(scratch.launch())?)?;
    // Opened before the sandbox closes; `exec` closes it, so that the program never has it.
    let mut launched = File::options().append(true).open(scratch.launched())?;
    rustix::process::setsid()?;
    super::platform::die_with_parent()?;
    if rustix::process::getppid() != Pid::from_raw(launch.guard) {
        // The guard died before we asked to die with it.
        return Ok(());
    }
    let failed = become_program(&launch, &scratch, &mut launched)?;
    note(&mut launched, &failed)
}

fn become_program(launch: &Launch, scratch: &Scratch, note_to: &mut File) -> io::Result<Launched> {
    let order = &launch.order;
    let failed = |applied, cause| Ok(Launched { applied, failed: Some(cause) });
    if std::env::set_current_dir(&order.cwd).is_err() {
        return failed(Applied::Off, NotStarted::NoDirectory);
    }
    let applied = match begin::close_around(order, launch.closed, scratch) {
        Ok(applied) => applied,
        Err(launched) => return Ok(launched),
    };
    note(note_to, &Launched { applied: applied.clone(), failed: None })?;
    let error = program(order).exec();
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    failed(applied, begin::cause(&error, &order.program, &search_path))
}

fn program(order: &Order) -> std::process::Command {
    let mut command = start::command(&order.program);
    command.args(&order.args).envs(std::env::vars_os());
    command
}

fn note(file: &mut File, launched: &Launched) -> io::Result<()> {
    let mut line = serde_json::to_vec(launched)?;
    line.push(b'\n');
    file.write_all(&line)
}
