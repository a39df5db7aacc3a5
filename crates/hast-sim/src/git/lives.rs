//! A unit that works in a repository lives until it has ended, however often it dies on the way: one
//! disk, one work tree, one blow, and the user's files looked at after each life.

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::driver::{self, Bounds, Driver, Flow, InTurn};
use hast_flow::ports::Clock;
use hast_flow::steps::{Effect, EffectResult, Ending, StepKey};
use hast_flow::store::{Options, Store, StoreError};
use hast_flow::words::Lang;
use jiff::Timestamp;
use jiff::tz::Offset;

use super::{Machine, SimWorkspace};
use crate::disk::{Fault, SimDisk, World};
use crate::flows::{Blow, Case, Report};
use crate::rng::Rng;

const MOST_LIVES: u32 = 12;

/// Death and power cut around an operation, and one that is refused.
pub(crate) const BLOWS: [Blow; 5] =
    [Blow::KillBefore, Blow::KillAfter, Blow::PowerBefore, Blow::PowerAfter, Blow::Full];

/// What outlasts a process.
pub(crate) struct Place {
    pub(crate) world: Rc<RefCell<World>>,
    pub(crate) machine: Rc<RefCell<Machine>>,
}

pub(crate) enum Life {
    Ended(&'static str),
    /// Dead, refused, or unable to go on.
    Stuck(String),
}

impl Place {
    /// One process that does one thing after the other, from its start to its end or death.
    pub(crate) fn live<F: Flow, P: FnMut(&StepKey, &Effect) -> EffectResult>(
        &self,
        flow: &F,
        steps: u64,
        hands: impl FnOnce(SimWorkspace) -> P,
    ) -> Result<Ending, StoreError> {
        self.live_in(flow, steps, |workspace| InTurn::new(hands(workspace)))
    }

    /// The same with whoever performs effects.
    pub(crate) fn live_in<F: Flow, W: driver::World>(
        &self,
        flow: &F,
        steps: u64,
        hands: impl FnOnce(SimWorkspace) -> W,
    ) -> Result<Ending, StoreError> {
        let disk = SimDisk::start(&self.world);
        let process = disk.process();
        let mut hands = hands(SimWorkspace::of(&self.machine, &self.world, process));
        let options = Options { journal_area: 64 << 10, ..Options::default() };
        let driven = Store::open(disk, options).and_then(|(store, _)| {
            let bounds = Bounds { steps, stale: 4 };
            let mut driver = Driver::new(flow, store, &Still, Lang::En, bounds)?;
            driver.drive(&mut hands)
        });
        self.world.borrow_mut().exit(process);
        driven
    }
}

/// Lives until it has ended, and says how; or what was lost, or that it never ends.
pub(crate) fn outlive(
    case: Case,
    machine: Machine,
    users: &[(&str, &str)],
    report: &mut Report,
    live: impl Fn(&Place, &mut u64) -> Life,
) -> Result<(Place, &'static str), String> {
    let Case { seed, blow, at, .. } = case;
    report.runs += 1;
    if let Some(blow) = blow {
        *report.blows.entry(blow.as_str()).or_default() += 1;
    }
    let (world, machine) = (World::new(seed), RefCell::new(machine));
    let place = Place { world: Rc::new(RefCell::new(world)), machine: Rc::new(machine) };
    if let Some(kind) = blow.and_then(Blow::fault) {
        place.world.borrow_mut().plan_fault(Fault { at, kind });
    }
    for life in 0..MOST_LIVES {
        let ended = live(&place, &mut report.effects);
        for (path, text) in users {
            let there = place.machine.borrow().files.get(*path).map(|now| now == text.as_bytes());
            if there != Some(true) {
                return Err(format!("the user's {path} is lost"));
            }
        }
        match ended {
            Life::Ended(ending) => return Ok((place, ending)),
            Life::Stuck(why) if place.world.borrow().faults_left() == 0 && life > 2 => {
                return Err(why);
            }
            Life::Stuck(_) => report.crashes += 1,
        }
        if blow.is_some_and(Blow::cuts_power) {
            place.world.borrow_mut().cut_power();
            let mut rng = Rng::new(seed).fork(at);
            place.machine.borrow_mut().cut_power(&mut rng);
        }
    }
    Err("it never ends".to_owned())
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(1_768_228_200).unwrap_or_default()
    }

    fn local_offset(&self, _: Timestamp) -> Offset {
        Offset::UTC
    }
}
