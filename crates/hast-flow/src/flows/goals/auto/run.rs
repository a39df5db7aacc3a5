//! What one run of `auto` has done so far, and where the work of its attempts is.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::attempt::base::kept_branch;
use crate::attempt::given_back::IgnoredBack;
use crate::attempt::workspace::{Aside, Guarded};
use crate::docs::goals::{GoalStatus, GoalsEvent};
use crate::flows::goals::auto::layout;

/// What one run of `auto` has done so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub id: String,
    /// Goals that it has finished with.
    pub tried: BTreeSet<String>,
    pub done: Vec<String>,
    pub blocked: Vec<String>,
    /// The goal that is tried again before any other.
    pub working: Option<String>,
    /// Work is in the tree uncommitted: no other goal may start on top of it.
    pub stop: bool,
    /// Goals whose status a person has to set, because the file could not be edited.
    pub by_hand: Vec<String>,
    /// Goals that never got as far as an attempt that is kept.
    pub stuck: BTreeSet<String>,
    /// Goals that people decided about themselves while they were worked on.
    pub withdrawn: Vec<Withdrawn>,
    /// What a dead process left could not be cleared away: what, and what to do.
    pub gave_up: Option<(String, String)>,
    /// The ref that has what a dead process left in the tree.
    pub recovered: Option<String>,
    /// What that ref, or the one of kept work, does not hold.
    pub beside: Beside,
    /// Ignored files of the user that a dead process had left elsewhere.
    pub ignored: IgnoredBack,
    /// Kept work that was taken out of the tree: its goal and its ref.
    pub cleared: Option<(String, String)>,
    /// Locks of git that a dead process had left.
    pub unlocked: Vec<String>,
    /// What of git's own a dead process had left changed.
    pub guarded: Guarded,
    /// The goal whose kept work is gone on with, and whether that attempt has begun.
    pub continues: Option<String>,
    pub continued: bool,
    /// Goals that another worker had when one that was free was begun.
    pub passed_over: BTreeSet<String>,
    /// Goals whose work tree was made anew, and the refs that have what an earlier one still held.
    pub earlier_trees: Vec<(String, String)>,
    /// Where the work of its attempts is.
    pub settled: Vec<SettledWork>,
    /// What tests or hooks had left in the tree between two goals.
    pub trees_cleared: Vec<TreeCleared>,
}

/// What was taken out of the tree so that a goal begins with what is committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeCleared {
    /// The goal that begins.
    pub goal: String,
    /// The ref that has it.
    pub name: String,
    /// The first of its paths.
    pub paths: Vec<String>,
    pub beside: Beside,
}

impl TreeCleared {
    pub(super) fn told(event: &GoalsEvent, goal: String) -> Self {
        let part = |key: &str| event.detail.get(key).cloned().unwrap_or_default();
        Self {
            goal,
            name: part("ref").as_str().unwrap_or_default().to_owned(),
            paths: serde_json::from_value(part("paths")).unwrap_or_default(),
            beside: serde_json::from_value(part("beside")).unwrap_or_default(),
        }
    }
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
    /// Moved out of the tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<Aside>,
    /// Still there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_tree: Vec<String>,
    /// How many more there are of either.
    #[serde(default)]
    pub more: usize,
}

/// How many files are named.
const LISTED: usize = 100;

impl Beside {
    pub(super) fn aside(all: &[Aside]) -> Self {
        let (aside, more) = (all.iter().take(LISTED).cloned(), all.len().saturating_sub(LISTED));
        Self { aside: aside.collect(), in_tree: Vec::new(), more }
    }

    pub(super) fn in_tree(all: &[String]) -> Self {
        let (in_tree, more) = (all.iter().take(LISTED).cloned(), all.len().saturating_sub(LISTED));
        Self { aside: Vec::new(), in_tree: in_tree.collect(), more }
    }

    pub fn is_empty(&self) -> bool {
        self.aside.is_empty() && self.in_tree.is_empty()
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
    /// Whether it is in the tree as well.
    pub in_tree: bool,
    /// The branch that keeps it.
    pub branch: Option<String>,
    pub beside: Beside,
    pub ignored: IgnoredBack,
    /// Another worker had the goal by then: it does not count.
    pub late: bool,
}

impl SettledWork {
    /// What an event tells.
    pub(super) fn told(event: &GoalsEvent, goal: &str) -> Option<Self> {
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        let beside = event.detail.get("beside").cloned();
        let beside = beside.and_then(|beside| serde_json::from_value(beside).ok());
        let ignored = event.detail.get(layout::IGNORED).cloned();
        let ignored = ignored.and_then(|ignored| serde_json::from_value(ignored).ok());
        let saved = event.detail.get("saved").and_then(|saved| saved.get("name"));
        let attempt = event.detail.get("attempt")?.as_u64()?;
        let branch = text("branch").map(str::to_owned);
        Some(Self {
            goal: goal.to_owned(),
            attempt: u32::try_from(attempt).ok()?,
            name: saved.and_then(|name| name.as_str()).map(str::to_owned),
            commit: text("commit").map(str::to_owned),
            in_tree: text("then") == Some("blocked") && branch.is_none(),
            branch,
            beside: beside.unwrap_or_default(),
            ignored: ignored.unwrap_or_default(),
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
            self.stuck.insert(goal.to_owned());
        }
        if event.detail.get("by_hand").is_some() {
            self.by_hand.push(goal.to_owned());
        }
    }
}
