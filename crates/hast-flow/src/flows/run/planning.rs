//! In the main loop, the planner is asked for the stages of a phase and the tasks of a stage. It is
//! also asked for the tool tasks before and after a task. Every plan is checked before it becomes
//! rows.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::run::{
    PhaseRow, ProposedStages, ProposedTask, ProposedTasks, ProposedToolTasks, RunEventKind as Kind,
    StageRow, TaskRow, ToolTaskRow, ToolTiming, WorkStatus,
};
use crate::flows::run::decide::{Here, Scene};
use crate::flows::run::plan_rules::{self, Known};
use crate::flows::run::policy::PLANNER;
use crate::flows::run::{amendment, ending, layout, phase_zero, prompts, work};
use crate::replies::{self, Asked, document};
use crate::steps::{Answer, Call, CallResult, Effect, EffectResult, Expected, Scan, Step, StepKey};
use crate::store::DocPath;

pub(super) fn stages_key(scene: &Scene<'_>, phase: &PhaseRow) -> StepKey {
    scene.key(phase.phase_id.as_str(), "stages")
}

pub(super) fn tasks_key(scene: &Scene<'_>, stage: &StageRow) -> StepKey {
    scene.key(stage.stage_id.as_str(), "tasks")
}

pub(super) fn tools_key(scene: &Scene<'_>, task: &TaskRow, timing: ToolTiming) -> StepKey {
    scene.key(task.task_id.as_str(), step_of(timing))
}

fn step_of(timing: ToolTiming) -> &'static str {
    match timing {
        ToolTiming::Pre => "pre_tools",
        ToolTiming::Post => "post_tools",
    }
}

/// 2.2.2.2: the stages of a phase.
pub(super) fn stages(scene: &Scene<'_>, phase: &PhaseRow) -> Step {
    let lang = scene.facts.lang;
    let call = || {
        let prompt = prompts::stages(
            lang,
            &phase.phase_name,
            &phase.phase_purpose,
            &request(scene),
            &amendment::active_text(scene),
            &catalog_text(scene),
        );
        Call {
            inputs: planners_inputs(scene),
            expected: vec![Expected::required("stages.json").of("run-stages")],
            ids: [("run_id", scene.flow.run.to_string()), ("phase", phase.phase_name.clone())]
                .into(),
            ..Call::new(PLANNER, "stages", phase.phase_id.as_str(), prompt)
        }
    };
    let asked = scene.ask(stages_key(scene, phase), call, |answer| {
        let stages = document::<ProposedStages>(answer, "stages.json", lang)?.1.value.0;
        plan_rules::within(stages, "stages.json", lang)
    });
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => {
            let purpose = prompts::stages_purpose(lang, &phase.phase_name);
            let failure = ending::Failure::planning("stages", &purpose, &why.reason());
            ending::fail(scene, &failure.at(phase), steps)
        }
        Asked::Answered { value, steps, .. } => {
            let known = scene.view.own.stages().iter().map(|stage| stage.stage_id.number());
            let first = known.max().map_or(1, |last| last + 1);
            let rows = (first..).zip(1..).zip(value).filter_map(|((number, order), stage)| {
                Some(StageRow {
                    stage_id: format!("S{number:02}").parse().ok()?,
                    run_id: scene.flow.run.clone(),
                    phase_id: phase.phase_id.clone(),
                    stage_name: stage.stage_name,
                    stage_goal: stage.stage_goal,
                    execution_order: order,
                    status: WorkStatus::Pending,
                })
            });
            let rows: Vec<StageRow> = rows.collect();
            let detail = [("phase_id", json!(phase.phase_id)), ("stages", json!(rows.len()))];
            scene
                .draft(PLANNER, "stages")
                .add_stages(rows)
                .event(PLANNER, Kind::StagesPlanned, &detail)
                .finishes(steps)
                .step()
        }
    }
}

/// 2.2.2.3 (b): the tasks of a stage. The files that they rest on are looked at before they count.
pub(super) fn tasks(scene: &Scene<'_>, phase: &PhaseRow, stage: &StageRow) -> Step {
    let key = tasks_key(scene, stage);
    let mut looks = Vec::new();
    for again in 0..=scene.flow.max_regenerations {
        let asked = replies::numbered(&key, again);
        let Some(proposed) = proposed_tasks(scene, &asked) else { continue };
        let look = StepKey::new(&[asked.as_str(), "scan"]);
        if !scene.view.results.contains_key(&look) {
            let paths = plan_rules::references(&proposed);
            let effect = Effect::Scan(Scan { paths, head: 0 });
            return Step::Effect { key: look, effect };
        }
        looks.push(look);
    }
    let lang = scene.facts.lang;
    let call = || {
        let places = places(scene, phase);
        let prompt = prompts::tasks(
            lang,
            (&phase.phase_name, &phase.phase_purpose),
            (&stage.stage_name, &stage.stage_goal),
            &amendment::active_text(scene),
            &catalog_text(scene),
            &places.join("\n"),
        );
        Call {
            inputs: planners_inputs(scene),
            expected: vec![Expected::required("tasks.json").of("run-tasks")],
            ids: [
                ("run_id", scene.flow.run.to_string()),
                ("phase", phase.phase_name.clone()),
                ("stage_id", stage.stage_id.to_string()),
            ]
            .into(),
            ..Call::new(PLANNER, "tasks", stage.stage_id.as_str(), prompt)
        }
    };
    let asked = scene.ask(key, call, |answer| checked_tasks(scene, phase, answer));
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, mut steps, .. } => {
            steps.extend(looks);
            let purpose = prompts::tasks_purpose(lang, &stage.stage_name);
            let failure = ending::Failure::planning("tasks", &purpose, &why.reason());
            ending::fail(scene, &failure.at(phase).in_stage(stage), steps)
        }
        Asked::Answered { value, mut steps, .. } => {
            steps.extend(looks);
            let rows = task_rows(scene, stage, value);
            let detail = [("stage_id", json!(stage.stage_id)), ("tasks", json!(rows.len()))];
            scene
                .draft(PLANNER, "tasks")
                .add_tasks(rows)
                .event(PLANNER, Kind::TasksPlanned, &detail)
                .finishes(steps)
                .step()
        }
    }
}

/// The tasks of a reply that keeps its schema.
fn proposed_tasks(scene: &Scene<'_>, key: &StepKey) -> Option<Vec<ProposedTask>> {
    let EffectResult::Call(CallResult::Completed(answer)) = scene.view.results.get(key)? else {
        return None;
    };
    let read = document::<ProposedTasks>(answer, "tasks.json", scene.facts.lang).ok()?;
    Some(read.1.value.0)
}

fn checked_tasks(
    scene: &Scene<'_>,
    phase: &PhaseRow,
    answer: &Answer,
) -> Result<Vec<ProposedTask>, Vec<CallFinding>> {
    let lang = scene.facts.lang;
    let proposed = document::<ProposedTasks>(answer, "tasks.json", lang)?.1.value.0;
    let proposed = plan_rules::within(proposed, "tasks.json", lang)?;
    let looked = scene.view.results.values().filter_map(|result| match result {
        EffectResult::Scan(Ok(found)) => Some(found),
        _ => None,
    });
    let sizes = looked.flatten().map(|file| (file.path.to_string(), file.size)).collect();
    let places = places(scene, phase);
    let known = Known {
        tasks: scene.view.own.tasks(),
        catalog: scene.view.catalog(),
        sizes: &sizes,
        places: &places,
    };
    let findings: Vec<CallFinding> = plan_rules::faults(&proposed, &known)
        .iter()
        .map(|fault| CallFinding {
            file: "tasks.json".to_owned(),
            line: None,
            problem: fault.what(lang),
            next: fault.next(lang, &places),
        })
        .collect();
    if findings.is_empty() { Ok(proposed) } else { Err(findings) }
}

/// Where a task of the phase may put its file. Phase 0 works for the one after it.
pub(super) fn places(scene: &Scene<'_>, phase: &PhaseRow) -> Vec<String> {
    let run = &scene.flow.run;
    let mut phases = scene.view.own.phases().iter();
    let zero = phase.phase_id.as_str() == phase_zero::PHASE;
    let phase = phases.find(|other| zero && other.phase_id != phase.phase_id).unwrap_or(phase);
    let mut places = vec![layout::workspace(run, &phase.phase_name)];
    if scene.output_phase().is_some_and(|last| last.phase_id == phase.phase_id) {
        places.push(layout::outputs(run));
    }
    places
}

fn task_rows(scene: &Scene<'_>, stage: &StageRow, tasks: Vec<ProposedTask>) -> Vec<TaskRow> {
    let known = scene.view.own.tasks().iter().map(|task| task.task_id.number());
    // T00 to T04 belong to Phase 0.
    let first = known.max().map_or(5, |last| (last + 1).max(5));
    let rows = (first..).zip(1..).zip(tasks).filter_map(|((number, order), task)| {
        Some(TaskRow {
            task_id: format!("T{number:02}").parse().ok()?,
            run_id: scene.flow.run.clone(),
            stage_id: stage.stage_id.clone(),
            task_name: task.task_name,
            task_purpose: task.task_purpose,
            related_references: Some(task.related_references.join("\n")),
            output_path: Some(task.output_path),
            pre_tool_purpose: filled(task.pre_tool_purpose),
            post_tool_purpose: filled(task.post_tool_purpose),
            execution_order: order,
            status: WorkStatus::Pending,
        })
    });
    rows.collect()
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// (c) 3 and 5: the tool tasks before or after a task. Recipes of several tools become plain rows.
pub(super) fn tools(scene: &Scene<'_>, here: &Here<'_>, timing: ToolTiming) -> Step {
    let (lang, task) = (scene.facts.lang, here.task);
    let purpose = match timing {
        ToolTiming::Pre => task.pre_tool_purpose.as_deref(),
        ToolTiming::Post => task.post_tool_purpose.as_deref(),
    };
    let purpose = purpose.unwrap_or(&task.task_purpose);
    let target = match timing {
        ToolTiming::Pre => format!("pre_tool:{}", task.task_id),
        ToolTiming::Post => format!("post_tool:{}", task.task_id),
    };
    let call = || {
        let output = task.output_path.as_deref().unwrap_or_default();
        let prompt = prompts::tool_tasks(
            lang,
            &target,
            (&task.task_name, &task.task_purpose),
            purpose,
            output,
            &amendment::active_text(scene),
        );
        Call {
            inputs: planners_inputs(scene),
            expected: vec![Expected::required("tool_tasks.json").of("run-tool-tasks")],
            ids: work::ids(scene, here, None),
            ..Call::new(PLANNER, step_of(timing), task.task_id.as_str(), prompt)
        }
    };
    let asked = scene.ask(tools_key(scene, task, timing), call, |answer| {
        let tools = document::<ProposedToolTasks>(answer, "tool_tasks.json", lang)?.1.value.0;
        plan_rules::within(tools, "tool_tasks.json", lang)
    });
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => {
            let failure = ending::Failure::planning(step_of(timing), purpose, &why.reason());
            ending::fail(scene, &failure.here(here), steps)
        }
        Asked::Answered { value, steps, .. } => {
            let known = scene.view.own.tools().iter().map(|tool| tool.tool_task_id.number());
            let first = known.max().unwrap_or(0) + 1;
            let rows = (first..).zip(1..).zip(value).filter_map(|((number, order), tool)| {
                Some(ToolTaskRow {
                    tool_task_id: format!("TT{number:02}").parse().ok()?,
                    run_id: scene.flow.run.clone(),
                    parent_task_id: task.task_id.clone(),
                    timing,
                    tool_type: tool.tool_type,
                    tool_task_name: tool.tool_task_name,
                    tool_task_purpose: tool.tool_task_purpose,
                    execution_order: order,
                    status: WorkStatus::Pending,
                })
            });
            let rows: Vec<ToolTaskRow> = rows.collect();
            let detail = [("task_id", json!(task.task_id)), ("plan_target", json!(target))];
            let next = rows.first().map(|tool| work::tool_key(scene, tool));
            scene
                .draft(PLANNER, "tool tasks")
                .add_tools(rows)
                .event(PLANNER, Kind::ToolTasksPlanned, &detail)
                .finishes(steps)
                .starts(next)
                .step()
        }
    }
}

fn request(scene: &Scene<'_>) -> String {
    let request = scene.view.own.request.as_ref();
    request.map(|request| request.user_request.clone()).unwrap_or_default()
}

/// The planner reads the catalog itself, and every guideline, recipes too.
fn planners_inputs(scene: &Scene<'_>) -> Vec<DocPath> {
    let mut inputs: Vec<DocPath> = layout::path(layout::CATALOG).into_iter().collect();
    inputs.extend(work::guidelines(scene).iter().filter_map(|path| layout::path(path)));
    inputs.extend(work::recipes(scene).and_then(layout::path));
    inputs
}

/// What the planner is shown of the catalog: what people brought, and what this run made.
fn catalog_text(scene: &Scene<'_>) -> String {
    let Some(table) = scene.view.catalog() else { return String::new() };
    let own = scene.flow.run.as_str();
    let wanted = table.rows().filter(|row| matches!(&*row.text(1), "") || *row.text(1) == *own);
    let line = |row: crate::formats::table::RowView<'_>| {
        let summary: String = row.text(4).chars().take(200).collect();
        format!("- {} [{}]: {}\n", row.text(0), row.text(2), summary.replace('\n', " "))
    };
    wanted.filter(|row| *row.text(0) != *layout::RECIPES).take(MOST_SHOWN).map(line).collect()
}

/// The whole catalog is an input; the prompt shows its beginning.
const MOST_SHOWN: usize = 300;
