//! A run of `auto` as far as it has come: goals it has finished with, and the place of its
//! attempts' work. It is folded from the log.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::attempt::base::kept_branch;
use crate::attempt::reason::Reason;
use crate::attempt::workspace::Aside;
use crate::docs::goals::{GoalStatus, GoalsEvent};
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::record::EarlierWork;
use crate::flows::goals::auto::red_base::RedBase;
use crate::flows::goals::auto::view::detail;

/// What one run of `auto` has done so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub id: String,
    /// Goals that it has finished with.
    pub tried: BTreeSet<String>,
    pub done: Vec<String>,
    pub blocked: Vec<String>,
    /// Work is in the checkout uncommitted: no other goal may start on top of it.
    pub stop: bool,
    /// Goals whose status a person has to set, because the file could not be edited.
    pub by_hand: Vec<String>,
    /// Goals that never got as far as an attempt that is kept, and why.
    pub stuck: BTreeMap<String, String>,
    /// Goals that people decided about themselves while they were worked on.
    pub withdrawn: Vec<Withdrawn>,
    /// The goal whose kept work is gone on with.
    pub continues: Option<String>,
    /// That work is only judged again: a person agreed that fewer tests are right.
    pub fewer_tests: bool,
    /// Goals that were handed over after so many attempts, with the judge's finding about the last one.
    pub used_up: BTreeMap<String, (u32, Option<Reason>)>,
    /// Goals that were handed over with fewer tests.
    pub lost_tests: BTreeSet<String>,
    /// Goals whose work tree was made anew, and the refs that have what an earlier one still held.
    pub earlier_trees: Vec<(String, String)>,
    /// Where the work of its attempts is.
    pub settled: Vec<SettledWork>,
    /// The first of the user's uncommitted files: no part of the work.
    pub uncommitted: Vec<String>,
    /// The tests were red before any work, and the run is to end there.
    pub red_base: Option<RedBase>,
    /// Goals whose lanes nobody asked for.
    pub left_alone: Vec<String>,
    /// What a version that worked in the user's checkout left there.
    pub earlier: Vec<EarlierWork>,
}

/// A goal that people decided about themselves while it was worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawn {
    pub goal: String,
    /// What they made it; none is that they took it out of the file.
    pub status: Option<GoalStatus>,
    /// The branch that keeps what was done, if anything was.
    pub branch: Option<String>,
}

/// What of saved work its ref does not hold: too large, or a repository of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    /// Moved out of the room.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<Aside>,
    /// How many more there are.
    #[serde(default)]
    pub more: usize,
}

/// How many files are named.
const LISTED: usize = 100;

impl Beside {
    pub(super) fn aside(all: &[Aside]) -> Self {
        let (aside, more) = (all.iter().take(LISTED).cloned(), all.len().saturating_sub(LISTED));
        Self { aside: aside.collect(), more }
    }

    pub fn is_empty(&self) -> bool {
        self.aside.is_empty()
    }
}

/// Where the work of a settled attempt is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledWork {
    pub goal: String,
    pub attempt: u32,
    /// The ref that has it; none where it passed.
    pub name: Option<String>,
    /// The commit that has what passed.
    pub commit: Option<String>,
    /// Files of it that are in the checkout, uncommitted.
    pub uncommitted: Vec<String>,
    /// The branch that keeps it.
    pub branch: Option<String>,
    pub beside: Beside,
    /// Another worker had the goal by then: it does not count.
    pub late: bool,
}

impl SettledWork {
    /// What an event tells.
    pub(super) fn told(event: &GoalsEvent, goal: &str) -> Option<Self> {
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        let saved = event.detail.get("saved").and_then(|saved| saved.get("name"));
        let attempt = event.detail.get("attempt")?.as_u64()?;
        let branch = text("branch").map(str::to_owned);
        Some(Self {
            goal: goal.to_owned(),
            attempt: u32::try_from(attempt).ok()?,
            name: saved.and_then(|name| name.as_str()).map(str::to_owned),
            commit: text("commit").map(str::to_owned),
            uncommitted: detail(event, layout::UNCOMMITTED).unwrap_or_default(),
            branch,
            beside: detail(event, "beside").unwrap_or_default(),
            late: text("then") == Some("lease_lost"),
        })
    }

    /// The branch of the goal that was left alone, because it is in somebody's hands.
    pub fn left_alone(&self) -> Option<String> {
        let own = kept_branch(&self.goal);
        self.branch.as_ref().filter(|branch| **branch != own).map(|_| own)
    }
}

impl Run {
    pub(super) fn withdraw(&mut self, event: &GoalsEvent, goal: &str) {
        let status = event.detail.get("status_is").cloned().unwrap_or_default();
        let branch = event.detail.get("branch").and_then(|branch| branch.as_str());
        let (goal, branch) = (goal.to_owned(), branch.map(str::to_owned));
        self.tried.insert(goal.clone());
        let status = serde_json::from_value(status).ok();
        self.withdrawn.push(Withdrawn { goal, status, branch });
    }

    pub(super) fn finish(&mut self, event: &GoalsEvent, goal: &str, done: bool) {
        self.tried.insert(goal.to_owned());
        let list = if done { &mut self.done } else { &mut self.blocked };
        list.push(goal.to_owned());
        if event.detail.get("code").is_some_and(|code| code == layout::LANE) {
            let why = detail(event, "reason").unwrap_or_default();
            self.stuck.insert(goal.to_owned(), why);
        }
        let found: Option<Reason> = detail(event, layout::FOUND);
        if found.as_ref().is_some_and(Reason::asks_about_tests) {
            self.lost_tests.insert(goal.to_owned());
        }
        if let Some(attempts) = detail(event, layout::ATTEMPTS_MADE) {
            self.used_up.insert(goal.to_owned(), (attempts, found));
        }
        if event.detail.get("by_hand").is_some() {
            self.by_hand.push(goal.to_owned());
        }
    }
}
