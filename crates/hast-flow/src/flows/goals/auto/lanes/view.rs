//! The view of a run in lanes: goals as the documents below `.ai/` have them. Lanes share the view
//! of `auto`. Each lane has its own attempt and its own results.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::swap;

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::TestEnd;
use crate::attempt::worktrees::{Target, TreeName};
use crate::docs::goals::{GoalsEvent, GoalsEventKind as Kind, HandoffName};
use crate::driver::Delta;
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::view::{Current, Documents, Handed, View};
use crate::flows::goals::selection::Placed;
use crate::formats::ndjson;
use crate::leases::LeaseResult;
use crate::steps::{EffectResult, StepKey};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LanesView {
    pub shared: View,
    pub lanes: BTreeMap<String, Lane>,
    /// Results that no commit has used, by the first part of their keys: a goal's directory.
    results: BTreeMap<String, Results>,
    /// An attempt that an earlier version left in the user's checkout.
    in_place: Option<Current>,
    /// What finished work goes onto in this run.
    pub onto: Option<Target>,
    passed: u64,
    /// The goal that was done last, while no tests were green since.
    done_last: Option<String>,
    /// Packets whose results were judged.
    pub answered: BTreeSet<String>,
}

type Results = BTreeMap<StepKey, EffectResult>;

/// A goal with a work tree of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    pub goal: String,
    /// The commit that its next attempt begins at.
    pub base: ObjectId,
    pub onto: Target,
    /// The name of its work tree.
    pub place: TreeName,
    pub tree: Tree,
    pub current: Option<Current>,
    /// What passed, and waits for its turn or is on its way.
    pub passed: Option<Passed>,
    /// What passed alone and did not get onto the branch: the tree goes back to it before it is
    /// settled.
    pub stopped: Option<ObjectId>,
    /// How often that happened.
    pub bounced: u32,
    /// The goal is settled, and all that the tree held is in this commit.
    pub over: Option<ObjectId>,
    /// The packet whose result is judged here, and nothing else.
    pub packet: Option<String>,
    /// What became of the last attempt, in the word of its event.
    pub then: Option<String>,
    /// The branch that keeps its work.
    pub kept: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    ToMake,
    Made,
    /// The next attempt begins where the branch is then.
    Outdated,
}

/// The work that is done in a lane now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanePhase {
    /// Its room is made, brought to the branch, or set up.
    Preparing,
    TestingBase,
    Agent,
    /// The agent has ended: its work is looked at and tested.
    Judging,
    /// The attempt failed: its work is kept, and the room goes back to the base.
    PuttingBack,
    /// It passed, and others are merged before it.
    WaitingForTurn,
    Merging,
    Closing,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    /// Who passed first is merged first.
    pub turn: u64,
    pub head: ObjectId,
    /// From where to where the user's branch goes.
    pub merging: Option<(ObjectId, ObjectId)>,
    /// How often the branch had moved.
    pub moved: u32,
}

impl LanesView {
    pub fn fold(&mut self, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, bytes, .. } if path.as_str() == layout::EVENTS => {
                self.shared.log_length = Some(bytes.len() as u64);
                self.take_events(bytes);
            }
            Delta::Appended { path, at, bytes, .. } if path.as_str() == layout::EVENTS => {
                self.shared.log_length = Some(at + bytes.len() as u64);
                self.take_events(bytes);
            }
            Delta::Result { key, result } => {
                let first = key.as_str().split('/').next().unwrap_or_default();
                let results = self.results.entry(first.to_owned()).or_default();
                results.insert((*key).clone(), (*result).clone());
            }
            other => self.shared.fold(other),
        }
    }

    /// What there is to see for whoever works on this goal alone.
    pub fn of(&self, goal: &str) -> View {
        let shared = &self.shared;
        let directory = layout::goal_directory(goal);
        let lane = self.lanes.get(goal);
        let current = lane.and_then(|lane| lane.current.clone());
        let only = |documents: &BTreeMap<u32, _>| (directory.clone(), documents.clone());
        let cloned = |(goal, handed): (&String, &Handed)| (goal.clone(), handed.clone());
        let said = |(goal, text): (&String, &String)| (goal.clone(), text.clone());
        View {
            events: shared.events,
            log_length: shared.log_length,
            goals: shared.goals.clone(),
            rules: shared.rules.clone(),
            handoffs: self.handoffs(goal),
            run: shared.run.clone(),
            ledgers: BTreeMap::from([(goal.to_owned(), shared.ledger(goal))]),
            // Only a beginning asks for it.
            tested: if current.is_none() { shared.tested.clone() } else { BTreeMap::new() },
            just_tested: shared.just_tested.clone(),
            ours: shared.ours.clone(),
            documents: shared.documents.get(&directory).map(only).into_iter().collect(),
            results: self.results.get(&directory).cloned().unwrap_or_default(),
            kept: shared.kept.get_key_value(goal).map(cloned).into_iter().collect(),
            said: shared.said.get_key_value(goal).map(said).into_iter().collect(),
            onto: lane.map(|lane| lane.onto.clone()),
            current,
            ..View::default()
        }
    }

    /// What a run that begins sees.
    pub(in crate::flows::goals::auto) fn of_start(&self) -> View {
        let results = self.results.get("start").cloned().unwrap_or_default();
        let View { kept, last_handed, to_commit, in_tree, unjudged, owed, .. } =
            self.shared.clone();
        View { results, kept, last_handed, to_commit, in_tree, unjudged, owed, ..self.of("") }
    }

    /// The goal that a step is about.
    pub(super) fn goal_of(&self, key: &StepKey) -> &str {
        let first = key.as_str().split('/').next().unwrap_or_default();
        let mut goals = self.lanes.keys();
        goals.find(|goal| layout::goal_directory(goal) == first).map_or("", String::as_str)
    }

    /// Handoffs, and the names that other lanes have been told to write.
    fn handoffs(&self, goal: &str) -> BTreeMap<HandoffName, Vec<u8>> {
        let mut handoffs = self.shared.handoffs.clone();
        for lane in self.lanes.values().filter(|lane| lane.goal != goal) {
            let Some(current) = &lane.current else { continue };
            let documents = self.shared.documents_of(&lane.goal, current.number);
            let record = documents.and_then(|documents| documents.record.as_ref());
            if let Some(name) = record.and_then(|record| record.handoff.parse().ok()) {
                handoffs.entry(name).or_default();
            }
        }
        handoffs
    }

    /// An attempt that an earlier version left open in the user's checkout.
    pub fn in_place(&self) -> Option<&Current> {
        self.in_place.as_ref()
    }

    /// Whether a lane needs no agent any more: its work has passed, or its goal is settled.
    pub fn is_past_the_agent(&self, lane: &Lane) -> bool {
        let passed = |current: &Current| {
            let documents = self.shared.documents_of(&current.goal, current.number);
            let verdict = documents.and_then(Documents::last_verdict).filter(|_| current.judged);
            current.settled.is_some() || verdict.is_some_and(|one| one.verdict.class.is_success())
        };
        let current = lane.current.as_ref().is_some_and(passed);
        current || lane.passed.is_some() || lane.over.is_some()
    }

    /// Goals that another worker has, as far as this run was told.
    pub fn claimed_elsewhere(&self, all: &[Placed<'_>]) -> BTreeSet<String> {
        let gone =
            |result: &EffectResult| matches!(result, EffectResult::Lease(LeaseResult::Gone { .. }));
        let refused = |placed: &&Placed<'_>| {
            let results = self.results.get(&layout::goal_directory(&placed.goal.id));
            !self.lanes.contains_key(&placed.goal.id)
                && results.is_some_and(|results| results.values().any(gone))
        };
        if self.results.is_empty() {
            return BTreeSet::new();
        }
        all.iter().filter(refused).map(|placed| placed.goal.id.clone()).collect()
    }

    /// The goal that has made the branch red, while nothing has made it green again.
    pub fn red<'v>(&'v self, all: &[Placed<'_>]) -> Option<&'v str> {
        let is_red = |id: &&str| {
            all.iter().any(|placed| placed.goal.id == **id && placed.goal.expect_failure)
        };
        self.done_last.as_deref().filter(is_red)
    }

    /// Whose turn it is to move the branch: whoever is about to, else whoever passed first.
    pub fn on_the_train(&self) -> Option<&Lane> {
        let moving = |lane: &&Lane| lane.passed.as_ref().is_some_and(|one| one.merging.is_some());
        let settled = |lane: &&Lane| lane.current.as_ref().is_some_and(|one| one.settled.is_some());
        let turn = |lane: &&Lane| lane.passed.as_ref().map(|passed| passed.turn);
        let lanes = || self.lanes.values();
        let waiting = || lanes().filter(|lane| lane.passed.is_some()).min_by_key(turn);
        lanes().find(settled).or_else(|| lanes().find(moving)).or_else(waiting)
    }

    /// The phase of a lane, as far as it is written down.
    pub fn phase(&self, lane: &Lane) -> LanePhase {
        let is_first = || self.on_the_train().is_some_and(|first| first.goal == lane.goal);
        match (&lane.current, &lane.passed) {
            (Some(_), Some(_)) if is_first() => LanePhase::Merging,
            (Some(_), Some(_)) => LanePhase::WaitingForTurn,
            (Some(current), None) if current.judged => LanePhase::PuttingBack,
            (Some(current), None) if current.ended.is_some() => LanePhase::Judging,
            (Some(_), None) => LanePhase::Agent,
            (None, _) if lane.over.is_some() => LanePhase::Closing,
            (None, _) if self.is_looked_at(lane) => LanePhase::TestingBase,
            (None, _) => LanePhase::Preparing,
        }
    }

    /// The room of the next attempt is ready, and its tree is known.
    fn is_looked_at(&self, lane: &Lane) -> bool {
        let directory = layout::goal_directory(&lane.goal);
        let number = self.shared.ledger(&lane.goal).next_number().to_string();
        let look = StepKey::new(&[directory.as_str(), number.as_str(), "look"]);
        self.results.get(&directory).is_some_and(|results| results.contains_key(&look))
    }

    fn take_events(&mut self, bytes: &[u8]) {
        let (events, _) = ndjson::read::<GoalsEvent>(layout::EVENTS, bytes);
        for event in events {
            self.shared.events = self.shared.events.max(event.event_id.number());
            self.take_event(event);
        }
    }

    /// `auto` folds the event with the attempt and the results of the lane that it is about.
    fn take_event(&mut self, mut event: GoalsEvent) {
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        let goal = text("goal_id").unwrap_or_default().to_owned();
        if event.kind == Kind::AutoStarted {
            self.results.clear();
            self.onto = None;
        }
        match event.kind {
            Kind::GoalsCommitted => {
                self.results.remove("start");
            }
            Kind::GoalDone => self.done_last = Some(goal.clone()),
            Kind::BaseTested if is_green(&event) => self.done_last = None,
            _ => {}
        }
        self.open_or_close(&event, &goal);
        let in_lane = self.lanes.contains_key(&goal);
        if in_lane {
            event.detail.remove(layout::LANE);
        }
        let directory = layout::goal_directory(&goal);
        let mut results = self.results.remove(&directory).unwrap_or_default();
        let (shared, lane) = (&mut self.shared, self.lanes.get_mut(&goal));
        let current = lane.map_or(&mut self.in_place, |lane| &mut lane.current);
        swap(&mut shared.results, &mut results);
        swap(&mut shared.current, current);
        shared.take_event(&event);
        swap(&mut shared.results, &mut results);
        swap(&mut shared.current, current);
        if !results.is_empty() {
            self.results.insert(directory, results);
        }
        if in_lane {
            self.take_lane_event(&event, &goal);
        }
    }

    fn open_or_close(&mut self, event: &GoalsEvent, goal: &str) {
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        match event.kind {
            Kind::LaneOpened => {
                let Some(base) = text("base").and_then(|base| base.parse().ok()) else { return };
                let onto = match text("onto") {
                    Some(branch) => Target::Branch(branch.to_owned()),
                    None => Target::Detached,
                };
                self.onto.get_or_insert_with(|| onto.clone());
                let place = layout::tree_of_lane(&event.detail, goal);
                let lane = Lane {
                    goal: goal.to_owned(),
                    place,
                    base,
                    onto,
                    tree: Tree::ToMake,
                    current: None,
                    passed: None,
                    stopped: None,
                    bounced: 0,
                    over: None,
                    packet: text("packet").map(str::to_owned),
                    then: None,
                    kept: None,
                };
                self.lanes.insert(goal.to_owned(), lane);
            }
            Kind::LaneClosed => {
                self.lanes.remove(goal);
            }
            Kind::PacketSettled => {
                self.answered.extend(text("packet_id").map(str::to_owned));
            }
            _ => {}
        }
    }

    fn take_lane_event(&mut self, event: &GoalsEvent, goal: &str) {
        let Some(lane) = self.lanes.get_mut(goal) else { return };
        let id = |key: &str| {
            event.detail.get(key).and_then(|value| value.as_str()).and_then(|id| id.parse().ok())
        };
        match event.kind {
            Kind::AttemptStarted => {
                lane.tree = Tree::Made;
                lane.stopped = None;
            }
            Kind::AttemptPassed => {
                self.passed += 1;
                let turn = self.passed;
                lane.passed = id("head").map(|head| Passed { turn, head, merging: None, moved: 0 });
            }
            Kind::MergeStarted => {
                if let Some(passed) = &mut lane.passed {
                    passed.merging = id("from").zip(id("to"));
                }
            }
            Kind::MergeMoved => {
                if let Some(passed) = &mut lane.passed {
                    passed.merging = None;
                    passed.moved += 1;
                }
            }
            // A second verdict: it did not get onto the branch.
            Kind::AttemptJudged if lane.passed.is_some() => {
                lane.stopped = lane.passed.take().map(|passed| passed.head);
                lane.bounced += 1;
                lane.tree = Tree::Outdated;
            }
            Kind::AttemptSettled => {
                let then = event.detail.get("then").and_then(|then| then.as_str());
                // A packet has one result: another attempt is another packet.
                if then != Some("try_again") || lane.packet.is_some() {
                    lane.over = id("head");
                }
                lane.then = then.map(str::to_owned);
                let branch = event.detail.get("branch").and_then(|branch| branch.as_str());
                lane.kept = branch.map(str::to_owned);
                if lane.current.is_none() {
                    lane.passed = None;
                }
            }
            Kind::GoalsCommitted => lane.passed = None,
            _ => {}
        }
    }
}

fn is_green(event: &GoalsEvent) -> bool {
    let end = event.detail.get("end").cloned().unwrap_or_default();
    serde_json::from_value(end).is_ok_and(|end: TestEnd| end == TestEnd::Green)
}
