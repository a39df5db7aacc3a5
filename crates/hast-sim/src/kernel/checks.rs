//! Consistency checks for a kernel's documents, however the kernel got there.

use std::collections::BTreeSet;

use hast_flow::docs::kernel::{
    EngineToKernelResponse, KernelEvent, KernelEventKind as Kind, KernelPlan, TodoStatus,
};
use hast_flow::flows::kernel::{View, layout, mirror};
use hast_flow::steps::Commit;

use super::{PLAN, REQUEST, RESPONSE};
use crate::flows::holding::{keeps_to, log, numbers_grow, steps_end_once};
use crate::flows::subject::Files;

/// The log counts on, nothing was answered twice, the mirror says what the plan says, what is
/// completed has an output, and a response is given once. What a person wrote over is theirs.
pub(super) fn documents_hold(files: &Files, edited: Option<&str>) -> Result<(), String> {
    let (events, bad) = log::<KernelEvent>(files, layout::LOG);
    let numbers: Vec<u64> = events.iter().map(|event| event.event_id.number()).collect();
    numbers_grow(&numbers, bad)?;
    // A kernel that failed to boot, or lost a file of its own to a person, boots again.
    steps_end_once(files, |step| step == "boot")?;
    if edited != Some(PLAN) && edited != Some(layout::MIRROR) {
        plan_holds(files)?;
    }
    answered_once(&events)?;
    response_is_told(files, &events)
}

fn plan_holds(files: &Files) -> Result<(), String> {
    let Some(plan) = files.get(PLAN) else { return Ok(()) };
    let plan: KernelPlan = serde_json::from_slice(plan).map_err(|error| error.to_string())?;
    let shown = files.get(layout::MIRROR).map(|bytes| String::from_utf8_lossy(bytes));
    if let Some(difference) = mirror::difference(&shown.unwrap_or_default(), &plan.todo_list) {
        return Err(difference);
    }
    let in_work = plan.todo_list.iter().filter(|item| item.status == TodoStatus::InProgress);
    if in_work.count() > 1 {
        return Err("two items are in work".to_owned());
    }
    for item in plan.todo_list.iter().filter(|item| item.status == TodoStatus::Completed) {
        let output = item.result_path.as_ref().and_then(|path| files.get(path));
        if output.is_none() {
            return Err(format!("{} is completed and has no output", item.id));
        }
        let unfinished = plan.todo_list.iter().find(|other| {
            item.dependencies.contains(&other.id) && other.status != TodoStatus::Completed
        });
        if let Some(other) = unfinished {
            return Err(format!("{} is completed before {}", item.id, other.id));
        }
    }
    Ok(())
}

/// An item is answered once, but for one that grew or was replaced, which is answered again at its
/// end; and no plan is approved twice.
fn answered_once(events: &[KernelEvent]) -> Result<(), String> {
    let task = |event: &KernelEvent| event.detail.get("task_id").map(ToString::to_string);
    let mut open = BTreeSet::new();
    for event in events {
        match event.kind {
            Kind::TaskAnswered if !open.insert(task(event)) => {
                return Err(format!("{:?} was answered twice", task(event)));
            }
            Kind::SubPlanMerged => drop(open.remove(&task(event))),
            _ => {}
        }
    }
    for kind in [Kind::RequestReceived, Kind::PlanApproved] {
        if events.iter().filter(|event| event.kind == kind).count() > 1 {
            return Err(format!("{kind:?} happened twice"));
        }
    }
    Ok(())
}

fn response_is_told(files: &Files, events: &[KernelEvent]) -> Result<(), String> {
    let given = [Kind::ResponseGiven, Kind::RequestFailed];
    let told = events.iter().filter(|event| given.contains(&event.kind)).count();
    let Some(bytes) = files.get(RESPONSE) else {
        return if told == 0 { Ok(()) } else { Err("a response was told and is not there".into()) };
    };
    let response: EngineToKernelResponse =
        serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if told == 1 && response.request_id.as_str() == REQUEST {
        Ok(())
    } else {
        Err(format!("a response is there and was told {told} times"))
    }
}

/// The kernel's table of roles, written down once more and not from the policy.
pub(super) fn role_is_kept(commit: &Commit) -> Result<(), String> {
    let here = |name: &str| format!("requests/{REQUEST}/{name}");
    let everybody = [here("errors.ndjson"), here("transcript/"), here("plan.json")];
    let own: &[&str] = match commit.role {
        "Kernel" => &["kernel_status.json", "brain.yaml", "experts/"],
        _ => &[],
    };
    let in_request: &[&str] = match commit.role {
        "Kernel" => &["request.json", "response.json"],
        "TaskManagementExpert" => &["edited/", "outputs/"],
        "SpecializedExpert" => &["outputs/"],
        "ResultSynthesizingExpert" => &["report.md", "report.2.md"],
        _ => &[],
    };
    let in_request: Vec<String> = in_request.iter().map(|name| here(name)).collect();
    let own: Vec<&str> = own.iter().copied().chain(in_request.iter().map(String::as_str)).collect();
    let mut riders = vec![layout::LOG, layout::MIRROR];
    riders.extend(everybody.iter().map(String::as_str));
    keeps_to(commit, &own, &riders)
}

/// When a file was looked at, and results that nobody used, are no part of what a view says.
pub(super) fn views_agree(kept: &View, fresh: &View) -> Result<(), String> {
    let said = |view: &View| {
        let mut view = view.clone();
        view.results.clear();
        if let Some(status) = &mut view.status {
            status.identity = None;
        }
        if let Some(mirror) = &mut view.mirror {
            mirror.identity = None;
        }
        for request in view.requests.values_mut() {
            if let Some(plan) = &mut request.plan {
                plan.identity = None;
            }
        }
        view
    };
    if said(kept) == said(fresh) {
        Ok(())
    } else {
        Err("the kept view differs from a fresh one".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn event(number: u32, kind: &str, detail: &Value) -> String {
        let event = json!({"event_id": format!("EV-20260112T143000Z-{number:04}"),
            "ts": "2026-01-12T14:30:00Z", "actor": "x", "type": kind, "detail": detail});
        format!("{event}\n")
    }

    fn held(texts: &[(&str, String)]) -> Result<(), String> {
        let files = texts
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.clone().into_bytes()))
            .collect();
        documents_hold(&files, None)
    }

    /// The checks are worth nothing if they cannot fail.
    #[test]
    fn an_item_answered_twice_and_an_untold_response_are_found() {
        let answered = |number| event(number, "TASK_ANSWERED", &json!({"task_id": "a"}));
        let merged = event(2, "SUB_PLAN_MERGED", &json!({"task_id": "a"}));
        assert_eq!(held(&[(layout::LOG, answered(1) + &merged + &answered(3))]), Ok(()));
        assert!(held(&[(layout::LOG, answered(1) + &answered(2))]).is_err());
        let response = json!({"request_id": REQUEST, "status": "failed"}).to_string();
        let told = event(1, "REQUEST_FAILED", &json!({}));
        assert_eq!(held(&[(RESPONSE, response.clone()), (layout::LOG, told.clone())]), Ok(()));
        assert!(held(&[(RESPONSE, response)]).is_err());
        assert!(held(&[(layout::LOG, told)]).is_err());
    }

    #[test]
    fn a_mirror_that_differs_and_an_item_without_its_output_are_found() {
        let plan = |status: &str| {
            let item = json!({"id": "a", "title": "t", "description": "d", "expert": "e",
                "status": status, "result_path": "requests/x"});
            json!({"todo_list": [item]})
        };
        let shown = |value: &Value| {
            let plan: KernelPlan = serde_json::from_value(value.clone()).unwrap();
            mirror::render("보고서", &plan.todo_list)
        };
        let texts = |plan: &Value, mirror: String| {
            held(&[(PLAN, plan.to_string()), (layout::MIRROR, mirror)])
        };
        let (open, done) = (plan("in_progress"), plan("completed"));
        assert_eq!(texts(&open, shown(&open)), Ok(()));
        assert!(texts(&open, shown(&done)).is_err());
        assert!(texts(&done, shown(&done)).is_err(), "there is no output");
    }
}
