//! A project in memory: its documents, a git that remembers what it was asked, an agent and tests
//! that do as they are told. Commits go through the flow's policy.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hast_flow::attempt::base::{Base, ObjectId, Recorded, Saved, SavedWork, TreeRules};
use hast_flow::attempt::evidence::{Change, ChangeKind, RepoPath, TestEnd, TestRun};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::inspection::{HandoffFile, Inspection};
use hast_flow::attempt::recovery::{From, Place};
use hast_flow::attempt::settle::Commits;
use hast_flow::attempt::workspace::{
    CommitPlan, Content, DiffLine, Guarded, Head, HookVerdict, Looked, OwnRef, Reach, RolledBack,
    SavePlan, TreeFile, Uncommitted, UncommittedKind, Workspace, perform,
};
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, Settings, View};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::roles::PolicyTable;
use hast_flow::steps::{
    Answer, Call, CallResult, Effect, EffectResult, Ending, Step, StepKey, StepLine, StepLog,
    StepState,
};
use hast_flow::store::{DocPath, Identity, Policy, Put, Seen};
use hast_flow::time::UtcTime;
use hast_flow::words::Lang;
use serde_json::Value;

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

/// A git that does nothing but remember. Trees are numbered by what was done to them.
pub(crate) struct FakeGit {
    pub(crate) did: Vec<String>,
    pub(crate) branch: String,
    pub(crate) head: ObjectId,
    pub(crate) tree: ObjectId,
    pub(crate) users: Vec<String>,
    pub(crate) left: Option<Left>,
    pub(crate) hook: Option<String>,
    pub(crate) refs: BTreeMap<String, ObjectId>,
    pub(crate) commits: BTreeMap<ObjectId, String>,
    /// Paths that differ between two objects.
    pub(crate) differences: BTreeMap<(ObjectId, ObjectId), Vec<&'static str>>,
    pub(crate) locks: Vec<String>,
}

impl FakeGit {
    fn inspection(&self) -> Inspection {
        let left = self.left.clone();
        let changes = left
            .iter()
            .flat_map(|left| left.changes.clone())
            .map(|path| Change { path: RepoPath(path.into()), kind: ChangeKind::Modified });
        let handoffs = left.iter().filter_map(|left| left.handoff.clone()).map(|text| {
            HandoffFile { name: "2026-02-09_143000.md".into(), bytes: Ok(text.into_bytes()) }
        });
        let committed = left.as_ref().is_some_and(|left| left.committed);
        Inspection {
            breaches: Vec::new(),
            protected: Vec::new(),
            changes: changes.collect(),
            links: Vec::new(),
            handoffs: handoffs.collect(),
            head: self.head.clone(),
            tree: self.tree.clone(),
            commit_tree: self.tree.clone(),
            uncommitted: left.is_some() && !committed,
        }
    }
}

impl Workspace for FakeGit {
    fn look(&mut self, _: &TreeRules) -> Result<Looked, GitProblem> {
        self.did.push("look".into());
        let dirty = self.left.iter().flat_map(|left| left.changes.clone()).map(str::to_owned);
        let file = |path| Uncommitted { path, kind: UncommittedKind::Tracked };
        Ok(Looked {
            head: Head::Branch { name: self.branch.clone(), commit: self.head.clone() },
            uncommitted: self.users.iter().cloned().chain(dirty).map(file).collect(),
            in_progress: None,
            tree: Some(self.tree.clone()),
        })
    }

    fn record(&mut self, key: &str, _: &TreeRules) -> Result<Recorded, GitProblem> {
        self.did.push(format!("record {key}"));
        Ok(Recorded {
            branch: self.branch.clone(),
            commit: self.head.clone(),
            tree: self.tree.clone(),
            snapshot: id('e'),
        })
    }

    fn inspect(&mut self, _: &Base) -> Result<Inspection, GitProblem> {
        self.did.push("inspect".into());
        Ok(self.inspection())
    }

    fn save(&mut self, plan: &SavePlan) -> Result<SavedWork, GitProblem> {
        self.did.push(format!("save {}", plan.name));
        self.refs.insert(plan.name.clone(), id('5'));
        let (name, commit, tree) = (plan.name.clone(), id('5'), self.tree.clone());
        Ok(SavedWork { name, commit, tree, overflow: Vec::new() })
    }

    fn roll_back(&mut self, base: &Base, _: &Saved) -> Result<RolledBack, GitProblem> {
        self.did.push("roll back".into());
        (self.head, self.tree, self.left) = (base.commit().clone(), base.tree().clone(), None);
        Ok(RolledBack { aside: Vec::new() })
    }

    fn guard(&mut self, _: &Base, _: Reach) -> Result<Guarded, GitProblem> {
        self.did.push("guard".into());
        Ok(Guarded::default())
    }

    fn run_hooks(&mut self, plan: &CommitPlan, _: &Base) -> Result<HookVerdict, GitProblem> {
        self.did.push("hooks".into());
        Ok(match &self.hook {
            Some(said) => HookVerdict::Refused { hook: "pre-commit".into(), said: said.clone() },
            None => HookVerdict::Passed { message: plan.message.clone() },
        })
    }

    fn build(&mut self, plan: &CommitPlan) -> Result<ObjectId, GitProblem> {
        let first = plan.message.lines().next().unwrap().to_owned();
        self.did.push(format!("build {first}"));
        // The same plan makes the same commit.
        let text = format!("{plan:?}");
        let sum = text.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
        let commit: ObjectId = format!("{sum:016x}{:024x}", 0).parse().unwrap();
        let what = match &plan.content {
            Content::Tree(_) => plan.message.clone(),
            Content::File { path } | Content::Text { path, .. } => {
                format!("{path}\n{}", plan.message)
            }
        };
        self.commits.insert(commit.clone(), what);
        Ok(commit)
    }

    fn advance(&mut self, _: &str, from: &ObjectId, to: &ObjectId) -> Result<(), GitProblem> {
        assert!(self.head == *from || self.head == *to, "{} {from} {to}", self.head);
        self.did.push("advance".into());
        self.head = to.clone();
        if !self.commits.get(to).is_some_and(|what| what.starts_with(".ai/goals.yaml")) {
            self.left = None;
        }
        Ok(())
    }

    fn keep(&mut self, branch: &str, commit: &ObjectId) -> Result<String, GitProblem> {
        self.did.push(format!("keep {branch}"));
        self.refs.insert(branch.to_owned(), commit.clone());
        Ok(branch.to_owned())
    }

    fn discard(
        &mut self,
        _: (&ObjectId, &ObjectId),
        _: &Saved,
        _: &TreeRules,
    ) -> Result<RolledBack, GitProblem> {
        self.did.push("discard".into());
        self.left = None;
        Ok(RolledBack { aside: Vec::new() })
    }

    fn compare(&mut self, from: &ObjectId, to: &ObjectId) -> Result<Vec<DiffLine>, GitProblem> {
        self.did.push("compare".into());
        let pair = (from.clone(), to.clone());
        let paths = self.differences.get(&pair).cloned().unwrap_or_default();
        let line = |path: &str| DiffLine {
            change: Change { path: RepoPath(path.into()), kind: ChangeKind::Modified },
            lines: Some((3, 1)),
        };
        Ok(paths.into_iter().map(line).collect())
    }

    fn unlock(&mut self, _: UtcTime) -> Result<Vec<String>, GitProblem> {
        self.did.push("unlock".into());
        Ok(std::mem::take(&mut self.locks))
    }

    fn restore(
        &mut self,
        name: &str,
        _: Option<&ObjectId>,
        _: &TreeRules,
    ) -> Result<Vec<Change>, GitProblem> {
        self.did.push(format!("restore {name}"));
        Ok(Vec::new())
    }

    fn read(&mut self, _: &ObjectId, _: &[String]) -> Result<Vec<TreeFile>, GitProblem> {
        unreachable!("auto reads no files of a tree")
    }

    fn list_refs(&mut self) -> Result<Vec<OwnRef>, GitProblem> {
        Ok(Vec::new())
    }

    fn delete_refs(&mut self, _: &[(String, ObjectId)]) -> Result<(), GitProblem> {
        Ok(())
    }
}

pub(crate) struct Auto {
    pub(crate) flow: AutoFlow,
    pub(crate) view: View,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) git: FakeGit,
    pub(crate) agent: VecDeque<Left>,
    pub(crate) tests: VecDeque<TestEnd>,
    pub(crate) calls: Vec<Call>,
    pub(crate) turns: u64,
    steps: StepLog,
    noted: BTreeSet<StepKey>,
}

impl Auto {
    pub(crate) fn new(goals: &str) -> Self {
        let settings = Settings {
            test_command: "pytest".into(),
            timeout_minutes: 30,
            max_retries: 3,
            max_context_bytes: 120_000,
            commits: Commits::Auto,
            protect: Vec::new(),
            other_roots: Vec::new(),
            max_saved_file_bytes: 1 << 20,
            max_saved_bytes: 1 << 30,
            offset: jiff::tz::Offset::constant(9),
        };
        let flow = AutoFlow {
            run: "run-1".into(),
            asked: Asked { goal: None, depth: Depth::Leaves },
            settings,
            lock: None,
            not_ready: None,
            place: Place::InPlace,
            from: From::Base,
            cut_off: CutOff::Interruption,
        };
        let git = FakeGit {
            did: Vec::new(),
            branch: MAIN.into(),
            head: id('a'),
            tree: id('1'),
            users: Vec::new(),
            left: None,
            hook: None,
            refs: BTreeMap::new(),
            commits: BTreeMap::new(),
            differences: BTreeMap::new(),
            locks: Vec::new(),
        };
        let files = BTreeMap::from([
            ("goals.yaml".to_owned(), goals.as_bytes().to_vec()),
            ("rules.md".to_owned(), "- 규칙 하나\n".as_bytes().to_vec()),
        ]);
        let mut auto = Self {
            flow,
            view: View::default(),
            files,
            git,
            agent: VecDeque::new(),
            tests: VecDeque::new(),
            calls: Vec::new(),
            turns: 0,
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
    pub(crate) fn read_again(&self) -> View {
        let mut view = View::default();
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
        self.flow.run = format!("{}+", self.flow.run);
        self.view = self.read_again();
    }

    /// Drives until the agent would be called, lets it work, and dies before it comes back.
    pub(crate) fn dies_while_the_agent_works(&mut self) {
        loop {
            if let Step::Effect { key, effect: Effect::Call(_) } = self.next() {
                self.note(key, StepState::Started);
                self.git.left = self.agent.front().cloned();
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
            Effect::Tools(_)
            | Effect::Scan(_)
            | Effect::Worktree(_)
            | Effect::Lease(_)
            | Effect::Within { .. } => panic!("auto in place uses no tools and no work trees"),
        }
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
