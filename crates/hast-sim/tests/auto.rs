//! `auto` under the real driver, on a simulated disk and a simulated work tree.

#![cfg(test)]

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::recovery::{From, Place};
use hast_flow::attempt::settle::Commits;
use hast_flow::attempt::workspace::perform;
use hast_flow::driver::{Bounds, Driver, InTurn};
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, Settings};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::leases::LeaseResult;
use hast_flow::ports::Clock;
use hast_flow::steps::{Answer, CallResult, Effect, EffectResult, Ending};
use hast_flow::store::disk::Open;
use hast_flow::store::{Disk, DocPath, Options, Store};
use hast_flow::words::Lang;
use hast_sim::disk::{SimDisk, World};
use hast_sim::git::{Machine, SimWorkspace};
use jiff::Timestamp;
use jiff::tz::Offset;

const GOALS: &str = "goals:\n  - id: M1\n    title: Login\n    status: active\n  - id: M2\n    title: Logout\n    status: active\n";

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        "2026-02-09T05:30:00Z".parse().unwrap()
    }

    fn local_offset(&self, _: Timestamp) -> Offset {
        Offset::UTC
    }
}

fn flow() -> AutoFlow {
    AutoFlow {
        run: "run-1".into(),
        asked: Asked { goal: None, depth: Depth::Leaves },
        settings: Settings {
            test_command: "true".into(),
            timeout_minutes: 30,
            max_retries: 3,
            max_context_bytes: 120_000,
            commits: Commits::Auto,
            protect: Vec::new(),
            other_roots: Vec::new(),
            max_saved_file_bytes: 1 << 20,
            max_saved_bytes: 1 << 30,
            offset: Offset::UTC,
        },
        lock: None,
        not_ready: None,
        place: Place::InPlace,
        from: From::Base,
        cut_off: CutOff::Interruption,
    }
}

fn put(disk: &SimDisk, name: &str, text: &str) {
    let file = disk.open(&DocPath::new(name).unwrap(), Open::CreateNew).unwrap();
    disk.write_at(&file, 0, text.as_bytes()).unwrap();
}

/// An agent that writes code and a handoff. Its code for the first goal is wrong at first: the tests
/// find the word `bug`.
fn work(machine: &Rc<RefCell<Machine>>, goal: &str, attempt: u32, handoff: &str) {
    let text = format!(
        "---\ntimestamp: \"2026-02-09T05:30:00+00:00\"\nstatus: complete\ngoal_id: {goal}\n---\n\n## Done\n- it\n"
    );
    let code = if goal == "M1" && attempt == 1 { "bug" } else { "fine" };
    let mut machine = machine.borrow_mut();
    machine.files.insert(format!("src/{goal}.py"), code.as_bytes().to_vec());
    machine.files.insert(handoff.to_owned(), text.into_bytes());
}

#[test]
fn a_run_over_two_goals_one_of_them_wrong_at_first_ends_with_both_committed() {
    let machine = Rc::new(RefCell::new(Machine::new(&[(".ai/goals.yaml", GOALS), ("a.py", "1")])));
    let world = Rc::new(RefCell::new(World::new(1)));
    let disk = SimDisk::start(&world);
    put(&disk, "goals.yaml", GOALS);
    put(&disk, "rules.md", "- rules\n");
    let options = Options { journal_area: 32 << 10, ..Options::default() };
    let (store, _) = Store::open(disk, options).unwrap();
    let flow = flow();
    let mut driver = Driver::new(&flow, store, &Still, Lang::En, Bounds::default()).unwrap();
    let mut git = SimWorkspace::new(&machine);
    let mut effects = InTurn::new(|_, effect: &Effect| match effect {
        Effect::Git(step) => EffectResult::Git(perform(&mut git, step)),
        Effect::Call(call) => {
            let handoff = call.handoff_path.clone().unwrap();
            work(&machine, &call.unit, call.attempt, &handoff);
            EffectResult::Call(CallResult::Completed(Answer::default()))
        }
        Effect::Check(_) => {
            let red = machine.borrow().files.values().any(|bytes| bytes == b"bug");
            let end = if red { TestEnd::Red { code: 1 } } else { TestEnd::Green };
            EffectResult::Check(TestRun { end, tail: String::new(), counted: Default::default() })
        }
        Effect::Lease(_) => EffectResult::Lease(LeaseResult::Held { fence: 1 }),
        Effect::Tools(_) | Effect::Scan(_) | Effect::Worktree(_) | Effect::Within { .. } => {
            panic!("auto in place uses no tools and no work trees")
        }
    });
    let ending = driver.drive(&mut effects).unwrap();
    drop(driver);
    let Ending::Done(notice) = ending else { panic!("{ending:?}") };
    assert!(notice.what.contains("M1, M2"), "{notice:?}");
    let machine = machine.borrow();
    let history = machine.history();
    let feats: Vec<_> = history.iter().filter(|message| message.starts_with("feat(")).collect();
    assert_eq!(feats.len(), 2, "{history:?}");
    assert!(machine.refs.contains_key("refs/hast/attempts/M1/1"), "the wrong one is saved");
    assert_eq!(machine.files["src/M1.py"], b"fine");
    let documents = world.borrow().documents();
    let goals = String::from_utf8(documents["goals.yaml"].clone()).unwrap();
    assert_eq!(goals, GOALS.replace("active", "done"));
}
