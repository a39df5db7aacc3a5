//! Agents that do their work, and the places where one of them can be made to do something else.

use hast_flow::steps::{Call, CallResult};
use serde_json::{Value, json};

use crate::git::Git;
use crate::scene::{Agent, answer, document, done};

/// The breakdown of one task with these subtasks.
pub(crate) fn breakdown(call: &Call, subtasks: &[(&str, &str)], assumptions: &[&str]) -> Value {
    let subtasks: Vec<Value> = subtasks
        .iter()
        .map(|(id, name)| json!({"id": id, "name": name, "description": format!("do {name}")}))
        .collect();
    document(
        call,
        "planner",
        &json!({
            "original_request": "r", "objective": "o",
            "tasks": [{"id": "T1", "name": "total", "objective": "a total", "subtasks": subtasks}],
            "assumptions": assumptions, "task_order": ["T1"],
        }),
    )
}

pub(crate) fn explored(call: &Call) -> Value {
    let fields = json!({
        "project_manifest": {"claude_md": null, "agents_md": null},
        "explored_files": [{"path": "README", "summary": "s"}],
        "directory_structure": {"src": "code"},
    });
    document(call, "code-explore", &fields)
}

/// A design with one file to create, an invariant, an interface and a boundary.
pub(crate) fn design(call: &Call) -> Value {
    let fields = json!({
        "task_name": "total",
        "invariants": [{"id": "INV-1", "rule": "no state"}],
        "interfaces": [{"name": "Total.sum", "input": {"type": "lines"}, "output": {"type": "number"}, "contract": "sums"}],
        "boundaries": [{"from": "Total", "to": "Store", "allowed": false}],
        "layer_assignments": [{"component": "Total", "layer": "application"}],
        "file_refs": [
            {"entity": "Total", "path": "src/total.sh", "status": "to_create"},
            {"entity": "Store", "path": "src/store.sh", "status": "existing"},
        ],
    });
    document(call, "architect", &fields)
}

pub(crate) fn tests(call: &Call, path: &str, category: &str) -> Value {
    let case = |id: &str| json!({"id": id, "name": format!("name of {id}"), "target": "Total.sum", "given": "g", "when": "w", "then": "t", "category": category});
    let fields = json!({
        "subtask_name": "s", "test_cases": [case("TC-1"), case("TC-2")],
        "coverage_targets": ["Total.sum"], "test_file_path": path,
    });
    document(call, "qa-engineer", &fields)
}

pub(crate) fn review(verdict: &str, back_to: &Value) -> Value {
    let finding = |subject: &str| json!({"subject": subject, "verdict": verdict, "evidence": "src/total.sh:1"});
    json!({"verdict": verdict, "findings": [finding("INV-1"), finding("Total.sum")], "back_to": back_to})
}

/// Two tests, which want two things of the code.
pub(crate) const TESTS: &str = "needs src/total.sh sum\nneeds src/total.sh print\n";
pub(crate) const CODE: &str = "sum\nprint\n";

/// Does the honest thing for one subtask `T1-S1`.
pub(crate) fn honest(call: &Call, git: &mut Git) -> CallResult {
    match call.step {
        "explore" => answer(&[("explored.yaml", explored(call))]),
        "breakdown" => {
            answer(&[("task-breakdown.yaml", breakdown(call, &[("T1-S1", "sum up")], &[]))])
        }
        "design" => answer(&[("design-contract.yaml", design(call))]),
        "test_first" => {
            git.write("tests/total.test", TESTS);
            answer(&[("test-contract.yaml", tests(call, "tests/total.test", "happy_path"))])
        }
        "implement" => {
            git.write("src/total.sh", CODE);
            done()
        }
        "review" => answer(&[("review.json", review("PASS", &Value::Null))]),
        "verify" => recommend("complete"),
        other => panic!("{other}"),
    }
}

pub(crate) fn recommend(action: &str) -> CallResult {
    answer(&[("recommendation.json", json!({"action": action, "reason": "because"}))])
}

/// Honest but for one step, which is played by somebody else as long as they have an answer.
pub(crate) fn but(
    step: &'static str,
    mut other: impl FnMut(&Call, &mut Git) -> Option<CallResult> + 'static,
) -> Agent {
    Box::new(move |call, git| {
        let played = if call.step == step { other(call, git) } else { None };
        played.unwrap_or_else(|| honest(call, git))
    })
}
