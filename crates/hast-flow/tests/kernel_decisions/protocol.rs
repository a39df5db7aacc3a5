//! The steps of a request, a sentence of the protocol each.

use crate::scene::{ID, Kernel, REQUEST, findings, item, judged, one_item};
use hast_flow::agents::asking::Further;
use hast_flow::agents::outcome::FailureClass;
use hast_flow::docs::kernel::TodoStatus;
use hast_flow::steps::{Answer, CallResult, Effect, Ending, Place, Step};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn the_seventeen_steps_are_recorded_in_their_order() {
    let mut kernel = one_item();
    kernel.complete("a");
    kernel.reply(&[("report.md", json!("# 답"))]);
    kernel.commit();
    judged(&mut kernel, true);
    assert_eq!(kernel.steps(), [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 16, 17]);
    assert!(matches!(kernel.next(), Step::Finish(Ending::Done(_))));
    assert_eq!(kernel.response().final_report.as_deref(), Some("# 답"));
}

#[test]
fn steps_9_and_10_happen_when_an_expert_submits_a_sub_plan() {
    let mut kernel = Kernel::planned(&[item("b", "in_progress", &[], 5)]);
    assert_eq!(kernel.call().step, "expand");
    assert!(kernel.call().prompt.contains(REQUEST), "{}", kernel.call().prompt);
    assert_eq!(kernel.call().further, Further::None, "a plan is asked for and nothing else");
    let plan = json!([item("s1", "pending", &[], 1), item("s2", "pending", &["s1"], 1)]);
    kernel.reply(&[(
        "output.json",
        json!({"task_id": "b", "status": "needs_sub_plan", "plan": plan}),
    )]);
    kernel.commit();
    assert_eq!(kernel.steps(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 7]);
    use TodoStatus::{Completed, InProgress, Pending};
    let states = |states: [TodoStatus; 3]| {
        ["b", "b/s1", "b/s2"].map(str::to_owned).into_iter().zip(states).collect::<Vec<_>>()
    };
    assert_eq!(kernel.states(), states([Pending, InProgress, Pending]));
    kernel.complete("b/s1");
    kernel.complete("b/s2");
    assert_eq!(kernel.states(), states([InProgress, Completed, Completed]));
    // Pending until its children completed, then executed with their results, and not expanded again.
    let call = kernel.call();
    assert_eq!((call.step, call.unit.as_str()), ("execute", "b"));
    assert!(call.prompt.contains("outputs/b+s2/output.json): b/s2"), "{}", call.prompt);
    assert!(call.prompt.contains(REQUEST), "{}", call.prompt);
    assert_eq!(call.further, Further::Results, "result files lie beside output.json");
}

#[test]
fn the_messages_between_the_parts_are_kept_in_their_order() {
    let kernel = one_item();
    let kinds = kernel.message_kinds();
    assert_eq!(
        kinds,
        [
            "KernelToEngineRequest",
            "EngineToExpertRequest",
            "ExpertOutput",
            "EngineToExpertRequest",
            "ExpertOutput",
            "EngineToExpertRequest",
        ]
    );
}

#[test]
fn an_expert_that_always_wants_a_sub_plan_ends_at_the_bound_with_a_reason() {
    let mut kernel = Kernel::planned(&[item("a", "in_progress", &[], 9)]);
    let mut calls = 0;
    let ending = loop {
        match kernel.next() {
            Step::Finish(ending) => break ending,
            Step::Commit(_) => drop(kernel.commit()),
            Step::Effect { effect: Effect::Call(call), .. } => {
                calls += 1;
                assert!(calls < 1_000, "it never ends");
                let plan = [item("x", "pending", &[], 9)];
                let output =
                    json!({"task_id": call.unit, "status": "needs_sub_plan", "plan": plan});
                let mut first = plan.to_vec();
                first[0]["status"] = json!("in_progress");
                kernel.reply(&[
                    ("output.json", output),
                    ("plan.json", json!({ "todo_list": first })),
                ]);
            }
            Step::Effect { .. } => panic!(),
        }
    };
    let Ending::Failed(notice) = ending else { panic!("{ending:?}") };
    assert!(notice.what.contains("cannot be broken down any further"), "{}", notice.what);
    assert_eq!(kernel.response().last_task_id.as_deref(), Some("a/x/x/x"));
}

#[test]
fn a_failed_item_gets_one_replacement_and_is_completed_by_it() {
    let mut kernel =
        Kernel::planned(&[item("a", "in_progress", &[], 1), item("b", "pending", &["a"], 1)]);
    kernel.answer(CallResult::Failed {
        class: FailureClass::TimedOut,
        reason: "timed out".to_owned(),
    });
    kernel.commit();
    let call = kernel.call();
    assert_eq!((call.step, call.role.as_str()), ("replace", "PlanningExpert"));
    assert!(call.prompt.contains("timed out") && call.prompt.contains(REQUEST), "{}", call.prompt);
    let mut other = item("other", "pending", &[], 1);
    other["expert"] = json!("ImplementationExpert");
    kernel.reply(&[("plan.json", json!({ "todo_list": [other] }))]);
    kernel.commit();
    assert_eq!(kernel.call().role, "ImplementationExpert");
    kernel.complete("a/other");
    kernel.commit();
    assert_eq!(kernel.call().unit, "b");
    assert_eq!(kernel.plan()[0].status, TodoStatus::Completed);
}

#[test]
fn a_replacement_that_fails_too_fails_the_request_with_the_last_task_and_cause() {
    let mut kernel = one_item();
    let fail = |reason: &str| CallResult::Failed {
        class: FailureClass::TimedOut,
        reason: reason.to_owned(),
    };
    kernel.answer(fail("timed out"));
    kernel.commit();
    kernel.answer(fail("no idea"));
    kernel.commit();
    let response = kernel.response();
    assert_eq!(response.last_task_id.as_deref(), Some("a"));
    assert_eq!(response.error_details.as_deref(), Some("timed out; no replacement: no idea"));
    assert_eq!(kernel.status().last_failure.unwrap().last_task_id.as_deref(), Some("a"));
}

#[test]
fn a_failed_item_gets_one_replacement_in_all() {
    let mut kernel = one_item();
    let fail =
        || CallResult::Failed { class: FailureClass::TimedOut, reason: "timed out".to_owned() };
    kernel.answer(fail());
    kernel.commit();
    let mut other = item("other", "in_progress", &[], 1);
    other["expert"] = json!("ImplementationExpert");
    kernel.reply(&[("plan.json", json!({ "todo_list": [other] }))]);
    kernel.commit();
    kernel.answer(fail());
    kernel.commit();
    kernel.commit();
    let error = kernel.response().error_details.unwrap();
    assert!(error.contains("a failed item gets one replacement in all"), "{error}");
    assert_eq!(kernel.response().last_task_id.as_deref(), Some("a/other"));
    assert!(matches!(kernel.next(), Step::Finish(Ending::Failed(_))));
}

/// An item at the bottom that stands for nobody may be replaced; below that no plan can be taken in.
#[test]
fn a_replacement_that_can_never_be_valid_is_not_asked_for() {
    let mut items: Vec<Value> =
        (0..200).map(|n| item(&format!("i{n}"), "pending", &[], 1)).collect();
    items[0]["status"] = json!("in_progress");
    let mut kernel = Kernel::planned(&items);
    kernel.answer(CallResult::Failed { class: FailureClass::TimedOut, reason: "no".to_owned() });
    kernel.commit();
    kernel.commit();
    let error = kernel.response().error_details.unwrap();
    assert!(error.contains("no room for a replacement of i0"), "{error}");
}

#[test]
fn an_expert_knows_the_plan_and_what_is_done_beside_its_item() {
    let mut kernel = Kernel::planned(&[
        item("a", "in_progress", &[], 1),
        item("b", "pending", &[], 1),
        item("c", "pending", &[], 1),
    ]);
    kernel.complete("a");
    let call = kernel.call();
    assert_eq!(call.unit, "b");
    let file = format!("requests/{ID}/outputs/a/output.json");
    for part in [REQUEST, "- [x] a: Title a", "- [>] b: Title b", "- [ ] c: Title c", &file] {
        assert!(call.prompt.contains(part), "{part}: {}", call.prompt);
    }
    assert!(call.inputs.iter().any(|path| path.as_str() == file), "{:?}", call.inputs);
}

#[test]
fn an_expert_is_read_again_before_each_call() {
    let mut kernel = one_item();
    kernel.set(
        "experts/ResearchExpert.yaml",
        b"name: ResearchExpert\nrole: new role\nresponsibilities: []\ninstructions: look twice\nagent: codex\nlimits:\n  timeout_minutes: 7\n",
    );
    let call = kernel.call();
    assert!(call.prompt.contains("look twice"), "{}", call.prompt);
    assert_eq!(call.tool.as_deref(), Some("codex"));
    assert_eq!(call.timeout.unwrap().as_secs(), 420);
}

#[test]
fn a_missing_or_invalid_expert_fails_that_call_with_file_and_line() {
    let mut kernel = one_item();
    kernel.set("experts/ResearchExpert.yaml", b"name: ResearchExpert\nrole: r\ninstructions: 5\n");
    kernel.commit();
    assert!(kernel.errors().contains("experts/ResearchExpert.yaml:"), "{}", kernel.errors());
    assert_eq!(kernel.call().step, "replace");
}

#[test]
fn a_report_that_does_not_answer_is_written_again_once_and_then_fails() {
    let mut kernel = one_item();
    kernel.complete("a");
    for number in 1..=2 {
        let call = kernel.call();
        assert_eq!((call.step, call.attempt), ("report", number));
        kernel.reply(&[("report.md", json!(format!("report {number}")))]);
        kernel.commit();
        assert!(kernel.call().prompt.contains(&format!("report {number}")));
        judged(&mut kernel, false);
    }
    assert!(kernel.response().error_details.unwrap().contains("because"));
    assert!(kernel.files.contains_key(&format!("requests/{ID}/report.2.md")));
}

#[test]
fn no_report_before_all_items_are_completed() {
    let mut kernel =
        Kernel::planned(&[item("a", "in_progress", &[], 1), item("b", "pending", &[], 1)]);
    kernel.complete("a");
    assert_eq!(kernel.call().unit, "b");
    kernel.complete("b");
    assert_eq!(kernel.call().step, "report");
}

#[test]
fn an_answer_about_another_task_is_asked_for_again() {
    let mut kernel = one_item();
    kernel.reply(&[("output.json", json!({"task_id": "z", "status": "completed"}))]);
    let call = kernel.call();
    assert_eq!(call.regeneration, 1);
    assert!(findings(&call).contains("use task_id `a`"), "{call:?}");
}

#[test]
fn result_files_beside_the_answer_are_kept_with_it() {
    let mut kernel = one_item();
    let output = json!({"task_id": "a", "status": "completed"}).to_string().into_bytes();
    kernel.answer(CallResult::Completed(Answer {
        documents: BTreeMap::from([("output.json".to_owned(), output)]),
        others: BTreeMap::from([("표 1.md".to_owned(), b"x".to_vec())]),
        ..Answer::default()
    }));
    kernel.commit();
    let kept = format!("requests/{ID}/outputs/a/표=201.md");
    assert_eq!(kernel.files.get(&kept).map(Vec::as_slice), Some(&b"x"[..]));
}

#[test]
fn a_call_may_write_what_its_experts_file_says_and_is_told_so() {
    let mut kernel = one_item();
    assert_eq!(kernel.call().place, Place::Within(Vec::new()));
    assert!(kernel.call().prompt.contains("Change nothing in the project"));
    let expert = b"name: ResearchExpert\nrole: r\nresponsibilities: []\ninstructions: i\nwrites: [\"src/**\"]\n";
    kernel.set("experts/ResearchExpert.yaml", expert);
    assert_eq!(kernel.call().place, Place::Within(vec!["src/**".to_owned()]));
    assert!(kernel.call().prompt.contains("src/**"));
}

#[test]
fn an_item_is_asked_with_the_results_it_builds_on_in_its_message() {
    let mut kernel =
        Kernel::planned(&[item("a", "in_progress", &[], 1), item("b", "pending", &["a"], 1)]);
    kernel.complete("a");
    let sent = kernel.message("EngineToExpertRequest");
    assert_eq!(sent["task_id"], "b");
    assert_eq!(sent["context"], json!({"a": "a"}));
    kernel.complete("b");
    assert_eq!(kernel.message("EngineToExpertRequest")["context"], json!({"a": "a", "b": "b"}));
    let file = format!("requests/{ID}/outputs/b/output.json");
    assert!(kernel.call().inputs.iter().any(|path| path.as_str() == file));
}

#[test]
fn a_failure_its_replacement_and_the_judgement_are_messages_too() {
    let mut kernel = one_item();
    let failed = json!({"task_id": "a", "status": "failed", "error_details": "no idea"});
    kernel.reply(&[("output.json", failed)]);
    kernel.commit();
    let kinds = kernel.message_kinds();
    let last: Vec<&str> = kinds.iter().rev().take(4).map(String::as_str).collect();
    let asks = "EngineToExpertRequest";
    assert_eq!(last, [asks, "ExpertOutput", asks, "ExpertOutput"], "asked, updated, answered");
    assert_eq!(kernel.message(asks)["context"]["error"], "no idea");
    kernel.reply(&[("plan.json", json!({ "todo_list": [item("r", "pending", &[], 1)] }))]);
    kernel.commit();
    kernel.complete("a/r");
    kernel.commit();
    kernel.reply(&[("report.md", json!("# 답"))]);
    kernel.commit();
    judged(&mut kernel, true);
    assert_eq!(kernel.message("ExpertOutput")["result"]["reason"], "because");
}

#[test]
fn an_expert_is_told_all_of_its_item_and_of_what_it_can_use() {
    let long = "a line of the task\n".repeat(200);
    let mut a = item("a", "in_progress", &[], 1);
    a["description"] = json!(long);
    let mut kernel = Kernel::planned(&[a, item("b", "pending", &["a"], 1)]);
    assert!(kernel.call().prompt.contains(&long), "{}", kernel.call().prompt);
    let result = "a finding ".repeat(200);
    let output = json!({"task_id": "a", "status": "completed", "result": result});
    kernel.reply(&[("output.json", output)]);
    while !matches!(kernel.next(), Step::Effect { .. }) {
        kernel.commit();
    }
    assert!(kernel.call().prompt.contains(&result), "{}", kernel.call().prompt);
}
