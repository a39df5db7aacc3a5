//! A sixth flow in one file: it counts to five, asking the world for each number. Nothing else in
//! the program knows of it, and it survives death at every operation.

#![cfg(test)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::driver::{Bounds, Delta, Driver, Facts, Flow, InTurn};
use hast_flow::ports::Clock;
use hast_flow::roles::{Access, Class, PolicyTable, Row};
use hast_flow::steps::{Commit, Effect, EffectResult, Ending, Notice, Step, StepKey, ToolUse};
use hast_flow::store::change::steps_log;
use hast_flow::store::{ChangeSet, DocPath, HistoryClass, Options, Put, Store};
use hast_flow::words::Lang;
use hast_sim::disk::{Fault, FaultKind, SimDisk, World};
use jiff::Timestamp;
use jiff::tz::Offset;

const POLICY: PolicyTable = PolicyTable {
    classes: &[Class { path: "numbers.txt", history: HistoryClass::Append }],
    rows: &[Row { role: "counter", access: Access::Write, path: "numbers.txt" }],
    riders: &[],
};

struct Counting;

#[derive(Default)]
struct View {
    lines: usize,
    length: Option<u64>,
    answer: Option<(StepKey, Vec<u8>)>,
}

impl Flow for Counting {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        match delta {
            Delta::Document { bytes, .. } | Delta::Appended { bytes, .. } => {
                view.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
                view.length = Some(view.length.unwrap_or(0) + bytes.len() as u64);
                view.answer = None;
            }
            Delta::Result { key, result: EffectResult::Tools(answers) } => {
                let answer = answers.first().and_then(|answer| answer.clone().ok());
                view.answer = answer.map(|bytes| ((*key).clone(), bytes));
            }
            Delta::Result { .. } | Delta::Gone { .. } => {}
        }
    }

    fn next_step(&self, view: &View, _: &Facts<'_>) -> Step {
        if view.lines == 5 {
            let notice = Notice { what: "counted".to_owned(), next: "read numbers.txt".to_owned() };
            return Step::Finish(Ending::Done(notice));
        }
        let key = StepKey::new(&["count", &view.lines.to_string()]);
        let Some((answered, bytes)) = &view.answer else {
            let tool = ToolUse { name: "number".to_owned(), args: serde_json::Map::new() };
            return Step::Effect { key, effect: Effect::Tools(vec![tool]) };
        };
        let (path, bytes) = (DocPath::new("numbers.txt").unwrap(), bytes.clone());
        let put = match view.length {
            Some(at) => Put::Append { path, at, bytes },
            None => Put::Create { path, bytes },
        };
        Step::Commit(Commit {
            role: "counter",
            reason: "a number".to_owned(),
            puts: vec![put],
            starts: Vec::new(),
            finishes: vec![answered.clone()],
        })
    }
}

/// Says the number that the step is about, however often it is asked.
fn number(key: &StepKey, _: &Effect) -> EffectResult {
    let number = key.as_str().rsplit('/').next().unwrap();
    EffectResult::Tools(vec![Ok(format!("{number}\n").into_bytes())])
}

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
                Driver::new(&Counting, store, &Still, Lang::En, Bounds::default())
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
    let mut driver = Driver::new(&Counting, store, &Still, Lang::En, Bounds::default()).unwrap();
    let mut effects = Disturbed { world: Rc::clone(&world), performed: Vec::new() };
    let mut perform = InTurn::new(|key: &_, effect: &_| effects.perform(key, effect));
    assert!(matches!(driver.drive(&mut perform), Ok(Ending::Done(_))));
    assert_eq!(effects.performed, ["count/0", "count/1", "count/2", "count/3", "count/4"]);
    assert_eq!(world.borrow().documents()["numbers.txt"], b"0\n1\n2\n3\n4\n");
}

fn small() -> Options {
    Options { journal_area: 32 << 10, ..Options::default() }
}
