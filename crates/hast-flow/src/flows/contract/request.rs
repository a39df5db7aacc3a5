//! One request as its events tell it, and `state.json` as their fold.

mod failure;
mod subtask;

pub use failure::{Back, Cause, Failure, Gate};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::attempt::base::ObjectId;
use crate::attempt::evidence::CallEnd;
use crate::attempt::workspace::Aside;
use crate::attempt::worktrees::Target;
use crate::docs::contract::{
    ContractEvent, ContractEventKind as Kind, ContractState, GateStatus, Gates, GlobalPhase,
    RequestState, RequestStatus, SubtaskPhase, SubtaskState, TaskState, TestOutcome, TestSummary,
    WorkStatus,
};
use crate::docs::document::Version;
use crate::ids::{ContractTaskId, ProjectHash, RequestId, Sha256, SubtaskId};
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub id: RequestId,
    pub text: String,
    /// Whose it is: a project that was moved or cloned takes the log of its former path along.
    pub project: Option<ProjectHash>,
    pub status: RequestStatus,
    pub phase: GlobalPhase,
    /// How often it was taken up again after a stop; questions are asked anew in each life.
    pub lives: u32,
    pub explored: bool,
    /// How often the planner broke it down.
    pub breakdowns: u32,
    pub merged: Option<Merged>,
    pub tasks: Vec<Task>,
    pub task_order: Vec<ContractTaskId>,
    pub current_task: Option<ContractTaskId>,
    pub stop: Option<Stopped>,
    /// What hast wrote, by path and content. Whatever else lies there is somebody else's.
    pub written: IndexMap<String, Sha256>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    pub assumptions: usize,
    pub refuted: usize,
}

impl Merged {
    /// Half or more refuted: the plan rests on what is not so.
    pub fn asks_again(self) -> bool {
        self.assumptions > 0 && self.refuted * 2 >= self.assumptions
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub id: ContractTaskId,
    pub name: String,
    pub status: WorkStatus,
    /// How often it was designed.
    pub designs: u32,
    /// Whether the last design still holds.
    pub designed: bool,
    pub current_subtask: Option<SubtaskId>,
    pub subtasks: Vec<Subtask>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Subtask {
    pub id: SubtaskId,
    pub name: String,
    pub status: WorkStatus,
    pub gates: Gates,
    /// Counted from 1; never starts again.
    pub round: u32,
    /// Rounds that failed since a person last took the request up.
    pub spent: u32,
    pub stage: Stage,
    /// The highest number that an attempt had.
    pub last_attempt: u32,
    /// The attempt whose tests passed GATE-1.
    pub tests: Option<Tests>,
    /// Files of the design's `to_create` and `to_modify` that the implementation wrote which passed GATE-3;
    /// none where an earlier version of hast did not say.
    pub built: Option<Vec<String>>,
    pub failures: Vec<Failure>,
    /// Commits that were made for it.
    pub commits: Vec<ObjectId>,
    /// Where it goes when it is complete: what the user had checked out when its tests were begun.
    pub onto: Option<Target>,
    /// What was taken out of the room.
    pub returns: Vec<SetAside>,
}

/// What did not count is on a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    pub saved: String,
    /// What was too large for the ref, and where it is now.
    pub aside: Vec<Aside>,
}

/// Where a subtask is.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// Tests are to be written; with the attempt that is under way.
    TestFirst {
        attempt: Option<Attempt>,
    },
    /// GATE-1 is passed; the tests are to be committed.
    TestsPassed {
        judged: Judged,
    },
    Implementation {
        attempt: Option<Attempt>,
    },
    /// GATE-3 is passed; the architect looks at the work.
    Review {
        judged: Judged,
    },
    /// Nothing was judged where there was nothing to implement.
    Verification {
        judged: Option<Judged>,
        tested: Option<Tested>,
    },
    /// GATE-2 is passed; the work is to be committed.
    Passed {
        judged: Option<Judged>,
    },
    /// A gate failed; what there is gets saved and goes back.
    Failing {
        attempt: Option<u32>,
        to: Back,
    },
    Complete,
}

impl Stage {
    pub fn phase(&self) -> SubtaskPhase {
        match self {
            Self::TestFirst { .. } | Self::TestsPassed { .. } => SubtaskPhase::TestFirst,
            Self::Failing { to: Back::TestFirst | Back::Design, .. } => SubtaskPhase::TestFirst,
            Self::Implementation { .. } | Self::Review { .. } | Self::Failing { .. } => {
                SubtaskPhase::Implementation
            }
            Self::Verification { .. } | Self::Passed { .. } => SubtaskPhase::Verification,
            Self::Complete => SubtaskPhase::Complete,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    pub number: u32,
    /// How its agent ended.
    pub ended: Option<CallEnd>,
}

/// What an attempt was judged on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    pub attempt: u32,
    pub at: UtcTime,
    pub head: ObjectId,
    pub tree: ObjectId,
    pub commit_tree: ObjectId,
    pub uncommitted: bool,
}

/// The tests that passed GATE-1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tests {
    pub attempt: u32,
    pub kind: TestKind,
    pub sha256: Sha256,
    /// The commit that has them, once it is made; the implementation begins there.
    pub commit: Option<ObjectId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestKind {
    /// They fail without the code.
    Red,
    /// Their targets were there already: nothing is to be implemented.
    Green,
    /// An analysis; its evidence is a file.
    Checklist,
}

/// What the suite said in a verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    pub command: String,
    pub at: UtcTime,
    pub result: TestOutcome,
    pub summary: TestSummary,
    pub failed_tests: Vec<String>,
    /// Reports that it wrote and that cannot be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// Files of the design that nobody would create any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Files of the design that are to be built, where no implementation of the task has written one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unbuilt: Vec<String>,
    /// The end of what it printed.
    pub tail: String,
}

impl Tested {
    /// Whether the files that the design wants are there and somebody has built them.
    pub fn is_built(&self) -> bool {
        self.missing.is_empty() && self.unbuilt.is_empty()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    pub by: Option<Cause>,
    pub reason: String,
    pub subtask: Option<SubtaskId>,
}

/// Fields of an event, by name.
#[derive(Clone, Copy)]
struct Detail<'e>(&'e Map<String, Value>);

impl<'e> Detail<'e> {
    fn text(self, key: &str) -> Option<&'e str> {
        self.0.get(key)?.as_str()
    }

    fn number(self, key: &str) -> u32 {
        let number = self.0.get(key).and_then(Value::as_u64);
        number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
    }

    fn read<T: serde::de::DeserializeOwned>(self, key: &str) -> Option<T> {
        self.0.get(key).cloned().and_then(|value| serde_json::from_value(value).ok())
    }
}

/// How `TASKS_LAID_OUT` names a task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Named<I> {
    pub(super) id: I,
    pub(super) name: String,
    #[serde(default = "Vec::new")]
    pub(super) subtasks: Vec<NamedSubtask>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NamedSubtask {
    pub(super) id: SubtaskId,
    pub(super) name: String,
}

/// A document and what it holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Written {
    pub(super) path: String,
    pub(super) sha256: Sha256,
}

const NEW_GATES: Gates = Gates {
    gate_1: GateStatus::Pending,
    gate_2: GateStatus::Pending,
    gate_3: Some(GateStatus::Pending),
    gate_4: Some(GateStatus::Pending),
};

impl Request {
    pub fn new(id: RequestId, text: String) -> Self {
        Self {
            id,
            text,
            project: None,
            status: RequestStatus::Active,
            phase: GlobalPhase::GlobalDiscovery,
            lives: 0,
            explored: false,
            breakdowns: 0,
            merged: None,
            tasks: Vec::new(),
            task_order: Vec::new(),
            current_task: None,
            stop: None,
            written: IndexMap::new(),
        }
    }

    /// Whether it is a project's, as far as anybody knows.
    pub fn is_of(&self, project: &ProjectHash) -> bool {
        self.project.as_ref().is_none_or(|own| own == project)
    }

    pub fn task(&self, id: &ContractTaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == *id)
    }

    /// The task and subtask that are worked on.
    pub fn current(&self) -> Option<(&Task, Option<&Subtask>)> {
        let task = self.task(self.current_task.as_ref()?)?;
        let subtask = task.current_subtask.as_ref();
        Some((task, subtask.and_then(|id| task.subtasks.iter().find(|one| one.id == *id))))
    }

    /// The next task that has not begun.
    pub fn next_task(&self) -> Option<&Task> {
        let mut tasks = self.task_order.iter().filter_map(|id| self.task(id));
        tasks.find(|task| task.status == WorkStatus::Pending)
    }

    pub fn take(&mut self, event: &ContractEvent) {
        let detail = Detail(&event.detail);
        for path in detail.read::<Vec<String>>("archived").unwrap_or_default() {
            self.written.shift_remove(&path);
        }
        for one in detail.read::<Vec<Written>>("files").unwrap_or_default() {
            let of = || one.path.strip_prefix("sessions/")?.split('/').next()?.parse().ok();
            self.project = self.project.take().or_else(of);
            self.written.insert(one.path, one.sha256);
        }
        match event.kind {
            Kind::RequestStarted => self.project = detail.read("project"),
            Kind::KnowledgeLearned | Kind::DocumentsRestored | Kind::InboxActed => {}
            Kind::Explored => self.explored = true,
            Kind::BrokenDown => self.breakdowns = detail.number("number"),
            Kind::Merged => self.merged = detail.read("merged"),
            Kind::TasksLaidOut => self.lay_out(detail, event.ts),
            Kind::RequestCompleted => {
                self.status = RequestStatus::Completed;
                self.phase = GlobalPhase::Complete;
                self.current_task = None;
            }
            Kind::RequestStopped => {
                self.status = RequestStatus::Stopped;
                let reason = detail.text("reason").unwrap_or_default().to_owned();
                let (by, subtask) = (detail.read("by"), detail.read("subtask_id"));
                self.stop = Some(Stopped { by, reason, subtask });
            }
            Kind::RequestResumed => self.resume(),
            _ => self.take_in_task(event.kind, detail, event.ts),
        }
    }

    fn lay_out(&mut self, detail: Detail<'_>, at: UtcTime) {
        let named: Vec<Named<ContractTaskId>> = detail.read("tasks").unwrap_or_default();
        let subtask = |named: NamedSubtask| Subtask {
            id: named.id,
            name: named.name,
            status: WorkStatus::Pending,
            gates: NEW_GATES,
            round: 1,
            spent: 0,
            stage: Stage::TestFirst { attempt: None },
            last_attempt: 0,
            tests: None,
            built: None,
            failures: Vec::new(),
            commits: Vec::new(),
            onto: None,
            returns: Vec::new(),
        };
        let task = |named: Named<ContractTaskId>| Task {
            id: named.id,
            name: named.name,
            status: WorkStatus::Pending,
            designs: 0,
            designed: false,
            current_subtask: None,
            subtasks: named.subtasks.into_iter().map(subtask).collect(),
            created_at: at,
            updated_at: at,
        };
        self.tasks = named.into_iter().map(task).collect();
        self.task_order = detail.read("task_order").unwrap_or_default();
        self.phase = GlobalPhase::TaskLoop;
    }

    /// A person took it up again: every subtask has its rounds before it.
    fn resume(&mut self) {
        self.status = RequestStatus::Active;
        self.stop = None;
        self.lives += 1;
        let subtasks = self.tasks.iter_mut().flat_map(|task| &mut task.subtasks);
        subtasks.for_each(|subtask| subtask.spent = 0);
    }

    fn take_in_task(&mut self, kind: Kind, detail: Detail<'_>, at: UtcTime) {
        let subtask: Option<SubtaskId> = detail.read("subtask_id");
        let id = subtask.as_ref().map(SubtaskId::task).or_else(|| detail.read("task_id"));
        let Some(task) = self.tasks.iter_mut().find(|task| Some(&task.id) == id.as_ref()) else {
            return;
        };
        task.updated_at = at;
        match kind {
            Kind::TaskStarted => {
                task.status = WorkStatus::InProgress;
                self.current_task = Some(task.id.clone());
            }
            Kind::Designed => {
                task.designs = detail.number("number");
                task.designed = true;
            }
            Kind::TaskCompleted => {
                task.status = WorkStatus::Completed;
                task.current_subtask = None;
            }
            _ => {
                let Some(id) = subtask else { return };
                match kind {
                    Kind::SubtaskStarted => task.current_subtask = Some(id.clone()),
                    Kind::SentBack if detail.read("to") == Some(Back::Design) => {
                        task.designed = false;
                    }
                    _ => {}
                }
                if let Some(one) = task.subtasks.iter_mut().find(|one| one.id == id) {
                    one.take(kind, detail);
                }
            }
        }
    }

    /// `state.json`.
    pub fn state(&self) -> ContractState {
        ContractState {
            version: Version,
            request: RequestState {
                id: self.id.clone(),
                original_request: self.text.clone(),
                status: self.status,
                current_task: self.current_task.clone(),
                global_phase: self.phase,
            },
            tasks: self.tasks.iter().map(|task| (task.id.clone(), task.state())).collect(),
            task_order: self.task_order.clone(),
        }
    }
}

impl Task {
    /// Whether an implementation that passed GATE-3 and GATE-4 wrote one of these files.
    pub fn has_built(&self, wanted: &[String]) -> bool {
        self.subtasks.iter().any(|one| {
            let gates = [one.gates.gate_3, one.gates.gate_4];
            let passed = gates.iter().all(|gate| *gate == Some(GateStatus::Passed));
            let written = |built: &Vec<String>| built.iter().any(|path| wanted.contains(path));
            passed && one.built.as_ref().is_none_or(written)
        })
    }

    fn state(&self) -> TaskState {
        let state = |one: &Subtask| SubtaskState {
            name: one.name.clone(),
            status: one.status,
            phase: one.stage.phase(),
            gates: one.gates,
        };
        TaskState {
            name: self.name.clone(),
            status: self.status,
            current_subtask: self.current_subtask.clone(),
            subtasks: self.subtasks.iter().map(|one| (one.id.clone(), state(one))).collect(),
            subtask_order: self.subtasks.iter().map(|one| one.id.clone()).collect(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}
