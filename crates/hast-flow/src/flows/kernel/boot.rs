//! Booting: what is missing is written, everything is checked, and the kernel runs or says why not.

use serde_json::json;

use crate::docs::kernel::{KernelEventKind as Kind, KernelFailure, KernelState, KernelStatus};
use crate::driver::Facts;
use crate::flows::kernel::experts::defaults;
use crate::flows::kernel::layout;
use crate::flows::kernel::policy::KERNEL;
use crate::flows::kernel::view::View;
use crate::flows::kernel::write::{Draft, printed};
use crate::steps::{Step, StepKey};

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
    let faults = faults(view);
    let draft = Draft::new(view, facts, KERNEL, "boot");
    if faults.is_empty() {
        return write_status(draft, view, facts, KernelState::Running, None)
            .event(KERNEL, Kind::KernelRunning, &[])
            .finishes(key())
            .step();
    }
    let error_details = faults.join("; ");
    let failure = KernelFailure {
        request_id: None,
        last_task_id: None,
        error_details: error_details.clone(),
    };
    write_status(draft, view, facts, KernelState::Failed, Some(failure))
        .event(KERNEL, Kind::KernelFailed, &[("error", json!(error_details))])
        .step()
}

/// Everything that keeps a kernel from running, at once.
pub fn faults(view: &View) -> Vec<String> {
    let mut faults = Vec::new();
    let missing = |path: &str| format!("{path}: it is missing -> run `hast kernel boot`");
    let names = view.known_experts();
    match &view.brain {
        None => faults.push(missing(layout::BRAIN)),
        Some(Err(error)) => faults.push(error.clone()),
        Some(Ok(brain)) => {
            let parts = [&brain.engine, &brain.planner, &brain.task_manager, &brain.synthesizer];
            let unknown = parts.into_iter().filter(|name| !names.contains(*name));
            faults.extend(unknown.map(|name| {
                let (brain, index) = (layout::BRAIN, layout::INDEX);
                format!("{brain}: {name} is not in {index} -> add it there, or name another")
            }));
        }
    }
    match &view.index {
        None => faults.push(missing(layout::INDEX)),
        Some(Err(error)) => faults.push(error.clone()),
        Some(Ok(_)) => {}
    }
    for name in &names {
        match view.experts.get(name) {
            Some(Ok(_)) => {}
            Some(Err(error)) => faults.push(error.clone()),
            None => faults.push(format!(
                "{}: it is missing -> write it (`hast kernel experts add {name}`), or take {name} out of {}",
                layout::expert(name),
                layout::INDEX
            )),
        }
    }
    faults
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
