//! The life of a supervised program as a machine: events in, actions out. The guard feeds it what
//! it sees and does what it says; it knows neither processes nor a clock of its own.

use std::time::Duration;

use super::Limits;
use super::exit::Exit;

/// Processes that outlive the program get less time than the program itself.
pub const LEFTOVER_GRACE: Duration = Duration::from_secs(2);
/// How long killing may take: a process in an uninterruptible call cannot be waited for.
pub const GIVE_UP: Duration = Duration::from_secs(10);
/// Something that forks while it is being killed is killed again this often.
pub const AGAIN: Duration = Duration::from_millis(10);

/// What the guard saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// This many bytes came.
    Output(u64),
    /// The program itself ended, with this.
    LeaderEnded(Exit),
    /// The answer to [`Action::Look`]: descendants that are still there.
    Left(u32),
    /// The time given by [`Life::wake_at`] has come.
    Time,
    Cancel,
    /// hast is dead: nobody is interested any more.
    HastGone,
    Stop,
    Continue,
}

/// What the guard has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ask the program's process group to end.
    TermGroup,
    /// Ask everything that is left to end.
    TermAll,
    KillAll,
    StopAll,
    ContinueAll,
    /// Reap, count the descendants that are left, and answer with [`Event::Left`]. Once asked,
    /// the answer is given again whenever a descendant ends.
    Look,
    Finish(Exit),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    /// The program has ended, or was asked to; what is left at `kill_at` is killed.
    Ending {
        exit: Exit,
        kill_at: Duration,
        leftovers: Leftovers,
    },
    Killing {
        exit: Exit,
        again_at: Duration,
        give_up_at: Duration,
    },
    Finished,
}

/// Whether what the program left behind has been asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leftovers {
    NotAsked,
    Asked,
}

/// The state of one run. Times count from its start.
#[derive(Clone, Debug)]
pub struct Life {
    limits: Limits,
    phase: Phase,
    leader: Leader,
    bytes: u64,
    last_output: Duration,
    /// Since when the run is stopped by the user, and how long it was stopped before.
    stopped_at: Option<Duration>,
    stopped_for: Duration,
    left: u32,
    swept: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leader {
    Alive,
    Ended,
}

impl Life {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            phase: Phase::Running,
            leader: Leader::Alive,
            bytes: 0,
            last_output: Duration::ZERO,
            stopped_at: None,
            stopped_for: Duration::ZERO,
            left: 0,
            swept: 0,
        }
    }

    /// How many processes outlived the program.
    pub fn swept(&self) -> u32 {
        self.swept
    }

    /// When [`Event::Time`] is due, as time since the start; `None` while stopped or finished.
    pub fn wake_at(&self) -> Option<Duration> {
        if self.stopped_at.is_some() {
            return None;
        }
        let at = match &self.phase {
            Phase::Running => self.timeout_at().min(self.stall_at().unwrap_or(Duration::MAX)),
            Phase::Ending { kill_at, .. } => *kill_at,
            Phase::Killing { again_at, give_up_at, .. } => *again_at.min(give_up_at),
            Phase::Finished => return None,
        };
        Some(at.saturating_add(self.stopped_for))
    }

    /// `at` is the time since the start.
    pub fn step(&mut self, at: Duration, event: Event) -> Vec<Action> {
        let now = self.stopped_at.unwrap_or(at).saturating_sub(self.stopped_for);
        match event {
            Event::Output(bytes) => self.output(now, bytes),
            Event::LeaderEnded(exit) => self.leader_ended(now, exit),
            Event::Left(count) => self.left(now, count),
            Event::Time => self.time(now),
            Event::Cancel => self.cancel(at, now),
            Event::HastGone => {
                // Stopped or not: a kill needs no consent, and the clock has to run for the rest.
                let _ = self.go_on(at);
                self.kill(now, Exit::Cancelled)
            }
            Event::Stop => self.stop(at),
            Event::Continue => self.go_on(at),
        }
    }

    fn timeout_at(&self) -> Duration {
        self.limits.timeout
    }

    fn stall_at(&self) -> Option<Duration> {
        self.limits.stall.map(|stall| self.last_output.saturating_add(stall))
    }

    fn output(&mut self, now: Duration, bytes: u64) -> Vec<Action> {
        self.bytes = self.bytes.saturating_add(bytes);
        self.last_output = now;
        // Asking a flooding program to end would let it flood through the grace.
        if self.phase == Phase::Running && self.bytes > self.limits.flood {
            return self.kill(now, Exit::Flooded);
        }
        Vec::new()
    }

    fn leader_ended(&mut self, now: Duration, exit: Exit) -> Vec<Action> {
        self.leader = Leader::Ended;
        if self.phase == Phase::Running {
            let kill_at = now.saturating_add(self.limits.grace.min(LEFTOVER_GRACE));
            self.phase = Phase::Ending { exit, kill_at, leftovers: Leftovers::NotAsked };
        }
        vec![Action::Look]
    }

    fn left(&mut self, now: Duration, count: u32) -> Vec<Action> {
        if self.leader == Leader::Alive || self.phase == Phase::Finished {
            return Vec::new();
        }
        self.left = count;
        self.swept = self.swept.max(count);
        if count == 0 {
            return self.finish();
        }
        match &mut self.phase {
            Phase::Ending { leftovers: leftovers @ Leftovers::NotAsked, .. } => {
                *leftovers = Leftovers::Asked;
                vec![Action::TermAll]
            }
            // What the answer was about may have forked since.
            Phase::Killing { again_at, .. } if now >= *again_at => self.time(now),
            _ => Vec::new(),
        }
    }

    fn time(&mut self, now: Duration) -> Vec<Action> {
        let (timeout_at, stall_at) = (self.timeout_at(), self.stall_at());
        match &mut self.phase {
            Phase::Running if now >= timeout_at => self.ask(now, Exit::TimedOut),
            Phase::Running if stall_at.is_some_and(|stall_at| now >= stall_at) => {
                self.ask(now, Exit::Stalled)
            }
            Phase::Ending { exit, kill_at, .. } if now >= *kill_at => {
                let exit = exit.clone();
                self.kill(now, exit)
            }
            Phase::Killing { give_up_at, .. } if now >= *give_up_at => {
                let count = self.left.max(1);
                self.phase = Phase::Finished;
                vec![Action::Finish(Exit::Leaked(count))]
            }
            Phase::Killing { again_at, .. } if now >= *again_at => {
                *again_at = now.saturating_add(AGAIN);
                vec![Action::KillAll, Action::Look]
            }
            _ => Vec::new(),
        }
    }

    fn ask(&mut self, now: Duration, exit: Exit) -> Vec<Action> {
        let kill_at = now.saturating_add(self.limits.grace);
        self.phase = Phase::Ending { exit, kill_at, leftovers: Leftovers::NotAsked };
        vec![Action::TermGroup]
    }

    /// The first request asks, the second does not.
    fn cancel(&mut self, at: Duration, now: Duration) -> Vec<Action> {
        let mut actions = self.go_on(at);
        match &self.phase {
            Phase::Running => actions.extend(self.ask(now, Exit::Cancelled)),
            Phase::Ending { exit, .. } => {
                let exit = exit.clone();
                actions.extend(self.kill(now, exit));
            }
            Phase::Killing { .. } | Phase::Finished => {}
        }
        actions
    }

    fn kill(&mut self, now: Duration, exit: Exit) -> Vec<Action> {
        let exit = match &self.phase {
            Phase::Running => exit,
            Phase::Ending { exit, .. } => exit.clone(),
            Phase::Killing { .. } | Phase::Finished => return Vec::new(),
        };
        self.phase = Phase::Killing {
            exit,
            again_at: now.saturating_add(AGAIN),
            give_up_at: now.saturating_add(GIVE_UP),
        };
        vec![Action::KillAll, Action::Look]
    }

    fn stop(&mut self, at: Duration) -> Vec<Action> {
        if self.stopped_at.is_some() || self.phase != Phase::Running {
            return Vec::new();
        }
        self.stopped_at = Some(at);
        vec![Action::StopAll]
    }

    fn go_on(&mut self, at: Duration) -> Vec<Action> {
        let Some(since) = self.stopped_at.take() else { return Vec::new() };
        self.stopped_for = self.stopped_for.saturating_add(at.saturating_sub(since));
        vec![Action::ContinueAll]
    }

    fn finish(&mut self) -> Vec<Action> {
        let phase = std::mem::replace(&mut self.phase, Phase::Finished);
        match phase {
            Phase::Ending { exit, .. } | Phase::Killing { exit, .. } => vec![Action::Finish(exit)],
            Phase::Running | Phase::Finished => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
