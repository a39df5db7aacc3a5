//! Files of a run that were edited or taken away at rest: `verify` finds each, and names it.

use serde_json::Value;

use crate::gaps::every_line_is_missed;
use crate::scene::Scene;

const YES: &[&str] = &["run", "start", "--mode", "initial", "--yes", "report the sales"];

fn finished() -> Scene {
    let scene = Scene::new();
    assert_eq!(scene.hast(YES).code, 0);
    let good = scene.hast(&["run", "verify", "--json"]);
    assert!(good.code == 0 && good.out.contains("\"errors\": 0"), "{good:?}");
    scene
}

/// Changes a file, or takes it away, looks for a finding that names `about`, and puts it back.
fn plant(scene: &Scene, path: &str, change: impl Fn(&str) -> Option<String>, about: &str) {
    let before = scene.read(path);
    match change(&before) {
        Some(text) => scene.write(path, text),
        None => scene.remove(path),
    }
    let ran = scene.hast(&["run", "verify", "--json"]);
    scene.write(path, before);
    assert_eq!(ran.code, 1, "{path}: {}", ran.out);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let named = |finding: &Value| finding.to_string().contains(about);
    assert!(findings.iter().any(named), "{path}: {findings:#?}");
    assert!(findings.iter().all(|finding| finding["next"].as_str().is_some()), "{findings:#?}");
}

fn gone(_: &str) -> Option<String> {
    None
}

#[test]
fn what_has_to_be_there_is_missed() {
    let scene = finished();
    let run = scene.run();
    for name in [
        "run.json",
        "db/phases.md",
        "db/major_stages.md",
        "db/tasks.md",
        "db/tool_tasks.md",
        "decisions.ndjson",
        "feedback_for_user.md",
        "instructions.json",
        "results/T05.json",
        "workspace/LOOK/TT01_check.md",
    ] {
        plant(&scene, &format!("runs/{run}/{name}"), gone, name);
    }
    plant(&scene, &format!("outputs/{run}/report.md"), gone, "report.md");
    plant(&scene, "db/events.ndjson", gone, "RUN_CREATED");
}

#[test]
fn what_was_made_once_and_is_another_thing_now_is_named() {
    let scene = finished();
    let run = scene.run();
    let files = [
        format!("outputs/{run}/report.md"),
        format!("runs/{run}/run.json"),
        format!("runs/{run}/results/T06.json"),
        format!("runs/{run}/workspace/LOOK/facts.md"),
    ];
    for path in files {
        plant(&scene, &path, |text| Some(format!("{text} ")), &path);
        plant(&scene, &path, |_| Some(String::new()), &path);
    }
}

#[test]
fn events_that_were_taken_out_or_put_in_are_noticed() {
    let scene = finished();
    let without = |number: usize| {
        move |log: &str| {
            let lines = log.lines().enumerate().filter(|(at, _)| *at != number);
            Some(lines.map(|(_, line)| format!("{line}\n")).collect())
        }
    };
    let last = scene.read("db/events.ndjson").lines().count() - 1;
    plant(&scene, "db/events.ndjson", without(0), "RUN_CREATED");
    plant(&scene, "db/events.ndjson", without(4), "not_growing");
    plant(&scene, "db/events.ndjson", without(last), "process_runs.md");
    let twice = |log: &str| Some(format!("{log}{}\n", log.lines().last().unwrap()));
    plant(&scene, "db/events.ndjson", twice, "not_growing");
}

#[test]
fn a_status_that_the_log_does_not_know_is_a_contradiction() {
    let scene = finished();
    let path = format!("runs/{}/db/tasks.md", scene.run());
    let back = |text: &str| Some(text.replacen("COMPLETED", "PENDING  ", 1));
    plant(&scene, &path, back, "T00");
}

#[test]
fn whichever_line_of_the_log_is_gone_is_missed() {
    every_line_is_missed(&finished(), "db/events.ndjson", &["run", "verify"]);
}

#[test]
fn a_result_that_no_event_tells_of_is_named() {
    let scene = finished();
    let planted = format!("runs/{}/results/T99.json", scene.run());
    scene.write(&planted, scene.read(&planted.replace("T99", "T06")));
    let ran = scene.hast(&["run", "verify"]);
    assert!(ran.code == 1 && ran.out.contains("T99.json"), "{ran:?}");
}
