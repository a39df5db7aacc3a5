//! A sixth flow is one file (`flows/counting.rs`): nothing else in the program knows of it, and it
//! survives death at every operation.

#![cfg(test)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::driver::{Bounds, Driver, InTurn};
use hast_flow::ports::Clock;
use hast_flow::steps::{Effect, EffectResult, Ending, StepKey};
use hast_flow::store::change::steps_log;
use hast_flow::store::{ChangeSet, Options, Put, Store};
use hast_flow::words::Lang;
use hast_sim::disk::{Fault, FaultKind, SimDisk, World};
use hast_sim::flows::counting::{CountingFlow, POLICY, number};
use jiff::Timestamp;
use jiff::tz::Offset;

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn local_offset(&self, _: Timestamp) -> Offset {
        Offset::UTC
    }
}

fn run(fault: Option<Fault>) -> (BTreeMap<String, Vec<u8>>, u64) {
    let world = Rc::new(RefCell::new(World::new(7)));
    if let Some(fault) = fault {
        world.borrow_mut().plan_fault(fault);
    }
    for _ in 0..5 {
        let disk = SimDisk::start(&world);
        let process = disk.process();
        let ended = Store::open(disk, small())
            .and_then(|(store, _)| {
                Driver::new(&CountingFlow, store, &Still, Lang::En, Bounds::default())
            })
            .and_then(|mut driver| driver.drive(&mut InTurn::new(number)));
        world.borrow_mut().exit(process);
        if matches!(ended, Ok(Ending::Done(_))) {
            let state = world.borrow();
            return (state.documents(), state.operations);
        }
        world.borrow_mut().cut_power();
    }
    panic!("it never ends: {fault:?}");
}

#[test]
fn a_flow_is_one_folder_and_survives_a_power_cut_at_every_operation() {
    let (calm, operations) = run(None);
    assert_eq!(calm["numbers.txt"], b"0\n1\n2\n3\n4\n");
    for at in 1..operations {
        for kind in [FaultKind::DieBefore, FaultKind::DieAfter] {
            assert_eq!(run(Some(Fault { at, kind })).0, calm, "{kind:?} at {at}");
        }
    }
}

/// As [`number`], but while it answers, another process writes to the same root.
struct Disturbed {
    world: Rc<RefCell<World>>,
    performed: Vec<String>,
}

impl Disturbed {
    fn perform(&mut self, key: &StepKey, effect: &Effect) -> EffectResult {
        self.performed.push(key.to_string());
        let disk = SimDisk::start(&self.world);
        let process = disk.process();
        let (mut other, _) = Store::open(disk, small()).unwrap();
        let (bytes, _) = other.read(&steps_log()).unwrap().unwrap();
        let line = format!(
            "{{\"step\":\"other/{}\",\"state\":\"started\",\"at\":\"2026-01-12T14:30:00Z\"}}\n",
            self.performed.len()
        );
        let put =
            Put::Append { path: steps_log(), at: bytes.len() as u64, bytes: line.into_bytes() };
        other.commit(ChangeSet::new("other", "a note").put(put), &POLICY).unwrap();
        self.world.borrow_mut().exit(process);
        number(key, effect)
    }
}

#[test]
fn a_result_that_was_paid_for_survives_a_stale_commit() {
    let world = Rc::new(RefCell::new(World::new(7)));
    let (store, _) = Store::open(SimDisk::start(&world), small()).unwrap();
    let mut driver =
        Driver::new(&CountingFlow, store, &Still, Lang::En, Bounds::default()).unwrap();
    let mut effects = Disturbed { world: Rc::clone(&world), performed: Vec::new() };
    let mut perform = InTurn::new(|key: &_, effect: &_| effects.perform(key, effect));
    assert!(matches!(driver.drive(&mut perform), Ok(Ending::Done(_))));
    assert_eq!(effects.performed, ["count/0", "count/1", "count/2", "count/3", "count/4"]);
    assert_eq!(world.borrow().documents()["numbers.txt"], b"0\n1\n2\n3\n4\n");
}

fn small() -> Options {
    Options { journal_area: 32 << 10, ..Options::default() }
}
