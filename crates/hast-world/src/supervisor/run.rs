//! The guard's loop: sees what happens to one program, tells the machine in
//! [`hast_flow::process::life`], and does what that says. It decides nothing itself.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use hast_flow::process::Stream;
use hast_flow::process::exit::{Applied, Exit};
use hast_flow::process::life::{Action, Event, Life};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, getpid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::begin::{Begun, Starter, Streams};
use super::launch::Launched;
use super::outputs::{Outbound, Output, Taken, at};
use super::platform::{adopt_orphans, memory_file};
use super::scratch::Scratch;
use super::tree::{self, Reaping};
use super::wire::{self, Frame, Order, OrderStdin, Report};
use crate::sandbox::mounts::Closed;

/// One supervised program.
pub(super) struct Run {
    life: Life,
    started: Instant,
    leader: Leader,
    looking: Looking,
    finished: Option<Exit>,
    /// What the starter did, where it does not note that itself.
    launched: Option<Launched>,
    scratch: Scratch,
    outputs: [Output; 2],
    to_hast: Outbound,
    from_hast: Control,
    children: UnixStream,
    signals: UnixStream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leader {
    Alive(Pid),
    Ended,
}

/// Whether the machine wants to know when descendants end. The first answer counts them; for the
/// later ones it is enough that there are some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looking {
    NotAsked,
    Count,
    Whether,
}

#[derive(Debug)]
enum Control {
    Open(File),
    Gone,
}

/// Which of the things that are waited for has something.
struct Ready {
    control: bool,
    children: bool,
    signals: bool,
    outputs: [bool; 2],
    to_hast: bool,
}

impl Run {
    /// Starts the program.
    pub(super) fn new(order: &Order, closed: Closed, starter: Starter) -> io::Result<Self> {
        let scratch = Scratch::at((&order.scratch).into());
        adopt_orphans()?;
        let children = notified(&[SIGCHLD])?;
        let signals = notified(&[SIGTERM, SIGINT, SIGHUP])?;
        let mut control = io::stdin().as_fd().try_clone_to_owned().map(File::from)?;
        let limits = order.limits();
        let records = match &order.record {
            None => [None, None],
            Some((stdout, stderr)) => [Some(stdout), Some(stderr)],
        };
        let [to_stdout, to_stderr] = records;
        let (stdout, out_end) = Output::new(Stream::Out, &limits, to_stdout)?;
        let (stderr, err_end) = Output::new(Stream::Err, &limits, to_stderr)?;
        let stdin = program_input(&order.stdin, &mut control)?;
        let streams = Streams { stdin, stdout: out_end, stderr: err_end };
        let started = Instant::now();
        let (leader, launched) = match starter.begin(order, closed.into(), &scratch, &streams)? {
            Begun::Launcher(pid) => (Leader::Alive(pid), None),
            Begun::Program(pid, applied) => {
                (Leader::Alive(pid), Some(Launched { applied, failed: None }))
            }
            Begun::Not(launched) => (Leader::Ended, Some(launched)),
        };
        let failed = launched.as_ref().and_then(|launched| launched.failed.clone());
        Ok(Self {
            life: Life::new(limits),
            started,
            leader,
            looking: Looking::NotAsked,
            finished: failed.map(Exit::NotStarted),
            launched,
            outputs: [stdout, stderr],
            to_hast: Outbound::new()?,
            from_hast: Control::Open(control),
            children,
            signals,
            scratch,
        })
    }

    /// Watches until nothing of the program is left, then reports.
    pub(super) fn watch_to_the_end(mut self) -> io::Result<()> {
        while self.finished.is_none() {
            let ready = self.wait()?;
            self.serve(&ready)?;
        }
        self.report()
    }

    fn serve(&mut self, ready: &Ready) -> io::Result<()> {
        if ready.to_hast && self.to_hast.flush().is_err() {
            self.hast_is_gone();
        }
        if ready.control {
            self.hear()?;
        }
        if ready.signals {
            drain(&mut self.signals);
            self.tell(Event::Cancel)?;
        }
        for index in [0, 1] {
            if ready.outputs[index] {
                self.take(index)?;
            }
        }
        if ready.children {
            drain(&mut self.children);
            self.reap()?;
        }
        if self.life.wake_at().is_some_and(|at| self.started.elapsed() >= at) {
            self.tell(Event::Time)?;
        }
        Ok(())
    }

    fn wait(&mut self) -> io::Result<Ready> {
        let timeout = self.life.wake_at().map(|at| at.saturating_sub(self.started.elapsed()));
        let timeout = timeout.map(timespec);
        // When hast is slow, the program waits, not our memory.
        let reading = self.to_hast.is_empty();
        let mut fds = vec![
            PollFd::new(&self.children, PollFlags::IN),
            PollFd::new(&self.signals, PollFlags::IN),
        ];
        let control = match &self.from_hast {
            Control::Open(file) => {
                fds.push(PollFd::new(file, PollFlags::IN));
                Some(fds.len() - 1)
            }
            Control::Gone => None,
        };
        let mut outputs = [None, None];
        for (index, output) in self.outputs.iter().enumerate() {
            if let Some(reader) = output.reader().filter(|_| reading) {
                fds.push(PollFd::new(reader, PollFlags::IN));
                outputs[index] = Some(fds.len() - 1);
            }
        }
        let stdout = io::stdout();
        let to_hast = (!reading).then(|| {
            fds.push(PollFd::new(&stdout, PollFlags::OUT));
            fds.len() - 1
        });
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let has = |index: Option<usize>| {
            index.and_then(|index| fds.get(index)).is_some_and(|fd| !fd.revents().is_empty())
        };
        Ok(Ready {
            children: has(Some(0)),
            signals: has(Some(1)),
            control: has(control),
            outputs: [has(outputs[0]), has(outputs[1])],
            to_hast: has(to_hast),
        })
    }

    /// What hast wants. Its end closes the pipe, however it ended.
    fn hear(&mut self) -> io::Result<()> {
        let Control::Open(control) = &mut self.from_hast else { return Ok(()) };
        let mut words = [0; 64];
        match control.read(&mut words) {
            Ok(0) | Err(_) => {
                self.hast_is_gone();
                self.tell(Event::HastGone)
            }
            Ok(count) => words[..count].iter().try_for_each(|word| match *word {
                wire::CANCEL => self.tell(Event::Cancel),
                wire::STOP => self.tell(Event::Stop),
                wire::CONTINUE => self.tell(Event::Continue),
                _ => Ok(()),
            }),
        }
    }

    fn hast_is_gone(&mut self) {
        self.from_hast = Control::Gone;
        self.to_hast.close();
    }

    fn take(&mut self, index: usize) -> io::Result<()> {
        let Some(output) = self.outputs.get_mut(index) else { return Ok(()) };
        match output.take(&mut self.to_hast) {
            Taken::Bytes(count) => self.tell(Event::Output(count)),
            Taken::Nothing | Taken::Closed => Ok(()),
        }
    }

    fn reap(&mut self) -> io::Result<()> {
        let left = loop {
            match tree::reap()? {
                Reaping::Ended(reaped) if self.leader == Leader::Alive(reaped.pid) => {
                    self.leader = Leader::Ended;
                    self.tell(Event::LeaderEnded(reaped.exit))?;
                }
                Reaping::Ended(_) => {}
                Reaping::NoChildren => break 0,
                Reaping::AllAlive => match self.looking {
                    Looking::NotAsked => return Ok(()),
                    Looking::Whether => break 1,
                    Looking::Count => break count_below(),
                },
            }
        };
        match self.looking {
            Looking::NotAsked => Ok(()),
            Looking::Count | Looking::Whether => {
                self.looking = Looking::Whether;
                self.tell(Event::Left(left))
            }
        }
    }

    fn tell(&mut self, event: Event) -> io::Result<()> {
        for action in self.life.step(self.started.elapsed(), event) {
            self.perform(action)?;
        }
        Ok(())
    }

    fn perform(&mut self, action: Action) -> io::Result<()> {
        let own = getpid().as_raw_pid();
        match (action, self.leader) {
            // One that is stopped could not hear the request.
            (Action::TermGroup, Leader::Alive(leader)) => {
                tree::send_group(leader, Signal::TERM);
                tree::send_group(leader, Signal::CONT);
            }
            (Action::TermGroup, Leader::Ended) => {}
            (Action::TermAll, _) => {
                tree::signal_below(own, Signal::TERM);
                tree::signal_below(own, Signal::CONT);
            }
            (Action::KillAll, leader) => {
                tree::kill_below(own);
                // Where processes cannot be listed, the group is all that can be reached.
                if let Leader::Alive(leader) = leader {
                    tree::send_group(leader, Signal::KILL);
                }
            }
            (Action::StopAll, _) => {
                tree::stop_below(own);
            }
            (Action::ContinueAll, _) => tree::signal_below(own, Signal::CONT),
            (Action::Look, _) => {
                if self.looking == Looking::NotAsked {
                    self.looking = Looking::Count;
                }
                return self.reap();
            }
            (Action::Finish(exit), _) => self.finished = Some(exit),
        }
        Ok(())
    }

    fn report(mut self) -> io::Result<()> {
        for output in &mut self.outputs {
            output.finish(&mut self.to_hast);
        }
        let launched = self.launched.take().or_else(|| Launched::read(&self.scratch));
        let (sandbox, failed) = match launched {
            Some(launched) => (launched.applied, launched.failed),
            None => (Applied::Off, None),
        };
        let ended = self.finished.take().unwrap_or(Exit::Lost);
        let exit = match (ended, failed) {
            (Exit::Exited(_), Some(cause)) => Exit::NotStarted(cause),
            (exit, _) => exit,
        };
        self.scratch.remove();
        let frame = Frame::Ended(Report { exit, swept: self.life.swept(), sandbox });
        self.to_hast.last(&frame)
    }
}

/// What the program reads. Bytes are put where they can be read like a file: no pipe can then be
/// full, broken or left open.
fn program_input(stdin: &OrderStdin, control: &mut File) -> io::Result<Option<File>> {
    match stdin {
        OrderStdin::Nothing => Ok(None),
        OrderStdin::File(path) => File::open(path).map(Some).map_err(|error| at(path, &error)),
        OrderStdin::Bytes(length) => {
            let mut memory = memory_file()?;
            if io::copy(&mut control.take(*length), &mut memory)? < *length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            memory.rewind()?;
            Ok(Some(memory))
        }
    }
}

/// A stream that has something when one of the signals came.
fn notified(signals: &[i32]) -> io::Result<UnixStream> {
    let (reader, writer) = UnixStream::pair()?;
    reader.set_nonblocking(true)?;
    for signal in signals {
        signal_hook::low_level::pipe::register(*signal, writer.try_clone()?)?;
    }
    Ok(reader)
}

fn drain(stream: &mut UnixStream) {
    let mut bytes = [0; 64];
    while stream.read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
}

fn count_below() -> u32 {
    let count = tree::descendants(getpid().as_raw_pid()).len();
    u32::try_from(count).unwrap_or(u32::MAX).max(1)
}

fn timespec(duration: Duration) -> Timespec {
    // Rounded up: waking a moment early would only mean to wait again.
    let duration = duration.saturating_add(Duration::from_micros(1)).min(MAX_WAIT);
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}

/// Far from what a time in the kernel can hold.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
