//! How a request ends: complete, stopped by a gate, by an agent, or by a person.

use serde_json::json;

use crate::attempt_steps::blocked;
use crate::docs::contract::{
    ContractEventKind as Kind, ContractState, Patterns, RequestStatus, WorkStatus,
};
use crate::driver::Facts;
use crate::flows::contract::decide::{Scene, life};
use crate::flows::contract::knowledge::{NewPiece, with_lesson};
use crate::flows::contract::policy::ORCHESTRATOR;
use crate::flows::contract::request::{Cause, Stage};
use crate::flows::contract::view::View;
use crate::flows::contract::write::{Draft, printed};
use crate::flows::contract::{ContractFlow, attempts, layout, rooms, settling, words};
use crate::gates::{Evidence, Outcome, gate};
use crate::ids::{RequestId, SubtaskId};
use crate::steps::{Ending, Notice, Step};

/// The request stops and keeps its state; a person finds why.
pub(super) fn give_up(
    draft: Draft<'_>,
    cause: Cause,
    reason: &str,
    subtask: Option<&SubtaskId>,
) -> Step {
    with_stop(draft, cause, reason, subtask, &[]).step()
}

pub(super) fn with_stop<'v>(
    draft: Draft<'v>,
    cause: Cause,
    reason: &str,
    subtask: Option<&SubtaskId>,
    evidence: &[String],
) -> Draft<'v> {
    let mut detail = json!({ "by": cause, "reason": reason });
    if let Some(subtask) = subtask {
        detail["subtask_id"] = json!(subtask);
    }
    if !evidence.is_empty() {
        detail["evidence"] = json!(evidence);
    }
    draft.event(ORCHESTRATOR, Kind::RequestStopped, detail)
}

pub(super) fn stopped(scene: &Scene<'_>) -> Step {
    let (lang, id) = (scene.facts.lang, &scene.request.id);
    let reason = scene.request.stop.as_ref().map_or("", |stop| stop.reason.as_str());
    let by = scene.request.stop.as_ref().and_then(|stop| stop.by);
    let next = match by {
        Some(Cause::Others) => words::others_next(lang, id),
        _ => words::request_stopped_next(lang, id),
    };
    let notice = Notice { what: words::request_stopped(lang, id, reason), next };
    Step::Finish(Ending::Failed(notice))
}

pub(super) fn completed(scene: &Scene<'_>) -> Step {
    let (lang, id) = (scene.facts.lang, &scene.request.id);
    let next = words::request_completed_next(lang, id);
    let notice = Notice { what: words::request_completed(lang, id), next };
    Step::Finish(Ending::Done(notice))
}

/// All tasks are completed: what was found while exploring has proved itself.
pub(super) fn complete(scene: &Scene<'_>) -> Step {
    let tasks = scene.request.tasks.iter();
    let evidence = tasks.fold(Evidence::default(), |evidence, task| {
        let done = task.status == WorkStatus::Completed;
        evidence.with(task.id.as_str(), Outcome::of(done, || "it is not completed".to_owned()))
    });
    let patterns = scene.view.contract::<Patterns>(&scene.path(layout::PATTERNS));
    let patterns = patterns.into_iter().flat_map(|found| found.patterns);
    let pieces = patterns.map(|(name, value)| NewPiece::Pattern { name, value }).collect();
    let passed = match gate(pieces, &evidence) {
        Ok(passed) => passed,
        Err(rejected) => {
            let reason = rejected.reasons.join("; ");
            return give_up(scene.draft("not complete"), Cause::Documents, &reason, None);
        }
    };
    if let Err(step) = rooms::close(scene) {
        return step;
    }
    let draft = scene.draft("complete").finishes_all();
    let draft = match with_lesson(scene, draft, &passed, None) {
        Ok(draft) => draft,
        Err(step) => return step,
    };
    draft
        .closes([life(&scene.request.id, scene.request.lives)])
        .event(ORCHESTRATOR, Kind::RequestCompleted, json!({}))
        .step()
}

/// `hast contract stop`.
pub(super) fn stop(flow: &ContractFlow, view: &View, facts: &Facts<'_>, id: &RequestId) -> Step {
    let lang = facts.lang;
    let Some(request) = view.requests.get(id) else { return stop_foreign(flow, view, facts, id) };
    match request.status {
        RequestStatus::Stopped => done(facts, id),
        RequestStatus::Completed => {
            blocked(words::already_over(lang, id), words::already_over_next(lang))
        }
        RequestStatus::Active => {
            let scene = Scene { flow, view, facts, request };
            if let Some((_, Some(subtask))) = request.current()
                && let Stage::TestFirst { attempt: Some(attempt) }
                | Stage::Implementation { attempt: Some(attempt) } = &subtask.stage
                && attempt.ended.is_none()
            {
                let earlier = request.current().and_then(|(task, subtask)| {
                    settling::of_earlier_version(&scene, task, subtask?)
                });
                return earlier.unwrap_or_else(|| {
                    rooms::within(&scene, attempts::interrupted(&scene, subtask, attempt.number))
                });
            }
            let draft = scene.draft("stop").finishes_all();
            let reason = words::stopped_now(lang, id);
            with_stop(draft, Cause::Person, &reason, None, &[]).step()
        }
    }
}

/// A request that another tool began: its state says that it is stopped, and nothing else changes.
fn stop_foreign(flow: &ContractFlow, view: &View, facts: &Facts<'_>, id: &RequestId) -> Step {
    let lang = facts.lang;
    let known = view.state.as_ref();
    let state = known.and_then(|known| known.value.clone());
    let Some(state) = state.filter(|state| state.request.id == *id) else {
        return blocked(words::unknown_request(lang, id), words::unknown_request_next(lang));
    };
    if state.request.status != RequestStatus::Active {
        return done(facts, id);
    }
    let mut request = state.request;
    request.status = RequestStatus::Stopped;
    let stopped = ContractState { request, ..state };
    Draft::new(view, facts, &flow.settings, "stop")
        .replace_state(printed(&stopped))
        .event(
            ORCHESTRATOR,
            Kind::RequestStopped,
            json!({ "request_id": id, "by": Cause::Person, "reason": words::stopped_now(lang, id) }),
        )
        .step()
}

fn done(facts: &Facts<'_>, id: &RequestId) -> Step {
    let notice = Notice {
        what: words::stopped_now(facts.lang, id),
        next: words::stopped_now_next(facts.lang, id),
    };
    Step::Finish(Ending::Done(notice))
}
