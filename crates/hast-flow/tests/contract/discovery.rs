//! Exploring and planning at the same time, strict answers, and assumptions held against the code.

use hast_flow::flows::contract::Asked;
use hast_flow::steps::{Effect, EffectResult, Ending, Step};
use serde_json::{Value, json};

use crate::actors::{breakdown, but, explored, honest};
use crate::scene::{Scene, answer};

#[test]
fn exploring_and_planning_are_asked_at_the_same_time() {
    let mut scene = Scene::new(Box::new(honest));
    assert_eq!(scene.turn(), None, "the tree is looked at");
    assert_eq!(scene.turn(), None, "the request begins");
    let first = effect(&scene);
    scene.running.insert(first.0.clone());
    let second = effect(&scene);
    assert_ne!(first.0, second.0);
    assert_eq!((first.1.as_str(), second.1.as_str()), ("explore", "breakdown"));
    scene.running.insert(second.0.clone());
    assert!(scene.running.contains(&effect(&scene).0), "both are on their way: wait");
}

fn effect(scene: &Scene) -> (hast_flow::steps::StepKey, String) {
    match scene.next() {
        Step::Effect { key, effect: Effect::Call(call) } => (key, call.step.to_owned()),
        other => panic!("{other:?}"),
    }
}

/// What came back first is safe while the other still works.
#[test]
fn each_answer_is_committed_as_it_comes() {
    let mut scene = Scene::new(Box::new(honest));
    scene.turn();
    scene.turn();
    let (explore, _) = effect(&scene);
    scene.running.insert(explore.clone());
    let Step::Effect { key, effect: asked } = scene.next() else { panic!() };
    let result: EffectResult = scene.perform(&asked);
    let delta = hast_flow::driver::Delta::Result { key: &key, result: &result };
    scene.view.fold(&delta);
    let Step::Commit(commit) = scene.next() else { panic!("{:?}", scene.next()) };
    scene.commit(&commit);
    assert!(scene.has("task-breakdown.yaml") && !scene.has("explored.yaml"));
    assert_eq!(effect(&scene).0, explore, "it still waits for the other");
}

#[test]
fn a_field_that_the_schema_does_not_have_is_asked_for_again_and_then_the_request_stops() {
    let mut scene = Scene::new(but("breakdown", |call, _| {
        let mut wrong = breakdown(call, &[("T1-S1", "a")], &[]);
        wrong["priority"] = json!("high");
        Some(answer(&[("task-breakdown.yaml", wrong)]))
    }));
    let Ending::Failed(notice) = scene.drive() else { panic!() };
    assert!(notice.what.contains("priority"), "{notice:?}");
    let asked = scene.calls.iter().filter(|call| call.contains("breakdown")).count();
    assert_eq!(asked, 3, "once and two more times");
    assert!(scene.contract("task-breakdown.rejected-1.yaml").contains("priority"));
    assert!(scene.has("task-breakdown.rejected-3.yaml") && !scene.has("task-breakdown.yaml"));
    assert_eq!(scene.events("REQUEST_STOPPED")[0]["detail"]["by"], "schema");
    let state = serde_json::to_value(scene.state()).unwrap();
    assert_eq!(state["request"]["status"], "stopped");
}

#[test]
fn an_answer_about_another_request_is_not_taken() {
    let mut scene = Scene::new(but("explore", |call, _| {
        let mut other = explored(call);
        if call.regeneration == 0 {
            other["request_id"] = json!("R9");
        }
        Some(answer(&[("explored.yaml", other)]))
    }));
    scene.drive_to("design");
    assert!(scene.has("explored.yaml") && scene.has("explored.rejected-1.yaml"));
}

fn with_assumptions(verdicts: [&'static str; 2]) -> Scene {
    Scene::new(Box::new(move |call, git| match call.step {
        "breakdown" => {
            let assumed: &[&str] = if call.attempt == 1 { &["a", "b"] } else { &["c"] };
            answer(&[("task-breakdown.yaml", breakdown(call, &[("T1-S1", "sum up")], assumed))])
        }
        "merge" => {
            let entry = |assumption: &str, verdict: &str| json!({"assumption": assumption, "verdict": verdict, "evidence": "README:1"});
            let merge = json!([entry("a", verdicts[0]), entry("b", verdicts[1])]);
            answer(&[("merge.json", merge)])
        }
        _ => honest(call, git),
    }))
}

#[test]
fn half_of_the_assumptions_refuted_means_another_plan_once() {
    let mut scene = with_assumptions(["refuted", "unknown"]);
    scene.drive_to("design");
    assert_eq!(scene.calls.iter().filter(|call| call.contains("breakdown")).count(), 2);
    assert_eq!(scene.calls.iter().filter(|call| call.contains("merge")).count(), 1);
    assert!(scene.contract("archive/round-1/task-breakdown.yaml").contains("\"a\""));
    assert!(scene.contract("task-breakdown.yaml").contains("\"c\""));
    let prompt = &scene.prompts[3];
    assert!(
        prompt.contains("assumptions turned out to be wrong") && prompt.contains("README:1"),
        "{prompt}"
    );
}

#[test]
fn fewer_refuted_assumptions_leave_the_plan_as_it_is() {
    let mut scene = with_assumptions(["confirmed", "unknown"]);
    scene.drive_to("design");
    assert_eq!(scene.calls.iter().filter(|call| call.contains("breakdown")).count(), 1);
    assert!(scene.has("merge.json"));
}

#[test]
fn each_assumption_has_a_verdict_with_evidence_or_is_asked_for_again() {
    let mut scene = Scene::new(Box::new(|call, git| match call.step {
        "breakdown" => {
            answer(&[("task-breakdown.yaml", breakdown(call, &[("T1-S1", "a")], &["a", "b"]))])
        }
        "merge" => {
            let entry = |assumption: &str, evidence: &str| json!({"assumption": assumption, "verdict": "confirmed", "evidence": evidence});
            let all: Value = match call.regeneration {
                0 => json!([entry("a", "x")]),
                1 => json!([entry("a", "x"), entry("b", " "), entry("z", "x")]),
                _ => json!([entry("a", "x"), entry("b", "x")]),
            };
            let told: Vec<&str> = call.findings.iter().map(|one| one.problem.as_str()).collect();
            match call.regeneration {
                1 => assert_eq!(told, ["there is no verdict on `b`"]),
                2 => assert_eq!(
                    told,
                    ["`b` has no evidence", "`z` is no assumption of the breakdown"]
                ),
                _ => {}
            }
            answer(&[("merge.json", all)])
        }
        _ => honest(call, git),
    }));
    scene.drive_to("design");
    assert!(scene.has("merge.json") && scene.has("merge.rejected-2.json"));
}

#[test]
fn agents_are_told_the_whole_request() {
    let text = "한 줄의 요구\n".repeat(200);
    let mut scene = Scene::new(Box::new(honest));
    scene.flow.asked = Asked::Start { id: "R1".parse().unwrap(), text: text.clone() };
    scene.drive_to("design");
    assert_eq!(scene.prompts.len(), 2, "explore and breakdown");
    for prompt in &scene.prompts {
        assert!(prompt.contains(text.trim_end()), "{prompt}");
    }
}
