//! An executor without a sandbox that writes what is not its own: the run does not end as if it had not.

use crate::scene::Scene;

const YES: &[&str] = &["run", "start", "--mode", "initial", "--yes", "report the sales"];

/// The second task does this besides its work.
fn scene(command: &str) -> Scene {
    Scene::with(&format!(
        "  - when: {{step: task, unit: T06}}\n    do:\n      - run: \"{command}\"\n      - outbox: {{more.md: x, result.json: {{summary: more}}}}\n"
    ))
}

#[test]
fn an_asset_that_a_task_changes_fails_the_run_with_the_path() {
    let scene = scene("echo forged > assets/sales.csv");
    let ran = scene.hast(YES);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("it changed what it may not: assets/sales.csv"), "{}", ran.err);
    assert_eq!(scene.status(), "FAILED");
}

#[test]
fn tables_that_a_task_edits_complete_nothing_and_deliver_nothing() {
    let tables = "runs/{{run_id}}/db/phases.md runs/{{run_id}}/db/major_stages.md";
    let scene = scene(&format!("sed -i s/PENDING/COMPLETED/ {tables}"));
    let ran = scene.hast(YES);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("COMPLETED where no event does"), "{}", ran.err);
    assert_eq!(scene.status(), "PENDING");
    assert_eq!(scene.hast(&["run", "verify"]).code, 1);
}

#[test]
fn events_and_results_that_a_task_writes_are_not_taken_for_ours() {
    for forgery in [
        "tail -n 1 db/events.ndjson >> db/events.ndjson",
        "echo x > runs/{{run_id}}/results/T09.json",
        "echo x > outputs/{{run_id}}/report.md",
        "rm runs/{{run_id}}/run.json",
    ] {
        let scene = scene(forgery);
        let ran = scene.hast(YES);
        assert_eq!(ran.code, 1, "{forgery}: {ran:?}");
        assert!(ran.err.contains("it changed what it may not"), "{forgery}: {}", ran.err);
    }
}

#[test]
fn what_another_run_commits_meanwhile_is_no_stray() {
    let held = "  - when: {step: task, unit: T06, missing: ../home/go}\n    do:\n      - write: {path: ../home/began, text: x}\n      - wait_for: {path: ../home/go, seconds: 60}\n      - outbox: {more.md: x, result.json: {summary: more}}\n";
    let scene = Scene::with(held);
    let mut first = scene.start(YES);
    scene.wait_until("the second task is executed", |stage| stage.has("../home/began"));
    scene.write("../home/go", "");
    let waits = scene.hast(&["run", "start", "--mode", "initial", "another report"]);
    assert_eq!(waits.code, 3, "{waits:?}");
    assert!(first.wait().unwrap().success(), "{}", scene.read("db/process_runs.md"));
}
