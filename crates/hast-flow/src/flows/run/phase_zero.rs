//! Phase 0: the environment, a proposal that a person confirms, the constitution, the catalog. All
//! of it is done by hast; only the proposal and the first analysis are asked of agents.

use serde_json::json;

use crate::docs::run::{
    CatalogRow, Decision, DecisionLine, DefaultPhase, PhaseRow, RunEventKind as Kind, RunStatus,
    StageRow, TaskRow, WorkStatus,
};
use crate::flows::run::decide::{Asked, Confirm, Here, PersonsAnswer, Said, Scene};
use crate::flows::run::policy::{COMMUNICATOR, EXECUTOR, ORCHESTRATOR, PLANNER};
use crate::flows::run::register::created;
use crate::flows::run::{amendment, ending, layout, prompts};
use crate::ids::{PhaseId, RunTaskId, StageId};
use crate::steps::{Effect, EffectResult, Ending, Notice, Scan, Scanned, Step, StepKey, WaitsFor};
use crate::words::Lang;

/// Phase and stage of what comes before the work.
pub(super) const PHASE: &str = "P0";
pub(super) const STAGE: &str = "S00";
/// Its tasks. There is no T01: the proposal is the planner's.
const ENVIRONMENT: &str = "T00";
const CONSTITUTION: &str = "T02";
const CATALOG: &str = "T03";
pub(super) const FIRST_ANALYSIS: &str = "T04";

/// More than this many times nobody changes their mind.
const MOST_PROPOSALS: u32 = 20;
/// Enough of a file to say what it is.
const HEAD: usize = 4 << 10;

pub(super) fn default_phases(lang: Lang) -> Vec<DefaultPhase> {
    let phase = |name: &str, purpose: String| DefaultPhase {
        phase_name: name.to_owned(),
        phase_purpose: purpose,
    };
    vec![
        phase("ANALYZING", prompts::analyzing(lang)),
        phase("STRATEGIZING", prompts::strategizing(lang)),
        phase("REFINING_CONTENT", prompts::refining_content(lang)),
        phase(layout::OUTPUT_PHASE, prompts::generating_output(lang)),
    ]
}

/// Step 2: the plan of Phase 0, and the phases of the run as the template has them.
pub(super) fn plan(scene: &Scene<'_>) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    let template = super::view::readable(scene.view.template.as_ref());
    let defaults = default_phases(lang);
    let template = template.filter(|rows| !rows.is_empty()).unwrap_or(&defaults);
    if let Some(name) = bad_template(template) {
        return ending::bad_template(scene, &name);
    }
    let zero =
        DefaultPhase { phase_name: "PHASE_0".to_owned(), phase_purpose: prompts::phase_zero(lang) };
    let phases: Vec<PhaseRow> = std::iter::once(&zero)
        .chain(template)
        .enumerate()
        .filter_map(|(number, phase)| {
            Some(PhaseRow {
                phase_id: format!("P{number}").parse().ok()?,
                run_id: run.clone(),
                phase_name: phase.phase_name.clone(),
                phase_purpose: phase.phase_purpose.clone(),
                status: WorkStatus::Pending,
            })
        })
        .collect();
    let Some((phase, stage)) = ids() else { return ending::contradictory(scene) };
    let stage_row = StageRow {
        stage_id: stage.clone(),
        run_id: run.clone(),
        phase_id: phase.clone(),
        stage_name: prompts::stage_zero(lang),
        stage_goal: prompts::phase_zero(lang),
        execution_order: 1,
        status: WorkStatus::Pending,
    };
    let path = layout::path(&layout::of_run(run, layout::PHASES));
    scene
        .draft(PLANNER, "the plan of Phase 0")
        .put(path.map(|path| created(path, &phases)))
        .add_stages(vec![stage_row])
        .add_tasks(tasks(scene, &stage, &template[0].phase_name))
        .at(Some(&phase), Some(&stage), None)
        .event(PLANNER, Kind::PhaseZeroPlanned, &[])
        .step()
}

/// A phase whose name cannot be a directory, or a number of phases that no id fits.
fn bad_template(template: &[DefaultPhase]) -> Option<String> {
    let twice = |index: usize, name: &str| {
        template[..index].iter().any(|earlier| earlier.phase_name == name)
    };
    let mut bad = template.iter().enumerate().filter(|(index, phase)| {
        !layout::is_directory_name(&phase.phase_name) || twice(*index, &phase.phase_name)
    });
    match bad.next() {
        Some((_, phase)) => Some(phase.phase_name.clone()),
        None => template.get(9).map(|phase| phase.phase_name.clone()),
    }
}

fn ids() -> Option<(PhaseId, StageId)> {
    Some((PHASE.parse().ok()?, STAGE.parse().ok()?))
}

fn tasks(scene: &Scene<'_>, stage: &StageId, first_phase: &str) -> Vec<TaskRow> {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    let analysis = format!("{}T04_initial_analysis.md", layout::workspace(run, first_phase));
    let rows = [
        (ENVIRONMENT, prompts::environment(lang), prompts::environment_purpose(lang), None),
        (CONSTITUTION, prompts::constitution(lang), prompts::constitution_purpose(lang), None),
        (CATALOG, prompts::catalog(lang), prompts::catalog_purpose(lang), None),
        (
            FIRST_ANALYSIS,
            prompts::first_analysis(lang),
            prompts::first_analysis_purpose(lang),
            Some(analysis),
        ),
    ];
    let row =
        |(order, (id, name, purpose, output)): (u32, (&str, String, String, Option<String>))| {
            Some(TaskRow {
                task_id: id.parse::<RunTaskId>().ok()?,
                run_id: run.clone(),
                stage_id: stage.clone(),
                task_name: name,
                task_purpose: purpose,
                related_references: None,
                output_path: output,
                pre_tool_purpose: None,
                post_tool_purpose: None,
                execution_order: order,
                status: WorkStatus::Pending,
            })
        };
    (1..).zip(rows).filter_map(row).collect()
}

/// Step 4: nothing after T00 begins before a proposal was confirmed.
pub(super) fn before(scene: &Scene<'_>, here: &Here<'_>) -> Option<Step> {
    let waits = here.stage.stage_id.as_str() == STAGE
        && here.task.task_id.as_str() != ENVIRONMENT
        && !scene.view.own.is_confirmed();
    if !waits {
        return None;
    }
    if scene.view.own.proposals() >= MOST_PROPOSALS {
        return Some(ending::too_many_proposals(scene));
    }
    Some(amendment::propose(scene, here))
}

/// Step 5: the run waits for the person's decision, or takes it.
pub(super) fn confirmation(scene: &Scene<'_>) -> Step {
    let Some(number) = scene.view.own.proposal() else { return ending::contradictory(scene) };
    let unseen = Said::here(number, PersonsAnswer::Confirm);
    let confirm = match &scene.flow.asked {
        Asked::Start(new) => &new.confirm,
        Asked::Resume(confirm) => confirm,
        Asked::Answer(said) => return answered(scene, said),
    };
    let confirmed = scene.view.own.request.as_ref().is_some_and(|one| one.confirmed_unseen);
    match confirm {
        Confirm::Wait if confirmed => answered(scene, &unseen),
        Confirm::Yes => answered(scene, &unseen),
        Confirm::Said(said) if said.proposal == number => answered(scene, said),
        Confirm::Wait | Confirm::Said(_) => waiting(scene, number),
    }
}

/// What was said about the proposal on the table.
fn answered(scene: &Scene<'_>, said: &Said) -> Step {
    let line = |decision, text: Option<&str>| DecisionLine {
        ts: scene.facts.now,
        proposal: said.proposal,
        decision,
        text: text.map(str::to_owned),
        operator: said.operator.clone(),
    };
    match &said.answer {
        PersonsAnswer::Confirm => match amendment::outdated(scene) {
            None => decide(scene, &line(Decision::Confirm, None), Kind::Confirmed),
            Some(why) => outdated(scene, said.proposal, &why),
        },
        PersonsAnswer::Modify(text) => {
            decide(scene, &line(Decision::Modify, Some(text)), Kind::ModificationAsked)
        }
        PersonsAnswer::Cancel(reason) => {
            let text = Some(reason.as_str()).filter(|text| !text.trim().is_empty());
            ending::cancel(scene, &line(Decision::Cancel, text))
        }
    }
}

/// What was to be superseded is no longer in force: a new proposal is needed. Nobody decided that.
pub(super) fn outdated(scene: &Scene<'_>, proposal: u32, why: &str) -> Step {
    let (ts, text) = (scene.facts.now, Some(why.to_owned()));
    let decision = Decision::Outdated;
    let line = DecisionLine { ts, proposal, decision, text, operator: None };
    decide(scene, &line, Kind::ProposalOutdated)
}

/// Step 6: the signal is recorded, and the run is PENDING again.
fn decide(scene: &Scene<'_>, line: &DecisionLine, kind: Kind) -> Step {
    let mut detail = vec![("proposal", json!(line.proposal)), ("text", json!(line.text))];
    detail.extend(line.operator.as_ref().map(|operator| ("operator", json!(operator))));
    scene
        .draft(COMMUNICATOR, "a decision")
        .line(layout::DECISIONS, line)
        .status(RunStatus::Pending)
        .event(COMMUNICATOR, kind, &detail)
        .step()
}

fn waiting(scene: &Scene<'_>, number: u32) -> Step {
    let (lang, run) = (scene.facts.lang, &scene.flow.run);
    let file = layout::of_run(run, layout::FEEDBACK);
    let what = prompts::awaiting(lang, run, number, file);
    let notice = Notice { what, next: prompts::awaiting_next(lang, run) };
    Step::Finish(Ending::Waiting { notice, on: WaitsFor::Person })
}

/// Whether hast does the task itself, and what it asks the world for first.
pub(super) fn own_task(scene: &Scene<'_>, here: &Here<'_>) -> Option<Step> {
    if here.stage.stage_id.as_str() != STAGE {
        return None;
    }
    match here.task.task_id.as_str() {
        ENVIRONMENT => Some(environment(scene, here)),
        CONSTITUTION => Some(amendment::enact(scene, here)),
        CATALOG => Some(catalog(scene, here)),
        _ => None,
    }
}

/// The effect that a task of hast's own begins with.
pub(super) fn own_key(scene: &Scene<'_>, here: &Here<'_>) -> Option<StepKey> {
    let scans = here.stage.stage_id.as_str() == STAGE && here.task.task_id.as_str() == CATALOG;
    scans.then(|| scan_key(scene))
}

fn scan_key(scene: &Scene<'_>) -> StepKey {
    scene.key(CATALOG, "scan")
}

/// T00: the directories of the run. A file keeps each of them.
fn environment(scene: &Scene<'_>, here: &Here<'_>) -> Step {
    let run = &scene.flow.run;
    let phases = scene.view.own.phases().iter().filter(|phase| phase.phase_id.as_str() != PHASE);
    let mut draft = scene.draft(EXECUTOR, "the environment of the run");
    for phase in phases {
        let keep = format!("{}{}", layout::workspace(run, &phase.phase_name), layout::KEEP);
        draft = draft.create(&keep, Vec::new());
    }
    draft
        .create(&format!("{}{}", layout::outputs(run), layout::KEEP), Vec::new())
        .task(&here.task.task_id, WorkStatus::Completed)
        .event(EXECUTOR, Kind::TaskCompleted, &[("task_id", json!(here.task.task_id))])
        .starts(Some(amendment::key(scene)))
        .step()
}

/// T03: what people brought is put into the catalog, once.
fn catalog(scene: &Scene<'_>, here: &Here<'_>) -> Step {
    let key = scan_key(scene);
    let Some(result) = scene.view.results.get(&key) else {
        let paths = [layout::ASSETS, layout::GUIDELINES].iter();
        let paths = paths.filter_map(|path| layout::path(path)).collect();
        return Step::Effect { key, effect: Effect::Scan(Scan { paths, head: HEAD }) };
    };
    let found = match result {
        EffectResult::Scan(Ok(found)) => found,
        EffectResult::Scan(Err(error)) => {
            return ending::task_failed(scene, here, "catalog", error, vec![key]);
        }
        _ => return ending::task_failed(scene, here, "catalog", "-", vec![key]),
    };
    let known = |path: &str| scene.view.catalog().is_some_and(|table| table.contains(path));
    let ours = |file: &&Scanned| !file.path.name().starts_with('.') && !known(file.path.as_str());
    let new: Vec<&Scanned> = found.iter().filter(ours).collect();
    let detail = [("task_id", json!(here.task.task_id)), ("files", json!(new.len()))];
    let draft = scene.draft(ORCHESTRATOR, "the catalog of what people brought");
    new.into_iter()
        .fold(draft, |draft, file| draft.catalog(brought(file)))
        .task(&here.task.task_id, WorkStatus::Completed)
        .event(EXECUTOR, Kind::TaskCompleted, &detail)
        .finishes(vec![key])
        .step()
}

fn brought(file: &Scanned) -> CatalogRow {
    let guideline = file.path.as_str().starts_with(layout::GUIDELINES);
    CatalogRow {
        file_path: file.path.to_string(),
        run_id: None,
        asset_type: if guideline { "GUIDELINE_DOC" } else { "ORIGINAL_INPUT" }.to_owned(),
        source_task_id: None,
        summary: Some(headline(file)),
    }
}

/// The first line that says something.
fn headline(file: &Scanned) -> String {
    let text = String::from_utf8_lossy(&file.head);
    let plain = !file.head.contains(&0);
    let mut lines = text.lines().map(|line| line.trim().trim_start_matches('#').trim());
    match lines.find(|line| !line.is_empty()).filter(|_| plain) {
        Some(line) => line.chars().take(120).collect(),
        None => format!("{} bytes", file.size),
    }
}
