//! A project in memory: its documents, its tree, agents and tests that do as they are told. Commits go
//! through the flow's policy.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::attempt::base::TreeRules;
use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::workspace::perform;
use hast_flow::attempt::worktrees;
use hast_flow::docs::contract::{ContractEvent, ContractState, Manifest, Project};
use hast_flow::docs::goals::{Memory, Minutes};
use hast_flow::driver::{Delta, Facts, Flow, Touched};
use hast_flow::flows::contract::policy::POLICY;
use hast_flow::flows::contract::{Asked, ContractFlow, Settings, View, layout};
use hast_flow::step_log::{StepLine, StepLog, StepState};
use hast_flow::steps::{
    Answer, Call, CallResult, Commit, Effect, EffectResult, Ending, Step, StepKey, ToolAnswer,
};
use hast_flow::store::{DocPath, Identity, Policy, Put, Seen};
use hast_flow::suites::Counted;
use hast_flow::words::Lang;
use serde_json::{Value, json};

use crate::git::{Files, Git};

pub(crate) const HASH: &str = "a1b2c3d4";
const NOW: &str = "2026-01-12T14:30:00Z";

/// What an agent does when it is called.
pub(crate) type Agent = Box<dyn FnMut(&Call, &mut Git) -> CallResult>;

pub(crate) struct Scene {
    pub(crate) flow: ContractFlow,
    pub(crate) view: View,
    pub(crate) documents: BTreeMap<String, Vec<u8>>,
    /// What hast wrote or read; the driver keeps it.
    kept: BTreeMap<String, Vec<u8>>,
    pub(crate) git: Git,
    pub(crate) agent: Agent,
    /// Every call, as `role step unit attempt`.
    pub(crate) calls: Vec<String>,
    pub(crate) prompts: Vec<String>,
    pub(crate) steps: StepLog,
    pub(crate) noted: BTreeSet<StepKey>,
    pub(crate) running: BTreeSet<StepKey>,
}

pub(crate) fn settings() -> Settings {
    Settings {
        project: Project {
            path: "/p".to_owned(),
            name: "p".to_owned(),
            hash: HASH.parse().unwrap(),
        },
        manifest: Manifest { claude_md: None, agents_md: None },
        test_command: "sh tests/run.sh".to_owned(),
        timeout_minutes: Minutes::new(30),
        max_regenerations: 2,
        memory: Memory::Off,
        prefix: String::new(),
        rules: TreeRules::default(),
        copy: Vec::new(),
        setup: None,
        max_saved_file_bytes: 1 << 20,
        max_saved_bytes: 1 << 20,
    }
}

impl Scene {
    pub(crate) fn new(agent: Agent) -> Self {
        let text = "합계를 내는 명령을 만들어줘".to_owned();
        let asked = Asked::Start { id: "R1".parse().unwrap(), text };
        Self {
            flow: ContractFlow { asked, settings: settings() },
            view: View::default(),
            documents: BTreeMap::new(),
            kept: BTreeMap::new(),
            git: Git::new(&[("README", "read me\n")]),
            agent,
            calls: Vec::new(),
            prompts: Vec::new(),
            steps: StepLog::default(),
            noted: BTreeSet::new(),
            running: BTreeSet::new(),
        }
    }

    pub(crate) fn next(&self) -> Step {
        let facts = Facts {
            now: NOW.parse().unwrap(),
            lang: Lang::En,
            running: &self.running,
            steps: &self.steps,
            noted: &self.noted,
        };
        self.flow.next_step(&self.view, &facts)
    }

    /// Goes on until the flow has nothing more to do now.
    pub(crate) fn drive(&mut self) -> Ending {
        for _ in 0..2_000 {
            if let Some(ending) = self.turn() {
                return ending;
            }
        }
        panic!("it never ends; calls: {:#?}", self.calls)
    }

    /// Goes on until a call of this step is wanted.
    pub(crate) fn drive_to(&mut self, step: &str) {
        for _ in 0..2_000 {
            if let Step::Effect { effect: Effect::Call(call), .. } = self.next()
                && call.step == step
            {
                return;
            }
            assert_eq!(self.turn(), None);
        }
        panic!("{step} is never asked for; calls: {:#?}", self.calls)
    }

    pub(crate) fn turn(&mut self) -> Option<Ending> {
        match self.next() {
            Step::Finish(ending) => return Some(ending),
            Step::Commit(commit) => self.commit(&commit),
            Step::Effect { key, effect } => {
                self.note(std::slice::from_ref(&key), StepState::Started);
                self.noted.insert(key.clone());
                let result = self.perform(&effect);
                self.look_around();
                self.flow.fold(&mut self.view, &Delta::Result { key: &key, result: &result });
            }
        }
        None
    }

    pub(crate) fn perform(&mut self, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Call(call) => {
                let Call { role, step, unit, attempt, .. } = &**call;
                self.calls.push(format!("{role} {step} {unit} {attempt}"));
                self.prompts.push(call.prompt.clone());
                EffectResult::Call((self.agent)(call, &mut self.git))
            }
            Effect::Within { tree, effect } => {
                if tree.as_str() == "rooms/=contract-a1b2c3d4-R1-trial" {
                    assert!(matches!(&**effect, Effect::Check(_)), "{effect:?}");
                    return EffectResult::Check(suite(self.git.on_trial()));
                }
                assert_eq!(tree.as_str(), "rooms/=contract-a1b2c3d4-R1");
                match &**effect {
                    Effect::Git(step) => EffectResult::Git(perform(&mut self.git, step)),
                    Effect::Check(_) => EffectResult::Check(suite(&self.git.files)),
                    other => unreachable!("{other:?}"),
                }
            }
            Effect::Worktree(step) => {
                EffectResult::Worktree(worktrees::perform(&mut self.git, step))
            }
            Effect::Git(_) | Effect::Check(_) | Effect::Scan(_) | Effect::Lease(_) => {
                unreachable!("a contract asks for none of these: {effect:?}")
            }
            Effect::Tools(uses) => {
                let found = || Ok(ToolAnswer::of("{\"found\": []}"));
                EffectResult::Tools(uses.iter().map(|_| found()).collect())
            }
        }
    }

    fn note(&mut self, keys: &[StepKey], state: StepState) {
        for step in keys {
            let line = StepLine { step: step.clone(), state, at: NOW.parse().unwrap() };
            self.steps.add(&line);
        }
    }

    pub(crate) fn commit(&mut self, commit: &Commit) {
        for put in &commit.puts {
            POLICY.judge(commit.role, put.kind(), put.path()).unwrap();
            self.apply(put);
        }
        self.note(&commit.finishes, StepState::Finished);
        self.note(&commit.starts, StepState::Started);
        self.noted.retain(|key| !commit.finishes.contains(key));
        self.noted.extend(commit.starts.iter().cloned());
    }

    fn apply(&mut self, put: &Put) {
        match put {
            Put::Create { path, bytes } => {
                assert!(!self.documents.contains_key(path.as_str()), "{path} is there");
                self.set(path.as_str(), bytes);
            }
            Put::Replace { path, bytes, .. } => self.set(path.as_str(), bytes),
            Put::Append { path, at, bytes } => {
                let file = self.documents.get_mut(path.as_str()).unwrap();
                assert_eq!(file.len() as u64, *at);
                file.extend(bytes);
                self.kept.insert(path.to_string(), file.clone());
                let seen = Seen::Log { length: at + bytes.len() as u64 };
                self.flow.fold(&mut self.view, &Delta::Appended { path, at: *at, bytes, seen });
            }
            Put::Archive { from, to } => {
                let bytes = self.documents.remove(from.as_str()).unwrap();
                assert!(self.documents.insert(to.to_string(), bytes).is_none(), "{to} is there");
                self.kept.remove(from.as_str());
                self.flow.fold(&mut self.view, &Delta::Gone { path: from });
            }
            other @ Put::Patch { .. } => panic!("{other:?}"),
        }
    }

    /// A document as somebody wrote it.
    pub(crate) fn set(&mut self, path: &str, bytes: &[u8]) {
        self.documents.insert(path.to_owned(), bytes.to_vec());
        let path = DocPath::new(path).unwrap();
        if self.is_read(&path) {
            self.kept.insert(path.to_string(), bytes.to_vec());
            let seen = Seen::File(Identity::of(bytes, None));
            self.flow.fold(&mut self.view, &Delta::Document { path: &path, bytes, seen });
        }
    }

    fn is_read(&self, path: &DocPath) -> bool {
        path.ancestors().all(|above| self.flow.reads(&above, true)) && self.flow.reads(path, false)
    }

    /// What the driver does before each decision: what it keeps stands, what is new is taken.
    fn look_around(&mut self) {
        let rests = self.flow.rests_on(&self.view).into_iter().map(|path| path.to_string());
        let paths: BTreeSet<String> = rests.chain(self.kept.keys().cloned()).collect();
        for path in paths {
            let there = self.documents.get(&path).cloned();
            match (self.kept.get(&path).cloned(), there) {
                (None, None) => {}
                (None, Some(bytes)) => self.set(&path, &bytes),
                (Some(kept), Some(bytes)) if kept == bytes => {}
                (Some(kept), there) => {
                    let path = DocPath::new(&path).unwrap();
                    let there = there.map(|bytes| Identity::of(&bytes, None));
                    let touched = Touched { path: &path, kept: &kept, there };
                    self.flow.touched(&mut self.view, &touched);
                }
            }
        }
    }

    /// Another process takes over: everything is read again, nothing is remembered.
    pub(crate) fn restart(&mut self) {
        self.view = View::default();
        self.noted.clear();
        self.running.clear();
        self.kept.clear();
        for (path, bytes) in self.documents.clone() {
            self.set(&path, &bytes);
        }
    }

    pub(crate) fn ask(&mut self, asked: Asked) {
        self.flow.asked = asked;
        self.restart();
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8_lossy(&self.documents[path]).into_owned()
    }

    /// A document of the first request.
    pub(crate) fn contract(&self, name: &str) -> String {
        let path = format!("sessions/{HASH}/contracts/R1/{name}");
        self.documents
            .get(&path)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_default()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.documents.contains_key(&format!("sessions/{HASH}/contracts/R1/{name}"))
    }

    pub(crate) fn state(&self) -> ContractState {
        serde_json::from_str(&self.text(&layout::state(&HASH.parse().unwrap()))).unwrap()
    }

    /// `T1-S2 implementation 1:passed 2:pending ...`
    pub(crate) fn gates(&self, subtask: &str) -> String {
        let state = self.state();
        let id: hast_flow::ids::SubtaskId = subtask.parse().unwrap();
        let one = state.tasks.values().find_map(|task| task.subtasks.get(&id)).unwrap();
        let json = serde_json::to_value(one.gates).unwrap();
        let gates: Vec<String> = json
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, status)| format!("{}:{}", &name[5..], status.as_str().unwrap()))
            .collect();
        let phase = serde_json::to_value(one.phase).unwrap();
        format!("{} {}", phase.as_str().unwrap(), gates.join(" "))
    }

    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        let log = self.text(layout::LOG);
        let events = log.lines().map(|line| serde_json::from_str::<ContractEvent>(line).unwrap());
        events
            .map(|event| serde_json::to_value(event).unwrap())
            .filter(|event| event["type"] == kind)
            .collect()
    }

    /// Why gates were not passed, as `GATE-3 reason`.
    pub(crate) fn failures(&self) -> Vec<String> {
        let told = |event: &Value| {
            let detail = &event["detail"];
            let reasons: Vec<&str> =
                detail["reasons"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            format!("{} {}", detail["gate"].as_str().unwrap(), reasons.join("; "))
        };
        self.events("GATE_FAILED").iter().map(told).collect()
    }
}

/// What runners print of tests that do not come to an end.
const PRINTED: [(&str, &str); 5] = [
    ("syntax", "tests/total.test: line 3: syntax error near unexpected token `Total.sum'"),
    (
        "no-module",
        "ERROR collecting tests/total.test\nE   ModuleNotFoundError: No module named 'nothing'",
    ),
    (
        "no-symbol",
        "ERROR collecting tests/total.test\nE   ImportError: cannot import name 'sum' from 'Total'",
    ),
    ("nothing", "make: *** [test] Error 2"),
    (
        "others",
        "FAILED tests/others_test.py::test_ships - assert False\n1 failed, 1 passed in 0.1s",
    ),
];

/// Each line of a test file is a test: `needs FILE TEXT` looks into a file, `calls FILE TEXT` also fails where
/// a body raises, `skips` is left out. The suite prints TAP. With `prints NAME` nothing is run: it ends red
/// with one of [`PRINTED`].
fn suite(files: &Files) -> TestRun {
    let tests = || files.iter().filter(|(path, _)| path.ends_with(".test"));
    let lines = || tests().flat_map(|(path, text)| text.lines().map(move |line| (path, line)));
    let printed: Vec<&str> = lines().filter_map(|(_, line)| line.strip_prefix("prints ")).collect();
    if !printed.is_empty() {
        let known = |name: &str| PRINTED.iter().find(|(known, _)| *known == name).unwrap().1;
        let tail = printed.into_iter().map(known).collect::<Vec<_>>().join("\n");
        let counted = Counted::of(&tail, &[], &[]);
        return TestRun { end: TestEnd::Red { code: 2 }, counted, tail };
    }
    let skipped = lines().filter(|(_, line)| *line == "skips").count();
    let holds = |rest: &str| {
        let (path, text) = rest.split_once(' ').unwrap();
        files.get(path).filter(|file| file.contains(text))
    };
    let result = |line: &str| match (line.strip_prefix("needs "), line.strip_prefix("calls ")) {
        (Some(rest), _) => Some(holds(rest).is_some()),
        (_, Some(rest)) => {
            Some(holds(rest).is_some_and(|file| !file.contains("body replaced by hast")))
        }
        _ => None,
    };
    let results: Vec<(&String, bool)> =
        lines().filter_map(|(path, line)| Some((path, result(line)?))).collect();
    let told: String = (1..)
        .zip(&results)
        .map(|(number, (path, good))| {
            format!("{}ok {number} - {path}\n", if *good { "" } else { "not " })
        })
        .collect();
    let tail = told + &"ok 9 # SKIP later\n".repeat(skipped);
    let red = results.iter().any(|(_, good)| !good);
    let end = if red { TestEnd::Red { code: 1 } } else { TestEnd::Green };
    TestRun { end, counted: Counted::of(&tail, &[], &[]), tail }
}

pub(crate) fn answer(documents: &[(&str, Value)]) -> CallResult {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let documents =
        documents.iter().map(|(name, value)| ((*name).to_owned(), text(value).into_bytes()));
    CallResult::Completed(Answer { documents: documents.collect(), ..Answer::default() })
}

pub(crate) fn done() -> CallResult {
    CallResult::Completed(Answer::default())
}

pub(crate) fn header(call: &Call, by: &str) -> serde_json::Map<String, Value> {
    let mut fields = json!({"version": 1, "created_at": NOW, "created_by": by});
    for (name, id) in &call.ids {
        fields[*name] = json!(id);
    }
    fields.as_object().unwrap().clone()
}

/// Fields on top of the header.
pub(crate) fn document(call: &Call, by: &str, fields: &Value) -> Value {
    let mut all = header(call, by);
    all.extend(fields.as_object().unwrap().clone());
    Value::Object(all)
}
