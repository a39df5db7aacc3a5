//! What a session's documents say, kept up to date change by change. Its size follows the plan;
//! what a decision looks at does not grow with finished work.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::docs::session::{
    Artifact, KnowledgeEntry, SessionEventKind as Kind, SessionStatus, Verdict,
};
use crate::driver::Delta;
use crate::flows::session::events::{Detail, Happened};
use crate::flows::session::index::{self, Index, Learnt};
use crate::flows::session::lanes::Plan;
use crate::flows::session::{events, layout, status};
use crate::ids::{EventId, Sha256, TaskId};
use crate::knowledge::{Book, Cause};
use crate::replies;
use crate::steps::{EffectResult, StepKey};
use crate::store::{DocPath, Identity, Seen};
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub life: Life,
    /// Events so far; the next id counts on.
    pub events: u64,
    /// The pointer as the log says it.
    pub pointer: SessionStatus,
    pub status: Option<StatusFile>,
    pub plan: Option<Plan>,
    pub index: IndexFile,
    pub knowledge: Book,
    /// Lengths of the logs that grow.
    pub lengths: BTreeMap<DocPath, u64>,
    pub query: String,
    pub progress: BTreeMap<TaskId, Progress>,
    pub has_answer: bool,
    pub started: Option<UtcTime>,
    /// What the last attempt of each task in hand made.
    pub made: BTreeMap<TaskId, Vec<Artifact>>,
    /// What of it is not there any more as it was made, by its place.
    pub astray: BTreeMap<String, Cause>,
    /// Why the last attempt of each task in hand failed.
    pub faults: BTreeMap<TaskId, Vec<String>>,
    /// Results of effects that no commit has used yet.
    pub results: BTreeMap<StepKey, EffectResult>,
}

/// `status.json` as it lies there: it is written from the log, so only what others added counts.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusFile {
    pub identity: Option<Identity>,
    /// Fields that are none of ours.
    pub others: serde_json::Map<String, Value>,
}

/// `context/index.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum IndexFile {
    #[default]
    Absent,
    Read(Index),
    /// It is there, and nobody can read it.
    Unreadable,
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

impl Default for View {
    fn default() -> Self {
        Self {
            life: Life::Unborn,
            events: 0,
            pointer: status::unborn(),
            status: None,
            plan: None,
            index: IndexFile::Absent,
            knowledge: Book::default(),
            lengths: BTreeMap::new(),
            query: String::new(),
            progress: BTreeMap::new(),
            has_answer: false,
            started: None,
            made: BTreeMap::new(),
            astray: BTreeMap::new(),
            faults: BTreeMap::new(),
            results: BTreeMap::new(),
        }
    }
}

impl View {
    pub fn last_event(&self) -> Option<&EventId> {
        self.pointer.last_event_id.as_ref()
    }

    pub fn length(&self, path: &DocPath) -> Option<u64> {
        self.lengths.get(path).copied()
    }

    pub fn fold(&mut self, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, bytes, seen } => self.document(path, bytes, *seen),
            Delta::Appended { path, at, bytes, seen } => match path.as_str() {
                layout::INDEX => {
                    self.take_index(|index| index.learn_end(*at, bytes, seen.identity()))
                }
                name => {
                    self.lengths.insert((*path).clone(), at + bytes.len() as u64);
                    if name == layout::LOG {
                        self.take_events(bytes);
                    }
                }
            },
            Delta::Gone { path } => self.gone(path),
            Delta::Result { key, result } => {
                self.results.insert((*key).clone(), (*result).clone());
            }
        }
    }

    fn document(&mut self, path: &DocPath, bytes: &[u8], seen: Seen) {
        let identity = seen.identity();
        match path.as_str() {
            layout::LOG => {
                self.lengths.insert(path.clone(), bytes.len() as u64);
                self.take_events(bytes);
            }
            layout::STATUS => self.take_status(bytes, identity),
            layout::INDEX => self.take_index(|index| index.learn(bytes, identity)),
            layout::DECOMPOSITION => {
                let document = serde_json::from_slice(bytes).ok();
                self.plan = document.map(|document| Plan::new(document, &self.progress));
                self.look_at_plan();
            }
            layout::USER_INPUT => self.query = String::from_utf8_lossy(bytes).into_owned(),
            layout::FINAL => {
                self.has_answer = true;
                replies::forget(&mut self.results, &finalize_key());
            }
            name if name.ends_with(".ndjson") || name == layout::CHANGE_LOG => {
                self.lengths.insert(path.clone(), bytes.len() as u64);
            }
            name if name.starts_with(layout::OUTPUTS) => {
                self.look_at_artifact(&format!("/{name}"), sha256(bytes).as_ref());
            }
            _ => {}
        }
    }

    fn gone(&mut self, path: &DocPath) {
        self.lengths.remove(path);
        match path.as_str() {
            layout::DECOMPOSITION => self.plan = None,
            layout::STATUS => self.status = None,
            layout::INDEX => {
                self.index = IndexFile::Absent;
                self.knowledge.clear_pieces();
            }
            layout::FINAL => self.has_answer = false,
            name if name.starts_with(layout::OUTPUTS) => {
                self.look_at_artifact(&format!("/{name}"), None);
            }
            _ => {}
        }
    }

    fn take_status(&mut self, bytes: &[u8], identity: Option<Identity>) {
        let mut others = serde_json::from_slice(bytes).unwrap_or(serde_json::Map::new());
        if let Some(id) = others.get("last_event_id").and_then(Value::as_str) {
            // If the log itself is lost, the counter goes on from here.
            let number = id.parse::<EventId>().map_or(0, |id| id.number());
            self.events = self.events.max(number);
        }
        others.retain(|name, _| !OWN_STATUS_FIELDS.contains(&name.as_str()));
        self.status = Some(StatusFile { identity, others });
    }

    fn take_index(&mut self, learn: impl FnOnce(&mut Index) -> Option<Learnt>) {
        let mut index = match std::mem::take(&mut self.index) {
            IndexFile::Read(index) => index,
            IndexFile::Absent | IndexFile::Unreadable => Index::default(),
        };
        let learnt = learn(&mut index);
        self.index = IndexFile::Read(index);
        match learnt {
            // New entries have their task in the plan, or it would not have passed.
            Some(Learnt::More(entries)) => self.add_pieces(&entries),
            Some(Learnt::All(entries)) => {
                self.knowledge.clear_pieces();
                self.add_pieces(&entries);
                self.look_at_plan();
            }
            None => {
                self.index = IndexFile::Unreadable;
                self.knowledge.clear_pieces();
            }
        }
    }

    fn add_pieces(&mut self, entries: &[KnowledgeEntry]) {
        for entry in entries {
            self.knowledge.add(index::piece(entry));
        }
    }

    /// A plan that drops a task takes its knowledge with it.
    fn look_at_plan(&mut self) {
        if let Some(plan) = &self.plan {
            self.knowledge.look_at_sources(|source| plan.has(source));
        }
    }

    /// What a task made may be changed or taken away by others before its review and after it.
    fn look_at_artifact(&mut self, artifact: &str, now: Option<&Sha256>) {
        self.knowledge.look_at(artifact, now);
        let mut made = self.made.values().flatten();
        let Some(made) = made.find(|made| made.artifact == artifact) else { return };
        let cause = match now {
            None => Cause::ArtifactGone,
            Some(now) if *now != made.sha256 => Cause::ArtifactChanged,
            // It is again what it was.
            Some(_) => {
                self.astray.remove(artifact);
                return;
            }
        };
        self.astray.insert(artifact.to_owned(), cause);
    }

    fn take_events(&mut self, bytes: &[u8]) {
        for event in events::read(bytes) {
            self.take_event(event);
        }
    }

    fn take_event(&mut self, event: Happened) {
        self.events = self.events.max(event.event_id.number());
        status::take(&mut self.pointer, &event);
        let stage = match event.kind {
            Kind::SessionCreated => {
                self.started = Some(event.ts);
                return self.life = Life::Planning;
            }
            Kind::PlanCreated => {
                replies::forget(&mut self.results, &plan_key());
                return self.life = Life::Working;
            }
            Kind::SessionCompleted => return self.life = Life::Completed,
            Kind::SessionFailed => return self.life = Life::Failed,
            Kind::TaskStarted => Stage::Started,
            Kind::TaskExecuted => Stage::Executed,
            Kind::TaskFailed => Stage::Failed,
            Kind::TaskReviewed if event.detail.verdict == Some(Verdict::Pass) => Stage::Passed,
            Kind::TaskReviewed => Stage::Failed,
            _ => return,
        };
        let Some(task) = event.detail.task_id.clone() else { return };
        let attempt = event.detail.attempt.unwrap_or(1);
        self.take_task_event(event, task, Progress { attempt, stage });
    }

    fn take_task_event(&mut self, event: Happened, task: TaskId, progress: Progress) {
        // A result whose meaning is in the log is used up.
        match event.kind {
            Kind::TaskExecuted | Kind::TaskFailed => {
                let key = task_key(&task, "execute", progress.attempt);
                replies::forget(&mut self.results, &key);
            }
            Kind::TaskReviewed => {
                let key = task_key(&task, "review", progress.attempt);
                replies::forget(&mut self.results, &key);
            }
            _ => {}
        }
        if event.kind == Kind::TaskExecuted {
            self.made.insert(task.clone(), event.detail.artifacts);
            self.knowledge.cite(task.as_str(), event.detail.cites);
        } else if progress.stage != Stage::Started {
            for made in self.made.remove(&task).into_iter().flatten() {
                self.astray.remove(&made.artifact);
            }
            let Detail { error, reasons, .. } = event.detail;
            self.faults.insert(task.clone(), error.into_iter().chain(reasons).collect());
        }
        if progress.stage == Stage::Passed {
            self.faults.remove(&task);
        }
        if let Some(plan) = &mut self.plan {
            plan.take(&task, progress.stage);
        }
        self.progress.insert(task, progress);
    }
}

const OWN_STATUS_FIELDS: [&str; 6] = [
    "system_status",
    "plan_major_version",
    "plan_revision",
    "current_task_id",
    "blocked_count",
    "last_event_id",
];

/// The step that makes the first plan.
pub(super) fn plan_key() -> StepKey {
    StepKey::new(&["plan", "1.1"])
}

pub(super) fn finalize_key() -> StepKey {
    StepKey::new(&["session", "finalize", "1"])
}

pub(super) fn task_key(task: &TaskId, step: &str, attempt: u32) -> StepKey {
    StepKey::new(&[task.as_str(), step, &attempt.to_string()])
}

/// The hash of a content, as documents print it.
pub fn sha256(bytes: &[u8]) -> Option<Sha256> {
    use sha2::Digest as _;
    let digest = sha2::Sha256::digest(bytes);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.parse().ok()
}
