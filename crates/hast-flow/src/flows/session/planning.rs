//! From a question to a plan that keeps all rules; a bad one goes back with its findings.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::session::{
    Decomposition, ModificationType, PlanMetadata, RoutingState, SessionEventKind as Kind,
    SystemStatus,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, document, fail};
use crate::flows::session::policy::PLANNER;
use crate::flows::session::view::View;
use crate::flows::session::write::Draft;
use crate::flows::session::{layout, plan_rules, prompts};
use crate::steps::{Call, Effect, EffectResult, Expected, Step, StepKey};

/// A plan that keeps the rules, and what came with it.
struct Planned {
    plan: Decomposition,
    routing: RoutingState,
    goal: Option<Vec<u8>>,
}

pub(super) fn step(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let mut findings = Vec::new();
    for regeneration in 0..=flow.max_regenerations {
        let key = key(regeneration);
        let Some(result) = view.results.get(&key) else {
            return Step::Effect { key, effect: call(view, facts, regeneration, &findings) };
        };
        match read(result) {
            Ok(planned) => return commit(view, facts, regeneration, planned),
            Err(wrong) => findings = wrong,
        }
    }
    fail(view, facts, &format!("no workable plan: {}", findings.join("; ")))
}

fn call(view: &View, facts: &Facts<'_>, regeneration: u32, findings: &[String]) -> Effect {
    let prompt = prompts::plan(facts.lang, &view.query);
    let prompt = prompts::with_findings(prompt, findings, facts.lang);
    let expected = vec![
        Expected::required("decomposition.json"),
        Expected::required("state.json"),
        Expected::optional("goal.md"),
    ];
    let findings = findings.iter().map(|problem| CallFinding {
        file: "decomposition.json".to_owned(),
        line: None,
        problem: problem.clone(),
        next: prompts::write_again(facts.lang),
    });
    Effect::Call(Box::new(Call {
        regeneration,
        expected,
        findings: findings.collect(),
        ..Call::new(PLANNER, "plan", "plan", prompt)
    }))
}

fn read(result: &EffectResult) -> Result<Planned, Vec<String>> {
    let parse = |name: &str| document(result, name);
    let plan = parse("decomposition.json").and_then(|bytes| {
        serde_json::from_slice::<Decomposition>(bytes)
            .map_err(|error| format!("decomposition.json: {error}"))
    });
    let routing = parse("state.json").and_then(|bytes| {
        serde_json::from_slice::<RoutingState>(bytes)
            .map_err(|error| format!("state.json: {error}"))
    });
    let (plan, routing) = match (plan, routing) {
        (Ok(plan), Ok(routing)) => (plan, routing),
        (plan, routing) => {
            return Err(plan.err().into_iter().chain(routing.err()).collect());
        }
    };
    let mut findings = plan_rules::findings(&plan);
    if (plan.major_version, plan.revision) != (1, 1) {
        findings.push("a first plan has major_version 1 and revision 1".to_owned());
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let goal = document(result, "goal.md").ok().map(<[u8]>::to_vec);
    Ok(Planned { plan, routing, goal })
}

fn commit(view: &View, facts: &Facts<'_>, regeneration: u32, planned: Planned) -> Step {
    let metadata = PlanMetadata {
        major_version: 1,
        revision: 1,
        modification_type: ModificationType::Initial,
        trigger: "initial plan".to_owned(),
        last_modified: facts.now,
    };
    let goal = planned.goal.unwrap_or_else(|| view.query.clone().into_bytes());
    let tasks = planned.plan.tasks.len();
    let draft = Draft::new(view, facts, PLANNER, "the first plan");
    let draft = (0..=regeneration).fold(draft, |draft, number| draft.finishes(key(number)));
    draft
        .create(layout::GOAL, goal)
        .create_json(layout::DECOMPOSITION, &planned.plan)
        .create_json(layout::METADATA, &metadata)
        .append(layout::CHANGE_LOG, format!("- {} 1.1 INITIAL\n", facts.now))
        .create_json(layout::ROUTING, &planned.routing)
        .event(PLANNER, Kind::PlanCreated, &[("tasks", json!(tasks))])
        .step(SystemStatus::Executing, None)
}

fn key(regeneration: u32) -> StepKey {
    StepKey::new(&["plan", &regeneration.to_string()])
}
