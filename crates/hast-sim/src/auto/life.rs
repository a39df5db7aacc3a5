//! One process of `auto`, or of `retry`, from its start to its end or death.

use std::cell::RefCell;
use std::rc::Rc;

use hast_flow::attempt::recovery::StartFrom;
use hast_flow::attempt::settle::Commits;
use hast_flow::docs::goals::{GoalsEvent, GoalsEventKind as Kind, Minutes, OnRedBase};
use hast_flow::driver::Flow;
use hast_flow::flows::goals::auto::lanes::LanesFlow;
use hast_flow::flows::goals::auto::retry::{Attempts, RetryFlow};
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, RunBounds, Settings};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::steps::{Effect, Ending, StepKey};
use hast_flow::store::StoreError;
use jiff::tz::Offset;
use serde_json::Value;

use super::agent::{Left, work};
use super::laws::EVENTS;
use crate::flows::holding::log;
use crate::flows::subject::Files;
use crate::git::lives::Place;
use crate::git::{RoomFault, SimWorkspace};
use crate::lanes::hands::{Agent, Claims, Hands};

const MOST_STEPS: u64 = 2_000;

/// A root with its repository, over all lives.
pub(super) struct Project {
    pub(super) place: Place,
    pub(super) seed: u64,
    /// What agents that ended have left, by path: none of it may be lost.
    pub(super) left: Rc<RefCell<Vec<Left>>>,
    pub(super) effects: u64,
    pub(super) lives: u32,
    claims: Claims,
}

pub(super) type Lived = Result<Ending, StoreError>;

impl Project {
    pub(super) fn new(place: Place, seed: u64) -> Self {
        let (left, claims) = (Rc::default(), Claims::default());
        Self { place, seed, left, effects: 0, lives: 0, claims }
    }

    pub(super) fn documents(&self) -> Files {
        self.place.world.borrow().all_files()
    }

    /// `hast auto --recursive`, or `hast auto GOAL --continue`.
    pub(super) fn auto(&mut self, continued: Option<&str>) -> Lived {
        self.lives += 1;
        let auto = AutoFlow {
            run: format!("run-{}", self.lives),
            asked: Asked { goal: continued.map(str::to_owned), depth: Depth::Leaves },
            settings: settings(),
            running: None,
            not_ready: None,
            from: if continued.is_some() { StartFrom::KeptWork } else { StartFrom::Base },
            cut_off: CutOff::Interruption,
            bounds: RunBounds::default(),
        };
        let (width, setup, copy, limited) = (1, None, Vec::new(), Vec::new());
        self.live(&LanesFlow { auto, width, setup, copy, limited, delivery: None })
    }

    /// `hast retry GOAL --no-run --keep-attempts`.
    pub(super) fn retry(&mut self, goal: &str) -> Lived {
        let committing = Some(settings().tree_rules());
        self.live(&RetryFlow {
            goal: goal.to_owned(),
            attempts: Attempts::Keep,
            committing,
            text: None,
            options: String::new(),
        })
    }

    fn live<F: Flow>(&mut self, flow: &F) -> Lived {
        let (world, claims) = (Rc::clone(&self.place.world), Rc::clone(&self.claims));
        let (documents, left, seed) = (Rc::clone(&world), Rc::clone(&self.left), self.seed);
        let agent: Agent = Rc::new(move |workspace, call| {
            let judged = judged(&documents.borrow().all_files(), &call.unit);
            let (result, files) = work(workspace, call, seed, judged)?;
            left.borrow_mut().push(files);
            Ok(result)
        });
        let Self { place, effects, .. } = self;
        place.live(flow, MOST_STEPS, |workspace: SimWorkspace| {
            let mut hands = Hands { workspace, world, claims, agent, fault: RoomFault::None };
            move |_: &StepKey, effect: &Effect| {
                *effects += 1;
                hands.perform(effect)
            }
        })
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
            // A disk that refuses is nobody's fault.
            Kind::GoalBlocked => blocked = text("code") != "lane",
            Kind::Retried => given_back |= blocked,
            _ => {}
        }
    }
    (count, given_back)
}

fn settings() -> Settings {
    Settings {
        test_command: "true".into(),
        timeout_minutes: Minutes::new(30),
        max_retries: 2,
        max_context_bytes: 120_000,
        commits: Commits::Auto,
        on_red_base: OnRedBase::Warn,
        protect: Vec::new(),
        other_roots: Vec::new(),
        max_saved_file_bytes: 1 << 20,
        max_saved_bytes: 1 << 30,
        setup: None,
        keep: Vec::new(),
        offset: Offset::UTC,
    }
}
