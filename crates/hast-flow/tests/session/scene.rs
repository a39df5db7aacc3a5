//! A session in memory for tests of its decisions: commits are applied, effects are answered.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::docs::session::SessionStatus;
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::flows::session::view::IndexFile;
use hast_flow::flows::session::{NewSession, SessionFlow, View, layout};
use hast_flow::step_log::StepLog;
use hast_flow::steps::{
    Answer, CallResult, Commit, Effect, EffectResult, Step, StepKey, ToolAnswer, ToolSource,
};
use hast_flow::store::{DocPath, Identity, Put, Seen};
use hast_flow::words::Lang;
use serde_json::{Value, json};

/// A session in memory: its files, its view, and the steps taken.
pub(crate) struct Session {
    pub(crate) flow: SessionFlow,
    pub(crate) view: View,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) running: BTreeSet<StepKey>,
}

impl Session {
    pub(crate) fn new() -> Self {
        let new = NewSession {
            id: None,
            query: "AVGO는 싼가?".to_owned(),
            system_prompt: "p".to_owned(),
            review_rules: None,
        };
        Self {
            flow: SessionFlow { new: Some(new), ..SessionFlow::default() },
            view: View::default(),
            files: BTreeMap::new(),
            running: BTreeSet::new(),
        }
    }

    pub(crate) fn next(&self) -> Step {
        let (none, steps) = (BTreeSet::new(), StepLog::default());
        let now = "2026-01-12T14:30:00Z".parse().unwrap();
        let running = &self.running;
        let facts = Facts { now, lang: Lang::En, running, steps: &steps, noted: &none };
        self.flow.next_step(&self.view, &facts)
    }

    /// The next step must be a commit; it is applied.
    pub(crate) fn commit(&mut self) -> Commit {
        let Step::Commit(commit) = self.next() else { panic!("{:?}", self.next()) };
        for put in &commit.puts {
            self.apply(put);
        }
        self.look();
        commit
    }

    /// What the driver does before each decision: it looks at what the decision rests on.
    pub(crate) fn look(&mut self) {
        for path in self.flow.rests_on(&self.view) {
            match self.files.get(path.as_str()).cloned() {
                Some(bytes) => {
                    let seen = Seen::File(Identity::of(&bytes, None));
                    let delta = Delta::Document { path: &path, bytes: &bytes, seen };
                    self.flow.fold(&mut self.view, &delta);
                }
                None => self.flow.fold(&mut self.view, &Delta::Gone { path: &path }),
            }
        }
    }

    pub(crate) fn apply(&mut self, put: &Put) {
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
                let seen = Seen::Log { length: file.len() as u64 };
                self.flow.fold(&mut self.view, &Delta::Appended { path, at: *at, bytes, seen });
            }
            Put::Patch { path, at, old, new, .. } => {
                let file = self.files.get_mut(path.as_str()).unwrap();
                let start = usize::try_from(*at).unwrap();
                assert_eq!(&file[start..], old, "only an end grows");
                file.truncate(start);
                file.extend(new);
                let seen = Seen::File(Identity { hash: None, ..Identity::of(file, None) });
                let delta = Delta::Appended { path, at: *at, bytes: new, seen };
                self.flow.fold(&mut self.view, &delta);
            }
            Put::Archive { from, to } => {
                let bytes = self.files.remove(from.as_str()).unwrap();
                assert!(self.files.insert(to.to_string(), bytes).is_none(), "{to}");
                self.flow.fold(&mut self.view, &Delta::Gone { path: from });
            }
        }
    }

    /// A person saves a document, or removes it.
    pub(crate) fn saved(&mut self, path: &DocPath, text: Option<&str>) {
        let Some(text) = text else {
            self.files.remove(path.as_str());
            return self.flow.fold(&mut self.view, &Delta::Gone { path });
        };
        let bytes = text.as_bytes();
        self.files.insert(path.to_string(), bytes.to_vec());
        let seen = Seen::File(Identity::of(bytes, None));
        self.flow.fold(&mut self.view, &Delta::Document { path, bytes, seen });
    }

    /// The next step must be an effect; it is answered.
    pub(crate) fn answer(&mut self, result: &EffectResult) -> (StepKey, Effect) {
        let Step::Effect { key, effect } = self.next() else { panic!("{:?}", self.next()) };
        self.running.remove(&key);
        self.flow.fold(&mut self.view, &Delta::Result { key: &key, result });
        (key, effect)
    }

    /// The next step must be an effect that is not on its way; it begins.
    pub(crate) fn begin(&mut self) -> String {
        let Step::Effect { key, .. } = self.next() else { panic!("{:?}", self.next()) };
        assert!(self.running.insert(key.clone()), "{key} is on its way");
        key.to_string()
    }

    /// Something that was begun comes home.
    pub(crate) fn home(&mut self, key: &str, documents: &[(&str, Value)]) {
        let key = StepKey::new(&[key]);
        assert!(self.running.remove(&key), "{key} was not begun");
        let result = completed(documents);
        self.flow.fold(&mut self.view, &Delta::Result { key: &key, result: &result });
    }

    /// The tools of a task that was begun come home.
    pub(crate) fn fetched_home(&mut self, key: &str, text: &str) {
        let key = StepKey::new(&[key]);
        assert!(self.running.remove(&key), "{key} was not begun");
        let result = EffectResult::Tools(vec![Ok(ToolAnswer::of(text))]);
        self.flow.fold(&mut self.view, &Delta::Result { key: &key, result: &result });
    }

    /// One task from its start to its passed review.
    pub(crate) fn pass(&mut self, text: &str) {
        self.commit();
        self.reply(&[("a.md", json!(text))]);
        self.commit();
        self.reply(&[("report.json", report("PASS", &[]))]);
        self.commit();
    }

    /// A data task's tools give this.
    pub(crate) fn fetched(&mut self, text: &str) -> (StepKey, Effect) {
        self.answer(&EffectResult::Tools(vec![Ok(ToolAnswer::of(text))]))
    }

    /// The same, with where it came from.
    pub(crate) fn fetched_from(&mut self, text: &str, url: &str) {
        let source = ToolSource {
            url: url.to_owned(),
            fetched_at: "2026-01-12T14:30:00Z".parse().unwrap(),
            media: "text/html".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let answer = ToolAnswer { sources: vec![source], ..ToolAnswer::of(text) };
        self.answer(&EffectResult::Tools(vec![Ok(answer)]));
    }

    /// One result for whatever is asked next.
    pub(crate) fn blocked(&mut self, reason: &str) -> (StepKey, Effect) {
        let reason = reason.to_owned();
        self.answer(&EffectResult::Call(CallResult::Blocked { reason }))
    }

    /// A person answers the question that is open, in its file.
    pub(crate) fn says(&mut self, answer: &str) {
        let (id, _) = self.view.pending.iter().find(|(_, p)| p.answer.is_none()).unwrap();
        let document =
            json!({"id": id, "ts": "2026-01-12T14:40:00Z", "answer": answer, "status": "ANSWERED"});
        let path = DocPath::new(&layout::answer(id)).unwrap();
        self.saved(&path, Some(&document.to_string()));
    }

    /// The session read afresh says what was learnt change by change.
    pub(crate) fn agrees(&self) {
        let mut fresh = View::default();
        for (path, bytes) in &self.files {
            let path = DocPath::new(path).unwrap();
            let read = |path: &DocPath, is_dir| self.flow.reads(path, is_dir);
            if !path.ancestors().all(|dir| read(&dir, true)) {
                continue;
            }
            let seen = Seen::File(Identity::of(bytes, None));
            self.flow.fold(&mut fresh, &Delta::Document { path: &path, bytes, seen });
        }
        let said = |view: &View| {
            let mut view = view.clone();
            view.results.clear();
            view.contents.clear();
            view.routing.identity = None;
            view.plan_files.archived = None;
            if let Some(answer) = view.answer.as_mut() {
                answer.identity = None;
            }
            if let Some(status) = view.status.as_mut() {
                status.identity = None;
            }
            if let IndexFile::Read(index) = &mut view.index {
                index.identity = None;
            }
            view
        };
        assert_eq!(said(&self.view), said(&fresh));
    }

    pub(crate) fn document(&self, path: &str) -> Value {
        serde_json::from_slice(&self.files[path]).unwrap()
    }

    /// The last event of a kind.
    pub(crate) fn event(&self, kind: &str) -> Value {
        let log = String::from_utf8(self.files[layout::LOG].clone()).unwrap();
        let mut events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.rfind(|event| event["type"] == kind).unwrap_or_default()
    }

    pub(crate) fn reply(&mut self, documents: &[(&str, Value)]) -> (StepKey, Effect) {
        self.answer(&completed(documents))
    }

    pub(crate) fn planned(tasks: &[Value]) -> Self {
        let mut session = Self::new();
        session.commit();
        session.reply(&[("decomposition.json", plan(tasks)), ("state.json", json!({}))]);
        session.commit();
        session
    }

    pub(crate) fn status(&self) -> SessionStatus {
        serde_json::from_slice(&self.files[layout::STATUS]).unwrap()
    }

    pub(crate) fn events(&self) -> Vec<String> {
        let log = String::from_utf8(self.files[layout::LOG].clone()).unwrap();
        let kind = |line: &str| {
            serde_json::from_str::<Value>(line).unwrap()["type"].as_str().unwrap().to_owned()
        };
        log.lines().map(kind).collect()
    }
}

pub(crate) fn plan(tasks: &[Value]) -> Value {
    version(1, 1, tasks)
}

pub(crate) fn version(major: u32, revision: u32, tasks: &[Value]) -> Value {
    json!({"major_version": major, "revision": revision, "tasks": tasks})
}

/// What a planner gives back when its plan is revised.
pub(crate) fn revised(kind: &str, plan: Value) -> [(&'static str, Value); 3] {
    let replan = json!({"kind": kind, "reason": "because"});
    [("decomposition.json", plan), ("state.json", json!({})), ("replan.json", replan)]
}

pub(crate) fn task(id: &str, source: &str, deps: &[&str]) -> Value {
    let calls = if source == "SYNTHESIS" {
        json!([])
    } else {
        json!([{"name": "web_fetch", "args": {"url": "https://news.example/a"}}])
    };
    json!({"id": id, "title": "t", "level": 1, "parent_id": null, "data_sources": [source], "deps": deps,
        "outputs": [{"path": format!("/execution/outputs/{id}/a.md"), "type": "spec"}], "tool_calls": calls, "acceptance": ["x"]})
}

pub(crate) fn report(verdict: &str, fixes: &[&str]) -> Value {
    json!({"verdict": verdict, "findings": [], "required_fixes": fixes})
}

pub(crate) fn paths(commit: &Commit) -> Vec<&str> {
    commit.puts.iter().map(|put| put.path().as_str()).collect()
}

pub(crate) fn completed(documents: &[(&str, Value)]) -> EffectResult {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let documents =
        documents.iter().map(|(name, value)| ((*name).to_owned(), text(value).into_bytes()));
    let answer = Answer { documents: documents.collect(), ..Answer::default() };
    EffectResult::Call(CallResult::Completed(answer))
}
