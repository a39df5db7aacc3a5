//! A process that leaves its family, as daemons do: a session of its own, and a parent that is gone.
//! It is this program again, twice; what it is to do comes through its standard input.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use hast_flow::docs::rehearsal::Escape;

use super::programs::{command, ignore_signals};
use super::trouble::Trouble;
use super::{Stage, Voice, play, speech};

/// The word for the process in between.
pub const LEAVE: &str = "--leave";
/// The word for the process that has left.
pub const LEFT: &str = "--left";
const OURSELVES: &str = "/proc/self/exe";

impl Stage<'_> {
    /// Comes back when the other process has left and knows what to do.
    pub(super) fn spawn(&self, escape: &Escape) -> Result<(), Trouble> {
        let failed = |why: String| Trouble::Program { program: "spawn".to_owned(), why };
        let io_failed = |error: std::io::Error| failed(error.to_string());
        let order = serde_json::to_vec(escape).map_err(|error| failed(error.to_string()))?;
        let (mut ours, theirs) = UnixStream::pair().map_err(io_failed)?;
        let output = || if escape.keep_output { Stdio::inherit() } else { Stdio::null() };
        let mut between = {
            let mut command = command(OURSELVES);
            command.arg0("hast").args(["agent", "rehearse", LEAVE]);
            if self.voice == Voice::Raw {
                command.arg("--raw");
            }
            command.stdin(OwnedFd::from(theirs)).stdout(output()).stderr(output());
            command.spawn().map_err(io_failed)?
        };
        ours.write_all(&order).map_err(io_failed)?;
        ours.shutdown(Shutdown::Write).map_err(io_failed)?;
        between.wait().map_err(io_failed)?;
        let mut ready = [0];
        ours.read_exact(&mut ready).map_err(io_failed)
    }
}

/// The process in between: it makes a session, starts the one that stays, and is gone.
pub fn leave(raw: bool) -> bool {
    if rustix::process::setsid().is_err() {
        return false;
    }
    let mut command = command(OURSELVES);
    command.arg0("hast").args(["agent", "rehearse", LEFT]);
    if raw {
        command.arg("--raw");
    }
    command.spawn().is_ok()
}

/// The process that has left: it says that it is ready, and plays.
pub fn left(stage: &Stage<'_>) -> u8 {
    let mut order = Vec::new();
    let stdin = std::io::stdin();
    let Ok(socket) = stdin.as_fd().try_clone_to_owned() else { return super::REFUSED };
    let mut socket = UnixStream::from(socket);
    let read = socket.read_to_end(&mut order);
    let escape: Escape = match read.map(|_| serde_json::from_slice(&order)) {
        Ok(Ok(escape)) => escape,
        _ => return super::REFUSED,
    };
    if escape.ignore_term
        && let Err(trouble) = ignore_signals()
    {
        speech::complain(&trouble.text(stage.lang));
    }
    // Who waits for this byte may be gone already; then nobody waits.
    let _ = socket.write_all(&[1]);
    drop(socket);
    play(&escape.actions, stage)
}
