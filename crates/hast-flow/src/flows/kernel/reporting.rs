//! Steps 14 to 17: the report, its judgement, and the response.

use serde_json::{Value, json};

use crate::docs::kernel::{
    EngineToKernelResponse, ExpertOutput, ExpertStatus, Judgement, KernelEventKind as Kind,
    ResponseStatus, TodoStatus,
};
use crate::flows::kernel::decide::Scene;
use crate::flows::kernel::policy::{ENGINE, KERNEL, PLANNER, SYNTHESIZER};
use crate::flows::kernel::write::printed;
use crate::flows::kernel::{ending, layout, prompts, work};
use crate::replies::{Asked, document, file};
use crate::steps::{Call, Effect, Expected, Step, StepKey};

/// A report that was turned down is written again once.
const MOST_REPORTS: u32 = 2;

pub(super) fn write(scene: &Scene<'_>) -> Step {
    if let Some(item) =
        scene.request.items().iter().find(|item| item.status != TodoStatus::Completed)
    {
        let error = prompts::not_completed(scene.facts.lang, &item.id);
        return ending::fail(scene, Some(&item.id), &error, &[], Vec::new());
    }
    let number = scene.request.reports_rejected + 1;
    let call = || {
        let part = work::part(scene, |brain| &brain.synthesizer)?;
        let items = scene.request.items();
        let results = work::results(scene, items.iter(), None);
        let prompt = prompts::report(&part, &scene.request.text, &results, scene.facts.lang);
        Ok(Call {
            attempt: number,
            expected: vec![Expected::required("report.md")],
            inputs: work::readable(SYNTHESIZER, items.iter()),
            ..work::call_of(scene, &part, SYNTHESIZER, "report", "report", prompt)
        })
    };
    let unit = unit("report", number);
    let asked = scene
        .ask(&unit, call, |answer| file(answer, "report.md", scene.facts.lang).map(<[u8]>::to_vec));
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps: keys, rejected } => {
            let error = why.reason();
            ending::fail(scene, None, &error, &rejected, keys)
        }
        Asked::Answered { value: answer, steps: keys, rejected } => {
            let text = String::from_utf8_lossy(&answer).into_owned();
            let output = ExpertOutput {
                task_id: "report".to_owned(),
                status: ExpertStatus::Completed,
                result: Some(Value::String(text)),
                plan: None,
                error_details: None,
            };
            let draft = finished(scene.draft(SYNTHESIZER, "the report"), &rejected, keys);
            draft
                .create_here(&layout::report(number), answer)
                .answers(&output)
                .event(SYNTHESIZER, Kind::ReportDrafted, &[])
                .asks("judge", "judge whether the report answers the request", Value::Null)
                .starts(scene.key(&self::unit("judge", number), "judge"))
                .step()
        }
    }
}

pub(super) fn judge(scene: &Scene<'_>) -> Step {
    let number = scene.request.reports_rejected + 1;
    let report = scene.request.report.clone().unwrap_or_default();
    let text = String::from_utf8_lossy(&report).into_owned();
    let call = || {
        let part = work::part(scene, |brain| &brain.planner)?;
        let items = scene.request.items();
        let prompt = prompts::judge(&part, &scene.request.text, items, &text, scene.facts.lang);
        let file = layout::of_request(scene.id, &layout::report(number));
        Ok(Call {
            attempt: number,
            expected: vec![Expected::required("judgement.json").of("kernel-judgement")],
            inputs: layout::path(&file).into_iter().collect(),
            ..work::call_of(scene, &part, PLANNER, "judge", "report", prompt)
        })
    };
    let asked = scene.ask(&unit("judge", number), call, |answer| {
        let (_, judgement) = document::<Judgement>(answer, "judgement.json", scene.facts.lang)?;
        Ok(judgement.value)
    });
    match asked {
        Asked::Call { key, call } => Step::Effect { key, effect: Effect::Call(call) },
        Asked::Unanswered { why, steps: keys, rejected } => {
            let error = why.reason();
            ending::fail(scene, None, &error, &rejected, keys)
        }
        Asked::Answered { value: answer, steps: keys, rejected } if answer.answers => {
            respond(scene, text, &answer, &rejected, keys)
        }
        Asked::Answered { value: answer, steps: keys, rejected } if number < MOST_REPORTS => {
            let draft = finished(scene.draft(KERNEL, "the report is turned down"), &rejected, keys);
            draft
                .answers(&message(&answer))
                .asks("report", "write the final report again", json!({ "error": answer.reason }))
                .event(PLANNER, Kind::ReportRejected, &[("error", json!(answer.reason))])
                .error(Some("report"), &answer.reason)
                .starts(scene.key(&unit("report", number + 1), "report"))
                .step()
        }
        Asked::Answered { value: answer, steps: keys, rejected } => {
            let error = prompts::not_answered(scene.facts.lang, &answer.reason);
            let draft = scene.draft(KERNEL, "the request failed").answers(&message(&answer));
            ending::fail_with(scene, draft, None, &error, &rejected, keys)
        }
    }
}

fn respond(
    scene: &Scene<'_>,
    report: String,
    judgement: &Judgement,
    rejected: &[String],
    keys: Vec<StepKey>,
) -> Step {
    let response = EngineToKernelResponse {
        request_id: scene.id.clone(),
        status: ResponseStatus::Completed,
        final_report: Some(report),
        error_details: None,
        last_task_id: None,
    };
    finished(scene.draft(KERNEL, "the response"), rejected, keys)
        .answers(&message(judgement))
        .message("EngineToKernelResponse", &response)
        .create_here("response.json", printed(&response))
        .event(ENGINE, Kind::ResultDelivered, &[("reason", json!(judgement.reason))])
        .event(KERNEL, Kind::ResponseGiven, &[])
        .step()
}

/// The judgement as the message that it is.
fn message(judgement: &Judgement) -> ExpertOutput {
    ExpertOutput {
        task_id: "judge".to_owned(),
        status: ExpertStatus::Completed,
        result: Some(json!(judgement)),
        plan: None,
        error_details: None,
    }
}

fn finished<'v>(
    draft: crate::flows::kernel::write::Draft<'v>,
    rejected: &[String],
    keys: Vec<StepKey>,
) -> crate::flows::kernel::write::Draft<'v> {
    let draft = rejected.iter().fold(draft, |draft, reason| draft.error(None, reason));
    keys.into_iter().fold(draft, |draft, key| draft.finishes(key))
}

fn unit(step: &str, number: u32) -> String {
    format!("{step}.{number}")
}
