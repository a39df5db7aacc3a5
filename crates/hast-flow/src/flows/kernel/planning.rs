//! Steps 3 to 6: a plan is drafted, checked, registered and approved; and the first item goes out.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::kernel::{
    ExpertOutput, ExpertStatus, KernelEventKind as Kind, KernelPlan, TodoItem,
};
use crate::flows::kernel::decide::Scene;
use crate::flows::kernel::plan::{self, Fault};
use crate::flows::kernel::policy::{ENGINE, PLANNER, TASKS};
use crate::flows::kernel::{ending, mirroring, prompts, work};
use crate::replies::{Asked, document};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};

pub(super) fn step(scene: &Scene<'_>) -> Step {
    let call = || {
        let part = work::part(scene, |brain| &brain.planner)?;
        let prompt = prompts::plan(&part, &scene.request.text, scene.view, scene.facts.lang);
        Ok(Call {
            expected: vec![Expected::required("plan.json").of("kernel-plan")],
            ..work::call_of(scene, &part, PLANNER, "plan", "plan", prompt)
        })
    };
    match scene.ask("plan", call, |answer| draft(scene, answer)) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, rejected } => approve(scene, &value, &rejected, steps),
        Asked::Unanswered { why, steps, rejected } => {
            ending::fail(scene, None, &why.reason(), &rejected, steps)
        }
    }
}

fn draft(scene: &Scene<'_>, answer: &Answer) -> Result<Vec<TodoItem>, Vec<CallFinding>> {
    let items = items(answer, scene)?;
    let experts = scene.view.working_experts();
    let faults = plan::faults(&items, &experts);
    if faults.is_empty() { Ok(items) } else { Err(findings(scene, &faults)) }
}

/// The items of a `plan.json`.
pub(super) fn items(answer: &Answer, scene: &Scene<'_>) -> Result<Vec<TodoItem>, Vec<CallFinding>> {
    let (_, plan) = document::<KernelPlan>(answer, "plan.json", scene.facts.lang)?;
    Ok(plan.value.todo_list)
}

pub(super) fn findings(scene: &Scene<'_>, faults: &[Fault]) -> Vec<CallFinding> {
    let (lang, experts) = (scene.facts.lang, scene.view.working_experts());
    let finding = |fault: &Fault| CallFinding {
        file: "plan.json".to_owned(),
        line: None,
        problem: fault.what(lang),
        next: fault.next(lang, &experts),
    };
    faults.iter().map(finding).collect()
}

fn approve(scene: &Scene<'_>, items: &[TodoItem], rejected: &[String], keys: Vec<StepKey>) -> Step {
    let plan = plan::registered(items);
    let output = |items: &[TodoItem]| ExpertOutput {
        task_id: "plan".to_owned(),
        status: ExpertStatus::Completed,
        result: Some(json!({ "todo_list": items })),
        plan: None,
        error_details: None,
    };
    let mut draft = scene.draft(TASKS, "the plan");
    for reason in rejected {
        draft = draft
            .event(ENGINE, Kind::PlanRejected, &[("error", json!(reason))])
            .error(Some("plan"), reason);
    }
    let draft = keys.into_iter().fold(draft, |draft, key| draft.finishes(key));
    let draft = mirroring::put_aside(scene, draft)
        .answers(&output(items))
        .asks("plan", "register the plan", json!({ "todo_list": items }))
        .answers(&output(&plan))
        .event(PLANNER, Kind::PlanDrafted, &[("items", json!(items.len()))])
        .event(ENGINE, Kind::PlanSubmitted, &[])
        .plan(plan.clone())
        .event(TASKS, Kind::PlanApproved, &[]);
    work::dispatch(scene, draft, &plan, None).step()
}
