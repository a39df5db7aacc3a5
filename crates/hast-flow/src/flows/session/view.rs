//! The view of a session: its documents, kept up to date change by change. Its size follows the
//! plan. The part that a decision looks at does not grow with finished work.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::docs::session::{
    Answer, Artifact, Decomposition, KnowledgeEntry, Question, RoutingState, RunLogLine,
    SessionStatus, SourceRecord, SummaryUsage, SystemStatus,
};
use crate::driver::Delta;
use crate::flows::session::events::About;
use crate::flows::session::index::{self, Index, Learnt};
use crate::flows::session::lanes::Plan;
use crate::flows::session::told::{AnswerFile, ToldByPerson};
use crate::flows::session::{layout, status};
use crate::formats::ndjson::LogLines;
use crate::ids::{EventId, QuestionId, SessionId, Sha256, TaskId};
use crate::knowledge::{Book, Cause};
use crate::replies;
use crate::steps::{EffectResult, StepKey};
use crate::store::{DocPath, Identity, Seen};
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub life: Life,
    pub session: Option<SessionId>,
    /// Events so far; the next id counts on.
    pub events: u64,
    /// How the next event names the last line of the log.
    pub link: Option<String>,
    /// The pointer as the log says it.
    pub pointer: SessionStatus,
    pub status: Option<StatusFile>,
    pub plan: Option<Plan>,
    pub plan_files: PlanFiles,
    pub routing: Routing,
    pub index: IndexFile,
    pub knowledge: Book,
    /// Lengths of the logs that grow.
    pub lengths: BTreeMap<DocPath, u64>,
    pub query: String,
    pub system_prompt: String,
    pub review_rules: String,
    pub progress: BTreeMap<TaskId, Progress>,
    /// The last attempt of each task that the run logs tell of.
    pub tried: BTreeMap<TaskId, u32>,
    /// Raw answers that are kept.
    pub sources: BTreeSet<Sha256>,
    /// Raw answers behind each data task, of its last attempt.
    pub origins: BTreeMap<TaskId, (u32, Vec<SourceRecord>)>,
    /// `output/final.md` as it lies there.
    pub answer: Option<AnswerFile>,
    /// How often an answer was written, and why the critic did not take those before the last.
    pub answered: usize,
    pub refused: Vec<String>,
    pub started: Option<UtcTime>,
    pub usage: SummaryUsage,
    /// What the last attempt of each task in hand made.
    pub made: BTreeMap<TaskId, Vec<Artifact>>,
    /// What the attempt before made that did not pass, of each synthesis.
    pub drafts: BTreeMap<TaskId, Vec<String>>,
    /// The content of it, by its place, as it was last looked at.
    pub contents: BTreeMap<String, Vec<u8>>,
    /// What of it is not there any more as it was made, by its place.
    pub astray: BTreeMap<String, Cause>,
    /// What is wrong with it before anybody reviews it.
    pub unfit: BTreeMap<TaskId, Vec<String>>,
    /// Why the last attempt of each task in hand failed, and what a person said about it.
    pub faults: BTreeMap<TaskId, Vec<String>>,
    /// Names in `output/artifacts/`.
    pub copies: BTreeSet<String>,
    /// The index as the log tells it.
    pub promoted: Vec<KnowledgeEntry>,
    /// What just passed, until the log names it.
    pub passing: Vec<Artifact>,
    /// Why the planner has to revise its plan.
    pub wanted: Option<Wanted>,
    /// The event in which a person last asked for another plan.
    pub wished: u64,
    pub questions: BTreeMap<QuestionId, QuestionFile>,
    /// Questions since the session was last taken up, by the log.
    pub pending: BTreeMap<QuestionId, Pending>,
    /// The last question's number.
    pub asked: u64,
    /// How often plan, answer and verdict were taken up again.
    pub again: BTreeMap<&'static str, u32>,
    /// What a person said to questions of roles; it stays.
    pub told: Vec<ToldByPerson>,
    pub failed_because: String,
    /// Results of effects that no commit has used yet.
    pub results: BTreeMap<StepKey, EffectResult>,
}

/// `status.json` as it lies there: it is written from the log, so only what others added counts.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusFile {
    pub identity: Option<Identity>,
    /// Fields that are none of ours.
    pub others: serde_json::Map<String, Value>,
    /// Whether it can be read and none of its fields is ours: a person's file under our name.
    pub is_foreign: bool,
}

/// The files of the plan, and what the log says of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanFiles {
    /// What lies there now.
    pub found: Option<Sha256>,
    /// What the last event about the plan says.
    pub said: Option<Sha256>,
    pub has_metadata: bool,
    pub snapshots: Vec<String>,
    /// The newest plan of the archive, where it was looked at.
    pub archived: Option<Decomposition>,
}

/// `context/state.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routing {
    pub state: RoutingState,
    pub identity: Option<Identity>,
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
    /// Since the plan was last revised.
    pub failures: u32,
    /// How often its review was taken up again with a person's answer.
    pub asked: u32,
    pub stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Not begun under this plan.
    Waiting,
    Started,
    Executed,
    Failed,
    Passed,
}

/// Why the plan has to be revised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub reason: String,
    pub by: Whose,
}

/// Who wants another plan: a person declares that this one is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Failures,
    Person,
}

/// A question as its files have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionFile {
    pub question: String,
    pub answer: Option<String>,
    /// Who answered, where they said so.
    pub operator: Option<String>,
}

/// A question as the log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub about: About,
    pub task: Option<TaskId>,
    pub file: Option<String>,
    pub answer: Option<String>,
}

impl Default for View {
    fn default() -> Self {
        Self {
            life: Life::Unborn,
            session: None,
            events: 0,
            link: None,
            pointer: status::unborn(),
            status: None,
            plan: None,
            plan_files: PlanFiles::default(),
            routing: Routing::default(),
            index: IndexFile::Absent,
            knowledge: Book::default(),
            lengths: BTreeMap::new(),
            query: String::new(),
            system_prompt: String::new(),
            review_rules: String::new(),
            progress: BTreeMap::new(),
            tried: BTreeMap::new(),
            sources: BTreeSet::new(),
            origins: BTreeMap::new(),
            answer: None,
            answered: 0,
            refused: Vec::new(),
            started: None,
            usage: SummaryUsage::default(),
            made: BTreeMap::new(),
            drafts: BTreeMap::new(),
            contents: BTreeMap::new(),
            astray: BTreeMap::new(),
            unfit: BTreeMap::new(),
            faults: BTreeMap::new(),
            copies: BTreeSet::new(),
            promoted: Vec::new(),
            passing: Vec::new(),
            wanted: None,
            wished: 0,
            questions: BTreeMap::new(),
            pending: BTreeMap::new(),
            asked: 0,
            again: BTreeMap::new(),
            told: Vec::new(),
            failed_because: String::new(),
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

    pub fn is_blocked(&self) -> bool {
        self.pointer.system_status == SystemStatus::Blocked
    }

    /// Whether a session was here and its log does not tell of one. A person's file proves none.
    pub fn has_lost_its_log(&self) -> bool {
        let proves = |file: &StatusFile| !file.is_foreign || self.plan_files.found.is_some();
        self.life == Life::Unborn && self.status.as_ref().is_some_and(proves)
    }

    /// The number of a task's next attempt. Directories that are there are never used again.
    pub fn next_attempt(&self, task: &TaskId) -> u32 {
        let begun = self.progress.get(task).map_or(0, |progress| progress.attempt);
        begun.max(self.tried.get(task).copied().unwrap_or(0)) + 1
    }

    /// The session's name.
    pub fn id(&self, now: UtcTime) -> SessionId {
        let fallback = || SessionId::at(self.started.unwrap_or(now));
        self.session.clone().unwrap_or_else(fallback)
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
                    } else if name.starts_with(layout::RUN_LOGS) {
                        self.take_run_lines(bytes);
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
        let text = || String::from_utf8_lossy(bytes).into_owned();
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
                self.plan_files.found = Some(Sha256::of(bytes));
                self.look_at_plan();
            }
            layout::METADATA => self.plan_files.has_metadata = true,
            layout::ROUTING => {
                let state = serde_json::from_slice(bytes).unwrap_or_default();
                self.routing = Routing { state, identity };
            }
            layout::USER_INPUT => self.query = text(),
            layout::SYSTEM_PROMPT => self.system_prompt = text(),
            layout::REVIEW_RULES => self.review_rules = text(),
            layout::FINAL => {
                self.answer = Some(AnswerFile { bytes: bytes.to_vec(), identity });
                let key = self.finalize_key();
                replies::forget(&mut self.results, &key);
            }
            name if name.starts_with(layout::ARCHIVE) => {
                self.plan_files.archived = serde_json::from_slice(bytes).ok();
            }
            name if name.starts_with(layout::QUESTIONS) => self.take_question(name, bytes),
            name if name.ends_with(".ndjson") || name == layout::CHANGE_LOG => {
                self.lengths.insert(path.clone(), bytes.len() as u64);
                if name.starts_with(layout::RUN_LOGS) {
                    self.take_run_lines(bytes);
                }
            }
            name if name.starts_with(layout::OUTPUTS) => {
                self.look_at_artifact(&format!("/{name}"), Some(bytes));
            }
            _ => {}
        }
    }

    fn gone(&mut self, path: &DocPath) {
        self.lengths.remove(path);
        match path.as_str() {
            layout::DECOMPOSITION => (self.plan, self.plan_files.found) = (None, None),
            layout::METADATA => self.plan_files.has_metadata = false,
            layout::STATUS => self.status = None,
            layout::ROUTING => self.routing = Routing::default(),
            layout::INDEX => {
                self.index = IndexFile::Absent;
                self.knowledge.clear_pieces();
            }
            layout::FINAL => self.answer = None,
            name if name.starts_with(layout::OUTPUTS) => {
                self.look_at_artifact(&format!("/{name}"), None);
            }
            _ => {}
        }
    }

    fn take_status(&mut self, bytes: &[u8], identity: Option<Identity>) {
        let read: Option<serde_json::Map<String, Value>> = serde_json::from_slice(bytes).ok();
        let (is_readable, mut others) = (read.is_some(), read.unwrap_or_default());
        if let Some(id) = others.get("last_event_id").and_then(Value::as_str) {
            // If the log itself is lost, the counter goes on from here.
            let number = id.parse::<EventId>().map_or(0, |id| id.number());
            self.events = self.events.max(number);
        }
        let fields = others.len();
        others.retain(|name, _| !OWN_STATUS_FIELDS.contains(&name.as_str()));
        let is_foreign = is_readable && others.len() == fields;
        self.status = Some(StatusFile { identity, others, is_foreign });
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
    fn look_at_artifact(&mut self, artifact: &str, content: Option<&[u8]>) {
        let now = content.map(Sha256::of);
        self.knowledge.look_at(artifact, now.as_ref());
        let mut made = self.made.values().flatten();
        let Some(made) = made.find(|made| made.artifact == artifact) else { return };
        let cause = match (now, content) {
            (Some(now), Some(content)) if now == made.sha256 => {
                // As it was made, or again what it was.
                self.astray.remove(artifact);
                self.contents.insert(artifact.to_owned(), content.to_vec());
                return;
            }
            (Some(_), _) => Cause::ArtifactChanged,
            (None, _) => Cause::ArtifactGone,
        };
        self.contents.remove(artifact);
        self.astray.insert(artifact.to_owned(), cause);
    }

    fn take_question(&mut self, name: &str, bytes: &[u8]) {
        let (question, answer) =
            (serde_json::from_slice::<Question>(bytes), serde_json::from_slice::<Answer>(bytes));
        if name.ends_with(".answer.json") {
            let Ok(answer) = answer else { return };
            let file = self.questions.entry(answer.id).or_default();
            (file.answer, file.operator) = (Some(answer.answer), answer.operator);
        } else if let Ok(question) = question {
            self.asked = self.asked.max(question.id.number());
            self.questions.entry(question.id).or_default().question = question.question;
        }
    }

    fn take_run_lines(&mut self, bytes: &[u8]) {
        for line in LogLines::whole(layout::RUN_LOGS, bytes).flatten() {
            let Ok(line) = serde_json::from_str::<RunLogLine>(line.text) else { continue };
            let attempt = line.attempt.unwrap_or(1);
            let tried = self.tried.entry(line.task_id.clone()).or_default();
            *tried = (*tried).max(attempt);
            self.sources.extend(line.sources.iter().map(|source| source.sha256.clone()));
            if line.sources.is_empty() {
                continue;
            }
            let (of, sources) = self.origins.entry(line.task_id).or_default();
            if *of != attempt {
                (*of, *sources) = (attempt, Vec::new());
            }
            sources.extend(line.sources);
        }
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

/// The hash of a content, as documents print it.
pub fn sha256(bytes: &[u8]) -> Option<Sha256> {
    Some(Sha256::of(bytes))
}
