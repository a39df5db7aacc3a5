//! A project in memory: its documents, a git that remembers what it was asked, an agent and tests
//! that do as they are told. Commits go through the flow's policy.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::evidence::{TestEnd, TestRun};
use hast_flow::attempt::recovery::StartFrom;
use hast_flow::attempt::settle::Commits;
use hast_flow::attempt::workspace::{Head, perform};
use hast_flow::attempt::worktrees::{Added, Standing, WorktreeResult, WorktreeStep};
use hast_flow::docs::goals::{Minutes, OnRedBase};
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::flows::goals::auto::lanes::{LanesFlow, LanesView};
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, RunBounds, Settings};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::leases::{LeaseResult, LeaseStep};
use hast_flow::roles::PolicyTable;
use hast_flow::step_log::{StepLine, StepLog, StepState};
use hast_flow::steps::{
    Answer, Call, CallResult, Effect, EffectResult, Ending, Scanned, Step, StepKey,
};
use hast_flow::store::{DocPath, Identity, Policy, Put, Seen};
use hast_flow::words::Lang;
use serde_json::Value;

use crate::git::FakeGit;

pub(crate) const MAIN: &str = "refs/heads/main";

pub(crate) fn id(digit: char) -> ObjectId {
    digit.to_string().repeat(40).parse().unwrap()
}

/// What an agent leaves behind.
#[derive(Clone)]
pub(crate) struct Left {
    pub(crate) result: CallResult,
    pub(crate) changes: Vec<&'static str>,
    pub(crate) handoff: Option<String>,
    /// Whether it committed its work itself.
    pub(crate) committed: bool,
}

impl Left {
    /// Work and a handoff.
    pub(crate) fn honest(goal: &str) -> Self {
        Self {
            result: CallResult::Completed(Answer::default()),
            changes: vec!["src/a.py"],
            handoff: Some(handoff(goal, "complete")),
            committed: false,
        }
    }
}

pub(crate) fn handoff(goal: &str, status: &str) -> String {
    format!(
        "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: {status}\ngoal_id: {goal}\n---\n\n## Done\n- it\n"
    )
}

pub(crate) struct Auto {
    pub(crate) flow: LanesFlow,
    pub(crate) view: LanesView,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) git: FakeGit,
    pub(crate) agent: VecDeque<Left>,
    pub(crate) tests: VecDeque<TestEnd>,
    pub(crate) calls: Vec<Call>,
    pub(crate) turns: u64,
    /// Goals that another worker has.
    pub(crate) elsewhere: BTreeSet<&'static str>,
    /// Nobody can be asked who has which goal.
    pub(crate) no_queue: bool,
    steps: StepLog,
    noted: BTreeSet<StepKey>,
}

impl Auto {
    pub(crate) fn new(goals: &str) -> Self {
        let settings = Settings {
            test_command: "pytest".into(),
            timeout_minutes: Minutes::new(30),
            max_retries: 3,
            max_context_bytes: 120_000,
            commits: Commits::Auto,
            on_red_base: OnRedBase::Warn,
            protect: Vec::new(),
            other_roots: Vec::new(),
            max_saved_file_bytes: 1 << 20,
            max_saved_bytes: 1 << 30,
            setup: None,
            keep: Vec::new(),
            offset: jiff::tz::Offset::constant(9),
        };
        let auto = AutoFlow {
            run: "run-1".into(),
            asked: Asked { goal: None, depth: Depth::Leaves },
            settings,
            running: None,
            not_ready: None,
            from: StartFrom::Base,
            cut_off: CutOff::Interruption,
            bounds: RunBounds::default(),
        };
        let (width, setup, copy, limited) = (1, None, Vec::new(), Vec::new());
        let flow = LanesFlow { auto, width, setup, copy, limited, delivery: None };
        let git = FakeGit {
            did: Vec::new(),
            branch: MAIN.into(),
            head: id('a'),
            users: Vec::new(),
            left: None,
            base: id('a'),
            room_head: id('a'),
            tree: id('1'),
            inside: false,
            hook: None,
            in_the_way: Vec::new(),
            refs: BTreeMap::new(),
            commits: BTreeMap::new(),
            differences: BTreeMap::new(),
        };
        let files = BTreeMap::from([
            ("goals.yaml".to_owned(), goals.as_bytes().to_vec()),
            ("rules.md".to_owned(), "- 규칙 하나\n".as_bytes().to_vec()),
        ]);
        let mut auto = Self {
            flow,
            view: LanesView::default(),
            files,
            git,
            agent: VecDeque::new(),
            tests: VecDeque::new(),
            calls: Vec::new(),
            turns: 0,
            elsewhere: BTreeSet::new(),
            no_queue: false,
            steps: StepLog::default(),
            noted: BTreeSet::new(),
        };
        auto.view = auto.read_again();
        auto
    }

    /// One goal `M1`, an agent that answers in this order, tests that end in this order.
    pub(crate) fn with(agent: Vec<Left>, tests: Vec<TestEnd>) -> Self {
        let mut auto = Self::new("goals:\n  - id: M1\n    title: Login\n    status: active\n");
        auto.agent = agent.into();
        auto.tests = tests.into();
        auto
    }

    /// The view of somebody who starts now.
    pub(crate) fn read_again(&self) -> LanesView {
        let mut view = LanesView::default();
        for (name, bytes) in &self.files {
            let path = DocPath::new(name).unwrap();
            let seen = Seen::File(Identity::of(bytes, None));
            self.flow.fold(&mut view, &Delta::Document { path: &path, bytes, seen });
        }
        view
    }

    pub(crate) fn next(&self) -> Step {
        let now = "2026-02-09T05:30:00Z".parse().unwrap();
        let running = BTreeSet::new();
        let facts = Facts {
            now,
            lang: Lang::Ko,
            running: &running,
            steps: &self.steps,
            noted: &self.noted,
        };
        self.flow.next_step(&self.view, &facts)
    }

    /// One turn; the ending if there is one.
    pub(crate) fn turn(&mut self) -> Option<Ending> {
        self.turns += 1;
        assert!(self.turns < 2_000, "endless: {:?}", self.git.did);
        match self.next() {
            Step::Finish(ending) => return Some(ending),
            Step::Commit(commit) => {
                let policy: &PolicyTable = self.flow.policy();
                for put in &commit.puts {
                    let judged = policy.judge(commit.role, put.kind(), put.path());
                    let allowed = judged.unwrap_or_else(|refused| panic!("{refused}"));
                    assert!(allowed.allows(put.kind()), "{put:?}");
                }
                for key in commit.finishes {
                    self.note(key, StepState::Finished);
                }
                for key in commit.starts {
                    self.note(key, StepState::Started);
                }
                for put in &commit.puts {
                    self.apply(put);
                }
            }
            Step::Effect { key, effect } => {
                assert!(!self.steps.just_finished(&key), "in circles: {key}");
                if !(self.noted.contains(&key) && self.steps.is_open(&key)) {
                    self.note(key.clone(), StepState::Started);
                }
                let result = self.perform(&effect);
                self.flow.fold(&mut self.view, &Delta::Result { key: &key, result: &result });
            }
        }
        None
    }

    pub(crate) fn drive(&mut self) -> Ending {
        loop {
            if let Some(ending) = self.turn() {
                return ending;
            }
        }
    }

    /// The process dies, and another run begins with what is on the disk.
    pub(crate) fn dies(&mut self) {
        self.noted.clear();
        self.flow.auto.run = format!("{}+", self.flow.auto.run);
        self.view = self.read_again();
    }

    /// Drives until the agent would be called, lets it work, and dies before it comes back.
    pub(crate) fn dies_while_the_agent_works(&mut self) {
        loop {
            if let Step::Effect { key, effect: Effect::Call(_) } = self.next() {
                self.note(key, StepState::Started);
                self.git.left = self.agent.front().cloned();
                self.git.tree = id('7');
                return self.dies();
            }
            assert!(self.turn().is_none());
        }
    }

    /// Drives until the agent would be called, and gives this back, which ends the drive.
    pub(crate) fn stops_with(&mut self, result: &CallResult) {
        loop {
            if let Step::Effect { key, effect: Effect::Call(_) } = self.next() {
                let now = "2026-02-09T05:30:00Z".parse().unwrap();
                let running = BTreeSet::new();
                let (steps, noted) = (&self.steps, &self.noted);
                let facts = Facts { now, lang: Lang::En, running: &running, steps, noted };
                let commit = self.flow.stopped(&self.view, &key, result, &facts);
                self.note(key, StepState::Started);
                for put in commit.into_iter().flat_map(|commit| commit.puts) {
                    self.apply(&put);
                }
                return;
            }
            assert!(self.turn().is_none());
        }
    }

    fn note(&mut self, step: StepKey, state: StepState) {
        let at = "2026-02-09T05:30:00Z".parse().unwrap();
        match state {
            StepState::Started => self.noted.insert(step.clone()),
            StepState::Finished => self.noted.remove(&step),
        };
        self.steps.add(&StepLine { step, state, at });
    }

    fn perform(&mut self, effect: &Effect) -> EffectResult {
        match effect {
            Effect::Git(step) => EffectResult::Git(perform(&mut self.git, step)),
            Effect::Within { effect, .. } => {
                self.git.inside = true;
                let result = self.perform(effect);
                self.git.inside = false;
                result
            }
            Effect::Worktree(step) => EffectResult::Worktree(self.worktree(step)),
            Effect::Scan(scan) => {
                let read = |path: &DocPath| Scanned {
                    path: path.clone(),
                    size: self.files[path.as_str()].len() as u64,
                    head: self.files[path.as_str()].clone(),
                };
                EffectResult::Scan(Ok(scan.paths.iter().map(read).collect()))
            }
            Effect::Check(check) => {
                self.git.did.push(format!("test {}", check.command));
                let end = self.tests.pop_front().expect("a test result");
                EffectResult::Check(TestRun {
                    end,
                    tail: "E   assert 1 == 2".into(),
                    counted: Default::default(),
                })
            }
            Effect::Call(call) => {
                self.git.did.push(format!("call {} {}", call.unit, call.attempt));
                self.calls.push((**call).clone());
                let left = self.agent.pop_front().expect("an agent");
                let result = left.result.clone();
                let nothing = left.changes.is_empty() && left.handoff.is_none();
                self.git.left = (!nothing).then_some(left);
                EffectResult::Call(result)
            }
            Effect::Lease(step) => EffectResult::Lease(self.lease(step)),
            Effect::Tools(_) => panic!("auto uses no tools"),
        }
    }

    fn worktree(&mut self, step: &WorktreeStep) -> WorktreeResult {
        match step {
            WorktreeStep::Tip { .. } => {
                let (name, commit) = (self.git.branch.clone(), self.git.head.clone());
                WorktreeResult::Tip(Head::Branch { name, commit })
            }
            WorktreeStep::Stand { .. } => WorktreeResult::Stands(Standing::On),
            WorktreeStep::Add(plan) => {
                self.git.did.push(format!("room {}", plan.tree));
                (self.git.base, self.git.room_head) = (plan.at.clone(), plan.at.clone());
                WorktreeResult::Added(Added { recovered: None, copied: 0 })
            }
            WorktreeStep::Merge(plan) => {
                assert!(self.git.head == plan.from || self.git.head == plan.to);
                self.git.did.push("merge".into());
                self.git.head = plan.to.clone();
                WorktreeResult::Merged
            }
            WorktreeStep::Remove { tree, .. } => {
                self.git.did.push(format!("clear {tree}"));
                self.git.left = None;
                WorktreeResult::Removed
            }
            other => panic!("not in these scenes: {other:?}"),
        }
    }

    fn lease(&mut self, step: &LeaseStep) -> LeaseResult {
        let (word, unit) = match step {
            LeaseStep::Claim { unit } => ("claim", unit),
            LeaseStep::Keep { unit } => ("keep", unit),
            LeaseStep::Release { .. } => return LeaseResult::Released,
        };
        self.git.did.push(format!("{word} {unit}"));
        if self.no_queue {
            return LeaseResult::Failed { why: "no space left".to_owned() };
        }
        if self.elsewhere.contains(unit.as_str()) {
            return LeaseResult::Gone { why: "somebody has it".to_owned() };
        }
        LeaseResult::Held { fence: 1 }
    }

    fn apply(&mut self, put: &Put) {
        match put {
            Put::Create { path, bytes } | Put::Replace { path, bytes, .. } => {
                let there = self.files.insert(path.to_string(), bytes.clone()).is_some();
                assert_eq!(there, matches!(put, Put::Replace { .. }), "{path}");
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
            Put::Archive { .. } | Put::Patch { .. } => panic!("{put:?}"),
        }
    }

    pub(crate) fn goals(&self) -> String {
        String::from_utf8(self.files["goals.yaml"].clone()).unwrap()
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        let log = self.files.get("events/events.ndjson").cloned().unwrap_or_default();
        let log = String::from_utf8(log).unwrap();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn kinds(&self) -> Vec<String> {
        self.events().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn count(&self, kind: &str) -> usize {
        self.kinds().iter().filter(|found| *found == kind).count()
    }
}
