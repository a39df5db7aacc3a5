//! The view of a run: its documents and those of the runs before it, kept up to date change by
//! change.

use std::collections::BTreeMap;

use crate::docs::document;
use crate::docs::run::{
    CatalogRow, Decision, DecisionLine, DefaultPhase, PhaseRow, ProcessRun, ProposedInstruction,
    ProposedInstructions, RunEvent, RunFailure, RunRequest, StageRow, TaskResult, TaskRow,
    ToolTaskRow, UserInstruction,
};
use crate::driver::{Delta, Patched, Taken};
use crate::flows::run::layout;
use crate::flows::run::register::{Faults, Register, Sheet, Touched};
use crate::flows::run::told::Told;
use crate::formats::ndjson::{self, LogLines};
use crate::formats::source::Source;
use crate::formats::table::{Row, read_rows};
use crate::ids::RunId;
use crate::steps::{EffectResult, StepKey};
use crate::store::{DocPath, Identity, Seen};

/// A table that may be missing or unreadable.
pub type Kept<T> = Option<Result<T, Faults>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    pub runs: Kept<Register<ProcessRun>>,
    pub instructions: Kept<Register<UserInstruction>>,
    pub catalog: Kept<Register<CatalogRow>>,
    pub template: Kept<Vec<DefaultPhase>>,
    pub own: Own,
    /// The number of the last event.
    pub events: u64,
    pub lengths: BTreeMap<DocPath, u64>,
    /// Results of effects that no commit has used yet.
    pub results: BTreeMap<StepKey, EffectResult>,
}

/// The documents of the run itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Own {
    pub request: Option<RunRequest>,
    pub phases: Kept<Sheet<PhaseRow>>,
    pub stages: Kept<Sheet<StageRow>>,
    pub tasks: Kept<Sheet<TaskRow>>,
    pub tools: Kept<Sheet<ToolTaskRow>>,
    pub feedback: Option<Known<Vec<u8>>>,
    pub proposed: Kept<Known<Vec<ProposedInstruction>>>,
    /// The bytes of `instructions.json`, to keep them when a new proposal comes.
    pub proposed_bytes: Vec<u8>,
    /// How many earlier proposals are kept.
    pub earlier: u32,
    pub decisions: Vec<DecisionLine>,
    pub results: BTreeMap<String, TaskResult>,
    pub failure: Option<RunFailure>,
    /// What the log says of it.
    pub told: Told,
}

/// A document and what it was when it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Known<T> {
    pub value: T,
    pub identity: Option<Identity>,
}

impl View {
    pub fn length(&self, path: &DocPath) -> Option<u64> {
        self.lengths.get(path).copied()
    }

    pub fn runs(&self) -> Option<&Register<ProcessRun>> {
        readable(self.runs.as_ref())
    }

    pub fn instructions(&self) -> Option<&Register<UserInstruction>> {
        readable(self.instructions.as_ref())
    }

    pub fn catalog(&self) -> Option<&Register<CatalogRow>> {
        readable(self.catalog.as_ref())
    }

    /// The same view without what files looked like when they were read, and without results that
    /// no document tells of.
    #[must_use]
    pub fn unstamped(mut self) -> Self {
        let own = &mut self.own;
        unstamp(&mut self.runs, Register::unstamp);
        unstamp(&mut self.instructions, Register::unstamp);
        unstamp(&mut self.catalog, Register::unstamp);
        unstamp(&mut own.phases, |sheet| sheet.register.unstamp());
        unstamp(&mut own.stages, |sheet| sheet.register.unstamp());
        unstamp(&mut own.tasks, |sheet| sheet.register.unstamp());
        unstamp(&mut own.tools, |sheet| sheet.register.unstamp());
        unstamp(&mut own.proposed, |known| known.identity = None);
        if let Some(feedback) = &mut own.feedback {
            feedback.identity = None;
        }
        self.results.clear();
        self
    }

    /// Everything that keeps the tables from being read, at once.
    pub fn faults(&self) -> Faults {
        let own = &self.own;
        let mut all = Vec::new();
        all.extend(faults(self.runs.as_ref()));
        all.extend(faults(self.instructions.as_ref()));
        all.extend(faults(self.catalog.as_ref()));
        all.extend(faults(self.template.as_ref()));
        all.extend(faults(own.phases.as_ref()));
        all.extend(faults(own.stages.as_ref()));
        all.extend(faults(own.tasks.as_ref()));
        all.extend(faults(own.tools.as_ref()));
        all.extend(faults(own.proposed.as_ref()));
        all
    }

    pub fn fold(&mut self, run: &RunId, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, bytes, seen } => self.document(run, path, bytes, *seen),
            Delta::Appended { path, at, bytes, seen } => {
                self.appended(run, path, *at, bytes, seen.identity());
            }
            Delta::Gone { path } => self.gone(run, path),
            Delta::Result { key, result } => {
                self.results.insert((*key).clone(), (*result).clone());
            }
        }
    }

    pub fn fold_patch(&mut self, run: &RunId, patch: &Patched<'_>) -> Taken {
        let Patched { path, at, bytes, seen } = *patch;
        let identity = seen.identity();
        let taken = match path.as_str() {
            layout::RUNS => patched(&mut self.runs, at, bytes, identity),
            layout::INSTRUCTIONS => patched(&mut self.instructions, at, bytes, identity),
            layout::CATALOG => patched(&mut self.catalog, at, bytes, identity),
            name => match layout::in_run(name, run) {
                Some(layout::PHASES) => patched_sheet(&mut self.own.phases, at, bytes, identity),
                Some(layout::STAGES) => patched_sheet(&mut self.own.stages, at, bytes, identity),
                Some(layout::TASKS) => patched_sheet(&mut self.own.tasks, at, bytes, identity),
                Some(layout::TOOLS) => patched_sheet(&mut self.own.tools, at, bytes, identity),
                _ => None,
            },
        };
        if taken.is_some() { Taken::Yes } else { Taken::No }
    }

    fn document(&mut self, run: &RunId, path: &DocPath, bytes: &[u8], seen: Seen) {
        let identity = seen.identity();
        match path.as_str() {
            layout::RUNS => renew(&mut self.runs, path, bytes, identity),
            layout::INSTRUCTIONS => renew(&mut self.instructions, path, bytes, identity),
            layout::CATALOG => renew(&mut self.catalog, path, bytes, identity),
            layout::TEMPLATE => {
                let source = Source::from_bytes(path.as_str(), bytes).map_err(|one| vec![one]);
                self.template = Some(source.and_then(|source| read_rows(&source)));
            }
            layout::LOG => {
                self.lengths.insert(path.clone(), bytes.len() as u64);
                self.own.told = Told::default();
                self.take_events(run, bytes);
            }
            name => {
                if let Some(rest) = layout::in_run(name, run) {
                    self.own.document(path, rest, bytes, identity);
                    if rest == layout::DECISIONS {
                        self.lengths.insert(path.clone(), bytes.len() as u64);
                    }
                }
            }
        }
    }

    fn appended(
        &mut self,
        run: &RunId,
        path: &DocPath,
        at: u64,
        bytes: &[u8],
        identity: Option<Identity>,
    ) {
        match path.as_str() {
            layout::RUNS => ended(&mut self.runs, at, bytes, identity),
            layout::INSTRUCTIONS => ended(&mut self.instructions, at, bytes, identity),
            layout::CATALOG => ended(&mut self.catalog, at, bytes, identity),
            layout::LOG => {
                self.lengths.insert(path.clone(), at + bytes.len() as u64);
                self.take_events(run, bytes);
            }
            name => match layout::in_run(name, run) {
                Some(layout::PHASES) => ended_sheet(&mut self.own.phases, at, bytes, identity),
                Some(layout::STAGES) => ended_sheet(&mut self.own.stages, at, bytes, identity),
                Some(layout::TASKS) => ended_sheet(&mut self.own.tasks, at, bytes, identity),
                Some(layout::TOOLS) => ended_sheet(&mut self.own.tools, at, bytes, identity),
                Some(layout::DECISIONS) => {
                    self.lengths.insert(path.clone(), at + bytes.len() as u64);
                    self.own.decisions.extend(ndjson::read(path.as_str(), bytes).0);
                }
                _ => {}
            },
        }
    }

    fn gone(&mut self, run: &RunId, path: &DocPath) {
        self.lengths.remove(path);
        match path.as_str() {
            layout::RUNS => self.runs = None,
            layout::INSTRUCTIONS => self.instructions = None,
            layout::CATALOG => self.catalog = None,
            layout::TEMPLATE => self.template = None,
            layout::LOG => self.own.told = Told::default(),
            name => {
                if let Some(rest) = layout::in_run(name, run) {
                    self.own.gone(rest);
                }
            }
        }
    }

    /// A result whose meaning is in the log is used up. Of other runs only the last number matters.
    fn take_events(&mut self, run: &RunId, bytes: &[u8]) {
        self.results.clear();
        self.own.told.take(run, bytes);
        let mut end = bytes.len();
        while end > 0 {
            let start =
                bytes[..end - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let line = LogLines::whole(layout::LOG, &bytes[start..end]).typed::<RunEvent>().next();
            if let Some(Ok((_, event))) = line {
                self.events = self.events.max(event.event_id.number());
                return;
            }
            end = start;
        }
    }
}

impl Own {
    pub fn phases(&self) -> &[PhaseRow] {
        readable(self.phases.as_ref()).map_or(&[], |sheet| &sheet.rows)
    }

    pub fn stages(&self) -> &[StageRow] {
        readable(self.stages.as_ref()).map_or(&[], |sheet| &sheet.rows)
    }

    pub fn tasks(&self) -> &[TaskRow] {
        readable(self.tasks.as_ref()).map_or(&[], |sheet| &sheet.rows)
    }

    pub fn tools(&self) -> &[ToolTaskRow] {
        readable(self.tools.as_ref()).map_or(&[], |sheet| &sheet.rows)
    }

    /// The proposal that is on the table, from 1; none before the first.
    pub fn proposal(&self) -> Option<u32> {
        self.feedback.as_ref().map(|_| self.proposals()).filter(|number| *number > 0)
    }

    /// How many proposals were made. The log says it: a file under a proposal's name may be a
    /// person's.
    pub fn proposals(&self) -> u32 {
        let by_files = || self.earlier + u32::from(self.feedback.is_some());
        self.told.proposals().unwrap_or_else(by_files)
    }

    /// What was decided about the proposal on the table.
    pub fn decision(&self) -> Option<&DecisionLine> {
        let number = self.proposal()?;
        self.decisions.iter().rev().find(|line| line.proposal == number)
    }

    pub fn is_confirmed(&self) -> bool {
        self.decision().is_some_and(|line| line.decision == Decision::Confirm)
    }

    fn document(&mut self, path: &DocPath, rest: &str, bytes: &[u8], identity: Option<Identity>) {
        match rest {
            layout::REQUEST => self.request = serde_json::from_slice(bytes).ok(),
            layout::PHASES => self.phases = Some(Sheet::read(path, bytes, identity)),
            layout::STAGES => self.stages = Some(Sheet::read(path, bytes, identity)),
            layout::TASKS => self.tasks = Some(Sheet::read(path, bytes, identity)),
            layout::TOOLS => self.tools = Some(Sheet::read(path, bytes, identity)),
            layout::FEEDBACK => self.feedback = Some(Known { value: bytes.to_vec(), identity }),
            layout::PROPOSED => {
                self.proposed_bytes = bytes.to_vec();
                let source = Source::from_bytes(path.as_str(), bytes).map_err(|one| vec![one]);
                let read =
                    source.and_then(|source| document::read::<ProposedInstructions>(&source));
                self.proposed = Some(read.map(|read| Known { value: read.value.0, identity }));
            }
            layout::DECISIONS => self.decisions = ndjson::read(path.as_str(), bytes).0,
            layout::FAILURE => self.failure = serde_json::from_slice(bytes).ok(),
            _ => {
                if let Some(task) = task_of_result(rest) {
                    let result = serde_json::from_slice(bytes).unwrap_or_default();
                    self.results.insert(task.to_owned(), result);
                } else if is_earlier(rest) {
                    self.earlier += 1;
                }
            }
        }
    }

    fn gone(&mut self, rest: &str) {
        match rest {
            layout::REQUEST => self.request = None,
            layout::PHASES => self.phases = None,
            layout::STAGES => self.stages = None,
            layout::TASKS => self.tasks = None,
            layout::TOOLS => self.tools = None,
            layout::FEEDBACK => self.feedback = None,
            layout::PROPOSED => self.proposed = None,
            layout::DECISIONS => self.decisions.clear(),
            layout::FAILURE => self.failure = None,
            _ => {
                if let Some(task) = task_of_result(rest) {
                    self.results.remove(task);
                }
            }
        }
    }
}

fn task_of_result(rest: &str) -> Option<&str> {
    rest.strip_prefix("results/")?.strip_suffix(".json")
}

fn is_earlier(rest: &str) -> bool {
    let number = rest.strip_prefix("feedback_for_user.").and_then(|rest| rest.strip_suffix(".md"));
    // Number 0 was there before the first proposal and is a person's.
    number.and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number > 0)
}

pub(super) fn readable<T>(kept: Option<&Result<T, Faults>>) -> Option<&T> {
    kept.and_then(|read| read.as_ref().ok())
}

fn faults<T>(kept: Option<&Result<T, Faults>>) -> Faults {
    kept.and_then(|read| read.as_ref().err()).cloned().unwrap_or_default()
}

fn unstamp<T>(kept: &mut Kept<T>, forget: impl FnOnce(&mut T)) {
    if let Some(Ok(table)) = kept {
        forget(table);
    }
}

/// A table that is known is compared, and read only where it differs.
fn renew<R: Row>(
    kept: &mut Kept<Register<R>>,
    path: &DocPath,
    bytes: &[u8],
    identity: Option<Identity>,
) {
    let taken = match kept {
        Some(Ok(register)) => register.take_whole(bytes, identity).is_some(),
        Some(Err(_)) | None => false,
    };
    if !taken {
        *kept = Some(Register::read(path, bytes, identity));
    }
}

fn patched<R: Row>(
    kept: &mut Kept<Register<R>>,
    at: u64,
    bytes: &[u8],
    identity: Option<Identity>,
) -> Option<Touched> {
    kept.as_mut()?.as_mut().ok()?.take_patch(at, bytes, identity)
}

fn patched_sheet<R: Row>(
    kept: &mut Kept<Sheet<R>>,
    at: u64,
    bytes: &[u8],
    identity: Option<Identity>,
) -> Option<Touched> {
    let sheet = kept.as_mut()?.as_mut().ok()?;
    let touched = sheet.register.take_patch(at, bytes, identity)?;
    sheet.take(touched).ok()?;
    Some(touched)
}

fn ended<R: Row>(kept: &mut Kept<Register<R>>, at: u64, bytes: &[u8], identity: Option<Identity>) {
    let Some(Ok(register)) = kept else { return };
    if let Err(faults) = register.take_end(at, bytes, identity) {
        *kept = Some(Err(faults));
    }
}

fn ended_sheet<R: Row>(
    kept: &mut Kept<Sheet<R>>,
    at: u64,
    bytes: &[u8],
    identity: Option<Identity>,
) {
    let Some(Ok(sheet)) = kept else { return };
    let taken = sheet.register.take_end(at, bytes, identity);
    if let Err(faults) = taken.and_then(|touched| sheet.take(touched)) {
        *kept = Some(Err(faults));
    }
}
