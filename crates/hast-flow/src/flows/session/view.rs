//! What a session's documents say, kept up to date change by change. Its size follows the plan;
//! what a decision looks at does not grow with finished work.

use std::collections::BTreeMap;

use crate::docs::session::{
    ArtifactManifest, Decomposition, KnowledgeIndex, PlanTask, SessionEvent, SessionEventKind,
    SessionStatus, Verdict,
};
use crate::driver::Delta;
use crate::flows::session::layout;
use crate::formats::ndjson;
use crate::ids::{EventId, TaskId};
use crate::steps::{EffectResult, StepKey};
use crate::store::{DocPath, Identity, Seen};
use crate::time::UtcTime;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    pub life: Life,
    pub last_event: Option<EventId>,
    /// Events so far; the next id counts on.
    pub events: u64,
    pub status: Option<Known<SessionStatus>>,
    pub plan: Option<Plan>,
    pub index: Option<Known<KnowledgeIndex>>,
    /// Lengths of the logs that grow.
    pub lengths: BTreeMap<DocPath, u64>,
    pub query: String,
    pub progress: BTreeMap<TaskId, Progress>,
    pub has_answer: bool,
    pub started: Option<UtcTime>,
    /// What each attempt of a task made.
    pub manifests: BTreeMap<(TaskId, u32), ArtifactManifest>,
    /// Results of effects that no commit has used yet.
    pub results: BTreeMap<StepKey, EffectResult>,
}

/// A document and what it was when it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Known<T> {
    pub value: T,
    pub identity: Option<Identity>,
}

/// How far the session is, by its log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Life {
    #[default]
    Unborn,
    Planning,
    Working,
    Completed,
    Failed,
}

/// The plan in the order of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub document: Decomposition,
    /// Indices of tasks that make something, dependencies and children first.
    pub order: Vec<usize>,
    /// Everything before this place in `order` has passed.
    pub cursor: usize,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub attempt: u32,
    pub stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Started,
    Executed,
    Failed,
    Passed,
}

impl View {
    /// The task to work on, if one is left.
    pub fn current(&self) -> Option<(&PlanTask, Option<Progress>)> {
        let plan = self.plan.as_ref()?;
        let task = plan.document.tasks.get(*plan.order.get(plan.cursor)?)?;
        Some((task, self.progress.get(&task.id).copied()))
    }

    pub fn length(&self, path: &DocPath) -> Option<u64> {
        self.lengths.get(path).copied()
    }

    pub fn fold(&mut self, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, bytes, seen } => self.document(path, bytes, *seen),
            Delta::Appended { path, at, bytes } => {
                self.lengths.insert((*path).clone(), at + bytes.len() as u64);
                if path.as_str() == layout::LOG {
                    self.take_events(bytes);
                }
            }
            Delta::Gone { path } => {
                self.lengths.remove(*path);
                if path.as_str() == layout::DECOMPOSITION {
                    self.plan = None;
                }
            }
            Delta::Result { key, result } => {
                self.results.insert((*key).clone(), (*result).clone());
            }
        }
    }

    fn document(&mut self, path: &DocPath, bytes: &[u8], seen: Seen) {
        let identity = match seen {
            Seen::File(identity) => Some(identity),
            Seen::Absent | Seen::Log { .. } => None,
        };
        match path.as_str() {
            layout::LOG => {
                self.lengths.insert(path.clone(), bytes.len() as u64);
                self.take_events(bytes);
            }
            layout::STATUS => {
                self.status =
                    serde_json::from_slice(bytes).ok().map(|value| Known { value, identity });
            }
            layout::INDEX => {
                self.index =
                    serde_json::from_slice(bytes).ok().map(|value| Known { value, identity });
            }
            layout::DECOMPOSITION => {
                self.plan = serde_json::from_slice(bytes).ok().map(Plan::new);
                self.advance();
            }
            layout::USER_INPUT => self.query = String::from_utf8_lossy(bytes).into_owned(),
            layout::FINAL => self.has_answer = true,
            name if name.ends_with("/artifact_manifest.json") => self.manifest(name, bytes),
            name if name.ends_with(".ndjson") || name == layout::CHANGE_LOG => {
                self.lengths.insert(path.clone(), bytes.len() as u64);
            }
            _ => {}
        }
    }

    fn manifest(&mut self, path: &str, bytes: &[u8]) {
        let Ok(manifest) = serde_json::from_slice::<ArtifactManifest>(bytes) else { return };
        let attempt = path.rsplit('/').nth(1).and_then(|name| name.strip_prefix("attempt-"));
        let attempt = attempt.and_then(|number| number.parse().ok()).unwrap_or(1);
        self.manifests.insert((manifest.task_id.clone(), attempt), manifest);
    }

    fn take_events(&mut self, bytes: &[u8]) {
        // A bad line is skipped here and told by `verify`; a torn one is cut off by recovery.
        let (events, _) = ndjson::read::<SessionEvent>(layout::LOG, bytes);
        for event in events {
            self.take_event(&event);
        }
        self.advance();
    }

    fn take_event(&mut self, event: &SessionEvent) {
        self.events = self.events.max(event.event_id.number());
        self.last_event = Some(event.event_id.clone());
        let task = || event.detail.get("task_id")?.as_str()?.parse::<TaskId>().ok();
        let attempt = event.detail.get("attempt").and_then(serde_json::Value::as_u64);
        let attempt = attempt.and_then(|attempt| u32::try_from(attempt).ok()).unwrap_or(1);
        let stage = match event.kind {
            SessionEventKind::SessionCreated => {
                self.started = Some(event.ts);
                return self.life = Life::Planning;
            }
            SessionEventKind::PlanCreated => {
                self.results.clear();
                return self.life = Life::Working;
            }
            SessionEventKind::SessionCompleted => return self.life = Life::Completed,
            SessionEventKind::SessionFailed => return self.life = Life::Failed,
            SessionEventKind::TaskStarted => Stage::Started,
            SessionEventKind::TaskExecuted => Stage::Executed,
            SessionEventKind::TaskFailed => Stage::Failed,
            SessionEventKind::TaskReviewed if is_pass(event) => Stage::Passed,
            SessionEventKind::TaskReviewed => Stage::Failed,
            _ => return,
        };
        if let Some(task) = task() {
            self.progress.insert(task, Progress { attempt, stage });
        }
        // A result whose meaning is in the log is used up.
        self.results.clear();
    }

    /// Moves the cursor over what has passed: each task once in the life of a view.
    fn advance(&mut self) {
        let Some(plan) = &mut self.plan else { return };
        while let Some(&index) = plan.order.get(plan.cursor) {
            let id = &plan.document.tasks[index].id;
            if self.progress.get(id).map(|progress| progress.stage) != Some(Stage::Passed) {
                break;
            }
            plan.cursor += 1;
        }
    }
}

impl Plan {
    /// Dependencies before dependants, children before parents, then the listed order.
    fn new(document: Decomposition) -> Self {
        let tasks = &document.tasks;
        let by_id: BTreeMap<&TaskId, usize> =
            tasks.iter().enumerate().map(|(index, task)| (&task.id, index)).collect();
        let mut before: Vec<Vec<usize>> = tasks
            .iter()
            .map(|task| task.deps.iter().filter_map(|id| by_id.get(id).copied()).collect())
            .collect();
        for (child, task) in tasks.iter().enumerate() {
            if let Some(&parent) = task.parent_id.as_ref().and_then(|id| by_id.get(id)) {
                before[parent].push(child);
            }
        }
        let mut order = Vec::with_capacity(tasks.len());
        let mut seen = vec![false; tasks.len()];
        for start in 0..tasks.len() {
            let mut open = vec![(start, 0)];
            while let Some((task, next)) = open.last_mut() {
                let task = *task;
                if *next == 0 && std::mem::replace(&mut seen[task], true) {
                    open.pop();
                    continue;
                }
                if let Some(&earlier) = before[task].get(*next) {
                    *next += 1;
                    if !seen[earlier] {
                        open.push((earlier, 0));
                    }
                } else {
                    order.push(task);
                    open.pop();
                }
            }
        }
        order.retain(|&task| !tasks[task].outputs.is_empty());
        Self { document, order, cursor: 0 }
    }
}

fn is_pass(event: &SessionEvent) -> bool {
    let verdict = event.detail.get("verdict").cloned().unwrap_or_default();
    serde_json::from_value(verdict).is_ok_and(|verdict: Verdict| verdict == Verdict::Pass)
}
