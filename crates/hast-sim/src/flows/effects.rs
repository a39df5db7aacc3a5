//! Agents, tools and people around a running driver: several effects on their way, results that come
//! home in the order of the seed, limits, logins, hanging, interruptions, and a second driver.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::agents::resume_time::{KnownLimit, ResetSource, ResumeTime};
use hast_flow::driver::World;
use hast_flow::formats::ndjson;
use hast_flow::ports::Clock;
use hast_flow::step_log::{StepLine, StepState};
use hast_flow::steps::{CallResult, Effect, EffectResult, Ending, StepKey};
use hast_flow::store::StoreError;
use hast_flow::store::change::steps_log;
use hast_flow::time::{OffsetTime, UtcTime};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::subject::Subject;
use crate::disk::World as Machine;
use crate::rng::Rng;

/// What outlives a process: how often each step was begun, and what went on.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) begun: RefCell<BTreeMap<String, u32>>,
    pub(super) moods: RefCell<BTreeMap<&'static str, u64>>,
    pub(super) effects: Cell<u64>,
    pub(super) looks: Cell<u64>,
    /// What a person does to the running program happens once, in whichever life.
    pub(super) disturbed: Cell<bool>,
    /// The last look at the clock before which the first driver may not know of the second's work.
    pub(super) unread: Cell<u64>,
    /// The first broken promise.
    pub(super) broken: RefCell<Option<String>>,
    /// How each process ended, for whoever replays one case.
    pub(super) lives: RefCell<Vec<String>>,
}

impl Ledger {
    pub(super) fn mood(&self, mood: &'static str) {
        *self.moods.borrow_mut().entry(mood).or_default() += 1;
    }

    pub(super) fn lived(&self, life: u32, ended: Result<&Ending, &StoreError>) {
        let ended = match ended {
            Ok(ending) => format!("{ending:?}"),
            Err(error) => format!("error: {error}"),
        };
        self.lives.borrow_mut().push(format!("process {life}: {ended}"));
    }

    pub(super) fn breaks(&self, why: String) {
        self.broken.borrow_mut().get_or_insert(why);
    }
}

/// A step whose end is in the log was begun again.
pub(super) fn begun_after_its_end(log: &[u8], key: &StepKey) -> Result<(), String> {
    let (lines, _) = ndjson::read::<StepLine>("steps.ndjson", log);
    let ended = lines.iter().any(|line| line.step == *key && line.state == StepState::Finished);
    if ended { Err(format!("{key} was performed after its result was used")) } else { Ok(()) }
}

/// What a person does to a running program at its n-th effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disturbance {
    None,
    Interrupt {
        at: u64,
    },
    Second {
        at: u64,
    },
    /// At the n-th look at the clock.
    Meanwhile {
        at: u64,
    },
}

pub(super) struct Effects<'s, S: Subject> {
    pub(super) subject: &'s S,
    pub(super) machine: Rc<RefCell<Machine>>,
    pub(super) ledger: &'s Ledger,
    pub(super) seed: u64,
    pub(super) chance: Rng,
    pub(super) disturbance: Disturbance,
    /// Starts a second driver and lets it work for a while.
    pub(super) second: &'s dyn Fn(&mut Rng),
    pub(super) running: Vec<(StepKey, Effect)>,
    pub(super) cancelled: bool,
}

impl<S: Subject> World for Effects<'_, S> {
    fn begin(&mut self, key: &StepKey, effect: &Effect) {
        let log = self.machine.borrow().content(&steps_log()).map(<[u8]>::to_vec);
        if let Err(why) = begun_after_its_end(&log.unwrap_or_default(), key)
            && !self.subject.starts_anew(key, &self.machine.borrow().all_files())
        {
            self.ledger.breaks(why);
        }
        if self.running.iter().any(|(running, _)| running == key) {
            self.ledger.breaks(format!("{key} is on its way twice"));
        }
        *self.ledger.begun.borrow_mut().entry(key.to_string()).or_default() += 1;
        self.ledger.effects.set(self.ledger.effects.get() + 1);
        self.running.push((key.clone(), effect.clone()));
    }

    fn next(&mut self) -> Option<(StepKey, EffectResult)> {
        let number = self.ledger.effects.get();
        let due = !self.ledger.disturbed.get();
        match self.disturbance {
            Disturbance::Second { at } if due && number >= at => {
                self.ledger.disturbed.set(true);
                self.ledger.mood("second driver");
                let mut chance = self.chance.fork(number);
                (self.second)(&mut chance);
            }
            Disturbance::Interrupt { at } if due && number >= at => {
                self.ledger.disturbed.set(true);
                self.cancelled = true;
                self.ledger.mood("interrupted");
            }
            _ => {}
        }
        if self.running.is_empty() {
            return None;
        }
        let awake: Vec<usize> =
            (0..self.running.len()).filter(|&index| !self.hangs(index)).collect();
        if self.cancelled || awake.is_empty() {
            if awake.is_empty() && !self.cancelled {
                // Whoever waits for an agent that hangs loses patience.
                self.ledger.mood("hung");
            }
            let (key, _) = self.running.remove(0);
            return Some((key, EffectResult::Call(CallResult::Cancelled)));
        }
        let chosen = awake[self.chance.below(awake.len())];
        let (key, effect) = self.running.remove(chosen);
        let result = self.result(&key, &effect);
        Some((key, result))
    }

    fn cancel(&mut self) {
        self.cancelled = true;
    }
}

impl<S: Subject> Effects<'_, S> {
    /// What an agent does instead of answering, the first time it is asked.
    fn first_time(&self, key: &StepKey, effect: &Effect) -> Option<usize> {
        let times = self.ledger.begun.borrow().get(key.as_str()).copied().unwrap_or(0);
        let mut chance = spread(self.seed ^ 0x5eed_5eed, key);
        let whim = chance.below(25);
        (times == 1 && whim < 4 && matches!(effect, Effect::Call(_))).then_some(whim)
    }

    fn hangs(&self, index: usize) -> bool {
        let (key, effect) = &self.running[index];
        self.first_time(key, effect) == Some(0)
    }

    fn result(&self, key: &StepKey, effect: &Effect) -> EffectResult {
        let agent = "actor".to_owned();
        let whim = match self.first_time(key, effect) {
            Some(1) => {
                self.ledger.mood("limited");
                let now = OffsetTime::new(Timestamp::UNIX_EPOCH, Offset::UTC);
                let until = UtcTime::new(Timestamp::UNIX_EPOCH);
                let limit = KnownLimit { until, source: ResetSource::Agent };
                CallResult::Limited { agent, until: ResumeTime { limit, now } }
            }
            Some(2) => {
                self.ledger.mood("login");
                CallResult::LoginNeeded { agent, advice: "log in".to_owned() }
            }
            Some(3) => {
                self.ledger.mood("not started");
                let (reason, next) = ("no such program".to_owned(), "install it".to_owned());
                CallResult::NotStarted { reason, next }
            }
            _ => {
                let performed = self.subject.perform(key, effect);
                self.ledger.mood(performed.mood);
                return performed.result;
            }
        };
        EffectResult::Call(whim)
    }
}

/// Random numbers that follow from a seed and a step.
pub(crate) fn spread(seed: u64, key: &StepKey) -> Rng {
    let bytes = key.as_str().bytes();
    Rng::new(bytes.fold(seed, |hash, byte| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte)))
}

/// A clock that stands still, or moves with every operation of the disk, over midnight too.
pub(super) struct SimClock<'r> {
    pub(super) machine: Rc<RefCell<Machine>>,
    pub(super) moves: bool,
    /// Called at each look: the driver has read, and holds no lock.
    pub(super) meanwhile: &'r dyn Fn(),
}

impl Clock for SimClock<'_> {
    fn now(&self) -> Timestamp {
        (self.meanwhile)();
        let start = Timestamp::from_second(1_768_228_200).unwrap_or_default();
        if !self.moves {
            return start;
        }
        let operations = i64::try_from(self.machine.borrow().operations).unwrap_or(0);
        let evening = SignedDuration::from_mins(9 * 60 + 15);
        start + evening + SignedDuration::from_secs(operations)
    }

    fn local_offset(&self, _: Timestamp) -> Offset {
        Offset::UTC
    }
}
