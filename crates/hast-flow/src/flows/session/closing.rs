//! The end of a session: the answer, the last verdict, and the view from inputs to outputs.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::session::{
    Pointers, SessionEventKind as Kind, SessionSummary, SummaryUsage, SystemStatus, TaskCounts,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, call, usage_of, used};
use crate::flows::session::events::About;
use crate::flows::session::policy::{CONTROLLER, CRITIC, EXECUTOR};
use crate::flows::session::promotion::unknown;
use crate::flows::session::view::View;
use crate::flows::session::write::{Draft, files};
use crate::flows::session::{happening, layout, people, prompts};
use crate::ids::{KnowledgeId, Sha256};
use crate::knowledge::{Piece, citations};
use crate::replies::{self, Asked, NoAnswer};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};

/// How many artifacts an answer is given; all of them are named in the index.
const MAX_INPUTS: usize = 64;

pub(super) fn step(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    if view.has_answer { judge(flow, view, facts) } else { answer(flow, view, facts) }
}

fn answer(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let asked = flow
        .asking(view, facts, view.finalize_key())
        .ask(|| final_call(view, facts), |answer| cited(view, facts, answer));
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => {
            let hash = Sha256::of(&value);
            let mut detail = vec![("step", json!("finalize")), ("final_sha256", json!(hash))];
            detail.extend(used(view, &steps));
            Draft::new(view, facts, CONTROLLER, "the answer")
                .create(layout::FINAL, value)
                .event(EXECUTOR, Kind::TaskExecuted, &detail)
                .finishes(steps)
                .starts(view.verdict_key())
                .step()
        }
        Asked::Unanswered { why, steps, .. } => {
            asks(view, facts, About::Answer, EXECUTOR, &why, steps)
        }
    }
}

fn judge(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let asked = flow
        .asking(view, facts, view.verdict_key())
        .ask(|| verdict_call(view, facts), |answer| text(answer, "verdict.md", facts));
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => complete(view, facts, steps, &value),
        Asked::Unanswered { why, steps, .. } => {
            asks(view, facts, About::Verdict, CRITIC, &why, steps)
        }
    }
}

/// All that was gathered is there; only a person can say how to get its last word.
fn asks(
    view: &View,
    facts: &Facts<'_>,
    about: About,
    role: &str,
    why: &NoAnswer,
    steps: Vec<StepKey>,
) -> Step {
    let draft = Draft::new(view, facts, CONTROLLER, "no last word");
    let question = prompts::role_asks(facts.lang, role, why.reason());
    let asking = people::Asking { about, task: None, file: None, question };
    people::ask(draft, view, facts, &asking, steps)
}

/// What an answer rests on: the ends of the plan, by the names of the knowledge.
fn final_call(view: &View, facts: &Facts<'_>) -> Call {
    let ends = view.plan.iter().flat_map(|plan| plan.ends());
    let pieces: Vec<&Piece> =
        ends.flat_map(|task| view.knowledge.active_of(task.id.as_str())).take(MAX_INPUTS).collect();
    let known = prompts::named(pieces.iter().copied());
    let prompt = prompts::finalize(facts.lang, &view.query, &known);
    let inputs = pieces.iter().map(|piece| piece.artifact.trim_start_matches('/'));
    closing_call(view, facts, EXECUTOR, "finalize", prompt, inputs)
}

fn verdict_call(view: &View, facts: &Facts<'_>) -> Call {
    let prompt = prompts::verdict(facts.lang, &view.query, &view.review_rules);
    let inputs = [layout::FINAL, layout::INDEX, layout::REVIEW_RULES];
    closing_call(view, facts, CRITIC, "verdict", prompt, inputs.into_iter())
}

fn closing_call<'p>(
    view: &View,
    facts: &Facts<'_>,
    role: &'static str,
    step: &'static str,
    prompt: String,
    inputs: impl Iterator<Item = &'p str>,
) -> Call {
    let file = if step == "finalize" { "final.md" } else { "verdict.md" };
    let asked = Call {
        inputs: inputs.filter_map(layout::path).collect(),
        expected: vec![Expected::required(file)],
        ..Call::new(role, step, "session", prompts::with_notes(prompt, &view.notes, facts.lang))
    };
    call(view, facts, asked)
}

/// The answer, where everything that it cites is known.
fn cited(view: &View, facts: &Facts<'_>, answer: &Answer) -> Result<Vec<u8>, Vec<CallFinding>> {
    let bytes = text(answer, "final.md", facts)?;
    let cites = citations(&String::from_utf8_lossy(&bytes));
    let unknown: Vec<&str> = unknown(view, cites.iter()).map(KnowledgeId::as_str).collect();
    if unknown.is_empty() {
        return Ok(bytes);
    }
    Err(vec![CallFinding {
        file: "final.md".to_owned(),
        line: None,
        problem: prompts::not_known(facts.lang, unknown.join(", ")),
        next: prompts::not_known_next(facts.lang),
    }])
}

fn text(answer: &Answer, name: &str, facts: &Facts<'_>) -> Result<Vec<u8>, Vec<CallFinding>> {
    replies::file(answer, name, facts.lang).map(<[u8]>::to_vec)
}

fn complete(view: &View, facts: &Facts<'_>, steps: Vec<StepKey>, verdict: &[u8]) -> Step {
    let judged = files([(layout::VERDICT.to_owned(), verdict)]);
    let detail: Vec<_> = used(view, &steps).into_iter().chain([judged]).collect();
    let usage = happening::sum(view.usage, usage_of(view, &steps));
    let draft = Draft::new(view, facts, CONTROLLER, "the end")
        .create(layout::VERDICT, verdict)
        .finishes(steps);
    summed_up(view, facts, draft, SystemStatus::Completed, usage)
        .event(CONTROLLER, Kind::SessionCompleted, &detail)
        .step()
}

/// The documents of an end without an answer.
pub(super) fn failed<'v>(
    view: &View,
    facts: &Facts<'_>,
    draft: Draft<'v>,
    reason: &str,
) -> Draft<'v> {
    let draft = draft.create(layout::VERDICT, prompts::failed(facts.lang, reason) + "\n");
    summed_up(view, facts, draft, SystemStatus::Failed, view.usage)
}

/// Where everything is, and what it came to.
fn summed_up<'v>(
    view: &View,
    facts: &Facts<'_>,
    draft: Draft<'v>,
    status: SystemStatus,
    usage: SummaryUsage,
) -> Draft<'v> {
    let passed = |id| view.plan.as_ref().is_some_and(|plan| plan.has_passed(id));
    let last = view.plan.as_ref().and_then(|plan| plan.last()).filter(|task| passed(&task.id));
    let attempt = last.and_then(|task| view.progress.get(&task.id)).map_or(1, |p| p.attempt);
    let id = view.id(facts.now);
    let named = |path: &str| layout::from_project(&id, path);
    let pointers = Pointers {
        status: named(layout::STATUS),
        plan: named(layout::DECOMPOSITION),
        critique_report: last.map(|task| named(&layout::report(&task.id, attempt))),
        context_index: named(layout::INDEX),
    };
    draft
        .create_json(layout::SUMMARY, &SessionSummary { usage, ..summary(view, facts, status) })
        .create_json(layout::POINTERS, &pointers)
}

fn summary(view: &View, facts: &Facts<'_>, status: SystemStatus) -> SessionSummary {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let total = count(view.plan.as_ref().map_or(0, |plan| plan.making()));
    let passed = count(view.plan.as_ref().map_or(0, |plan| plan.passed()));
    let started = view.started.unwrap_or(facts.now);
    let seconds = facts.now.instant().as_second() - started.instant().as_second();
    SessionSummary {
        session_id: view.id(facts.now),
        status,
        plan_major_version: view.pointer.plan_major_version,
        plan_revision: view.pointer.plan_revision,
        tasks: TaskCounts { total, passed, failed: total.saturating_sub(passed) },
        knowledge_ids: view.knowledge.active().map(|piece| piece.id.clone()).collect(),
        duration_seconds: u64::try_from(seconds).unwrap_or(0),
        usage: view.usage,
    }
}
