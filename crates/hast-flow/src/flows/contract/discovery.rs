//! The beginning of a request: the code is explored and the request broken down at the same time, then
//! the assumptions of the one are held against the other.

use serde_json::json;

use crate::docs::contract::{AssumptionVerdict, ContractEventKind as Kind, TaskBreakdown};
use crate::flows::contract::decide::Scene;
use crate::flows::contract::endings::give_up;
use crate::flows::contract::memory;
use crate::flows::contract::policy::{EXPLORER, ORCHESTRATOR, PLANNER};
use crate::flows::contract::request::{Cause, Merged, Named, NamedSubtask};
use crate::flows::contract::write::Draft;
use crate::flows::contract::{layout, prompts, readings};
use crate::replies::Asked;
use crate::steps::{Answer, Call, CallResult, Effect, EffectResult, Expected, Step, StepKey};

pub(super) fn step(scene: &Scene<'_>) -> Step {
    let request = scene.request;
    let explore = (!request.explored).then(|| explore(scene));
    let broken_down = request.breakdowns > 0;
    let breakdown = (!broken_down).then(|| breakdown(scene, 1));
    match (explore, breakdown) {
        (None, None) => merge(scene),
        (Some(one), None) | (None, Some(one)) => one,
        (Some(one), Some(other)) => side_by_side(scene, one, other),
    }
}

/// Both calls at once: what can be committed goes first, then what has not begun, then waiting.
fn side_by_side(scene: &Scene<'_>, one: Step, other: Step) -> Step {
    let runs = |step: &Step| match step {
        Step::Effect { key, .. } => scene.facts.running.contains(key),
        Step::Commit(_) | Step::Finish(_) => false,
    };
    match (&one, &other) {
        (Step::Commit(_) | Step::Finish(_), _) => one,
        (_, Step::Commit(_) | Step::Finish(_)) => other,
        (Step::Effect { .. }, Step::Effect { .. }) if !runs(&one) => one,
        (Step::Effect { .. }, Step::Effect { .. }) if !runs(&other) => other,
        _ => one,
    }
}

fn explore(scene: &Scene<'_>) -> Step {
    let key = scene.key(&["explore"]);
    let found = match memory::search(scene, &scene.key(&["explore", "memory"]), &scene.request.text)
    {
        Ok(found) => found,
        Err(step) => return step,
    };
    let call = || Call {
        expected: vec![
            Expected::required(layout::EXPLORED).of("explored"),
            Expected::optional(layout::PATTERNS).of("contract-patterns"),
        ],
        ids: [("request_id", scene.request.id.to_string())].into(),
        ..Call::new(EXPLORER, "explore", scene.request.id.as_str(), prompts::explore(scene, &found))
    };
    let read = |answer: &Answer| readings::explored(answer, &scene.request.id, scene.facts.lang);
    match scene.ask(key.clone(), call, read) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => {
            let draft = scene.draft("explore").by(EXPLORER);
            let path = scene.path(layout::EXPLORED);
            let draft = kept_rejected(scene, draft, &steps, &path, scene.request.lives);
            give_up(draft.finishes(steps), Cause::of(&why), &why.reason(), None)
        }
        Asked::Answered { value: (explored, patterns), steps, rejected } => {
            let path = scene.path(layout::EXPLORED);
            let draft = scene.draft("explored").by(EXPLORER).create(&path, explored);
            let refused = &steps[..rejected.len()];
            let draft = kept_rejected(scene, draft, refused, &path, scene.request.lives);
            let draft = match patterns {
                Some(bytes) => draft.create(&scene.path(layout::PATTERNS), bytes),
                None => draft,
            };
            draft
                .finishes(steps)
                .closes([scene.key(&["explore", "memory"])])
                .event(EXPLORER, Kind::Explored, json!({}))
                .step()
        }
    }
}

/// The breakdown; the second one knows what was explored and takes the place of the first.
fn breakdown(scene: &Scene<'_>, number: u32) -> Step {
    let key = scene.key(&["breakdown", &number.to_string()]);
    let explored = layout::path(&scene.path(layout::EXPLORED)).filter(|_| number > 1);
    let call = || Call {
        attempt: number,
        expected: vec![Expected::required(layout::BREAKDOWN).of("task-breakdown")],
        inputs: explored.into_iter().collect(),
        ids: [("request_id", scene.request.id.to_string())].into(),
        ..Call::new(
            PLANNER,
            "breakdown",
            scene.request.id.as_str(),
            prompts::breakdown(scene, number),
        )
    };
    let read = |answer: &Answer| readings::breakdown(answer, &scene.request.id, scene.facts.lang);
    let path = scene.path(layout::BREAKDOWN);
    let turn = scene.request.lives * 2 + number - 1;
    match scene.ask(key, call, read) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => {
            let draft = scene.draft("breakdown").by(PLANNER);
            let draft = kept_rejected(scene, draft, &steps, &path, turn);
            give_up(draft.finishes(steps), Cause::of(&why), &why.reason(), None)
        }
        Asked::Answered { value, steps, rejected } => {
            let mut draft = scene.draft("broken down").by(PLANNER);
            if scene.view.contracts.contains_key(&path) {
                let past =
                    scene.path(&format!("archive/round-{}/{}", number - 1, layout::BREAKDOWN));
                draft = draft.archive(&path, &past);
            }
            let draft = draft.create(&path, value.bytes);
            let draft = kept_rejected(scene, draft, &steps[..rejected.len()], &path, turn);
            let draft =
                draft.finishes(steps).event(PLANNER, Kind::BrokenDown, json!({ "number": number }));
            draft.step()
        }
    }
}

/// The planner's assumptions against what was explored; half or more refuted means another plan, once.
fn merge(scene: &Scene<'_>) -> Step {
    let Some(breakdown_now) = scene.view.contract::<TaskBreakdown>(&scene.path(layout::BREAKDOWN))
    else {
        return give_up(scene.draft("lost"), Cause::Documents, layout::BREAKDOWN, None);
    };
    match scene.request.merged {
        None if breakdown_now.assumptions.is_empty() => lay_out(scene, &breakdown_now),
        None => ask_merge(scene, &breakdown_now),
        Some(merged) if merged.asks_again() && scene.request.breakdowns == 1 => breakdown(scene, 2),
        Some(_) => lay_out(scene, &breakdown_now),
    }
}

fn ask_merge(scene: &Scene<'_>, breakdown: &TaskBreakdown) -> Step {
    let inputs = [layout::EXPLORED, layout::BREAKDOWN].map(|name| scene.path(name));
    let call = || Call {
        expected: vec![Expected::required(layout::MERGE).of("contract-merge")],
        inputs: inputs.iter().filter_map(|path| layout::path(path)).collect(),
        ids: [("request_id", scene.request.id.to_string())].into(),
        ..Call::new(PLANNER, "merge", scene.request.id.as_str(), prompts::merge(scene, breakdown))
    };
    let read = |answer: &Answer| readings::merge(answer, breakdown, scene.facts.lang);
    let path = scene.path(layout::MERGE);
    match scene.ask(scene.key(&["merge"]), call, read) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => {
            let draft = scene.draft("merge").by(PLANNER);
            let draft = kept_rejected(scene, draft, &steps, &path, scene.request.lives);
            give_up(draft.finishes(steps), Cause::of(&why), &why.reason(), None)
        }
        Asked::Answered { value, steps, rejected } => {
            let refuted = value.value.0.iter();
            let refuted = refuted.filter(|one| one.verdict == AssumptionVerdict::Refuted).count();
            let merged = Merged { assumptions: breakdown.assumptions.len(), refuted };
            let draft = scene.draft("merged").by(PLANNER).create(&path, value.bytes);
            let draft =
                kept_rejected(scene, draft, &steps[..rejected.len()], &path, scene.request.lives);
            draft.finishes(steps).event(PLANNER, Kind::Merged, json!({ "merged": merged })).step()
        }
    }
}

/// The task loop begins.
fn lay_out(scene: &Scene<'_>, breakdown: &TaskBreakdown) -> Step {
    let tasks = breakdown.tasks.iter().map(|task| Named {
        id: task.id.clone(),
        name: task.name.clone(),
        subtasks: task
            .subtasks
            .iter()
            .map(|one| NamedSubtask { id: one.id.clone(), name: one.name.clone() })
            .collect(),
    });
    let tasks: Vec<_> = tasks.collect();
    let detail = json!({ "tasks": tasks, "task_order": breakdown.task_order });
    scene.draft("the tasks").finishes_all().event(ORCHESTRATOR, Kind::TasksLaidOut, detail).step()
}

/// Keeps what was not taken beside the place where it would have stood. `turn` tells apart how often
/// the same document was asked for.
pub(super) fn kept_rejected<'v>(
    scene: &Scene<'_>,
    mut draft: Draft<'v>,
    steps: &[StepKey],
    path: &str,
    turn: u32,
) -> Draft<'v> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut number = turn * (scene.flow.settings.max_regenerations + 1);
    for key in steps {
        number += 1;
        let bytes = match scene.view.results.get(key) {
            Some(EffectResult::Call(CallResult::Broken { left, .. })) => left.get(name),
            Some(EffectResult::Call(CallResult::Completed(answer))) => answer.documents.get(name),
            _ => None,
        };
        if let Some(bytes) = bytes {
            draft = draft.keep(&layout::rejected(path, number), bytes.clone());
        }
    }
    draft
}
