//! The session flow's decisions, a sentence of the seed each. Commits are applied in memory.

use crate::scene::{Session, paths, plan, report, task};
use hast_flow::agents::outcome::FailureClass;
use hast_flow::docs::session::{KnowledgeIndex, SystemStatus};
use hast_flow::driver::Flow as _;
use hast_flow::flows::session::layout;
use hast_flow::steps::{CallResult, Effect, EffectResult, Ending, Step, WaitsFor};
use hast_flow::store::DocPath;
use serde_json::{Value, json};

#[test]
fn session_root_is_made_and_input_and_system_prompt_are_written_first() {
    let mut session = Session::new();
    let commit = session.commit();
    assert_eq!(commit.role, "Controller");
    assert!(
        paths(&commit).contains(&layout::USER_INPUT)
            && paths(&commit).contains(&layout::SYSTEM_PROMPT)
    );
    assert_eq!(session.events(), ["SESSION_CREATED"]);
    assert_eq!(session.status().system_status, SystemStatus::Planning);
}

#[test]
fn the_planner_makes_goal_decomposition_and_metadata() {
    let mut session = Session::new();
    session.commit();
    let (_, effect) = session.reply(&[
        ("decomposition.json", plan(&[task("T-0001", "SYNTHESIS", &[])])),
        ("state.json", json!({"ticker": "AVGO"})),
    ]);
    let Effect::Call(call) = effect else { panic!() };
    assert_eq!((call.role.as_str(), call.step), ("Planner", "plan"));
    assert!(call.prompt.contains("AVGO는 싼가?"));
    let commit = session.commit();
    assert_eq!(commit.role, "Planner");
    for path in [layout::GOAL, layout::DECOMPOSITION, layout::METADATA, layout::ROUTING] {
        assert!(paths(&commit).contains(&path), "{path}");
    }
    assert_eq!(session.status().system_status, SystemStatus::Executing);
}

#[test]
fn a_bad_plan_goes_back_with_its_findings_and_at_most_twice() {
    let mut session = Session::new();
    session.commit();
    let bad = plan(&[task("T-0001", "SYNTHESIS", &["T-0009"])]);
    for regeneration in 0..3 {
        let (_, effect) =
            session.reply(&[("decomposition.json", bad.clone()), ("state.json", json!({}))]);
        let Effect::Call(call) = effect else { panic!() };
        assert_eq!(call.regeneration, regeneration);
        assert_eq!(call.findings.is_empty(), regeneration == 0);
        let told = call.findings.iter().map(|finding| (finding.line, finding.problem.as_str()));
        let expected = (Some(1), "T-0001: the dependency T-0009 does not exist");
        assert_eq!(told.collect::<Vec<_>>(), vec![expected; usize::from(regeneration > 0)]);
    }
    session.commit();
    assert_eq!(session.events(), ["SESSION_CREATED", "QUESTION_OPENED", "SYSTEM_BLOCKED"]);
    assert_eq!(session.status().system_status, SystemStatus::Blocked);
    assert!(matches!(session.next(), Step::Finish(Ending::Waiting { on: WaitsFor::Person, .. })));
}

#[test]
fn a_data_task_performs_exactly_its_tool_calls_without_a_model() {
    let mut session = Session::planned(&[task("T-0001", "WEB", &[])]);
    session.commit();
    let (_, effect) = session.fetched("page");
    let Effect::Tools(uses) = effect else { panic!() };
    assert_eq!((uses.len(), uses[0].name.as_str()), (1, "web_fetch"));
    let commit = session.commit();
    assert_eq!(commit.role, "Executor");
    assert_eq!(session.files["execution/outputs/T-0001/a.md"], b"page");
    let manifest: Value =
        serde_json::from_slice(&session.files["execution/outputs/T-0001/artifact_manifest.json"])
            .unwrap();
    assert_eq!(manifest["artifacts"][0]["artifact"], "/execution/outputs/T-0001/a.md");
    assert!(
        String::from_utf8_lossy(&session.files["execution/run_logs/20260112.ndjson"])
            .contains("web_fetch")
    );
}

#[test]
fn a_passed_review_promotes_each_artifact_to_knowledge() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.reply(&[("a.md", json!("text"))]);
    session.commit();
    let (_, effect) = session.reply(&[("report.json", report("PASS", &[]))]);
    let Effect::Call(call) = effect else { panic!() };
    assert_eq!(call.role, "Critic");
    assert!(call.inputs.contains(&DocPath::new("execution/outputs/T-0001/a.md").unwrap()));
    let commit = session.commit();
    assert_eq!(commit.role, "Critic");
    let index: KnowledgeIndex = serde_json::from_slice(&session.files[layout::INDEX]).unwrap();
    assert_eq!(index.knowledge[0].id.as_str(), "K-0001");
    assert_eq!(session.events()[4..], ["TASK_REVIEWED", "KNOWLEDGE_PROMOTED"]);
}

#[test]
fn where_a_critic_answers_line_by_line_each_line_has_an_answer_with_evidence() {
    let answered = |checks: Value| {
        let mut report = report("PASS", &[]);
        report["checks"] = checks;
        let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
        session.commit();
        session.reply(&[("a.md", json!("text"))]);
        session.commit();
        session.reply(&[("report.json", report)]);
        session
    };
    let check = |line: &str, evidence: &str| json!([{"acceptance": line, "met": true, "evidence": evidence}]);
    for (checks, finding) in [
        (check("something nobody asked", "a.md"), "no answer for the acceptance line \"x\""),
        (check("x", " "), "the check \"x\" has no evidence"),
        (json!([]), "no answer for the acceptance line \"x\""),
    ] {
        let session = answered(checks);
        let Step::Effect { effect: Effect::Call(call), .. } = session.next() else { panic!() };
        assert_eq!(call.regeneration, 1);
        assert!(call.findings.iter().any(|found| found.problem.contains(finding)), "{call:?}");
    }
    let mut session = answered(check(" - X.", "a.md, line 1"));
    session.commit();
    assert!(session.events().contains(&"KNOWLEDGE_PROMOTED".to_owned()));
}

#[test]
fn unreviewed_or_falsely_passed_output_is_never_knowledge() {
    for (lie, times) in [
        (report("FAIL", &[]), 1),
        (report("PASS", &["fix"]), 1),
        (json!("fine"), 3),
        (json!({"verdict": "GREAT"}), 3),
    ] {
        let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
        session.commit();
        session.reply(&[("a.md", json!("text"))]);
        session.commit();
        assert!(!session.files.contains_key(layout::INDEX));
        for _ in 0..times {
            session.reply(&[("report.json", lie.clone())]);
        }
        session.commit();
        assert!(!session.files.contains_key(layout::INDEX));
        let report: Value =
            serde_json::from_slice(&session.files["critique/reports/T-0001.json"]).unwrap();
        assert_eq!(report["verdict"], "FAIL");
    }
}

/// A person takes an output away, or writes over it, before its review or while it is reviewed.
#[test]
fn an_output_that_is_not_there_as_it_was_made_is_never_knowledge() {
    for (theirs, asked) in
        [(None, false), (None, true), (Some("mine"), false), (Some("mine"), true)]
    {
        let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
        session.commit();
        session.reply(&[("a.md", json!("text"))]);
        session.commit();
        let output = DocPath::new("execution/outputs/T-0001/a.md").unwrap();
        assert!(session.flow.rests_on(&session.view).contains(&output));
        if asked {
            session.begin();
        }
        session.saved(&output, theirs);
        if asked {
            // A critic who has begun may finish; it does not help.
            session.home("T-0001/review/1", &[("report.json", report("PASS", &[]))]);
        }
        session.commit();
        assert!(!session.files.contains_key(layout::INDEX));
        let report: Value =
            serde_json::from_slice(&session.files["critique/reports/T-0001.json"]).unwrap();
        assert_eq!(report["verdict"], "FAIL");
        session.pass("again");
        let index: KnowledgeIndex = serde_json::from_slice(&session.files[layout::INDEX]).unwrap();
        assert!(index.knowledge[0].artifact_path.contains("attempt-2"), "{index:?}");
    }
}

/// An output that came back as it was is the one that was made.
#[test]
fn an_output_that_is_put_back_is_reviewed() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.reply(&[("a.md", json!("text"))]);
    session.commit();
    let output = DocPath::new("execution/outputs/T-0001/a.md").unwrap();
    session.saved(&output, None);
    session.saved(&output, Some("text"));
    session.reply(&[("report.json", report("PASS", &[]))]);
    session.commit();
    assert!(session.files.contains_key(layout::INDEX));
}

#[test]
fn a_simple_error_is_tried_again_in_a_directory_of_its_own_and_three_failures_revise_the_plan() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.reply(&[("a.md", json!("one"))]);
    session.commit();
    session.reply(&[("report.json", report("FAIL", &["more"]))]);
    session.commit();
    session.commit();
    session.reply(&[("a.md", json!("two"))]);
    session.commit();
    assert_eq!(session.files["execution/outputs/T-0001/a.md"], b"one");
    assert_eq!(session.files["execution/outputs/T-0001/attempt-2/a.md"], b"two");
    session.reply(&[("report.json", report("FAIL", &["more"]))]);
    session.commit();
    assert!(session.files.contains_key("critique/reports/T-0001.2.json"));
    session.commit();
    session.answer(&EffectResult::Call(CallResult::Failed {
        class: FailureClass::Signal(6),
        reason: "crash".to_owned(),
    }));
    session.commit();
    assert_eq!(session.events().last().unwrap(), "TASK_FAILED");
    assert_eq!(session.status().system_status, SystemStatus::Replanning);
    let Step::Effect { key, effect: Effect::Call(call) } = session.next() else { panic!() };
    assert_eq!((key.as_str(), call.step), ("replan/1.1", "replan"));
    assert!(call.prompt.contains("T-0001 failed 3 times"), "{}", call.prompt);
}

#[test]
fn dependencies_come_first_then_the_listed_order() {
    let mut session = Session::planned(&[
        task("T-0001", "SYNTHESIS", &["T-0003"]),
        task("T-0002", "SYNTHESIS", &[]),
        task("T-0003", "SYNTHESIS", &[]),
    ]);
    let mut order = Vec::new();
    while !session.view.plan.as_ref().unwrap().is_worked_off() {
        session.commit();
        order.push(session.status().current_task_id.unwrap().to_string());
        session.reply(&[("a.md", json!("x"))]);
        session.commit();
        session.reply(&[("report.json", report("PASS", &[]))]);
        session.commit();
    }
    assert_eq!(order, ["T-0003", "T-0001", "T-0002"]);
}

#[test]
fn the_end_has_answer_summary_verdict_and_pointers() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.reply(&[("a.md", json!("x"))]);
    session.commit();
    session.reply(&[("report.json", report("PASS", &[]))]);
    session.commit();
    session.reply(&[("final.md", json!("답 [K-0001]"))]);
    session.commit();
    session.reply(&[("verdict.md", json!("PASS\n\n충분하다"))]);
    session.commit();
    for path in [layout::FINAL, layout::SUMMARY, layout::VERDICT, layout::POINTERS] {
        assert!(session.files.contains_key(path), "{path}");
    }
    assert_eq!(session.status().system_status, SystemStatus::Completed);
    assert!(matches!(session.next(), Step::Finish(Ending::Done(_))));
    let log = String::from_utf8(session.files[layout::LOG].clone()).unwrap();
    let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(json!(session.status().last_event_id), last["event_id"]);
}
