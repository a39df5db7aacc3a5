//! Contracts that somebody else wrote, changed or removed: put back as hast wrote them, with the other's
//! version kept, and held against the attempt during which it happened.

use serde_json::json;

use crate::attempt_steps::blocked;
use crate::docs::contract::ContractEventKind as Kind;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::policy::ORCHESTRATOR;
use crate::flows::contract::request::{Back, Gate, Request, Stage, Subtask};
use crate::flows::contract::settling::{Fall, fall};
use crate::flows::contract::{layout, words};
use crate::ids::{ProjectHash, Sha256};
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

/// What differs from what hast wrote.
struct Differences<'s> {
    /// Changed or gone, with what they were.
    changed: Vec<(&'s str, &'s Sha256)>,
    /// Not from hast at all.
    foreign: Vec<&'s str>,
}

fn differences<'s>(scene: &Scene<'s>) -> Differences<'s> {
    let (view, written) = (scene.view, &scene.request.written);
    let changed = written.iter().filter(|(path, sha256)| {
        view.contracts.get(*path).is_none_or(|contract| contract.sha256 != **sha256)
    });
    let foreign = view.contracts.keys().filter(|path| !written.contains_key(*path));
    Differences {
        changed: changed.map(|(path, sha256)| (path.as_str(), sha256)).collect(),
        foreign: foreign.map(String::as_str).collect(),
    }
}

pub(super) fn step(scene: &Scene<'_>) -> Option<Step> {
    let Differences { changed, foreign } = differences(scene);
    if changed.is_empty() && foreign.is_empty() {
        return None;
    }
    let lang = scene.facts.lang;
    let paths = changed.iter().map(|(path, _)| *path).chain(foreign.iter().copied());
    let names = paths.clone().map(|path| path.rsplit('/').next().unwrap_or(path));
    let names = names.collect::<Vec<_>>().join(", ");
    let mut draft = scene.draft("documents are restored").finishes_all();
    for (path, sha256) in &changed {
        let Some(bytes) = scene.view.original(sha256) else {
            let all = paths.clone().collect::<Vec<_>>().join(", ");
            let what = words::lost_documents(lang, all);
            return Some(blocked(what, words::lost_documents_next(lang)));
        };
        if scene.view.contracts.contains_key(*path) {
            draft = draft.archive(path, &aside(scene, path));
        }
        draft = draft.create(path, bytes);
    }
    for path in &foreign {
        draft = draft.archive(path, &aside(scene, path));
    }
    let listed: Vec<&str> = paths.collect();
    let draft = draft.event(ORCHESTRATOR, Kind::DocumentsRestored, json!({ "paths": listed }));
    let under_way = scene.request.current().and_then(|(_, subtask)| under_way(subtask?));
    Some(match under_way {
        None => draft.step(),
        Some((subtask, number, gate, to)) => {
            let reasons = vec![words::touched(lang, names)];
            let fallen =
                Fall { gate, to, reasons, rolls_back: Some(number), stops: None, tail: "" };
            fall(draft, subtask, &fallen).step()
        }
    })
}

/// The attempt during which it happened.
fn under_way(subtask: &Subtask) -> Option<(&Subtask, u32, Gate, Back)> {
    match &subtask.stage {
        Stage::TestFirst { attempt } => {
            Some((subtask, attempt.as_ref()?.number, Gate::Tests, Back::TestFirst))
        }
        Stage::Implementation { attempt } => {
            Some((subtask, attempt.as_ref()?.number, Gate::Scope, Back::Implementation))
        }
        _ => None,
    }
}

/// Where somebody else's version is kept.
fn aside(scene: &Scene<'_>, path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    format!("{directory}/archive/foreign-{}/{name}", scene.view.events + 1)
}
