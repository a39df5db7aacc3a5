//! The rules of plans and of sub-plans: what breaks one is asked for again, twice at most.

use crate::scene::{Kernel, findings, item};
use hast_flow::docs::kernel::KernelState;
use hast_flow::steps::{Ending, Step};
use serde_json::{Value, json};

#[test]
fn a_plan_that_breaks_a_rule_is_planned_again_with_the_faults_at_most_twice() {
    let first = |other: Value| vec![item("a", "in_progress", &[], 1), other];
    let mut unknown = item("b", "pending", &[], 1);
    unknown["expert"] = json!("NobodyExpert");
    let mut code = item("b", "pending", &[], 1);
    code["expert"] = json!("TaskManagementExpert");
    let many: Vec<Value> = (0..201)
        .map(|n| item(&n.to_string(), if n == 0 { "in_progress" } else { "pending" }, &[], 1))
        .collect();
    for (items, told) in [
        (first(item("a", "pending", &[], 1)), "is there twice"),
        (vec![item("a", "pending", &[], 1)], "is not in_progress"),
        (vec![item("a", "in_progress", &["a"], 1)], "has dependencies"),
        (first(item("b", "completed", &[], 1)), "is not pending"),
        (first(item("b", "pending", &["zz"], 1)), "which does not exist"),
        (
            vec![
                item("a", "in_progress", &[], 1),
                item("b", "pending", &["c"], 1),
                item("c", "pending", &["b"], 1),
            ],
            "wait for each other: b -> c -> b",
        ),
        (first(unknown), "NobodyExpert"),
        (first(code), "TaskManagementExpert"),
        (many, "201 items"),
        (vec![], "no items"),
    ] {
        let mut kernel = Kernel::requested();
        for regeneration in 0..3 {
            let call = kernel.call();
            assert_eq!((call.step, call.regeneration), ("plan", regeneration));
            assert_eq!(findings(&call).contains(told), regeneration > 0, "{told}: {call:?}");
            kernel.reply(&[("plan.json", json!({ "todo_list": items }))]);
        }
        kernel.commit();
        let response = kernel.response();
        assert!(response.error_details.unwrap().contains(told), "{told}");
        assert_eq!(kernel.status().status, KernelState::Running);
        assert!(kernel.status().last_failure.unwrap().error_details.contains(told));
        assert_eq!(kernel.errors().lines().count(), 4, "{}", kernel.errors());
        assert!(matches!(kernel.next(), Step::Finish(Ending::Failed(_))));
    }
}

#[test]
fn a_sub_plan_whose_ids_clash_or_that_is_too_long_is_asked_for_again() {
    let long: Vec<Value> = (0..11).map(|n| item(&format!("s{n}"), "pending", &[], 1)).collect();
    let twice = vec![item("s", "pending", &[], 1), item("s", "pending", &[], 1)];
    for (plan, told) in [(long, "11 items"), (twice, "is there twice"), (vec![], "no items")] {
        let mut kernel = Kernel::planned(&[item("b", "in_progress", &[], 5)]);
        let output = json!({"task_id": "b", "status": "needs_sub_plan", "plan": plan});
        kernel.reply(&[("output.json", output)]);
        assert!(findings(&kernel.call()).contains(told), "{:?}", kernel.call());
    }
}
