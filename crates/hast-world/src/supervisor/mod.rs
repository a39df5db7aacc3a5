//! Every process that hast starts, starts here, under a guard (`hast agent guard`) that ends all
//! of it: when it is over, when a limit is reached, when hast is interrupted, when hast dies.

mod begin;
mod guard;
mod launch;
mod needs;
mod outputs;
mod platform;
mod run;
mod scratch;
mod signals;
pub(crate) mod start;
mod tree;
mod wire;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::ops::ControlFlow;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hast_flow::process::capture::Capture;
use hast_flow::process::exit::{Applied, Exit, Net, NotStarted};
use hast_flow::process::{CommandSpec, Ended, Limits, Stdin, Stream, Supervisor, Watch};

pub use guard::guard;
pub use signals::{Forwarding, forward, survive_size_limits};
pub use start::Stage;

use scratch::Scratch;
pub(crate) use scratch::{LOCK, REPORT};
use wire::{Frame, Order, Report};

/// Runs programs under guards, from any number of threads.
#[derive(Debug)]
pub struct Guarded {
    program: OsString,
    temp: PathBuf,
    /// Cleared when the machine turns out to give no namespace.
    namespaces: AtomicBool,
    /// Somebody wants hast itself to end.
    interrupted: AtomicBool,
    calls: Mutex<Calls>,
    /// A guard that was started ahead and waits for its order.
    ready: Mutex<Option<Ready>>,
    /// Whether each run that begins starts the guard of the next one.
    one_ahead: AtomicBool,
}

#[derive(Debug)]
struct Ready {
    net: Net,
    guard: Child,
}

#[derive(Debug, Default)]
struct Calls {
    next: u64,
    live: BTreeMap<u64, ChildStdin>,
    wish: Wish,
}

/// What was asked of all runs; it holds for those that start later too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wish {
    #[default]
    Run,
    Stop,
    Cancel,
}

/// What one guard gave.
enum Answer {
    Report(Report),
    NoNamespace,
    /// It was killed before it could say anything.
    Nothing,
}

impl Guarded {
    /// With this very program as the guard. `temp` is where each run gets its private directory.
    pub fn new(temp: PathBuf) -> io::Result<Self> {
        Self::with_guard(platform::ourselves(), temp)
    }

    /// With another hast as the guard; tests are not hast.
    pub fn with_guard(program: impl Into<OsString>, temp: PathBuf) -> io::Result<Self> {
        // Should a guard be killed, what it held comes to us and not to the machine's init.
        platform::adopt_orphans()?;
        Ok(Self {
            program: program.into(),
            temp,
            namespaces: AtomicBool::new(true),
            interrupted: AtomicBool::new(false),
            calls: Mutex::default(),
            ready: Mutex::default(),
            one_ahead: AtomicBool::new(false),
        })
    }

    /// Does without PID namespaces, as on a machine that has none.
    #[must_use]
    pub fn without_namespaces(self) -> Self {
        self.namespaces.store(false, Ordering::Relaxed);
        self
    }

    /// Ends all runs, and every one that is still asked for. A second time does not wait for
    /// anybody's consent.
    pub fn cancel(&self) {
        self.wish(Wish::Cancel, wire::CANCEL);
    }

    /// Ends all runs for good: hast itself is to end.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
        self.cancel();
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Whether whatever is asked for is ended at once.
    pub fn is_cancelled(&self) -> bool {
        self.lock().wish == Wish::Cancel
    }

    /// Lets runs begin again after [`Self::cancel`], unless hast is to end.
    pub fn renew(&self) {
        let mut calls = self.lock();
        if calls.wish == Wish::Cancel && !self.is_interrupted() {
            calls.wish = Wish::Run;
        }
    }

    /// Stops all runs until [`Self::resume`]; their limits stand still meanwhile.
    pub fn pause(&self) {
        self.wish(Wish::Stop, wire::STOP);
    }

    pub fn resume(&self) {
        self.wish(Wish::Run, wire::CONTINUE);
    }

    fn wish(&self, wish: Wish, word: u8) {
        let mut calls = self.lock();
        if calls.wish != Wish::Cancel {
            calls.wish = wish;
        }
        for control in calls.live.values_mut() {
            // A guard that is gone has nothing left to end.
            let _ = control.write_all(&[word]);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Calls> {
        // A thread that died holding the lock left a list that is still good.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn net(&self) -> Net {
        match self.namespaces.load(Ordering::Relaxed) {
            true => Net::Namespace,
            false => Net::Subreaper,
        }
    }

    /// Starts the guard of the run that comes next, while the caller waits for something else: to
    /// make it takes longer than to use it. Only for when no agent runs that could reach it. Says
    /// which process waits.
    pub fn prepare(&self) -> Option<u32> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.is_none() && self.lock().wish == Wish::Run {
            let net = self.net();
            // Whoever needs it starts one then, and says why that fails.
            *ready = self.start_guard(net).ok().map(|guard| Ready { net, guard });
        }
        ready.as_ref().map(|ready| ready.guard.id())
    }

    /// For whoever runs one program after the other: from now on the guard of the next run is started when
    /// one begins, and is there when it is needed. Only in namespaces: elsewhere a program could reach it.
    pub fn stay_one_ahead(&self) {
        self.one_ahead.store(true, Ordering::Relaxed);
    }

    /// Ends a guard that was made ready and not used.
    pub fn dismiss(&self) {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut ready) = ready {
            // It ends when it hears that there is no order.
            drop(ready.guard.stdin.take());
            let _ = ready.guard.wait();
        }
    }

    fn take_ready(&self, net: Net) -> Option<Child> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let mut guard = ready.take_if(|ready| ready.net == net)?.guard;
        // One that is gone could not say what became of the program.
        matches!(guard.try_wait(), Ok(None)).then_some(guard)
    }

    fn start_guard(&self, net: Net) -> io::Result<Child> {
        let stage = match net {
            Net::Namespace => Stage::Namespace,
            Net::Subreaper => Stage::Plain,
        };
        // A group of its own: Ctrl-C reaches hast, and hast tells the guard.
        start::stage(&self.program, stage)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    }

    /// One guard from its start to its end.
    fn under(
        &self,
        net: Net,
        order: &Order,
        input: &[u8],
        heard: &mut dyn FnMut(Stream, &[u8]) -> ControlFlow<()>,
    ) -> io::Result<Answer> {
        let mut guard = match self.take_ready(net) {
            Some(guard) => guard,
            None => self.start_guard(net)?,
        };
        let (Some(mut control), Some(output)) = (guard.stdin.take(), guard.stdout.take()) else {
            return Ok(Answer::Nothing);
        };
        // A guard that is gone already says so by its silence.
        let _ = order.send(input, &mut control);
        let call = self.enlist(control);
        if net == Net::Namespace && self.one_ahead.load(Ordering::Relaxed) {
            let _ = self.prepare();
        }
        let answer = self.listen(call, BufReader::with_capacity(128 * 1024, output), heard);
        self.lock().live.remove(&call);
        // The pipe is closed now, so that a guard that lost its way ends too.
        guard.wait()?;
        if let Answer::Nothing = answer {
            self.end_orphans(guard.id());
        }
        Ok(answer)
    }

    fn enlist(&self, mut control: ChildStdin) -> u64 {
        let mut calls = self.lock();
        let word = match calls.wish {
            Wish::Run => None,
            Wish::Stop => Some(wire::STOP),
            Wish::Cancel => Some(wire::CANCEL),
        };
        if let Some(word) = word {
            let _ = control.write_all(&[word]);
        }
        let call = calls.next;
        calls.next += 1;
        calls.live.insert(call, control);
        call
    }

    fn listen(
        &self,
        call: u64,
        mut frames: impl io::Read,
        heard: &mut dyn FnMut(Stream, &[u8]) -> ControlFlow<()>,
    ) -> Answer {
        let mut answer = Answer::Nothing;
        let mut watching = ControlFlow::Continue(());
        // A frame that cannot be read ends the conversation like the end of the pipe.
        while let Ok(Some(frame)) = Frame::receive(&mut frames) {
            match frame {
                Frame::Output(stream, bytes) => {
                    let wish = heard(stream, &bytes);
                    if wish.is_break() && watching.is_continue() {
                        watching = wish;
                        if let Some(control) = self.lock().live.get_mut(&call) {
                            let _ = control.write_all(&[wire::CANCEL]);
                        }
                    }
                }
                Frame::NoNamespace => answer = Answer::NoNamespace,
                Frame::Ended(report) => answer = Answer::Report(report),
            }
        }
        answer
    }

    /// A guard was killed: what it held is ours now. The guard inside a namespace is in the group
    /// of the lost one, and its end is the end of the namespace. What descends from a program has
    /// a session that is not ours; being our own child, it is no other guard's.
    fn end_orphans(&self, lost: u32) {
        let own = rustix::process::getpid().as_raw_pid();
        for _ in 0..ORPHAN_ROUNDS {
            let all = tree::processes();
            let session = all.get(&own).map_or(0, |stat| stat.session);
            let is_orphan = |stat: &tree::Stat| {
                let ours = stat.session == session && stat.group.unsigned_abs() != lost;
                stat.parent == own && !ours
            };
            let orphans: Vec<i32> =
                all.iter().filter(|(_, stat)| is_orphan(stat)).map(|(pid, _)| *pid).collect();
            if orphans.is_empty() {
                return;
            }
            for pid in orphans {
                tree::kill_below(pid);
                tree::kill_and_reap(pid);
            }
        }
    }

    fn try_run(
        &self,
        spec: &CommandSpec,
        limits: &Limits,
        heard: &mut dyn FnMut(Stream, &[u8]) -> ControlFlow<()>,
    ) -> Result<(Report, Net), NotStarted> {
        let scratch = Scratch::make(&self.temp).map_err(|error| NotStarted::Failed {
            what: error.path.display().to_string(),
            why: error.source.to_string(),
        })?;
        let order = Order::new(spec, limits, scratch.path().to_owned());
        let input = match &spec.stdin {
            Stdin::Bytes(bytes) => bytes.as_slice(),
            Stdin::Nothing | Stdin::File(_) => &[],
        };
        let failed = |error: io::Error| NotStarted::Failed {
            what: self.program.to_string_lossy().into_owned(),
            why: error.to_string(),
        };
        let mut net = self.net();
        let mut answer = self.under(net, &order, input, heard).map_err(failed)?;
        if let (Answer::NoNamespace, Net::Namespace) = (&answer, net) {
            self.namespaces.store(false, Ordering::Relaxed);
            net = Net::Subreaper;
            answer = self.under(net, &order, input, heard).map_err(failed)?;
        }
        scratch.remove();
        match answer {
            Answer::Report(report) => Ok((report, net)),
            Answer::NoNamespace | Answer::Nothing => {
                Ok((Report { exit: Exit::Lost, swept: 0, sandbox: Applied::Off }, net))
            }
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.dismiss();
    }
}

/// Each round ends a generation that appeared during the last one.
const ORPHAN_ROUNDS: usize = 50;

impl Supervisor for Guarded {
    fn run(&self, spec: &CommandSpec, limits: &Limits, watch: &mut Watch<'_>) -> Ended {
        let started = Instant::now();
        let capture = || Capture::new(limits.head, limits.tail);
        let (mut stdout, mut stderr) = (capture(), capture());
        let mut heard = |stream, bytes: &[u8]| {
            match stream {
                Stream::Out => stdout.push(bytes),
                Stream::Err => stderr.push(bytes),
            };
            watch(stream, bytes)
        };
        let (report, net) = if self.lock().wish == Wish::Cancel {
            (Report { exit: Exit::Cancelled, swept: 0, sandbox: Applied::Off }, self.net())
        } else {
            self.try_run(spec, limits, &mut heard).unwrap_or_else(|cause| {
                let exit = Exit::NotStarted(cause);
                (Report { exit, swept: 0, sandbox: Applied::Off }, self.net())
            })
        };
        Ended {
            exit: report.exit,
            swept: report.swept,
            lasted: started.elapsed(),
            stdout: stdout.finish(),
            stderr: stderr.finish(),
            sandbox: report.sandbox,
            net,
        }
    }
}
