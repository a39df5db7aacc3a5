//! The view of `auto`: goals and attempts as the documents below `.ai/` have them, kept up to date
//! change by change.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use serde::de::DeserializeOwned;

use crate::attempt::base::{Base, ObjectId};
use crate::attempt::evidence::CallEnd;
use crate::attempt::inspection::MovedRef;
use crate::attempt::ledger::Ledger;
use crate::attempt::reason::{Class, Reason};
use crate::attempt::worktrees::Target;
use crate::docs::goals::{GoalsEvent, GoalsEventKind as Kind, HandoffName};
use crate::driver::Delta;
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::record::{
    AttemptRecord, KeptWork, LISTED, ToldStatus, UnjudgedWork, VerdictRecord,
};
use crate::flows::goals::auto::run::SettledWork;
use crate::flows::goals::auto::tested::{BaseRun, JustTested};
use crate::flows::goals::handoffs::{LastSession, read_handoff};
use crate::formats::ndjson;
use crate::formats::source::Source;
use crate::steps::{EffectResult, StepKey};
use crate::store::{DocPath, Seen};
use crate::time::UtcTime;

pub use super::goals_file::GoalsFile;
pub use crate::flows::goals::auto::run::Run;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Events so far; the next id counts on.
    pub events: u64,
    pub log_length: Option<u64>,
    pub goals: Option<Rc<GoalsFile>>,
    pub rules: String,
    /// The newest handoffs by name.
    pub handoffs: BTreeMap<HandoffName, Vec<u8>>,
    pub run: Option<Run>,
    pub ledgers: BTreeMap<String, Ledger>,
    /// How the tests ended, by tree and command.
    pub tested: BTreeMap<(String, String), BaseRun>,
    pub just_tested: Option<JustTested>,
    /// Documents of each goal's last attempts, by directory and number.
    pub documents: BTreeMap<String, BTreeMap<u32, Documents>>,
    /// The attempt under way in a lane, or one that an earlier version left in the checkout.
    pub current: Option<Current>,
    /// What finished work goes onto.
    pub onto: Option<Target>,
    /// Work that was handed to a person, by goal.
    pub kept: BTreeMap<String, Handed>,
    /// The words of people who gave a goal back, for its next attempts.
    pub said: BTreeMap<String, String>,
    /// The goal that was handed over last.
    pub last_handed: Option<String>,
    /// Work that was put into the checkout and has to be committed there: its goal, and its files.
    pub to_commit: Option<(String, Vec<String>)>,
    /// The goal whose work an earlier version left in the checkout, and that work.
    pub in_tree: Option<(String, KeptWork)>,
    /// Commits that a dead attempt of an earlier version left on the branch.
    pub unjudged: Option<UnjudgedWork>,
    /// Changes of goals.yaml that are still to be committed.
    pub owed: Option<Owed>,
    /// The last commits that hast put onto a branch itself.
    pub ours: VecDeque<ObjectId>,
    /// Results of effects that no commit has used yet.
    pub results: BTreeMap<StepKey, EffectResult>,
}

/// Work that was handed to a person, and what was said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Handed {
    pub kept: KeptWork,
    /// The judge's finding, where the log is new enough to have it.
    pub found: Option<Reason>,
    pub reason: String,
    pub test_tail: String,
    /// An attempt has begun with it since a person had the goal: the next one begins at the branch, in this
    /// run and in one that goes on after a kill.
    pub gone_on_with: bool,
}

/// What is written down about one attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Documents {
    pub base: Option<Base>,
    pub record: Option<AttemptRecord>,
    pub verdict: Option<VerdictRecord>,
    pub hooked: Option<VerdictRecord>,
    pub refused: Option<VerdictRecord>,
}

impl Documents {
    /// The verdict that counts.
    pub fn last_verdict(&self) -> Option<&VerdictRecord> {
        self.refused.as_ref().or(self.hooked.as_ref()).or(self.verdict.as_ref())
    }
}

/// The attempt under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Current {
    pub goal: String,
    pub number: u32,
    /// How often its call was cut off.
    pub cuts: u32,
    pub ended: Option<Ended>,
    pub judged: bool,
    /// Its call was not interrupted: the agent could not be asked.
    pub stopped: bool,
    pub settled: Option<Settled>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    pub at: UtcTime,
    pub end: CallEnd,
}

/// Goals whose status changed outside of an attempt, and when it did last.
#[derive(Clone, Debug, PartialEq)]
pub struct Owed {
    pub goals: Vec<String>,
    pub at: UtcTime,
}

/// Settled, with `goals.yaml` still to be committed on this head.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    pub at: UtcTime,
    pub head: ObjectId,
    /// What is to be committed, and whether the checkout's file says it.
    pub status: Option<ToldStatus>,
    pub written: bool,
}

/// How many handoffs, and attempts of a goal, are remembered.
const REMEMBERED: usize = 16;

impl View {
    /// The attempts of a goal. Documents that the log does not tell of have their numbers too: a log that was
    /// deleted or torn makes none of them free.
    pub fn ledger(&self, goal: &str) -> Ledger {
        let mut ledger = self.ledgers.get(goal).copied().unwrap_or_default();
        let there = self.documents.get(&layout::goal_directory(goal));
        if let Some((last, _)) = there.and_then(|attempts| attempts.last_key_value()) {
            ledger.is_taken(*last);
        }
        ledger
    }

    pub fn documents_of(&self, goal: &str, number: u32) -> Option<&Documents> {
        self.documents.get(&layout::goal_directory(goal))?.get(&number)
    }

    /// What the last attempt that was judged came to.
    pub fn last_verdict_before(&self, goal: &str, number: u32) -> Option<&VerdictRecord> {
        let attempts = self.documents.get(&layout::goal_directory(goal))?;
        attempts.range(..number).rev().find_map(|(_, documents)| documents.last_verdict())
    }

    /// Refs that others have moved, as far as hast did not: the first of them.
    pub(super) fn moved_by_others(&self, moved: &[MovedRef]) -> Vec<String> {
        let ours = |one: &&MovedRef| one.to.as_ref().is_some_and(|to| self.ours.contains(to));
        let others = moved.iter().filter(|one| !ours(one));
        others.take(LISTED).map(|one| one.name.clone()).collect()
    }

    /// The newest handoff that can be read.
    pub fn last_session(&self) -> Option<LastSession> {
        self.handoffs.iter().rev().find_map(|(name, bytes)| {
            let name = name.to_string();
            read_handoff(&Source::from_bytes(&name, bytes).ok()?).ok()
        })
    }

    pub fn fold(&mut self, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, bytes, seen } => self.document(path, bytes, *seen),
            Delta::Appended { path, at, bytes, .. } if path.as_str() == layout::EVENTS => {
                self.log_length = Some(at + bytes.len() as u64);
                self.take_events(bytes);
            }
            Delta::Appended { .. } => {}
            Delta::Gone { path } => self.gone(path),
            Delta::Result { key, result } => {
                self.results.insert((*key).clone(), (*result).clone());
            }
        }
    }

    fn document(&mut self, path: &DocPath, bytes: &[u8], seen: Seen) {
        let identity = seen.identity();
        let name = path.as_str();
        match name {
            layout::EVENTS => {
                self.log_length = Some(bytes.len() as u64);
                self.take_events(bytes);
            }
            layout::GOALS => self.goals = Some(Rc::new(GoalsFile::read(bytes, identity))),
            layout::RULES => self.rules = String::from_utf8_lossy(bytes).into_owned(),
            _ if name.starts_with(layout::HANDOFFS) => self.take_handoff(name, bytes),
            _ => self.attempt_document(name, bytes, seen),
        }
    }

    fn gone(&mut self, path: &DocPath) {
        if path.as_str() == layout::GOALS {
            self.goals = None;
        }
    }

    fn take_handoff(&mut self, path: &str, bytes: &[u8]) {
        let name = path.rsplit('/').next().and_then(|name| name.parse::<HandoffName>().ok());
        if let Some(name) = name {
            self.handoffs.insert(name, bytes.to_vec());
            if self.handoffs.len() > REMEMBERED {
                self.handoffs.pop_first();
            }
        }
    }

    fn attempt_document(&mut self, path: &str, bytes: &[u8], seen: Seen) {
        let Some((goal, number, name)) = layout::attempt_parts(path) else { return };
        if let Some(handoff) = name.strip_prefix(layout::HANDOFFS) {
            return self.take_handoff(handoff, bytes);
        }
        let attempts = self.documents.entry(goal.to_owned()).or_default();
        let documents = attempts.entry(number).or_default();
        match name {
            layout::BASE => documents.base = Base::recorded(bytes, &seen).ok(),
            layout::RECORD => documents.record = parsed(bytes),
            layout::VERDICT => documents.verdict = parsed(bytes),
            layout::HOOKED => documents.hooked = parsed(bytes),
            layout::REFUSED => documents.refused = parsed(bytes),
            _ => {}
        }
        if attempts.len() > REMEMBERED {
            attempts.pop_first();
        }
    }

    fn take_events(&mut self, bytes: &[u8]) {
        // A bad line is skipped here and told by `verify`; a torn one is cut off by recovery.
        let (events, _) = ndjson::read::<GoalsEvent>(layout::EVENTS, bytes);
        for event in events {
            self.events = self.events.max(event.event_id.number());
            self.take_event(&event);
        }
    }

    pub(super) fn take_event(&mut self, event: &GoalsEvent) {
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        let goal = text("goal_id").unwrap_or_default().to_owned();
        let number = event.detail.get("attempt").and_then(serde_json::Value::as_u64);
        let number = number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
        if event.detail.contains_key(layout::OWED) {
            self.owe(&goal, event.ts);
        }
        self.take_ours(event);
        match event.kind {
            Kind::AutoStarted => self.take_started(event),
            Kind::Recovered => self.take_recovered(event),
            Kind::Stopped => {
                if let Some(current) = &mut self.current {
                    current.stopped = true;
                }
            }
            Kind::GoalStarted | Kind::StatusSet => {}
            Kind::InboxActed => self.take_said(event, goal),
            Kind::BaseTested => self.take_base_tests(event),
            Kind::AttemptStarted => self.take_attempt(event, goal, number),
            Kind::AttemptInterrupted | Kind::LimitReached => self.take_cut(event, goal),
            Kind::AttemptEnded => {
                if let (Some(current), Some(end)) = (&mut self.current, detail(event, "end")) {
                    current.ended = Some(Ended { at: event.ts, end });
                }
                self.results.clear();
            }
            Kind::AttemptJudged => self.take_judged(event, &goal),
            Kind::AttemptSettled => self.take_settled(event, &goal),
            Kind::GoalDone => {
                self.kept.remove(&goal);
                self.said.remove(&goal);
                self.ledgers.entry(goal.clone()).or_default().ended();
                self.with_run(|run| run.finish(event, &goal, true));
            }
            Kind::GoalBlocked => {
                self.said.remove(&goal);
                self.take_handed(event, &goal);
                self.ledgers.entry(goal.clone()).or_default().ended();
                self.with_run(|run| run.finish(event, &goal, false));
            }
            Kind::GoalsCommitted => self.take_goals_committed(event),
            Kind::LaneOpened
            | Kind::LaneClosed
            | Kind::AttemptPassed
            | Kind::MergeStarted
            | Kind::MergeMoved => self.take_lane(event, &goal),
            Kind::PacketExported
            | Kind::PacketReceived
            | Kind::PacketSettled
            | Kind::KeptCleared
            | Kind::TreeCleared => {
                self.results.clear();
            }
            Kind::SpikeStarted
            | Kind::SpikeBegun
            | Kind::SpikeTried
            | Kind::DecisionWaits
            | Kind::DecisionMade => {}
            Kind::Retried => {
                self.take_back(&goal);
                self.ledgers.entry(goal.clone()).or_default().retried();
                self.take_said(event, goal);
            }
        }
    }

    fn take_started(&mut self, event: &GoalsEvent) {
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        let id = text("run").unwrap_or_default().to_owned();
        let continues = text("continues").map(str::to_owned);
        self.just_tested = None;
        let told = |key: &str| detail(event, key).unwrap_or_default();
        self.run = Some(Run {
            id,
            continues,
            fewer_tests: detail(event, layout::FEWER_TESTS) == Some(true),
            uncommitted: told(layout::UNCOMMITTED),
            left_alone: told(layout::LEFT_ALONE),
            earlier: detail(event, layout::EARLIER).unwrap_or_default(),
            ..Run::default()
        });
        self.to_commit = None;
        // Runs in lanes of an earlier version said nothing of what lay in the checkout.
        if !event.detail.contains_key(layout::LANE) {
            (self.in_tree, self.unjudged) = (None, None);
        }
        self.results.clear();
    }

    /// Where hast moves a branch, it says so.
    fn take_ours(&mut self, event: &GoalsEvent) {
        let key = match event.kind {
            Kind::MergeStarted => "to",
            Kind::GoalsCommitted => "commit",
            _ => return,
        };
        self.ours.extend(detail::<ObjectId>(event, key));
        if self.ours.len() > REMEMBERED {
            self.ours.pop_front();
        }
    }

    fn owe(&mut self, goal: &str, at: UtcTime) {
        let owed = self.owed.get_or_insert_with(|| Owed { goals: Vec::new(), at });
        owed.at = at;
        if !owed.goals.iter().any(|known| known == goal) {
            owed.goals.push(goal.to_owned());
        }
    }

    /// The call never came back.
    fn take_cut(&mut self, event: &GoalsEvent, goal: String) {
        let counts = event.detail.get(layout::COUNTS) != Some(&false.into());
        if event.kind == Kind::AttemptInterrupted && counts {
            self.ledgers.entry(goal).or_default().judged(Class::Interrupted);
        }
        if let Some(current) = &mut self.current {
            current.cuts += 1;
            (current.ended, current.stopped) = (None, false);
        }
        self.results.clear();
    }

    fn take_attempt(&mut self, event: &GoalsEvent, goal: String, number: u32) {
        self.ledgers.entry(goal.clone()).or_default().started(number);
        if let Some(name) = detail(event, "recovered") {
            self.with_run(|run| run.earlier_trees.push((goal.clone(), name)));
        }
        self.results.clear();
        if event.detail.contains_key(layout::LANE) {
            return;
        }
        let continued = event.detail.get("continues").is_some_and(serde_json::Value::is_string);
        if let Some(handed) = self.kept.get_mut(&goal).filter(|_| continued) {
            handed.gone_on_with = true;
        }
        let (cuts, ended, judged, stopped, settled) = (0, None, false, false, None);
        self.current = Some(Current { goal, number, cuts, ended, judged, stopped, settled });
    }

    /// Lanes are looked at more closely where they are driven.
    fn take_lane(&mut self, event: &GoalsEvent, goal: &str) {
        self.with_run(|run| run.red_base = detail(event, layout::RED_BASE).or(run.red_base.take()));
        if event.detail.contains_key(layout::WITHDRAWN) {
            self.with_run(|run| run.withdraw(event, goal));
        }
        self.results.clear();
    }

    /// A start of an earlier version, which worked in the checkout, gave up on what it found there.
    fn take_recovered(&mut self, event: &GoalsEvent) {
        self.unjudged = detail(event, "unjudged").or_else(|| self.unjudged.take());
        if event.detail.contains_key("what") {
            self.current = None;
        }
        self.results.clear();
    }

    /// A person has the goal again: whether to go on with its kept work is theirs to say once more.
    fn take_back(&mut self, goal: &str) {
        if let Some(handed) = self.kept.get_mut(goal) {
            handed.gone_on_with = false;
        }
    }

    fn take_handed(&mut self, event: &GoalsEvent, goal: &str) {
        let Some(kept) = detail::<KeptWork>(event, "kept") else { return self.take_back(goal) };
        let text = |key: &str| {
            event.detail.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        let (reason, test_tail) = (text("reason"), text("test_tail"));
        let found = detail(event, layout::FOUND);
        let handed = Handed { kept, found, reason, test_tail, gone_on_with: false };
        if handed.kept.in_tree {
            self.in_tree = Some((goal.to_owned(), handed.kept.clone()));
        }
        self.last_handed = Some(goal.to_owned());
        self.kept.insert(goal.to_owned(), handed);
    }

    /// A decision in the inbox and the retry that follows it tell the same words once.
    fn take_said(&mut self, event: &GoalsEvent, goal: String) {
        let text: Option<String> = detail(event, layout::SAID);
        if let Some(text) = text.filter(|text| !text.trim().is_empty() && !goal.is_empty()) {
            self.said.insert(goal, text);
        }
    }

    fn take_judged(&mut self, event: &GoalsEvent, goal: &str) {
        let class = detail(event, "class");
        // A commit that was refused is a second verdict on the same attempt.
        let again = self.current.as_ref().is_some_and(|current| current.judged);
        if let (Some(class), false) = (class, again) {
            self.ledgers.entry(goal.to_owned()).or_default().judged(class);
        }
        if let Some(current) = &mut self.current {
            current.judged = true;
        }
        self.results.clear();
    }

    fn take_settled(&mut self, event: &GoalsEvent, goal: &str) {
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        let then = text("then").unwrap_or_default();
        self.just_tested = self.tests_of_settled(event, goal);
        self.with_run(|run| {
            run.stop |= then == "done_and_stop";
            run.settled.extend(SettledWork::told(event, goal));
            if then == layout::WITHDRAWN {
                run.withdraw(event, goal);
            }
        });
        if let Some(paths) = detail(event, layout::UNCOMMITTED) {
            self.to_commit = Some((goal.to_owned(), paths));
        }
        let head = text("commit_goals_on").and_then(|head| head.parse().ok());
        let (status, written) = (detail(event, "status"), detail(event, "written") != Some(false));
        let settled = head.map(|head| Settled { at: event.ts, head, status, written });
        match (&mut self.current, settled) {
            (Some(current), Some(settled)) => current.settled = Some(settled),
            (current, _) => *current = None,
        }
        self.results.clear();
    }

    fn with_run(&mut self, change: impl FnOnce(&mut Run)) {
        if let Some(run) = &mut self.run {
            change(run);
        }
    }
}

/// One value of what an event tells, if it is there and understood.
pub(in crate::flows::goals) fn detail<T: DeserializeOwned>(
    event: &GoalsEvent,
    key: &str,
) -> Option<T> {
    serde_json::from_value(event.detail.get(key)?.clone()).ok()
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}
