//! The last verdict is a gate, the answer has footnotes, and what a person said stays.

use hast_flow::docs::session::SystemStatus;
use hast_flow::flows::session::layout;
use hast_flow::steps::{Effect, Ending, Step};
use serde_json::{Value, json};

use crate::scene::{Session, report, task};

/// One synthesis that passed; its answer is asked for.
fn answering() -> Session {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.pass("fact");
    session
}

/// An answer, and what the critic says of it.
fn judged(session: &mut Session, answer: &str, verdict: &str) {
    session.reply(&[("final.md", json!(answer))]);
    session.commit();
    session.reply(&[("verdict.md", json!(verdict))]);
}

fn text(session: &Session, path: &str) -> String {
    String::from_utf8(session.files[path].clone()).unwrap()
}

#[test]
fn a_fail_sends_the_answer_back_once_with_the_reasons() {
    let mut session = answering();
    judged(&mut session, "one [K-0001]", "FAIL: the year is 2024\n");
    session.commit();
    assert_eq!(text(&session, "critique/reports/verdict.1.md"), "FAIL: the year is 2024\n");
    assert!(text(&session, "critique/reports/final.1.md").starts_with("one [1]"));
    assert!(!session.files.contains_key(layout::VERDICT), "nothing has ended");
    session.agrees();
    let (key, effect) = session.reply(&[("final.md", json!("two [K-0001]"))]);
    assert_eq!(key.as_str(), "session/finalize/2");
    let Effect::Call(call) = effect else { panic!() };
    assert!(call.prompt.contains("the year is 2024"), "{}", call.prompt);
    let inputs: Vec<&str> = call.inputs.iter().map(|path| path.as_str()).collect();
    assert!(inputs.contains(&"critique/reports/final.1.md"), "{inputs:?}");
    session.commit();
    assert!(text(&session, layout::FINAL).starts_with("two [1]"));
    let (key, _) = session.reply(&[("verdict.md", json!("# PASS\n"))]);
    assert_eq!(key.as_str(), "session/verdict/2");
    session.commit();
    assert_eq!(session.status().system_status, SystemStatus::Completed);
    session.agrees();
}

#[test]
fn a_second_fail_ends_the_session_with_what_the_critic_wanted() {
    let mut session = answering();
    judged(&mut session, "one [K-0001]", "FAIL\nno");
    session.commit();
    judged(&mut session, "two [K-0001]", "FAIL\nstill the wrong year");
    session.commit();
    session.agrees();
    session.commit();
    assert_eq!(session.status().system_status, SystemStatus::Failed);
    let Step::Finish(Ending::Failed(notice)) = session.next() else { panic!() };
    assert!(notice.what.contains("still the wrong year"), "{}", notice.what);
    assert!(session.files.contains_key("critique/reports/verdict.2.md"));
    assert!(text(&session, layout::VERDICT).contains("still the wrong year"));
    session.agrees();
}

#[test]
fn a_verdict_that_says_neither_is_asked_for_again_and_then_counts_as_fail() {
    let mut session = answering();
    judged(&mut session, "one [K-0001]", "It answers well.");
    for _ in 0..2 {
        let (_, effect) = session.reply(&[("verdict.md", json!("Fine."))]);
        let Effect::Call(call) = effect else { panic!() };
        assert!(call.findings[0].problem.contains("neither PASS nor FAIL"), "{call:?}");
    }
    session.commit();
    assert!(text(&session, "critique/reports/verdict.1.md").starts_with("FAIL"));
    assert_eq!(session.event("TASK_REVIEWED")["detail"]["verdict"], "FAIL");
    let Step::Effect { key, .. } = session.next() else { panic!("{:?}", session.next()) };
    assert_eq!(key.as_str(), "session/finalize/2");
}

#[test]
fn an_answer_that_cites_nothing_is_asked_for_again() {
    let mut session = answering();
    session.reply(&[("final.md", json!("It is so."))]);
    let (_, effect) = session.reply(&[("final.md", json!("It is so [K-0001]."))]);
    let Effect::Call(call) = effect else { panic!() };
    assert!(call.findings[0].problem.contains("cites nothing"), "{call:?}");
}

#[test]
fn citations_become_footnotes_with_title_artifact_source_and_date() {
    let tasks = [task("T-0001", "WEB", &[]), task("T-0002", "SYNTHESIS", &["T-0001"])];
    let mut session = Session::planned(&tasks);
    session.commit();
    session.fetched_from("page", "https://news.example/a");
    session.commit();
    session.reply(&[("report.json", report("PASS", &[]))]);
    session.commit();
    session.pass("as [K-0001] says");
    session.reply(&[("final.md", json!("가 [K-0002], 나 [K-0001], 다 [K-0002]\n"))]);
    session.commit();
    let text = text(&session, layout::FINAL);
    let (answer, notes) = text.split_once("\n\n## Sources\n\n").unwrap();
    assert_eq!(answer, "가 [1], 나 [2], 다 [1]");
    let notes: Vec<&str> = notes.lines().collect();
    assert!(notes[0].starts_with("1. K-0002 T-0002 "), "{notes:?}");
    assert!(notes[1].starts_with("2. K-0001 T-0001 "), "{notes:?}");
    for note in notes {
        assert!(note.contains("/execution/outputs/T-000"), "{note}");
        assert!(note.contains("https://news.example/a (2026-01-12)"), "what it rests on: {note}");
    }
    session.agrees();
}

#[test]
fn the_critic_sees_the_sources_the_plan_and_the_question() {
    let mut session = Session::planned(&[task("T-0001", "WEB", &[])]);
    session.commit();
    session.fetched_from("page", "https://news.example/a");
    session.commit();
    let (_, effect) = session.reply(&[("report.json", report("PASS", &[]))]);
    let Effect::Call(call) = effect else { panic!() };
    let inputs: Vec<&str> = call.inputs.iter().map(|path| path.as_str()).collect();
    for wanted in [layout::USER_INPUT, layout::DECOMPOSITION, layout::REVIEW_RULES] {
        assert!(inputs.contains(&wanted), "{wanted}: {inputs:?}");
    }
    assert!(inputs.iter().any(|path| path.starts_with(layout::SOURCES)), "{inputs:?}");
}

#[test]
fn a_retry_sees_its_last_draft() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.reply(&[("a.md", json!("draft"))]);
    session.commit();
    session.reply(&[("report.json", report("FAIL", &["say more"]))]);
    session.commit();
    session.commit();
    let (_, effect) = session.reply(&[("a.md", json!("more"))]);
    let Effect::Call(call) = effect else { panic!() };
    let draft = "execution/outputs/T-0001/a.md";
    assert!(call.inputs.iter().any(|path| path.as_str() == draft), "{:?}", call.inputs);
    assert!(call.prompt.contains("say more"), "{}", call.prompt);
}

/// The words of a person are in each later call that they concern.
#[test]
fn a_persons_answer_stays() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.blocked("which currency?");
    session.commit();
    session.says("in won");
    session.commit();
    session.commit();
    session.commit();
    let mut calls: Vec<Value> = Vec::new();
    let mut asked = |effect: Effect| {
        let Effect::Call(call) = effect else { panic!() };
        let inputs: Vec<String> = call.inputs.iter().map(ToString::to_string).collect();
        let question = inputs.iter().any(|path| path.ends_with("Q-20260112-0001.json"));
        let answer = inputs.iter().any(|path| path.ends_with("Q-20260112-0001.answer.json"));
        assert!(question && answer, "{}: {inputs:?}", call.step);
        let told = call.prompt.contains("which currency?") && call.prompt.contains("in won");
        calls.push(json!([call.step, told]));
    };
    asked(session.reply(&[("a.md", json!("x"))]).1);
    session.commit();
    asked(session.reply(&[("report.json", report("FAIL", &["more"]))]).1);
    session.commit();
    session.commit();
    asked(session.reply(&[("a.md", json!("y"))]).1);
    session.commit();
    asked(session.reply(&[("report.json", report("PASS", &[]))]).1);
    session.commit();
    asked(session.reply(&[("final.md", json!("so [K-0001]"))]).1);
    session.commit();
    asked(session.reply(&[("verdict.md", json!("PASS"))]).1);
    let steps = ["synthesize", "review", "synthesize", "review", "finalize", "verdict"];
    let wanted: Vec<Value> = steps.iter().map(|step| json!([step, true])).collect();
    assert_eq!(calls, wanted);
}
