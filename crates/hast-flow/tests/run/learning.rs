//! A continuous run learns from the runs before it. The tests show which runs it picks and how much
//! the planner is told of them.

use hast_flow::docs::run::RunRequest;
use hast_flow::flows::run::{Asked, Confirm, NewRun, layout};

use crate::actors::Actors;
use crate::scene::Run;

const RUNS: &str = "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n|-|-|-|-|-|-|\n";
const INSTRUCTIONS: &str = "| instruction_id | run_id | instruction_type | content | status | superseded_by_id | justification |\n|-|-|-|-|-|-|-|\n";

fn id(number: u32) -> String {
    format!("run-20231001-10{number:04}-001")
}

fn learns(
    request: &str,
    runs: &[(u32, &str, &str)],
    instructions: &[(u32, &str)],
) -> (Run, Vec<String>) {
    let new = NewRun { text: request.to_owned(), mode: None, confirm: Confirm::Wait };
    let mut run = Run::new(Asked::Start(new));
    let rows =
        runs.iter().map(|(n, text, status)| format!("| {} | {text} | {status} | | | |\n", id(*n)));
    run.set(layout::RUNS, (RUNS.to_owned() + &rows.collect::<String>()).as_bytes());
    let rows = (1..).zip(instructions).map(|(at, (n, text))| {
        format!("| I-{at:04} | {} | STYLE | {text} | ACTIVE | | |\n", id(*n))
    });
    run.set(layout::INSTRUCTIONS, (INSTRUCTIONS.to_owned() + &rows.collect::<String>()).as_bytes());
    run.turn(&Actors::honest());
    run.commit();
    let request: RunRequest = serde_json::from_str(&run.here("run.json")).unwrap();
    let ids = request.learning_context.iter().map(ToString::to_string).collect();
    (run, ids)
}

#[test]
fn the_runs_most_similar_to_the_request_are_the_learning_context() {
    let runs = [
        (1, "커피 시장 조사", "COMPLETED"),
        (2, "분기 매출의 보고서", "COMPLETED"),
        (3, "여행 계획", "COMPLETED"),
    ];
    let (_, ids) = learns("매출 보고서를 만들어 줘", &runs, &[]);
    assert_eq!(ids, [id(2)]);
}

#[test]
fn failed_runs_teach_too_and_at_most_five() {
    let runs: Vec<(u32, &str, &str)> = (1..=9).map(|n| (n, "매출 보고서", "FAILED")).collect();
    let (_, ids) = learns("매출", &runs, &[]);
    assert_eq!(ids, [id(9), id(8), id(7), id(6), id(5)]);
}

#[test]
fn a_run_is_found_by_its_instructions() {
    let runs = [(1, "첫 번째", "COMPLETED"), (2, "두 번째", "COMPLETED")];
    let (_, ids) = learns("표는 가로로", &runs, &[(1, "표를 가로로 둔다")]);
    assert_eq!(ids, [id(1)]);
}

#[test]
fn the_planner_is_told_what_they_were_and_which_instructions_they_left() {
    let runs = [(2, "분기 매출의 보고서", "FAILED")];
    let (mut run, _) = learns("매출 보고서", &runs, &[(2, "표를 가로로 둔다")]);
    let call = run.until(&Actors::honest(), "propose");
    for part in [id(2).as_str(), "FAILED", "분기 매출의 보고서", "I-0001", "표를 가로로 둔다"]
    {
        assert!(call.prompt.contains(part), "{part}");
    }
    assert!(!call.prompt.contains("There are no earlier runs"));
}
