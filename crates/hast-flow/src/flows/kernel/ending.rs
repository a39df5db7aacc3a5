//! How driving a request ends.

use serde_json::json;

use crate::docs::kernel::{
    EngineToKernelResponse, KernelEventKind as Kind, KernelFailure, KernelState, ResponseStatus,
};
use crate::flows::kernel::decide::Scene;
use crate::flows::kernel::policy::KERNEL;
use crate::flows::kernel::write::{Draft, printed};
use crate::flows::kernel::{boot, layout, prompts};
use crate::steps::{Ending, Notice, Step, StepKey};
use crate::words::Lang;

/// The request fails; the kernel goes on and remembers why.
pub(super) fn fail(
    scene: &Scene<'_>,
    task: Option<&str>,
    error: &str,
    rejected: &[String],
    keys: Vec<StepKey>,
) -> Step {
    fail_with(scene, scene.draft(KERNEL, "the request failed"), task, error, rejected, keys)
}

/// The same, with something more in the commit.
pub(super) fn fail_with<'s>(
    scene: &Scene<'s>,
    mut draft: Draft<'s>,
    task: Option<&str>,
    error: &str,
    rejected: &[String],
    keys: Vec<StepKey>,
) -> Step {
    let response = EngineToKernelResponse {
        request_id: scene.id.clone(),
        status: ResponseStatus::Failed,
        final_report: None,
        error_details: Some(error.to_owned()),
        last_task_id: task.map(str::to_owned),
    };
    let failure = KernelFailure {
        request_id: Some(scene.id.clone()),
        last_task_id: task.map(str::to_owned),
        error_details: error.to_owned(),
    };
    for reason in rejected {
        draft = draft.error(task, reason);
    }
    let draft = keys.into_iter().fold(draft, |draft, key| draft.finishes(key));
    let draft = draft
        .error(task, error)
        .message("EngineToKernelResponse", &response)
        .create_here("response.json", printed(&response))
        .event(KERNEL, Kind::RequestFailed, &[("task_id", json!(task)), ("error", json!(error))]);
    boot::write_status(draft, scene.view, scene.facts, KernelState::Running, Some(failure)).step()
}

pub(super) fn completed(scene: &Scene<'_>) -> Step {
    let report = layout::report(scene.request.reports_rejected + 1);
    let next = prompts::completed_next(scene.facts.lang, layout::of_request(scene.id, &report));
    let what = prompts::completed(scene.facts.lang, scene.request.items().len());
    Step::Finish(Ending::Done(Notice { what, next }))
}

pub(super) fn failed(scene: &Scene<'_>) -> Step {
    let error = scene.request.error.as_deref().unwrap_or_default();
    let what = prompts::failed(scene.facts.lang, error);
    let errors = layout::of_request(scene.id, "errors.ndjson");
    Step::Finish(Ending::Failed(Notice {
        what,
        next: prompts::failed_next(scene.facts.lang, errors),
    }))
}

pub(super) fn kernel_failed(lang: Lang, cause: &str) -> Step {
    let notice = Notice {
        what: prompts::kernel_failed(lang, cause),
        next: prompts::kernel_failed_next(lang),
    };
    Step::Finish(Ending::Failed(notice))
}

pub(super) fn edited_mirror(lang: Lang, difference: &str) -> Step {
    let what = prompts::edited_mirror(lang, difference);
    Step::Finish(Ending::Blocked(Notice { what, next: prompts::edited_mirror_next(lang) }))
}

pub(super) fn edited_plan(scene: &Scene<'_>) -> Step {
    let (lang, path) = (scene.facts.lang, layout::of_request(scene.id, "plan.json"));
    let what = match scene.request.plan_now {
        Some(_) => prompts::edited_plan(lang, &path),
        None => prompts::lost_plan(lang, &path),
    };
    Step::Finish(Ending::Blocked(Notice { what, next: prompts::edited_plan_next(lang, path) }))
}

/// Something that the rest builds on is not what came of an item.
pub(super) fn broken_file(scene: &Scene<'_>, rest: &str) -> Step {
    let (lang, path) = (scene.facts.lang, layout::of_request(scene.id, rest));
    let what = match scene.request.files.contains_key(rest) {
        true => prompts::edited_file(lang, &path),
        false => prompts::lost_file(lang, &path),
    };
    let transcript = layout::of_request(scene.id, "transcript");
    let next = prompts::broken_file_next(lang, path, transcript);
    Step::Finish(Ending::Blocked(Notice { what, next }))
}
