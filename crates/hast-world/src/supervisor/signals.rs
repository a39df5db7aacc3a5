//! Signals that a terminal or a service manager sends to hast, passed on to all its runs. Ctrl-C
//! ends the runs. Ctrl-Z stops them together with hast. A file over the size limit is an error of
//! its write and does not end hast.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::{self, JoinHandle};

use signal_hook::consts::{SIGHUP, SIGINT, SIGSTOP, SIGTERM, SIGTSTP, SIGXFSZ};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::raise;

use super::Guarded;

/// Signals are passed on as long as this lives.
#[derive(Debug)]
#[must_use]
pub struct Forwarding {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

/// Makes a write beyond the limit on file sizes an error of that write instead of the end of this
/// process. Programs that it starts get the system's way back.
pub fn survive_size_limits() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

/// Passes the signals of this process on. Whoever runs sees the runs end as cancelled.
pub fn forward(to: Arc<Guarded>) -> io::Result<Forwarding> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP])?;
    let handle = signals.handle();
    let listen = move || {
        for signal in signals.forever() {
            match signal {
                SIGTSTP => {
                    to.pause();
                    // To this very thread: it goes on only when somebody continues us. A signal
                    // to the process could be taken by another thread, and we would go on.
                    let _ = raise(SIGSTOP);
                    to.resume();
                }
                _ => to.interrupt(),
            }
        }
    };
    let thread = thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
    Ok(Forwarding { handle, thread: Some(thread) })
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
