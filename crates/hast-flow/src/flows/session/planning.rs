//! From a question to a plan that keeps all rules; a bad one goes back with its findings, and then
//! to a person.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::session::{
    Decomposition, ModificationType, PlanMetadata, RoutingState, SessionEventKind as Kind,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, call, used};
use crate::flows::session::events::About;
use crate::flows::session::plan_rules::{self, PlanFinding};
use crate::flows::session::policy::PLANNER;
use crate::flows::session::view::View;
use crate::flows::session::write::{Draft, files};
use crate::flows::session::{layout, people, prompts};
use crate::formats::json as print;
use crate::ids::Sha256;
use crate::replies::{self, Asked, NoAnswer};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};
use crate::words::Lang;

pub(super) const PLAN: &str = "decomposition.json";
pub(super) const ROUTING: &str = "state.json";
pub(super) const GOAL: &str = "goal.md";

/// A plan that keeps the rules, and what came with it.
pub(super) struct Planned {
    pub(super) plan: Decomposition,
    pub(super) routing: RoutingState,
    goal: Option<Vec<u8>>,
}

pub(super) fn step(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let asking = flow.asking(view, facts, view.plan_key());
    let read = |answer: &Answer| read(answer, facts.lang, plan_rules::first_plan);
    match asking.ask(|| first_call(view, facts), read) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => commit(view, facts, steps, value),
        Asked::Unanswered { why, steps, .. } => no_plan(view, facts, &why, steps),
    }
}

/// No plan can be had: a person is asked what to do about it.
pub(super) fn no_plan(view: &View, facts: &Facts<'_>, why: &NoAnswer, steps: Vec<StepKey>) -> Step {
    let draft = Draft::new(view, facts, PLANNER, "no workable plan");
    let question = match why {
        NoAnswer::Blocked(reason) => prompts::role_asks(facts.lang, PLANNER, reason),
        other => prompts::no_plan(facts.lang, other.reason()),
    };
    let asking = people::Asking { about: About::Plan, task: None, file: None, question };
    people::ask(draft, view, facts, &asking, steps)
}

/// The day on which a plan is made: what is recent follows from it.
pub(super) fn day(facts: &Facts<'_>) -> String {
    facts.now.to_string().chars().take_while(|c| *c != 'T').collect()
}

fn first_call(view: &View, facts: &Facts<'_>) -> Call {
    let prompt = prompts::plan(facts.lang, &day(facts), &view.query) + &prompts::tools();
    let (told, inputs) = view.told_about(None);
    let prompt = prompts::with_notes(prompt, &told, facts.lang);
    let expected = vec![
        Expected::required(PLAN).of("decomposition"),
        Expected::required(ROUTING).of("routing-state"),
        Expected::optional(GOAL),
    ];
    call(view, facts, Call { expected, inputs, ..Call::new(PLANNER, "plan", "plan", prompt) })
}

/// All findings at once: both documents, and the rules of a plan that can be read.
pub(super) fn read(
    answer: &Answer,
    lang: Lang,
    rules: impl Fn(&Decomposition, Option<&RoutingState>) -> Vec<PlanFinding>,
) -> Result<Planned, Vec<CallFinding>> {
    let mut findings = Vec::new();
    let routing =
        replies::document::<RoutingState>(answer, ROUTING, lang).map(|(_, read)| read.value);
    let plan = replies::document::<Decomposition>(answer, PLAN, lang).map(|(source, read)| {
        findings.extend(
            rules(&read.value, routing.as_ref().ok())
                .into_iter()
                .map(|finding| finding.located(&source, &read.tree, &read.value, lang)),
        );
        read.value
    });
    match (plan, routing) {
        (Ok(plan), Ok(routing)) if findings.is_empty() => {
            let goal = answer.documents.get(GOAL).filter(|bytes| !bytes.is_empty()).cloned();
            Ok(Planned { plan, routing, goal })
        }
        (plan, routing) => {
            findings.extend(plan.err().into_iter().flatten());
            findings.extend(routing.err().into_iter().flatten());
            Err(findings)
        }
    }
}

fn commit(view: &View, facts: &Facts<'_>, steps: Vec<StepKey>, planned: Planned) -> Step {
    let metadata = PlanMetadata {
        major_version: 1,
        revision: 1,
        modification_type: ModificationType::Initial,
        trigger: "initial plan".to_owned(),
        last_modified: facts.now,
    };
    let goal = planned.goal.unwrap_or_else(|| view.query.clone().into_bytes());
    let text = print::print(&planned.plan).unwrap_or_default();
    let mut detail = vec![
        ("tasks", json!(planned.plan.tasks.len())),
        ("sha256", json!(Sha256::of(text.as_bytes()))),
        files([(layout::GOAL.to_owned(), goal.as_slice())]),
    ];
    detail.extend(used(view, &steps));
    Draft::new(view, facts, PLANNER, "the first plan")
        .finishes(steps)
        .create(layout::GOAL, goal)
        .create(layout::DECOMPOSITION, text)
        .create_json(layout::METADATA, &metadata)
        .append(layout::CHANGE_LOG, format!("- {} 1.1 INITIAL\n", facts.now))
        .create_json(layout::ROUTING, &planned.routing)
        .event(PLANNER, Kind::PlanCreated, &detail)
        .step()
}
