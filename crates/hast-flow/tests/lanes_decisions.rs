//! What a run in lanes does next, from files alone: who may begin beside whom, who is merged first,
//! and what a branch that moved, a conflict and a red test mean.
#![cfg(test)]

use std::collections::BTreeSet;

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::evidence::{CallEnd, TestEnd, TestRun};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::recovery::{From, Place};
use hast_flow::attempt::settle::Commits;
use hast_flow::attempt::workspace::{GitResult, GitStep, Head};
use hast_flow::attempt::worktrees::{WorktreeResult, WorktreeStep};
use hast_flow::driver::{Delta, Facts, Flow};
use hast_flow::flows::goals::auto::lanes::{Delivery, LanesFlow, LanesView, Walls};
use hast_flow::flows::goals::auto::{AutoFlow, CutOff, Settings};
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::leases::LeaseResult;
use hast_flow::steps::{Effect, EffectResult, Ending, Step, StepKey, StepLog};
use hast_flow::store::{DocPath, Identity, Put, Seen};
use hast_flow::words::Lang;

fn id(digit: char) -> ObjectId {
    digit.to_string().repeat(40).parse().unwrap()
}

struct Lanes {
    flow: LanesFlow,
    view: LanesView,
    log: u64,
    running: BTreeSet<StepKey>,
    events: u32,
}

impl Lanes {
    /// A run that has begun, over goals as `goals.yaml` has them.
    fn new(goals: &str, width: usize) -> Self {
        let settings = Settings {
            test_command: "pytest".into(),
            timeout_minutes: 30,
            max_retries: 1,
            max_context_bytes: 120_000,
            commits: Commits::Auto,
            protect: Vec::new(),
            other_roots: Vec::new(),
            max_saved_file_bytes: 1 << 20,
            max_saved_bytes: 1 << 30,
            offset: jiff::tz::Offset::constant(9),
        };
        let auto = AutoFlow {
            run: "run-1".into(),
            asked: Asked { goal: None, depth: Depth::Leaves },
            settings,
            lock: None,
            not_ready: None,
            place: Place::Isolated,
            cut_off: CutOff::Interruption,
            from: From::Base,
        };
        let (setup, copy, limited) = (None, Vec::new(), Vec::new());
        let (walls, delivery) = (Walls::Open, None);
        let flow = LanesFlow { auto, width, setup, copy, limited, walls, delivery };
        let running = BTreeSet::new();
        let mut lanes = Self { flow, view: LanesView::default(), log: 0, running, events: 0 };
        lanes.document("goals.yaml", goals.as_bytes());
        lanes.event("AUTO_STARTED", r#""run":"run-1""#);
        lanes
    }

    fn document(&mut self, path: &str, bytes: &[u8]) {
        let path = DocPath::new(path).unwrap();
        let seen = Seen::File(Identity::of(bytes, None));
        self.flow.fold(&mut self.view, &Delta::Document { path: &path, bytes, seen });
    }

    fn event(&mut self, kind: &str, detail: &str) {
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

    fn result(&mut self, key: &str, result: &EffectResult) {
        let key = StepKey::new(&[key]);
        self.flow.fold(&mut self.view, &Delta::Result { key: &key, result });
    }

    fn worktree(&mut self, key: &str, result: WorktreeResult) {
        self.result(key, &EffectResult::Worktree(result));
    }

    fn open(&mut self, goal: &str) {
        let base = id('b');
        let detail = format!(r#""goal_id":"{goal}","base":"{base}","onto":"refs/heads/main""#);
        self.event("LANE_OPENED", &detail);
    }

    fn runs(&mut self, key: &str) {
        self.running.insert(StepKey::new(&[key]));
    }

    /// A goal whose attempt passed at this commit.
    fn passed(&mut self, goal: &str, head: char) {
        self.passed_expecting(goal, head, "false");
    }

    /// The same for one whose tests are to be red, or not.
    fn passed_expecting(&mut self, goal: &str, head: char, red: &str) {
        self.open(goal);
        let branch = format!("refs/heads/hast/lanes/{goal}/work");
        let (b, t, s, h) = (id('b'), id('1'), id('2'), id(head));
        let base = format!(
            r#"{{"version":1,"key":"{goal}/1","branch":"{branch}","commit":"{b}","tree":"{t}","snapshot":"{s}","rules":{{"leave_out":[],"protected":[],"protect":[],"handoffs":null,"moving_refs":["refs/"]}},"at":"2026-02-09T05:30:00Z"}}"#
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

    fn tip(&mut self, goal: &str, moved: u32, at: char) {
        let (name, commit) = ("refs/heads/main".to_owned(), id(at));
        let tip = WorktreeResult::Tip(Head::Branch { name, commit });
        self.worktree(&format!("{goal}/1/tip/{moved}"), tip);
    }

    fn holds(&mut self, goal: &str, moved: u32) {
        let held = EffectResult::Lease(LeaseResult::Held { fence: 1 });
        self.result(&format!("{goal}/1/lease/{moved}"), &held);
    }

    fn step(&self) -> Step {
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
    fn key(&self) -> String {
        match self.step() {
            Step::Effect { key, .. } => key.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// The events that are written next.
    fn written(&self) -> String {
        let Step::Commit(commit) = self.step() else { panic!("{:?}", self.step()) };
        let log = commit.puts.iter().find_map(|put| match put {
            Put::Append { bytes, .. } => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        });
        log.unwrap()
    }
}

fn goals(rows: &[(&str, &str)]) -> String {
    let row = |(id, keys): &(&str, &str)| {
        format!("  - id: {id}\n    title: t\n    status: active\n{keys}")
    };
    format!("goals:\n{}", rows.iter().map(row).collect::<String>())
}

#[test]
fn a_lane_opens_while_there_is_room_and_then_what_is_on_its_way_is_waited_for() {
    let mut lanes = Lanes::new(&goals(&[("A", ""), ("B", ""), ("C", "")]), 2);
    assert_eq!(lanes.key(), "A/1/open");
    lanes.open("A");
    lanes.runs("A/1/add");
    assert_eq!(lanes.key(), "B/1/open");
    lanes.open("B");
    lanes.runs("B/1/add");
    assert_eq!(lanes.key(), "A/1/add");
}

#[test]
fn a_goal_is_claimed_before_it_gets_a_lane_and_passed_over_where_another_has_it() {
    let mut lanes = Lanes::new(&goals(&[("A", ""), ("B", "")]), 1);
    let (name, commit) = ("refs/heads/main".to_owned(), id('b'));
    lanes.worktree("A/1/open", WorktreeResult::Tip(Head::Branch { name, commit }));
    assert_eq!(lanes.key(), "A/1/claim");
    let gone = LeaseResult::Gone { why: "other has it".into() };
    lanes.result("A/1/claim", &EffectResult::Lease(gone));
    assert_eq!(lanes.key(), "B/1/open");
}

#[test]
fn goals_whose_scopes_overlap_are_not_begun_together() {
    let scope = |globs: &str| format!("    allowed_changes: [{globs}]\n");
    let (a, b, c) = (scope("src/"), scope("src/x.py"), scope("docs/"));
    let mut lanes = Lanes::new(&goals(&[("A", &a), ("B", &b), ("C", &c)]), 3);
    lanes.open("A");
    lanes.runs("A/1/add");
    assert_eq!(lanes.key(), "C/1/open");
}

#[test]
fn a_red_goal_is_a_barrier_on_both_sides() {
    let red = "    expect_failure: true\n";
    let mut before = Lanes::new(&goals(&[("A", ""), ("R", red), ("B", "")]), 3);
    before.open("A");
    before.runs("A/1/add");
    assert_eq!(before.key(), "A/1/add", "R waits, and nothing overtakes it");
    let mut during = Lanes::new(&goals(&[("R", red), ("B", "")]), 3);
    during.open("R");
    during.runs("R/1/add");
    assert_eq!(during.key(), "R/1/add");
}

#[test]
fn whoever_passed_first_is_merged_first() {
    let mut lanes = Lanes::new(&goals(&[("A", ""), ("B", "")]), 2);
    lanes.passed("B", 'c');
    lanes.passed("A", 'd');
    assert_eq!(lanes.key(), "B/1/tip/0");
    lanes.runs("B/1/tip/0");
    assert_eq!(lanes.key(), "B/1/tip/0", "A waits for its turn");
}

#[test]
fn a_branch_that_has_not_moved_goes_forward_without_another_test() {
    let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
    lanes.passed("A", 'c');
    lanes.tip("A", 0, 'b');
    assert_eq!(lanes.key(), "A/1/lease/0");
    lanes.holds("A", 0);
    let written = lanes.written();
    assert!(written.contains("MERGE_STARTED") && written.contains(id('c').as_str()), "{written}");
}

#[test]
fn on_a_branch_that_has_moved_the_work_is_put_on_top_and_tested_again() {
    let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
    lanes.passed("A", 'c');
    lanes.tip("A", 0, 'd');
    assert_eq!(lanes.key(), "A/1/replay/0");
    let (commit, tree) = (id('e'), id('f'));
    lanes.worktree("A/1/replay/0", WorktreeResult::Replayed { commit, tree });
    assert_eq!(lanes.key(), "A/1/bring/0");
    lanes.worktree("A/1/bring/0", WorktreeResult::Brought);
    let Step::Effect { key, effect: Effect::Within { effect, .. } } = lanes.step() else {
        panic!("{:?}", lanes.step())
    };
    assert_eq!(key.as_str(), "A/1/retest/0");
    assert!(matches!(&*effect, Effect::Check(check) if check.tree == id('f')));
    let run = TestRun { end: TestEnd::Green, tail: String::new(), counted: Default::default() };
    lanes.result("A/1/retest/0", &EffectResult::Check(run));
    lanes.holds("A", 0);
    let written = lanes.written();
    assert!(written.contains("MERGE_STARTED") && written.contains(id('e').as_str()), "{written}");
}

#[test]
fn the_first_conflict_is_one_more_attempt_and_the_second_a_persons() {
    for (bounced, class) in [(0, "failed"), (1, "blocked")] {
        let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
        lanes.passed("A", 'c');
        if bounced == 1 {
            let about = r#""goal_id":"A","attempt":1"#;
            lanes.event("ATTEMPT_JUDGED", &format!(r#"{about},"class":"failed""#));
            let head = id('c');
            lanes.event("ATTEMPT_PASSED", &format!(r#"{about},"head":"{head}""#));
        }
        lanes.tip("A", 0, 'd');
        let paths = vec!["src/a.py".to_owned(), "src/b.py".to_owned()];
        lanes.worktree("A/1/replay/0", WorktreeResult::Conflict { paths });
        let written = lanes.written();
        assert!(written.contains("merge_conflict") && written.contains("src/a.py"), "{written}");
        assert!(written.contains(&format!("\"class\":\"{class}\"")), "{written}");
    }
}

#[test]
fn a_red_test_after_the_merge_is_never_merged() {
    let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
    lanes.passed("A", 'c');
    lanes.tip("A", 0, 'd');
    let (commit, tree) = (id('e'), id('f'));
    lanes.worktree("A/1/replay/0", WorktreeResult::Replayed { commit, tree });
    lanes.worktree("A/1/bring/0", WorktreeResult::Brought);
    let run = TestRun {
        end: TestEnd::Red { code: 1 },
        tail: "E  assert".into(),
        counted: Default::default(),
    };
    lanes.result("A/1/retest/0", &EffectResult::Check(run));
    let written = lanes.written();
    assert!(written.contains("red_after_merge") && !written.contains("MERGE_STARTED"), "{written}");
}

#[test]
fn a_red_goal_is_tested_again_for_being_red() {
    for (end, merged) in [
        (TestEnd::Red { code: 1 }, true),
        (TestEnd::Green, false),
        (TestEnd::CouldNotRun { why: "signal 9".into() }, false),
    ] {
        let mut lanes = Lanes::new(&goals(&[("A", "    expect_failure: true\n")]), 1);
        lanes.passed_expecting("A", 'c', "true");
        lanes.tip("A", 0, 'd');
        let (commit, tree) = (id('e'), id('f'));
        lanes.worktree("A/1/replay/0", WorktreeResult::Replayed { commit, tree });
        lanes.worktree("A/1/bring/0", WorktreeResult::Brought);
        assert_eq!(lanes.key(), "A/1/retest/0");
        let run = TestRun { end: end.clone(), tail: String::new(), counted: Default::default() };
        lanes.result("A/1/retest/0", &EffectResult::Check(run));
        lanes.holds("A", 0);
        let written = lanes.written();
        assert_eq!(written.contains("MERGE_STARTED"), merged, "{end:?}: {written}");
        assert_eq!(written.contains("red_after_merge"), !merged, "{end:?}: {written}");
    }
}

#[test]
fn later_siblings_wait_for_a_red_goal_also_without_a_parent() {
    let red = "    expect_failure: true\n";
    let session =
        "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: B\n---\n";
    let mut lanes = Lanes::new(&goals(&[("R", red), ("B", ""), ("C", "")]), 3);
    lanes.document("handoffs/2026-02-09_143000.md", session.as_bytes());
    assert_eq!(lanes.key(), "R/1/open", "the last session's goal would be first");
    lanes.flow.auto.asked = Asked { goal: Some("B".into()), depth: Depth::One };
    assert_eq!(lanes.key(), "B/1/open", "whoever names it wants that one");
}

#[test]
fn a_branch_that_moves_again_is_followed_three_times() {
    let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
    lanes.passed("A", 'c');
    let about = r#""goal_id":"A","attempt":1"#;
    let (from, to) = (id('b'), id('c'));
    let merging = format!(r#"{about},"from":"{from}","to":"{to}""#);
    for moved in 0..=3 {
        lanes.event("MERGE_STARTED", &merging);
        let Step::Effect { key, effect: Effect::Worktree(step) } = lanes.step() else {
            panic!("{:?}", lanes.step())
        };
        assert_eq!(key.to_string(), format!("A/1/merge/{moved}"));
        assert!(matches!(&*step, WorktreeStep::Merge(plan) if plan.from == from && plan.to == to));
        let (name, expected) = ("refs/heads/main".to_owned(), Some(from.clone()));
        let problem = GitProblem::Moved { name, expected, found: Some(id('d')) };
        lanes.worktree(&format!("A/1/merge/{moved}"), WorktreeResult::Refused(problem));
        let written = lanes.written();
        if moved < 3 {
            assert!(written.contains("MERGE_MOVED"), "{written}");
            lanes.event("MERGE_MOVED", about);
        } else {
            assert!(written.contains("tip_moves"), "{written}");
        }
    }
}

#[test]
fn a_claim_that_is_gone_stops_the_merge_and_keeps_the_work() {
    let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
    lanes.passed("A", 'c');
    lanes.tip("A", 0, 'b');
    let gone = LeaseResult::Gone { why: "other has it".into() };
    lanes.result("A/1/lease/0", &EffectResult::Lease(gone));
    assert_eq!(lanes.key(), "A/1/keep");
}

#[test]
fn an_attempt_in_the_checkout_that_was_cut_off_is_not_built_on() {
    let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
    lanes.event("ATTEMPT_STARTED", r#""goal_id":"A","attempt":1"#);
    let Step::Finish(Ending::Blocked(notice)) = lanes.step() else { panic!("{:?}", lanes.step()) };
    assert!(notice.next.contains("hast auto A"), "{notice:?}");
}

/// A goal that was merged, with its status still to be committed.
fn merged() -> Lanes {
    let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
    lanes.passed("A", 'c');
    let (about, head) = (r#""goal_id":"A","attempt":1"#, id('c'));
    let settled = format!(r#"{about},"then":"done","head":"{head}","commit_goals_on":"{head}""#);
    lanes.event("GOAL_DONE", about);
    lanes.event("ATTEMPT_SETTLED", &settled);
    lanes
}

fn git(lanes: &mut Lanes, key: &str, result: GitResult) {
    lanes.result(key, &EffectResult::Git(result));
}

#[test]
fn the_status_is_committed_where_the_merge_left_the_branch_so_that_a_second_try_is_the_same() {
    let mut lanes = merged();
    let Step::Effect { effect: Effect::Git(step), .. } = lanes.step() else { panic!() };
    assert!(matches!(&*step, GitStep::Build { plan } if plan.parent == id('c')), "{step:?}");
    git(&mut lanes, "A/1/goals-build", GitResult::Built { commit: id('e') });
    let Step::Effect { effect: Effect::Git(step), .. } = lanes.step() else { panic!() };
    let to_e =
        matches!(&*step, GitStep::Advance { from, to, .. } if *from == id('c') && *to == id('e'));
    assert!(to_e, "{step:?}");
}

#[test]
fn where_somebody_was_on_the_branch_since_the_status_is_committed_on_top_of_that() {
    let mut lanes = merged();
    git(&mut lanes, "A/1/goals-build", GitResult::Built { commit: id('e') });
    let (name, expected) = ("refs/heads/main".to_owned(), Some(id('c')));
    let moved = GitProblem::Moved { name, expected, found: Some(id('d')) };
    git(&mut lanes, &format!("A/1/goals-advance/{}", id('e')), GitResult::Refused(moved));
    assert_eq!(lanes.key(), "A/1/goals-tip");
    let (name, commit) = ("refs/heads/main".to_owned(), id('d'));
    lanes.worktree("A/1/goals-tip", WorktreeResult::Tip(Head::Branch { name, commit }));
    let Step::Effect { key, effect: Effect::Git(step) } = lanes.step() else { panic!() };
    assert_eq!(key.as_str(), "A/1/goals-again-build");
    assert!(matches!(&*step, GitStep::Build { plan } if plan.parent == id('d')), "{step:?}");
}

#[test]
fn a_lane_for_a_packet_is_finished_by_its_packet_and_by_nobody_else() {
    let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
    let base = id('b');
    let detail = format!(r#""goal_id":"A","base":"{base}","onto":null,"packet":"PKT_1""#);
    lanes.event("LANE_OPENED", &detail);
    let Step::Finish(Ending::Blocked(notice)) = lanes.step() else { panic!("{:?}", lanes.step()) };
    assert!(notice.next.contains("protocols/PKT_1/result.json"), "{notice:?}");
    let (packet, goal, end) = ("PKT_1".to_owned(), "A".to_owned(), CallEnd::Ended);
    let (onto, work, handoff) = (None, None, None);
    lanes.flow.delivery = Some(Delivery { packet, goal, base, onto, end, work, handoff });
    assert_eq!(lanes.key(), "A/1/add");
    lanes.flow.delivery.as_mut().unwrap().packet = "PKT_2".into();
    assert!(matches!(lanes.step(), Step::Finish(Ending::Blocked(_))));
}
