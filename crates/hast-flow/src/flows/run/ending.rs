//! How a run ends: completed and published, failed with every level marked in one commit, or stopped
//! because its tables cannot be read.

use serde_json::json;

use crate::agents::outcome::FailureClass;
use crate::docs::document::Version;
use crate::docs::run::{
    CatalogRow, DecisionLine, PhaseRow, Place, RunEventKind as Kind, RunFailure, RunStatus,
    StageRow, ToolTaskRow, WorkStatus,
};
use crate::flows::run::decide::{Here, Scene};
use crate::flows::run::policy::{COMMUNICATOR, EXECUTOR, ORCHESTRATOR, PLANNER};
use crate::flows::run::register::Faults;
use crate::flows::run::view::Own;
use crate::flows::run::write::{Draft, printed};
use crate::flows::run::{layout, phase_zero, prompts};
use crate::formats::source::MAX_DOCUMENT_BYTES;
use crate::steps::{
    CallResult, Effect, EffectResult, Ending, Notice, Scan, Scanned, Step, StepKey,
};

/// A failure signal: who failed, doing what, where and why.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    agent: &'static str,
    step: String,
    purpose: String,
    error: String,
    place: Place,
}

impl Failure {
    /// The planner could not plan.
    pub(super) fn planning(step: &str, purpose: &str, error: &str) -> Self {
        Self::of(PLANNER, step, purpose, error)
    }

    /// The executor could not do it.
    pub(super) fn executing(step: &str, purpose: &str, error: &str) -> Self {
        Self::of(EXECUTOR, step, purpose, error)
    }

    fn of(agent: &'static str, step: &str, purpose: &str, error: &str) -> Self {
        Self {
            agent,
            step: step.to_owned(),
            purpose: purpose.to_owned(),
            error: error.to_owned(),
            place: Place::default(),
        }
    }

    pub(super) fn at(mut self, phase: &PhaseRow) -> Self {
        self.place.phase_id = Some(phase.phase_id.clone());
        self
    }

    pub(super) fn in_stage(mut self, stage: &StageRow) -> Self {
        self.place.stage_id = Some(stage.stage_id.clone());
        self
    }

    pub(super) fn here(mut self, here: &Here<'_>) -> Self {
        self.place.task_id = Some(here.task.task_id.clone());
        self.at(here.phase).in_stage(here.stage)
    }

    pub(super) fn in_tool(mut self, tool: &ToolTaskRow) -> Self {
        self.place.tool_task_id = Some(tool.tool_task_id.clone());
        self
    }
}

/// 2.2.3: the most specific unit and everything above it is FAILED, in one commit, with the report.
pub(super) fn fail(scene: &Scene<'_>, failure: &Failure, steps: Vec<StepKey>) -> Step {
    failing(scene.draft(ORCHESTRATOR, "the run failed"), scene, failure).finishes(steps).step()
}

fn failing<'v>(mut draft: Draft<'v>, scene: &Scene<'v>, failure: &Failure) -> Draft<'v> {
    let place = &failure.place;
    if let Some(tool) = &place.tool_task_id {
        draft = draft.tool(tool.as_str(), WorkStatus::Failed);
    }
    if let Some(task) = &place.task_id {
        draft = draft.task(task, WorkStatus::Failed);
    }
    if let Some(stage) = &place.stage_id {
        draft = draft.stage(stage, WorkStatus::Failed);
    }
    if let Some(phase) = &place.phase_id {
        draft = draft.phase(phase, WorkStatus::Failed);
    }
    let report = RunFailure {
        version: Version,
        run_id: scene.flow.run.clone(),
        at: scene.facts.now,
        agent: failure.agent.to_owned(),
        step: failure.step.clone(),
        place: place.clone(),
        purpose: failure.purpose.clone(),
        error: failure.error.clone(),
    };
    let detail = [("place", json!(place)), ("error", json!(failure.error))];
    draft.status(RunStatus::Failed).create_here(layout::FAILURE, printed(&report)).event(
        ORCHESTRATOR,
        Kind::RunFailed,
        &detail,
    )
}

/// A task that could not be done.
pub(super) fn task_failed(
    scene: &Scene<'_>,
    here: &Here<'_>,
    step: &str,
    error: &str,
    steps: Vec<StepKey>,
) -> Step {
    let failure = Failure::executing(step, &here.task.task_purpose, error).here(here);
    fail(scene, &failure, steps)
}

/// The person wants no such run.
pub(super) fn cancel(scene: &Scene<'_>, line: &DecisionLine) -> Step {
    let lang = scene.facts.lang;
    let own = &scene.view.own;
    let (phases, stages) = (own.phases().iter(), own.stages().iter());
    let phase = phases.into_iter().find(|phase| phase.phase_id.as_str() == phase_zero::PHASE);
    let stage = stages.into_iter().find(|stage| stage.stage_id.as_str() == phase_zero::STAGE);
    let (Some(phase), Some(stage)) = (phase, stage) else { return contradictory(scene) };
    let why = match &line.text {
        None => prompts::cancelled(lang),
        Some(said) => prompts::cancelled_because(lang, said.trim()),
    };
    let purpose = prompts::proposal_purpose(lang);
    let failure = Failure::of(COMMUNICATOR, "confirm", &purpose, &why).at(phase).in_stage(stage);
    let draft = scene.draft(ORCHESTRATOR, "the run is cancelled").line(layout::DECISIONS, line);
    failing(draft, scene, &failure).step()
}

/// 2.2.4: the run is COMPLETED, points at nothing, and its deliverables are published.
pub(super) fn complete(scene: &Scene<'_>) -> Step {
    if !is_whole(&scene.view.own) {
        return contradictory(scene);
    }
    let outputs = layout::outputs(&scene.flow.run);
    let tasks = scene.view.own.tasks().iter().filter_map(|task| task.output_path.as_deref());
    let count = tasks.filter(|path| path.starts_with(&outputs)).count();
    match scene.output_phase().filter(|_| count == 0) {
        Some(phase) => publish(scene, phase),
        None => finish(scene.draft(EXECUTOR, "the run is completed"), count, Vec::new()),
    }
}

/// Whether everything below the phases is COMPLETED, and no phase or stage is empty.
fn is_whole(own: &Own) -> bool {
    let done = |status: WorkStatus| status == WorkStatus::Completed;
    let (stages, tasks) = (own.stages(), own.tasks());
    own.phases().iter().all(|phase| stages.iter().any(|stage| stage.phase_id == phase.phase_id))
        && stages.iter().all(|stage| tasks.iter().any(|task| task.stage_id == stage.stage_id))
        && stages.iter().all(|stage| done(stage.status))
        && tasks.iter().all(|task| done(task.status))
        && own.tools().iter().all(|tool| done(tool.status))
}

/// Files that one commit publishes.
const MOST_AT_ONCE: usize = 100;

/// No task delivered anything: the files of the last phase are the deliverables. Many of them are
/// published in several commits; the catalog knows those that are.
fn publish(scene: &Scene<'_>, phase: &PhaseRow) -> Step {
    let run = &scene.flow.run;
    let outputs = layout::outputs(run);
    let rows = scene.view.catalog().into_iter().flat_map(|table| table.rows());
    let before = rows.filter(|row| row.text(0).starts_with(&outputs)).count();
    let step = if before == 0 { "publish".to_owned() } else { format!("publish-{before}") };
    let key = scene.key(phase.phase_id.as_str(), &step);
    let place = layout::workspace(run, &phase.phase_name);
    let Some(result) = scene.view.results.get(&key) else {
        let paths = layout::path(place.trim_end_matches('/')).into_iter().collect();
        let effect = Effect::Scan(Scan { paths, head: MAX_DOCUMENT_BYTES });
        return Step::Effect { key, effect };
    };
    let files = match result {
        EffectResult::Scan(Ok(files)) => files.as_slice(),
        EffectResult::Scan(Err(error)) => {
            let purpose = prompts::publish_purpose(scene.facts.lang);
            let failure = Failure::executing("publish", &purpose, error).at(phase);
            return fail(scene, &failure, vec![key]);
        }
        _ => &[],
    };
    let known = |path: &str| scene.view.catalog().is_some_and(|table| table.contains(path));
    let left = files.iter().filter(|file| file.size <= MAX_DOCUMENT_BYTES as u64);
    let left = left.filter_map(|file| {
        let rest = file.path.as_str().strip_prefix(&place).filter(|rest| *rest != layout::KEEP)?;
        let to = format!("{outputs}{rest}");
        (!known(&to)).then_some((file, to))
    });
    let left: Vec<(&Scanned, String)> = left.collect();
    let now = left.len().min(MOST_AT_ONCE);
    if before + now == 0 {
        let (lang, outputs) = (scene.facts.lang, outputs.trim_end_matches('/'));
        let next = prompts::nothing_delivered_next(lang, place, run);
        return blocked(prompts::nothing_delivered(lang, run, outputs), next);
    }
    let mut draft = scene.draft(EXECUTOR, "deliverables are published");
    for (file, to) in &left[..now] {
        draft = draft.create(to, file.head.clone()).catalog(CatalogRow {
            file_path: to.clone(),
            run_id: Some(run.clone()),
            asset_type: "FINAL_OUTPUT".to_owned(),
            source_task_id: None,
            summary: Some(prompts::published_from(scene.facts.lang, &file.path)),
        });
    }
    if left.len() > now {
        let detail = [("outputs", json!(before + now))];
        let draft = draft.event(EXECUTOR, Kind::DeliverablesPublished, &detail);
        return draft.finishes(vec![key]).step();
    }
    finish(draft, before + now, vec![key])
}

fn finish(draft: Draft<'_>, outputs: usize, steps: Vec<StepKey>) -> Step {
    draft
        .status(RunStatus::Completed)
        .at(None, None, None)
        .event(ORCHESTRATOR, Kind::RunCompleted, &[("outputs", json!(outputs))])
        .finishes(steps)
        .step()
}

pub(super) fn completed(scene: &Scene<'_>) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    let what = prompts::completed(lang, run, layout::outputs(run));
    Step::Finish(Ending::Done(Notice { what, next: prompts::completed_next(lang, run) }))
}

/// The failure report, in words: run, place, purpose, the original error.
pub(super) fn failed(scene: &Scene<'_>) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    let what = match &scene.view.own.failure {
        Some(failure) => report(failure, lang),
        None => prompts::failed_without_report(lang, run),
    };
    Step::Finish(Ending::Failed(Notice { what, next: prompts::failed_next(lang) }))
}

/// What the Communicator says about a failure.
pub(super) fn report(failure: &RunFailure, lang: crate::words::Lang) -> String {
    let Place { phase_id, stage_id, task_id, tool_task_id } = &failure.place;
    let ids = [
        phase_id.as_ref().map(ToString::to_string),
        stage_id.as_ref().map(ToString::to_string),
        task_id.as_ref().map(ToString::to_string),
        tool_task_id.as_ref().map(ToString::to_string),
    ];
    let place = ids.into_iter().flatten().collect::<Vec<_>>().join(" / ");
    let RunFailure { run_id, agent, step, purpose, error, .. } = failure;
    prompts::failed(lang, run_id, place, format!("{agent}, {step}"), purpose, error)
}

/// COMPLETED in a table, and no event of the run says so: somebody who is not us wrote it.
pub(super) fn unfounded(scene: &Scene<'_>, ids: &[String]) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    let strayed = scene.view.results.values().find_map(|result| match result {
        EffectResult::Call(CallResult::Failed { class: FailureClass::Strayed, reason }) => {
            Some(reason.as_str())
        }
        _ => None,
    });
    let mut what = prompts::unfounded(lang, run, ids.join(", "));
    if let Some(reason) = strayed {
        what = prompts::unfounded_after(lang, what, reason);
    }
    blocked(what, prompts::unfounded_next(lang, run))
}

pub(super) fn unreadable(scene: &Scene<'_>, faults: &Faults) -> Step {
    let lang = scene.facts.lang;
    let one = |fault: &crate::formats::diagnostic::Diagnostic| {
        let line = fault.line().map_or(String::new(), |line| format!(":{line}"));
        let (what, next) = (fault.finding.what(lang), fault.finding.next(lang));
        format!("{}{line}: {what} -> {next}", fault.file)
    };
    let shown: Vec<String> = faults.iter().take(5).map(one).collect();
    blocked(prompts::unreadable(lang, shown.join("; ")), prompts::unreadable_next(lang))
}

pub(super) fn table_missing(scene: &Scene<'_>) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    blocked(prompts::table_missing(lang, run), prompts::table_missing_next(lang, run))
}

/// Tables that no run of ours leaves: somebody edited a status.
pub(super) fn contradictory(scene: &Scene<'_>) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    blocked(prompts::contradictory(lang, run), prompts::contradictory_next(lang, run))
}

/// A row of tasks.md that no plan of ours has.
pub(super) fn out_of_place(
    scene: &Scene<'_>,
    here: &Here<'_>,
    output: &str,
    places: &[String],
) -> Step {
    let lang = scene.facts.lang;
    let task = &here.task.task_id;
    blocked(prompts::outside(lang, task, output), prompts::outside_next(lang, places.join(", ")))
}

pub(super) fn bad_template(scene: &Scene<'_>, name: &str) -> Step {
    let lang = scene.facts.lang;
    blocked(prompts::bad_template(lang, name), prompts::bad_template_next(lang))
}

pub(super) fn too_many_proposals(scene: &Scene<'_>) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    blocked(prompts::too_many_proposals(lang, run), prompts::too_many_proposals_next(lang))
}

pub(super) fn unknown(scene: &Scene<'_>) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    blocked(prompts::unknown(lang, run), prompts::unknown_next(lang))
}

fn blocked(what: String, next: String) -> Step {
    Step::Finish(Ending::Blocked(Notice { what, next }))
}
