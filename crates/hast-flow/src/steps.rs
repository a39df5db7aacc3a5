//! Steps: what a flow asks for, and what came of it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::agents::asking::Further;
use crate::agents::outcome::FailureClass;
use crate::agents::resume_time::ResumeTime;
use crate::agents::usage::Usage;
use crate::attempt::base::ObjectId;
use crate::attempt::evidence::TestRun;
use crate::attempt::workspace::{GitResult, GitStep};
use crate::attempt::worktrees::{WorktreeResult, WorktreeStep};
use crate::docs::call::CallFinding;
use crate::docs::examples::Values;
use crate::docs::session::RoutingState;
use crate::leases::{LeaseResult, LeaseStep};
use crate::store::{DocPath, Put};
use crate::time::UtcTime;
use crate::tools::FailureRecord;

/// Names a step by what it is about, so that the same files name the same step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepKey(Box<str>);

impl StepKey {
    pub fn new(parts: &[&str]) -> Self {
        Self(parts.join("/").into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a flow wants next. A decision returns exactly one.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Change documents.
    Commit(Commit),
    /// Ask the world for something; its result is seen by a later decision. Asking for what is
    /// already on its way means: wait for whatever comes back next.
    Effect { key: StepKey, effect: Effect },
    /// Nothing more to do now.
    Finish(Ending),
}

/// A change of documents in the name of a role, with the steps it begins and ends. Their records
/// ride in the same commit, so that an effect costs no sync of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    pub role: &'static str,
    pub reason: String,
    pub puts: Vec<Put>,
    pub starts: Vec<StepKey>,
    pub finishes: Vec<StepKey>,
}

/// What only the world can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Call(Box<Call>),
    Tools(Vec<ToolUse>),
    Git(Box<GitStep>),
    Check(Check),
    Worktree(Box<WorktreeStep>),
    Lease(LeaseStep),
    /// Git or a check in a linked work tree at this path below the root.
    Within {
        tree: DocPath,
        effect: Box<Effect>,
    },
    Scan(Scan),
}

/// A look at files, and at all below directories. What is not there is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    pub paths: Vec<DocPath>,
    /// How many first bytes of each file are wanted.
    pub head: usize,
}

/// A file that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    pub path: DocPath,
    pub size: u64,
    /// As many of its first bytes as were wanted.
    pub head: Vec<u8>,
}

/// A run of the test command in the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub command: String,
    /// What is in the tree; the result holds for this and for nothing else.
    pub tree: ObjectId,
    pub limit_seconds: u64,
}

/// One call of an agent in a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub role: String,
    pub step: &'static str,
    pub unit: String,
    pub attempt: u32,
    /// How often the reply was asked for again because it broke its schema.
    pub regeneration: u32,
    pub prompt: String,
    /// Documents that the role may read and that the call is about.
    pub inputs: Vec<DocPath>,
    /// Those without which it is not begun.
    pub needs: Vec<DocPath>,
    /// The files that must come back.
    pub expected: Vec<Expected>,
    /// What the examples of these files have to say here.
    pub shown: Values,
    /// Whether result files may lie beside them.
    pub further: Further,
    /// What was wrong with the last reply.
    pub findings: Vec<CallFinding>,
    /// The files of that reply: inputs of this call.
    pub rejected: BTreeMap<String, Vec<u8>>,
    pub place: Place,
    /// What somebody else may change meanwhile, where the project is watched.
    pub others: Others,
    /// What the flow cannot go on without: put back after the call where nothing kept the agent from it.
    pub keeps: Vec<Keep>,
    /// The flow's own ids, by their names in `call.json`.
    pub ids: BTreeMap<&'static str, String>,
    /// The agent that the unit asks for.
    pub tool: Option<String>,
    pub handoff_path: Option<String>,
    /// Overrides what the configuration says.
    pub timeout: Option<Duration>,
}

impl Call {
    /// A first call of a role that only reads and expects nothing back.
    pub fn new(role: &str, step: &'static str, unit: &str, prompt: String) -> Self {
        Self {
            role: role.to_owned(),
            step,
            unit: unit.to_owned(),
            attempt: 1,
            regeneration: 0,
            prompt,
            inputs: Vec::new(),
            needs: Vec::new(),
            expected: Vec::new(),
            shown: Values::new(),
            further: Further::None,
            findings: Vec::new(),
            rejected: BTreeMap::new(),
            place: Place::Reading,
            others: Others::default(),
            keeps: Vec::new(),
            ids: BTreeMap::new(),
            tool: None,
            handoff_path: None,
            timeout: None,
        }
    }
}

/// A document, or all below a directory, that has to be there after a call as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    pub path: DocPath,
    pub how: KeepHow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepHow {
    /// Others may write it meanwhile.
    There,
    /// The same, and git tracks it: not even its date may change.
    OfPeople,
    /// It only ever grows.
    Growing,
    Same,
}

/// What changes beside a call and is not its doing, as `.gitignore` writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// People edit these at any time. Whether an edit can stand is for the flow to see.
    pub people: Vec<String>,
    /// Other drivers of the same root commit these: nothing of it changed if none has committed.
    pub drivers: Vec<String>,
}

/// Where an agent works, which decides what it may write besides its outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere: it only reads.
    Reading,
    /// A directory with copies of its inputs. The flow's own documents are not shown to it.
    Copies,
    /// The user's own checkout.
    Checkout,
    /// The project, and of it only what these patterns name, as `.gitignore` writes them. What else
    /// changes while the call runs is its failure.
    Within(Vec<String>),
    /// The room of the unit that the last part of this path names.
    Worktree(DocPath),
    /// The same room, only to read.
    Viewing(DocPath),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    pub name: String,
    pub needed: Needed,
    /// The document type, by its name in the registry.
    pub schema: Option<&'static str>,
}

impl Expected {
    pub fn required(name: impl Into<String>) -> Self {
        Self { name: name.into(), needed: Needed::Required, schema: None }
    }

    pub fn optional(name: impl Into<String>) -> Self {
        Self { name: name.into(), needed: Needed::Optional, schema: None }
    }

    #[must_use]
    pub fn of(mut self, schema: &'static str) -> Self {
        self.schema = Some(schema);
        self
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    Required,
    Optional,
}

/// One use of a tool without a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    pub name: String,
    pub args: serde_json::Map<String, serde_json::Value>,
    /// What arguments that are omitted are about.
    pub state: RoutingState,
}

/// What a tool gave: one document, and the raw answers it was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAnswer {
    pub bytes: Vec<u8>,
    pub sources: Vec<ToolSource>,
}

impl ToolAnswer {
    /// A document that came from nowhere else.
    pub fn of(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), sources: Vec::new() }
    }
}

/// What a server sent, and where and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSource {
    /// Without secrets.
    pub url: String,
    pub fetched_at: UtcTime,
    pub media: String,
    pub bytes: Vec<u8>,
}

/// What came of an effect.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectResult {
    Call(CallResult),
    /// One for each use, in their order.
    Tools(Vec<Result<ToolAnswer, FailureRecord>>),
    Git(GitResult),
    Check(TestRun),
    Worktree(WorktreeResult),
    Lease(LeaseResult),
    /// The files that are there; or why they could not be looked at.
    Scan(Result<Vec<Scanned>, String>),
    /// A source may not be asked before a time, or is down; no attempt is spent.
    Later(Later),
}

/// A data source that cannot be asked now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Later {
    pub source: String,
    pub cause: String,
    pub until: ResumeTime,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallResult {
    Completed(Answer),
    /// Files are missing or break their schema; they may be asked for again.
    Broken {
        findings: Vec<CallFinding>,
        /// What was there instead, by name.
        left: BTreeMap<String, Vec<u8>>,
        usage: Usage,
    },
    Failed {
        class: FailureClass,
        reason: String,
    },
    Blocked {
        reason: String,
    },
    /// The agent may not be called before this time; no attempt is spent.
    Limited {
        agent: String,
        until: ResumeTime,
    },
    /// A person has to log in; trying again without that is useless.
    LoginNeeded {
        agent: String,
        advice: String,
    },
    /// Nothing ran: a missing program, a place that cannot be written to.
    NotStarted {
        reason: String,
        next: String,
    },
    /// Nothing ran: the budget is used up.
    OverBudget {
        reason: String,
        next: String,
    },
    /// hast was interrupted. The call never counts.
    Cancelled,
}

/// What an agent gave back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub documents: BTreeMap<String, Vec<u8>>,
    /// Files that lay beside them and that nobody asked for by name.
    pub others: BTreeMap<String, Vec<u8>>,
    /// Its last words.
    pub text: String,
    pub usage: Usage,
    /// What it was not allowed to do, in words for a person.
    pub denied: Option<String>,
}

/// How driving a unit ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    Done(Notice),
    Failed(Notice),
    Blocked(Notice),
    Waiting {
        notice: Notice,
        on: WaitsFor,
    },
    /// hast was asked to stop. Nothing is lost; the same command goes on.
    Interrupted(Notice),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    Person,
    Time(UtcTime),
    /// The time at which a data source is asked again.
    Source(UtcTime),
}

/// What happened, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub what: String,
    pub next: String,
}
