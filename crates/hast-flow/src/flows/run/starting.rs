//! Before there is a run: its mode is decided, a simple task is done at once, and anything else
//! gets its row in `process_runs.md`.

use crate::docs::document::Version;
use crate::docs::run::{
    CatalogRow, ModeAnswer, ModeReply, ProcessRun, RunEventKind as Kind, RunMode, RunRequest,
    RunStatus, UserInstruction,
};
use crate::flows::run::decide::{Asked, Confirm, NewRun, Scene};
use crate::flows::run::policy::{EXECUTOR, ORCHESTRATOR, PLANNER};
use crate::flows::run::register::created;
use crate::flows::run::write::{missing_table, printed, word};
use crate::flows::run::{ending, layout, learning, phase_zero, prompts};
use crate::replies::{self, Asked as Reply, document};
use crate::steps::{
    Call, CallResult, Commit, Effect, EffectResult, Ending, Expected, Notice, Place, Step,
};
use serde_json::json;

pub(super) fn step(scene: &Scene<'_>) -> Step {
    let Asked::Start(new) = &scene.flow.asked else { return ending::unknown(scene) };
    let structured = || match scene.view.runs().is_some_and(|runs| !runs.is_empty()) {
        true => RunMode::ContinuousRun,
        false => RunMode::InitialRun,
    };
    match new.mode {
        Some(RunMode::SimpleTask) => simple(scene, new),
        Some(mode) => create(scene, new, mode, Vec::new()),
        None => match classify(scene, new) {
            Reply::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
            Reply::Answered { value: ModeAnswer::SimpleTask, .. } => simple(scene, new),
            Reply::Answered { value: ModeAnswer::Structured, steps, .. } => {
                create(scene, new, structured(), steps)
            }
            Reply::Unanswered { why, .. } => close(scene, || {
                let what = prompts::no_mode(scene.facts.lang, why.reason());
                Ending::Failed(Notice { what, next: prompts::no_mode_next(scene.facts.lang) })
            }),
        },
    }
}

/// Step 0: the planner says whether a request needs a run at all.
fn classify(scene: &Scene<'_>, new: &NewRun) -> Reply<ModeAnswer> {
    let lang = scene.facts.lang;
    let call = || {
        let prompt = prompts::classify(lang, &new.text);
        Call {
            expected: vec![Expected::required("mode.json").of("run-mode")],
            ids: [("run_id", scene.flow.run.to_string())].into(),
            ..Call::new(PLANNER, "classify", scene.flow.run.as_str(), prompt)
        }
    };
    scene.ask(scene.key("start", "classify"), call, |answer| {
        let (_, reply) = document::<ModeReply>(answer, "mode.json", lang)?;
        Ok(reply.value.mode)
    })
}

/// 2.1: the executor acts at once. No run, no phase, no file of ours.
fn simple(scene: &Scene<'_>, new: &NewRun) -> Step {
    let (key, lang) = (scene.key("start", "simple"), scene.facts.lang);
    let Some(result) = scene.view.results.get(&key) else {
        let prompt = prompts::simple(lang, &new.text);
        let call = Call {
            place: Place::Checkout,
            ..Call::new(EXECUTOR, "simple", scene.flow.run.as_str(), prompt)
        };
        return Step::Effect { key, effect: Effect::Call(Box::new(call)) };
    };
    close(scene, || match result {
        EffectResult::Call(CallResult::Completed(answer)) => {
            Ending::Done(Notice { what: answer.text.clone(), next: prompts::simple_next(lang) })
        }
        EffectResult::Call(CallResult::Failed { reason, .. } | CallResult::Blocked { reason }) => {
            let what = prompts::simple_failed(lang, reason);
            Ending::Failed(Notice { what, next: prompts::simple_failed_next(lang) })
        }
        _ => {
            let what = prompts::simple_failed(lang, "-");
            Ending::Failed(Notice { what, next: prompts::simple_failed_next(lang) })
        }
    })
}

/// Notes that the steps of a start have ended, then ends.
fn close(scene: &Scene<'_>, ending: impl FnOnce() -> Ending) -> Step {
    let classify = scene.key("start", "classify");
    let asked = (0..=scene.flow.max_regenerations).map(|n| replies::numbered(&classify, n));
    let open: Vec<_> = asked
        .chain([scene.key("start", "simple")])
        .filter(|key| scene.facts.steps.is_open(key))
        .collect();
    if open.is_empty() {
        return Step::Finish(ending());
    }
    Step::Commit(Commit {
        role: ORCHESTRATOR,
        reason: "a start has ended".to_owned(),
        puts: Vec::new(),
        starts: Vec::new(),
        finishes: open,
    })
}

/// 2.2.1, 1: the run gets its row, and what it learns from is chosen.
fn create(
    scene: &Scene<'_>,
    new: &NewRun,
    mode: RunMode,
    steps: Vec<crate::steps::StepKey>,
) -> Step {
    let (view, run) = (scene.view, &scene.flow.run);
    let learning_context = match mode {
        RunMode::ContinuousRun => learning::similar(view, run, &new.text),
        RunMode::InitialRun | RunMode::SimpleTask => Vec::new(),
    };
    let row = ProcessRun {
        run_id: run.clone(),
        user_request: new.text.clone(),
        status: RunStatus::Pending,
        current_phase_id: None,
        current_stage_id: None,
        current_task_id: None,
    };
    let runs = match view.runs() {
        Some(runs) => runs.change().with_row_in_one_page(&row).put(),
        None => layout::path(layout::RUNS).map(|path| created(path, &[row])),
    };
    let request = RunRequest {
        version: Version,
        run_id: run.clone(),
        mode,
        user_request: new.text.clone(),
        created_at: scene.facts.now,
        learning_context,
        confirmed_unseen: new.confirm == Confirm::Yes,
    };
    let template = layout::path(layout::TEMPLATE).filter(|_| view.template.is_none());
    let detail =
        [("mode", json!(word(&mode))), ("learning_context", json!(request.learning_context))];
    scene
        .draft(ORCHESTRATOR, "a run begins")
        .put(runs)
        .put(missing_table::<UserInstruction, _>(&view.instructions, layout::INSTRUCTIONS))
        .put(missing_table::<CatalogRow, _>(&view.catalog, layout::CATALOG))
        .put(template.map(|path| created(path, &phase_zero::default_phases(scene.facts.lang))))
        .create_here(layout::REQUEST, printed(&request))
        .event(ORCHESTRATOR, Kind::RunCreated, &detail)
        .finishes(steps)
        .step()
}
