//! A gate's verdict has consequences: a commit for the user, the next subtask or task, or the way
//! back to an earlier stage. Before going back, everything is saved.

use serde_json::{Value, json};

use crate::attempt::base::{Base, ObjectId};
use crate::attempt::hooked;
use crate::attempt::workspace::{CommitPlan, Content, Identity};
use crate::attempt::worktrees::LANES;
use crate::attempt_steps::{CommitKeys, Committed, blocked};
use crate::docs::contract::{ContractEventKind as Kind, Decisions, DesignContract, GateStatus};
use crate::flows::contract::attempts::{self, go_back_to, key, save_plan};
use crate::flows::contract::decide::Scene;
use crate::flows::contract::endings::with_stop;
use crate::flows::contract::gates::to_build;
use crate::flows::contract::knowledge::{NewPiece, with_lesson};
use crate::flows::contract::merging::{Merged, merge};
use crate::flows::contract::policy::ORCHESTRATOR;
use crate::flows::contract::request::{Back, Cause, Failure, Gate, Judged, Stage, Subtask, Task};
use crate::flows::contract::write::Draft;
use crate::flows::contract::{MOST_ROUNDS, layout, words};
use crate::gates::{Evidence, Outcome, gate};
use crate::steps::{Step, StepKey};

/// A gate that was not passed.
pub(super) struct Fall<'t> {
    pub(super) gate: Gate,
    pub(super) to: Back,
    pub(super) reasons: Vec<String>,
    /// The attempt to whose base the room goes back.
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
    let return_to = |attempt: u32| {
        // An older base may be gone back to more than once.
        let part =
            |name: &str| key(scene, &subtask.id, attempt, &format!("{name}.{}", subtask.round));
        let plan = |base: &Base| save_plan(scene, &subtask.id, subtask.last_attempt, base);
        go_back_to(scene, subtask, attempt, part, plan)
    };
    let returned = match attempt.map(return_to).transpose() {
        Ok(returned) => returned,
        Err(step) => return step,
    };
    let draft = with_past(scene, scene.draft("sent back").finishes_all(), task, subtask, to);
    let mut detail = json!({ "subtask_id": subtask.id, "to": to, "round": subtask.round + 1 });
    if let Some(returned) = &returned {
        returned.tell(&mut detail);
    }
    let draft = draft.event(ORCHESTRATOR, Kind::SentBack, detail);
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

/// A request that an earlier version of hast left in the middle of an attempt in the user's checkout: what
/// lies there is the user's to look at, and the subtask begins again in a room.
pub(super) fn of_earlier_version(
    scene: &Scene<'_>,
    task: &Task,
    subtask: &Subtask,
) -> Option<Step> {
    if matches!(subtask.stage, Stage::TestFirst { attempt: None } | Stage::Complete) {
        return None;
    }
    let number = subtask.last_attempt;
    let base = scene.view.base(&scene.request.id, &subtask.id, number)?;
    if base.branch().starts_with(LANES) {
        return None;
    }
    let to = Back::TestFirst;
    let draft = with_past(scene, scene.draft("begun by an earlier version"), task, subtask, to);
    let draft = draft.finishes_all().closes(attempts::calls(scene, subtask, number));
    let draft = draft.closes([attempts::judging(scene, subtask, number)]);
    let detail = json!({ "subtask_id": subtask.id, "to": to, "round": subtask.round + 1 });
    let draft = draft.event(ORCHESTRATOR, Kind::SentBack, detail);
    let reason = words::earlier_version(scene.facts.lang, &subtask.id);
    Some(with_stop(draft, Cause::Others, &reason, Some(&subtask.id), &[]).step())
}

/// The contracts of a round that is over, moved into the past.
fn with_past<'v>(
    scene: &Scene<'_>,
    draft: Draft<'v>,
    task: &Task,
    subtask: &Subtask,
    to: Back,
) -> Draft<'v> {
    left_behind(scene, task, subtask, to).into_iter().fold(draft, |draft, (from, name)| {
        let past = format!("archive/round-{}/{name}", subtask.round);
        draft.archive(&from, &scene.subtask_path(&subtask.id, &past))
    })
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
        Ok(Err(why)) => not_committed(
            draft,
            subtask,
            judged.attempt,
            Gate::Tests,
            Back::TestFirst,
            vec![why],
            "",
        ),
        Ok(Ok(commit)) => {
            let detail = committed(subtask, TESTS, &commit);
            draft.event(ORCHESTRATOR, Kind::Committed, detail).step()
        }
    }
}

/// Everything passed: the work is committed and goes onto the user's branch, and what was learnt on the way
/// is kept.
pub(super) fn finish(scene: &Scene<'_>, subtask: &Subtask, judged: Option<&Judged>) -> Step {
    finished(scene, subtask, judged).unwrap_or_else(|step| step)
}

fn finished(scene: &Scene<'_>, subtask: &Subtask, judged: Option<&Judged>) -> Result<Step, Step> {
    let (lang, gate_2) = (scene.facts.lang, Gate::Verification);
    let draft = scene.draft(&format!("{} is complete", subtask.id)).finishes_all();
    let lost = || blocked(words::tests_gone(lang), words::lost_documents_next(lang));
    let tests = subtask.tests.as_ref().ok_or_else(lost)?;
    let head = match judged {
        Some(judged) => match commit(scene, subtask, judged, WORK)? {
            Ok(commit) => commit,
            Err(why) => {
                let to = Back::Implementation;
                let step = not_committed(draft, subtask, judged.attempt, gate_2, to, vec![why], "");
                return Ok(step);
            }
        },
        None => tests.commit.clone().ok_or_else(lost)?,
    };
    let at = match merge(scene, subtask, tests, &head)? {
        Merged::At(commit) => commit,
        Merged::Not { reasons, tail } => {
            let to = Back::TestFirst;
            let attempt = tests.attempt;
            return Ok(not_committed(draft, subtask, attempt, gate_2, to, reasons, &tail));
        }
        Merged::Waits(why) => {
            let reason = words::merge_waits(lang, &subtask.id, why);
            return Ok(with_stop(draft, Cause::Others, &reason, Some(&subtask.id), &[]).step());
        }
    };
    let draft = match judged {
        Some(_) => draft.event(ORCHESTRATOR, Kind::Committed, committed(subtask, WORK, &at)),
        None => draft,
    };
    let lessons = gate(pitfalls(scene, subtask), &passed(subtask));
    let draft = match lessons {
        Ok(lessons) => with_lesson(scene, draft, &lessons, Some(&subtask.id))?,
        Err(_) => draft,
    };
    let detail = json!({ "subtask_id": subtask.id });
    Ok(draft.event(ORCHESTRATOR, Kind::SubtaskCompleted, detail).step())
}

fn committed(subtask: &Subtask, kind: &str, commit: &ObjectId) -> Value {
    json!({ "subtask_id": subtask.id, "kind": kind, "commit": commit })
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
    let design = scene.view.contract::<DesignContract>(&scene.task_path(task, layout::DESIGN));
    let wanted = design.as_ref().map(to_build).unwrap_or_default();
    let built = wanted.is_empty() || task.has_built(&wanted);
    let not_built = || words::not_built(scene.facts.lang, wanted.join(", "));
    let evidence = evidence.with(task.id.as_str(), Outcome::of(built, not_built));
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

fn not_committed(
    draft: Draft<'_>,
    subtask: &Subtask,
    attempt: u32,
    gate: Gate,
    to: Back,
    reasons: Vec<String>,
    tail: &str,
) -> Step {
    let fallen = Fall { gate, to, reasons, rolls_back: Some(attempt), stops: None, tail };
    fall(draft, subtask, &fallen).step()
}

/// `test(R1/T1-S2): name`, on the ref of the room. Its date is the verdict's, so that doing it again makes
/// the same commit. Without it, why not.
fn commit(
    scene: &Scene<'_>,
    subtask: &Subtask,
    judged: &Judged,
    kind: &str,
) -> Result<Result<ObjectId, String>, Step> {
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
        let lives = scene.request.lives;
        key(scene, &subtask.id, judged.attempt, &format!("{kind}-{name}.{lives}"))
    };
    let keys = CommitKeys { hooks: part("hooks"), build: part("build"), advance: part("advance") };
    Ok(match scene.git().commit(&keys, base, plan)? {
        Committed::At(commit) => Ok(commit),
        Committed::Refused(why) => Err(words::commit_refused(scene.facts.lang, why)),
        Committed::Rewritten { hook } => {
            let why = hooked::say::changed_content(scene.facts.lang, hook);
            Err(words::commit_refused(scene.facts.lang, why))
        }
    })
}
