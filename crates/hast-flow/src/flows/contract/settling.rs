//! What follows from a gate: a commit for the user, the next subtask or task, or going back with
//! everything saved first.

use serde_json::json;

use crate::attempt::workspace::{CommitPlan, Content, Identity};
use crate::attempt_steps::{CommitKeys, Committed};
use crate::docs::contract::{ContractEventKind as Kind, Decisions, GateStatus};
use crate::flows::contract::attempts::{self, key, save_plan};
use crate::flows::contract::decide::Scene;
use crate::flows::contract::endings::with_stop;
use crate::flows::contract::knowledge::{NewPiece, with_lesson};
use crate::flows::contract::policy::ORCHESTRATOR;
use crate::flows::contract::request::{Back, Cause, Failure, Gate, Judged, Subtask, Task};
use crate::flows::contract::write::Draft;
use crate::flows::contract::{MOST_ROUNDS, layout, words};
use crate::gates::{Evidence, Outcome, gate};
use crate::steps::{Step, StepKey};

/// A gate that was not passed.
pub(super) struct Fall<'t> {
    pub(super) gate: Gate,
    pub(super) to: Back,
    pub(super) reasons: Vec<String>,
    /// The attempt to whose base the tree goes back.
    pub(super) rolls_back: Option<u32>,
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
    let saved = match attempt.map(|attempt| roll_back(scene, subtask, attempt)).transpose() {
        Ok(saved) => saved,
        Err(step) => return step,
    };
    let mut draft = scene.draft("sent back").finishes_all();
    for (from, name) in left_behind(scene, task, subtask, to) {
        let past =
            scene.subtask_path(&subtask.id, &format!("archive/round-{}/{name}", subtask.round));
        draft = draft.archive(&from, &past);
    }
    let mut detail = json!({ "subtask_id": subtask.id, "to": to, "round": subtask.round + 1 });
    if let Some(saved) = &saved {
        detail["saved"] = json!(saved);
    }
    let draft = draft.event(ORCHESTRATOR, Kind::SentBack, detail);
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

fn roll_back(scene: &Scene<'_>, subtask: &Subtask, attempt: u32) -> Result<String, Step> {
    let base = attempts::base(scene, &subtask.id, attempt)?;
    // An older base may be gone back to more than once.
    let part = |name: &str| key(scene, &subtask.id, attempt, &format!("{name}.{}", subtask.round));
    let plan = || save_plan(scene, &subtask.id, subtask.last_attempt, base);
    let saved = scene.git().save_and_go_back(&part("save"), part("back"), plan, base)?;
    Ok(saved.work().name.clone())
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
    match commit(scene, subtask, judged, "test") {
        Err(step) => step,
        Ok(Committed::Refused(why)) => {
            let fallen = Fall {
                gate: Gate::Tests,
                to: Back::TestFirst,
                reasons: vec![words::commit_refused(scene.facts.lang, why)],
                rolls_back: Some(judged.attempt),
                stops: None,
                tail: "",
            };
            fall(scene.draft("the commit was refused").finishes_all(), subtask, &fallen).step()
        }
        Ok(Committed::At(commit)) => {
            let detail = json!({ "subtask_id": subtask.id, "kind": "test", "commit": commit });
            let draft = scene.draft("tests are committed").finishes_all();
            draft.event(ORCHESTRATOR, Kind::Committed, detail).step()
        }
    }
}

/// Everything passed: the work is committed, and what was learnt on the way is kept.
pub(super) fn finish(scene: &Scene<'_>, subtask: &Subtask, judged: Option<&Judged>) -> Step {
    let mut draft = scene.draft(&format!("{} is complete", subtask.id)).finishes_all();
    if let Some(judged) = judged {
        match commit(scene, subtask, judged, "feat") {
            Err(step) => return step,
            Ok(Committed::Refused(why)) => {
                let fallen = Fall {
                    gate: Gate::Verification,
                    to: Back::Implementation,
                    reasons: vec![words::commit_refused(scene.facts.lang, why)],
                    rolls_back: Some(judged.attempt),
                    stops: None,
                    tail: "",
                };
                return fall(draft, subtask, &fallen).step();
            }
            Ok(Committed::At(commit)) => {
                let detail = json!({ "subtask_id": subtask.id, "kind": "feat", "commit": commit });
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

/// `test(R1/T1-S2): name`. Its date is the verdict's, so that doing it again makes the same commit.
fn commit(
    scene: &Scene<'_>,
    subtask: &Subtask,
    judged: &Judged,
    kind: &str,
) -> Result<Committed, Step> {
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
    scene.git().commit(&keys, base, plan)
}
