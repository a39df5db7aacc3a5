//! A task package: the tools before, the core task, the tools after. Each is delegated alone, and
//! what it made is recorded in the commit that says it is COMPLETED.

use std::collections::BTreeMap;

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::run::{
    CatalogRow, RunEventKind as Kind, TaskResult, TaskRow, ToolTaskRow, ToolTiming, WorkStatus,
};
use crate::flows::run::decide::{Here, Scene};
use crate::flows::run::policy::EXECUTOR;
use crate::flows::run::write::{Draft, printed};
use crate::flows::run::{
    amendment, ending, layout, phase_zero, plan_rules, planning, prompts, special,
};
use crate::replies::{Asked, document, file};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};
use crate::store::DocPath;

/// What comes first for a task: the effect that its start is noted with.
pub(super) fn first_key(scene: &Scene<'_>, here: &Here<'_>) -> Option<StepKey> {
    if phase_zero::own_task(scene, here).is_some() {
        return phase_zero::own_key(scene, here);
    }
    match here.task.pre_tool_purpose {
        Some(_) if tools_of(scene, here.task, ToolTiming::Pre).next().is_none() => {
            Some(planning::tools_key(scene, here.task, ToolTiming::Pre))
        }
        Some(_) => None,
        None => Some(task_key(scene, here.task)),
    }
}

pub(super) fn step(scene: &Scene<'_>, here: &Here<'_>) -> Step {
    if let Some(step) = phase_zero::own_task(scene, here) {
        return step;
    }
    let task = here.task;
    if task.pre_tool_purpose.is_some()
        && let Some(step) = tools(scene, here, ToolTiming::Pre)
    {
        return step;
    }
    let Some(result) = scene.view.own.results.get(task.task_id.as_str()) else {
        return core(scene, here);
    };
    if needs_post_tools(task, result)
        && let Some(step) = tools(scene, here, ToolTiming::Post)
    {
        return step;
    }
    let draft = scene.draft(EXECUTOR, "a task is completed");
    completed(draft, scene, here, result).step()
}

/// The tools of a task, one after the other; nothing when all are COMPLETED.
fn tools(scene: &Scene<'_>, here: &Here<'_>, timing: ToolTiming) -> Option<Step> {
    if tools_of(scene, here.task, timing).next().is_none() {
        return Some(planning::tools(scene, here, timing));
    }
    let pending = tools_of(scene, here.task, timing);
    let pending = pending.filter(|tool| tool.status == WorkStatus::Pending);
    match pending.min_by_key(|tool| tool.execution_order) {
        Some(tool) => Some(special::tool_task(scene, here, tool)),
        None => {
            let mut all = tools_of(scene, here.task, timing);
            let failed = all.any(|tool| tool.status == WorkStatus::Failed);
            failed.then(|| ending::contradictory(scene))
        }
    }
}

fn tools_of<'s>(
    scene: &Scene<'s>,
    task: &'s TaskRow,
    timing: ToolTiming,
) -> impl Iterator<Item = &'s ToolTaskRow> {
    let tools = scene.view.own.tools().iter();
    tools.filter(move |tool| tool.parent_task_id == task.task_id && tool.timing == timing)
}

fn needs_post_tools(task: &TaskRow, result: &TaskResult) -> bool {
    result.post_tool_required.unwrap_or(task.post_tool_purpose.is_some())
}

pub(super) fn task_key(scene: &Scene<'_>, task: &TaskRow) -> StepKey {
    scene.key(task.task_id.as_str(), "task")
}

pub(super) fn tool_key(scene: &Scene<'_>, tool: &ToolTaskRow) -> StepKey {
    scene.key(tool.tool_task_id.as_str(), "tool_task")
}

/// The core task, delegated to the executor.
fn core(scene: &Scene<'_>, here: &Here<'_>) -> Step {
    let (lang, task) = (scene.facts.lang, here.task);
    let Some(output) = task.output_path.clone() else {
        let error = prompts::no_output_path(lang, &task.task_id);
        return ending::task_failed(scene, here, "task", &error, Vec::new());
    };
    let places = planning::places(scene, here.phase);
    if !plan_rules::is_in_its_place(&output, &places) {
        // The plan was checked; somebody changed it since.
        return ending::out_of_place(scene, here, &output, &places);
    }
    let name = base_name(&output).to_owned();
    let call = || {
        let inputs = inputs(scene, here, ToolTiming::Pre);
        let prompt = prompts::task(
            lang,
            (&task.task_name, &task.task_purpose),
            &name,
            task.post_tool_purpose.as_deref(),
            &amendment::active_text(scene),
        );
        Call {
            inputs: paths(&inputs),
            needs: evidence(task),
            expected: expected(&name),
            ids: ids(scene, here, None),
            ..Call::new(EXECUTOR, "task", task.task_id.as_str(), prompt)
        }
    };
    match scene.ask(task_key(scene, task), call, |answer| made(answer, &name, lang)) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => {
            ending::task_failed(scene, here, "task", &why.reason(), steps)
        }
        Asked::Answered { value: Made::Failed(error), steps, .. } => {
            ending::task_failed(scene, here, "task", &error, steps)
        }
        Asked::Answered { value: Made::File(result, bytes), steps, .. } => {
            let detail = [("task_id", json!(task.task_id)), ("output", json!(output))];
            let draft = scene
                .draft(EXECUTOR, "a task is executed")
                .create(&output, bytes)
                .create_here(&layout::result(task.task_id.as_str()), printed(&result))
                .event(EXECUTOR, Kind::TaskExecuted, &detail)
                .finishes(steps);
            if needs_post_tools(task, &result) {
                let key = planning::tools_key(scene, task, ToolTiming::Post);
                return draft.starts(Some(key)).step();
            }
            completed(draft, scene, here, &result).step()
        }
    }
}

/// (c) 6: the package is COMPLETED, and its file is in the catalog from then on.
fn completed<'v>(
    draft: Draft<'v>,
    scene: &Scene<'_>,
    here: &Here<'_>,
    result: &TaskResult,
) -> Draft<'v> {
    let task = here.task;
    let path = task.output_path.clone().unwrap_or_default();
    let row = CatalogRow {
        asset_type: asset_type(scene, here, &path).to_owned(),
        file_path: path,
        run_id: Some(scene.flow.run.clone()),
        source_task_id: Some(task.task_id.to_string()),
        summary: Some(result.summary.clone()).filter(|text| !text.is_empty()),
    };
    draft.task(&task.task_id, WorkStatus::Completed).catalog(row).event(
        EXECUTOR,
        Kind::TaskCompleted,
        &[("task_id", json!(task.task_id))],
    )
}

fn asset_type(scene: &Scene<'_>, here: &Here<'_>, path: &str) -> &'static str {
    if path.starts_with(&layout::outputs(&scene.flow.run)) {
        return "FINAL_OUTPUT";
    }
    match here.phase.phase_name.as_str() {
        "PHASE_0" | "ANALYZING" => "ANALYSIS_REPORT",
        "STRATEGIZING" => "STRATEGY_DOC",
        "REFINING_CONTENT" => "REFINED_CONTENT",
        layout::OUTPUT_PHASE => "ASSEMBLY_PLAN",
        _ => "WORKSPACE_DOC",
    }
}

/// What an executor left.
pub(super) enum Made {
    File(TaskResult, Vec<u8>),
    Failed(String),
}

/// The file may be missing only where the executor says why.
pub(super) fn expected(name: &str) -> Vec<Expected> {
    vec![Expected::required("result.json").of("run-task-result"), Expected::optional(name)]
}

pub(super) fn made(
    answer: &Answer,
    name: &str,
    lang: crate::words::Lang,
) -> Result<Made, Vec<CallFinding>> {
    let (_, read) = document::<TaskResult>(answer, "result.json", lang)?;
    let result = read.value;
    if let Some(error) = result.error {
        return Ok(Made::Failed(error));
    }
    let bytes = file(answer, name, lang)?.to_vec();
    Ok(Made::File(result, bytes))
}

/// The files that a task or one of its tools sees: references, guidelines, what its tools made
/// before; after the core task its own output too.
pub(super) fn inputs(scene: &Scene<'_>, here: &Here<'_>, timing: ToolTiming) -> Vec<String> {
    let task = here.task;
    let mut inputs: Vec<String> = match task.task_id.as_str() {
        phase_zero::FIRST_ANALYSIS => brought(scene),
        _ => references(task).map(str::to_owned).collect(),
    };
    let before =
        scene.view.own.tools().iter().filter(|tool| {
            tool.parent_task_id == task.task_id && tool.status == WorkStatus::Completed
        });
    inputs.extend(before.map(|tool| special::output(scene, here, tool)));
    if timing == ToolTiming::Post {
        inputs.extend(task.output_path.clone());
    }
    inputs.extend(guidelines(scene));
    let mut seen = std::collections::BTreeSet::new();
    inputs.retain(|path| path != layout::RECIPES && seen.insert(path.clone()));
    inputs
}

pub(super) fn references(task: &TaskRow) -> impl Iterator<Item = &str> {
    let cell = task.related_references.as_deref().unwrap_or_default();
    cell.lines().map(str::trim).filter(|path| !path.is_empty())
}

/// No evidence, no task: also when it was there while the task was planned.
pub(super) fn evidence(task: &TaskRow) -> Vec<DocPath> {
    references(task).filter_map(layout::path).collect()
}

/// What people brought for the work, as the catalog has it. The first analysis rests on all of it.
fn brought(scene: &Scene<'_>) -> Vec<String> {
    of_type(scene, "ORIGINAL_INPUT").take(MOST_BROUGHT).collect()
}

const MOST_BROUGHT: usize = 200;

/// The operating principles; recipes are the planner's alone.
pub(super) fn guidelines(scene: &Scene<'_>) -> Vec<String> {
    let all = of_type(scene, "GUIDELINE_DOC");
    all.filter(|path| path != layout::RECIPES).take(MOST_BROUGHT).collect()
}

pub(super) fn recipes(scene: &Scene<'_>) -> Option<&'static str> {
    let there = scene.view.catalog().is_some_and(|table| table.contains(layout::RECIPES));
    there.then_some(layout::RECIPES)
}

fn of_type<'s>(scene: &Scene<'s>, wanted: &'static str) -> impl Iterator<Item = String> + 's {
    let rows = scene.view.catalog().into_iter().flat_map(|table| table.rows());
    // What people brought stands at the top of the catalog and belongs to no run.
    rows.filter(move |row| *row.text(2) == *wanted).map(|row| row.text(0).into_owned())
}

pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(super) fn ids(
    scene: &Scene<'_>,
    here: &Here<'_>,
    tool: Option<&ToolTaskRow>,
) -> BTreeMap<&'static str, String> {
    let mut ids = BTreeMap::from([
        ("run_id", scene.flow.run.to_string()),
        ("phase", here.phase.phase_name.clone()),
        ("stage_id", here.stage.stage_id.to_string()),
        ("task_id", here.task.task_id.to_string()),
    ]);
    if let Some(tool) = tool {
        ids.insert("tool_task_id", tool.tool_task_id.to_string());
    }
    ids
}

/// Paths of documents, where they are ones.
pub(super) fn paths(texts: &[String]) -> Vec<DocPath> {
    texts.iter().filter_map(|path| layout::path(path)).collect()
}
