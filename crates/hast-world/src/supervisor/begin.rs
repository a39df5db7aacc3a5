//! How the guard starts the program. In a namespace all that is inside dies with the guard, so that
//! a thread of it is enough: the sandbox closes around that thread and what it starts. Elsewhere a
//! process between the two has to ask for that death first, see [`super::launch`].

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, PipeWriter};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use hast_flow::process::SandboxMode;
use hast_flow::process::exit::{Applied, Missing, NotStarted};
use rustix::io::Errno;
use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::launch::{Launch, Launched};
use super::platform::ourselves;
use super::scratch::Scratch;
use super::start::{self, Stage};
use super::wire::Order;
use crate::programs;
use crate::sandbox::mounts::Closed;
use crate::sandbox::{landlock, namespace};

/// Who starts the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Starter {
    /// A thread of a guard that is the first process of a namespace and of a session.
    Thread,
    Launcher,
}

/// Whether the guard made the closed paths read-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ClosedPaths {
    Held,
    NotHeld,
}

impl From<Closed> for ClosedPaths {
    fn from(closed: Closed) -> Self {
        match closed {
            Closed::Held | Closed::InRoom(_) | Closed::NothingAsked => Self::Held,
            Closed::NotHeld | Closed::NoRoom { .. } => Self::NotHeld,
        }
    }
}

/// What the program reads, if anything, and where it writes.
pub(super) struct Streams {
    pub(super) stdin: Option<File>,
    pub(super) stdout: PipeWriter,
    pub(super) stderr: PipeWriter,
}

impl Streams {
    fn give_to(&self, command: &mut Command) -> io::Result<()> {
        let stdin = self.stdin.as_ref().map(File::try_clone).transpose()?;
        command
            .stdin(stdin.map_or_else(Stdio::null, Stdio::from))
            .stdout(self.stdout.try_clone()?)
            .stderr(self.stderr.try_clone()?);
        Ok(())
    }
}

/// A program that was started, or was not.
pub(super) enum Begun {
    /// The launcher notes in the scratch directory what it did.
    Launcher(Pid),
    Program(Pid, Applied),
    Not(Launched),
}

impl Starter {
    pub(super) fn begin(
        self,
        order: &Order,
        closed: ClosedPaths,
        scratch: &Scratch,
        streams: &Streams,
    ) -> io::Result<Begun> {
        match self {
            Self::Launcher => launcher(order, closed, scratch, streams),
            Self::Thread => std::thread::scope(|scope| {
                let begin = || program(order, closed, scratch, streams);
                let begun = std::thread::Builder::new().spawn_scoped(scope, begin)?.join();
                begun.map_err(|_| io::Error::other("the thread that starts the program ended"))
            }),
        }
    }
}

fn launcher(
    order: &Order,
    closed: ClosedPaths,
    scratch: &Scratch,
    streams: &Streams,
) -> io::Result<Begun> {
    Launch::new(order, closed).write(scratch)?;
    let mut command = start::stage(ourselves(), Stage::Launch);
    command.arg(scratch.path());
    Ok(match spawn(command, order, scratch, streams) {
        Ok(child) => Begun::Launcher(Pid::from_child(&child)),
        Err(error) => Begun::Not(not_started(Applied::Off, &error, order)),
    })
}

/// Starts the program from this thread, which is closed in for good.
fn program(order: &Order, closed: ClosedPaths, scratch: &Scratch, streams: &Streams) -> Begun {
    if !Path::new(&order.cwd).is_dir() {
        let failed = Some(NotStarted::NoDirectory);
        return Begun::Not(Launched { applied: Applied::Off, failed });
    }
    let applied = match close_around(order, closed, scratch) {
        Ok(applied) => applied,
        Err(launched) => return Begun::Not(launched),
    };
    if order.sandbox.room.is_some()
        && let Err(error) = namespace::drop_all()
    {
        let failed = Some(NotStarted::NoRoom(error.to_string()));
        return Begun::Not(Launched { applied, failed });
    }
    let begun = match spawn(as_it_is(order), order, scratch, streams) {
        // A script that does not say by what it is read, as the search by `exec` has it.
        Err(error) if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => {
            spawn(by_the_shell(order), order, scratch, streams)
        }
        begun => begun,
    };
    match begun {
        Ok(child) => Begun::Program(Pid::from_child(&child), applied),
        Err(error) => Begun::Not(not_started(applied, &error, order)),
    }
}

fn as_it_is(order: &Order) -> Command {
    own_group(start::command(&order.program), order)
}

fn by_the_shell(order: &Order) -> Command {
    let mut command = start::command("/bin/sh");
    command.arg(&order.program);
    own_group(command, order)
}

/// The session is the guard's, which has no terminal.
fn own_group(mut command: Command, order: &Order) -> Command {
    command.args(&order.args).current_dir(&order.cwd).process_group(0);
    command
}

fn spawn(
    mut command: Command,
    order: &Order,
    scratch: &Scratch,
    streams: &Streams,
) -> io::Result<Child> {
    streams.give_to(&mut command)?;
    command.envs(order.env.iter().map(|(name, value)| (name, value)));
    // In a room the order itself says where files of a moment go.
    if order.sandbox.room.is_none() {
        command.env("TMPDIR", scratch.tmp());
    }
    command.spawn()
}

fn not_started(applied: Applied, error: &io::Error, order: &Order) -> Launched {
    let search_path = order.variable("PATH").unwrap_or_default();
    Launched { applied, failed: Some(cause(error, &order.program, search_path)) }
}

/// Closes the sandbox around this thread; where it must hold and does not, that is why nothing
/// is started.
pub(super) fn close_around(
    order: &Order,
    closed: ClosedPaths,
    scratch: &Scratch,
) -> Result<Applied, Launched> {
    let sandbox = order.sandbox();
    let applied = match sandbox.mode {
        SandboxMode::Off => Applied::Off,
        SandboxMode::Enforce | SandboxMode::Prefer => {
            restrict(&sandbox.writable, closed, &scratch.tmp())
        }
    };
    match shortfall(&applied) {
        Some(why) if sandbox.mode == SandboxMode::Enforce => {
            Err(Launched { applied, failed: Some(NotStarted::NoSandbox(why)) })
        }
        _ => Ok(applied),
    }
}

fn restrict(writable: &[PathBuf], closed: ClosedPaths, tmp: &Path) -> Applied {
    match (landlock::restrict(writable, tmp), closed) {
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

/// Why a program could not be started, from what the system said.
pub(super) fn cause(error: &io::Error, program: &OsStr, search_path: &OsStr) -> NotStarted {
    match error.kind() {
        // A directory of the search path that may not be read hides that nothing was found.
        io::ErrorKind::PermissionDenied if !is_installed(program, search_path) => {
            NotStarted::NoProgram
        }
        io::ErrorKind::NotFound => NotStarted::NoProgram,
        io::ErrorKind::PermissionDenied => NotStarted::NotExecutable,
        io::ErrorKind::ArgumentListTooLong => NotStarted::TooLong,
        _ => NotStarted::Failed {
            what: program.to_string_lossy().into_owned(),
            why: error.to_string(),
        },
    }
}

fn is_installed(program: &OsStr, search_path: &OsStr) -> bool {
    program.as_encoded_bytes().contains(&b'/')
        || program.to_str().is_some_and(|name| programs::find(name, search_path).is_some())
}
