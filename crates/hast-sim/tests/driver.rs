//! Promises of the driver to every flow, shown with a flow of two numbers that are asked for at the
//! same time.

#![cfg(test)]

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use hast_flow::agents::resume_time::{KnownLimit, ResetSource, ResumeTime};
use hast_flow::driver::{Bounds, Delta, Driver, Facts, Flow, World as Effects};
use hast_flow::ports::Clock;
use hast_flow::roles::{Access, Class, PolicyTable, Row};
use hast_flow::steps::{
    Answer, Call, CallResult, Commit, Effect, EffectResult, Ending, Notice, Step, StepKey, WaitsFor,
};
use hast_flow::store::{DocPath, HistoryClass, Options, Put, Store};
use hast_flow::words::Lang;
use hast_sim::disk::{SimDisk, World};
use jiff::Timestamp;
use jiff::tz::Offset;

const POLICY: PolicyTable = PolicyTable {
    classes: &[Class { path: "*.txt", history: HistoryClass::Once }],
    rows: &[Row { role: "pair", access: Access::Write, path: "*.txt" }],
    riders: &[],
};

struct Pair;

#[derive(Default)]
struct View {
    there: Vec<String>,
    answers: BTreeMap<StepKey, CallResult>,
}

impl Flow for Pair {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, .. } => view.there.push(path.to_string()),
            Delta::Result { key, result: EffectResult::Call(result) } => {
                view.answers.insert((*key).clone(), result.clone());
            }
            _ => {}
        }
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        let missing: Vec<&str> = ["a", "b"]
            .into_iter()
            .filter(|name| !view.there.contains(&format!("{name}.txt")))
            .collect();
        let key = |name: &str| StepKey::new(&["ask", name]);
        for name in &missing {
            if view.answers.contains_key(&key(name)) {
                let path = DocPath::new(&format!("{name}.txt")).unwrap();
                return Step::Commit(Commit {
                    role: "pair",
                    reason: (*name).to_owned(),
                    puts: vec![Put::Create { path, bytes: b"x".to_vec() }],
                    starts: Vec::new(),
                    finishes: vec![key(name)],
                });
            }
        }
        let new = missing.iter().find(|name| !facts.running.contains(&key(name)));
        match new.or(missing.first()) {
            Some(name) => Step::Effect {
                key: key(name),
                effect: Effect::Call(Box::new(Call::new("pair", "ask", name, String::new()))),
            },
            None => {
                Step::Finish(Ending::Done(Notice { what: "both".to_owned(), next: String::new() }))
            }
        }
    }
}

/// Gives what it is told to give, in the order that it is told.
#[derive(Default)]
struct Told {
    begun: Vec<String>,
    running: Vec<StepKey>,
    answers: VecDeque<(&'static str, CallResult)>,
    cancelled: u32,
}

impl Effects for Told {
    fn begin(&mut self, key: &StepKey, _: &Effect) {
        self.begun.push(key.to_string());
        self.running.push(key.clone());
    }

    fn next(&mut self) -> Option<(StepKey, EffectResult)> {
        if self.cancelled > 0 {
            let key = self.running.pop()?;
            return Some((key, EffectResult::Call(CallResult::Cancelled)));
        }
        let (name, result) = self.answers.pop_front()?;
        let key = StepKey::new(&["ask", name]);
        self.running.retain(|running| *running != key);
        Some((key, EffectResult::Call(result)))
    }

    fn cancel(&mut self) {
        self.cancelled += 1;
    }
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

fn yes() -> CallResult {
    CallResult::Completed(Answer::default())
}

fn limited() -> CallResult {
    let until = "2026-01-12T20:00:00Z".parse().unwrap();
    let limit = KnownLimit { until, source: ResetSource::Agent };
    let now = "2026-01-12T17:30:00+00:00".parse().unwrap();
    CallResult::Limited { agent: "claude".to_owned(), until: ResumeTime { limit, now } }
}

fn drive(world: &Rc<RefCell<World>>, told: &mut Told) -> Ending {
    let disk = SimDisk::start(world);
    let process = disk.process();
    let options = Options { journal_area: 32 << 10, ..Options::default() };
    let (store, _) = Store::open(disk, options).unwrap();
    let mut driver = Driver::new(&Pair, store, &Still, Lang::En, Bounds::default()).unwrap();
    let ending = driver.drive(told).unwrap();
    drop(driver);
    world.borrow_mut().exit(process);
    ending
}

fn told(answers: &[(&'static str, CallResult)]) -> Told {
    Told { answers: answers.iter().cloned().collect(), ..Told::default() }
}

#[test]
fn two_effects_are_on_their_way_at_once_and_come_home_in_any_order() {
    for order in [["a", "b"], ["b", "a"]] {
        let world = Rc::new(RefCell::new(World::new(1)));
        let mut told = told(&order.map(|name| (name, yes())));
        assert!(matches!(drive(&world, &mut told), Ending::Done(_)));
        assert_eq!(told.begun, ["ask/a", "ask/b"]);
        assert_eq!(world.borrow().documents().len(), 2);
    }
}

#[test]
fn a_limit_ends_the_drive_spends_nothing_and_lets_the_others_come_home() {
    let world = Rc::new(RefCell::new(World::new(1)));
    let mut first = told(&[("a", limited()), ("b", yes())]);
    let Ending::Waiting { notice, on } = drive(&world, &mut first) else { panic!() };
    assert!(notice.next.contains("after 20:00 (in 2 h 30 min)"), "{notice:?}");
    assert_eq!(on, WaitsFor::Time("2026-01-12T20:00:00Z".parse().unwrap()));
    assert_eq!(first.cancelled, 0);
    assert_eq!(world.borrow().documents().keys().collect::<Vec<_>>(), ["b.txt"]);
    let mut second = told(&[("a", yes())]);
    assert!(matches!(drive(&world, &mut second), Ending::Done(_)));
    assert_eq!(second.begun, ["ask/a"]);
}

#[test]
fn an_interruption_ends_everything_that_is_on_its_way() {
    let world = Rc::new(RefCell::new(World::new(1)));
    let mut told = told(&[("a", CallResult::Cancelled)]);
    assert!(matches!(drive(&world, &mut told), Ending::Interrupted(_)));
    assert!(told.cancelled > 0 && told.running.is_empty());
    assert!(world.borrow().documents().is_empty());
}

#[test]
fn a_missing_login_stops_at_once_with_the_agents_own_advice() {
    let world = Rc::new(RefCell::new(World::new(1)));
    let advice = "run `claude /login`".to_owned();
    let login = CallResult::LoginNeeded { agent: "claude".to_owned(), advice };
    let mut told = told(&[("a", login), ("b", yes())]);
    let Ending::Blocked(notice) = drive(&world, &mut told) else { panic!() };
    assert!(notice.what.contains("claude /login"), "{notice:?}");
}
