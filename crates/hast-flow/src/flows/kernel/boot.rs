//! Booting: what is missing is written, everything is checked, and the kernel runs or says why not.

use serde_json::json;

use crate::docs::kernel::{KernelEventKind as Kind, KernelFailure, KernelState, KernelStatus};
use crate::driver::Facts;
use crate::flows::kernel::experts::defaults;
use crate::flows::kernel::policy::KERNEL;
use crate::flows::kernel::troubles::Trouble;
use crate::flows::kernel::view::{Life, View};
use crate::flows::kernel::write::{Draft, printed};
use crate::flows::kernel::{layout, plan};
use crate::steps::{Step, StepKey};
use crate::words::Lang;

/// Open from the first half until the kernel runs.
pub(super) fn key() -> StepKey {
    StepKey::new(&["boot"])
}

/// The first half: BOOTING, with what was missing.
pub(super) fn begin(view: &View, facts: &Facts<'_>) -> Step {
    let mut draft = Draft::new(view, facts, KERNEL, "boot");
    for (path, text) in defaults(facts.lang) {
        if !is_there(view, &path) {
            draft = draft.create(&path, text);
        }
    }
    write_status(draft, view, facts, KernelState::Booting, None)
        .event(KERNEL, Kind::KernelBooting, &[])
        .starts(key())
        .step()
}

/// The second half: RUNNING, or FAILED with the cause.
pub(super) fn finish(view: &View, facts: &Facts<'_>) -> Step {
    let troubles = troubles(view);
    let draft = Draft::new(view, facts, KERNEL, "boot");
    if troubles.is_empty() {
        return write_status(draft, view, facts, KernelState::Running, None)
            .event(KERNEL, Kind::KernelRunning, &[])
            .finishes(key())
            .step();
    }
    let error_details = told(&troubles, facts.lang);
    // The context of the failure: what was being worked on, if anything was.
    let open = view.requests.iter().rev().find(|(_, request)| request.life == Life::Working);
    let task = open.and_then(|(_, request)| plan::in_work(request.items()));
    let failure = KernelFailure {
        request_id: open.map(|(id, _)| id.clone()),
        last_task_id: task.map(|item| item.id.clone()),
        error_details: error_details.clone(),
    };
    write_status(draft, view, facts, KernelState::Failed, Some(failure))
        .event(KERNEL, Kind::KernelFailed, &[("error", json!(error_details))])
        .step()
}

/// Everything that keeps a kernel from running, at once.
pub fn troubles(view: &View) -> Vec<Trouble> {
    let mut troubles = Vec::new();
    let names = view.known_experts();
    match &view.brain {
        None => troubles.push(Trouble::Missing { path: layout::BRAIN }),
        Some(Err(trouble)) => troubles.push(trouble.clone()),
        Some(Ok(brain)) => {
            let parts = [&brain.engine, &brain.planner, &brain.task_manager, &brain.synthesizer];
            let unknown = parts.into_iter().filter(|name| !names.contains(*name));
            troubles.extend(unknown.map(|name| Trouble::NotInIndex { expert: name.clone() }));
        }
    }
    match &view.index {
        None => troubles.push(Trouble::Missing { path: layout::INDEX }),
        Some(Err(trouble)) => troubles.push(trouble.clone()),
        Some(Ok(_)) => {}
    }
    for name in &names {
        match view.experts.get(name) {
            Some(Ok(_)) => {}
            Some(Err(trouble)) => troubles.push(trouble.clone()),
            None => troubles.push(Trouble::MissingExpert { expert: name.clone() }),
        }
    }
    troubles
}

/// All of it on one line.
pub(super) fn told(troubles: &[Trouble], lang: Lang) -> String {
    troubles.iter().map(|trouble| trouble.words(lang)).collect::<Vec<_>>().join("; ")
}

pub(super) fn write_status<'v>(
    draft: Draft<'v>,
    view: &'v View,
    facts: &Facts<'_>,
    status: KernelState,
    last_failure: Option<KernelFailure>,
) -> Draft<'v> {
    let known = view.status.as_ref();
    let since = match known {
        Some(known) if known.value.status == status => known.value.since,
        _ => facts.now,
    };
    let text = printed(&KernelStatus { status, since, last_failure });
    draft.write(layout::STATUS, known, text)
}

fn is_there(view: &View, path: &str) -> bool {
    match path {
        layout::BRAIN => view.brain.is_some(),
        layout::INDEX => view.index.is_some(),
        _ => layout::expert_of(path).is_some_and(|name| view.experts.contains_key(name)),
    }
}
