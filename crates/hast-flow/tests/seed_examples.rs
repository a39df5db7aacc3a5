//! Every example document of the seeds parses, and prints back as the seeds print it.

#![cfg(test)]

use hast_flow::docs::contract::{self, LAYOUT};
use hast_flow::docs::document::{Document, read};
use hast_flow::docs::{goals, kernel, run, session};
use hast_flow::formats::diagnostic::{Finding, Format};
use hast_flow::formats::source::Source;
use hast_flow::formats::table::{MdTable, Row, print_table, read_rows};
use hast_flow::formats::yaml_print::Layout;
use hast_flow::formats::{json, yaml_print};

macro_rules! seed {
    ($file:literal) => {
        include_str!(concat!("seeds/", $file))
    };
}

/// What printing a document again must give.
enum Prints {
    /// The very bytes of the example.
    Same(&'static Layout),
    /// The same values in the same order; spread over lines as the page says.
    SameOrder,
    /// One line, the very bytes.
    Line,
    /// People write it; hast edits it in place and never prints it.
    Never,
}

fn check<D: Document>(text: &str, prints: &Prints) {
    check_named::<D>(D::NAME, text, prints);
}

fn check_named<D: Document>(name: &str, text: &str, prints: &Prints) {
    let source = Source::new(name, text);
    let document =
        read::<D>(&source).unwrap_or_else(|findings| panic!("{}: {findings:#?}", D::NAME));
    assert_eq!(document.warnings, [], "{}", D::NAME);
    match prints {
        Prints::Same(layout) => {
            assert_eq!(yaml_print::print(&document.value, layout).unwrap(), text, "{}", D::NAME);
        }
        Prints::SameOrder => {
            let printed = json::print(&document.value).unwrap();
            let wanted: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(
                printed,
                serde_json::to_string_pretty(&wanted).unwrap() + "\n",
                "{}",
                D::NAME
            );
        }
        Prints::Line => {
            assert_eq!(serde_json::to_string(&document.value).unwrap() + "\n", text, "{}", D::NAME);
        }
        Prints::Never => {}
    }
    if D::FORMAT == Format::Json {
        assert!(text.starts_with('{'));
    }
}

#[test]
fn session_flow() {
    check::<session::SessionStatus>(seed!("session-status.json"), &Prints::SameOrder);
    check::<session::SessionEvent>(seed!("session-event.ndjson"), &Prints::Line);
    check::<session::Decomposition>(seed!("decomposition.json"), &Prints::SameOrder);
    check::<session::PlanMetadata>(seed!("plan-metadata.json"), &Prints::SameOrder);
    check::<session::RunLogLine>(seed!("run-log.ndjson"), &Prints::Line);
    check::<session::Question>(seed!("question.json"), &Prints::SameOrder);
    check::<session::CritiqueReport>(seed!("critique-report.json"), &Prints::SameOrder);
    check::<session::KnowledgeIndex>(seed!("knowledge-index.json"), &Prints::SameOrder);
    check::<session::RoutingState>(seed!("routing-state.json"), &Prints::SameOrder);
    check::<session::Pointers>(seed!("pointers.json"), &Prints::SameOrder);
}

#[test]
fn contract_flow() {
    check::<contract::ContractSession>(seed!("contract-session.json"), &Prints::SameOrder);
    check::<contract::ContractState>(seed!("contract-state.json"), &Prints::SameOrder);
    check::<contract::Explored>(seed!("explored.yaml"), &Prints::Same(&LAYOUT));
    check::<contract::TaskBreakdown>(seed!("task-breakdown.yaml"), &Prints::Same(&LAYOUT));
    check::<contract::DesignBrief>(seed!("design-brief.yaml"), &Prints::Same(&LAYOUT));
    check::<contract::DesignContract>(seed!("design-contract.yaml"), &Prints::Same(&LAYOUT));
    check::<contract::TestContract>(seed!("test-contract.yaml"), &Prints::Same(&LAYOUT));
    check::<contract::TestResult>(seed!("test-result.yaml"), &Prints::Same(&LAYOUT));
    check::<contract::ProjectKnowledge>(seed!("knowledge.yaml"), &Prints::Same(&LAYOUT));
}

#[test]
fn kernel_flow() {
    check::<kernel::KernelToEngineRequest>(
        seed!("kernel-to-engine-request.json"),
        &Prints::SameOrder,
    );
    check::<kernel::EngineToKernelResponse>(
        seed!("engine-to-kernel-response.json"),
        &Prints::SameOrder,
    );
    check::<kernel::EngineToExpertRequest>(
        seed!("engine-to-expert-request.json"),
        &Prints::SameOrder,
    );
    check::<kernel::ExpertOutput>(seed!("expert-output.json"), &Prints::SameOrder);
}

#[test]
fn goals_flow() {
    for (text, lines) in [(seed!("config-minimal.yaml"), 1), (seed!("config-extended.yaml"), 3)] {
        let warnings = read::<goals::Config>(&Source::new("config", text)).unwrap().warnings;
        let codes: Vec<&str> = warnings.iter().map(|warning| warning.finding.code()).collect();
        assert_eq!(codes, vec!["no_rights"; lines], "a bare line reads, and is warned about");
    }
    check::<goals::Goals>(seed!("goals.yaml"), &Prints::Never);
    check_named::<goals::Handoff>("2026-02-09_143000.md", seed!("handoff.md"), &Prints::Never);
    check::<goals::ContextOutput>(seed!("context.json"), &Prints::SameOrder);
    check::<goals::AutoLock>(seed!("auto-lock.yaml"), &Prints::Same(&Layout::COMPACT));
}

/// The tables of the seed have headers and no rows; printing one gives the same headers.
fn check_table<R: Row>(text: &str, rows: usize) {
    let source = Source::new("table.md", text);
    let table = MdTable::find(&source, R::COLUMNS).unwrap();
    assert_eq!(table.len(), rows);
    let headers = |text: &str| -> Vec<String> {
        let line = text.lines().next().unwrap();
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    assert!(read_rows::<R>(&source).is_ok());
    let printed = print_table::<R>(&[]);
    assert_eq!(headers(text)[..R::COLUMNS.len()], headers(&printed));
}

#[test]
fn run_flow() {
    check_table::<run::ProcessRun>(seed!("process-runs.md"), 0);
    check_table::<run::UserInstruction>(seed!("user-instructions.md"), 0);
    check_table::<run::CatalogRow>(seed!("knowledge-base-catalog.md"), 0);
    check_table::<run::PhaseRow>(seed!("phases.md"), 0);
    check_table::<run::StageRow>(seed!("major-stages.md"), 0);
    check_table::<run::TaskRow>(seed!("tasks.md"), 0);
    check_table::<run::ToolTaskRow>(seed!("tool-tasks.md"), 0);
    check_table::<run::DefaultPhase>(seed!("default-phases.md"), 4);
}

#[test]
fn a_row_reads_back_as_it_was_written_and_its_status_changes_in_place() {
    let row = run::ProcessRun {
        run_id: "run-20231028-103000-001".parse().unwrap(),
        user_request: "보고서 | 두 줄\n끝".to_owned(),
        status: run::RunStatus::Pending,
        current_phase_id: Some("P1".parse().unwrap()),
        current_stage_id: None,
        current_task_id: None,
    };
    let text = print_table(std::slice::from_ref(&row));
    let source = Source::new("process_runs.md", &text);
    assert_eq!(read_rows::<run::ProcessRun>(&source).unwrap(), [row]);
    let table = MdTable::find(&source, run::ProcessRun::COLUMNS).unwrap();
    let edit = table.set_cell(0, 2, "AWAITING_CONFIRMATION").unwrap();
    assert!(edit.keeps_length());
}

#[test]
fn a_bad_cell_is_told_with_its_line_and_column() {
    let text = "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n\
                |---|---|---|---|---|---|\n\
                | run-1 | 보고서 | RUNNING | P1 | | |\n\
                | run-20231028-103000-001 | | PENDING | | | |\n";
    let findings = read_rows::<run::ProcessRun>(&Source::new("f", text)).unwrap_err();
    let found: Vec<_> = findings.iter().map(|f| (f.finding.code(), f.line().unwrap())).collect();
    assert_eq!(found, [("bad_form", 3), ("not_one_of", 3), ("empty", 4)]);
}

#[test]
fn a_goal_without_a_status_is_told_what_to_write_on_which_line() {
    let text = seed!("goals-appendix-c.yaml");
    let findings = read::<goals::Goals>(&Source::new("goals.yaml", text)).unwrap_err();
    let lines: Vec<_> = findings.iter().map(|finding| finding.line().unwrap()).collect();
    assert_eq!(lines, [2, 5, 8, 11, 14, 18]);
    let wanted = Finding::MissingField { name: "status".into(), example: Some("active".into()) };
    assert!(findings.iter().all(|finding| finding.finding == wanted));
}
