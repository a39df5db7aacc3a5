//! Part 2, step 0 and 2.2.1 of the seed: the mode, and Phase 0 in its seven steps.

use hast_flow::docs::run::{InstructionStatus, RunMode, RunRequest, RunStatus};
use hast_flow::flows::run::{Asked, Confirm, NewRun, layout};
use hast_flow::steps::{Effect, Ending, Step, WaitsFor};

use crate::actors::Actors;
use crate::scene::{RUN, Run};

fn request(run: &Run) -> RunRequest {
    serde_json::from_str(&run.here("run.json")).unwrap()
}

fn with_mode(mode: RunMode) -> Run {
    let (text, confirm) = ("보고서".to_owned(), Confirm::Wait);
    Run::new(Asked::Start(NewRun { text, mode: Some(mode), confirm }))
}

#[test]
fn step_0_the_planner_says_whether_a_request_needs_a_run() {
    let mut run = Run::waiting();
    let call = run.call();
    assert_eq!((call.role.as_str(), call.step), ("Planner", "classify"));
    run.turn(&Actors::honest());
    run.commit();
    assert_eq!(request(&run).mode, RunMode::InitialRun);
}

#[test]
fn a_simple_task_is_done_by_the_executor_and_leaves_no_file_of_a_run() {
    let mut run = Run::waiting();
    let before = run.files.clone();
    let simple = Actors { mode: Some("SIMPLE_TASK"), ..Actors::honest() };
    run.turn(&simple);
    let call = run.call();
    assert_eq!((call.role.as_str(), call.step), ("Executor", "simple"));
    let Ending::Done(notice) = run.drive(&simple) else { panic!() };
    assert_eq!(notice.what, "네 개입니다");
    assert_eq!(run.files, before);
}

#[test]
fn a_mode_that_somebody_chose_is_not_asked_for() {
    let mut run = with_mode(RunMode::ContinuousRun);
    run.commit();
    assert_eq!(request(&run).mode, RunMode::ContinuousRun);
    assert!(matches!(with_mode(RunMode::SimpleTask).next(), Step::Effect { .. }));
}

#[test]
fn a_later_run_is_a_continuous_one() {
    let mut run = Run::waiting();
    let table = "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n|-|-|-|-|-|-|\n| run-20231027-103000-001 | 보고서 | COMPLETED | | | |\n";
    run.set(layout::RUNS, table.as_bytes());
    run.turn(&Actors::honest());
    run.commit();
    assert_eq!(request(&run).mode, RunMode::ContinuousRun);
}

#[test]
fn step_1_the_run_is_recorded_as_pending_with_its_request() {
    let mut run = with_mode(RunMode::InitialRun);
    let commit = run.commit();
    assert_eq!(commit.role, "Orchestrator");
    let row = run.row();
    assert_eq!((row.run_id.as_str(), row.user_request.as_str()), (RUN, "보고서"));
    assert_eq!(row.status, RunStatus::Pending);
    assert_eq!(run.pointers(), ["", "", ""]);
    assert!(run.text(layout::RUNS).starts_with("| run_id "));
}

#[test]
fn step_1_an_initial_run_has_nothing_to_learn_from() {
    let mut run = with_mode(RunMode::InitialRun);
    let table = "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n|-|-|-|-|-|-|\n| run-20231027-103000-001 | 보고서 | COMPLETED | | | |\n";
    run.set(layout::RUNS, table.as_bytes());
    run.commit();
    assert!(request(&run).learning_context.is_empty());
}

#[test]
fn step_1_the_tables_that_all_runs_share_are_made_where_they_are_missing() {
    let mut run = with_mode(RunMode::InitialRun);
    run.commit();
    for table in [layout::INSTRUCTIONS, layout::CATALOG, layout::TEMPLATE] {
        assert!(run.files.contains_key(table), "{table}");
    }
    assert!(run.text(layout::INSTRUCTIONS).contains("status (ACTIVE, SUPERSEDED)"));
}

#[test]
fn step_2_the_planner_records_the_four_tasks_of_phase_zero() {
    let mut run = with_mode(RunMode::InitialRun);
    run.commit();
    let commit = run.commit();
    assert_eq!(commit.role, "Planner");
    let ids: Vec<String> = run.tasks().iter().map(|task| task.task_id.to_string()).collect();
    assert_eq!(ids, ["T00", "T02", "T03", "T04"]);
    assert!(run.tasks().iter().all(|task| task.stage_id.as_str() == "S00"));
    let phases: Vec<String> = run.phases().iter().map(|row| row.phase_name.clone()).collect();
    assert_eq!(
        phases,
        ["PHASE_0", "ANALYZING", "STRATEGIZING", "REFINING_CONTENT", "GENERATING_OUTPUT"]
    );
    assert_eq!(run.pointers(), ["P0", "S00", ""]);
}

#[test]
fn step_2_the_template_that_people_edited_is_used_as_it_is() {
    let mut run = with_mode(RunMode::InitialRun);
    let template =
        "내 단계들:\n\n| phase_purpose | phase_name |\n|-|-|\n| 본다 | LOOK |\n| 쓴다 | WRITE |\n";
    run.set(layout::TEMPLATE, template.as_bytes());
    run.commit();
    run.commit();
    let phases: Vec<String> = run.phases().iter().map(|row| row.phase_name.clone()).collect();
    assert_eq!(phases, ["PHASE_0", "LOOK", "WRITE"]);
    assert_eq!(run.text(layout::TEMPLATE), template);
}

#[test]
fn step_2_a_template_whose_phase_cannot_be_a_directory_stops_the_run() {
    let mut run = with_mode(RunMode::InitialRun);
    run.set(layout::TEMPLATE, "| phase_name | phase_purpose |\n|-|-|\n| ../x | a |\n".as_bytes());
    run.commit();
    assert!(matches!(run.next(), Step::Finish(Ending::Blocked(_))));
}

#[test]
fn step_3_t00_makes_the_directories_of_the_run() {
    let mut run = with_mode(RunMode::InitialRun);
    for _ in 0..3 {
        run.commit();
    }
    assert_eq!(run.pointers(), ["P0", "S00", "T00"]);
    let commit = run.commit();
    assert_eq!(commit.role, "Executor");
    for phase in ["ANALYZING", "STRATEGIZING", "REFINING_CONTENT", "GENERATING_OUTPUT"] {
        assert!(run.files.contains_key(&format!("runs/{RUN}/workspace/{phase}/.gitkeep")));
    }
    assert!(run.files.contains_key(&format!("outputs/{RUN}/.gitkeep")));
    assert_eq!(run.status_of("T00"), "COMPLETED");
}

#[test]
fn step_4_the_planner_proposes_an_amendment_before_anything_else() {
    let mut run = Run::waiting();
    let call = run.until(&Actors::honest(), "propose");
    assert_eq!(call.role, "Planner");
    assert!(call.prompt.contains("1분기 매출 보고서를 만들어 줘"));
    assert!(call.prompt.contains("There are no earlier runs"));
    let names: Vec<&str> = call.expected.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["feedback_for_user.md", "instructions.json"]);
}

#[test]
fn step_5_the_run_waits_for_the_person() {
    let mut run = Run::waiting();
    let Ending::Waiting { notice, on } = run.drive(&Actors::honest()) else { panic!() };
    assert_eq!(on, WaitsFor::Person);
    assert!(notice.next.contains("hast run confirm"));
    assert_eq!(run.row().status, RunStatus::AwaitingConfirmation);
    let feedback = run.here("feedback_for_user.md");
    assert!(feedback.contains("이렇게 하겠습니다") && feedback.contains("매출 보고서를 쓴다"));
    assert_eq!(run.status_of("T02"), "PENDING");
}

#[test]
fn step_6_confirm_makes_the_run_pending_and_the_rest_of_phase_zero_follows_in_order() {
    let mut run = Run::waiting();
    run.drive(&Actors::honest());
    run.asked(Asked::Resume(Confirm::Yes));
    let commit = run.commit();
    assert_eq!((commit.role, run.row().status), ("Communicator", RunStatus::Pending));
    let mut order = Vec::new();
    while run.status_of("T04") == "PENDING" {
        run.turn(&Actors::honest());
        order.push(run.pointers()[2].clone());
    }
    order.dedup();
    assert_eq!(order, ["T02", "T03", "T04"]);
}

#[test]
fn step_6_t02_enters_the_confirmed_instructions_as_active() {
    let mut run = Run::started();
    while run.instructions().is_empty() {
        run.turn(&Actors::honest());
    }
    let [one] = run.instructions().try_into().unwrap();
    assert_eq!(one.instruction_id.as_str(), "I-0001");
    assert_eq!((one.status, one.run_id.as_str()), (InstructionStatus::Active, RUN));
    assert_eq!(run.status_of("T02"), "COMPLETED");
    assert!(run.catalog().iter().any(|row| row.asset_type == "USER_INSTRUCTIONS"));
}

#[test]
fn step_6_t03_enters_what_people_brought_into_the_catalog_once() {
    let mut run = Run::started();
    while !matches!(run.next(), Step::Effect { effect: Effect::Scan(_), .. }) {
        run.turn(&Actors::honest());
    }
    assert_eq!(run.pointers(), ["P0", "S00", "T03"]);
    run.turn(&Actors::honest());
    run.commit();
    let brought = |run: &Run| -> Vec<(String, String, Option<String>)> {
        let rows = run.catalog().into_iter().filter(|row| row.run_id.is_none());
        rows.map(|row| (row.file_path, row.asset_type, row.summary)).collect()
    };
    let text = |text: &str| text.to_owned();
    assert_eq!(
        brought(&run),
        [
            (text("assets/sales.csv"), text("ORIGINAL_INPUT"), Some(text("분기,매출"))),
            (text("guidelines/style.md"), text("GUIDELINE_DOC"), Some(text("짧게 쓴다"))),
        ]
    );
}

#[test]
fn step_6_t04_is_the_executors_first_analysis_of_what_was_brought() {
    let mut run = Run::started();
    let call = run.until(&Actors::honest(), "task");
    assert_eq!((call.role.as_str(), call.unit.as_str()), ("Executor", "T04"));
    let inputs: Vec<&str> = call.inputs.iter().map(|path| path.as_str()).collect();
    assert_eq!(inputs, ["assets/sales.csv", "guidelines/style.md"]);
    run.turn(&Actors::honest());
    run.commit();
    let made = format!("runs/{RUN}/workspace/ANALYZING/T04_initial_analysis.md");
    assert!(run.files.contains_key(&made));
    assert!(run.catalog().iter().any(|row| row.file_path == made));
}

#[test]
fn step_7_phase_zero_is_completed_and_the_main_loop_begins() {
    let mut run = Run::started();
    while run.status_of_or("P0", "PENDING") == "PENDING" {
        run.turn(&Actors::honest());
    }
    let statuses = run.statuses();
    for id in ["T00", "T02", "T03", "T04", "S00", "P0"] {
        assert_eq!(statuses[id], "COMPLETED", "{id}");
    }
    assert_eq!(run.pointers(), ["", "", ""]);
    run.commit();
    assert_eq!(run.pointers(), ["P1", "", ""]);
}

impl Run {
    fn status_of_or(&self, id: &str, default: &str) -> String {
        if !self.files.contains_key(layout::RUNS) {
            return default.to_owned();
        }
        self.statuses().get(id).cloned().unwrap_or_else(|| default.to_owned())
    }
}
