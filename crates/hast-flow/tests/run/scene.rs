//! A run on a pretended disk. Every commit is judged by the policy, applied, and the view that
//! learnt of it is compared with one that reads everything anew.

use std::collections::{BTreeMap, BTreeSet};

use hast_flow::docs::run::{
    CatalogRow, PhaseRow, ProcessRun, RunFailure, StageRow, TaskRow, ToolTaskRow, UserInstruction,
};
use hast_flow::driver::{Delta, Facts, Flow, Patched, Taken};
use hast_flow::flows::run::policy::POLICY;
use hast_flow::flows::run::{Asked, Confirm, NewRun, RunFlow, View, layout};
use hast_flow::formats::source::Source;
use hast_flow::formats::table::{Row, read_rows};
use hast_flow::step_log::{StepLine, StepLog, StepState};
use hast_flow::steps::{Call, Commit, Effect, EffectResult, Ending, Step, StepKey};
use hast_flow::store::change::check_form;
use hast_flow::store::{ChangeSet, DocPath, Identity, Policy, Put, Seen};
use hast_flow::words::Lang;

use crate::actors::Actors;

pub(crate) const RUN: &str = "run-20231028-103000-001";
const MOST_STEPS: usize = 2_000;

pub(crate) struct Run {
    pub(crate) flow: RunFlow,
    pub(crate) view: View,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) commits: Vec<Commit>,
    noted: BTreeSet<StepKey>,
    steps: StepLog,
}

impl Run {
    pub(crate) fn new(asked: Asked) -> Self {
        let flow = RunFlow { run: RUN.parse().unwrap(), asked, max_regenerations: 2 };
        let files = BTreeMap::new();
        let (noted, steps) = (BTreeSet::new(), StepLog::default());
        let mut run =
            Self { flow, view: View::default(), files, commits: Vec::new(), noted, steps };
        run.bring("assets/sales.csv", "분기,매출\n1분기,10\n2분기,12\n");
        run.bring("guidelines/style.md", "# 짧게 쓴다\n");
        run
    }

    /// A run that confirms whatever is proposed.
    pub(crate) fn started() -> Self {
        Self::new(start(Confirm::Yes))
    }

    pub(crate) fn waiting() -> Self {
        Self::new(start(Confirm::Wait))
    }

    /// Goes on as another command.
    pub(crate) fn asked(&mut self, asked: Asked) {
        self.flow.asked = asked;
    }

    /// A step that an earlier process began.
    pub(crate) fn leaves_open(&mut self, step: &[&str]) {
        let at = "2023-10-28T01:30:00Z".parse().unwrap();
        let (step, state) = (StepKey::new(step), StepState::Started);
        self.steps.add(&StepLine { step, state, at });
    }

    /// A file of people that no flow reads.
    pub(crate) fn bring(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.as_bytes().to_vec());
    }

    pub(crate) fn next(&self) -> Step {
        let running = BTreeSet::new();
        let now = "2023-10-28T01:30:00Z".parse().unwrap();
        let facts = Facts {
            now,
            lang: Lang::En,
            running: &running,
            steps: &self.steps,
            noted: &self.noted,
        };
        self.flow.next_step(&self.view, &facts)
    }

    pub(crate) fn commit(&mut self) -> Commit {
        let Step::Commit(commit) = self.next() else { panic!("{:?}", self.next()) };
        let mut change = ChangeSet::new(commit.role, &commit.reason);
        change.puts.clone_from(&commit.puts);
        if !commit.puts.is_empty() {
            check_form(&change).unwrap();
        }
        for put in &commit.puts {
            let class = POLICY.judge(commit.role, put.kind(), put.path()).unwrap();
            assert!(class.allows(put.kind()), "{put:?}");
        }
        for put in &commit.puts {
            self.apply(put);
        }
        for (step, state) in commit
            .finishes
            .iter()
            .map(|step| (step, StepState::Finished))
            .chain(commit.starts.iter().map(|step| (step, StepState::Started)))
        {
            let at = "2023-10-28T01:30:00Z".parse().unwrap();
            self.steps.add(&StepLine { step: step.clone(), state, at });
        }
        self.noted.retain(|key| !commit.finishes.contains(key));
        self.noted.extend(commit.starts.iter().cloned());
        self.commits.push(commit.clone());
        let mut fresh = self.fresh();
        fresh.results.clone_from(&self.view.results);
        assert_eq!(fresh, self.view, "after {}", commit.reason);
        commit
    }

    /// What somebody who reads everything anew sees.
    pub(crate) fn fresh(&self) -> View {
        let mut view = View::default();
        for (path, bytes) in &self.files {
            let path = DocPath::new(path).unwrap();
            let above = path.ancestors().all(|dir| self.flow.reads(&dir, true));
            if above && self.flow.reads(&path, false) {
                let seen = Seen::File(Identity::of(bytes, None));
                self.flow.fold(&mut view, &Delta::Document { path: &path, bytes, seen });
            }
        }
        view
    }

    fn apply(&mut self, put: &Put) {
        let path = put.path().clone();
        let known = self.files.get(path.as_str()).cloned();
        match put {
            Put::Create { bytes, .. } => {
                assert!(known.is_none(), "{path} is there");
                self.set(path.as_str(), bytes);
            }
            Put::Replace { before, bytes, .. } => {
                assert_eq!(before.size, known.unwrap().len() as u64);
                self.set(path.as_str(), bytes);
            }
            Put::Append { at, bytes, .. } => {
                let mut file = known.unwrap();
                assert_eq!(file.len() as u64, *at);
                file.extend(bytes);
                self.appended(&path, *at, bytes, file);
            }
            Put::Patch { before, at, old, new, .. } => {
                let mut file = known.unwrap();
                assert_eq!(before.size, file.len() as u64, "{path}");
                let start = usize::try_from(*at).unwrap();
                assert_eq!(&file[start..start + old.len()], old.as_slice());
                let ends = start + old.len() == file.len();
                file.splice(start..start + old.len(), new.iter().copied());
                if ends {
                    self.appended(&path, *at, new, file);
                } else {
                    let seen = Seen::File(Identity::of(&file, None));
                    self.files.insert(path.to_string(), file);
                    let patch = Patched { path: &path, at: *at, bytes: new, seen };
                    assert_eq!(self.flow.fold_patch(&mut self.view, &patch), Taken::Yes);
                }
            }
            Put::Archive { from, to } => {
                let bytes = self.files.remove(from.as_str()).unwrap();
                self.files.insert(to.to_string(), bytes);
                self.flow.fold(&mut self.view, &Delta::Gone { path: from });
            }
        }
    }

    fn appended(&mut self, path: &DocPath, at: u64, bytes: &[u8], file: Vec<u8>) {
        let log = path.as_str().ends_with(".ndjson");
        let seen = match log {
            true => Seen::Log { length: file.len() as u64 },
            false => Seen::File(Identity::of(&file, None)),
        };
        self.files.insert(path.to_string(), file);
        self.flow.fold(&mut self.view, &Delta::Appended { path, at, bytes, seen });
    }

    /// A document as somebody wrote it.
    pub(crate) fn set(&mut self, path: &str, bytes: &[u8]) {
        self.files.insert(path.to_owned(), bytes.to_vec());
        let path = DocPath::new(path).unwrap();
        let above = path.ancestors().all(|dir| self.flow.reads(&dir, true));
        if above && self.flow.reads(&path, false) {
            let seen = Seen::File(Identity::of(bytes, None));
            self.flow.fold(&mut self.view, &Delta::Document { path: &path, bytes, seen });
        }
    }

    pub(crate) fn effect(&self) -> (StepKey, Effect) {
        match self.next() {
            Step::Effect { key, effect } => (key, effect),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn call(&self) -> Call {
        match self.effect().1 {
            Effect::Call(call) => *call,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn answer(&mut self, result: &EffectResult) {
        let (key, _) = self.effect();
        self.flow.fold(&mut self.view, &Delta::Result { key: &key, result });
    }

    /// Performs one step.
    pub(crate) fn turn(&mut self, actors: &Actors) -> Option<Ending> {
        match self.next() {
            Step::Commit(_) => {
                self.commit();
                None
            }
            Step::Effect { key, effect } => {
                let result = actors.perform(&self.files, &key, &effect);
                self.answer(&result);
                None
            }
            Step::Finish(ending) => Some(ending),
        }
    }

    /// Goes on to the ending.
    pub(crate) fn drive(&mut self, actors: &Actors) -> Ending {
        for _ in 0..MOST_STEPS {
            if let Some(ending) = self.turn(actors) {
                return ending;
            }
        }
        panic!("{:?}", self.next());
    }

    /// Goes on until an effect of this step is asked for, and does not perform it.
    pub(crate) fn until(&mut self, actors: &Actors, step: &str) -> Call {
        for _ in 0..MOST_STEPS {
            if let Step::Effect { effect: Effect::Call(call), .. } = self.next()
                && call.step == step
            {
                return *call;
            }
            let ending = self.turn(actors);
            assert!(ending.is_none(), "{ending:?}");
        }
        panic!("never asked for {step}");
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.files[path].clone()).unwrap()
    }

    pub(crate) fn here(&self, name: &str) -> String {
        self.text(&format!("runs/{RUN}/{name}"))
    }

    pub(crate) fn rows<R: Row>(&self, path: &str) -> Vec<R> {
        if !self.files.contains_key(path) {
            return Vec::new();
        }
        let text = self.text(path);
        read_rows(&Source::new(path, &text)).unwrap()
    }

    pub(crate) fn row(&self) -> ProcessRun {
        let rows: Vec<ProcessRun> = self.rows(layout::RUNS);
        rows.into_iter().find(|row| row.run_id.as_str() == RUN).unwrap()
    }

    pub(crate) fn phases(&self) -> Vec<PhaseRow> {
        self.rows(&format!("runs/{RUN}/db/phases.md"))
    }

    pub(crate) fn stages(&self) -> Vec<StageRow> {
        self.rows(&format!("runs/{RUN}/db/major_stages.md"))
    }

    pub(crate) fn tasks(&self) -> Vec<TaskRow> {
        self.rows(&format!("runs/{RUN}/db/tasks.md"))
    }

    pub(crate) fn tools(&self) -> Vec<ToolTaskRow> {
        self.rows(&format!("runs/{RUN}/db/tool_tasks.md"))
    }

    pub(crate) fn instructions(&self) -> Vec<UserInstruction> {
        self.rows(layout::INSTRUCTIONS)
    }

    pub(crate) fn catalog(&self) -> Vec<CatalogRow> {
        self.rows(layout::CATALOG)
    }

    pub(crate) fn failure(&self) -> RunFailure {
        serde_json::from_slice(&self.files[&format!("runs/{RUN}/failure.json")]).unwrap()
    }

    pub(crate) fn pointers(&self) -> [String; 3] {
        let row = self.row();
        let text = |id: Option<String>| id.unwrap_or_default();
        [
            text(row.current_phase_id.map(|id| id.to_string())),
            text(row.current_stage_id.map(|id| id.to_string())),
            text(row.current_task_id.map(|id| id.to_string())),
        ]
    }

    /// The statuses of every unit, by its id.
    pub(crate) fn statuses(&self) -> BTreeMap<String, String> {
        let word = |status: &dyn std::fmt::Debug| format!("{status:?}").to_uppercase();
        let mut all = BTreeMap::from([(RUN.to_owned(), word(&self.row().status))]);
        all.extend(self.phases().iter().map(|row| (row.phase_id.to_string(), word(&row.status))));
        all.extend(self.stages().iter().map(|row| (row.stage_id.to_string(), word(&row.status))));
        all.extend(self.tasks().iter().map(|row| (row.task_id.to_string(), word(&row.status))));
        let tools = self.tools();
        all.extend(tools.iter().map(|row| (row.tool_task_id.to_string(), word(&row.status))));
        all
    }

    pub(crate) fn status_of(&self, id: &str) -> String {
        self.statuses()[id].clone()
    }
}

pub(crate) fn start(confirm: Confirm) -> Asked {
    Asked::Start(NewRun {
        text: "1분기 매출 보고서를 만들어 줘".to_owned(), mode: None, confirm
    })
}
