//! Tests first: the qa-engineer writes them with their contract, and GATE-1 says whether they prove
//! anything.

use serde_json::json;

use crate::attempt::evidence::CallEnd;
use crate::attempt::inspection::Inspection;
use crate::attempt_steps::{blocked, unexpected};
use crate::docs::contract::{ContractEventKind as Kind, DesignContract, TestContract};
use crate::flows::contract::attempts::{self, inspect, key, tree_path};
use crate::flows::contract::checklist::is_checklist;
use crate::flows::contract::decide::Scene;
use crate::flows::contract::discovery::kept_rejected;
use crate::flows::contract::gates::{Attempted, Color, TestsWritten, attempted};
use crate::flows::contract::policy::{ORCHESTRATOR, QA};
use crate::flows::contract::request::{Attempt, Back, Cause, Gate, Subtask, Task, TestKind};
use crate::flows::contract::settling::{Fall, fall};
use crate::flows::contract::trial::Trial;
use crate::flows::contract::{layout, prompts, readings, words};
use crate::ids::Sha256;
use crate::replies::Asked;
use crate::steps::{Answer, Call, Check, Effect, EffectResult, Expected, Step};

const STEP: &str = "test_first";

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
    let call = || Call {
        expected: vec![Expected::required(layout::TESTS).of("test-contract")],
        ..attempts::call(scene, subtask, QA, STEP, prompts::test_first(scene, task, subtask))
    };
    let lang = scene.facts.lang;
    let read = |answer: &Answer| readings::tests(answer, &scene.request.id, &subtask.id, lang);
    let path = scene.subtask_path(&subtask.id, layout::TESTS);
    match scene.ask(key(scene, &subtask.id, number, STEP), call, read) {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps, .. } => {
            let draft = scene.draft("no tests").finishes_all();
            let draft = kept_rejected(scene, draft, &steps, &path, number);
            let cause = Cause::of(&why);
            let stops = (cause != Cause::Agent).then_some(cause);
            let reasons = vec![words::call_failed(lang, why.reason())];
            fall(draft, subtask, &fallen(number, reasons, stops, "")).step()
        }
        Asked::Answered { value, steps, rejected } => {
            let draft = scene.draft("tests are written").by(QA).create(&path, value.bytes);
            let draft = kept_rejected(scene, draft, &steps[..rejected.len()], &path, number);
            let detail =
                json!({ "subtask_id": subtask.id, "attempt": number, "end": CallEnd::Ended });
            let judging = attempts::judging(scene, subtask, number);
            draft.finishes_all().event(QA, Kind::TestsWritten, detail).starts(judging).step()
        }
    }
}

/// Back to where the attempt began.
fn fallen(number: u32, reasons: Vec<String>, stops: Option<Cause>, tail: &str) -> Fall<'_> {
    let (gate, to, rolls_back) = (Gate::Tests, Back::TestFirst, Some(number));
    Fall { gate, to, reasons, rolls_back, stops, tail }
}

/// The tests' contract, and the design that it is about.
fn contracts(
    scene: &Scene<'_>,
    task: &Task,
    subtask: &Subtask,
) -> Result<(TestContract, DesignContract), Step> {
    let contract = scene.view.contract(&scene.subtask_path(&subtask.id, layout::TESTS));
    let design = scene.view.contract(&scene.task_path(task, layout::DESIGN));
    contract.zip(design).ok_or_else(|| {
        let lang = scene.facts.lang;
        let what = words::lost_documents(lang, layout::TESTS);
        blocked(what, words::lost_documents_next(lang))
    })
}

/// GATE-1. Nothing of the agent runs any more.
fn judge(
    scene: &Scene<'_>,
    task: &Task,
    subtask: &Subtask,
    number: u32,
    end: &CallEnd,
) -> Result<Step, Step> {
    let base = attempts::base(scene, &subtask.id, number)?;
    let judging = attempts::judging(scene, subtask, number);
    let failing = |reasons: Vec<String>, stops: Option<Cause>, tail: &str| {
        let draft = scene.draft("GATE-1").finishes_all().closes([judging.clone()]);
        Ok(fall(draft, subtask, &fallen(number, reasons, stops, tail)).step())
    };
    let inspection = inspect(scene, base, &key(scene, &subtask.id, number, "inspect"))?;
    let (lang, now) = (scene.facts.lang, scene.facts.now);
    let (contract, design) = contracts(scene, task, subtask)?;
    match attempted(inspection, end, now, lang) {
        Attempted::Blocked(reason) => return failing(vec![reason], Some(Cause::Blocked), ""),
        Attempted::Failed(reason) => return failing(vec![reason], None, ""),
        Attempted::Fine => {}
    }
    let test_path = tree_path(scene, &contract.test_file_path);
    let files_key = key(scene, &subtask.id, number, "tests");
    let files = scene.git().files(&files_key, &inspection.tree, || vec![test_path])?;
    let before_key = key(scene, &subtask.id, number, "before");
    let entities = || design.file_refs.iter().map(|file| tree_path(scene, &file.path)).collect();
    let before = scene.git().files(&before_key, base.tree(), entities)?;
    let written = TestsWritten {
        inspection,
        contract: &contract,
        design: &design,
        prefix: &scene.flow.settings.prefix,
        test_file: files.first().and_then(|file| file.bytes.as_deref()),
        before,
        at: now,
        lang,
    };
    let faults = written.faults();
    if !faults.is_empty() {
        return failing(faults, None, "");
    }
    match kind(scene, subtask, number, &written)? {
        Ok(kind) => Ok(passed(scene, subtask, number, inspection, kind, written.test_file)),
        Err((faults, tail)) => failing(faults, None, &tail),
    }
}

type Faults = (Vec<String>, String);

/// What the tests are, or why they prove nothing, with the end of what they printed.
fn kind(
    scene: &Scene<'_>,
    subtask: &Subtask,
    number: u32,
    written: &TestsWritten<'_>,
) -> Result<Result<TestKind, Faults>, Step> {
    if is_checklist(written.contract) {
        let faults = written.checklist_faults();
        let fine = faults.is_empty();
        return Ok(if fine { Ok(TestKind::Checklist) } else { Err((faults, String::new())) });
    }
    let run = suite(scene, subtask, number, written.inspection)?;
    let there = match written.color(run) {
        Ok(Color::Red) => return Ok(Ok(TestKind::Red)),
        Ok(Color::Green(there)) => there,
        Err(faults) => return Ok(Err((faults, run.tail.clone()))),
    };
    let trial = Trial { scene, subtask, attempt: number, inspection: written.inspection };
    let faults = trial.faults(&there, |run| written.redness(run))?;
    Ok(if faults.is_empty() { Ok(TestKind::Green) } else { Err((faults, String::new())) })
}

/// The suite as it is right after the call.
fn suite<'s>(
    scene: &Scene<'s>,
    subtask: &Subtask,
    number: u32,
    inspection: &Inspection,
) -> Result<&'s crate::attempt::evidence::TestRun, Step> {
    let key = key(scene, &subtask.id, number, "suite");
    match scene.view.results.get(&key) {
        Some(EffectResult::Check(run)) => Ok(run),
        Some(_) => Err(unexpected(&key, scene.facts.lang)),
        None => {
            let settings = &scene.flow.settings;
            let check = Check {
                command: settings.test_command.clone(),
                tree: inspection.tree.clone(),
                limit_seconds: settings.timeout_minutes.seconds(),
            };
            Err(Step::Effect { key, effect: Effect::Check(check) })
        }
    }
}

fn passed(
    scene: &Scene<'_>,
    subtask: &Subtask,
    number: u32,
    inspection: &Inspection,
    kind: TestKind,
    test_file: Option<&[u8]>,
) -> Step {
    let detail = json!({
        "subtask_id": subtask.id,
        "gate": Gate::Tests,
        "tests": kind,
        "sha256": Sha256::of(test_file.unwrap_or_default()),
        "judged": attempts::judged(scene, number, inspection),
    });
    let judging = attempts::judging(scene, subtask, number);
    let draft = scene.draft("GATE-1").finishes_all().closes([judging]);
    draft.event(ORCHESTRATOR, Kind::GatePassed, detail).step()
}
