//! The end of a session: the answer, the last verdict, and the view from inputs to outputs.

use crate::docs::call::CallFinding;
use crate::docs::session::{
    Pointers, SessionEventKind as Kind, SessionSummary, SummaryUsage, SystemStatus, TaskCounts,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, fail};
use crate::flows::session::policy::{CONTROLLER, CRITIC, EXECUTOR};
use crate::flows::session::view::{View, finalize_key};
use crate::flows::session::write::Draft;
use crate::flows::session::{layout, prompts};
use crate::ids::SessionId;
use crate::replies::{self, Asked};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};

pub(super) fn step(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    if view.has_answer { judge(flow, view, facts) } else { answer(flow, view, facts) }
}

fn answer(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let prompt = || prompts::finalize(facts.lang, &view.query);
    let asked = flow
        .asking(view, facts, finalize_key())
        .ask(|| call(EXECUTOR, "finalize", "final.md", prompt()), |a| text(a, "final.md", facts));
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => Draft::new(view, facts, CONTROLLER, "the answer")
            .create(layout::FINAL, value)
            .finishes(steps)
            .starts(verdict_key())
            .step(),
        Asked::Unanswered { why, steps, .. } => {
            fail(view, facts, steps, &format!("no answer: {}", why.reason()))
        }
    }
}

fn judge(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let prompt = || prompts::verdict(facts.lang, &view.query);
    let asked = flow
        .asking(view, facts, verdict_key())
        .ask(|| call(CRITIC, "verdict", "verdict.md", prompt()), |a| text(a, "verdict.md", facts));
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => complete(view, facts, steps, &value),
        Asked::Unanswered { why, steps, .. } => {
            fail(view, facts, steps, &format!("no verdict: {}", why.reason()))
        }
    }
}

fn complete(view: &View, facts: &Facts<'_>, steps: Vec<StepKey>, verdict: &[u8]) -> Step {
    let last = view.plan.as_ref().and_then(|plan| plan.last());
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
        .finishes(steps)
        .step()
}

fn summary(view: &View, facts: &Facts<'_>) -> SessionSummary {
    let total = view.plan.as_ref().map_or(0, |plan| plan.making());
    let total = u32::try_from(total).unwrap_or(u32::MAX);
    let started = view.started.unwrap_or(facts.now);
    let seconds = facts.now.instant().as_second() - started.instant().as_second();
    SessionSummary {
        session_id: SessionId::at(started),
        status: SystemStatus::Completed,
        plan_major_version: view.pointer.plan_major_version,
        plan_revision: view.pointer.plan_revision,
        tasks: TaskCounts { total, passed: total, failed: 0 },
        knowledge_ids: view.knowledge.active().map(|piece| piece.id.clone()).collect(),
        duration_seconds: u64::try_from(seconds).unwrap_or(0),
        usage: SummaryUsage { input_tokens: None, output_tokens: None },
    }
}

fn verdict_key() -> StepKey {
    StepKey::new(&["session", "verdict", "1"])
}

fn text(answer: &Answer, name: &str, facts: &Facts<'_>) -> Result<Vec<u8>, Vec<CallFinding>> {
    replies::file(answer, name, facts.lang).map(<[u8]>::to_vec)
}

fn call(role: &'static str, step: &'static str, file: &str, prompt: String) -> Call {
    Call {
        inputs: layout::path(layout::INDEX).into_iter().collect(),
        expected: vec![Expected::required(file)],
        ..Call::new(role, step, "session", prompt)
    }
}
