//! A session in memory for tests of its decisions: commits are applied, effects are answered.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::docs::session::SessionStatus;
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::flows::session::{NewSession, SessionFlow, View, layout};
use hast_flow::steps::{Answer, CallResult, Commit, Effect, EffectResult, Step, StepKey, StepLog};
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
        commit
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
            Put::Archive { .. } => panic!("{put:?}"),
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

    /// One task from its start to its passed review.
    pub(crate) fn pass(&mut self, text: &str) {
        self.commit();
        self.reply(&[("a.md", json!(text))]);
        self.commit();
        self.reply(&[("report.json", report("PASS", &[]))]);
        self.commit();
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
    json!({"major_version": 1, "revision": 1, "tasks": tasks})
}

pub(crate) fn task(id: &str, source: &str, deps: &[&str]) -> Value {
    let calls = if source == "SYNTHESIS" {
        json!([])
    } else {
        json!([{"name": "web_fetch", "args": {"url": "u"}}])
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
