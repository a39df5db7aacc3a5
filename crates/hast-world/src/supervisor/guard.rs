//! Stages of `hast agent guard`. Each has one thread only. No process with more can make a
//! namespace, and a death signal is bound to the thread that started the child. The program of a
//! namespace needs no such signal. A thread of its own starts it, and lives no longer than the
//! start.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use hast_flow::process::exit::{Applied, Exit, NotStarted};
use rustix::process::{WaitOptions, waitpid};

use super::begin::Starter;
use super::launch;
use super::needs::{caches, needs};
use super::platform::{die_with_parent, ourselves};
use super::run::Run;
use super::start::{self, Stage};
use super::wire::{Frame, Order, Report};
use crate::sandbox::mounts::{self, Closed};
use crate::sandbox::namespace;

/// Plays a stage to its end. An error is for whoever started it by hand: hast only sees that the
/// guard gave no report.
pub fn guard(stage: Stage, args: &[OsString]) -> io::Result<()> {
    match stage {
        Stage::Namespace => outside(),
        Stage::Inside => inside(),
        Stage::Plain => plain(),
        Stage::Launch => match args {
            [scratch] => launch::launch(scratch.into()),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "no order of hast")),
        },
    }
}

/// Stays outside of the namespace, where its end is awaited: that is the end of all inside.
fn outside() -> io::Result<()> {
    if namespace::enter().is_err() {
        return no_namespace();
    }
    let inside = start::stage(ourselves(), Stage::Inside).stderr(Stdio::null()).spawn()?;
    let pid = rustix::process::Pid::from_child(&inside);
    while let Err(rustix::io::Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
    Ok(())
}

fn inside() -> io::Result<()> {
    // If the guard outside is killed, so is this one, and with it the namespace. Should it have
    // been killed already, hast sees that and closes our standard input.
    die_with_parent()?;
    if namespace::settle().is_err() {
        return no_namespace();
    }
    let mut order =
        Order::receive(io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from)?)?;
    let records = order.record.iter().flat_map(|(out, err)| [out, err]);
    let records = records.filter_map(|path| Path::new(path).parent().map(Path::to_owned));
    let also: Vec<PathBuf> = records.chain([PathBuf::from(&order.scratch)]).collect();
    let scratch = mounts::Removable::hold(Path::new(&order.scratch));
    let closed = mounts::close(&order.sandbox(), &also, &needs(&order));
    let mut private = Vec::new();
    if let Closed::InRoom(places) = &closed {
        order.move_in(places);
        private.clone_from(&places.open);
    } else {
        order.lead(caches(&order));
    }
    namespace::drop_mounting()?;
    // A session without a terminal, for the program too.
    rustix::process::setsid()?;
    let ran = run(&order, closed, Starter::Thread);
    scratch.into_iter().for_each(|scratch| scratch.remove(&private));
    ran
}

fn plain() -> io::Result<()> {
    let mut order =
        Order::receive(io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from)?)?;
    order.lead(caches(&order));
    let sandbox = order.sandbox();
    let closed = match mounts::asked(&sandbox) {
        true if sandbox.room.is_some() => Closed::NoRoom { why: "no mount namespace".to_owned() },
        true => Closed::NotHeld,
        false => Closed::NothingAsked,
    };
    run(&order, closed, Starter::Launcher)
}

/// A guard that cannot even begin says why.
fn run(order: &Order, closed: Closed, starter: Starter) -> io::Result<()> {
    if let Closed::NoRoom { why } = closed {
        let exit = Exit::NotStarted(NotStarted::NoRoom(why));
        return say(&Frame::Ended(Report { exit, swept: 0, sandbox: Applied::Off }));
    }
    match Run::new(order, closed, starter) {
        Ok(run) => run.watch_to_the_end(),
        Err(error) => {
            let what = order.program.to_string_lossy().into_owned();
            let exit = Exit::NotStarted(NotStarted::Failed { what, why: error.to_string() });
            say(&Frame::Ended(Report { exit, swept: 0, sandbox: Applied::Off }))
        }
    }
}

fn no_namespace() -> io::Result<()> {
    say(&Frame::NoNamespace)
}

fn say(frame: &Frame) -> io::Result<()> {
    let mut bytes = Vec::new();
    frame.encode(&mut bytes)?;
    io::stdout().write_all(&bytes)?;
    io::stdout().flush()
}
