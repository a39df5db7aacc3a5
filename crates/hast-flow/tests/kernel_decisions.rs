//! What a kernel does next, a sentence of the protocol each.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::agents::outcome::FailureClass;
use hast_flow::docs::kernel::{
    EngineToKernelResponse, KernelPlan, KernelState, KernelStatus, TodoItem, TodoStatus,
};
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::flows::kernel::decide::Asked;
use hast_flow::flows::kernel::policy::POLICY;
use hast_flow::flows::kernel::{KernelFlow, NewRequest, View, layout};
use hast_flow::steps::{
    Answer, Call, CallResult, Commit, Effect, EffectResult, Ending, Step, StepKey, StepLog,
};
use hast_flow::store::{DocPath, Identity, Policy, Put, PutKind, Seen};
use hast_flow::words::Lang;
use serde_json::{Value, json};

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// A kernel on a pretended disk.
struct Kernel {
    flow: KernelFlow,
    view: View,
    files: BTreeMap<String, Vec<u8>>,
    noted: BTreeSet<StepKey>,
}

impl Kernel {
    fn new(asked: Asked) -> Self {
        let flow = KernelFlow { asked, max_regenerations: 2 };
        Self { flow, view: View::default(), files: BTreeMap::new(), noted: BTreeSet::new() }
    }

    /// Booted, with a request whose plan is asked for.
    fn requested() -> Self {
        let new = Some(NewRequest { text: "보고서를 써라".to_owned() });
        let mut kernel = Self::new(Asked::Request { id: ID.parse().unwrap(), new });
        for _ in 0..3 {
            kernel.commit();
        }
        kernel
    }

    fn planned(items: &[Value]) -> Self {
        let mut kernel = Self::requested();
        kernel.reply(&[("plan.json", json!({ "todo_list": items }))]);
        kernel.commit();
        kernel
    }

    fn next(&self) -> Step {
        let (running, steps) = (BTreeSet::new(), StepLog::default());
        let now = "2026-01-12T14:30:00Z".parse().unwrap();
        let lang = Lang::En;
        let facts = Facts { now, lang, running: &running, steps: &steps, noted: &self.noted };
        self.flow.next_step(&self.view, &facts)
    }

    fn commit(&mut self) -> Commit {
        let Step::Commit(commit) = self.next() else { panic!("{:?}", self.next()) };
        for put in &commit.puts {
            POLICY.judge(commit.role, put.kind(), put.path()).unwrap();
            self.apply(put);
        }
        self.noted.retain(|key| !commit.finishes.contains(key));
        self.noted.extend(commit.starts.iter().cloned());
        commit
    }

    fn apply(&mut self, put: &Put) {
        match put {
            Put::Create { path, bytes } | Put::Replace { path, bytes, .. } => {
                let there = self.files.contains_key(path.as_str());
                assert_eq!(there, put.kind() == PutKind::Replace, "{path}");
                self.set(path.as_str(), bytes);
            }
            Put::Append { path, at, bytes } => {
                let file = self.files.get_mut(path.as_str()).unwrap();
                assert_eq!(file.len() as u64, *at);
                file.extend(bytes);
                let seen = Seen::Log { length: at + bytes.len() as u64 };
                let delta = Delta::Appended { path, at: *at, bytes, seen };
                self.flow.fold(&mut self.view, &delta);
            }
            other => panic!("{other:?}"),
        }
    }

    /// A file as somebody wrote it.
    fn set(&mut self, path: &str, bytes: &[u8]) {
        self.files.insert(path.to_owned(), bytes.to_vec());
        let seen = Seen::File(Identity::of(bytes, None));
        let path = DocPath::new(path).unwrap();
        self.flow.fold(&mut self.view, &Delta::Document { path: &path, bytes, seen });
    }

    fn remove(&mut self, path: &str) {
        self.files.remove(path);
        let path = DocPath::new(path).unwrap();
        self.flow.fold(&mut self.view, &Delta::Gone { path: &path });
    }

    fn call(&self) -> Call {
        match self.next() {
            Step::Effect { effect: Effect::Call(call), .. } => *call,
            other => panic!("{other:?}"),
        }
    }

    fn answer(&mut self, result: CallResult) {
        let Step::Effect { key, .. } = self.next() else { panic!("{:?}", self.next()) };
        let result = EffectResult::Call(result);
        self.flow.fold(&mut self.view, &Delta::Result { key: &key, result: &result });
    }

    fn reply(&mut self, documents: &[(&str, Value)]) {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let documents =
            documents.iter().map(|(name, value)| ((*name).to_owned(), text(value).into_bytes()));
        self.answer(CallResult::Completed(Answer {
            documents: documents.collect(),
            ..Answer::default()
        }));
    }

    fn complete(&mut self, id: &str) {
        self.reply(&[("output.json", json!({"task_id": id, "status": "completed", "result": id}))]);
        self.commit();
    }

    fn plan(&self) -> Vec<TodoItem> {
        let file = &self.files[&format!("requests/{ID}/plan.json")];
        serde_json::from_slice::<KernelPlan>(file).unwrap().todo_list
    }

    fn states(&self) -> Vec<(String, TodoStatus)> {
        self.plan().into_iter().map(|item| (item.id, item.status)).collect()
    }

    fn status(&self) -> KernelStatus {
        serde_json::from_slice(&self.files[layout::STATUS]).unwrap()
    }

    fn response(&self) -> EngineToKernelResponse {
        serde_json::from_slice(&self.files[&format!("requests/{ID}/response.json")]).unwrap()
    }

    fn steps(&self) -> Vec<u64> {
        self.events().iter().filter_map(|event| event["detail"]["step"].as_u64()).collect()
    }

    fn events(&self) -> Vec<Value> {
        let log = String::from_utf8(self.files[layout::LOG].clone()).unwrap();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn errors(&self) -> String {
        let path = format!("requests/{ID}/errors.ndjson");
        self.files.get(&path).map(|log| String::from_utf8(log.clone()).unwrap()).unwrap_or_default()
    }
}

fn item(id: &str, status: &str, dependencies: &[&str], steps: u32) -> Value {
    json!({
        "id": id, "title": format!("Title {id}"), "description": format!("do {id}"),
        "expert": "ResearchExpert", "status": status, "dependencies": dependencies,
        "estimated_steps": steps,
    })
}

/// What the agent is told about its last reply.
fn findings(call: &Call) -> String {
    call.findings
        .iter()
        .map(|finding| format!("{} -> {}\n", finding.problem, finding.next))
        .collect()
}

fn one_item() -> Kernel {
    Kernel::planned(&[item("a", "in_progress", &[], 1)])
}

fn judged(kernel: &mut Kernel, answers: bool) {
    kernel.reply(&[("judgement.json", json!({"answers": answers, "reason": "because"}))]);
    kernel.commit();
}

#[test]
fn the_seventeen_steps_are_recorded_in_their_order() {
    let mut kernel = one_item();
    kernel.complete("a");
    kernel.reply(&[("report.md", json!("# 답"))]);
    kernel.commit();
    judged(&mut kernel, true);
    assert_eq!(kernel.steps(), [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 16, 17]);
    assert!(matches!(kernel.next(), Step::Finish(Ending::Done(_))));
    assert_eq!(kernel.response().final_report.as_deref(), Some("# 답"));
}

#[test]
fn steps_9_and_10_happen_when_an_expert_submits_a_sub_plan() {
    let mut kernel = Kernel::planned(&[item("b", "in_progress", &[], 5)]);
    assert_eq!(kernel.call().step, "expand");
    let plan = json!([item("s1", "pending", &[], 1), item("s2", "pending", &["s1"], 1)]);
    kernel.reply(&[(
        "output.json",
        json!({"task_id": "b", "status": "needs_sub_plan", "plan": plan}),
    )]);
    kernel.commit();
    assert_eq!(kernel.steps(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 7]);
    use TodoStatus::{Completed, InProgress, Pending};
    let states = |states: [TodoStatus; 3]| {
        ["b", "b/s1", "b/s2"].map(str::to_owned).into_iter().zip(states).collect::<Vec<_>>()
    };
    assert_eq!(kernel.states(), states([Pending, InProgress, Pending]));
    kernel.complete("b/s1");
    kernel.complete("b/s2");
    assert_eq!(kernel.states(), states([InProgress, Completed, Completed]));
    // Pending until its children completed, then executed with their results, and not expanded again.
    let call = kernel.call();
    assert_eq!((call.step, call.unit.as_str()), ("execute", "b"));
    assert!(call.prompt.contains("\"b/s2\": \"b/s2\""), "{}", call.prompt);
}

#[test]
fn the_messages_between_the_parts_are_kept_in_their_order() {
    let kernel = one_item();
    let transcript = format!("requests/{ID}/transcript/");
    let names: Vec<&str> =
        kernel.files.keys().filter_map(|path| path.strip_prefix(transcript.as_str())).collect();
    let kinds: Vec<&str> = names.iter().map(|name| &name[5..name.len() - 5]).collect();
    assert_eq!(
        kinds,
        [
            "KernelToEngineRequest",
            "EngineToExpertRequest",
            "ExpertOutput",
            "EngineToExpertRequest",
            "ExpertOutput",
            "EngineToExpertRequest",
        ]
    );
}

#[test]
fn a_boot_writes_what_is_missing_and_goes_from_booting_to_running() {
    let mut kernel = Kernel::new(Asked::Boot);
    kernel.commit();
    assert_eq!(kernel.status().status, KernelState::Booting);
    for name in ["brain.yaml", "experts/index.yaml", "experts/ResearchExpert.yaml"] {
        assert!(kernel.files.contains_key(name), "{name}");
    }
    kernel.commit();
    assert_eq!(kernel.status().status, KernelState::Running);
    assert!(matches!(kernel.next(), Step::Finish(Ending::Done(_))));
}

#[test]
fn anything_broken_fails_the_boot_at_once_with_the_context() {
    let mut kernel = Kernel::new(Asked::Boot);
    kernel.set("experts/PlanningExpert.yaml", b"name: PlanningExpert\nrole: 3\n");
    kernel.commit();
    kernel.commit();
    let status = kernel.status();
    assert_eq!(status.status, KernelState::Failed);
    let cause = status.last_failure.unwrap().error_details;
    assert!(cause.contains("experts/PlanningExpert.yaml:2"), "{cause}");
    assert!(matches!(kernel.next(), Step::Finish(Ending::Failed(_))));
}

#[test]
fn a_failed_kernel_refuses_requests_until_a_boot_succeeds() {
    let mut kernel = Kernel::requested();
    let failed = br#"{"status":"FAILED","since":"2026-01-12T14:30:00Z","last_failure":null}"#;
    kernel.set(layout::STATUS, failed);
    let Step::Finish(Ending::Failed(notice)) = kernel.next() else { panic!() };
    assert!(notice.next.contains("hast kernel boot"));
}

#[test]
fn a_plan_that_breaks_a_rule_is_planned_again_with_the_faults_at_most_twice() {
    let first = |other: Value| vec![item("a", "in_progress", &[], 1), other];
    let mut unknown = item("b", "pending", &[], 1);
    unknown["expert"] = json!("NobodyExpert");
    let many: Vec<Value> = (0..201)
        .map(|n| item(&n.to_string(), if n == 0 { "in_progress" } else { "pending" }, &[], 1))
        .collect();
    for (items, told) in [
        (first(item("a", "pending", &[], 1)), "is there twice"),
        (vec![item("a", "pending", &[], 1)], "is not in_progress"),
        (vec![item("a", "in_progress", &["a"], 1)], "has dependencies"),
        (first(item("b", "completed", &[], 1)), "is not pending"),
        (first(item("b", "pending", &["zz"], 1)), "which does not exist"),
        (
            vec![
                item("a", "in_progress", &[], 1),
                item("b", "pending", &["c"], 1),
                item("c", "pending", &["b"], 1),
            ],
            "wait for each other: b -> c -> b",
        ),
        (first(unknown), "NobodyExpert"),
        (many, "201 items"),
        (vec![], "no items"),
    ] {
        let mut kernel = Kernel::requested();
        for regeneration in 0..3 {
            let call = kernel.call();
            assert_eq!((call.step, call.regeneration), ("plan", regeneration));
            assert_eq!(findings(&call).contains(told), regeneration > 0, "{told}: {call:?}");
            kernel.reply(&[("plan.json", json!({ "todo_list": items }))]);
        }
        kernel.commit();
        let response = kernel.response();
        assert!(response.error_details.unwrap().contains(told), "{told}");
        assert_eq!(kernel.status().status, KernelState::Running);
        assert!(kernel.status().last_failure.unwrap().error_details.contains(told));
        assert_eq!(kernel.errors().lines().count(), 4, "{}", kernel.errors());
        assert!(matches!(kernel.next(), Step::Finish(Ending::Failed(_))));
    }
}

#[test]
fn an_expert_that_always_wants_a_sub_plan_ends_at_the_bound_with_a_reason() {
    let mut kernel = Kernel::planned(&[item("a", "in_progress", &[], 9)]);
    let mut calls = 0;
    let ending = loop {
        match kernel.next() {
            Step::Finish(ending) => break ending,
            Step::Commit(_) => drop(kernel.commit()),
            Step::Effect { effect: Effect::Call(call), .. } => {
                calls += 1;
                assert!(calls < 1_000, "it never ends");
                let plan = [item("x", "pending", &[], 9)];
                let output =
                    json!({"task_id": call.unit, "status": "needs_sub_plan", "plan": plan});
                let mut first = plan.to_vec();
                first[0]["status"] = json!("in_progress");
                kernel.reply(&[
                    ("output.json", output),
                    ("plan.json", json!({ "todo_list": first })),
                ]);
            }
            Step::Effect { .. } => panic!(),
        }
    };
    let Ending::Failed(notice) = ending else { panic!("{ending:?}") };
    assert!(notice.what.contains("cannot be broken down any further"), "{}", notice.what);
    assert_eq!(kernel.response().last_task_id.as_deref(), Some("a/x/x/x"));
}

#[test]
fn a_failed_item_gets_one_replacement_and_is_completed_by_it() {
    let mut kernel =
        Kernel::planned(&[item("a", "in_progress", &[], 1), item("b", "pending", &["a"], 1)]);
    kernel.answer(CallResult::Failed {
        class: FailureClass::TimedOut,
        reason: "timed out".to_owned(),
    });
    kernel.commit();
    let call = kernel.call();
    assert_eq!((call.step, call.role.as_str()), ("replace", "PlanningExpert"));
    assert!(call.prompt.contains("timed out"), "{}", call.prompt);
    let mut other = item("other", "pending", &[], 1);
    other["expert"] = json!("ImplementationExpert");
    kernel.reply(&[("plan.json", json!({ "todo_list": [other] }))]);
    kernel.commit();
    assert_eq!(kernel.call().role, "ImplementationExpert");
    kernel.complete("a/other");
    kernel.commit();
    assert_eq!(kernel.call().unit, "b");
    assert_eq!(kernel.plan()[0].status, TodoStatus::Completed);
}

#[test]
fn a_replacement_that_fails_too_fails_the_request_with_the_last_task_and_cause() {
    let mut kernel = one_item();
    let fail = |reason: &str| CallResult::Failed {
        class: FailureClass::TimedOut,
        reason: reason.to_owned(),
    };
    kernel.answer(fail("timed out"));
    kernel.commit();
    kernel.answer(fail("no idea"));
    kernel.commit();
    let response = kernel.response();
    assert_eq!(response.last_task_id.as_deref(), Some("a"));
    assert_eq!(response.error_details.as_deref(), Some("timed out; no replacement: no idea"));
    assert_eq!(kernel.status().last_failure.unwrap().last_task_id.as_deref(), Some("a"));
}

#[test]
fn an_expert_is_read_again_before_each_call() {
    let mut kernel = one_item();
    kernel.set(
        "experts/ResearchExpert.yaml",
        b"name: ResearchExpert\nrole: new role\nresponsibilities: []\ninstructions: look twice\nagent: codex\nlimits:\n  timeout_minutes: 7\n",
    );
    let call = kernel.call();
    assert!(call.prompt.contains("look twice"), "{}", call.prompt);
    assert_eq!(call.tool.as_deref(), Some("codex"));
    assert_eq!(call.timeout.unwrap().as_secs(), 420);
}

#[test]
fn a_missing_or_invalid_expert_fails_that_call_with_file_and_line() {
    let mut kernel = one_item();
    kernel.set("experts/ResearchExpert.yaml", b"name: ResearchExpert\nrole: r\ninstructions: 5\n");
    kernel.commit();
    assert!(kernel.errors().contains("experts/ResearchExpert.yaml:"), "{}", kernel.errors());
    assert_eq!(kernel.call().step, "replace");
}

#[test]
fn the_mirror_says_what_the_plan_says_after_each_update() {
    let mut kernel =
        Kernel::planned(&[item("a", "in_progress", &[], 1), item("b", "pending", &["a"], 1)]);
    kernel.complete("a");
    let mirror = String::from_utf8(kernel.files[layout::MIRROR].clone()).unwrap();
    assert!(mirror.contains("- [x] `a` Title a (ResearchExpert) · completed"), "{mirror}");
    assert!(mirror.contains("- [ ] `b` Title b (ResearchExpert) · in_progress"), "{mirror}");
}

#[test]
fn an_edit_of_the_mirror_at_rest_is_told_and_stays() {
    let mut kernel = one_item();
    kernel.noted.clear();
    let edited = String::from_utf8(kernel.files[layout::MIRROR].clone()).unwrap();
    kernel.set(layout::MIRROR, edited.replace("[ ]", "[x]").as_bytes());
    let Step::Finish(Ending::Blocked(notice)) = kernel.next() else {
        panic!("{:?}", kernel.next())
    };
    assert!(
        notice.what.contains("activeContext.md: - / plan.json: a in_progress"),
        "{}",
        notice.what
    );
    // Deleted, it is written anew from the plan.
    kernel.remove(layout::MIRROR);
    kernel.commit();
    assert!(kernel.files.contains_key(layout::MIRROR));
}

#[test]
fn a_mirror_that_differs_at_work_is_mended_twice_and_then_fails_with_both_sides() {
    let mut kernel = one_item();
    for round in 1..=2 {
        kernel.set(layout::MIRROR, format!("mine {round}").as_bytes());
        kernel.commit();
        let kept = format!("requests/{ID}/edited/activeContext.{round}.md");
        assert_eq!(kernel.files[&kept], format!("mine {round}").as_bytes());
    }
    kernel.set(layout::MIRROR, b"mine again");
    kernel.commit();
    let error = kernel.response().error_details.unwrap();
    assert!(error.contains("activeContext.md: - / plan.json: a in_progress"), "{error}");
}

#[test]
fn a_report_that_does_not_answer_is_written_again_once_and_then_fails() {
    let mut kernel = one_item();
    kernel.complete("a");
    for number in 1..=2 {
        let call = kernel.call();
        assert_eq!((call.step, call.attempt), ("report", number));
        kernel.reply(&[("report.md", json!(format!("report {number}")))]);
        kernel.commit();
        assert!(kernel.call().prompt.contains(&format!("report {number}")));
        judged(&mut kernel, false);
    }
    assert!(kernel.response().error_details.unwrap().contains("because"));
    assert!(kernel.files.contains_key(&format!("requests/{ID}/report.2.md")));
}

#[test]
fn no_report_before_all_items_are_completed() {
    let mut kernel =
        Kernel::planned(&[item("a", "in_progress", &[], 1), item("b", "pending", &[], 1)]);
    kernel.complete("a");
    assert_eq!(kernel.call().unit, "b");
    kernel.complete("b");
    assert_eq!(kernel.call().step, "report");
}

#[test]
fn an_answer_about_another_task_is_asked_for_again() {
    let mut kernel = one_item();
    kernel.reply(&[("output.json", json!({"task_id": "z", "status": "completed"}))]);
    let call = kernel.call();
    assert_eq!(call.regeneration, 1);
    assert!(findings(&call).contains("use task_id `a`"), "{call:?}");
}

#[test]
fn a_sub_plan_whose_ids_clash_or_that_is_too_long_is_asked_for_again() {
    let long: Vec<Value> = (0..11).map(|n| item(&format!("s{n}"), "pending", &[], 1)).collect();
    let twice = vec![item("s", "pending", &[], 1), item("s", "pending", &[], 1)];
    for (plan, told) in [(long, "11 items"), (twice, "is there twice"), (vec![], "no items")] {
        let mut kernel = Kernel::planned(&[item("b", "in_progress", &[], 5)]);
        let output = json!({"task_id": "b", "status": "needs_sub_plan", "plan": plan});
        kernel.reply(&[("output.json", output)]);
        assert!(findings(&kernel.call()).contains(told), "{:?}", kernel.call());
    }
}

#[test]
fn result_files_beside_the_answer_are_kept_with_it() {
    let mut kernel = one_item();
    let output = json!({"task_id": "a", "status": "completed"}).to_string().into_bytes();
    kernel.answer(CallResult::Completed(Answer {
        documents: BTreeMap::from([("output.json".to_owned(), output)]),
        others: BTreeMap::from([("표 1.md".to_owned(), b"x".to_vec())]),
        ..Answer::default()
    }));
    kernel.commit();
    let kept = format!("requests/{ID}/outputs/a/%ED%91%9C%201.md");
    assert_eq!(kernel.files.get(&kept).map(Vec::as_slice), Some(&b"x"[..]));
}
