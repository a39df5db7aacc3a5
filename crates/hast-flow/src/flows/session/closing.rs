//! The end of a session: the answer, the last verdict, and the view from inputs to outputs.

use crate::docs::session::{
    Pointers, SessionEventKind as Kind, SessionSummary, SummaryUsage, SystemStatus, TaskCounts,
};
use crate::driver::Facts;
use crate::flows::session::decide::{document, fail};
use crate::flows::session::policy::{CONTROLLER, CRITIC, EXECUTOR};
use crate::flows::session::view::View;
use crate::flows::session::write::Draft;
use crate::flows::session::{layout, prompts};
use crate::ids::SessionId;
use crate::steps::{Call, Effect, Expected, Step, StepKey};

pub(super) fn step(view: &View, facts: &Facts<'_>) -> Step {
    if view.has_answer { judge(view, facts) } else { answer(view, facts) }
}

fn answer(view: &View, facts: &Facts<'_>) -> Step {
    let key = StepKey::new(&["session", "finalize", "1"]);
    let prompt = prompts::finalize(facts.lang, &view.query);
    let Some(result) = view.results.get(&key) else {
        return Step::Effect { key, effect: call(EXECUTOR, "finalize", "final.md", prompt) };
    };
    match document(result, "final.md") {
        Ok(bytes) => Draft::new(view, facts, CONTROLLER, "the answer")
            .create(layout::FINAL, bytes)
            .finishes(key)
            .starts(StepKey::new(&["session", "verdict", "1"]))
            .step(SystemStatus::Critiquing, None),
        Err(why) => fail(view, facts, &format!("no answer: {why}")),
    }
}

fn judge(view: &View, facts: &Facts<'_>) -> Step {
    let key = StepKey::new(&["session", "verdict", "1"]);
    let prompt = prompts::verdict(facts.lang, &view.query);
    let Some(result) = view.results.get(&key) else {
        return Step::Effect { key, effect: call(CRITIC, "verdict", "verdict.md", prompt) };
    };
    match document(result, "verdict.md") {
        Ok(bytes) => complete(view, facts, key, bytes),
        Err(why) => fail(view, facts, &format!("no verdict: {why}")),
    }
}

fn complete(view: &View, facts: &Facts<'_>, key: StepKey, verdict: &[u8]) -> Step {
    let last = view.plan.as_ref().and_then(|plan| plan.document.tasks.get(*plan.order.last()?));
    let attempt = last.and_then(|task| view.progress.get(&task.id)).map_or(1, |p| p.attempt);
    let pointers = Pointers {
        status: format!("/{}", layout::STATUS),
        plan: format!("/{}", layout::DECOMPOSITION),
        critique_report: last.map(|task| format!("/{}", layout::report(&task.id, attempt))),
        context_index: format!("/{}", layout::INDEX),
    };
    Draft::new(view, facts, CONTROLLER, "the end")
        .create(layout::VERDICT, verdict)
        .create_json(layout::SUMMARY, &summary(view, facts))
        .create_json(layout::POINTERS, &pointers)
        .event(CONTROLLER, Kind::SessionCompleted, &[])
        .finishes(key)
        .step(SystemStatus::Completed, None)
}

fn summary(view: &View, facts: &Facts<'_>) -> SessionSummary {
    let total = view.plan.as_ref().map_or(0, |plan| plan.order.len());
    let total = u32::try_from(total).unwrap_or(u32::MAX);
    let knowledge = view.index.as_ref().map(|index| &index.value.knowledge);
    let started = view.started.unwrap_or(facts.now);
    let seconds = facts.now.instant().as_second() - started.instant().as_second();
    SessionSummary {
        session_id: SessionId::at(started),
        status: SystemStatus::Completed,
        plan_major_version: view.plan.as_ref().map_or(1, |plan| plan.document.major_version),
        plan_revision: view.plan.as_ref().map_or(1, |plan| plan.document.revision),
        tasks: TaskCounts { total, passed: total, failed: 0 },
        knowledge_ids: knowledge.into_iter().flatten().map(|entry| entry.id.clone()).collect(),
        duration_seconds: u64::try_from(seconds).unwrap_or(0),
        usage: SummaryUsage { input_tokens: None, output_tokens: None },
    }
}

fn call(role: &'static str, step: &'static str, file: &str, prompt: String) -> Effect {
    Effect::Call(Box::new(Call {
        inputs: layout::path(layout::INDEX).into_iter().collect(),
        expected: vec![Expected::required(file)],
        ..Call::new(role, step, "session", prompt)
    }))
}
