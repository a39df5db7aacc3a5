//! Looking back: the log of events folded into views of goals and into the inbox. Folding it in one
//! go, or in pieces with the state written down in between, ends in the same state.

mod items;
pub mod numbers;
pub mod told;

use crate::docs::document::Version;
use crate::docs::goals::{GoalStatus, GoalView, GoalViews, LogRead};
use crate::flows::goals::selection::Placed;
use crate::inbox::{Inbox, Item};

use numbers::Numbers;
use told::Told;

/// What the log says so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    views: GoalViews,
    numbers: Numbers,
    inbox: Inbox,
}

/// A goal that the log and `goals.yaml` tell differently.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Disagreement {
    pub goal_id: String,
    pub events: GoalStatus,
    /// None: the goal is not in the file.
    pub goals_yaml: Option<GoalStatus>,
}

impl Replay {
    /// Goes on from what was written down.
    pub fn resume(views: GoalViews, items: Vec<Item>) -> Self {
        let numbers = Numbers::from_stretches(&views.log.numbers);
        if numbers.stretches() != views.log.numbers {
            return Self::default();
        }
        let inbox = Inbox::of(items);
        Self { views, numbers, inbox }
    }

    /// The state to write down.
    pub fn views(&self) -> GoalViews {
        let log = LogRead { numbers: self.numbers.stretches().to_vec(), ..self.views.log.clone() };
        GoalViews { version: Version, log, goals: self.views.goals.clone() }
    }

    /// How much of the present file was read.
    pub fn bytes(&self) -> u64 {
        self.views.log.bytes
    }

    /// Whether a gate has passed a goal, and nobody has taken it up again since.
    pub fn is_done(&self, goal: &str) -> bool {
        let view = self.views.goals.get(goal);
        view.is_some_and(|view| view.status == Some(GoalStatus::Done))
    }

    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Takes a line of the log in, with its line end.
    pub fn line(&mut self, line: &[u8]) {
        self.views.log.bytes += line.len() as u64;
        let text = line.trim_ascii();
        if text.is_empty() {
            return;
        }
        match serde_json::from_slice::<Told<'_>>(text) {
            Ok(told) => self.event(&told),
            Err(_) => self.views.log.unreadable += 1,
        }
    }

    /// Another file of the log begins.
    pub fn next_file(&mut self) {
        self.views.log.bytes = 0;
    }

    fn event(&mut self, told: &Told<'_>) {
        let Some(number) = told.number() else {
            self.views.log.unreadable += 1;
            return;
        };
        if !self.numbers.insert(number) {
            self.views.log.duplicates += 1;
            return;
        }
        let log = &mut self.views.log;
        log.events += 1;
        let last = log.last_event_id.get_or_insert_default();
        last.clear();
        last.push_str(&told.event_id);
        if let Some(goal) = told.goal() {
            if !self.views.goals.contains_key(goal) {
                self.views.goals.insert(goal.to_owned(), GoalView::default());
            }
            if let Some(view) = self.views.goals.get_mut(goal) {
                take(view, told);
            }
        }
        for parent in &told.detail.parents {
            let view = self.views.goals.entry(parent.clone()).or_default();
            view.status = Some(GoalStatus::Done);
            view.updated_at = Some(told.ts);
        }
        items::take(&mut self.inbox, told);
    }

    /// Where `goals.yaml` does not say what the log says, in the order of ids.
    pub fn disagreements(&self, all: &[Placed<'_>]) -> Vec<Disagreement> {
        let in_file: std::collections::BTreeMap<&str, GoalStatus> =
            all.iter().map(|placed| (placed.goal.id.as_str(), placed.goal.status)).collect();
        let told = self.views.goals.iter().filter_map(|(id, view)| Some((id, view.status?)));
        told.filter_map(|(id, events)| {
            let goals_yaml = in_file.get(id.as_str()).copied();
            let differ = goals_yaml != Some(events);
            differ.then(|| Disagreement { goal_id: id.clone(), events, goals_yaml })
        })
        .collect()
    }
}

fn take(view: &mut GoalView, told: &Told<'_>) {
    let detail = &told.detail;
    let set = |place: &mut Option<String>, value: Option<&str>| {
        if let Some(value) = value {
            let text = place.get_or_insert_default();
            text.clear();
            text.push_str(value);
        }
    };
    set(&mut view.title, detail.title.as_deref());
    view.updated_at = Some(told.ts);
    match told.kind.as_ref() {
        "GOAL_STARTED" => view.status = Some(GoalStatus::Active),
        "RETRIED" => {
            view.status = Some(GoalStatus::Active);
            view.blocked_reason = None;
        }
        "ATTEMPT_JUDGED" => {
            view.attempts += 1;
            let passed = detail.class.as_deref().is_some_and(|class| class.starts_with("complete"));
            view.passed += u32::from(passed);
            set(&mut view.last_class, detail.class.as_deref());
            set(&mut view.last_reason, detail.reason.as_deref());
        }
        "ATTEMPT_SETTLED" => {
            set(&mut view.saved, detail.saved.as_ref().map(|saved| saved.name.as_str()));
        }
        "GOAL_DONE" => {
            view.status = Some(GoalStatus::Done);
            view.blocked_reason = None;
        }
        "GOAL_BLOCKED" => {
            view.status = Some(GoalStatus::Blocked);
            set(&mut view.blocked_reason, detail.reason.as_deref());
        }
        "STATUS_SET" => {
            view.status = detail.status.or(view.status);
            if detail.status != Some(GoalStatus::Blocked) {
                view.blocked_reason = None;
            }
        }
        _ => {}
    }
}
