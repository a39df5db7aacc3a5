//! Every example document of the seeds parses, and prints back as the seeds print it.

use hast_flow::docs::contract::{self, LAYOUT};
use hast_flow::docs::document::{Document, read};
use hast_flow::docs::{goals, kernel, session};
use hast_flow::formats::diagnostic::{Finding, Format};
use hast_flow::formats::source::Source;
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
    let source = Source::new(D::NAME, text);
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
    check::<goals::Config>(seed!("config-minimal.yaml"), &Prints::Never);
    check::<goals::Config>(seed!("config-extended.yaml"), &Prints::Never);
    check::<goals::Goals>(seed!("goals.yaml"), &Prints::Never);
    check::<goals::AutoLock>(seed!("auto-lock.yaml"), &Prints::Same(&Layout::COMPACT));
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
