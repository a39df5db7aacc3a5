//! Actions that start programs, and the endings that are not an exit code. A rehearsal starts what
//! an agent would start; the guard around it ends all of it.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hast_flow::docs::rehearsal::{Run, SignalName};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::Stage;
use super::trouble::Trouble;

#[expect(clippy::disallowed_methods, reason = "it plays an agent, and agents start programs")]
pub(super) fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

impl Stage<'_> {
    pub(super) fn run(&self, run: &Run) -> Result<(), Trouble> {
        let words = match run {
            Run::Line(line) => vec!["sh".to_owned(), "-c".to_owned(), self.expand(line)?],
            Run::Words(words) => {
                words.iter().map(|word| self.expand(word)).collect::<Result<_, _>>()?
            }
        };
        let shown = match run {
            Run::Line(_) => words[2].clone(),
            Run::Words(_) => words.join(" "),
        };
        let (program, args) = words.split_first().ok_or(Trouble::NoAction)?;
        let status = command(program).args(args).stdin(Stdio::null()).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Trouble::ProgramEnded { program: shown, how: status.to_string() }),
            Err(error) => Err(Trouble::Program { program: shown, why: error.to_string() }),
        }
    }
}

/// Sends this process a signal until it dies of it. It comes back only where the signal is ignored.
pub(super) fn die_by(signal: SignalName) -> Result<(), Trouble> {
    let signal = match signal {
        SignalName::Abrt => Signal::ABORT,
        SignalName::Hup => Signal::HUP,
        SignalName::Int => Signal::INT,
        SignalName::Kill => Signal::KILL,
        SignalName::Quit => Signal::QUIT,
        SignalName::Segv => Signal::SEGV,
        SignalName::Term => Signal::TERM,
    };
    let cannot = |why: String| Trouble::Program { program: "kill".to_owned(), why };
    // The first SEGV only takes away the handler that the standard library has for it.
    for _ in 0..TRIES {
        kill_process(getpid(), signal).map_err(|error| cannot(error.to_string()))?;
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(cannot("the signal is ignored here".to_owned()))
}

const TRIES: usize = 100;

/// Does nothing for ever.
pub(super) fn hang(ignore_term: bool) -> Result<(), Trouble> {
    if ignore_term {
        ignore_signals()?;
    }
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// From now on a polite request to end is not heard.
pub(super) fn ignore_signals() -> Result<(), Trouble> {
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).map_err(|error| {
            Trouble::Program { program: "signal".to_owned(), why: error.to_string() }
        })?;
    }
    Ok(())
}
