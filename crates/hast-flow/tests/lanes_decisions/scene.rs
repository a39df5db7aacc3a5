//! A run in lanes as its files tell of it, one event and one result after the other.

use std::collections::BTreeSet;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::recovery::StartFrom;
use hast_flow::attempt::settle::Commits;
use hast_flow::attempt::workspace::Head;
use hast_flow::attempt::worktrees::{Standing, WorktreeResult};
use hast_flow::docs::goals::{Minutes, OnRedBase};
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::flows::goals::auto::lanes::{LanesFlow, LanesView};
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, RunBounds, Settings};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::leases::LeaseResult;
use hast_flow::step_log::StepLog;
use hast_flow::steps::{EffectResult, Scanned, Step, StepKey};
use hast_flow::store::{DocPath, Identity, Put, Seen};
use hast_flow::words::Lang;

pub(crate) fn id(digit: char) -> ObjectId {
    digit.to_string().repeat(40).parse().unwrap()
}

pub(crate) struct Lanes {
    pub(crate) flow: LanesFlow,
    pub(crate) view: LanesView,
    log: u64,
    pub(crate) running: BTreeSet<StepKey>,
    events: u32,
}

impl Lanes {
    /// A run that has begun, over goals as `goals.yaml` has them.
    pub(crate) fn new(goals: &str, width: usize) -> Self {
        let settings = Settings {
            test_command: "pytest".into(),
            timeout_minutes: Minutes::new(30),
            max_retries: 1,
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
            cut_off: CutOff::Interruption,
            bounds: RunBounds::default(),
            from: StartFrom::Base,
        };
        let (setup, copy, limited) = (None, Vec::new(), Vec::new());
        let delivery = None;
        let flow = LanesFlow { auto, width, setup, copy, limited, delivery };
        let running = BTreeSet::new();
        let mut lanes = Self { flow, view: LanesView::default(), log: 0, running, events: 0 };
        lanes.document("goals.yaml", goals.as_bytes());
        lanes.event("AUTO_STARTED", r#""run":"run-1""#);
        lanes
    }

    pub(crate) fn document(&mut self, path: &str, bytes: &[u8]) {
        let path = DocPath::new(path).unwrap();
        let seen = Seen::File(Identity::of(bytes, None));
        self.flow.fold(&mut self.view, &Delta::Document { path: &path, bytes, seen });
    }

    pub(crate) fn event(&mut self, kind: &str, detail: &str) {
        self.events += 1;
        let number = self.events;
        let line = format!(
            "{{\"event_id\":\"EV-20260209T053000Z-{number:04}\",\"ts\":\"2026-02-09T05:30:00Z\",\"actor\":\"controller\",\"type\":\"{kind}\",\"detail\":{{{detail}}}}}\n"
        );
        let path = DocPath::new("events/events.ndjson").unwrap();
        let (at, bytes) = (self.log, line.as_bytes());
        self.log += bytes.len() as u64;
        let seen = Seen::Log { length: self.log };
        self.flow.fold(&mut self.view, &Delta::Appended { path: &path, at, bytes, seen });
    }

    pub(crate) fn result(&mut self, key: &str, result: &EffectResult) {
        let key = StepKey::new(&[key]);
        self.flow.fold(&mut self.view, &Delta::Result { key: &key, result });
    }

    pub(crate) fn worktree(&mut self, key: &str, result: WorktreeResult) {
        self.result(key, &EffectResult::Worktree(result));
    }

    pub(crate) fn open(&mut self, goal: &str) {
        let base = id('b');
        let detail = format!(r#""goal_id":"{goal}","base":"{base}","onto":"refs/heads/main""#);
        self.event("LANE_OPENED", &detail);
    }

    pub(crate) fn runs(&mut self, key: &str) {
        self.running.insert(StepKey::new(&[key]));
    }

    /// A goal whose attempt passed at this commit.
    pub(crate) fn passed(&mut self, goal: &str, head: char) {
        self.passed_expecting(goal, head, "false");
    }

    /// The same for one whose tests are to be red, or not.
    pub(crate) fn passed_expecting(&mut self, goal: &str, head: char, red: &str) {
        self.open(goal);
        let branch = format!("refs/heads/hast/lanes/{goal}/work");
        let (b, t, s, h) = (id('b'), id('1'), id('2'), id(head));
        let base = format!(
            r#"{{"version":1,"key":"{goal}/1","branch":"{branch}","commit":"{b}","tree":"{t}","snapshot":"{s}","rules":{{"leave_out":[],"protected":[],"protect":[],"handoffs":null}},"at":"2026-02-09T05:30:00Z"}}"#
        );
        let record = format!(
            r#"{{"version":1,"goal_id":"{goal}","title":"t","attempt":1,"allowed_changes":[],"expect_failure":{red},"adversarial":false,"test_command":"pytest","timeout_minutes":30,"max_retries":1,"commits":true,"handoff":"2026-02-09_143000.md","base_tests":null,"started_at":"2026-02-09T05:30:00Z"}}"#
        );
        let verdict = format!(
            r#"{{"version":1,"verdict":{{"class":"complete","reason":"all_good","rule":12}},"text":"","judged_at":"2026-02-09T05:30:00Z","head":"{h}","tree":"{t}","commit_tree":"{t}","uncommitted":false,"changed":[],"tests":null,"test_tail":""}}"#
        );
        for (name, text) in [("base", base), ("attempt", record), ("verdict", verdict)] {
            self.document(&format!("attempts/{goal}/1/{name}.json"), text.as_bytes());
        }
        let about = format!(r#""goal_id":"{goal}","attempt":1"#);
        self.event("ATTEMPT_STARTED", &format!(r#"{about},"lane":true"#));
        self.event("ATTEMPT_ENDED", &format!(r#"{about},"end":"ended""#));
        self.event("ATTEMPT_JUDGED", &format!(r#"{about},"class":"complete""#));
        self.event("ATTEMPT_PASSED", &format!(r#"{about},"head":"{h}""#));
    }

    pub(crate) fn tip(&mut self, goal: &str, moved: u32, at: char) {
        let (name, commit) = ("refs/heads/main".to_owned(), id(at));
        let tip = WorktreeResult::Tip(Head::Branch { name, commit });
        self.worktree(&format!("{goal}/1/tip/{moved}"), tip);
    }

    pub(crate) fn holds(&mut self, goal: &str, moved: u32) {
        let held = EffectResult::Lease(LeaseResult::Held { fence: 1 });
        self.result(&format!("{goal}/1/lease/{moved}"), &held);
        self.goals_are(goal, moved, &goals(&[(goal, "")]));
    }

    /// What `goals.yaml` has when somebody looks before the merge.
    pub(crate) fn goals_are(&mut self, goal: &str, moved: u32, text: &str) {
        let on = WorktreeResult::Stands(Standing::On);
        self.worktree(&format!("{goal}/1/standing/{moved}"), on);
        let (path, head) = (DocPath::new("goals.yaml").unwrap(), text.as_bytes().to_vec());
        let size = head.len() as u64;
        let looked = EffectResult::Scan(Ok(vec![Scanned { path, size, head }]));
        self.result(&format!("{goal}/1/wanted/{moved}"), &looked);
    }

    pub(crate) fn step(&self) -> Step {
        let (steps, noted) = (StepLog::default(), BTreeSet::new());
        let facts = Facts {
            now: "2026-02-09T05:30:00Z".parse().unwrap(),
            lang: Lang::En,
            running: &self.running,
            steps: &steps,
            noted: &noted,
        };
        self.flow.next_step(&self.view, &facts)
    }

    /// The key of the effect that comes next.
    pub(crate) fn key(&self) -> String {
        match self.step() {
            Step::Effect { key, .. } => key.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// The events that are written next.
    pub(crate) fn written(&self) -> String {
        let Step::Commit(commit) = self.step() else { panic!("{:?}", self.step()) };
        let log = commit.puts.iter().find_map(|put| match put {
            Put::Append { bytes, .. } => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        });
        log.unwrap()
    }
}

pub(crate) fn goals(rows: &[(&str, &str)]) -> String {
    let row = |(id, keys): &(&str, &str)| {
        format!("  - id: {id}\n    title: t\n    status: active\n{keys}")
    };
    format!("goals:\n{}", rows.iter().map(row).collect::<String>())
}
