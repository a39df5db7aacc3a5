//! Tool tasks: the two special agents that are built in, and recipes that became plain rows.

use hast_flow::steps::{Effect, EffectResult, Ending};
use serde_json::json;

use crate::actors::{Actors, answered};
use crate::scene::{RUN, Run};

fn made(run: &Run, name: &str) -> String {
    run.text(&format!("runs/{RUN}/workspace/ANALYZING/{name}"))
}

#[test]
fn web_search_writes_a_report_with_its_sources() {
    let mut run = Run::started();
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
    let report = made(&run, "TT01_시장_조사.md");
    for part in [
        "시장을 찾는다",
        "A page.",
        "1. [하나](https://one.example): 첫째",
        "2. [둘](https://two.example)",
    ] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
}

#[test]
fn data_visualization_chooses_the_chart_itself_from_what_the_task_made() {
    let mut run = Run::started();
    run.until(&Actors::honest(), "post_tools");
    run.turn(&Actors::honest());
    run.commit();
    run.turn(&Actors::honest());
    let (_, effect) = run.effect();
    let Effect::Tools(uses) = effect else { panic!("{effect:?}") };
    assert_eq!(uses[0].name, "chart");
    assert_eq!(uses[0].args["kind"], "bar");
    assert_eq!(uses[0].args["series"][0]["name"], "매출");
    run.turn(&Actors::honest());
    run.commit();
    assert!(made(&run, "TT03_매출_차트.html").starts_with("<html>"));
    let row = run.catalog().into_iter().find(|row| row.source_task_id.as_deref() == Some("TT03"));
    assert_eq!(row.unwrap().asset_type, "TOOL_OUTPUT");
}

#[test]
fn data_without_numbers_fails_the_tool_task_and_says_which_files_were_looked_at() {
    let mut run = Run::started();
    run.until_unit(&Actors::honest(), "task", "T06");
    run.answer(&EffectResult::Call(answered(&[
        ("result.json", json!({"summary": "s"})),
        ("S01_table.md", json!("숫자가 없다")),
    ])));
    run.commit();
    // What it rests on has none either.
    let facts = format!("runs/{RUN}/workspace/ANALYZING/S01_facts.md");
    run.files.insert(facts, b"text".to_vec());
    assert!(matches!(run.drive(&Actors::honest()), Ending::Failed(_)));
    assert!(run.failure().error.contains("S01_table.md"));
    assert_eq!(run.status_of("TT03"), "FAILED");
}

#[test]
fn a_recipe_becomes_plain_tool_tasks_that_are_done_one_by_one() {
    let mut run = Run::started();
    run.until(&Actors::honest(), "pre_tools");
    let steps = ["채소 썰기", "물 끓이기", "면 삶기"];
    let rows: Vec<_> = steps
        .iter()
        .map(|name| json!({"tool_type": "cook", "tool_task_name": name, "tool_task_purpose": name}))
        .collect();
    run.answer(&EffectResult::Call(answered(&[("tool_tasks.json", json!(rows))])));
    run.commit();
    for step in steps {
        let call = run.until(&Actors::honest(), "tool_task");
        assert!(call.prompt.contains(step), "{step}");
        assert_eq!(call.role, "Executor");
        run.turn(&Actors::honest());
        run.commit();
    }
    assert_eq!(run.until(&Actors::honest(), "task").unit, "T05");
}

#[test]
fn a_tool_tasks_name_cannot_leave_its_phase() {
    let mut run = Run::started();
    run.until(&Actors::honest(), "pre_tools");
    let row = json!([{"tool_type": "x", "tool_task_name": "../../../db/tasks.md", "tool_task_purpose": "p"}]);
    run.answer(&EffectResult::Call(answered(&[("tool_tasks.json", row)])));
    run.commit();
    let call = run.until(&Actors::honest(), "tool_task");
    assert_eq!(call.expected[1].name, "TT01_db_tasks.md");
    run.turn(&Actors::honest());
    run.commit();
    assert!(run.files.contains_key(&format!("runs/{RUN}/workspace/ANALYZING/TT01_db_tasks.md")));
}
