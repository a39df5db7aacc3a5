//! Steps 7 to 13: the item in work is broken down or executed, its answer is taken in, and the next
//! one goes out. A failed item gets one replacement.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::docs::call::CallFinding;
use crate::docs::kernel::{
    Brain, Expert, ExpertOutput, ExpertStatus, KernelEventKind as Kind, TodoItem, TodoStatus,
};
use crate::flows::kernel::decide::Scene;
use crate::flows::kernel::policy::{ENGINE, EXPERT, PLANNER, TASKS};
use crate::flows::kernel::write::{Draft, printed};
use crate::flows::kernel::{ending, layout, mirror, plan, planning, prompts};
use crate::replies::{Asked, document};
use crate::steps::{Answer, Call, Effect, Expected, Place, Step, StepKey};

pub(super) fn step(scene: &Scene<'_>) -> Step {
    let items = scene.request.items();
    if let Some(step) = mend_mirror(scene, items) {
        return step;
    }
    if let Some((task, error)) = &scene.request.failed
        && let Some(item) = items.iter().find(|item| item.id == *task)
    {
        return replace(scene, items, item, error);
    }
    let Some(item) = plan::in_work(items) else {
        return ending::fail(scene, None, "no item of the plan can go on", &[], Vec::new());
    };
    if scene.request.replaced.contains(&item.id) {
        return completed_by_others(scene, items, item);
    }
    let name = match plan::is_too_complex(item) && plan::may_expand(items, item) {
        true => "expand",
        false => "execute",
    };
    let call = || {
        let part = load(scene, &item.expert)?;
        let prompt = match name {
            "expand" => prompts::expand(&part, item, scene.view, scene.facts.lang),
            _ => prompts::execute(&part, item, &context(scene, items, item), scene.facts.lang),
        };
        let expected = vec![Expected::required("output.json").of("expert-output")];
        let inputs = inputs(items, item);
        Ok(Call { expected, inputs, ..call_of(scene, &part, &item.expert, name, &item.id, prompt) })
    };
    match scene.ask(&item.id, call, |answer| answered(scene, items, item, name, answer)) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps: keys, rejected } => {
            let error = why.reason();
            failed(scene, items, item, &error, &rejected, keys)
        }
        Asked::Answered { value: answer, steps: keys, rejected } => {
            let draft = with_errors(scene.draft(EXPERT, &item.id), &item.id, &rejected);
            let draft = keys.into_iter().fold(draft, |draft, key| draft.finishes(key));
            take_in(scene, draft, items, item, answer)
        }
    }
}

/// What an expert's answer means.
enum Taken {
    Completed { output: ExpertOutput, files: BTreeMap<String, Vec<u8>> },
    Grown { output: ExpertOutput, plan: Vec<TodoItem>, record: crate::docs::kernel::MergeRecord },
    Failed { error: String },
}

fn answered(
    scene: &Scene<'_>,
    items: &[TodoItem],
    item: &TodoItem,
    step: &str,
    answer: &Answer,
) -> Result<Taken, Vec<CallFinding>> {
    let lang = scene.facts.lang;
    let wrong = |problem: String, next: String| {
        Err(vec![CallFinding { file: "output.json".to_owned(), line: None, problem, next }])
    };
    let (_, output) = document::<ExpertOutput>(answer, "output.json", lang)?;
    let output = output.value;
    if output.task_id != item.id {
        let next = prompts::wrong_task_next(lang, &item.id);
        return wrong(prompts::wrong_task(lang, &output.task_id), next);
    }
    match output.status {
        ExpertStatus::Failed => {
            let error = output.error_details.clone().unwrap_or_default();
            Ok(Taken::Failed { error })
        }
        ExpertStatus::Completed if step == "expand" => {
            wrong(prompts::expansion_wanted(lang), prompts::expansion_wanted_next(lang))
        }
        ExpertStatus::Completed => Ok(Taken::Completed { output, files: answer.others.clone() }),
        ExpertStatus::NeedsSubPlan if !plan::may_expand(items, item) => {
            wrong(prompts::no_expansion(lang, &item.id), prompts::no_expansion_next(lang))
        }
        ExpertStatus::NeedsSubPlan => {
            let sub_plan = output.plan.clone().unwrap_or_default();
            let experts = scene.view.known_experts();
            match plan::merge(items, item, &sub_plan, &experts, plan::DEEPEST) {
                Ok((plan, record)) => Ok(Taken::Grown { output, plan, record }),
                Err(faults) => Err(planning::findings(scene, &faults)),
            }
        }
    }
}

fn take_in(
    scene: &Scene<'_>,
    draft: Draft<'_>,
    items: &[TodoItem],
    item: &TodoItem,
    taken: Taken,
) -> Step {
    let task = ("task_id", json!(item.id));
    match taken {
        Taken::Failed { error } => {
            let draft = draft.error(Some(&item.id), &error);
            fall(scene, draft, items, item, &error)
        }
        Taken::Completed { output, files } => {
            let mut plan = items.to_vec();
            let place = layout::output(&item.id, "output.json");
            for other in plan.iter_mut().filter(|other| other.id == item.id) {
                other.status = TodoStatus::Completed;
                other.result_path = Some(layout::of_request(scene.id, &place));
            }
            plan::select(&mut plan);
            let mut draft = draft.create_here(&place, printed(&output)).answers(&output).event(
                &item.expert,
                Kind::TaskAnswered,
                std::slice::from_ref(&task),
            );
            for (name, bytes) in files {
                draft =
                    draft.create_here(&layout::output(&item.id, &layout::encoded(&name)), bytes);
            }
            let draft = update(draft, item, &plan);
            dispatch(scene, draft, &plan).step()
        }
        Taken::Grown { output, plan, record } => {
            let grown = [task, ("items", json!(plan.len()))];
            let draft = draft
                .answers(&output)
                .event(&item.expert, Kind::TaskAnswered, &grown[..1])
                .event(ENGINE, Kind::SubPlanSubmitted, &grown[..1])
                .message("MergeRecord", &record)
                .event(TASKS, Kind::SubPlanMerged, &grown);
            let draft = update(draft, item, &plan);
            dispatch(scene, draft, &plan).step()
        }
    }
}

/// Steps 11 and 12: the engine asks for the new states, task management writes and confirms them.
fn update<'v>(draft: Draft<'v>, item: &TodoItem, plan: &[TodoItem]) -> Draft<'v> {
    let states: Map<String, Value> =
        plan.iter().map(|item| (item.id.clone(), json!(item.status))).collect();
    let confirmed = ExpertOutput {
        task_id: item.id.clone(),
        status: ExpertStatus::Completed,
        result: Some(Value::Object(states)),
        plan: None,
        error_details: None,
    };
    let task = [("task_id", json!(item.id))];
    draft
        .asks(&item.id, "update the states", Value::Null)
        .event(ENGINE, Kind::StatusRequested, &task)
        .plan(plan.to_vec())
        .answers(&confirmed)
        .event(TASKS, Kind::StatusUpdated, &task)
}

/// Step 7 for the item in work, or step 14 when all are completed.
pub(super) fn dispatch<'v>(scene: &Scene<'_>, draft: Draft<'v>, items: &[TodoItem]) -> Draft<'v> {
    match plan::in_work(items) {
        Some(item) => {
            let step = match plan::is_too_complex(item) && plan::may_expand(items, item) {
                true => "expand",
                false => "execute",
            };
            let detail = [("task_id", json!(item.id)), ("expert", json!(item.expert))];
            draft
                .asks(&item.id, &item.description, Value::Null)
                .event(ENGINE, Kind::TaskRequested, &detail)
                .starts(scene.key(&item.id, step))
        }
        None => draft
            .asks("report", "write the final report", Value::Null)
            .event(ENGINE, Kind::ReportRequested, &[])
            .starts(scene.key("report.1", "report")),
    }
}

/// The expert could not do it: its item is marked, and a replacement is asked for, once.
fn failed(
    scene: &Scene<'_>,
    items: &[TodoItem],
    item: &TodoItem,
    error: &str,
    rejected: &[String],
    keys: Vec<StepKey>,
) -> Step {
    let draft = with_errors(scene.draft(EXPERT, &item.id), &item.id, rejected);
    let draft = keys.into_iter().fold(draft, |draft, key| draft.finishes(key));
    fall(scene, draft.error(Some(&item.id), error), items, item, error)
}

fn fall(
    scene: &Scene<'_>,
    draft: Draft<'_>,
    items: &[TodoItem],
    item: &TodoItem,
    error: &str,
) -> Step {
    let mut plan = items.to_vec();
    for other in plan.iter_mut().filter(|other| other.id == item.id) {
        other.status = TodoStatus::Failed;
    }
    let detail = [("task_id", json!(item.id)), ("error", json!(error))];
    draft
        .event(&item.expert, Kind::TaskAnswered, &detail)
        .event(ENGINE, Kind::ReplacementRequested, &detail[..1])
        .plan(plan)
        .starts(scene.key(&item.id, "replace"))
        .step()
}

/// A failed item's one replacement, from the planner.
fn replace(scene: &Scene<'_>, items: &[TodoItem], item: &TodoItem, error: &str) -> Step {
    let call = || {
        let part = part(scene, |brain| &brain.planner)?;
        let prompt = prompts::replace(&part, item, error, scene.view, scene.facts.lang);
        Ok(Call {
            expected: vec![Expected::required("plan.json").of("kernel-plan")],
            ..call_of(scene, &part, PLANNER, "replace", &item.id, prompt)
        })
    };
    let asked = scene.ask(&item.id, call, |answer| {
        let sub_plan = planning::items(answer, scene)?;
        let experts = scene.view.known_experts();
        // It stands where the failed item stood, so it may be one deeper than an expansion.
        plan::merge(items, item, &sub_plan, &experts, plan::DEEPEST + 1)
            .map_err(|faults| planning::findings(scene, &faults))
    });
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps: keys, rejected } => {
            let error = format!("{error}; no replacement: {}", why.reason());
            ending::fail(scene, Some(&item.id), &error, &rejected, keys)
        }
        Asked::Answered { value: (plan, record), steps: keys, rejected } => {
            let draft = with_errors(scene.draft(TASKS, &item.id), &item.id, &rejected);
            let draft = keys.into_iter().fold(draft, |draft, key| draft.finishes(key));
            let detail = [("task_id", json!(item.id)), ("items", json!(plan.len()))];
            let draft = draft
                .event(PLANNER, Kind::SubPlanSubmitted, &detail[..1])
                .message("MergeRecord", &record)
                .event(TASKS, Kind::SubPlanMerged, &detail);
            let draft = update(draft, item, &plan);
            dispatch(scene, draft, &plan).step()
        }
    }
}

/// An item that was replaced is completed by those who took its place.
fn completed_by_others(scene: &Scene<'_>, items: &[TodoItem], item: &TodoItem) -> Step {
    let others: Vec<&str> = plan::children(items, &item.id).map(|item| item.id.as_str()).collect();
    let output = ExpertOutput {
        task_id: item.id.clone(),
        status: ExpertStatus::Completed,
        result: Some(json!({ "replaced_by": others })),
        plan: None,
        error_details: None,
    };
    let draft = scene.draft(TASKS, &item.id);
    take_in(scene, draft, items, item, Taken::Completed { output, files: BTreeMap::new() })
}

/// The mirror is written together with the plan, so a difference is somebody's edit. Found at rest
/// it is told and stays; while hast works it is kept aside and mended, twice at most.
fn mend_mirror(scene: &Scene<'_>, items: &[TodoItem]) -> Option<Step> {
    let there = scene.view.mirror.as_ref();
    let difference = match there {
        Some(known) => mirror::difference(&known.value, items)?,
        None => "activeContext.md is missing".to_owned(),
    };
    if there.is_some_and(|known| shows_another(scene, &known.value)) {
        return Some(scene.draft(TASKS, "the mirror").plan(items.to_vec()).step());
    }
    let lang = scene.facts.lang;
    if there.is_some() && scene.facts.noted.is_empty() {
        return Some(ending::edited_mirror(lang, &difference));
    }
    if scene.request.repairs >= MOST_REPAIRS {
        return Some(ending::fail(scene, None, &difference, &[], Vec::new()));
    }
    let mut draft = scene.draft(TASKS, "mend the mirror");
    if let Some(known) = there {
        let name = format!("edited/activeContext.{}.md", scene.request.repairs + 1);
        draft = draft.create_here(&name, known.value.clone());
    }
    let step = draft
        .event(TASKS, Kind::MirrorRepaired, &[("error", json!(difference))])
        .error(None, &difference)
        .plan(items.to_vec())
        .step();
    Some(step)
}

const MOST_REPAIRS: u32 = 2;

/// There is one mirror: another request that was worked on in between left its own plan there, and
/// nobody edited anything.
fn shows_another(scene: &Scene<'_>, text: &str) -> bool {
    let others = scene.view.requests.iter().filter(|(id, _)| *id != scene.id);
    let mut plans = others.map(|(_, other)| other.items()).filter(|items| !items.is_empty());
    plans.any(|items| mirror::difference(text, items).is_none())
}

fn with_errors<'v>(draft: Draft<'v>, task: &str, rejected: &[String]) -> Draft<'v> {
    rejected.iter().fold(draft, |draft, reason| draft.error(Some(task), reason))
}

/// The results that an item builds on.
fn context(scene: &Scene<'_>, items: &[TodoItem], item: &TodoItem) -> Value {
    let results: Map<String, Value> = builds_on(items, item)
        .filter_map(|other| {
            let output = scene.request.outputs.get(&other.id)?;
            Some((other.id.clone(), output.result.clone().unwrap_or(Value::Null)))
        })
        .collect();
    Value::Object(results)
}

fn inputs(items: &[TodoItem], item: &TodoItem) -> Vec<crate::store::DocPath> {
    let files = builds_on(items, item).filter_map(|other| other.result_path.as_deref());
    files.filter_map(layout::path).collect()
}

fn builds_on<'p>(items: &'p [TodoItem], item: &'p TodoItem) -> impl Iterator<Item = &'p TodoItem> {
    items.iter().filter(move |other| {
        item.dependencies.contains(&other.id) || other.parent_id.as_ref() == Some(&item.id)
    })
}

/// The expert that plays a fixed part.
pub(super) fn part(scene: &Scene<'_>, which: fn(&Brain) -> &String) -> Result<Expert, String> {
    match &scene.view.brain {
        Some(Ok(brain)) => load(scene, which(brain)),
        Some(Err(error)) => Err(error.clone()),
        None => Err(format!("{}: it is missing -> run `hast kernel boot`", layout::BRAIN)),
    }
}

/// An expert as its file says now.
pub(super) fn load(scene: &Scene<'_>, name: &str) -> Result<Expert, String> {
    match scene.view.experts.get(name) {
        Some(Ok(expert)) => Ok(expert.clone()),
        Some(Err(error)) => Err(error.clone()),
        None => Err(format!("{}: it is missing -> write it", layout::expert(name))),
    }
}

/// A call of an expert, with what its file says about agent, place and limits.
pub(super) fn call_of(
    scene: &Scene<'_>,
    expert: &Expert,
    role: &str,
    step: &'static str,
    unit: &str,
    prompt: String,
) -> Call {
    let minutes = expert.limits.timeout_minutes;
    Call {
        tool: expert.agent.clone(),
        timeout: minutes.map(|minutes| Duration::from_secs(u64::from(minutes) * 60)),
        place: if expert.writes.is_empty() { Place::Reading } else { Place::Checkout },
        ids: [("request_id", scene.id.to_string()), ("task_id", unit.to_owned())].into(),
        ..Call::new(role, step, unit, prompt)
    }
}
