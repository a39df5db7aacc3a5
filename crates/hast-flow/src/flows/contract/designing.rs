//! A task begins with hast's own brief, and the architect makes a contract of it.

use serde_json::json;

use crate::docs::contract::{
    Author, BriefSubtask, ContractEventKind as Kind, DesignBrief, TaskBreakdown,
};
use crate::docs::document::Version;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::discovery::kept_rejected;
use crate::flows::contract::endings::give_up;
use crate::flows::contract::policy::{ARCHITECT, ORCHESTRATOR};
use crate::flows::contract::request::{Cause, Subtask, Task};
use crate::flows::contract::write::yaml;
use crate::flows::contract::{layout, memory, prompts, readings, words};
use crate::replies::Asked;
use crate::steps::{Answer, Call, Effect, Expected, Step};

/// A task begins: its brief is made from the breakdown alone.
pub(super) fn begin(scene: &Scene<'_>, task: &Task) -> Step {
    let draft = scene.draft(task.id.as_str());
    let path = scene.task_path(task, layout::BRIEF);
    draft
        .create(&path, yaml(&brief(scene, task)))
        .event(ORCHESTRATOR, Kind::TaskStarted, json!({ "task_id": task.id }))
        .step()
}

fn brief(scene: &Scene<'_>, task: &Task) -> DesignBrief {
    let lang = scene.facts.lang;
    let breakdown = scene.view.contract::<TaskBreakdown>(&scene.path(layout::BREAKDOWN));
    let planned =
        breakdown.as_ref().and_then(|plan| plan.tasks.iter().find(|one| one.id == task.id));
    let subtasks = planned.map_or(&[][..], |planned| &planned.subtasks);
    let others = breakdown.iter().flat_map(|plan| &plan.tasks).filter(|other| other.id != task.id);
    let done = task.subtasks.iter().map(|one| words::criterion_of(lang, &one.name));
    DesignBrief {
        version: Version,
        request_id: scene.request.id.clone(),
        task_id: task.id.clone(),
        created_at: scene.facts.now,
        created_by: Author::Orchestrator,
        task_name: task.name.clone(),
        objective: planned.map(|planned| planned.objective.clone()).unwrap_or_default(),
        subtasks: task
            .subtasks
            .iter()
            .map(|one| BriefSubtask { id: one.id.clone(), name: one.name.clone() })
            .collect(),
        completion_criteria: done.chain([words::criterion_tests(lang)]).collect(),
        scope_in: subtasks.iter().map(|one| one.description.clone()).collect(),
        scope_out: others.map(|other| words::out_of_scope(lang, &other.name)).collect(),
        file_refs: Vec::new(),
    }
}

/// The architect's contract; made again when a gate sends a subtask back to it.
pub(super) fn step(scene: &Scene<'_>, task: &Task, current: Option<&Subtask>) -> Step {
    let number = task.designs + 1;
    let part = format!("{}.{number}", task.id);
    let memory_key = scene.key(&["design", &part, "memory"]);
    let found = match memory::search(scene, &memory_key, &task.name) {
        Ok(found) => found,
        Err(step) => return step,
    };
    let documents = [
        scene.path(layout::EXPLORED),
        scene.path(layout::BREAKDOWN),
        scene.path(layout::MERGE),
        scene.task_path(task, layout::BRIEF),
    ];
    let there = documents.iter().filter(|path| scene.view.contracts.contains_key(*path));
    let failure = current.and_then(|subtask| subtask.failures.last());
    let call = || Call {
        attempt: number,
        expected: vec![
            Expected::required(layout::DESIGN).of("design-contract"),
            Expected::optional(layout::DECISIONS).of("contract-decisions"),
        ],
        inputs: there.filter_map(|path| layout::path(path)).collect(),
        ids: [("request_id", scene.request.id.to_string()), ("task_id", task.id.to_string())]
            .into(),
        ..Call::new(
            ARCHITECT,
            "design",
            task.id.as_str(),
            prompts::design(scene, task, failure, &found),
        )
    };
    let read =
        |answer: &Answer| readings::design(answer, &scene.request.id, &task.id, scene.facts.lang);
    let path = scene.task_path(task, layout::DESIGN);
    let turn = task.designs + scene.request.lives;
    match scene.ask(scene.key(&["design", &part]), call, read) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => {
            let draft = scene.draft("design").by(ARCHITECT);
            let draft = kept_rejected(scene, draft, &steps, &path, turn).finishes_all();
            let subtask = current.map(|subtask| &subtask.id);
            give_up(draft, Cause::of(&why), &why.reason(), subtask)
        }
        Asked::Answered { value: (design, decisions), steps, rejected } => {
            let draft = scene.draft("designed").by(ARCHITECT).create(&path, design);
            let draft = kept_rejected(scene, draft, &steps[..rejected.len()], &path, turn);
            let draft = match decisions {
                Some(bytes) => draft.create(&scene.task_path(task, layout::DECISIONS), bytes),
                None => draft,
            };
            draft
                .finishes_all()
                .event(ARCHITECT, Kind::Designed, json!({ "task_id": task.id, "number": number }))
                .step()
        }
    }
}
