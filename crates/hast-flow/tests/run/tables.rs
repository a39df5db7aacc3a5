//! Tables that people edited keep working, and keep their bytes.

use hast_flow::docs::run::CatalogRow;
use hast_flow::flows::run::layout;
use hast_flow::flows::run::register::{Register, Touched};
use hast_flow::steps::{Ending, Step};
use hast_flow::store::{DocPath, Put, PutKind};

use crate::actors::Actors;
use crate::scene::{RUN, Run};

/// A run that stands before its first core task.
fn at_work() -> Run {
    let mut run = Run::started();
    run.until_unit(&Actors::honest(), "task", "T05");
    run
}

#[test]
fn a_status_changes_in_place_and_a_row_is_added_at_the_end() {
    let mut run = at_work();
    run.turn(&Actors::honest());
    let commit = run.commit();
    for put in &commit.puts {
        let path = put.path().as_str();
        if path == layout::CATALOG || path.ends_with("tasks.md") {
            assert_eq!(put.kind(), PutKind::Patch, "{path}");
        }
    }
}

#[test]
fn prose_around_a_table_other_columns_and_their_order_survive_byte_for_byte() {
    let mut run = at_work();
    let path = format!("runs/{RUN}/db/tasks.md");
    let edited = "메모: 내가 정리함\n\n|status|task_id|내 메모|run_id|stage_id|task_name|task_purpose|related_references|output_path|pre_tool_purpose|post_tool_purpose|execution_order|\n|:-|-|-|-|-|-|-|-|-|-|-|-:|\n";
    let mut text = edited.to_owned();
    for task in run.tasks() {
        let cell = |text: Option<String>| text.unwrap_or_default().replace('\n', "<br>");
        text += &format!(
            "|  {:?}  | {} | a\\|b<br>c | {RUN} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            task.status,
            task.task_id,
            task.stage_id,
            task.task_name,
            task.task_purpose,
            cell(task.related_references),
            cell(task.output_path),
            cell(task.pre_tool_purpose),
            cell(task.post_tool_purpose),
            task.execution_order
        )
        .replace("Pending", "PENDING")
        .replace("Completed", "COMPLETED");
    }
    text += "\n아래 글도 남는다.\n";
    run.set(&path, text.as_bytes());
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
    let after = run.text(&path);
    assert!(after.starts_with(edited) && after.ends_with("\n아래 글도 남는다.\n"), "{after}");
    assert_eq!(after.matches("a\\|b<br>c").count(), 6, "{after}");
    assert!(run.statuses().values().all(|status| status == "COMPLETED"));
}

#[test]
fn rows_are_added_before_prose_that_stands_below_the_catalog() {
    let mut run = at_work();
    let text = format!("카탈로그\n\n{}\n---\n직접 쓴 글\n", run.text(layout::CATALOG));
    run.set(layout::CATALOG, text.as_bytes());
    run.turn(&Actors::honest());
    let commit = run.commit();
    let catalog = commit.puts.iter().find(|put| put.path().as_str() == layout::CATALOG).unwrap();
    assert!(matches!(catalog, Put::Patch { .. }));
    assert!(run.text(layout::CATALOG).ends_with("\n---\n직접 쓴 글\n"));
    assert!(run.catalog().iter().any(|row| row.source_task_id.as_deref() == Some("T05")));
}

#[test]
fn crlf_and_a_missing_last_line_end_are_kept() {
    let mut run = at_work();
    let text = run.text(layout::CATALOG).replace('\n', "\r\n");
    run.set(layout::CATALOG, text.trim_end().as_bytes());
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
    let after = run.text(layout::CATALOG);
    assert!(after.starts_with(text.trim_end()));
    assert!(after.contains("outputs/"));
}

#[test]
fn a_table_that_a_person_broke_stops_the_run_and_names_the_line() {
    let mut run = at_work();
    let text = run.text(layout::RUNS) + "| only | two |\n";
    run.set(layout::RUNS, text.as_bytes());
    let Step::Finish(Ending::Blocked(notice)) = run.next() else { panic!() };
    assert!(notice.what.contains("db/process_runs.md:4"), "{}", notice.what);
    assert!(notice.next.contains("hast verify"));
}

#[test]
fn a_request_of_several_lines_with_pipes_comes_back_as_it_was() {
    let mut run = Run::started();
    let hast_flow::flows::run::Asked::Start(new) = &mut run.flow.asked else { panic!() };
    new.text = "첫 줄 | 둘째\n<br> \\ 끝 ".to_owned();
    let text = new.text.clone();
    run.turn(&Actors::honest());
    run.commit();
    assert_eq!(run.row().user_request, text);
}

#[test]
fn the_columns_that_change_lie_in_one_page_however_many_runs_there_are() {
    let mut run = Run::started();
    let mut table = "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n|-|-|-|-|-|-|\n".to_owned();
    for filler in 0..120 {
        let row = format!("| run-20231027-10{filler:04}-001 | 요청 | COMPLETED | | | |\n");
        table += &row;
        let mut one = Run::started();
        one.set(layout::RUNS, table.as_bytes());
        one.turn(&Actors::honest());
        one.commit();
        let plan = one.commit();
        let put = plan.puts.iter().find(|put| put.path().as_str() == layout::RUNS).unwrap();
        assert_eq!(put.kind(), PutKind::Patch, "after {} bytes", table.len());
    }
    run.set(layout::RUNS, table.as_bytes());
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
}

const TABLE: &str = "글\n\n| file_path | run_id | asset_type | source_task_id | summary |\n|-|-|-|-|-|\n| assets/가.csv |  | ORIGINAL_INPUT |  | 매출\\|표 |\n| b.md | | NOTE | | 둘 |\n| c.md | | NOTE | | 셋 |\n\n아래 글\n";

fn register(text: &str) -> Option<Register<CatalogRow>> {
    Register::read(&DocPath::new(layout::CATALOG).unwrap(), text.as_bytes(), None).ok()
}

/// Whatever somebody else made of a table: what was taken in is what a fresh read says.
#[test]
fn another_content_is_taken_in_as_a_fresh_read_has_it() {
    let mut taken = 0;
    let places: Vec<usize> = (0..=TABLE.len()).filter(|at| TABLE.is_char_boundary(*at)).collect();
    for (number, from) in places.iter().enumerate() {
        for to in places[number..].iter().step_by(3).take(40) {
            for text in ["", "x", "나", "|", "\n", "| d.md | | NOTE | | 넷 |\n", "\n글\n"] {
                let edited = format!("{}{text}{}", &TABLE[..*from], &TABLE[*to..]);
                let mut kept = register(TABLE).unwrap();
                if kept.take_whole(edited.as_bytes(), None).is_some() {
                    taken += 1;
                    assert_eq!(Some(kept), register(&edited), "{edited}");
                }
            }
        }
    }
    assert!(taken > 1_000, "{taken}");
}

#[test]
fn of_another_content_only_the_rows_that_differ_are_read() {
    let touched = |edited: String| register(TABLE).unwrap().take_whole(edited.as_bytes(), None);
    assert_eq!(touched(TABLE.to_owned()), Some(Touched::From(3)));
    assert_eq!(touched(TABLE.replace("| 둘", "| 두")), Some(Touched::Row(1)));
    let added = TABLE.replace("셋 |\n", "셋 |\n| d.md | | NOTE | | 넷 |\n");
    assert_eq!(touched(added), Some(Touched::From(2)));
    assert_eq!(touched(TABLE.replace("아래", "다른")), None, "a second table may stand there");
    assert_eq!(touched(TABLE.replace("| summary", "| 요약 ")), None);
    let twice = TABLE.replace("c.md", "b.md");
    let less = twice.replace("| b.md | | NOTE | | 셋 |\n", "");
    assert_eq!(register(&twice).unwrap().take_whole(less.as_bytes(), None), None);
    assert_eq!(register(TABLE).unwrap().take_whole(&[0xff; 400], None), None);
}

#[test]
fn an_output_path_that_somebody_moved_out_of_its_phase_stops_the_run_before_the_task() {
    for path in [
        "outputs/{RUN}/a.md",
        "runs/run-20231028-103000-002/workspace/ANALYZING/a.md",
        "assets/a.md",
    ] {
        let mut run = Run::started();
        run.until_unit(&Actors::honest(), "task", "T05");
        let tasks = format!("runs/{RUN}/db/tasks.md");
        let planned = format!("runs/{RUN}/workspace/ANALYZING/S01_facts.md");
        let path = path.replace("{RUN}", RUN);
        let text = run.text(&tasks).replacen(&planned, &path, 1);
        run.set(&tasks, text.as_bytes());
        let Step::Finish(Ending::Blocked(notice)) = run.next() else { panic!("{:?}", run.next()) };
        assert!(notice.what.contains("T05") && notice.what.contains(&path), "{notice:?}");
        assert!(notice.next.contains(&format!("runs/{RUN}/workspace/ANALYZING/")), "{notice:?}");
    }
}
