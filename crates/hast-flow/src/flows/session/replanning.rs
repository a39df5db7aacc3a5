//! A plan that does not work is revised: the old one is archived, the new one keeps what passed, and
//! there are not more revisions than the limits allow.

use serde_json::json;

use crate::docs::call::CallFinding;
use crate::docs::examples::Values;
use crate::docs::session::{
    Decomposition, ModificationType, PlanMetadata, Replan, ReplanKind, RoutingState,
    SessionEventKind as Kind,
};
use crate::driver::Facts;
use crate::flows::session::decide::{SessionFlow, call, fail, used};
use crate::flows::session::plan_rules::{self, PlanFinding, Rule};
use crate::flows::session::planning::{self, PLAN, Planned, ROUTING};
use crate::flows::session::policy::PLANNER;
use crate::flows::session::view::{View, Wanted, Whose};
use crate::flows::session::write::Draft;
use crate::flows::session::{layout, prompts};
use crate::formats::json as print;
use crate::ids::{Sha256, TaskId};
use crate::replies::{self, Asked};
use crate::steps::{Answer, Call, Effect, Expected, Step, StepKey};
use crate::store::Put;

/// How often a plan is mended before it counts as impossible.
const MAX_MINOR: u32 = 3;
/// How many plans a session has before it fails.
const MAX_MAJOR: u32 = 3;

const REPLAN: &str = "replan.json";

/// Another plan, and what it is.
struct Revised {
    planned: Planned,
    replan: Replan,
}

pub(super) fn step(flow: &SessionFlow, view: &View, facts: &Facts<'_>) -> Step {
    let Some(wanted) = &view.wanted else {
        return Step::Finish(crate::steps::Ending::Blocked(crate::steps::Notice {
            what: prompts::stuck(facts.lang),
            next: prompts::stuck_next(facts.lang),
        }));
    };
    let forced = forced(view, wanted);
    if forced == Some(ReplanKind::Major) && view.pointer.plan_major_version >= MAX_MAJOR {
        let reason = format!("{MAX_MAJOR} plans did not work; the last: {}", wanted.reason);
        return fail(view, facts, Vec::new(), &reason);
    }
    let asking = flow.asking(view, facts, view.plan_key());
    let asked = asking.ask(
        || replan_call(view, facts, wanted, forced),
        |answer| read(view, facts, answer, forced),
    );
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Answered { value, steps, .. }
            if value.replan.kind == ReplanKind::Major
                && view.pointer.plan_major_version >= MAX_MAJOR =>
        {
            let reason =
                format!("{MAX_MAJOR} plans did not work; the last: {}", value.replan.reason);
            fail(view, facts, steps, &reason)
        }
        Asked::Answered { value, steps, .. } => commit(view, facts, steps, wanted, value),
        Asked::Unanswered { why, steps, .. } => planning::no_plan(view, facts, &why, steps),
    }
}

/// The kind that it must be, where there is no choice: a person says that the plan is impossible, or
/// mending it has been tried often enough.
fn forced(view: &View, wanted: &Wanted) -> Option<ReplanKind> {
    let mended = view.pointer.plan_revision.saturating_sub(1) >= MAX_MINOR;
    (wanted.by == Whose::Person || mended).then_some(ReplanKind::Major)
}

fn replan_call(
    view: &View,
    facts: &Facts<'_>,
    wanted: &Wanted,
    forced: Option<ReplanKind>,
) -> Call {
    let lang = facts.lang;
    let (major, revision) = (view.pointer.plan_major_version, view.pointer.plan_revision);
    // Who copies the example writes the version that is wanted.
    let kind = forced.unwrap_or(ReplanKind::Minor);
    let next = next_version(view, kind);
    let shown = Values::from([
        ("major_version", next.0.to_string()),
        ("revision", next.1.to_string()),
        ("kind", kind.as_str().to_owned()),
    ]);
    let rule = match forced {
        Some(_) => prompts::must_be_major(lang, major + 1),
        None => prompts::may_be_minor(lang, major, revision + 1, major + 1),
    };
    let why = (wanted.reason.as_str(), rule.as_str());
    let prompt = prompts::replan(lang, &planning::day(facts), &view.query, why);
    let prompt = prompt + &prompts::tools();
    let faults = view
        .faults
        .iter()
        .flat_map(|(task, faults)| faults.iter().map(move |fault| format!("{task}: {fault}")));
    let faults: Vec<String> = faults.collect();
    let prompt = prompts::with_faults(prompt, &faults, lang);
    let (told, answers) = view.told_about(None);
    let prompt = prompts::with_notes(prompt, &told, lang);
    let inputs = [layout::DECOMPOSITION, layout::METADATA, layout::ROUTING, layout::INDEX];
    let expected = vec![
        Expected::required(PLAN).of("decomposition"),
        Expected::required(ROUTING).of("routing-state"),
        Expected::required(REPLAN).of("replan"),
    ];
    let asked = Call {
        attempt: revision + 1,
        inputs: inputs.iter().filter_map(|path| layout::path(path)).chain(answers).collect(),
        expected,
        shown,
        ..Call::new(PLANNER, "replan", "plan", prompt)
    };
    call(view, facts, asked)
}

fn read(
    view: &View,
    facts: &Facts<'_>,
    answer: &Answer,
    forced: Option<ReplanKind>,
) -> Result<Revised, Vec<CallFinding>> {
    let lang = facts.lang;
    let replan = replies::document::<Replan>(answer, REPLAN, lang).map(|(_, read)| read.value);
    let mut findings = Vec::new();
    if let (Some(kind), Ok(replan)) = (forced, &replan)
        && replan.kind != kind
    {
        let (problem, next) = (prompts::not_major(lang), prompts::not_major_next(lang));
        findings.push(CallFinding { file: REPLAN.to_owned(), line: None, problem, next });
    }
    let kind = replan.as_ref().map_or(ReplanKind::Minor, |replan| replan.kind);
    let kind = forced.unwrap_or(kind);
    let rules =
        |plan: &Decomposition, state: Option<&RoutingState>| revised_plan(view, plan, state, kind);
    let planned = planning::read(answer, lang, rules);
    match (planned, replan) {
        (Ok(planned), Ok(replan)) if findings.is_empty() => Ok(Revised { planned, replan }),
        (planned, replan) => {
            findings.extend(planned.err().into_iter().flatten());
            findings.extend(replan.err().into_iter().flatten());
            Err(findings)
        }
    }
}

/// A revised plan has the next version, and leaves alone what has passed.
fn revised_plan(
    view: &View,
    plan: &Decomposition,
    state: Option<&RoutingState>,
    kind: ReplanKind,
) -> Vec<PlanFinding> {
    let mut findings = plan_rules::findings(plan, state);
    let (major, revision) = next_version(view, kind);
    if (plan.major_version, plan.revision) != (major, revision) {
        findings.push(PlanFinding::of_plan("revision", Rule::NextVersion { major, revision }));
    }
    let Some(old) = &view.plan else { return findings };
    for (index, task) in plan.tasks.iter().enumerate() {
        let changed = old.task(&task.id).is_some_and(|before| before != task);
        if changed && old.has_passed(&task.id) && !task.outputs.is_empty() {
            findings.push(PlanFinding::of_task(index, "id", Rule::PassedAlready));
        }
    }
    findings
}

fn next_version(view: &View, kind: ReplanKind) -> (u32, u32) {
    let (major, revision) = (view.pointer.plan_major_version, view.pointer.plan_revision);
    match kind {
        ReplanKind::Minor => (major, revision + 1),
        ReplanKind::Major => (major + 1, 1),
    }
}

fn commit(
    view: &View,
    facts: &Facts<'_>,
    steps: Vec<StepKey>,
    wanted: &Wanted,
    revised: Revised,
) -> Step {
    let Revised { planned, replan } = revised;
    let (before, after) = (view.pointer.plan_revision, planned.plan.revision);
    let (old, new) = (view.pointer.plan_major_version, planned.plan.major_version);
    let (kind, modification_type, from, to, word) = match replan.kind {
        ReplanKind::Minor => {
            (Kind::PlanRevisionBump, ModificationType::Minor, before, after, "MINOR")
        }
        ReplanKind::Major => (Kind::PlanMajorBump, ModificationType::Major, old, new, "MAJOR"),
    };
    let metadata = PlanMetadata {
        major_version: new,
        revision: after,
        modification_type,
        trigger: wanted.reason.clone(),
        last_modified: facts.now,
    };
    let text = print::print(&planned.plan).unwrap_or_default();
    let draft = Draft::new(view, facts, PLANNER, &format!("the plan becomes {new}.{after}"));
    let snapshot = draft.free_snapshot(&wanted.reason);
    let mut detail = vec![
        ("from", json!(from)),
        ("to", json!(to)),
        ("reason", json!(wanted.reason)),
        ("why", json!(replan.reason)),
        ("sha256", json!(Sha256::of(text.as_bytes()))),
        ("snapshot", json!(snapshot)),
        ("dropped", json!(dropped(view, &planned.plan))),
    ];
    detail.extend(used(view, &steps));
    let line = format!("- {} {new}.{after} {word} {}\n", facts.now, one_line(&wanted.reason));
    let mut draft = draft.finishes(steps);
    if view.plan_files.found.is_some() {
        draft = draft.archive(layout::DECOMPOSITION, &format!("{snapshot}/decomposition.json"));
    }
    if view.plan_files.has_metadata {
        draft = draft.archive(layout::METADATA, &format!("{snapshot}/metadata.json"));
    }
    draft
        .create(layout::DECOMPOSITION, text)
        .create_json(layout::METADATA, &metadata)
        .append(layout::CHANGE_LOG, line)
        .puts(routing(view, &planned.routing))
        .event(PLANNER, kind, &detail)
        .step()
}

/// Tasks that the new plan does not have. Where the old one is lost, nobody can say that one of the
/// same name is the same.
fn dropped(view: &View, plan: &Decomposition) -> Vec<TaskId> {
    let kept = |id: &&TaskId| view.plan.is_some() && plan.tasks.iter().any(|task| task.id == **id);
    view.progress.keys().filter(|id| !kept(id)).cloned().collect()
}

/// `state.json`, where the planner sees things in another light.
fn routing(view: &View, state: &RoutingState) -> Option<Put> {
    if *state == view.routing.state {
        return None;
    }
    let bytes = print::print(state).unwrap_or_default().into_bytes();
    Some(Put::whole(layout::path(layout::ROUTING)?, view.routing.identity, bytes))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
