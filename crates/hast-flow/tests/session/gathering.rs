//! Data tasks: exactly their calls, each a line of the run log; raw answers kept once; what fails.

use crate::scene::{Session, report, task};
use hast_flow::docs::session::SystemStatus;
use hast_flow::ids::Sha256;
use hast_flow::steps::{Effect, EffectResult, ToolAnswer, ToolSource};
use hast_flow::tools::{FailureClass, FailureRecord};
use serde_json::{Value, json};

const LOG: &str = "execution/run_logs/20260112.ndjson";

fn source(text: &str) -> ToolSource {
    ToolSource {
        url: "https://news.example/a".to_owned(),
        fetched_at: "2026-01-12T14:29:00Z".parse().unwrap(),
        media: "text/html".to_owned(),
        bytes: text.as_bytes().to_vec(),
    }
}

fn answer(text: &str, sources: &[&str]) -> Result<ToolAnswer, FailureRecord> {
    let sources = sources.iter().map(|text| source(text)).collect();
    Ok(ToolAnswer { bytes: text.as_bytes().to_vec(), sources })
}

fn failure() -> Result<ToolAnswer, FailureRecord> {
    let (cause, next) = ("there is nothing at x".to_owned(), "use another".to_owned());
    Err(FailureRecord { class: FailureClass::NotFound, cause, next })
}

fn lines(session: &Session) -> Vec<Value> {
    let text = String::from_utf8(session.files[LOG].clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Two calls and two outputs.
fn two() -> Value {
    let mut task = task("T-0001", "WEB", &[]);
    task["outputs"] = json!([
        {"path": "/execution/outputs/T-0001/a.md", "type": "page"},
        {"path": "/execution/outputs/T-0001/b.md", "type": "page"}
    ]);
    task["tool_calls"] = json!([
        {"name": "web_fetch", "args": {"url": "https://news.example/a"}},
        {"name": "web_search", "args": {"query": "b"}}
    ]);
    task
}

#[test]
fn each_call_is_one_line_of_the_run_log_and_fills_its_output() {
    let mut session = Session::planned(&[two()]);
    session.commit();
    let (_, effect) =
        session.answer(&EffectResult::Tools(vec![answer("A", &["raw a"]), answer("B", &[])]));
    let Effect::Tools(uses) = effect else { panic!() };
    let names: Vec<&str> = uses.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["web_fetch", "web_search"]);
    session.commit();
    assert_eq!(session.files["execution/outputs/T-0001/a.md"], b"A");
    assert_eq!(session.files["execution/outputs/T-0001/b.md"], b"B");
    let lines = lines(&session);
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["tool"], &lines[0]["result"]), (&json!("web_fetch"), &json!("success")));
    assert_eq!(lines[1]["input"]["query"], "b");
    session.agrees();
}

#[test]
fn raw_answers_are_kept_once_with_where_and_when_they_came_from() {
    let mut session =
        Session::planned(&[task("T-0001", "WEB", &[]), task("T-0002", "WEB", &["T-0001"])]);
    session.commit();
    session.answer(&EffectResult::Tools(vec![answer("A", &["raw", "raw"])]));
    session.commit();
    let hash = Sha256::of(b"raw");
    assert_eq!(session.files[&format!("context/sources/{hash}")], b"raw");
    let about = session.document(&format!("context/sources/{hash}.json"));
    assert_eq!(about["url"], "https://news.example/a");
    assert_eq!(about["fetched_at"], "2026-01-12T14:29:00Z");
    session.reply(&[("report.json", report("PASS", &[]))]);
    session.commit();
    session.commit();
    // The same again: the scene refuses to create a file twice.
    session.answer(&EffectResult::Tools(vec![answer("B", &["raw"])]));
    session.commit();
    assert_eq!(lines(&session)[1]["sources"][0]["sha256"], json!(hash));
    session.agrees();
}

#[test]
fn a_failed_call_is_written_down_with_its_cause_and_tried_again_in_a_new_directory() {
    let mut session = Session::planned(&[two()]);
    session.commit();
    session.answer(&EffectResult::Tools(vec![answer("A", &["raw a"]), failure()]));
    session.commit();
    let lines = lines(&session);
    assert_eq!((&lines[0]["result"], &lines[1]["result"]), (&json!("success"), &json!("failure")));
    assert!(lines[1]["error"].as_str().unwrap().contains("there is nothing at x"));
    assert!(!session.files.contains_key("execution/outputs/T-0001/a.md"), "all or nothing");
    session.commit();
    session.answer(&EffectResult::Tools(vec![answer("A", &["raw a"]), answer("B", &[])]));
    session.commit();
    assert_eq!(session.files["execution/outputs/T-0001/attempt-2/b.md"], b"B");
    session.agrees();
}

#[test]
fn data_that_fails_its_review_revises_the_plan_at_once() {
    let mut session = Session::planned(&[task("T-0001", "WEB", &[])]);
    session.commit();
    session.fetched("page");
    session.commit();
    session.reply(&[("report.json", report("FAIL", &["another page"]))]);
    session.commit();
    assert_eq!(session.status().system_status, SystemStatus::Replanning);
    let (key, _) = session.reply(&[]);
    assert_eq!(key.as_str(), "replan/1.1");
}

#[test]
fn an_output_that_is_not_what_its_name_says_fails_before_anybody_reviews_it() {
    let mut data = task("T-0001", "WEB", &[]);
    data["outputs"][0]["path"] = json!("/execution/outputs/T-0001/a.json");
    let mut session = Session::planned(&[data]);
    session.commit();
    session.fetched("# not JSON");
    session.commit();
    session.commit();
    let report = session.document("critique/reports/T-0001.json");
    assert_eq!(report["verdict"], "FAIL");
    assert!(report["required_fixes"][0].as_str().unwrap().contains("a.json is not JSON"));
    assert_eq!(session.status().system_status, SystemStatus::Replanning);
    session.agrees();
}

#[test]
fn what_a_call_omits_comes_from_state_json() {
    let mut session = Session::new();
    session.commit();
    let mut quote = task("T-0001", "YFINANCE", &[]);
    quote["tool_calls"] = json!([{"name": "yf_quote", "args": {}}]);
    let plan = crate::scene::plan(&[quote]);
    let (_, first) =
        session.reply(&[("decomposition.json", plan.clone()), ("state.json", json!({}))]);
    let Effect::Call(first) = first else { panic!() };
    assert!(first.prompt.contains("YFINANCE yf_quote"), "the planner knows the tools");
    for argument in ["statement (income|balance|cashflow)", "form? (10-K|10-Q)", "quarter? (1..4)"]
    {
        assert!(first.prompt.contains(argument), "{argument}: {}", first.prompt);
    }
    let (_, again) =
        session.reply(&[("decomposition.json", plan), ("state.json", json!({"ticker": "MRBT"}))]);
    let Effect::Call(again) = again else { panic!() };
    assert!(again.findings[0].problem.contains("ticker"), "{:?}", again.findings);
    session.commit();
    session.commit();
    let (_, effect) = session.fetched("{}");
    let Effect::Tools(uses) = effect else { panic!() };
    assert_eq!(uses[0].state.ticker.as_deref(), Some("MRBT"));
}

#[test]
fn what_passed_is_copied_for_whoever_consumes_it_and_what_did_not_is_not() {
    let mut other = task("T-0002", "SYNTHESIS", &[]);
    other["outputs"][0]["path"] = json!("/execution/outputs/T-0002/own.md");
    let mut session = Session::planned(&[
        task("T-0001", "SYNTHESIS", &[]),
        other,
        task("T-0003", "SYNTHESIS", &[]),
    ]);
    session.pass("one");
    session.commit();
    session.reply(&[("own.md", json!("two"))]);
    session.commit();
    session.reply(&[("report.json", report("FAIL", &["more"]))]);
    session.commit();
    assert!(!session.files.contains_key("output/artifacts/own.md"));
    session.commit();
    session.reply(&[("own.md", json!("better"))]);
    session.commit();
    session.reply(&[("report.json", report("PASS", &[]))]);
    session.commit();
    assert_eq!(session.files["output/artifacts/own.md"], b"better");
    assert_eq!(session.files["output/artifacts/T-0001_a.md"], b"one", "two tasks make an a.md");
}
