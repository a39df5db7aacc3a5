//! Tasks of a session at the same time, replies asked for again, and knowledge that stops to hold.

use crate::scene::{Session, plan, report, revised, task, version};
use hast_flow::agents::outcome::FailureClass;
use hast_flow::docs::session::KnowledgeIndex;
use hast_flow::driver::{Delta, Flow};
use hast_flow::flows::session::policy::POLICY;
use hast_flow::flows::session::{SessionFlow, Wish, layout};
use hast_flow::steps::{CallResult, Effect, EffectResult, Ending, Place, Step, StepKey};
use hast_flow::store::{DocPath, Identity, Seen};
use serde_json::{Value, json};

fn in_lanes(parallel: usize, tasks: &[Value]) -> Session {
    let mut session = Session::planned(tasks);
    session.flow.parallel = parallel;
    session
}

fn independent(count: usize) -> Vec<Value> {
    (1..=count).map(|n| task(&format!("T-{n:04}"), "SYNTHESIS", &[])).collect()
}

#[test]
fn independent_tasks_run_at_the_same_time_up_to_the_limit() {
    let mut session = in_lanes(2, &independent(3));
    session.commit();
    session.commit();
    assert_eq!(session.begin(), "T-0001/execute/1");
    assert_eq!(session.begin(), "T-0002/execute/1");
    let Step::Effect { key, .. } = session.next() else { panic!() };
    assert!(session.running.contains(&key), "with full lanes it waits for what comes back next");
    session.home("T-0002/execute/1", &[("a.md", json!("x"))]);
    session.commit();
    assert_eq!(session.begin(), "T-0002/review/1");
    session.home("T-0002/review/1", &[("report.json", report("PASS", &[]))]);
    session.commit();
    session.commit();
    assert_eq!(session.begin(), "T-0003/execute/1", "a free lane takes the next task");
}

#[test]
fn a_result_of_one_lane_does_not_forget_that_of_another() {
    let mut session = in_lanes(2, &independent(2));
    session.commit();
    session.commit();
    session.begin();
    session.begin();
    session.home("T-0002/execute/1", &[("a.md", json!("two"))]);
    session.home("T-0001/execute/1", &[("a.md", json!("one"))]);
    session.commit();
    session.commit();
    assert_eq!(session.files["execution/outputs/T-0001/a.md"], b"one");
    assert_eq!(session.files["execution/outputs/T-0002/a.md"], b"two");
}

#[test]
fn a_dependant_waits_however_many_lanes_are_free() {
    let tasks = [task("T-0001", "SYNTHESIS", &[]), task("T-0002", "SYNTHESIS", &["T-0001"])];
    let mut session = in_lanes(4, &tasks);
    session.commit();
    session.begin();
    let Step::Effect { key, .. } = session.next() else { panic!() };
    assert_eq!(key.as_str(), "T-0001/execute/1");
}

#[test]
fn with_a_task_given_up_nothing_new_begins_and_what_is_on_its_way_still_counts() {
    let mut session = in_lanes(2, &independent(3));
    session.commit();
    session.commit();
    session.begin();
    session.begin();
    for attempt in 1..=3 {
        let key = StepKey::new(&["T-0001", "execute", &attempt.to_string()]);
        if attempt > 1 {
            session.begin();
        }
        session.running.remove(&key);
        let (class, reason) = (FailureClass::Signal(6), "crash".to_owned());
        let result = EffectResult::Call(CallResult::Failed { class, reason });
        session.flow.fold(&mut session.view, &Delta::Result { key: &key, result: &result });
        session.commit();
        if attempt < 3 {
            session.commit();
        }
    }
    let Step::Effect { key, .. } = session.next() else { panic!("{:?}", session.next()) };
    assert_eq!(key.as_str(), "T-0002/execute/1");
    session.home("T-0002/execute/1", &[("a.md", json!("paid for"))]);
    session.commit();
    assert_eq!(session.begin(), "T-0002/review/1", "what was paid for is not thrown away");
    session.home("T-0002/review/1", &[("report.json", report("PASS", &[]))]);
    session.commit();
    let Step::Effect { key, .. } = session.next() else { panic!("{:?}", session.next()) };
    assert_eq!(key.as_str(), "replan/1.1", "no third task begins");
    assert_eq!(session.files["execution/outputs/T-0002/a.md"], b"paid for");
}

#[test]
fn a_reply_without_its_file_is_asked_for_again_within_the_same_attempt() {
    let mut session = in_lanes(1, &independent(1));
    session.commit();
    session.reply(&[("other.md", json!("x"))]);
    let (key, effect) = session.reply(&[("a.md", json!("x"))]);
    assert_eq!(key.as_str(), "T-0001/execute/1/again-1");
    let Effect::Call(call) = effect else { panic!() };
    assert_eq!((call.attempt, call.regeneration), (1, 1));
    assert_eq!(call.findings[0].file, "a.md");
    let commit = session.commit();
    let ended: Vec<&str> = commit.finishes.iter().map(StepKey::as_str).collect();
    assert_eq!(ended, ["T-0001/execute/1", "T-0001/execute/1/again-1"]);
    assert!(session.view.results.is_empty());
}

#[test]
fn every_document_that_is_asked_for_names_its_schema() {
    let mut session = Session::new();
    session.commit();
    let schemas = |effect: Effect| {
        let Effect::Call(call) = effect else { panic!() };
        call.expected.iter().map(|e| (e.name.clone(), e.schema)).collect::<Vec<_>>()
    };
    let (_, effect) =
        session.reply(&[("decomposition.json", plan(&independent(1))), ("state.json", json!({}))]);
    let named = |name: &str, schema| (name.to_owned(), schema);
    let expected = [
        named("decomposition.json", Some("decomposition")),
        named("state.json", Some("routing-state")),
        named("goal.md", None),
    ];
    assert_eq!(schemas(effect), expected);
    session.commit();
    session.commit();
    session.reply(&[("a.md", json!("x"))]);
    session.commit();
    let (_, effect) = session.reply(&[("report.json", report("PASS", &[]))]);
    assert_eq!(schemas(effect), [named("report.json", Some("critique-draft"))]);
}

#[test]
fn a_synthesis_is_given_only_what_passed_by_the_names_of_the_knowledge() {
    let tasks = [task("T-0001", "SYNTHESIS", &[]), task("T-0002", "SYNTHESIS", &["T-0001"])];
    let mut session = in_lanes(1, &tasks);
    session.pass("fact");
    session.commit();
    let (_, effect) = session.reply(&[("a.md", json!("from [K-0001]"))]);
    let Effect::Call(call) = effect else { panic!() };
    assert!(call.prompt.contains("[K-0001] execution/outputs/T-0001/a.md"), "{}", call.prompt);
    assert!(call.inputs.contains(&DocPath::new("execution/outputs/T-0001/a.md").unwrap()));
}

#[test]
fn every_role_is_given_copies_of_what_its_row_lets_it_read() {
    let tasks = [task("T-0001", "SYNTHESIS", &[]), task("T-0002", "WEB", &[])];
    let mut session = in_lanes(1, &tasks);
    let mut calls = Vec::new();
    let mut asked = |effect: Effect| {
        let Effect::Call(call) = effect else { panic!() };
        calls.push(call);
    };
    session.commit();
    asked(session.reply(&[("a.md", json!("fact"))]).1);
    session.commit();
    asked(session.reply(&[("report.json", report("PASS", &[]))]).1);
    session.commit();
    session.commit();
    session.fetched("page");
    session.commit();
    asked(session.reply(&[("report.json", report("FAIL", &["no"]))]).1);
    session.commit();
    asked(session.reply(&revised("MINOR", version(1, 2, &tasks[..1]))).1);
    session.commit();
    asked(session.reply(&[("final.md", json!("so [K-0001]"))]).1);
    session.commit();
    asked(session.reply(&[("verdict.md", json!("PASS: good"))]).1);
    let steps: Vec<&str> = calls.iter().map(|call| call.step).collect();
    assert_eq!(steps, ["synthesize", "review", "review", "replan", "finalize", "verdict"]);
    // What the Planner infers it may see again; what is judged last is no task's output.
    let besides = [("replan", layout::ROUTING), ("verdict", layout::FINAL)];
    for call in &calls {
        assert!(call.prompt.contains("AVGO는 싼가?"), "every role knows the question: {call:?}");
        assert_eq!(call.place, Place::Copies, "{call:?}");
        assert!(!call.inputs.is_empty(), "{call:?}");
        for input in &call.inputs {
            let named = besides.contains(&(call.step, input.as_str()));
            assert!(POLICY.may_read(&call.role, input) || named, "{} {input}", call.role);
        }
    }
}

#[test]
fn a_citation_that_does_not_exist_fails_the_gate() {
    let mut session = in_lanes(1, &independent(1));
    session.commit();
    session.reply(&[("a.md", json!("as said in [K-0042]"))]);
    session.commit();
    session.commit();
    assert!(!session.files.contains_key(layout::INDEX));
    let log = String::from_utf8(session.files[layout::LOG].clone()).unwrap();
    assert!(log.contains("cited but not known: K-0042"), "{log}");
    session.commit();
    let (_, effect) = session.reply(&[("a.md", json!("x"))]);
    let Effect::Call(call) = effect else { panic!() };
    assert!(call.prompt.contains("cited but not known: K-0042"), "a retry is told why");
}

#[test]
fn an_artifact_that_changes_later_invalidates_its_knowledge_and_names_what_cited_it() {
    let tasks = [
        task("T-0001", "SYNTHESIS", &[]),
        task("T-0002", "SYNTHESIS", &["T-0001"]),
        task("T-0003", "SYNTHESIS", &["T-0001"]),
    ];
    let mut session = in_lanes(1, &tasks);
    session.pass("fact");
    session.pass("see [K-0001]");
    session.commit();
    let path = DocPath::new("execution/outputs/T-0001/a.md").unwrap();
    assert!(session.flow.rests_on(&session.view).contains(&path));
    session.saved(&path, Some("changed by hand"));
    let commit = session.commit();
    assert_eq!(commit.role, "Critic");
    assert_eq!(session.events().last().unwrap(), "KNOWLEDGE_INVALIDATED");
    let log = String::from_utf8(session.files[layout::LOG].clone()).unwrap();
    let event: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(event["detail"]["knowledge"], json!(["K-0001", "K-0002"]));
    assert_eq!(event["detail"]["review"], json!(["T-0002"]));
    assert_eq!(event["detail"]["again"], json!(["T-0001", "T-0002", "T-0003"]));
    let index: KnowledgeIndex = serde_json::from_slice(&session.files[layout::INDEX]).unwrap();
    assert_eq!(json!(index.knowledge[0].invalidated_by), event["event_id"]);
    assert_eq!(json!(index.knowledge[0].status), "INVALIDATED");
    assert_eq!(json!(index.knowledge[1].status), "INVALIDATED", "it rested on the other");
    session.agrees();
    // Their passes are taken away: they run again, each with what it is made from.
    for (task, knowledge) in [("T-0001", "fact"), ("T-0002", "see [K-0003]"), ("T-0003", "x")] {
        session.commit();
        let (key, effect) = session.reply(&[("a.md", json!(knowledge))]);
        assert_eq!(key.as_str(), format!("{task}/execute/2"));
        let Effect::Call(call) = effect else { panic!() };
        let known = call.prompt.contains("[K-0003]");
        assert_eq!(known, task != "T-0001", "nothing works from nothing: {}", call.prompt);
        session.commit();
        session.reply(&[("report.json", report("PASS", &[]))]);
        session.commit();
    }
    session.agrees();
    let (key, _) = session.reply(&[("final.md", json!("so [K-0004]"))]);
    assert_eq!(key.as_str(), "session/finalize/1");
}

/// An answer that was not judged yet rests on what passed.
#[test]
fn knowledge_that_falls_before_the_verdict_takes_the_answer_with_it() {
    let mut session = in_lanes(1, &independent(1));
    session.pass("fact");
    session.reply(&[("final.md", json!("so [K-0001]"))]);
    session.commit();
    let path = DocPath::new("execution/outputs/T-0001/a.md").unwrap();
    session.saved(&path, Some("changed by hand"));
    session.commit();
    assert_eq!(session.event("KNOWLEDGE_INVALIDATED")["detail"]["again"], json!(["T-0001"]));
    session.pass("another fact");
    let (key, _) = session.reply(&[("final.md", json!("so [K-0002]"))]);
    assert_eq!(key.as_str(), "session/finalize/1/asked-1");
    session.commit();
    session.reply(&[("verdict.md", json!("PASS"))]);
    session.commit();
    session.agrees();
    assert!(String::from_utf8_lossy(&session.files[layout::FINAL]).contains("K-0002"));
}

#[test]
fn a_plan_that_drops_a_task_invalidates_its_knowledge() {
    let mut session = in_lanes(1, &independent(2));
    session.pass("fact");
    session.flow.wish = Some(Wish::Replan { reason: "other facts".to_owned(), known: 6 });
    session.commit();
    session.reply(&revised("MAJOR", version(2, 1, &independent(2)[1..])));
    session.commit();
    session.commit();
    let index: KnowledgeIndex = serde_json::from_slice(&session.files[layout::INDEX]).unwrap();
    assert_eq!(json!(index.knowledge[0].status), "INVALIDATED");
}

#[test]
fn fields_that_others_added_to_a_pointer_are_kept() {
    let mut session = in_lanes(1, &independent(1));
    let mut status: Value = serde_json::from_slice(&session.files[layout::STATUS]).unwrap();
    status["watched_by"] = json!(["kim"]);
    let (path, bytes) = (DocPath::new(layout::STATUS).unwrap(), status.to_string().into_bytes());
    let seen = Seen::File(Identity::of(&bytes, None));
    session.flow.fold(&mut session.view, &Delta::Document { path: &path, bytes: &bytes, seen });
    session.commit();
    let after: Value = serde_json::from_slice(&session.files[layout::STATUS]).unwrap();
    assert_eq!(after["watched_by"], json!(["kim"]));
    assert_eq!(after["current_task_id"], "T-0001");
}

#[test]
fn a_plan_or_an_index_that_nobody_can_read_blocks_and_is_named() {
    for path in [layout::DECOMPOSITION, layout::INDEX] {
        let mut session = in_lanes(1, &independent(2));
        session.pass("fact");
        let (path, bytes) = (DocPath::new(path).unwrap(), b"{".as_slice());
        let seen = Seen::File(Identity::of(bytes, None));
        session.flow.fold(&mut session.view, &Delta::Document { path: &path, bytes, seen });
        let Step::Finish(Ending::Blocked(notice)) = session.next() else { panic!("{path}") };
        assert!(notice.what.contains(path.as_str()), "{notice:?}");
    }
}

#[test]
fn directories_that_grow_with_the_work_are_not_read() {
    let flow = SessionFlow::default();
    let reads = |path: &str, is_dir| flow.reads(&DocPath::new(path).unwrap(), is_dir);
    assert!(!reads("execution/outputs", true) && !reads("critique/reports", true));
    assert!(reads("plan", true) && reads(layout::LOG, false) && reads("execution", true));
}
