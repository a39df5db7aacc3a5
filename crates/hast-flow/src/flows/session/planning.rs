//! From a question to a plan that keeps all rules; a bad one goes back with its findings.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::session::{
    Decomposition, ModificationType, PlanMetadata, RoutingState, SessionEventKind as Kind,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, fail};
use crate::flows::session::policy::PLANNER;
use crate::flows::session::view::{View, plan_key};
use crate::flows::session::write::Draft;
use crate::flows::session::{layout, plan_rules, prompts};
use crate::replies::{self, Asked};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};
use crate::words::Lang;

const PLAN: &str = "decomposition.json";
const ROUTING: &str = "state.json";
const GOAL: &str = "goal.md";

/// A plan that keeps the rules, and what came with it.
struct Planned {
    plan: Decomposition,
    routing: RoutingState,
    goal: Option<Vec<u8>>,
}

pub(super) fn step(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let asking = flow.asking(view, facts, plan_key());
    match asking.ask(|| call(view, facts), |answer| read(answer, facts.lang)) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. } => commit(view, facts, steps, value),
        Asked::Unanswered { why, steps, .. } => {
            fail(view, facts, steps, &format!("no workable plan: {}", why.reason()))
        }
    }
}

fn call(view: &View, facts: &Facts<'_>) -> Call {
    let prompt = prompts::plan(facts.lang, &view.query);
    let expected = vec![
        Expected::required(PLAN).of("decomposition"),
        Expected::required(ROUTING).of("routing-state"),
        Expected::optional(GOAL),
    ];
    Call { expected, ..Call::new(PLANNER, "plan", "plan", prompt) }
}

/// All findings at once: both documents, and the rules of a plan that can be read.
fn read(answer: &Answer, lang: Lang) -> Result<Planned, Vec<CallFinding>> {
    let mut findings = Vec::new();
    let plan = replies::document::<Decomposition>(answer, PLAN, lang).map(|(source, read)| {
        findings.extend(
            plan_rules::first_plan(&read.value)
                .into_iter()
                .map(|finding| finding.located(&source, &read.tree, &read.value, lang)),
        );
        read.value
    });
    let routing =
        replies::document::<RoutingState>(answer, ROUTING, lang).map(|(_, read)| read.value);
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
    let tasks = planned.plan.tasks.len();
    Draft::new(view, facts, PLANNER, "the first plan")
        .finishes(steps)
        .create(layout::GOAL, goal)
        .create_json(layout::DECOMPOSITION, &planned.plan)
        .create_json(layout::METADATA, &metadata)
        .append(layout::CHANGE_LOG, format!("- {} 1.1 INITIAL\n", facts.now))
        .create_json(layout::ROUTING, &planned.routing)
        .event(PLANNER, Kind::PlanCreated, &[("tasks", json!(tasks))])
        .step()
}
