//! The implementation, held against its design: GATE-3 by the files that changed, GATE-4 by what is in
//! them and by the architect's review.

use serde_json::json;

use crate::attempt::evidence::CallEnd;
use crate::attempt::inspection::Inspection;
use crate::attempt_steps::{blocked, call_end, unexpected};
use crate::docs::contract::{
    BackTo, ContractEventKind as Kind, DesignContract, Review, ReviewVerdict, TestContract,
};
use crate::flows::contract::attempts::{self, inspect, key, tree_path};
use crate::flows::contract::boundaries::watched;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::discovery::kept_rejected;
use crate::flows::contract::endings::give_up;
use crate::flows::contract::gates::{
    Attempted, attempted, built, design_faults, plain_paths, scope_faults,
};
use crate::flows::contract::policy::{ARCHITECT, IMPLEMENTER, ORCHESTRATOR};
use crate::flows::contract::request::{Attempt, Back, Cause, Gate, Judged, Subtask, Task};
use crate::flows::contract::settling::{Fall, fall};
use crate::flows::contract::{layout, prompts, readings, words};
use crate::replies::Asked;
use crate::steps::{Answer, Call, Effect, EffectResult, Expected, Step};

const STEP: &str = "implement";

pub(super) fn step(
    scene: &Scene<'_>,
    task: &Task,
    subtask: &Subtask,
    attempt: Option<&Attempt>,
) -> Step {
    let judge = |number, end: &CallEnd| judge(scene, task, subtask, number, end);
    let ask = |number| ask(scene, task, subtask, number);
    attempts::go_on(scene, subtask, attempt, STEP, ask, judge)
}

fn ask(scene: &Scene<'_>, task: &Task, subtask: &Subtask, number: u32) -> Step {
    let key = key(scene, &subtask.id, number, STEP);
    match scene.view.results.get(&key) {
        None => {
            let prompt = prompts::implement(scene, task, subtask);
            let call = attempts::call(scene, subtask, IMPLEMENTER, STEP, prompt);
            Step::Effect { key, effect: Effect::Call(Box::new(call)) }
        }
        Some(EffectResult::Call(result)) => {
            let detail = json!({
                "subtask_id": subtask.id,
                "attempt": number,
                "end": call_end(result),
            });
            let judging = attempts::judging(scene, subtask, number);
            let draft = scene.draft("the implementer has ended").finishes_all().starts(judging);
            draft.event(IMPLEMENTER, Kind::WorkEnded, detail).step()
        }
        Some(_) => unexpected(&key, scene.facts.lang),
    }
}

/// The contracts that the work is held against.
fn contracts(
    scene: &Scene<'_>,
    task: &Task,
    subtask: &Subtask,
) -> Result<(DesignContract, TestContract), Step> {
    let design = scene.view.contract(&scene.task_path(task, layout::DESIGN));
    let tests = scene.view.contract(&scene.subtask_path(&subtask.id, layout::TESTS));
    design.zip(tests).ok_or_else(|| {
        let lang = scene.facts.lang;
        let names = [layout::DESIGN, layout::TESTS].join(", ");
        blocked(words::lost_documents(lang, names), words::lost_documents_next(lang))
    })
}

/// GATE-3, and what of GATE-4 needs nobody's opinion.
fn judge(
    scene: &Scene<'_>,
    task: &Task,
    subtask: &Subtask,
    number: u32,
    end: &CallEnd,
) -> Result<Step, Step> {
    let base = attempts::base(scene, &subtask.id, number)?;
    let fallen = |gate, reasons, stops| Fall {
        gate,
        to: Back::Implementation,
        reasons,
        rolls_back: Some(number),
        stops,
        tail: "",
    };
    let inspection = inspect(scene, base, &key(scene, &subtask.id, number, "inspect"))?;
    let lang = scene.facts.lang;
    let (design, tests) = contracts(scene, task, subtask)?;
    let judging = attempts::judging(scene, subtask, number);
    let draft = scene.draft("GATE-3").finishes_all().closes([judging]);
    match attempted(inspection, end, scene.facts.now, lang) {
        Attempted::Blocked(reason) => {
            let fallen = fallen(Gate::Scope, vec![reason], Some(Cause::Blocked));
            return Ok(fall(draft, subtask, &fallen).step());
        }
        Attempted::Failed(reason) => {
            return Ok(fall(draft, subtask, &fallen(Gate::Scope, vec![reason], None)).step());
        }
        Attempted::Fine => {}
    }
    let plain = plain_paths(&design);
    let test_path = tree_path(scene, &tests.test_file_path);
    let paths = || {
        let refs = plain.file_refs.iter().map(|file| file.path.clone()).chain(watched(&plain));
        let refs = refs.map(|path| tree_path(scene, &path));
        [test_path.clone()].into_iter().chain(refs).collect()
    };
    let files_key = key(scene, &subtask.id, number, "files");
    let files = scene.git().files(&files_key, &inspection.tree, paths)?;
    let test_file = files.iter().find(|file| file.path == test_path);
    let prefix = scene.flow.settings.prefix.as_str();
    let scope = match &subtask.tests {
        Some(wanted) => {
            let bytes = test_file.and_then(|file| file.bytes.as_deref());
            scope_faults(inspection, &design, &tests, prefix, bytes, &wanted.sha256, lang)
        }
        None => vec![words::tests_gone(lang)],
    };
    if !scope.is_empty() {
        return Ok(fall(draft, subtask, &fallen(Gate::Scope, scope, None)).step());
    }
    let built = built(inspection, &design, prefix);
    let detail = passed(scene, subtask, number, inspection, &built);
    let draft = draft.event(ORCHESTRATOR, Kind::GatePassed, detail);
    let faults = design_faults(&design, inspection, files, prefix, lang);
    Ok(match faults.is_empty() {
        true => draft.step(),
        false => fall(draft, subtask, &fallen(Gate::Design, faults, None)).step(),
    })
}

fn passed(
    scene: &Scene<'_>,
    subtask: &Subtask,
    number: u32,
    inspection: &Inspection,
    built: &[String],
) -> serde_json::Value {
    let judged = attempts::judged(scene, number, inspection);
    json!({ "subtask_id": subtask.id, "gate": Gate::Scope, "judged": judged, "built": built })
}

/// The architect looks at each invariant and each interface.
pub(super) fn review(scene: &Scene<'_>, task: &Task, subtask: &Subtask, judged: &Judged) -> Step {
    let (design, _) = match contracts(scene, task, subtask) {
        Ok(contracts) => contracts,
        Err(step) => return step,
    };
    let base = scene.view.base(&scene.request.id, &subtask.id, judged.attempt);
    let range = base.map(|base| (base.tree().to_string(), judged.tree.to_string()));
    let call = || Call {
        expected: vec![Expected::required(layout::REVIEW).of("contract-review")],
        ..attempts::reading(
            scene,
            subtask,
            ARCHITECT,
            "review",
            prompts::review(scene, subtask, &design, range.as_ref()),
        )
    };
    let read = |answer: &Answer| readings::review(answer, &design, scene.facts.lang);
    let path = scene.subtask_path(&subtask.id, layout::REVIEW);
    let lives = scene.request.lives.to_string();
    let review_key = key(scene, &subtask.id, judged.attempt, &format!("review.{lives}"));
    let turn = judged.attempt + scene.request.lives * 1000;
    match scene.ask(review_key, call, read) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => {
            let draft = scene.draft("review").by(ARCHITECT);
            let draft = kept_rejected(scene, draft, &steps, &path, turn).finishes_all();
            give_up(draft, Cause::of(&why), &why.reason(), Some(&subtask.id))
        }
        Asked::Answered { value, steps, rejected } => {
            let draft = scene.draft("GATE-4").by(ARCHITECT).create(&path, value.bytes);
            let draft = kept_rejected(scene, draft, &steps[..rejected.len()], &path, turn);
            reviewed(scene, draft.finishes_all(), subtask, judged, &value.value)
        }
    }
}

fn reviewed(
    scene: &Scene<'_>,
    draft: crate::flows::contract::write::Draft<'_>,
    subtask: &Subtask,
    judged: &Judged,
    review: &Review,
) -> Step {
    if review.verdict == ReviewVerdict::Pass {
        let detail = json!({ "subtask_id": subtask.id, "gate": Gate::Design, "judged": judged });
        return draft.event(ARCHITECT, Kind::GatePassed, detail).step();
    }
    let failed = review.findings.iter().filter(|one| one.verdict == ReviewVerdict::Fail);
    let told: Vec<String> =
        failed.map(|one| format!("{}: {}", one.subject, one.evidence)).collect();
    let (to, rolls_back) = match review.back_to {
        Some(BackTo::Design) => (Back::Design, subtask.tests.as_ref().map(|tests| tests.attempt)),
        Some(BackTo::Implementation) | None => (Back::Implementation, Some(judged.attempt)),
    };
    let reasons = vec![words::review_failed(scene.facts.lang, told.join("; "))];
    let fallen = Fall { gate: Gate::Design, to, reasons, rolls_back, stops: None, tail: "" };
    fall(draft, subtask, &fallen).step()
}
