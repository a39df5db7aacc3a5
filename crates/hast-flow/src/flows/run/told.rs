//! The fold of the log for one run. It is compared with the tables, because any program or person
//! can edit a table alone.

use std::collections::BTreeSet;

use memchr::{memchr, memmem, memrchr};

use crate::docs::run::{RunEvent, RunEventKind as Kind, WorkStatus};
use crate::flows::run::layout;
use crate::flows::run::view::Own;
use crate::formats::ndjson::LogLines;
use crate::ids::RunId;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Whether the log goes back to where the run began. One that was archived since does not.
    begun: bool,
    ended: Option<Kind>,
    /// Phases, stages, tasks and tool tasks that were completed.
    completed: BTreeSet<String>,
    /// How often a person decided, or a proposal was outdated.
    decisions: usize,
    /// What was planned or proposed, so that its files have to be there.
    planned: BTreeSet<Kind>,
    /// The number of the last proposal.
    proposals: u32,
}

impl Told {
    /// Takes the lines that are about this run; a log holds those of all runs.
    pub fn take(&mut self, run: &RunId, bytes: &[u8]) {
        let mut read = 0;
        for at in memmem::find_iter(bytes, run.as_str()) {
            if at < read {
                continue;
            }
            let start = memrchr(b'\n', &bytes[..at]).map_or(0, |at| at + 1);
            read = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
            let line = LogLines::whole(layout::LOG, &bytes[start..read]);
            let event = line.typed::<RunEvent>().next().and_then(Result::ok);
            if let Some((_, event)) = event.filter(|(_, event)| run_of(event) == Some(run.as_str()))
            {
                self.take_event(&event);
            }
        }
    }

    /// Takes one event of this run.
    pub fn take_event(&mut self, event: &RunEvent) {
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        let unit = match event.kind {
            Kind::RunCreated => {
                self.begun = true;
                None
            }
            Kind::RunCompleted | Kind::RunFailed => {
                self.ended = Some(event.kind);
                None
            }
            Kind::PhaseCompleted => text("phase_id"),
            Kind::StageCompleted => text("stage_id"),
            Kind::TaskCompleted => text("task_id"),
            Kind::ToolTaskCompleted => text("tool_task_id"),
            Kind::Confirmed | Kind::ModificationAsked | Kind::ProposalOutdated => {
                self.decisions += 1;
                None
            }
            Kind::PhaseZeroPlanned | Kind::ToolTasksPlanned | Kind::ProposalMade => {
                self.planned.insert(event.kind);
                let number = event.detail.get("proposal").and_then(serde_json::Value::as_u64);
                let number = number.and_then(|number| u32::try_from(number).ok());
                self.proposals = self.proposals.max(number.unwrap_or(0));
                None
            }
            Kind::PhaseStarted
            | Kind::StagesPlanned
            | Kind::StageStarted
            | Kind::TasksPlanned
            | Kind::TaskStarted
            | Kind::TaskExecuted
            | Kind::DeliverablesPublished => None,
        };
        self.completed.extend(unit.map(str::to_owned));
    }

    /// Whether the log knows the whole of it, and not that it was completed.
    pub fn lacks_the_end(&self) -> bool {
        self.begun && self.ended != Some(Kind::RunCompleted)
    }

    /// What the tables call COMPLETED and the log does not. Nothing where the log does not go back
    /// far enough to say.
    pub fn unfounded(&self, own: &Own) -> Vec<String> {
        if !self.begun {
            return Vec::new();
        }
        completed(own).filter(|id| !self.completed.contains(id)).collect()
    }

    /// What the log calls completed and the tables do not.
    pub fn undone(&self, own: &Own) -> Vec<&str> {
        let done: BTreeSet<String> = completed(own).collect();
        let lost = self.completed.iter().filter(|id| !done.contains(*id));
        lost.map(String::as_str).collect()
    }

    /// Whether the log tells of it from its beginning on.
    pub fn is_begun(&self) -> bool {
        self.begun
    }

    /// How the log says it ended.
    pub fn ended(&self) -> Option<Kind> {
        self.ended
    }

    /// How many proposals were made; none where the log does not go back far enough to say.
    pub fn proposals(&self) -> Option<u32> {
        self.begun.then_some(self.proposals)
    }

    pub fn decisions(&self) -> usize {
        self.decisions
    }

    /// Whether this was planned or proposed.
    pub fn has(&self, kind: Kind) -> bool {
        self.planned.contains(&kind)
    }
}

/// The run that an event is about.
pub fn run_of(event: &RunEvent) -> Option<&str> {
    event.detail.get("run_id").and_then(|value| value.as_str())
}

/// What the tables call COMPLETED. Ids of phases, stages, tasks and tool tasks are never alike.
fn completed(own: &Own) -> impl Iterator<Item = String> {
    let done = |status: WorkStatus| status == WorkStatus::Completed;
    let phases = own.phases().iter().filter(move |row| done(row.status));
    let stages = own.stages().iter().filter(move |row| done(row.status));
    let tasks = own.tasks().iter().filter(move |row| done(row.status));
    let tools = own.tools().iter().filter(move |row| done(row.status));
    phases
        .map(|row| row.phase_id.to_string())
        .chain(stages.map(|row| row.stage_id.to_string()))
        .chain(tasks.map(|row| row.task_id.to_string()))
        .chain(tools.map(|row| row.tool_task_id.to_string()))
}
