//! An attempt of the contract flow, from its base to its end: recorded, called, and cleared away if it
//! was cut off. What it is worth is for its gate to say.

use serde_json::{Value, json};

use crate::attempt::base::{Base, attempt_ref};
use crate::attempt::evidence::CallEnd;
use crate::attempt::inspection::Inspection;
use crate::attempt::workspace::{Aside, GitResult, GitStep, SavePlan};
use crate::attempt_steps::{blocked, unexpected};
use crate::docs::contract::ContractEventKind as Kind;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::policy::ORCHESTRATOR;
use crate::flows::contract::request::{Attempt, Judged, Subtask};
use crate::flows::contract::{layout, rooms, words};
use crate::ids::SubtaskId;
use crate::replies::numbered;
use crate::steps::{Call, EffectResult, Place, Step, StepKey};

/// The key of a step of an attempt. Numbers of attempts never repeat.
pub(super) fn key(scene: &Scene<'_>, subtask: &SubtaskId, attempt: u32, part: &str) -> StepKey {
    StepKey::new(&[scene.request.id.as_str(), subtask.as_str(), &attempt.to_string(), part])
}

/// Where an attempt stands: not begun, on its way, cut off, or ended and to be judged.
pub(super) fn go_on(
    scene: &Scene<'_>,
    subtask: &Subtask,
    attempt: Option<&Attempt>,
    step: &'static str,
    ask: impl FnOnce(u32) -> Step,
    judge: impl FnOnce(u32, &CallEnd) -> Result<Step, Step>,
) -> Step {
    match attempt {
        None => begin(scene, subtask, step).unwrap_or_else(|step| step),
        Some(Attempt { number, ended: None }) if was_cut_off(scene, subtask, *number, step) => {
            interrupted(scene, subtask, *number)
        }
        Some(Attempt { number, ended: None }) => ask(*number),
        Some(Attempt { number, ended: Some(end) }) => {
            judge(*number, end).unwrap_or_else(|step| step)
        }
    }
}

/// The next attempt: the room is at the commit that it builds on, and where it began is written down.
fn begin(scene: &Scene<'_>, subtask: &Subtask, step: &'static str) -> Result<Step, Step> {
    let number = subtask.last_attempt + 1;
    let part = |name: &str| key(scene, &subtask.id, number, name);
    let tests = subtask.tests.as_ref().and_then(|tests| tests.commit.as_ref());
    let (onto, at) = match tests {
        Some(commit) => (None, commit.clone()),
        None => {
            let (onto, at) = rooms::tip(&scene.git(), &part("tip"), None)?;
            (Some(onto), at)
        }
    };
    rooms::open(scene, &at, part)?;
    let record_key = part("record");
    let record = || GitStep::Record {
        key: format!("{}/{number}", unit(scene, &subtask.id)),
        rules: scene.flow.settings.rules.clone(),
        at: scene.facts.now,
    };
    let base = match scene.git().git(record_key.clone(), record)? {
        GitResult::Recorded(base) => base.to_document(),
        _ => return Err(unexpected(&record_key, scene.facts.lang)),
    };
    let mut detail = json!({
        "subtask_id": subtask.id,
        "attempt": number,
        "step": step,
        "round": subtask.round,
    });
    if let Some(onto) = &onto {
        detail["onto"] = json!(onto.as_str());
    }
    Ok(scene
        .draft(&format!("{} attempt {number}", subtask.id))
        .create(&layout::base(&scene.request.id, &subtask.id, number), base)
        .finishes_all()
        .event(ORCHESTRATOR, Kind::AttemptStarted, detail)
        .starts(part(step))
        .step())
}

/// A call that works in the room.
pub(super) fn call(
    scene: &Scene<'_>,
    subtask: &Subtask,
    role: &str,
    step: &'static str,
    prompt: String,
) -> Call {
    Call {
        attempt: subtask.round,
        place: rooms::place(scene).map_or(Place::Reading, Place::Worktree),
        timeout: Some(scene.flow.settings.timeout_minutes.duration()),
        ..reading(scene, subtask, role, step, prompt)
    }
}

/// A call about a subtask that only reads: what is in the room.
pub(super) fn reading(
    scene: &Scene<'_>,
    subtask: &Subtask,
    role: &str,
    step: &'static str,
    prompt: String,
) -> Call {
    let task = subtask.id.task();
    let documents = [
        scene.path(&format!("{task}/{}", layout::BRIEF)),
        scene.path(&format!("{task}/{}", layout::DESIGN)),
        scene.subtask_path(&subtask.id, layout::TESTS),
    ];
    let there = documents.iter().filter(|path| scene.view.contracts.contains_key(*path));
    Call {
        attempt: subtask.round,
        place: rooms::place(scene).map_or(Place::Reading, Place::Viewing),
        inputs: there.filter_map(|path| layout::path(path)).collect(),
        ids: [
            ("request_id", scene.request.id.to_string()),
            ("task_id", task.to_string()),
            ("subtask_id", subtask.id.to_string()),
        ]
        .into(),
        ..Call::new(role, step, subtask.id.as_str(), prompt)
    }
}

/// Whether the call of an attempt was begun in an earlier life and never came back.
fn was_cut_off(scene: &Scene<'_>, subtask: &Subtask, attempt: u32, step: &str) -> bool {
    let first = key(scene, &subtask.id, attempt, step);
    (0..=scene.flow.settings.max_regenerations)
        .any(|again| scene.facts.left_open(&numbered(&first, again)))
}

/// What a cut-off call left is saved, the room goes back, and the attempt counts for nothing.
pub(super) fn interrupted(scene: &Scene<'_>, subtask: &Subtask, attempt: u32) -> Step {
    let part = |name: &str| key(scene, &subtask.id, attempt, &format!("cut-{name}"));
    let plan = |base: &Base| save_plan(scene, &subtask.id, attempt, base);
    let returned = match go_back_to(scene, subtask, attempt, part, plan) {
        Ok(returned) => returned,
        Err(step) => return step,
    };
    let mut detail = json!({ "subtask_id": subtask.id, "attempt": attempt });
    returned.tell(&mut detail);
    scene
        .draft("cut off")
        .finishes_all()
        .closes(calls(scene, subtask, attempt))
        .event(ORCHESTRATOR, Kind::AttemptInterrupted, detail)
        .step()
}

/// The keys of an attempt's calls that have no result.
pub(super) fn calls(scene: &Scene<'_>, subtask: &Subtask, attempt: u32) -> Vec<StepKey> {
    let steps = ["test_first", "implement"].map(|step| key(scene, &subtask.id, attempt, step));
    let most = scene.flow.settings.max_regenerations;
    let open = steps.iter().flat_map(|key| (0..=most).map(move |again| numbered(key, again)));
    open.filter(|key| !scene.view.results.contains_key(key)).collect()
}

/// The work of an attempt that does not count.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    /// The ref that has everything.
    pub(super) saved: String,
    /// Things that no ref holds, with their places now.
    aside: Vec<Aside>,
}

impl Returned {
    /// Says in the detail of an event where the work is.
    pub(super) fn tell(&self, detail: &mut Value) {
        detail["saved"] = json!(self.saved);
        if !self.aside.is_empty() {
            detail["aside"] = json!(self.aside);
        }
    }
}

/// Everything in the room is saved; then the room is as the attempt found it.
pub(super) fn go_back_to(
    scene: &Scene<'_>,
    subtask: &Subtask,
    attempt: u32,
    part: impl Fn(&str) -> StepKey,
    plan: impl Fn(&Base) -> SavePlan,
) -> Result<Returned, Step> {
    let base = base(scene, &subtask.id, attempt)?;
    let back = part("back");
    let saved = scene.git().save_and_go_back(&part("save"), back.clone(), || plan(base), base)?;
    let aside = match scene.view.results.get(&back) {
        Some(EffectResult::Git(GitResult::RolledBack(back))) => back.aside.clone(),
        _ => Vec::new(),
    };
    Ok(Returned { saved: saved.work().name.clone(), aside })
}

/// Open from the end of an attempt's call until its gate has spoken.
pub(super) fn judging(scene: &Scene<'_>, subtask: &Subtask, attempt: u32) -> StepKey {
    key(scene, &subtask.id, attempt, "judging")
}

pub(super) fn base<'s>(
    scene: &Scene<'s>,
    subtask: &SubtaskId,
    attempt: u32,
) -> Result<&'s Base, Step> {
    scene.view.base(&scene.request.id, subtask, attempt).ok_or_else(|| {
        let path = layout::base(&scene.request.id, subtask, attempt);
        let lang = scene.facts.lang;
        blocked(words::lost_documents(lang, path), words::lost_documents_next(lang))
    })
}

/// What an attempt did to the tree.
pub(super) fn inspect<'s>(
    scene: &Scene<'s>,
    base: &Base,
    key: &StepKey,
) -> Result<&'s Inspection, Step> {
    match scene.git().git(key.clone(), || GitStep::Inspect { base: base.clone() })? {
        GitResult::Inspected(inspection) => Ok(inspection),
        _ => Err(unexpected(key, scene.facts.lang)),
    }
}

pub(super) fn judged(scene: &Scene<'_>, attempt: u32, inspection: &Inspection) -> Judged {
    Judged {
        attempt,
        at: scene.facts.now,
        head: inspection.head.clone(),
        tree: inspection.tree.clone(),
        commit_tree: inspection.commit_tree.clone(),
        uncommitted: inspection.uncommitted,
    }
}

pub(super) fn save_plan(
    scene: &Scene<'_>,
    subtask: &SubtaskId,
    attempt: u32,
    base: &Base,
) -> SavePlan {
    let unit = unit(scene, subtask);
    SavePlan {
        name: attempt_ref(&unit, attempt),
        rules: base.rules().clone(),
        base: Some(base.clone()),
        message: format!("attempt {attempt} at {unit}"),
        at: scene.facts.now,
        max_file_bytes: scene.flow.settings.max_saved_file_bytes,
        max_total_bytes: scene.flow.settings.max_saved_bytes,
    }
}

/// A subtask as refs name it.
fn unit(scene: &Scene<'_>, subtask: &SubtaskId) -> String {
    format!("{}-{subtask}", scene.request.id)
}

/// A path of a contract as the tree names it.
pub(super) fn tree_path(scene: &Scene<'_>, path: &str) -> String {
    let plain = crate::flows::contract::scope::project_path(path);
    format!("{}{}", scene.flow.settings.prefix, plain.as_deref().unwrap_or(path))
}
