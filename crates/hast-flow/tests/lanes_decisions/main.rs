//! The next step of a run in lanes, from files alone. Tests show which goals may begin together,
//! which lane is merged first, and the step after a moved branch, a conflict or a red test.
#![cfg(test)]

mod scene;
mod status;

use hast_flow::attempt::evidence::{CallEnd, TestEnd, TestRun};
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::Head;
use hast_flow::attempt::worktrees::{WorktreeResult, WorktreeStep};
use hast_flow::flows::goals::auto::lanes::Delivery;
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::leases::LeaseResult;
use hast_flow::steps::{Effect, EffectResult, Ending, Step};
use hast_flow::words::Lang;

use crate::scene::{Lanes, goals, id};

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
fn a_lane_that_needs_an_agent_waits_for_a_run_that_asks_for_its_goal() {
    let mut lanes = Lanes::new(&goals(&[("A", ""), ("B", "")]), 1);
    lanes.open("A");
    let asked = |goal: Option<&str>| Asked { goal: goal.map(str::to_owned), depth: Depth::One };
    lanes.flow.auto.asked = asked(Some("B"));
    assert_eq!(lanes.key(), "B/1/open");
    for asks in [asked(None), asked(Some("A"))] {
        lanes.flow.auto.asked = asks;
        assert_eq!(lanes.key(), "A/1/add");
    }
    let mut lanes = Lanes::new(&goals(&[("A", ""), ("B", "")]), 1);
    lanes.passed("A", 'c');
    lanes.flow.auto.asked = asked(Some("B"));
    assert_eq!(lanes.key(), "A/1/tip/0", "what passed is merged, whatever was asked for");
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
fn what_people_make_of_a_goal_before_each_try_to_merge_it_stands() {
    for (text, merged) in [
        (goals(&[("A", "")]), true),
        (goals(&[("A", "")]).replace("active", "dropped"), false),
        (goals(&[("A", "")]).replace("active", "done"), false),
        (goals(&[("B", "")]), false),
    ] {
        let mut lanes = Lanes::new(&goals(&[("A", "")]), 1);
        lanes.passed("A", 'c');
        lanes.event("MERGE_MOVED", r#""goal_id":"A","attempt":1"#);
        lanes.tip("A", 1, 'b');
        lanes.holds("A", 1);
        lanes.goals_are("A", 1, &text);
        let written = lanes.written();
        assert_eq!(written.contains("MERGE_STARTED"), merged, "{written}");
        assert_eq!(written.contains("goal_withdrawn"), !merged, "{written}");
    }
}

#[test]
fn goals_that_cannot_be_read_before_a_merge_end_the_run_and_block_no_goal() {
    let mut lanes = Lanes::new(&goals(&[("A", ""), ("B", "")]), 2);
    lanes.passed("A", 'c');
    lanes.open("B");
    lanes.runs("B/1/call/0");
    lanes.tip("A", 0, 'b');
    lanes.holds("A", 0);
    lanes.goals_are("A", 0, "goals: [");
    assert_eq!(lanes.key(), "B/1/call/0", "who is at work ends first");
    lanes.running.clear();
    let problem = GitProblem::RepositoryFilter { name: "x".into() };
    lanes.worktree("B/1/add", WorktreeResult::Refused(problem));
    assert!(matches!(lanes.step(), Step::Finish(Ending::Blocked(_))), "{:?}", lanes.step());
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

#[test]
fn while_the_branch_is_red_on_purpose_only_the_next_sibling_runs() {
    let red = "    expect_failure: true\n";
    let text = goals(&[("R", red), ("B", ""), ("C", "")]);
    let mut lanes = Lanes::new(&text.replacen("active", "done", 1), 3);
    assert_eq!(lanes.key(), "B/1/open");
    lanes.event("GOAL_DONE", r#""goal_id":"R","attempt":1"#);
    let session =
        "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: C\n---\n";
    lanes.document("handoffs/2026-02-09_143000.md", session.as_bytes());
    assert_eq!(lanes.key(), "B/1/open", "the last session's goal would be first");
    lanes.open("B");
    lanes.runs("B/1/add");
    assert_eq!(lanes.key(), "B/1/add", "C waits for it");
    let green = r#""goal_id":"B","tree":"t","command":"pytest","end":"green""#;
    lanes.event("BASE_TESTED", green);
    assert_eq!(lanes.key(), "C/1/open", "somebody has made it green already");
}

#[test]
fn what_stands_in_everybodys_way_ends_the_run_and_blocks_no_goal() {
    let mut lanes = Lanes::new(&goals(&[("A", ""), ("B", "")]), 2);
    lanes.open("A");
    lanes.open("B");
    lanes.runs("B/1/call/0");
    let problem = GitProblem::RepositoryFilter { name: "x".into() };
    lanes.worktree("A/1/add", WorktreeResult::Refused(problem));
    assert_eq!(lanes.key(), "B/1/call/0", "who is at work ends first");
    lanes.running.clear();
    lanes.worktree("B/1/add", WorktreeResult::Refused(GitProblem::NoGit { why: "gone".into() }));
    assert!(matches!(lanes.step(), Step::Finish(Ending::Blocked(_))), "{:?}", lanes.step());
}

#[test]
fn a_merge_that_the_machine_kept_from_being_made_blocks_no_goal_and_is_made_by_the_next_run() {
    for problem in [
        GitProblem::Killed { command: "update-ref".into() },
        GitProblem::NotWritten { said: "error: unable to write file src/a.bin".into() },
        GitProblem::Disk { path: "/p/.git".into(), why: "No space left on device".into() },
    ] {
        let mut lanes = Lanes::new(&goals(&[("A", ""), ("B", "")]), 2);
        lanes.passed("A", 'c');
        lanes.open("B");
        lanes.runs("B/1/call/0");
        let (from, to) = (id('b'), id('c'));
        let merging = format!(r#""goal_id":"A","attempt":1,"from":"{from}","to":"{to}""#);
        lanes.event("MERGE_STARTED", &merging);
        assert_eq!(lanes.key(), "A/1/merge/0");
        lanes.worktree("A/1/merge/0", WorktreeResult::Refused(problem.clone()));
        assert_eq!(lanes.key(), "B/1/call/0", "who is at work ends first");
        lanes.running.clear();
        lanes.worktree("B/1/add", WorktreeResult::Refused(problem.clone()));
        let step = lanes.step();
        let Step::Finish(Ending::Blocked(notice)) = step else { panic!("{step:?}") };
        assert_eq!(notice.what, problem.what(Lang::En));
    }
}
