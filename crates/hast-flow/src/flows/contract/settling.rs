//! What follows from a gate: a commit for the user, the next subtask or task, or going back with
//! everything saved first.

use serde_json::{Value, json};

use crate::attempt::workspace::{CommitPlan, Content, Identity};
use crate::attempt_steps::{CommitKeys, Committed};
use crate::docs::contract::{ContractEventKind as Kind, Decisions, GateStatus};
use crate::flows::contract::attempts::{self, key};
use crate::flows::contract::decide::Scene;
use crate::flows::contract::endings::with_stop;
use crate::flows::contract::foreign::{Returned, Tree, changed_since, go_back_to, look};
use crate::flows::contract::knowledge::{NewPiece, with_lesson};
use crate::flows::contract::policy::ORCHESTRATOR;
use crate::flows::contract::request::{
    Back, Cause, Failure, Gate, Inspected, Judged, Subtask, Task,
};
use crate::flows::contract::write::Draft;
use crate::flows::contract::{MOST_ROUNDS, layout, words};
use crate::gates::{Evidence, Outcome, gate};
use crate::ids::SubtaskId;
use crate::steps::{Step, StepKey};

/// A gate that was not passed.
pub(super) struct Fall<'t> {
    pub(super) gate: Gate,
    pub(super) to: Back,
    pub(super) reasons: Vec<String>,
    /// The attempt to whose base the tree goes back.
    pub(super) rolls_back: Option<u32>,
    /// What was there when somebody looked.
    pub(super) inspected: Option<Inspected>,
    /// No further round: a person is needed at once.
    pub(super) stops: Option<Cause>,
    pub(super) tail: &'t str,
}

pub(super) fn fall<'v>(draft: Draft<'v>, subtask: &Subtask, fallen: &Fall<'_>) -> Draft<'v> {
    let mut detail = json!({
        "subtask_id": subtask.id,
        "gate": fallen.gate,
        "round": subtask.round,
        "to": fallen.to,
        "reasons": fallen.reasons,
    });
    for (name, value) in [
        ("rolls_back", json!(fallen.rolls_back)),
        ("inspected", json!(fallen.inspected)),
        ("stops", json!(fallen.stops)),
        ("tail", json!((!fallen.tail.is_empty()).then_some(fallen.tail))),
    ] {
        if !value.is_null() {
            detail[name] = value;
        }
    }
    draft.event(ORCHESTRATOR, Kind::GateFailed, detail)
}

/// Saves what there is, goes back, and begins the next round; or stops when they are used up.
pub(super) fn go_back(
    scene: &Scene<'_>,
    task: &Task,
    subtask: &Subtask,
    attempt: Option<u32>,
    to: Back,
) -> Step {
    let returned = match attempt.map(|attempt| go_back_to(scene, subtask, attempt)).transpose() {
        Ok(returned) => returned,
        Err(step) => return step,
    };
    let mut draft = scene.draft("sent back").finishes_all();
    for (from, name) in left_behind(scene, task, subtask, to) {
        let past =
            scene.subtask_path(&subtask.id, &format!("archive/round-{}/{name}", subtask.round));
        draft = draft.archive(&from, &past);
    }
    let mut detail = json!({ "subtask_id": subtask.id, "to": to, "round": subtask.round + 1 });
    if let Some(returned) = &returned {
        returned.tell(&mut detail);
    }
    let draft = draft.event(ORCHESTRATOR, Kind::SentBack, detail);
    if let Some(returned) = returned.as_ref().filter(|one| one.tree == Tree::LeftAlone) {
        return left_alone(scene, draft, &subtask.id, returned);
    }
    let saved = returned.map(|returned| returned.saved);
    let failure = subtask.failures.last();
    let cause = match failure.and_then(|failure| failure.stops) {
        Some(by) => Some(by),
        None if subtask.spent + 1 >= MOST_ROUNDS => Some(Cause::Rounds),
        None => None,
    };
    match (cause, failure) {
        (Some(cause), Some(failure)) => {
            let reason = reason(scene, subtask, failure, cause);
            let evidence = evidence(scene, failure, saved.as_deref());
            with_stop(draft, cause, &reason, Some(&subtask.id), &evidence).step()
        }
        (Some(_), None) | (None, _) => draft.step(),
    }
}

fn reason(scene: &Scene<'_>, subtask: &Subtask, failure: &Failure, cause: Cause) -> String {
    let told = format!("{} {}: {}", subtask.id, failure.gate.as_str(), failure.reasons.join("; "));
    match cause {
        Cause::Rounds => {
            format!("{}; {told}", words::rounds_used_up(scene.facts.lang, MOST_ROUNDS))
        }
        _ => told,
    }
}

/// One screen for whoever has to decide: why, what the tests said, where the work is.
fn evidence(scene: &Scene<'_>, failure: &Failure, saved: Option<&str>) -> Vec<String> {
    let mut lines = failure.reasons.clone();
    let tail: Vec<&str> = failure.tail.lines().collect();
    lines.extend(tail[tail.len().saturating_sub(20)..].iter().map(|line| (*line).to_owned()));
    lines.extend(saved.map(|name| words::work_at(scene.facts.lang, name)));
    lines
}

/// Nothing was taken back: a person has to say whose is what.
pub(super) fn left_alone(
    scene: &Scene<'_>,
    draft: Draft<'_>,
    subtask: &SubtaskId,
    returned: &Returned,
) -> Step {
    let lang = scene.facts.lang;
    let reason = words::others_at_work(lang, subtask, returned.others.join("; "), &returned.saved);
    let work = words::work_at(lang, &returned.saved);
    let evidence: Vec<String> = returned.others.iter().cloned().chain([work]).collect();
    with_stop(draft, Cause::Others, &reason, Some(subtask), &evidence).step()
}

/// Contracts that the next round will have anew, with their names.
fn left_behind(
    scene: &Scene<'_>,
    task: &Task,
    subtask: &Subtask,
    to: Back,
) -> Vec<(String, &'static str)> {
    let of_subtask: &[&'static str] = match to {
        Back::Implementation => &[layout::RESULT, layout::REVIEW],
        Back::TestFirst | Back::Design => &[layout::TESTS, layout::RESULT, layout::REVIEW],
    };
    let of_task: &[&'static str] = match to {
        Back::Design => &[layout::DESIGN, layout::DECISIONS],
        Back::TestFirst | Back::Implementation => &[],
    };
    let here = of_subtask.iter().map(|name| (scene.subtask_path(&subtask.id, name), *name));
    let above = of_task.iter().map(|name| (scene.task_path(task, name), *name));
    here.chain(above).filter(|(path, _)| scene.view.contracts.contains_key(path)).collect()
}

/// The tests become the base of the implementation.
pub(super) fn commit_tests(scene: &Scene<'_>, subtask: &Subtask, judged: &Judged) -> Step {
    let draft = scene.draft("tests are committed").finishes_all();
    match commit(scene, subtask, judged, TESTS) {
        Err(step) => step,
        Ok(Settled::Not(reasons)) => {
            not_committed(draft, subtask, judged, Gate::Tests, Back::TestFirst, reasons)
        }
        Ok(Settled::At(detail)) => draft.event(ORCHESTRATOR, Kind::Committed, detail).step(),
    }
}

/// Everything passed: the work is committed, and what was learnt on the way is kept.
pub(super) fn finish(scene: &Scene<'_>, subtask: &Subtask, judged: Option<&Judged>) -> Step {
    let mut draft = scene.draft(&format!("{} is complete", subtask.id)).finishes_all();
    if let Some(judged) = judged {
        match commit(scene, subtask, judged, WORK) {
            Err(step) => return step,
            Ok(Settled::Not(reasons)) => {
                let (gate, to) = (Gate::Verification, Back::Implementation);
                return not_committed(draft, subtask, judged, gate, to, reasons);
            }
            Ok(Settled::At(detail)) => {
                draft = draft.event(ORCHESTRATOR, Kind::Committed, detail);
            }
        }
    }
    let lessons = gate(pitfalls(scene, subtask), &passed(subtask));
    let draft = match lessons {
        Ok(lessons) => match with_lesson(scene, draft, &lessons, Some(&subtask.id)) {
            Ok(draft) => draft,
            Err(step) => return step,
        },
        Err(_) => draft,
    };
    draft.event(ORCHESTRATOR, Kind::SubtaskCompleted, json!({ "subtask_id": subtask.id })).step()
}

/// All gates of a subtask, as evidence.
fn passed(subtask: &Subtask) -> Evidence {
    let gates = subtask.gates;
    let all = [
        ("GATE-1", Some(gates.gate_1)),
        ("GATE-2", Some(gates.gate_2)),
        ("GATE-3", gates.gate_3),
        ("GATE-4", gates.gate_4),
    ];
    let skipped = subtask
        .tests
        .as_ref()
        .is_none_or(|tests| tests.kind != crate::flows::contract::request::TestKind::Red);
    all.into_iter().filter_map(|(name, status)| Some((name, status?))).fold(
        Evidence::default(),
        |evidence, (name, status)| {
            let not_asked = skipped && status == GateStatus::Pending;
            let met = status == GateStatus::Passed || not_asked;
            evidence.with(name, Outcome::of(met, || "not passed".to_owned()))
        },
    )
}

/// Failures that a later round overcame.
fn pitfalls(scene: &Scene<'_>, subtask: &Subtask) -> Vec<NewPiece> {
    let lang = scene.facts.lang;
    let pitfall = |failure: &Failure| NewPiece::Pitfall {
        description: failure.reasons.join("; "),
        reason: words::overcome(lang, failure.gate.as_str(), failure.round, subtask.round),
        learned_from: Some(format!("{}/{}", scene.request.id, subtask.id)),
    };
    subtask.failures.iter().filter(|failure| failure.round < subtask.round).map(pitfall).collect()
}

/// Every subtask is complete: the architect's decisions have proved themselves.
pub(super) fn complete_task(scene: &Scene<'_>, task: &Task) -> Step {
    let evidence = task.subtasks.iter().fold(Evidence::default(), |evidence, subtask| {
        let objections = passed(subtask).objections();
        evidence
            .with(subtask.id.as_str(), Outcome::of(objections.is_empty(), || objections.join("; ")))
    });
    let decisions = scene.view.contract::<Decisions>(&scene.task_path(task, layout::DECISIONS));
    let decisions = decisions.into_iter().flat_map(|drafts| drafts.decisions);
    let pieces: Vec<NewPiece> = decisions.map(NewPiece::Decision).collect();
    let draft = scene.draft(&format!("{} is complete", task.id)).finishes_all();
    let draft = match gate(pieces, &evidence) {
        Ok(passed) => match with_lesson(scene, draft, &passed, None) {
            Ok(draft) => draft,
            Err(step) => return step,
        },
        Err(rejected) => {
            let reason = rejected.reasons.join("; ");
            return with_stop(draft, Cause::Documents, &reason, None, &[]).step();
        }
    };
    draft.event(ORCHESTRATOR, Kind::TaskCompleted, json!({ "task_id": task.id })).step()
}

/// Kinds of commits.
const TESTS: &str = "test";
const WORK: &str = "feat";

/// What became of a commit.
enum Settled {
    /// It is made; what the log says of it.
    At(Value),
    Not(Vec<String>),
}

fn not_committed(
    draft: Draft<'_>,
    subtask: &Subtask,
    judged: &Judged,
    gate: Gate,
    to: Back,
    reasons: Vec<String>,
) -> Step {
    let (rolls_back, inspected) = (Some(judged.attempt), Some(judged.into()));
    let fallen = Fall { gate, to, reasons, rolls_back, inspected, stops: None, tail: "" };
    fall(draft, subtask, &fallen).step()
}

/// `test(R1/T1-S2): name`. Its date is the verdict's, so that doing it again makes the same commit. The
/// branch only moves from where the work was judged.
fn commit(
    scene: &Scene<'_>,
    subtask: &Subtask,
    judged: &Judged,
    kind: &str,
) -> Result<Settled, Step> {
    let base = attempts::base(scene, &subtask.id, judged.attempt)?;
    // A name of several lines could bring trailers of its own.
    let name = subtask.name.split_whitespace().collect::<Vec<_>>().join(" ");
    let unit = format!("{}/{}", scene.request.id, subtask.id);
    let message = format!(
        "{kind}({unit}): {name}\n\nHast-Subtask: {unit}\nHast-Attempt: {}\n",
        judged.attempt
    );
    let plan = || CommitPlan {
        content: Content::Tree(judged.commit_tree.clone()),
        parent: judged.head.clone(),
        message: message.clone(),
        at: judged.at,
        identity: Identity::Users,
    };
    let part = |name: &str| -> StepKey {
        key(scene, &subtask.id, judged.attempt, &format!("{kind}-{name}"))
    };
    let keys = CommitKeys { hooks: part("hooks"), build: part("build"), advance: part("advance") };
    let built = match scene.git().build(&keys, base, plan)? {
        Committed::At(commit) => commit,
        Committed::Refused(why) => {
            return Ok(Settled::Not(vec![words::commit_refused(scene.facts.lang, why)]));
        }
    };
    // Where it was made before a crash, the branch is there already.
    let heads = [judged.head.clone(), built.clone()];
    let others = look(scene, base, &heads, part)?;
    if !others.told().is_empty() {
        return Ok(Settled::Not(others.told().to_vec()));
    }
    let now = attempts::inspect(scene, base, &part("again"))?;
    let left = changed_since(scene, judged, &now.tree, &part("left"))?;
    if let Err(why) = scene.git().advance(&keys, base, judged.head.clone(), &built)? {
        return Ok(Settled::Not(vec![words::commit_refused(scene.facts.lang, why)]));
    }
    let mut detail = json!({ "subtask_id": subtask.id, "kind": kind, "commit": built });
    if !left.is_empty() {
        detail["left"] = json!(left);
    }
    Ok(Settled::At(detail))
}
