//! One process of `auto`, or of `retry`, from its start to its end or death.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hast_flow::attempt::recovery::{From, Place as Isolation};
use hast_flow::attempt::settle::Commits;
use hast_flow::docs::goals::{GoalsEvent, GoalsEventKind as Kind};
use hast_flow::driver::Flow;
use hast_flow::flows::goals::auto::retry::{Attempts, RetryFlow};
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, Settings};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::steps::{Effect, Ending, StepKey};
use hast_flow::store::{DocPath, StoreError};
use jiff::tz::Offset;
use serde_json::Value;

use super::agent::Hands;
use super::laws::EVENTS;
use crate::disk::World;
use crate::flows::holding::log;
use crate::flows::subject::Files;
use crate::git::lives::Place;
use crate::git::{Machine, SimWorkspace};

const MOST_STEPS: u64 = 2_000;

/// A root with its repository, over all lives.
pub(super) struct Project {
    pub(super) place: Place,
    pub(super) seed: u64,
    pub(super) left: Vec<BTreeMap<String, Vec<u8>>>,
    pub(super) effects: u64,
    pub(super) lives: u32,
    /// What the work tree was last told of the goals.
    told: Option<Vec<u8>>,
}

pub(super) type Lived = Result<Ending, StoreError>;

impl Project {
    pub(super) fn new(place: Place, seed: u64) -> Self {
        Self { place, seed, left: Vec::new(), effects: 0, lives: 0, told: None }
    }

    pub(super) fn documents(&self) -> Files {
        self.place.world.borrow().all_files()
    }

    /// `hast auto --recursive`, or `hast auto GOAL --continue`.
    pub(super) fn auto(&mut self, continued: Option<&str>) -> Lived {
        self.lives += 1;
        let flow = AutoFlow {
            run: format!("run-{}", self.lives),
            asked: Asked { goal: continued.map(str::to_owned), depth: Depth::Leaves },
            settings: settings(),
            lock: None,
            not_ready: None,
            place: Isolation::InPlace,
            from: if continued.is_some() { From::KeptWork } else { From::Base },
            cut_off: CutOff::Interruption,
        };
        self.live(&flow)
    }

    /// `hast retry GOAL --no-run --keep-attempts`.
    pub(super) fn retry(&mut self, goal: &str) -> Lived {
        let committing = Some(settings().tree_rules());
        self.live(&RetryFlow { goal: goal.to_owned(), attempts: Attempts::Keep, committing })
    }

    fn live<F: Flow>(&mut self, flow: &F) -> Lived {
        let Self { place, seed, left, effects, told, .. } = self;
        let (world, machine) = (Rc::clone(&place.world), Rc::clone(&place.machine));
        place.live(flow, MOST_STEPS, |workspace: SimWorkspace| {
            move |_: &StepKey, effect: &Effect| {
                *effects += 1;
                tell_goals(&world, &machine, told);
                let documents = world.borrow().all_files();
                let judged = |goal: &str| judged(&documents, goal);
                let workspace = workspace.clone();
                Hands { workspace, seed: *seed, judged: &judged, left }.perform(effect)
            }
        })
    }
}

/// The goals are one file, seen by the store and by git.
fn tell_goals(world: &RefCell<World>, machine: &RefCell<Machine>, told: &mut Option<Vec<u8>>) {
    let path = DocPath::new("goals.yaml").ok();
    let now = path.and_then(|path| world.borrow().content(&path).map(<[u8]>::to_vec));
    if now != *told
        && let Some(text) = now.clone()
    {
        machine.borrow_mut().files.insert(".ai/goals.yaml".to_owned(), text);
        *told = now;
    }
}

/// How often a goal was judged, and whether a person gave it back after it was blocked by a gate.
fn judged(documents: &Files, goal: &str) -> (u64, bool) {
    let (events, _) = log::<GoalsEvent>(documents, EVENTS);
    let (mut count, mut blocked, mut given_back) = (0, false, false);
    for event in events {
        let text = |key: &str| event.detail.get(key).and_then(Value::as_str).unwrap_or_default();
        if text("goal_id") != goal {
            continue;
        }
        match event.kind {
            Kind::AttemptJudged => count += 1,
            Kind::GoalBlocked => blocked = text("code") != "recovery",
            Kind::Retried => given_back |= blocked,
            _ => {}
        }
    }
    (count, given_back)
}

fn settings() -> Settings {
    Settings {
        test_command: "true".into(),
        timeout_minutes: 30,
        max_retries: 2,
        max_context_bytes: 120_000,
        commits: Commits::Auto,
        protect: Vec::new(),
        other_roots: Vec::new(),
        max_saved_file_bytes: 1 << 20,
        max_saved_bytes: 1 << 30,
        offset: Offset::UTC,
    }
}
