//! 2.2.2 and 2.2.4 of the seed: the master control loop, and how a run is completed.

use hast_flow::docs::run::RunStatus;
use hast_flow::flows::run::{Asked, Confirm, layout};
use hast_flow::steps::{Ending, Step};
use serde_json::Value;

use crate::actors::Actors;
use crate::scene::{RUN, Run};

/// A run that stands before the first phase of the work.
fn ready() -> Run {
    let mut run = Run::started();
    run.until(&Actors::honest(), "stages");
    run
}

fn kinds(run: &Run) -> Vec<String> {
    let log = run.text(layout::LOG);
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["type"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn s2221_the_first_pending_phase_is_selected_and_recorded() {
    let run = ready();
    assert_eq!(run.pointers(), ["P1", "", ""]);
    let selected = run.commits.last().unwrap();
    assert_eq!(selected.role, "Orchestrator");
    assert_eq!(selected.starts.len(), 1, "the planner's call is noted in the same commit");
}

#[test]
fn s2222_without_a_plan_the_planner_is_called_for_stages() {
    let mut run = ready();
    let call = run.call();
    assert_eq!((call.role.as_str(), call.step, call.unit.as_str()), ("Planner", "stages", "P1"));
    assert_eq!(call.ids["phase"], "ANALYZING");
    assert!(call.prompt.contains("WHY") && call.prompt.contains("HOW"));
    run.turn(&Actors::honest());
    let commit = run.commit();
    assert_eq!(commit.role, "Planner");
    let stages: Vec<(String, u32)> = run.stages()[1..]
        .iter()
        .map(|row| (row.stage_id.to_string(), row.execution_order))
        .collect();
    assert_eq!(stages, [("S01".to_owned(), 1), ("S02".to_owned(), 2)]);
}

#[test]
fn s2222_with_a_plan_nobody_is_called() {
    let mut run = ready();
    run.turn(&Actors::honest());
    run.commit();
    let Step::Commit(commit) = run.next() else { panic!() };
    assert!(commit.reason.contains("a stage begins"));
}

#[test]
fn s2223_a_the_pending_stage_with_the_lowest_order_is_recorded() {
    let mut run = ready();
    run.turn(&Actors::honest());
    run.commit();
    // A person turns the order around.
    let path = format!("runs/{RUN}/db/major_stages.md");
    let text = run.text(&path).replace("| 2 ", "| 0 ");
    run.set(&path, text.as_bytes());
    run.commit();
    assert_eq!(run.pointers(), ["P1", "S02", ""]);
}

#[test]
fn s2223_b_without_a_plan_the_planner_is_called_for_tasks() {
    let mut run = Run::started();
    let call = run.until(&Actors::honest(), "tasks");
    assert_eq!((call.role.as_str(), call.unit.as_str()), ("Planner", "S01"));
    for word in ["IPO", "SWOT", "local chain", "global influence", "pre_tool_purpose"] {
        assert!(call.prompt.contains(word), "{word}");
    }
    assert!(call.prompt.contains("assets/sales.csv"));
    run.turn(&Actors::honest());
    run.turn(&Actors::honest());
    run.commit();
    let ids: Vec<String> = run.tasks()[4..].iter().map(|row| row.task_id.to_string()).collect();
    assert_eq!(ids, ["T05", "T06"]);
}

#[test]
fn s2223_c1_and_c2_the_pending_task_with_the_lowest_order_is_recorded() {
    let mut run = Run::started();
    run.until(&Actors::honest(), "pre_tools");
    assert_eq!(run.pointers(), ["P1", "S01", "T05"]);
}

#[test]
fn s2223_c3_pre_tools_are_planned_and_done_in_order_before_the_core_task() {
    let mut run = Run::started();
    let call = run.until(&Actors::honest(), "pre_tools");
    assert!(call.prompt.contains("pre_tool:T05"));
    run.until_unit(&Actors::honest(), "task", "T05");
    let tools: Vec<(String, String)> = run
        .tools()
        .iter()
        .map(|row| (row.tool_task_id.to_string(), format!("{:?}", row.timing)))
        .collect();
    assert_eq!(
        tools,
        [("TT01".to_owned(), "Pre".to_owned()), ("TT02".to_owned(), "Pre".to_owned())]
    );
    assert_eq!(
        (run.status_of("TT01"), run.status_of("TT02")),
        ("COMPLETED".into(), "COMPLETED".into())
    );
    assert_eq!(run.status_of("T05"), "PENDING");
}

#[test]
fn s2223_c4_the_core_task_sees_its_references_its_tools_and_the_guidelines_and_nothing_else() {
    let mut run = Run::started();
    let call = run.until_unit(&Actors::honest(), "task", "T05");
    let inputs: Vec<&str> = call.inputs.iter().map(|path| path.as_str()).collect();
    let made = |name: &str| format!("runs/{RUN}/workspace/ANALYZING/{name}");
    let (first, second) = (made("TT01_시장_조사.md"), made("TT02_검증.csv"));
    assert_eq!(inputs, ["assets/sales.csv", &first, &second, "guidelines/style.md"]);
    assert_eq!(
        call.needs.iter().map(|path| path.as_str()).collect::<Vec<_>>(),
        ["assets/sales.csv"]
    );
    assert!(call.prompt.contains("I-0001"), "the instructions in force");
    assert_eq!(call.ids["task_id"], "T05");
}

#[test]
fn s2223_c5_post_tools_follow_when_the_executor_says_so() {
    let mut run = Run::started();
    let call = run.until(&Actors::honest(), "post_tools");
    assert!(call.prompt.contains("post_tool:T06"));
    assert_eq!(run.status_of("T06"), "PENDING", "the package is not complete yet");
    assert!(run.files.contains_key(&format!("runs/{RUN}/workspace/ANALYZING/S01_table.md")));
    let asset = |run: &Run| run.catalog().iter().any(|row| row.file_path.ends_with("S01_table.md"));
    assert!(!asset(&run), "nothing is in the catalog before it is COMPLETED");
    while run.status_of("T06") == "PENDING" {
        run.turn(&Actors::honest());
    }
    assert!(asset(&run));
    assert_eq!(run.status_of("TT03"), "COMPLETED");
}

#[test]
fn s2223_c5_an_executor_that_needs_no_tools_gets_none() {
    let mut run = Run::started();
    run.until_unit(&Actors::honest(), "task", "T06");
    let name = "S01_table.md";
    run.answer(&hast_flow::steps::EffectResult::Call(crate::actors::answered(&[
        ("result.json", serde_json::json!({"summary": "s", "post_tool_required": false})),
        (name, serde_json::json!("text")),
    ])));
    run.commit();
    assert_eq!(run.status_of("T06"), "COMPLETED");
}

#[test]
fn s2223_c6_completed_and_the_catalog_row_are_one_commit() {
    let mut run = Run::started();
    run.until_unit(&Actors::honest(), "task", "T05");
    run.turn(&Actors::honest());
    let commit = run.commit();
    let paths: Vec<&str> = commit.puts.iter().map(|put| put.path().as_str()).collect();
    let tasks = format!("runs/{RUN}/db/tasks.md");
    assert!(paths.contains(&layout::CATALOG) && paths.contains(&tasks.as_str()));
    let row = run.catalog().into_iter().find(|row| row.source_task_id.as_deref() == Some("T05"));
    let row = row.unwrap();
    assert_eq!(row.asset_type, "ANALYSIS_REPORT");
    assert_eq!(row.summary.as_deref(), Some("T05 요약"));
    assert_eq!(row.run_id.unwrap().as_str(), RUN);
}

#[test]
fn s2223_d_a_completed_stage_clears_its_pointers() {
    let mut run = Run::started();
    while run.statuses_or_none().get("S01").is_none_or(|status| status == "PENDING") {
        run.turn(&Actors::honest());
    }
    assert_eq!(run.pointers(), ["P1", "", ""]);
    assert_eq!(run.status_of("S01"), "COMPLETED");
}

#[test]
fn s2223_e_a_completed_phase_clears_its_pointer_and_the_loop_begins_again() {
    let mut run = Run::started();
    while run.statuses_or_none().get("P1").is_none_or(|status| status == "PENDING") {
        run.turn(&Actors::honest());
    }
    assert_eq!(run.pointers(), ["", "", ""]);
    run.commit();
    assert_eq!(run.pointers(), ["P2", "", ""]);
}

#[test]
fn s224_all_phases_completed_make_the_run_completed_with_empty_pointers() {
    let mut run = Run::started();
    let Ending::Done(notice) = run.drive(&Actors::honest()) else { panic!() };
    assert_eq!(run.row().status, RunStatus::Completed);
    assert_eq!(run.pointers(), ["", "", ""]);
    assert!(run.statuses().values().all(|status| status == "COMPLETED"), "{:?}", run.statuses());
    assert!(notice.what.contains(&format!("outputs/{RUN}/")));
    assert!(run.files.contains_key(&format!("outputs/{RUN}/report.md")));
    assert_eq!(kinds(&run).last().map(String::as_str), Some("RUN_COMPLETED"));
}

#[test]
fn s224_a_completed_run_is_never_taken_up_again() {
    let mut run = Run::started();
    run.drive(&Actors::honest());
    let files = run.files.clone();
    run.asked(Asked::Resume(Confirm::Yes));
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
    assert_eq!(run.files, files);
}

#[test]
fn s224_files_of_the_last_phase_are_published_where_no_task_published_any() {
    let mut run = Run::started();
    let template = "| phase_name | phase_purpose |\n|-|-|\n| LOOK | a |\n| WRITE | b |\n";
    run.set(layout::TEMPLATE, template.as_bytes());
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
    let stage = run.stages().last().unwrap().stage_id.to_string();
    let published = format!("outputs/{RUN}/{stage}_one.md");
    let made = format!("runs/{RUN}/workspace/WRITE/{stage}_one.md");
    assert_eq!(run.files[&published], run.files[&made]);
    assert!(run.catalog().iter().any(|row| row.file_path == published));
}

#[test]
fn s224_more_files_than_a_commit_takes_are_published_in_several() {
    let mut run = Run::started();
    let template = "| phase_name | phase_purpose |\n|-|-|\n| LOOK | a |\n| WRITE | b |\n";
    run.set(layout::TEMPLATE, template.as_bytes());
    for number in 0..330 {
        run.bring(&format!("runs/{RUN}/workspace/WRITE/part_{number}.md"), "part\n");
    }
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
    let published = run.files.keys().filter(|path| path.starts_with(&format!("outputs/{RUN}/")));
    let published: Vec<&String> = published.filter(|path| path.ends_with(".md")).collect();
    assert_eq!(published.len(), 331);
    let known = run.catalog();
    let known = known.iter().filter(|row| row.asset_type == "FINAL_OUTPUT");
    assert_eq!(known.count(), 331, "each once");
    let commits = run.commits.iter().filter(|one| one.reason.ends_with("are published"));
    assert_eq!(commits.count(), 4);
}

#[test]
fn a_fresh_reader_and_one_that_went_along_always_name_the_same_step() {
    let mut run = Run::started();
    let actors = Actors::honest();
    for _ in 0..2_000 {
        let kept = run.next();
        if matches!(kept, Step::Commit(_)) && run.view.results.is_empty() {
            let before = std::mem::take(&mut run.view);
            run.view = run.fresh();
            assert_eq!(run.next(), kept);
            run.view = before;
        }
        if run.turn(&actors).is_some() {
            return;
        }
    }
    panic!("never ended");
}

impl Run {
    pub(crate) fn statuses_or_none(&self) -> std::collections::BTreeMap<String, String> {
        match self.files.contains_key(layout::RUNS) {
            true => self.statuses(),
            false => std::collections::BTreeMap::new(),
        }
    }

    /// Goes on until this unit is asked for.
    pub(crate) fn until_unit(
        &mut self,
        actors: &Actors,
        step: &str,
        unit: &str,
    ) -> hast_flow::steps::Call {
        loop {
            let call = self.until(actors, step);
            if call.unit == unit {
                return call;
            }
            self.turn(actors);
        }
    }
}
