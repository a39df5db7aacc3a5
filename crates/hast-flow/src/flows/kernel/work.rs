//! Steps 7 to 13: the item in work is broken down or executed, its answer is taken in, and the next
//! one goes out. A failed item gets one replacement.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::agents::asking::Further;
use crate::docs::call::CallFinding;
use crate::docs::kernel::{
    Brain, Expert, ExpertOutput, ExpertStatus, KernelEventKind as Kind, TodoItem, TodoStatus,
};
use crate::flows::kernel::decide::Scene;
use crate::flows::kernel::policy::{ENGINE, EXPERT, PLANNER, POLICY, TASKS};
use crate::flows::kernel::troubles::Trouble;
use crate::flows::kernel::write::{Draft, printed};
use crate::flows::kernel::{around, ending, layout, mirroring, plan, planning, prompts};
use crate::plain_name::plain_name;
use crate::replies::{Asked, document};
use crate::steps::{Answer, Call, Effect, Expected, Place, Step, StepKey};
use crate::store::DocPath;

pub(super) fn step(scene: &Scene<'_>) -> Step {
    let items = scene.request.items();
    if let Some(step) = mirroring::mend(scene, items) {
        return step;
    }
    if let Some((task, error)) = &scene.request.failed
        && let Some(item) = items.iter().find(|item| item.id == *task)
    {
        if scene.request.replaced.contains(&item.id) {
            return replace(scene, items, item, error);
        }
        let lang = scene.facts.lang;
        let error = match stands_in(scene, items, item) {
            true => prompts::second_replacement(lang, error, &item.id),
            false => prompts::no_room(lang, error, &item.id),
        };
        return ending::fail(scene, Some(&item.id), &error, &[], Vec::new());
    }
    let Some(item) = plan::in_work(items) else {
        return ending::fail(scene, None, &prompts::stuck(scene.facts.lang), &[], Vec::new());
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
        let (request, lang) = (&scene.request.text, scene.facts.lang);
        let around = told(scene, items, item);
        let (prompt, further) = match name {
            "expand" => {
                let words = (request.as_str(), around.as_str());
                (prompts::expand(&part, item, words, scene.view, lang), Further::None)
            }
            _ => (prompts::execute(&part, item, request, &around, lang), Further::Results),
        };
        let expected = vec![Expected::required("output.json").of("expert-output")];
        let inputs = inputs(items, item);
        let call = call_of(scene, &part, &item.expert, name, &item.id, prompt);
        Ok(Call { expected, further, inputs, ..call })
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
    Failed { output: ExpertOutput },
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
        ExpertStatus::Failed => Ok(Taken::Failed { output }),
        ExpertStatus::Completed if step == "expand" => {
            wrong(prompts::expansion_wanted(lang), prompts::expansion_wanted_next(lang))
        }
        ExpertStatus::Completed => Ok(Taken::Completed { output, files: answer.others.clone() }),
        ExpertStatus::NeedsSubPlan if !plan::may_expand(items, item) => {
            wrong(prompts::no_expansion(lang, &item.id), prompts::no_expansion_next(lang))
        }
        ExpertStatus::NeedsSubPlan => {
            let sub_plan = output.plan.clone().unwrap_or_default();
            let experts = scene.view.working_experts();
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
        Taken::Failed { output } => fall(scene, draft, items, item, &output),
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
                draft = draft.create_here(&layout::output(&item.id, &plain_name(&name)), bytes);
            }
            let draft = update(draft, item, &plan);
            dispatch(scene, draft, &plan, Some(&output)).step()
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
            dispatch(scene, draft, &plan, None).step()
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

/// Step 7 for the item in work, or step 14 when all are completed. `fresh` is an output that the
/// same commit brings.
pub(super) fn dispatch<'v>(
    scene: &Scene<'_>,
    draft: Draft<'v>,
    items: &[TodoItem],
    fresh: Option<&ExpertOutput>,
) -> Draft<'v> {
    match plan::in_work(items) {
        Some(item) => {
            let step = match plan::is_too_complex(item) && plan::may_expand(items, item) {
                true => "expand",
                false => "execute",
            };
            let detail = [("task_id", json!(item.id)), ("expert", json!(item.expert))];
            draft
                .asks(&item.id, &item.description, context(scene, items, item, fresh))
                .event(ENGINE, Kind::TaskRequested, &detail)
                .starts(scene.key(&item.id, step))
        }
        None => draft
            .asks("report", "write the final report", results(scene, items.iter(), fresh))
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
    let output = ExpertOutput {
        task_id: item.id.clone(),
        status: ExpertStatus::Failed,
        result: None,
        plan: None,
        error_details: Some(error.to_owned()),
    };
    fall(scene, draft, items, item, &output)
}

fn fall(
    scene: &Scene<'_>,
    draft: Draft<'_>,
    items: &[TodoItem],
    item: &TodoItem,
    output: &ExpertOutput,
) -> Step {
    let mut plan = items.to_vec();
    for other in plan.iter_mut().filter(|other| other.id == item.id) {
        other.status = TodoStatus::Failed;
    }
    let error = output.error_details.clone().unwrap_or_default();
    let detail = [("task_id", json!(item.id)), ("error", json!(error))];
    let draft = draft.error(Some(&item.id), &error).answers(output).event(
        &item.expert,
        Kind::TaskAnswered,
        &detail,
    );
    let draft = update(draft, item, &plan);
    if !may_be_replaced(scene, items, item) {
        return draft.step();
    }
    draft
        .asks(&item.id, "replace the failed item", json!({ "error": error }))
        .event(ENGINE, Kind::ReplacementRequested, &detail[..1])
        .starts(scene.key(&item.id, "replace"))
        .step()
}

/// Whether an item stands where another one failed.
fn stands_in(scene: &Scene<'_>, items: &[TodoItem], item: &TodoItem) -> bool {
    let mut one = Some(item);
    while let Some(here) = one {
        if scene.request.replaced.contains(&here.id) {
            return true;
        }
        let parent = here.parent_id.as_ref();
        one = parent.and_then(|id| items.iter().find(|other| other.id == *id));
    }
    false
}

/// A failed item gets one replacement in all, and none that the plan could never take in.
fn may_be_replaced(scene: &Scene<'_>, items: &[TodoItem], item: &TodoItem) -> bool {
    let fits = item.depth <= plan::DEEPEST && items.len() < plan::MOST_ITEMS;
    fits && !stands_in(scene, items, item)
}

/// What an expert is told of the plan around its item.
fn told(scene: &Scene<'_>, items: &[TodoItem], item: &TodoItem) -> String {
    let output = |other: &TodoItem| scene.request.outputs.get(&other.id);
    around::told(items, item, output, scene.facts.lang)
}

/// A failed item's one replacement, from the planner.
fn replace(scene: &Scene<'_>, items: &[TodoItem], item: &TodoItem, error: &str) -> Step {
    let call = || {
        let part = part(scene, |brain| &brain.planner)?;
        let around = told(scene, items, item);
        let why = (scene.request.text.as_str(), error, around.as_str());
        let prompt = prompts::replace(&part, item, why, scene.view, scene.facts.lang);
        Ok(Call {
            expected: vec![Expected::required("plan.json").of("kernel-plan")],
            ..call_of(scene, &part, PLANNER, "replace", &item.id, prompt)
        })
    };
    let asked = scene.ask(&item.id, call, |answer| {
        let sub_plan = planning::items(answer, scene)?;
        let experts = scene.view.working_experts();
        // It stands where the failed item stood, so it may be one deeper than an expansion.
        match plan::merge(items, item, &sub_plan, &experts, plan::DEEPEST + 1) {
            Ok((plan, record)) => Ok((sub_plan, plan, record)),
            Err(faults) => Err(planning::findings(scene, &faults)),
        }
    });
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps: keys, rejected } => {
            let error = prompts::no_replacement(scene.facts.lang, error, why.reason());
            ending::fail(scene, Some(&item.id), &error, &rejected, keys)
        }
        Asked::Answered { value: (sub_plan, plan, record), steps: keys, rejected } => {
            let draft = with_errors(scene.draft(TASKS, &item.id), &item.id, &rejected);
            let draft = keys.into_iter().fold(draft, |draft, key| draft.finishes(key));
            let detail = [("task_id", json!(item.id)), ("items", json!(plan.len()))];
            let answer = ExpertOutput {
                task_id: item.id.clone(),
                status: ExpertStatus::NeedsSubPlan,
                result: None,
                plan: Some(sub_plan),
                error_details: None,
            };
            let draft = draft
                .answers(&answer)
                .event(PLANNER, Kind::SubPlanSubmitted, &detail[..1])
                .message("MergeRecord", &record)
                .event(TASKS, Kind::SubPlanMerged, &detail);
            let draft = update(draft, item, &plan);
            dispatch(scene, draft, &plan, None).step()
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

fn with_errors<'v>(draft: Draft<'v>, task: &str, rejected: &[String]) -> Draft<'v> {
    rejected.iter().fold(draft, |draft, reason| draft.error(Some(task), reason))
}

/// The results that an item builds on.
fn context(
    scene: &Scene<'_>,
    items: &[TodoItem],
    item: &TodoItem,
    fresh: Option<&ExpertOutput>,
) -> Value {
    results(scene, builds_on(items, item), fresh)
}

/// What came of these items.
pub(super) fn results<'p>(
    scene: &Scene<'_>,
    items: impl Iterator<Item = &'p TodoItem>,
    fresh: Option<&ExpertOutput>,
) -> Value {
    let result = |item: &TodoItem| {
        let fresh = fresh.filter(|output| output.task_id == item.id);
        let output = fresh.or_else(|| scene.request.outputs.get(&item.id))?;
        Some((item.id.clone(), output.result.clone().unwrap_or(Value::Null)))
    };
    Value::Object(items.filter_map(result).collect())
}

/// The documents that an item builds on, of those that an expert may read.
fn inputs(items: &[TodoItem], item: &TodoItem) -> Vec<DocPath> {
    readable(EXPERT, around::known(items, item))
}

/// Where a result lies is written in the plan; only what the role may read is given to it.
pub(super) fn readable<'p>(role: &str, items: impl Iterator<Item = &'p TodoItem>) -> Vec<DocPath> {
    let files = items.filter_map(|item| layout::path(item.result_path.as_deref()?));
    files.filter(|path| POLICY.may_read(role, path)).collect()
}

fn builds_on<'p>(items: &'p [TodoItem], item: &'p TodoItem) -> impl Iterator<Item = &'p TodoItem> {
    items.iter().filter(move |other| {
        item.dependencies.contains(&other.id) || other.parent_id.as_ref() == Some(&item.id)
    })
}

/// The expert that plays a fixed part.
pub(super) fn part(scene: &Scene<'_>, which: fn(&Brain) -> &String) -> Result<Expert, String> {
    let lang = scene.facts.lang;
    match &scene.view.brain {
        Some(Ok(brain)) => load(scene, which(brain)),
        Some(Err(trouble)) => Err(trouble.words(lang)),
        None => Err(Trouble::Missing { path: layout::BRAIN }.words(lang)),
    }
}

/// An expert as its file says now.
pub(super) fn load(scene: &Scene<'_>, name: &str) -> Result<Expert, String> {
    let lang = scene.facts.lang;
    match scene.view.experts.get(name) {
        Some(Ok(expert)) => Ok(expert.clone()),
        Some(Err(trouble)) => Err(trouble.words(lang)),
        None => Err(Trouble::MissingExpert { expert: name.to_owned() }.words(lang)),
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
        place: Place::Within(expert.writes.clone()),
        ids: [("request_id", scene.id.to_string()), ("task_id", unit.to_owned())].into(),
        ..Call::new(role, step, unit, prompt)
    }
}
