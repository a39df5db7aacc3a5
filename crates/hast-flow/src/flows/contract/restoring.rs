//! Documents that somebody else wrote, changed or removed: put back as hast wrote them, with the other's
//! version kept, and held against the attempt during which it happened.

use serde_json::json;

use crate::attempt_steps::blocked;
use crate::docs::contract::ContractEventKind as Kind;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::policy::ORCHESTRATOR;
use crate::flows::contract::request::{Back, Gate, Request, Stage, Subtask};
use crate::flows::contract::settling::{Fall, fall};
use crate::flows::contract::{layout, words};
use crate::ids::ProjectHash;
use crate::steps::Step;

/// Documents that must stay as they are.
pub(super) fn watched(request: &Request) -> Vec<String> {
    request.written.keys().cloned().collect()
}

/// Places where the next documents will stand, and where nothing may lie before.
pub(super) fn expected(project: &ProjectHash, request: &Request) -> Vec<String> {
    let Some((task, current)) = request.current() else { return Vec::new() };
    let design = layout::of_task(project, &request.id, &task.id, layout::DESIGN);
    let names = [layout::TESTS, layout::RESULT, layout::REVIEW];
    let of_subtask = current.into_iter().flat_map(|subtask| {
        names.map(|name| layout::of_subtask(project, &request.id, &subtask.id, name))
    });
    let all = of_subtask.chain([design]);
    all.filter(|path| !request.written.contains_key(path)).collect()
}

pub(super) fn step(scene: &Scene<'_>) -> Option<Step> {
    let lang = scene.facts.lang;
    let lost = lost(scene);
    if !lost.is_empty() {
        let what = words::lost_documents(lang, lost.join(", "));
        return Some(blocked(what, words::lost_documents_next(lang)));
    }
    let planted = planted(scene);
    let paths: Vec<&str> = scene.view.touched.keys().map(String::as_str).collect();
    let paths = [paths, planted.clone()].concat();
    if paths.is_empty() {
        return None;
    }
    let names: Vec<&str> =
        paths.iter().map(|path| path.rsplit('/').next().unwrap_or(path)).collect();
    let number = scene.view.events + 1;
    let under_way = scene.request.current().and_then(|(_, subtask)| under_way(subtask?));
    let mut draft = scene.draft("documents are restored").restore();
    if under_way.is_some() {
        draft = draft.finishes_all();
    }
    for path in &planted {
        draft = draft.archive(path, &layout::aside(path, number));
    }
    let detail = json!({ "paths": paths, "aside": format!("archive/foreign-{number}") });
    let draft = draft.event(ORCHESTRATOR, Kind::DocumentsRestored, detail);
    Some(match under_way {
        None => draft.step(),
        Some(Blame { subtask, attempt, gate, to }) => {
            let reasons = vec![words::touched(lang, names.join(", "))];
            let rolls_back = Some(attempt);
            let fallen = Fall { gate, to, reasons, rolls_back, stops: None, tail: "" };
            fall(draft, subtask, &fallen).step()
        }
    })
}

/// What was changed or removed while nobody watched; nobody remembers what it was.
fn lost<'s>(scene: &Scene<'s>) -> Vec<&'s str> {
    let written = scene.request.written.iter();
    let changed = written.filter(|(path, sha256)| {
        let contract = scene.view.contracts.get(*path);
        contract.is_none_or(|contract| contract.sha256 != **sha256)
    });
    changed.map(|(path, _)| path.as_str()).collect()
}

/// What hast did not write.
fn planted<'s>(scene: &Scene<'s>) -> Vec<&'s str> {
    let foreign = |path: &&String| !scene.request.written.contains_key(*path);
    scene.view.contracts.keys().filter(foreign).map(String::as_str).collect()
}

/// Whose work is held against it.
struct Blame<'s> {
    subtask: &'s Subtask,
    attempt: u32,
    gate: Gate,
    to: Back,
}

/// The attempt during which it happened: while its agent worked, or code that it wrote was run.
fn under_way(subtask: &Subtask) -> Option<Blame<'_>> {
    let blame = |attempt, gate, to| Some(Blame { subtask, attempt, gate, to });
    match &subtask.stage {
        Stage::TestFirst { attempt } => {
            blame(attempt.as_ref()?.number, Gate::Tests, Back::TestFirst)
        }
        Stage::Implementation { attempt } => {
            blame(attempt.as_ref()?.number, Gate::Scope, Back::Implementation)
        }
        Stage::Review { judged } => blame(judged.attempt, Gate::Design, Back::Implementation),
        Stage::Verification { judged: Some(judged), .. } => {
            blame(judged.attempt, Gate::Verification, Back::Implementation)
        }
        Stage::Verification { judged: None, .. } => {
            blame(subtask.tests.as_ref()?.attempt, Gate::Verification, Back::TestFirst)
        }
        Stage::TestsPassed { .. }
        | Stage::Passed { .. }
        | Stage::Failing { .. }
        | Stage::Complete => None,
    }
}
