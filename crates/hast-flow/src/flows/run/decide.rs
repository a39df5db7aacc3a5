//! A run decides its next step here: this is the master control loop. Each decision looks at the
//! tables and names one step.

use crate::docs::call::CallFinding;
use crate::docs::run::{
    PhaseRow, ProcessRun, RunEventKind as Kind, RunMode, RunStatus, StageRow, TaskRow, WorkStatus,
};
use crate::driver::{Delta, Facts, Flow, Patched, Taken};
use crate::flows::run::policy::{ORCHESTRATOR, POLICY};
use crate::flows::run::view::View;
use crate::flows::run::write::Draft;
use crate::flows::run::{answering, ending, layout, phase_zero, planning, starting, work};
use crate::ids::RunId;
use crate::replies::{self, Asking};
use crate::roles::PolicyTable;
use crate::steps::{Answer, Call, Others, Place, Step, StepKey};
use crate::store::DocPath;
use serde_json::json;

/// A run and what it is asked to do.
#[derive(Clone, Debug)]
pub struct RunFlow {
    pub run: RunId,
    pub asked: Asked,
    pub max_regenerations: u32,
}

#[derive(Clone, Debug)]
pub enum Asked {
    /// Make it, and drive it.
    Start(NewRun),
    /// Go on with it.
    Resume(Confirm),
    /// Write down what a person said, and go no further.
    Answer(Said),
}

#[derive(Clone, Debug)]
pub struct NewRun {
    pub text: String,
    /// The mode, where somebody chose one.
    pub mode: Option<RunMode>,
    pub confirm: Confirm,
}

/// How a proposal is confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirm {
    /// By a person, later: the run waits.
    Wait,
    /// Any proposal, unseen.
    Yes,
    /// By what a person said.
    Said(Said),
}

/// What a person said about one proposal, and only about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub proposal: u32,
    pub answer: PersonsAnswer,
    /// Who it was, where it is known.
    pub operator: Option<String>,
}

impl Said {
    /// Whether the run is over then.
    pub fn cancels(&self) -> bool {
        matches!(self.answer, PersonsAnswer::Cancel(_))
    }

    /// What somebody at the terminal said.
    pub fn here(proposal: u32, answer: PersonsAnswer) -> Self {
        Self { proposal, answer, operator: None }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonsAnswer {
    Confirm,
    Modify(String),
    Cancel(String),
}

impl Flow for RunFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        layout::is_read(path.as_str(), is_dir, &self.run)
    }

    fn rests_on(&self, _: &View) -> Vec<DocPath> {
        let own = [layout::PHASES, layout::STAGES, layout::TASKS, layout::TOOLS];
        let own = own.map(|name| layout::of_run(&self.run, name));
        let shared = [layout::RUNS, layout::INSTRUCTIONS, layout::CATALOG].map(str::to_owned);
        shared.iter().chain(&own).filter_map(|path| layout::path(path)).collect()
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        view.fold(&self.run, delta);
    }

    fn fold_patch(&self, view: &mut View, patch: &Patched<'_>) -> Taken {
        view.fold_patch(&self.run, patch)
    }

    fn news(&self) -> Taken {
        Taken::Yes
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        let scene = Scene { flow: self, view, facts };
        let faults = view.faults();
        if !faults.is_empty() {
            return ending::unreadable(&scene, &faults);
        }
        let row = view.runs().and_then(|runs| runs.get(self.run.as_str()));
        let row = match row {
            Some(Ok(row)) => row,
            Some(Err(faults)) => return ending::unreadable(&scene, &faults),
            None => return starting::step(&scene),
        };
        if let Asked::Answer(said) = &self.asked {
            return answering::step(&scene, &row, said);
        }
        match row.status {
            RunStatus::Completed if view.own.told.lacks_the_end() => {
                ending::unfounded(&scene, &[self.run.to_string()])
            }
            RunStatus::Completed => ending::completed(&scene),
            RunStatus::Failed => ending::failed(&scene),
            RunStatus::AwaitingConfirmation => phase_zero::confirmation(&scene),
            RunStatus::Pending => scene.pending(&row),
        }
    }
}

/// Everything that a decision looks at.
#[derive(Clone, Copy)]
pub(super) struct Scene<'s> {
    pub(super) flow: &'s RunFlow,
    pub(super) view: &'s View,
    pub(super) facts: &'s Facts<'s>,
}

/// Where the loop stands.
#[derive(Clone, Copy)]
pub(super) struct Here<'s> {
    pub(super) phase: &'s PhaseRow,
    pub(super) stage: &'s StageRow,
    pub(super) task: &'s TaskRow,
}

impl<'s> Scene<'s> {
    pub(super) fn draft(&self, role: &'static str, reason: &str) -> Draft<'s> {
        Draft::new(self, role, reason)
    }

    /// A step of this run.
    pub(super) fn key(&self, unit: &str, step: &str) -> StepKey {
        StepKey::new(&[self.flow.run.as_str(), unit, step])
    }

    /// Asks until an answer keeps the rules, as often as is allowed.
    pub(super) fn ask<T>(
        &self,
        key: StepKey,
        call: impl FnOnce() -> Call,
        read: impl Fn(&Answer) -> Result<T, Vec<CallFinding>>,
    ) -> replies::Asked<T> {
        let asking = Asking {
            key,
            max_regenerations: self.flow.max_regenerations,
            results: &self.view.results,
            lang: self.facts.lang,
        };
        asking.ask(|| self.watched(call()), read)
    }

    /// Nothing but its outbox is a call's to write, and without a sandbox the project is watched.
    /// Tables are also people's to edit, and other runs may be driven beside this one.
    fn watched(&self, mut call: Call) -> Call {
        let run = &self.flow.run;
        if call.place == Place::Reading {
            call.place = Place::Within(Vec::new());
            let people = ["/db/*.md", "/db/templates/*.md", "/runs/*/db/*.md"].map(str::to_owned);
            let drivers = ["/db", "/runs", "/outputs"].map(str::to_owned);
            let own = [format!("!/runs/{run}"), format!("!/outputs/{run}")];
            call.others =
                Others { people: people.into(), drivers: drivers.into_iter().chain(own).collect() };
        }
        call
    }

    pub(super) fn output_phase(&self) -> Option<&'s PhaseRow> {
        let phases = self.view.own.phases();
        phases.iter().find(|phase| phase.phase_name == layout::OUTPUT_PHASE).or(phases.last())
    }

    /// A run that is worked on.
    fn pending(&self, row: &ProcessRun) -> Step {
        let own = &self.view.own;
        if own.phases.is_none() || own.stages.is_none() || own.tasks.is_none() {
            let none = own.phases.is_none() && own.stages.is_none() && own.tasks.is_none();
            return if none { phase_zero::plan(self) } else { ending::table_missing(self) };
        }
        let unfounded = own.told.unfounded(own);
        if !unfounded.is_empty() {
            return ending::unfounded(self, &unfounded);
        }
        self.select_phase(row)
    }

    /// 2.2.2.1: the first PENDING phase, in the order of its id.
    fn select_phase(&self, row: &ProcessRun) -> Step {
        let phases = self.view.own.phases();
        let pending = phases.iter().filter(|phase| phase.status == WorkStatus::Pending);
        let Some(phase) = pending.min_by_key(|phase| phase.phase_id.clone()) else {
            let done = phases.iter().all(|phase| phase.status == WorkStatus::Completed);
            return if done { ending::complete(self) } else { ending::contradictory(self) };
        };
        if row.current_phase_id.as_ref() != Some(&phase.phase_id) {
            let detail = [("phase_id", json!(phase.phase_id))];
            let planned = self.stages_of(phase).next().is_some();
            return self
                .draft(ORCHESTRATOR, "a phase begins")
                .at(Some(&phase.phase_id), None, None)
                .event(ORCHESTRATOR, Kind::PhaseStarted, &detail)
                .starts((!planned).then(|| planning::stages_key(self, phase)))
                .step();
        }
        self.select_stage(row, phase)
    }

    /// 2.2.2.2 and 2.2.2.3 (a): stages are planned once, then the first PENDING one is taken.
    fn select_stage(&self, row: &ProcessRun, phase: &'s PhaseRow) -> Step {
        if self.stages_of(phase).next().is_none() {
            return planning::stages(self, phase);
        }
        let pending = self.stages_of(phase).filter(|stage| stage.status == WorkStatus::Pending);
        let Some(stage) = pending.min_by_key(|stage| stage.execution_order) else {
            let failed = self.stages_of(phase).any(|stage| stage.status == WorkStatus::Failed);
            return if failed { ending::contradictory(self) } else { self.phase_done(phase) };
        };
        if row.current_stage_id.as_ref() != Some(&stage.stage_id) {
            let detail = [("stage_id", json!(stage.stage_id))];
            let planned = self.tasks_of(stage).next().is_some();
            return self
                .draft(ORCHESTRATOR, "a stage begins")
                .at(Some(&phase.phase_id), Some(&stage.stage_id), None)
                .event(ORCHESTRATOR, Kind::StageStarted, &detail)
                .starts((!planned).then(|| planning::tasks_key(self, stage)))
                .step();
        }
        self.select_task(row, phase, stage)
    }

    /// 2.2.2.3 (b) and (c): tasks are planned once, then the first PENDING one is taken.
    fn select_task(&self, row: &ProcessRun, phase: &'s PhaseRow, stage: &'s StageRow) -> Step {
        if self.tasks_of(stage).next().is_none() {
            return planning::tasks(self, phase, stage);
        }
        let pending = self.tasks_of(stage).filter(|task| task.status == WorkStatus::Pending);
        let Some(task) = pending.min_by_key(|task| task.execution_order) else {
            let failed = self.tasks_of(stage).any(|task| task.status == WorkStatus::Failed);
            return if failed {
                ending::contradictory(self)
            } else {
                self.stage_done(phase, stage)
            };
        };
        let here = Here { phase, stage, task };
        if let Some(step) = phase_zero::before(self, &here) {
            return step;
        }
        if row.current_task_id.as_ref() != Some(&task.task_id) {
            let detail = [("task_id", json!(task.task_id))];
            return self
                .draft(ORCHESTRATOR, "a task begins")
                .at(Some(&phase.phase_id), Some(&stage.stage_id), Some(&task.task_id))
                .event(ORCHESTRATOR, Kind::TaskStarted, &detail)
                .starts(work::first_key(self, &here))
                .step();
        }
        work::step(self, &here)
    }

    /// (d): the stage is COMPLETED, and the run points at none.
    fn stage_done(&self, phase: &PhaseRow, stage: &StageRow) -> Step {
        self.draft(ORCHESTRATOR, "a stage is completed")
            .stage(&stage.stage_id, WorkStatus::Completed)
            .at(Some(&phase.phase_id), None, None)
            .event(ORCHESTRATOR, Kind::StageCompleted, &[("stage_id", json!(stage.stage_id))])
            .step()
    }

    /// (e): the phase is COMPLETED, and the run points at none.
    fn phase_done(&self, phase: &PhaseRow) -> Step {
        self.draft(ORCHESTRATOR, "a phase is completed")
            .phase(&phase.phase_id, WorkStatus::Completed)
            .at(None, None, None)
            .event(ORCHESTRATOR, Kind::PhaseCompleted, &[("phase_id", json!(phase.phase_id))])
            .step()
    }

    fn stages_of(&self, phase: &'s PhaseRow) -> impl Iterator<Item = &'s StageRow> {
        let stages = self.view.own.stages().iter();
        stages.filter(move |stage| stage.phase_id == phase.phase_id)
    }

    fn tasks_of(&self, stage: &'s StageRow) -> impl Iterator<Item = &'s TaskRow> {
        let tasks = self.view.own.tasks().iter();
        tasks.filter(move |task| task.stage_id == stage.stage_id)
    }
}
