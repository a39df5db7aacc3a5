//! The session flow's decisions, a sentence of the seed each. Commits are applied in memory.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::agents::outcome::FailureClass;
use hast_flow::docs::session::{KnowledgeIndex, SessionStatus, SystemStatus};
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::flows::session::{NewSession, SessionFlow, View, layout};
use hast_flow::steps::{
    Answer, CallResult, Commit, Effect, EffectResult, Ending, Step, StepKey, StepLog,
};
use hast_flow::store::{DocPath, Identity, Put, Seen};
use hast_flow::words::Lang;
use serde_json::{Value, json};

/// A session in memory: its files, its view, and the steps taken.
struct Session {
    flow: SessionFlow,
    view: View,
    files: BTreeMap<String, Vec<u8>>,
}

impl Session {
    fn new() -> Self {
        let new = NewSession {
            query: "AVGO는 싼가?".to_owned(),
            system_prompt: "p".to_owned(),
            review_rules: None,
        };
        Self {
            flow: SessionFlow { new: Some(new), max_regenerations: 2 },
            view: View::default(),
            files: BTreeMap::new(),
        }
    }

    fn next(&self) -> Step {
        let (none, steps) = (BTreeSet::new(), StepLog::default());
        let now = "2026-01-12T14:30:00Z".parse().unwrap();
        let facts = Facts { now, lang: Lang::Ko, running: &none, steps: &steps, noted: &none };
        self.flow.next_step(&self.view, &facts)
    }

    /// The next step must be a commit; it is applied.
    fn commit(&mut self) -> Commit {
        let Step::Commit(commit) = self.next() else { panic!("{:?}", self.next()) };
        for put in &commit.puts {
            self.apply(put);
        }
        commit
    }

    fn apply(&mut self, put: &Put) {
        match put {
            Put::Create { path, bytes } | Put::Replace { path, bytes, .. } => {
                assert_eq!(
                    self.files.contains_key(path.as_str()),
                    matches!(put, Put::Replace { .. }),
                    "{path}"
                );
                self.files.insert(path.to_string(), bytes.clone());
                let seen = Seen::File(Identity::of(bytes, None));
                self.flow.fold(&mut self.view, &Delta::Document { path, bytes, seen });
            }
            Put::Append { path, at, bytes } => {
                let file = self.files.get_mut(path.as_str()).unwrap();
                assert_eq!(file.len() as u64, *at);
                file.extend(bytes);
                self.flow.fold(&mut self.view, &Delta::Appended { path, at: *at, bytes });
            }
            Put::Archive { .. } | Put::Patch { .. } => panic!("{put:?}"),
        }
    }

    /// The next step must be an effect; it is answered.
    fn answer(&mut self, result: &EffectResult) -> (StepKey, Effect) {
        let Step::Effect { key, effect } = self.next() else { panic!("{:?}", self.next()) };
        self.flow.fold(&mut self.view, &Delta::Result { key: &key, result });
        (key, effect)
    }

    fn reply(&mut self, documents: &[(&str, Value)]) -> (StepKey, Effect) {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let documents =
            documents.iter().map(|(name, value)| ((*name).to_owned(), text(value).into_bytes()));
        let answer = Answer { documents: documents.collect(), ..Answer::default() };
        self.answer(&EffectResult::Call(CallResult::Completed(answer)))
    }

    fn planned(tasks: &[Value]) -> Self {
        let mut session = Self::new();
        session.commit();
        session.reply(&[("decomposition.json", plan(tasks)), ("state.json", json!({}))]);
        session.commit();
        session
    }

    fn status(&self) -> SessionStatus {
        serde_json::from_slice(&self.files[layout::STATUS]).unwrap()
    }

    fn events(&self) -> Vec<String> {
        let log = String::from_utf8(self.files[layout::LOG].clone()).unwrap();
        let kind = |line: &str| {
            serde_json::from_str::<Value>(line).unwrap()["type"].as_str().unwrap().to_owned()
        };
        log.lines().map(kind).collect()
    }
}

fn plan(tasks: &[Value]) -> Value {
    json!({"major_version": 1, "revision": 1, "tasks": tasks})
}

fn task(id: &str, source: &str, deps: &[&str]) -> Value {
    let calls = if source == "SYNTHESIS" {
        json!([])
    } else {
        json!([{"name": "web_fetch", "args": {"url": "u"}}])
    };
    json!({"id": id, "title": "t", "level": 1, "parent_id": null, "data_sources": [source], "deps": deps,
        "outputs": [{"path": format!("/execution/outputs/{id}/a.md"), "type": "spec"}], "tool_calls": calls, "acceptance": ["x"]})
}

fn report(verdict: &str, fixes: &[&str]) -> Value {
    json!({"verdict": verdict, "findings": [], "required_fixes": fixes})
}

fn paths(commit: &Commit) -> Vec<&str> {
    commit.puts.iter().map(|put| put.path().as_str()).collect()
}

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
        assert_eq!(call.prompt.contains("T-0009 does not exist"), regeneration > 0);
    }
    session.commit();
    assert_eq!(session.events(), ["SESSION_CREATED", "SESSION_FAILED"]);
    assert!(matches!(session.next(), Step::Finish(Ending::Failed(_))));
}

#[test]
fn a_data_task_performs_exactly_its_tool_calls_without_a_model() {
    let mut session = Session::planned(&[task("T-0001", "WEB", &[])]);
    session.commit();
    let (_, effect) = session.answer(&EffectResult::Tools(vec![Ok(b"page".to_vec())]));
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
    assert_eq!(call.inputs, [DocPath::new("execution/outputs/T-0001/a.md").unwrap()]);
    let commit = session.commit();
    assert_eq!(commit.role, "Critic");
    let index: KnowledgeIndex = serde_json::from_slice(&session.files[layout::INDEX]).unwrap();
    assert_eq!(index.knowledge[0].id.as_str(), "K-0001");
    assert_eq!(session.events()[4..], ["TASK_REVIEWED", "KNOWLEDGE_PROMOTED"]);
}

#[test]
fn unreviewed_or_falsely_passed_output_is_never_knowledge() {
    for lie in
        [report("FAIL", &[]), report("PASS", &["fix"]), json!("fine"), json!({"verdict": "GREAT"})]
    {
        let mut session = Session::planned(&[task("T-0001", "SYNTHESIS", &[])]);
        session.commit();
        session.reply(&[("a.md", json!("text"))]);
        session.commit();
        assert!(!session.files.contains_key(layout::INDEX));
        session.reply(&[("report.json", lie)]);
        session.commit();
        assert!(!session.files.contains_key(layout::INDEX));
        let report: Value =
            serde_json::from_slice(&session.files["critique/reports/T-0001.json"]).unwrap();
        assert_eq!(report["verdict"], "FAIL");
    }
}

#[test]
fn a_simple_error_is_tried_again_in_a_directory_of_its_own_and_three_failures_end_it() {
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
    session.commit();
    assert_eq!(session.events().last().unwrap(), "SESSION_FAILED");
}

#[test]
fn dependencies_come_first_then_the_listed_order() {
    let mut session = Session::planned(&[
        task("T-0001", "SYNTHESIS", &["T-0003"]),
        task("T-0002", "SYNTHESIS", &[]),
        task("T-0003", "SYNTHESIS", &[]),
    ]);
    let mut order = Vec::new();
    while session.view.current().is_some() {
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
    session.reply(&[("verdict.md", json!("충분하다"))]);
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
