//! Keeps `activeContext.md` beside the plan, and notices whose edit made them differ.

use serde_json::json;

use crate::docs::kernel::{KernelEventKind as Kind, TodoItem};
use crate::flows::kernel::decide::Scene;
use crate::flows::kernel::policy::TASKS;
use crate::flows::kernel::write::Draft;
use crate::flows::kernel::{ending, layout, mirror, prompts};
use crate::steps::Step;

/// The mirror is written together with the plan, so a difference is somebody's edit. Found at rest
/// it is told and stays; while hast works it is kept aside and mended, twice at most.
pub(super) fn mend(scene: &Scene<'_>, items: &[TodoItem]) -> Option<Step> {
    let lang = scene.facts.lang;
    if scene.request.plan_was_edited() {
        return Some(ending::edited_plan(scene));
    }
    let there = scene.view.mirror.as_ref();
    let difference = match there {
        Some(known) => mirror::difference(&known.value, items)?,
        None => prompts::no_mirror(lang),
    };
    if there.is_some_and(|known| shows_another(scene, &known.value)) {
        return Some(scene.draft(TASKS, "the mirror").plan(items.to_vec()).step());
    }
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
        .plan(items.to_vec())
        .event(TASKS, Kind::MirrorRepaired, &[("error", json!(difference))])
        .error(None, &difference)
        .step();
    Some(step)
}

const MOST_REPAIRS: u32 = 2;

/// A new plan takes the place of the checklist. One that somebody edited since is kept with the request, and
/// told.
pub(super) fn put_aside<'v>(scene: &Scene<'_>, draft: Draft<'v>) -> Draft<'v> {
    let Some(known) = &scene.view.mirror else { return draft };
    if mirror::parse(&known.value).is_empty() || shows_another(scene, &known.value) {
        return draft;
    }
    const NAME: &str = "edited/activeContext.0.md";
    let told = prompts::kept_mirror(scene.facts.lang, layout::of_request(scene.id, NAME));
    draft.create_here(NAME, known.value.clone()).error(None, &told)
}

/// There is one mirror: another request that was worked on in between left its own plan there, and
/// nobody edited anything.
fn shows_another(scene: &Scene<'_>, text: &str) -> bool {
    let others = scene.view.requests.iter().filter(|(id, _)| *id != scene.id);
    let mut plans = others.map(|(_, other)| other.items()).filter(|items| !items.is_empty());
    plans.any(|items| mirror::difference(text, items).is_none())
}
