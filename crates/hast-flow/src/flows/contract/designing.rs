//! A task begins with hast's own brief, and the architect makes a contract of it.

use serde_json::json;

use crate::docs::contract::{
    AssumptionVerdict, Author, BriefSubtask, ContractEventKind as Kind, DesignBrief, Explored,
    FileRef, FileStatus, Merge, TaskBreakdown,
};
use crate::docs::document::Version;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::discovery::kept_rejected;
use crate::flows::contract::endings::give_up;
use crate::flows::contract::knowledge::words_of;
use crate::flows::contract::policy::{ARCHITECT, ORCHESTRATOR};
use crate::flows::contract::request::{Cause, Subtask, Task};
use crate::flows::contract::scope::project_path;
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

/// From the breakdown, what was explored, and what became of the assumptions.
fn brief(scene: &Scene<'_>, task: &Task) -> DesignBrief {
    let lang = scene.facts.lang;
    let breakdown = scene.view.contract::<TaskBreakdown>(&scene.path(layout::BREAKDOWN));
    let planned =
        breakdown.as_ref().and_then(|plan| plan.tasks.iter().find(|one| one.id == task.id));
    let objective = planned.map_or("", |planned| planned.objective.as_str());
    let subtasks = planned.map_or(&[][..], |planned| &planned.subtasks);
    let each = || subtasks.iter().map(|one| one.description.trim()).filter(|text| !text.is_empty());
    let others = breakdown.iter().flat_map(|plan| &plan.tasks).filter(|other| other.id != task.id);
    let others = others.map(|other| words::out_of_scope(lang, &other.name, &other.objective));
    let judged = scene.view.contract::<Merge>(&scene.path(layout::MERGE)).map(|merge| merge.0);
    let judged = judged.unwrap_or_default();
    let refuted = judged.iter().filter(|one| one.verdict == AssumptionVerdict::Refuted);
    let refuted = refuted.map(|one| words::not_so(lang, &one.assumption, &one.evidence));
    let holds = |text: &&String| {
        let verdict = judged.iter().find(|one| one.assumption == **text).map(|one| one.verdict);
        verdict != Some(AssumptionVerdict::Refuted)
    };
    let assumed = breakdown.iter().flat_map(|plan| &plan.assumptions).filter(holds);
    let assumed = assumed.map(|text| words::assumed(lang, text));
    let about = each().chain([task.name.as_str(), objective]).collect::<Vec<_>>().join(" ");
    DesignBrief {
        version: Version,
        request_id: scene.request.id.clone(),
        task_id: task.id.clone(),
        created_at: scene.facts.now,
        created_by: Author::Orchestrator,
        task_name: task.name.clone(),
        objective: objective.to_owned(),
        subtasks: task
            .subtasks
            .iter()
            .map(|one| BriefSubtask { id: one.id.clone(), name: one.name.clone() })
            .collect(),
        completion_criteria: [objective]
            .into_iter()
            .filter(|text| !text.trim().is_empty())
            .chain(each())
            .map(str::to_owned)
            .chain([words::criterion_tests(lang)])
            .collect(),
        scope_in: each().map(str::to_owned).chain(assumed).collect(),
        scope_out: others.chain(refuted).collect(),
        file_refs: explored_files(scene, &about),
    }
}

/// Most files of a brief.
const MOST_FILES: usize = 20;

/// Files that were explored and that the task is about: it names them, or shares a word with what was said
/// of them.
fn explored_files(scene: &Scene<'_>, about: &str) -> Vec<FileRef> {
    let explored = scene.view.contract::<Explored>(&scene.path(layout::EXPLORED));
    let wanted = words_of(about);
    let files = explored.into_iter().flat_map(|explored| explored.explored_files);
    let mut files: Vec<(usize, FileRef)> = files
        .filter(|file| project_path(&file.path).is_ok())
        .map(|file| {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            let entity = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name);
            let told =
                words_of(&format!("{} {}", file.path.replace(['/', '.', '_'], " "), file.summary));
            let named = if about.contains(&file.path) { 100 } else { 0 };
            let score = named + told.intersection(&wanted).count();
            let (entity, path) = (entity.to_owned(), file.path.clone());
            (score, FileRef { entity, path, status: FileStatus::Existing })
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    files.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    files.into_iter().take(MOST_FILES).map(|(_, file)| file).collect()
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
