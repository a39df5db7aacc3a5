//! The last step before the program: own session, death with the guard, sandbox, then `exec`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use hast_flow::process::exit::{Applied, Missing, NotStarted};
use hast_flow::process::{Sandbox, SandboxMode};
use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::scratch::Scratch;
use super::start;
use super::wire::Order;
use crate::programs;
use crate::sandbox::{landlock, mounts::Closed};

/// What the launcher has to know. The environment is not here: it is the launcher's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Launch {
    order: Order,
    /// Whether the guard made the closed paths read-only.
    closed: ClosedPaths,
    guard: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum ClosedPaths {
    Held,
    NotHeld,
}

/// What the launcher did: the sandbox, and why it did not become the program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Launched {
    pub(super) applied: Applied,
    pub(super) failed: Option<NotStarted>,
}

impl Launch {
    pub(super) fn new(order: &Order, closed: Closed) -> Self {
        let held = match closed {
            Closed::Held | Closed::NothingAsked => ClosedPaths::Held,
            Closed::NotHeld => ClosedPaths::NotHeld,
        };
        // Variables may be secret and are not for a file.
        let order = Order { env: Vec::new(), ..order.clone() };
        Self { order, closed: held, guard: rustix::process::getpid().as_raw_pid() }
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
    let sandbox = order.sandbox();
    let applied = apply(&sandbox, launch.closed, &scratch.tmp());
    if sandbox.mode == SandboxMode::Enforce
        && let Some(why) = shortfall(&applied)
    {
        return failed(applied, NotStarted::NoSandbox(why));
    }
    note(note_to, &Launched { applied: applied.clone(), failed: None })?;
    let error = program(order).exec();
    failed(applied, cause(&error, &order.program))
}

fn program(order: &Order) -> std::process::Command {
    let mut command = start::command(&order.program);
    command.args(&order.args).envs(std::env::vars_os());
    command
}

fn apply(sandbox: &Sandbox, closed: ClosedPaths, tmp: &Path) -> Applied {
    if sandbox.mode == SandboxMode::Off {
        return Applied::Off;
    }
    match (landlock::restrict(&sandbox.writable, tmp), closed) {
        (Applied::Whole { abi }, ClosedPaths::NotHeld) => {
            Applied::Partly { abi, missing: Missing::ClosedPaths }
        }
        (applied, _) => applied,
    }
}

fn shortfall(applied: &Applied) -> Option<String> {
    match applied {
        Applied::Whole { .. } | Applied::Off => None,
        Applied::Partly { abi, missing: Missing::Rights } => Some(format!("Landlock {abi}")),
        Applied::Partly { missing: Missing::ClosedPaths, .. } => Some("mount namespace".to_owned()),
        Applied::Unavailable { why } => Some(why.clone()),
    }
}

fn note(file: &mut File, launched: &Launched) -> io::Result<()> {
    let mut line = serde_json::to_vec(launched)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// Why a program could not be started, from what the system said.
pub(super) fn cause(error: &io::Error, program: &OsString) -> NotStarted {
    match error.kind() {
        // A directory of the search path that may not be read hides that nothing was found.
        io::ErrorKind::PermissionDenied if !is_installed(program) => NotStarted::NoProgram,
        io::ErrorKind::NotFound => NotStarted::NoProgram,
        io::ErrorKind::PermissionDenied => NotStarted::NotExecutable,
        io::ErrorKind::ArgumentListTooLong => NotStarted::TooLong,
        _ => NotStarted::Failed {
            what: program.to_string_lossy().into_owned(),
            why: error.to_string(),
        },
    }
}

fn is_installed(program: &OsString) -> bool {
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    program.as_encoded_bytes().contains(&b'/')
        || program.to_str().is_some_and(|name| programs::find(name, &search_path).is_some())
}
