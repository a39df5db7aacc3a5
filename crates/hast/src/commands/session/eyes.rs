//! How a session is shown while it is worked on: its tasks as a tree, with what happens to each.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hast_flow::docs::session::{DataSource, PlanTask, SystemStatus};
use hast_flow::flows::session::View;
use hast_flow::flows::session::view::{Life, Progress, Stage};
use hast_flow::ids::TaskId;
use hast_flow::words::Lang;

use crate::commands::driving::Eyes;
use crate::progress::board::{Row, State, elapsed};
use crate::session_messages::say;

/// Something that happened.
pub(crate) enum Change {
    Planned { tasks: usize },
    Replanned { version: String },
    Fetched { task: TaskId, title: String },
    Rejected { task: TaskId, why: String },
    Failed { task: TaskId, why: String },
    Passed { task: TaskId },
}

/// Watches one session.
pub(crate) struct SessionEyes {
    lang: Lang,
    known: BTreeMap<TaskId, Progress>,
    version: Option<(u32, u32)>,
    events: u64,
    /// Since when each task is in hand.
    begun: BTreeMap<TaskId, Instant>,
    /// How long those took that passed.
    took: BTreeMap<TaskId, Duration>,
    /// What is said about a change beyond the rows.
    pub(crate) comment: Option<fn(&Change, Lang) -> String>,
}

impl SessionEyes {
    pub(crate) fn new(lang: Lang) -> Self {
        Self {
            lang,
            known: BTreeMap::new(),
            version: None,
            events: 0,
            begun: BTreeMap::new(),
            took: BTreeMap::new(),
            comment: None,
        }
    }

    /// Takes the time of what is in hand; what passed is in hand no more.
    fn time(&mut self, view: &View) {
        let Some(plan) = &view.plan else { return };
        for task in plan.in_hand() {
            self.begun.entry(task.id.clone()).or_insert_with(Instant::now);
        }
        let took = &mut self.took;
        self.begun.retain(|id, since| {
            let passed = plan.has_passed(id);
            if passed {
                took.insert(id.clone(), since.elapsed());
            }
            !passed && plan.has(id.as_str())
        });
    }

    /// What is different from the last look.
    fn changes(&mut self, view: &View) -> Vec<Change> {
        // Nothing happens without an event; looking at the plan for each decision would cost more
        // with each task.
        if view.events == self.events || self.comment.is_none() {
            return Vec::new();
        }
        self.events = view.events;
        let mut changes = Vec::new();
        let Some(plan) = &view.plan else { return changes };
        let (major, revision) = (plan.document.major_version, plan.document.revision);
        match self.version.replace((major, revision)) {
            None => changes.push(Change::Planned { tasks: plan.making() }),
            Some(before) if before != (major, revision) => {
                changes.push(Change::Replanned { version: format!("{major}.{revision}") });
            }
            Some(_) => {}
        }
        for (id, progress) in &view.progress {
            let before = self.known.insert(id.clone(), *progress);
            if before == Some(*progress) {
                continue;
            }
            changes.extend(change(view, plan.task(id), id, before, *progress));
        }
        changes
    }
}

fn change(
    view: &View,
    task: Option<&PlanTask>,
    id: &TaskId,
    before: Option<Progress>,
    now: Progress,
) -> Option<Change> {
    let task = task?;
    let why = || view.faults.get(id).map(|faults| faults.join("; ")).unwrap_or_default();
    let id = id.clone();
    match now.stage {
        Stage::Executed if task.data_sources != [DataSource::Synthesis] => {
            Some(Change::Fetched { task: id, title: task.title.clone() })
        }
        Stage::Passed => Some(Change::Passed { task: id }),
        Stage::Failed if before.is_some_and(|before| before.stage == Stage::Executed) => {
            Some(Change::Rejected { task: id, why: why() })
        }
        Stage::Failed => Some(Change::Failed { task: id, why: why() }),
        Stage::Waiting | Stage::Started | Stage::Executed => None,
    }
}

impl Eyes<View> for SessionEyes {
    fn rows(&self, view: &View) -> Vec<Row> {
        let part = |id: &str, title: String, state| Row {
            id: id.to_owned(),
            title,
            state,
            ..Row::default()
        };
        let tasks = view.plan.iter().flat_map(|plan| &plan.document.tasks);
        let mut rows: Vec<Row> =
            tasks.map(|task| row(view, task, self.took.get(&task.id), self.lang)).collect();
        let lang = self.lang;
        match (view.life, view.pointer.system_status) {
            (Life::Planning, _) => rows.push(part("plan", say::planning(lang), State::Running)),
            (Life::Working, SystemStatus::Replanning) => {
                rows.push(part("plan", say::replanning(lang), State::Running));
            }
            (Life::Working, _) => {
                if view.plan.as_ref().is_some_and(|plan| plan.is_worked_off()) {
                    let title =
                        if view.has_answer() { say::judging(lang) } else { say::answering(lang) };
                    rows.push(part("session", title, State::Running));
                }
            }
            (Life::Completed, _) => rows.push(part("session", say::answering(lang), State::Done)),
            (Life::Unborn | Life::Failed, _) => {}
        }
        rows
    }

    fn turn(&mut self, view: &View) -> Vec<String> {
        self.time(view);
        let lang = self.lang;
        let Some(say) = self.comment else { return Vec::new() };
        self.changes(view).iter().map(|change| say(change, lang)).collect()
    }
}

fn row(view: &View, task: &PlanTask, took: Option<&Duration>, lang: Lang) -> Row {
    let progress = view.progress.get(&task.id);
    let passed = view.plan.as_ref().is_some_and(|plan| plan.has_passed(&task.id));
    let state = match progress.map(|progress| progress.stage) {
        _ if passed => State::Done,
        None | Some(Stage::Waiting | Stage::Passed) => State::Waiting,
        Some(Stage::Started | Stage::Executed) => State::Running,
        Some(Stage::Failed) => State::Failed,
    };
    let again = progress.filter(|progress| progress.attempt > 1);
    Row {
        depth: usize::try_from(task.level.saturating_sub(1)).unwrap_or(0),
        id: task.id.to_string(),
        title: task.title.clone(),
        state,
        detail: took
            .map(|took| elapsed(*took))
            .into_iter()
            .chain(again.map(|progress| say::attempt(lang, progress.attempt)))
            .collect::<Vec<_>>()
            .join(" · "),
        ..Row::default()
    }
}
