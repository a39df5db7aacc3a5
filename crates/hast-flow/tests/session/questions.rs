//! A session asks people questions. The tests show how it asks, takes answers, and goes on.

use crate::scene::{Session, plan, report, task};
use hast_flow::docs::session::SystemStatus;
use hast_flow::flows::session::{Wish, layout};
use hast_flow::steps::{Effect, Ending, Step, WaitsFor};
use serde_json::json;

const QUESTION: &str = "execution/questions/Q-20260112-0001.json";

fn waits(session: &Session) {
    let Step::Finish(Ending::Waiting { notice, on }) = session.next() else {
        panic!("{:?}", session.next())
    };
    assert_eq!(on, WaitsFor::Person);
    assert!(notice.next.contains("hast session answer Q-20260112-"), "{notice:?}");
}

#[test]
fn an_executor_that_cannot_decide_asks_and_the_answer_reaches_its_next_attempt() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.blocked("which currency?");
    session.commit();
    let question = session.document(QUESTION);
    assert_eq!((&question["status"], &question["task_id"]), (&json!("OPEN"), &json!("T-0001")));
    assert!(question["question"].as_str().unwrap().contains("which currency?"));
    assert_eq!(session.status().blocked_count, 1);
    waits(&session);
    session.agrees();
    session.says("in won");
    session.commit();
    assert_eq!(session.document(QUESTION), question, "a question is never touched");
    session.commit();
    assert_eq!(session.events()[4..], ["SYSTEM_BLOCKED", "QUESTION_ANSWERED", "SYSTEM_RESUMED"]);
    assert_eq!(session.status().system_status, SystemStatus::Executing);
    session.agrees();
    session.commit();
    let (key, effect) = session.reply(&[("a.md", json!("x"))]);
    assert_eq!(key.as_str(), "T-0001/execute/2");
    let Effect::Call(call) = effect else { panic!() };
    assert!(call.prompt.contains("in won"), "{}", call.prompt);
}

#[test]
fn a_planner_a_critic_and_the_last_word_may_ask_too() {
    let mut session = Session::new();
    session.commit();
    session.blocked("which company?");
    session.commit();
    waits(&session);
    session.says("MRBT");
    session.commit();
    session.commit();
    assert_eq!(session.status().system_status, SystemStatus::Planning);
    let documents = [
        ("decomposition.json", plan(&[task("T-0001", "SYNTHESIS", &[])])),
        ("state.json", json!({})),
    ];
    let (key, effect) = session.reply(&documents);
    assert_eq!(key.as_str(), "plan/1.1/asked-1");
    let Effect::Call(call) = effect else { panic!() };
    assert!(call.prompt.contains("MRBT"), "{}", call.prompt);
    session.commit();
    session.commit();
    session.reply(&[("a.md", json!("x"))]);
    session.commit();
    session.blocked("which rule?");
    session.commit();
    session.says("the first");
    session.commit();
    session.commit();
    session.agrees();
    let (key, effect) = session.reply(&[("report.json", report("PASS", &[]))]);
    assert_eq!(key.as_str(), "T-0001/review/1/asked-1");
    let Effect::Call(call) = effect else { panic!() };
    assert!(call.prompt.contains("the first"), "{}", call.prompt);
    session.commit();
    session.blocked("how long?");
    session.commit();
    waits(&session);
    session.says("a page");
    session.commit();
    session.commit();
    let (key, _) = session.reply(&[("final.md", json!("so [K-0001]"))]);
    assert_eq!(key.as_str(), "session/finalize/1/asked-1");
    session.commit();
    session.reply(&[("verdict.md", json!("PASS"))]);
    session.commit();
    assert_eq!(session.status().system_status, SystemStatus::Completed);
    assert_eq!(session.status().blocked_count, 3);
    session.agrees();
}

#[test]
fn while_a_person_is_asked_other_lanes_come_home_and_nothing_new_begins() {
    let tasks = [
        task("T-0001", "SYNTHESIS", &[]),
        task("T-0002", "SYNTHESIS", &[]),
        task("T-0003", "SYNTHESIS", &[]),
    ];
    let mut session = Session::planned(&tasks);
    session.flow.parallel = 2;
    session.commit();
    session.commit();
    session.begin();
    session.begin();
    session.blocked("which?");
    session.commit();
    let Step::Effect { key, .. } = session.next() else { panic!() };
    assert_eq!(key.as_str(), "T-0002/execute/1", "what is on its way is waited for");
    session.home("T-0002/execute/1", &[("a.md", json!("two"))]);
    session.commit();
    assert_eq!(session.status().system_status, SystemStatus::Blocked);
    waits(&session);
    session.agrees();
}

#[test]
fn an_answer_by_command_is_written_beside_the_question_and_only_once() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.blocked("which?");
    session.commit();
    let wish = |question: &str, text: &str| {
        let (question, text) = (question.parse().unwrap(), text.to_owned());
        Some(Wish::Answer { question, text, operator: None })
    };
    session.flow.wish = wish("Q-20260112-0009", "x");
    assert!(matches!(session.next(), Step::Finish(Ending::Blocked(_))));
    session.flow.wish = wish("Q-20260112-0001", "this one");
    session.commit();
    let answer = session.document("execution/questions/Q-20260112-0001.answer.json");
    assert_eq!(
        answer,
        json!({"id": "Q-20260112-0001", "ts": "2026-01-12T14:30:00Z", "answer": "this one", "status": "ANSWERED"})
    );
    assert!(matches!(session.next(), Step::Finish(Ending::Done(_))));
    session.flow.wish = wish("Q-20260112-0001", "no, that one");
    assert!(matches!(session.next(), Step::Finish(Ending::Blocked(_))));
    session.flow.wish = None;
    session.commit();
    assert_eq!(session.events().last().unwrap(), "SYSTEM_RESUMED");
}

#[test]
fn who_answered_is_written_down_and_the_same_words_of_another_are_refused() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.blocked("which?");
    session.commit();
    let wish = |operator: &str| {
        let (question, text) = ("Q-20260112-0001".parse().unwrap(), "this".to_owned());
        Some(Wish::Answer { question, text, operator: Some(operator.to_owned()) })
    };
    session.flow.wish = wish("kim");
    session.commit();
    let answer = session.document("execution/questions/Q-20260112-0001.answer.json");
    assert_eq!((&answer["answer"], &answer["operator"]), (&json!("this"), &json!("kim")));
    assert_eq!(session.event("QUESTION_ANSWERED")["detail"]["operator"], "kim");
    assert!(matches!(session.next(), Step::Finish(Ending::Done(_))));
    session.flow.wish = wish("lee");
    assert!(matches!(session.next(), Step::Finish(Ending::Blocked(_))));
    session.agrees();
}

#[test]
fn what_the_session_went_on_without_is_not_answered_any_more() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.commit();
    session.blocked("which?");
    session.commit();
    let known = session.view.events;
    session.flow.wish = Some(Wish::Replan { reason: "other facts".to_owned(), known });
    session.commit();
    let (question, text) = ("Q-20260112-0001".parse().unwrap(), "this".to_owned());
    session.flow.wish = Some(Wish::Answer { question, text, operator: None });
    let Step::Finish(Ending::Blocked(notice)) = session.next() else {
        panic!("{:?}", session.next())
    };
    assert!(notice.what.contains("went on without"), "{notice:?}");
}

#[test]
fn two_questions_need_two_answers() {
    let tasks = [task("T-0001", "SYNTHESIS", &[]), task("T-0002", "SYNTHESIS", &[])];
    let mut session = Session::planned(&tasks);
    session.flow.parallel = 2;
    session.commit();
    session.commit();
    session.begin();
    session.begin();
    session.blocked("one?");
    session.commit();
    session.blocked("two?");
    session.commit();
    assert_eq!(session.view.pending.len(), 2);
    session.says("one");
    session.commit();
    waits(&session);
    session.says("two");
    session.commit();
    session.commit();
    assert_eq!(session.events().last().unwrap(), "SYSTEM_RESUMED");
    assert!(session.files.contains_key(&layout::question(&"Q-20260112-0002".parse().unwrap())));
    session.agrees();
}

#[test]
fn an_answer_that_cites_what_is_not_known_is_asked_for_again() {
    let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
    session.pass("fact");
    session.reply(&[("final.md", json!("as [K-0042] says"))]);
    let (_, effect) = session.reply(&[("final.md", json!("as [K-0001] says"))]);
    let Effect::Call(call) = effect else { panic!() };
    assert!(call.findings[0].problem.contains("K-0042"), "{call:?}");
    session.commit();
    assert!(session.files[layout::FINAL].starts_with(b"as [1] says\n\n## Sources\n\n1. K-0001"));
}
