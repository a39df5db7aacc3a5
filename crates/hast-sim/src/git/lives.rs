//! A unit that works in a repository lives until it has ended, however often it dies on the way: one
//! disk, one work tree, one blow, and the user's files looked at after each life.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use hast_flow::driver::{self, Bounds, Driver, Flow, InTurn};
use hast_flow::ports::Clock;
use hast_flow::steps::{Effect, EffectResult, Ending, StepKey};
use hast_flow::store::disk::{Disk as _, DiskError, Open};
use hast_flow::store::{DocPath, Options, Store, StoreError};
use hast_flow::words::Lang;
use jiff::Timestamp;
use jiff::tz::Offset;

use super::{Machine, SimWorkspace};
use crate::disk::{Fault, SimDisk, World};
use crate::flows::person::Person;
use crate::flows::{Blow, Case, Report};
use crate::rng::Rng;

const MOST_LIVES: u32 = 12;

/// Death and power cut around an operation, one that is refused, and a person who spoils a document.
pub(crate) const BLOWS: [Blow; 6] = [
    Blow::KillBefore,
    Blow::KillAfter,
    Blow::PowerBefore,
    Blow::PowerAfter,
    Blow::Full,
    Blow::EditAny,
];

/// What outlasts a process.
pub(crate) struct Place {
    pub(crate) world: Rc<RefCell<World>>,
    pub(crate) machine: Rc<RefCell<Machine>>,
    pub(crate) person: Person,
    /// Documents that the flow has looked at.
    read: RefCell<BTreeSet<DocPath>>,
}

pub(crate) enum Life {
    Ended(&'static str),
    /// Dead, refused, or unable to go on.
    Stuck(String),
}

impl Place {
    pub(crate) fn new(
        world: Rc<RefCell<World>>,
        machine: Rc<RefCell<Machine>>,
        person: Person,
    ) -> Self {
        Self { world, machine, person, read: RefCell::default() }
    }

    /// Files that are there before anything else happens.
    pub(crate) fn bring(&self, files: &[(&str, &str)]) {
        let disk = SimDisk::start(&self.world);
        for (name, text) in files {
            let Ok(path) = DocPath::new(name) else { continue };
            if let Ok(file) = disk.open(&path, Open::CreateNew) {
                let _: Result<(), DiskError> = disk.write_at(&file, 0, text.as_bytes());
            }
        }
        let _: Result<(), DiskError> = disk.sync_all();
        self.world.borrow_mut().exit(disk.process());
    }

    /// The blow of a case, and whatever a person does.
    pub(crate) fn plan(&self, case: Case, report: &mut Report) {
        report.begins(case, self.person.edit.as_ref());
        if let Some(kind) = case.blow.and_then(Blow::fault) {
            self.world.borrow_mut().plan_fault(Fault { at: case.at, kind });
        }
        self.person.plan(case.at, &self.world);
    }

    pub(crate) fn read(&self) -> Vec<DocPath> {
        self.read.borrow().iter().cloned().collect()
    }

    /// Documents that are there and that the flow looks at, and those that it rests on.
    fn note_read<F: Flow>(&self, flow: &F, view: &F::View) {
        let there = self.world.borrow().documents();
        let there = there.keys().filter_map(|path| DocPath::new(path).ok()).filter(|path| {
            path.ancestors().all(|dir| flow.reads(&dir, true)) && flow.reads(path, false)
        });
        self.read.borrow_mut().extend(there.chain(flow.rests_on(view)));
    }

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
            let ending = driver.drive(&mut hands);
            self.note_read(flow, driver.view());
            ending
        });
        self.world.borrow_mut().exit(process);
        driven
    }
}

/// Begins with some files and documents, lives until it has ended, and says how; or what was lost, or that it never ends.
pub(crate) fn outlive(
    case: Case,
    machine: Machine,
    users: &[(&str, &str)],
    documents: &[(&str, &str)],
    person: Person,
    report: &mut Report,
    live: impl Fn(&Place, &mut u64) -> Life,
) -> Result<(Place, &'static str), String> {
    let Case { seed, blow, at, .. } = case;
    let (world, machine) = (World::new(seed), RefCell::new(machine));
    let place = Place::new(Rc::new(RefCell::new(world)), Rc::new(machine), person);
    place.bring(documents);
    place.plan(case, report);
    for life in 0..MOST_LIVES {
        let ended = live(&place, &mut report.effects);
        for (path, text) in users {
            let there = place.machine.borrow().files.get(*path).map(|now| now == text.as_bytes());
            if there != Some(true) {
                return Err(format!("the user's {path} is lost"));
            }
        }
        match ended {
            Life::Ended(ending) => {
                place.person.edit_is_kept(&place.world.borrow())?;
                return Ok((place, ending));
            }
            Life::Stuck(why) if place.person.is_told(&why) => {
                if place.person.gives_up() {
                    return Ok((place, "told"));
                }
                place.person.put_right(&place.world);
            }
            Life::Stuck(why) if place.world.borrow().faults_left() == 0 && life > 2 => {
                if place.person.may_stay(&why) {
                    place.person.edit_is_kept(&place.world.borrow())?;
                    return Ok((place, "told"));
                }
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
