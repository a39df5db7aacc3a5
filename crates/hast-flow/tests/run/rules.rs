//! The rules that a plan of tasks must keep before it becomes rows.

use hast_flow::steps::{Effect, EffectResult, Step};
use serde_json::{Value, json};

use crate::actors::{Actors, answered};
use crate::scene::{RUN, Run};

fn task(name: &str, references: &[&str], output: &str) -> Value {
    json!({"task_name": name, "task_purpose": "p", "related_references": references, "output_path": output})
}

fn place(name: &str) -> String {
    format!("runs/{RUN}/workspace/ANALYZING/{name}")
}

/// What the planner is told about a plan; nothing if it is taken.
fn findings(tasks: &Value) -> Vec<String> {
    let mut run = Run::started();
    run.until(&Actors::honest(), "tasks");
    run.answer(&EffectResult::Call(answered(&[("tasks.json", tasks.clone())])));
    // A plan that can be read has its references looked at.
    while matches!(run.next(), Step::Effect { effect: Effect::Scan(_), .. }) {
        run.turn(&Actors::honest());
    }
    match run.next() {
        Step::Commit(_) => Vec::new(),
        _ => run.call().findings.iter().map(|one| one.problem.clone()).collect(),
    }
}

fn refused(tasks: &Value, because: &str) {
    let findings = findings(tasks);
    assert!(findings.iter().any(|one| one.contains(because)), "{because}: {findings:?}");
}

#[test]
fn no_evidence_no_task() {
    refused(&json!([task("a", &[], &place("a.md"))]), "no evidence");
    refused(&json!([task("a", &["assets/none.csv"], &place("a.md"))]), "neither in the catalog");
}

#[test]
fn the_output_of_an_earlier_task_of_the_plan_is_evidence_and_that_of_a_later_one_is_not() {
    let (a, b) = (place("a.md"), place("b.md"));
    let plan = json!([task("a", &["assets/sales.csv"], &a), task("b", &[&a], &b)]);
    assert_eq!(findings(&plan), Vec::<String>::new());
    refused(&json!([task("a", &[&b], &a), task("b", &["assets/sales.csv"], &b)]), "neither");
    refused(&json!([task("a", &[&a], &a)]), "neither");
}

#[test]
fn an_output_lies_in_the_workspace_of_the_phase() {
    for path in [
        "assets/x.md".to_owned(),
        format!("runs/{RUN}/workspace/STRATEGIZING/x.md"),
        format!("runs/{RUN}/db/tasks.md"),
        format!("outputs/{RUN}/x.md"),
        place("../../db/x.md"),
        place(""),
        "/etc/passwd".to_owned(),
    ] {
        refused(&json!([task("a", &["assets/sales.csv"], &path)]), "out of place");
    }
}

#[test]
fn deliverables_are_outputs_of_the_last_phase_only() {
    let mut run = Run::started();
    while run.until(&Actors::honest(), "tasks").ids["phase"] != "GENERATING_OUTPUT" {
        run.turn(&Actors::honest());
    }
    run.turn(&Actors::honest());
    run.turn(&Actors::honest());
    run.commit();
    let output = run.tasks().last().unwrap().output_path.clone().unwrap();
    assert_eq!(output, format!("outputs/{RUN}/report.md"));
}

#[test]
fn one_output_file_a_task_and_no_two_tasks_the_same() {
    let both = json!([
        task("a", &["assets/sales.csv"], &place("x.md")),
        task("b", &["assets/sales.csv"], &place("x.md")),
    ]);
    refused(&both, "output of another task");
    let nested = json!([
        task("a", &["assets/sales.csv"], &place("x")),
        task("b", &["assets/sales.csv"], &place("x/y.md")),
    ]);
    refused(&nested, "output of another task");
    let known = place("T04_initial_analysis.md");
    refused(&json!([task("a", &["assets/sales.csv"], &known)]), "output of another task");
}

#[test]
fn an_output_may_not_have_a_name_that_means_something_else() {
    for name in ["result.json", "failed.json", "blocked.json", ".gitkeep", "TT07_x.md"] {
        refused(&json!([task("a", &["assets/sales.csv"], &place(name))]), "taken");
    }
}

#[test]
fn a_reference_that_is_gone_or_too_large_is_refused_at_planning() {
    let mut run = Run::started();
    run.bring("assets/big.bin", &"x".repeat(3 << 20));
    run.until(&Actors::honest(), "tasks");
    run.files.remove("assets/sales.csv");
    let plan = json!([
        task("a", &["assets/sales.csv"], &place("a.md")),
        task("b", &["assets/big.bin"], &place("b.md")),
    ]);
    run.answer(&EffectResult::Call(answered(&[("tasks.json", plan)])));
    run.turn(&Actors::honest());
    let told = run.call().findings;
    assert!(told[0].problem.contains("not there any more"), "{told:?}");
    assert!(told[1].problem.contains("3145728 bytes"), "{told:?}");
}

#[test]
fn every_fault_of_a_plan_is_told_at_once() {
    let plan = json!([task("a", &[], "x"), task("b", &["nowhere"], "y")]);
    assert_eq!(findings(&plan).len(), 4);
}

#[test]
fn a_plan_is_neither_empty_nor_without_bound() {
    assert_eq!(findings(&json!([])).len(), 1);
    let many: Vec<Value> = (0..101)
        .map(|number| task("a", &["assets/sales.csv"], &place(&format!("{number}.md"))))
        .collect();
    refused(&json!(many), "at most 100");
    assert_eq!(findings(&json!(many[..100])), Vec::<String>::new());
}

#[test]
fn recipes_are_the_planners_alone() {
    let mut run = Run::started();
    run.bring("guidelines/mcp_list.md", "# 국수\n1. 채소 썰기\n");
    let planner = run.until(&Actors::honest(), "stages");
    let sees = |call: &hast_flow::steps::Call| {
        call.inputs.iter().any(|path| path.as_str() == "guidelines/mcp_list.md")
    };
    assert!(sees(&planner));
    let call = run.until_unit(&Actors::honest(), "task", "T05");
    assert!(!sees(&call) && !call.prompt.contains("mcp_list"));
    let mut run = Run::started();
    run.bring("guidelines/mcp_list.md", "# 국수\n");
    run.until(&Actors::honest(), "tasks");
    let plan = json!([task("a", &["guidelines/mcp_list.md"], &place("a.md"))]);
    run.answer(&EffectResult::Call(answered(&[("tasks.json", plan)])));
    run.turn(&Actors::honest());
    assert!(run.call().findings[0].problem.contains("only the Planner"));
}
