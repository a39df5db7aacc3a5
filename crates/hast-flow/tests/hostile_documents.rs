//! Documents made to take long or to hide something. A slow one shows as a test that does not end.

#![cfg(test)]

use hast_flow::docs::registry;
use hast_flow::formats::diagnostic::{Diagnostic, Finding, MAX_FINDINGS};
use hast_flow::formats::source::Source;

fn check(name: &str, text: &str) -> Vec<Diagnostic> {
    (registry::find(name).unwrap().check)(&Source::new("f", text))
}

fn repeated(start: &str, count: usize, each: impl Fn(usize) -> String) -> String {
    start.to_owned() + &(0..count).map(each).collect::<String>()
}

#[test]
fn many_warnings_do_not_hide_an_error() {
    let warnings = repeated("", 2 * MAX_FINDINGS, |at| format!("unknown_{at}: 1\n"));
    let text = warnings + "goals:\n  - {id: a, title: t, status: nonsense}\n";
    let findings = check("goals", &text);
    let errors: Vec<_> = findings.iter().filter(|finding| finding.is_error()).collect();
    assert!(matches!(errors[..], [Diagnostic { finding: Finding::NotOneOf { .. }, .. }]));
    assert_eq!(findings.len(), MAX_FINDINGS + 1);
}

#[test]
fn a_long_unknown_name_is_not_compared_with_every_field() {
    let text = repeated("goals: []\n", 20, |at| format!("? {at}{}\n: 1\n", "x".repeat(1_000_000)));
    assert_eq!(check("goals", &text).len(), 20);
}

#[test]
fn the_findings_of_a_rule_are_bounded() {
    let same = |_| "  - {id: a, title: t, status: pending, depends_on: [zz]}\n".to_owned();
    assert_eq!(check("goals", &repeated("goals:\n", 40_000, same)).len(), MAX_FINDINGS);
}

#[test]
fn a_large_breakdown_is_checked_in_good_time() {
    let start = include_str!("seeds/task-breakdown.yaml");
    let (head, _) = start.split_once("tasks:").unwrap();
    let task = |at| {
        format!(
            "  - id: T{at}\n    name: n\n    objective: o\n    subtasks:\n      - {{id: T{at}-S1, name: n, description: d}}\n"
        )
    };
    let count = 30_000;
    let tasks = (1..=count).map(task).collect::<String>();
    let order = (1..=count).map(|at| format!("  - T{at}\n")).collect::<String>();
    let text = format!("{head}tasks:\n{tasks}assumptions: []\ntask_order:\n{order}");
    assert_eq!(check("task-breakdown", &text), []);
}
