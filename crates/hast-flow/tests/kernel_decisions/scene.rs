//! A kernel whose commits are applied in memory.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::docs::kernel::{
    EngineToKernelResponse, KernelPlan, KernelStatus, TodoItem, TodoStatus,
};
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::flows::kernel::decide::Asked;
use hast_flow::flows::kernel::policy::POLICY;
use hast_flow::flows::kernel::{KernelFlow, NewRequest, View, layout};
use hast_flow::step_log::StepLog;
use hast_flow::steps::{Answer, Call, CallResult, Commit, Effect, EffectResult, Step, StepKey};
use hast_flow::store::{DocPath, Identity, Policy, Put, PutKind, Seen};
use hast_flow::words::Lang;
use serde_json::{Value, json};

pub(crate) const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

pub(crate) const REQUEST: &str = "보고서를 써라";

/// A kernel on a pretended disk.
pub(crate) struct Kernel {
    pub(crate) flow: KernelFlow,
    pub(crate) view: View,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) noted: BTreeSet<StepKey>,
    pub(crate) lang: Lang,
}

impl Kernel {
    pub(crate) fn new(asked: Asked) -> Self {
        let flow = KernelFlow { asked, max_regenerations: 2 };
        let (view, files, noted) = (View::default(), BTreeMap::new(), BTreeSet::new());
        Self { flow, view, files, noted, lang: Lang::En }
    }

    /// Booted, with a request whose plan is asked for.
    pub(crate) fn requested() -> Self {
        let new = Some(NewRequest { text: REQUEST.to_owned() });
        let mut kernel = Self::new(Asked::Request { id: ID.parse().unwrap(), new });
        for _ in 0..3 {
            kernel.commit();
        }
        kernel
    }

    pub(crate) fn planned(items: &[Value]) -> Self {
        let mut kernel = Self::requested();
        kernel.reply(&[("plan.json", json!({ "todo_list": items }))]);
        kernel.commit();
        kernel
    }

    pub(crate) fn next(&self) -> Step {
        let (running, steps) = (BTreeSet::new(), StepLog::default());
        let now = "2026-01-12T14:30:00Z".parse().unwrap();
        let lang = self.lang;
        let facts = Facts { now, lang, running: &running, steps: &steps, noted: &self.noted };
        self.flow.next_step(&self.view, &facts)
    }

    pub(crate) fn commit(&mut self) -> Commit {
        let Step::Commit(commit) = self.next() else { panic!("{:?}", self.next()) };
        for put in &commit.puts {
            POLICY.judge(commit.role, put.kind(), put.path()).unwrap();
            self.apply(put);
        }
        self.noted.retain(|key| !commit.finishes.contains(key));
        self.noted.extend(commit.starts.iter().cloned());
        commit
    }

    pub(crate) fn apply(&mut self, put: &Put) {
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
    pub(crate) fn set(&mut self, path: &str, bytes: &[u8]) {
        self.files.insert(path.to_owned(), bytes.to_vec());
        let seen = Seen::File(Identity::of(bytes, None));
        let path = DocPath::new(path).unwrap();
        self.flow.fold(&mut self.view, &Delta::Document { path: &path, bytes, seen });
    }

    pub(crate) fn remove(&mut self, path: &str) {
        self.files.remove(path);
        let path = DocPath::new(path).unwrap();
        self.flow.fold(&mut self.view, &Delta::Gone { path: &path });
    }

    pub(crate) fn call(&self) -> Call {
        match self.next() {
            Step::Effect { effect: Effect::Call(call), .. } => *call,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn answer(&mut self, result: CallResult) {
        let Step::Effect { key, .. } = self.next() else { panic!("{:?}", self.next()) };
        let result = EffectResult::Call(result);
        self.flow.fold(&mut self.view, &Delta::Result { key: &key, result: &result });
    }

    pub(crate) fn reply(&mut self, documents: &[(&str, Value)]) {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let documents =
            documents.iter().map(|(name, value)| ((*name).to_owned(), text(value).into_bytes()));
        self.answer(CallResult::Completed(Answer {
            documents: documents.collect(),
            ..Answer::default()
        }));
    }

    pub(crate) fn complete(&mut self, id: &str) {
        self.reply(&[("output.json", json!({"task_id": id, "status": "completed", "result": id}))]);
        self.commit();
    }

    pub(crate) fn plan(&self) -> Vec<TodoItem> {
        let file = &self.files[&format!("requests/{ID}/plan.json")];
        serde_json::from_slice::<KernelPlan>(file).unwrap().todo_list
    }

    pub(crate) fn states(&self) -> Vec<(String, TodoStatus)> {
        self.plan().into_iter().map(|item| (item.id, item.status)).collect()
    }

    pub(crate) fn status(&self) -> KernelStatus {
        serde_json::from_slice(&self.files[layout::STATUS]).unwrap()
    }

    pub(crate) fn response(&self) -> EngineToKernelResponse {
        serde_json::from_slice(&self.files[&format!("requests/{ID}/response.json")]).unwrap()
    }

    pub(crate) fn steps(&self) -> Vec<u64> {
        self.events().iter().filter_map(|event| event["detail"]["step"].as_u64()).collect()
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        let log = String::from_utf8(self.files[layout::LOG].clone()).unwrap();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The kinds of the messages, in their order.
    pub(crate) fn message_kinds(&self) -> Vec<String> {
        let transcript = format!("requests/{ID}/transcript/");
        let names = self.files.keys().filter_map(|path| path.strip_prefix(transcript.as_str()));
        names.map(|name| name[5..name.len() - 5].to_owned()).collect()
    }

    /// The last message of a kind.
    pub(crate) fn message(&self, kind: &str) -> Value {
        let transcript = format!("requests/{ID}/transcript/");
        let wanted = |path: &&String| path.starts_with(&transcript) && path.contains(kind);
        let last = self.files.keys().rfind(wanted).unwrap();
        serde_json::from_slice(&self.files[last]).unwrap()
    }

    pub(crate) fn errors(&self) -> String {
        let path = format!("requests/{ID}/errors.ndjson");
        self.files.get(&path).map(|log| String::from_utf8(log.clone()).unwrap()).unwrap_or_default()
    }
}

pub(crate) fn item(id: &str, status: &str, dependencies: &[&str], steps: u32) -> Value {
    json!({
        "id": id, "title": format!("Title {id}"), "description": format!("do {id}"),
        "expert": "ResearchExpert", "status": status, "dependencies": dependencies,
        "estimated_steps": steps,
    })
}

/// What the agent is told about its last reply.
pub(crate) fn findings(call: &Call) -> String {
    call.findings
        .iter()
        .map(|finding| format!("{} -> {}\n", finding.problem, finding.next))
        .collect()
}

pub(crate) fn one_item() -> Kernel {
    Kernel::planned(&[item("a", "in_progress", &[], 1)])
}

pub(crate) fn judged(kernel: &mut Kernel, answers: bool) {
    kernel.reply(&[("judgement.json", json!({"answers": answers, "reason": "because"}))]);
    kernel.commit();
}
