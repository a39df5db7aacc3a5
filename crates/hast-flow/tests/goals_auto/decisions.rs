//! The decisions of `auto`, a sentence of the specification each. Everything happens in memory.

use hast_flow::agents::outcome::FailureClass;
use hast_flow::attempt::evidence::TestEnd::{CouldNotRun, Green, NoProgram, Red};
use hast_flow::attempt::recovery::NotReady;
use hast_flow::docs::goals::GoalsEvent;
use hast_flow::driver::{Delta, Flow};
use hast_flow::flows::goals::auto::CutOff;
use hast_flow::flows::goals::runnable::{Asked, Depth};
use hast_flow::steps::{CallResult, Ending, Notice, Place};
use hast_flow::store::{DocPath, Identity, Seen};

use crate::scene::{Auto, Left, handoff};

const RED: hast_flow::attempt::evidence::TestEnd = Red { code: 1 };

fn honest() -> Left {
    Left::honest("M1")
}

fn idle() -> Left {
    Left { changes: Vec::new(), handoff: None, ..honest() }
}

pub(crate) fn blocked(ending: Ending) -> Notice {
    let Ending::Blocked(notice) = ending else { panic!("{ending:?}") };
    notice
}

pub(crate) fn tree(goals: &[(&str, &str)]) -> String {
    let list = goals
        .iter()
        .map(|(id, more)| format!("  - id: {id}\n    title: t\n    status: active\n{more}"));
    format!("goals:\n{}", list.collect::<String>())
}

#[test]
fn one_attempt_is_base_prompt_agent_judge_settle_in_this_order() {
    let mut auto = Auto::with(vec![honest()], vec![Green, Green]);
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert_eq!(
        auto.git.did,
        [
            "look",
            "claim M1",
            "room M1",
            "look",
            "test pytest",
            "record M1/1",
            "call M1 1",
            "inspect",
            "test pytest",
            "hooks",
            "build feat(M1): Login",
            "advance",
            "keep M1",
            "merge",
            "build chore(M1): goal status",
            "advance",
            "clear M1",
        ]
    );
    assert_eq!(
        auto.kinds(),
        [
            "AUTO_STARTED",
            "LANE_OPENED",
            "BASE_TESTED",
            "GOAL_STARTED",
            "ATTEMPT_STARTED",
            "ATTEMPT_ENDED",
            "ATTEMPT_JUDGED",
            "ATTEMPT_PASSED",
            "MERGE_STARTED",
            "GOAL_DONE",
            "ATTEMPT_SETTLED",
            "GOALS_COMMITTED",
            "LANE_CLOSED",
        ]
    );
    assert!(auto.goals().contains("status: done"));
    for name in ["base.json", "attempt.json", "verdict.json"] {
        assert!(auto.files.contains_key(&format!("attempts/M1/1/{name}")), "{name}");
    }
}

#[test]
fn every_event_has_the_five_fields_and_a_known_kind() {
    let mut auto = Auto::with(vec![honest()], vec![Green, Green]);
    auto.drive();
    for event in auto.events() {
        assert_eq!(event.as_object().unwrap().len(), 5, "{event}");
        serde_json::from_value::<GoalsEvent>(event).unwrap();
    }
    let judged = auto.events().into_iter().find(|event| event["type"] == "ATTEMPT_JUDGED").unwrap();
    let judged = &judged["detail"];
    assert_eq!(
        (judged["class"].as_str(), judged["code"].as_str()),
        (Some("complete"), Some("all_good"))
    );
}

#[test]
fn the_prompt_has_the_context_and_the_exact_handoff_file_to_write() {
    let mut auto = Auto::with(vec![honest()], vec![Green, Green]);
    auto.drive();
    let call = &auto.calls[0];
    assert_eq!((call.role.as_str(), call.step, call.unit.as_str()), ("worker", "attempt", "M1"));
    assert!(matches!(call.place, Place::Worktree(_)), "{:?}", call.place);
    assert_eq!(call.ids["goal_id"], "M1");
    let file = ".ai/handoffs/2026-02-09_143000.md";
    assert_eq!(call.handoff_path.as_deref(), Some(file));
    assert!(call.prompt.contains(file) && call.prompt.contains("규칙 하나"));
    assert!(call.prompt.contains("`pytest` 명령을 실행하라"));
    assert!(call.prompt.contains("작업 전에는 통과한다"), "{}", call.prompt);
    let real =
        "---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: M1\n---\n";
    assert!(call.prompt.contains(real), "{}", call.prompt);
}

#[test]
fn a_failed_attempt_is_saved_rolled_back_and_tried_again_with_what_went_wrong() {
    let mut auto = Auto::with(vec![honest(), honest()], vec![Green, RED, Green]);
    assert!(matches!(auto.drive(), Ending::Done(_)));
    let second = auto.git.did.iter().skip_while(|did| *did != "inspect").skip(2);
    let second: Vec<&str> = second.take(5).map(String::as_str).collect();
    assert_eq!(
        second,
        ["save refs/hast/attempts/M1/1", "roll back", "keep M1", "record M1/2", "call M1 2"]
    );
    assert!(auto.calls[1].prompt.contains("E   assert 1 == 2"), "{}", auto.calls[1].prompt);
    assert!(auto.calls[1].prompt.contains("테스트 명령이 실패했다 (종료 코드 1)"));
    assert!(!auto.calls[0].prompt.contains("assert 1 == 2"));
}

#[test]
fn the_agent_is_told_that_the_base_is_red_and_its_last_lines_in_every_attempt() {
    let mut auto = Auto::with(vec![honest(), honest()], vec![RED, RED, Green]);
    assert!(matches!(auto.drive(), Ending::Done(_)));
    for call in &auto.calls {
        let (_, tests) = call.prompt.split_once("작업 전에는 실패한다 (종료 코드 1).").unwrap();
        assert!(tests.contains("E   assert 1 == 2\n```\n"), "{}", call.prompt);
    }
}

#[test]
fn after_a_goal_that_left_red_tests_the_next_is_told_their_last_lines() {
    let goals = tree(&[("M1", "    expect_failure: true\n"), ("M2", "")]);
    let mut auto = Auto::new(&goals);
    auto.agent = vec![honest(), Left::honest("M2")].into();
    auto.tests = vec![Green, RED, Green].into();
    assert!(matches!(auto.drive(), Ending::Done(_)), "{:?}", auto.kinds());
    assert!(auto.calls[0].prompt.contains("작업 전에는 통과한다"));
    let second = &auto.calls[1].prompt;
    assert!(
        second.contains("작업 전에는 실패한다") && second.contains("E   assert 1 == 2"),
        "{second}"
    );
}

#[test]
fn the_base_is_tested_once_before_the_first_attempt() {
    let mut auto = Auto::with(vec![honest(), honest()], vec![Green, RED, Green]);
    auto.drive();
    assert_eq!(auto.count("BASE_TESTED"), 1);
    assert!(auto.tests.is_empty(), "one on the base, one for each attempt");
}

#[test]
fn the_result_on_the_base_is_kept_by_tree_hash() {
    let goals = tree(&[("M1", ""), ("M2", "")]);
    let mut auto = Auto::new(&goals);
    auto.agent = vec![honest(), Left::honest("M2")].into();
    auto.tests = vec![Green, Green, Green].into();
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert_eq!(auto.count("BASE_TESTED"), 1, "the tree is the same one");
}

#[test]
fn tests_do_not_run_when_an_earlier_rule_decides() {
    let mut auto = Auto::with(vec![idle(), idle(), idle()], vec![Green]);
    blocked(auto.drive());
    assert_eq!(auto.git.did.iter().filter(|did| did.starts_with("test")).count(), 1);
    assert!(auto.goals().contains("max retries exceeded"), "{}", auto.goals());
}

#[test]
fn retries_used_up_keep_the_last_changes_on_a_branch_with_a_ref_and_a_reason() {
    let mut auto = Auto::with(vec![honest(), honest(), honest()], vec![Green, RED, RED, RED]);
    let notice = blocked(auto.drive());
    assert!(notice.what.contains("M1") && notice.next.contains("hast retry M1"));
    assert_eq!(auto.git.did.iter().filter(|did| *did == "roll back").count(), 3);
    assert!(auto.git.refs.contains_key("refs/hast/attempts/M1/3"));
    assert!(auto.git.refs.contains_key("refs/heads/hast/kept/M1"));
    assert!(!auto.files.keys().any(|name| name.starts_with("handoffs/")), "{:?}", auto.files);
    assert!(auto.goals().contains("status: blocked\n    blocked_reason: \"max retries exceeded"));
    assert_eq!(auto.count("GOAL_BLOCKED"), 1);
}

#[test]
fn blocked_by_the_agent_is_handed_over_at_once() {
    let blocks = Left { handoff: Some(handoff("M1", "blocked")), ..honest() };
    let said = Left { result: CallResult::Blocked { reason: "no key".into() }, ..honest() };
    for (left, is_read) in [(blocks, true), (said, false)] {
        let mut auto = Auto::with(vec![left], vec![Green]);
        blocked(auto.drive());
        assert_eq!(auto.count("ATTEMPT_STARTED"), 1);
        assert!(auto.git.refs.contains_key("refs/heads/hast/kept/M1"));
        assert!(auto.goals().contains("status: blocked"));
        // What a session says about why it cannot go on is there for the next one.
        let there = auto.files.contains_key("handoffs/2026-02-09_143000.md");
        assert_eq!(there, is_read);
        assert_eq!(auto.view.shared.last_session().is_some(), is_read);
    }
}

#[test]
fn with_more_goals_to_run_kept_work_goes_onto_a_branch_and_the_next_starts_from_base() {
    let mut auto = Auto::new(&tree(&[("M1", ""), ("M2", "")]));
    let blocks = Left { handoff: Some(handoff("M1", "blocked")), ..honest() };
    auto.agent = vec![blocks, Left::honest("M2")].into();
    auto.tests = vec![Green, Green].into();
    blocked(auto.drive());
    let after = auto.git.did.iter().skip_while(|did| !did.starts_with("save")).take(3);
    let after: Vec<&str> = after.map(String::as_str).collect();
    assert_eq!(
        after,
        ["save refs/hast/attempts/M1/1", "keep refs/heads/hast/kept/M1", "roll back"]
    );
    assert_eq!((auto.count("GOAL_DONE"), auto.count("GOAL_BLOCKED")), (1, 1));
}

#[test]
fn an_agent_that_committed_itself_is_not_committed_again() {
    let mut auto = Auto::with(vec![Left { committed: true, ..honest() }], vec![Green, Green]);
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert!(!auto.git.did.contains(&"hooks".to_owned()));
    assert!(auto.goals().contains("status: done"));
}

#[test]
fn exit_code_one_after_finished_work_is_complete() {
    let class = FailureClass::ExitCode(1);
    let result = CallResult::Failed { class, reason: String::new() };
    let mut auto = Auto::with(vec![Left { result, ..honest() }], vec![Green, Green]);
    assert!(matches!(auto.drive(), Ending::Done(_)));
}

#[test]
fn a_timeout_fails_whatever_lies_in_the_tree() {
    let result = CallResult::Failed { class: FailureClass::TimedOut, reason: String::new() };
    let late = Left { result, ..honest() };
    let mut auto = Auto::with(vec![late, honest()], vec![Green, Green]);
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert_eq!(auto.count("ATTEMPT_STARTED"), 2);
}

#[test]
fn a_refusal_of_the_users_hooks_fails_the_attempt() {
    let mut auto = Auto::with(vec![honest(), honest(), honest()], vec![Green, Green, Green, Green]);
    auto.git.hook = Some("lint failed".into());
    blocked(auto.drive());
    assert!(auto.git.commits.values().all(|what| what.starts_with(".ai/goals.yaml")));
    assert!(auto.calls[1].prompt.contains("lint failed"));
    assert_eq!(auto.count("ATTEMPT_STARTED"), 3, "each counts once");
}

#[test]
fn an_expected_failure_is_complete_without_a_handoff_and_committed_as_test() {
    let mut auto = Auto::new(&tree(&[("M1", "    expect_failure: true\n")]));
    auto.agent = vec![Left { handoff: None, ..honest() }].into();
    auto.tests = vec![Green, RED].into();
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert!(auto.git.did.contains(&"build test(M1): t".to_owned()));
    let judged = auto.events().into_iter().find(|event| event["type"] == "ATTEMPT_JUDGED").unwrap();
    assert_eq!(judged["detail"]["class"], "complete (expected failure)");
}

#[test]
fn what_an_agent_writes_into_goals_never_takes_effect() {
    let mut auto =
        Auto::new(&tree(&[("M1", "    allowed_changes: [docs/]\n    max_retries: 1\n")]));
    auto.agent = vec![honest()].into();
    auto.tests = vec![Green].into();
    while auto.calls.is_empty() {
        assert!(auto.turn().is_none());
    }
    let own = b"goals:\n  - id: M1\n    title: t\n    status: active\n    test_command: 'true'\n";
    let (path, seen) = (DocPath::new("goals.yaml").unwrap(), Seen::File(Identity::of(own, None)));
    let delta = Delta::Document { path: &path, bytes: own, seen };
    auto.flow.fold(&mut auto.view, &delta);
    let own = auto.files.insert("goals.yaml".into(), own.to_vec());
    blocked(auto.drive());
    let judged = auto.events().into_iter().find(|event| event["type"] == "ATTEMPT_JUDGED").unwrap();
    assert_eq!(judged["detail"]["code"], "outside_scope");
    assert!(own.is_some());
}

#[test]
fn a_goal_of_its_own_limits_is_tried_that_often() {
    let mut auto = Auto::new(&tree(&[(
        "M1",
        "    max_retries: 1\n    test_command: make check\n    timeout_minutes: 5\n",
    )]));
    auto.agent = vec![honest()].into();
    auto.tests = vec![Green, CouldNotRun { why: "127".into() }].into();
    blocked(auto.drive());
    assert_eq!(auto.count("ATTEMPT_STARTED"), 1);
    assert!(auto.git.did.contains(&"test make check".to_owned()));
    assert_eq!(auto.calls[0].timeout.map(|limit| limit.as_secs()), Some(300));
}

#[test]
fn tests_whose_program_is_not_installed_stop_the_run_before_any_agent() {
    let mut auto = Auto::new(&tree(&[("M1", "")]));
    let none = || NoProgram { name: "pytets".into(), why: "127".into() };
    auto.tests = vec![none()].into();
    let notice = blocked(auto.drive());
    assert!(notice.what.contains("pytets") && notice.next.contains("test_command"), "{notice:?}");
    assert_eq!((auto.calls.len(), auto.count("ATTEMPT_STARTED")), (0, 0));
    // Once it is installed nobody remembers, and where a script of the repository is missing work goes on.
    auto.dies();
    auto.agent = vec![honest()].into();
    auto.tests = vec![CouldNotRun { why: "127".into() }, Green].into();
    assert!(matches!(auto.drive(), Ending::Done(_)));
}

#[test]
fn a_parent_becomes_done_with_its_last_child_in_the_same_commit() {
    let goals = "goals:\n  - id: A\n    title: t\n    status: active\n    children:\n      - id: M1\n        title: t\n        status: active\n";
    let mut auto = Auto::new(goals);
    auto.agent = vec![honest()].into();
    auto.tests = vec![Green, Green].into();
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert_eq!(auto.goals(), goals.replace("active", "done"));
}

#[test]
fn naming_a_goal_that_cannot_run_fails_and_starts_no_agent() {
    let mut auto = Auto::new("goals:\n  - {id: P, title: t, status: pending}\n");
    auto.flow.auto.asked = Asked { goal: Some("P".into()), depth: Depth::One };
    let Ending::Failed(notice) = auto.drive() else { panic!() };
    assert!(notice.next.contains("status: active"));
    auto = Auto::new("goals:\n  - {id: P, title: t, status: done}\n");
    auto.flow.auto.asked = Asked { goal: Some("P".into()), depth: Depth::One };
    assert!(matches!(auto.drive(), Ending::Done(_)), "done is a notice");
}

#[test]
fn uncommitted_files_of_the_user_are_told_of_and_refuse_nothing() {
    let mut auto = Auto::with(vec![honest()], vec![Green, Green]);
    auto.git.users = vec!["mine.txt".into(), ".ai/rules.md".into()];
    assert!(matches!(auto.drive(), Ending::Done(_)));
    let started = &auto.events()[0]["detail"];
    assert_eq!(started["uncommitted"], serde_json::json!(["mine.txt"]));
}

#[test]
fn a_living_lock_or_a_missing_agent_starts_nothing() {
    let mut auto = Auto::with(vec![], vec![]);
    auto.flow.auto.running = Some(42);
    assert!(blocked(auto.drive()).what.contains("42"));
    let mut auto = Auto::with(vec![], vec![]);
    auto.flow.auto.not_ready = Some(NotReady::NoAgent { line: "claude".into() });
    assert!(blocked(auto.drive()).what.contains("claude"));
    assert!(auto.git.did.is_empty());
}

#[test]
fn a_death_while_the_agent_works_is_no_attempt_and_its_remains_are_saved_first() {
    let mut auto = Auto::with(vec![honest()], vec![Green, Green]);
    auto.dies_while_the_agent_works();
    assert!(matches!(auto.drive(), Ending::Done(_)));
    let saved = auto.git.did.iter().position(|did| did == "save refs/hast/attempts/M1/1");
    let back = auto.git.did.iter().position(|did| did == "roll back");
    assert!(saved.is_some() && saved < back, "{:?}", auto.git.did);
    assert_eq!(auto.count("ATTEMPT_INTERRUPTED"), 1);
    assert_eq!(auto.view.shared.ledger("M1").spent(), 1, "only the one that was judged");
}

#[test]
fn three_deaths_in_a_row_count_as_one_attempt() {
    let mut auto = Auto::with(vec![honest()], vec![Green, Green]);
    for _ in 0..3 {
        auto.dies_while_the_agent_works();
    }
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert_eq!(auto.count("ATTEMPT_INTERRUPTED"), 2);
    assert_eq!(auto.view.shared.ledger("M1").spent(), 2, "the three, and the one that passed");
}

#[test]
fn a_limit_spends_nothing_however_often() {
    let mut auto = Auto::with(vec![honest()], vec![Green, Green]);
    auto.flow.auto.cut_off =
        CutOff::Limit { resume_at: Some("2026-02-09T10:00:00Z".parse().unwrap()) };
    for _ in 0..5 {
        auto.dies_while_the_agent_works();
    }
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert_eq!((auto.count("LIMIT_REACHED"), auto.count("ATTEMPT_INTERRUPTED")), (5, 0));
    assert_eq!(auto.view.shared.ledger("M1").spent(), 1);
    let limit = auto.events().into_iter().find(|event| event["type"] == "LIMIT_REACHED").unwrap();
    assert_eq!(limit["detail"]["resume_at"], "2026-02-09T10:00:00Z");
}

#[test]
fn a_retry_counts_anew_and_numbers_go_on() {
    let mut auto = Auto::with(vec![idle(), idle(), idle(), honest()], vec![Green, Green]);
    blocked(auto.drive());
    let text = hast_flow::flows::goals::status_edit::retried(&auto.goals(), "M1").unwrap();
    auto.files.insert("goals.yaml".into(), text.into_bytes());
    let count = auto.events().len() + 1;
    let line = format!(
        "{{\"event_id\":\"EV-20260209T053000Z-{count:04}\",\"ts\":\"2026-02-09T05:30:00Z\",\"actor\":\"controller\",\"type\":\"RETRIED\",\"detail\":{{\"goal_id\":\"M1\"}}}}\n"
    );
    auto.files.get_mut("events/events.ndjson").unwrap().extend(line.into_bytes());
    auto.git.left = None;
    auto.dies();
    assert!(matches!(auto.drive(), Ending::Done(_)));
    assert_eq!(auto.calls[3].attempt, 4);
    assert_eq!(auto.view.shared.ledger("M1").spent(), 1);
}

#[test]
fn a_fresh_read_and_the_kept_view_agree_after_every_turn() {
    let mut auto = Auto::new(&tree(&[("M1", ""), ("M2", "")]));
    auto.agent = vec![honest(), honest(), Left::honest("M2")].into();
    auto.tests = vec![Green, RED, Green, Green].into();
    while auto.turn().is_none() {
        let fresh = auto.read_again();
        // What was read carries more of its identity than what was written.
        let mut kept = auto.view.shared.clone();
        if let (Some(kept), Some(fresh)) = (&mut kept.goals, &fresh.shared.goals) {
            std::rc::Rc::make_mut(kept).identity = fresh.identity;
        }
        assert_eq!((kept, &auto.view.lanes), (fresh.shared, &fresh.lanes), "{:?}", auto.git.did);
    }
    assert_eq!(auto.count("GOAL_DONE"), 2);
}

#[test]
fn a_death_after_any_turn_ends_like_the_run_that_did_not_die() {
    let build = || {
        let mut auto = Auto::new(&tree(&[("M1", ""), ("M2", "")]));
        auto.agent = vec![honest(), honest(), Left::honest("M2")].into();
        auto.tests = vec![Green, RED, Green, Green].into();
        auto
    };
    let mut whole = build();
    assert!(matches!(whole.drive(), Ending::Done(_)));
    let turns = whole.turns;
    for death in 1..turns {
        let mut auto = build();
        for _ in 0..death {
            assert!(auto.turn().is_none());
        }
        auto.dies();
        auto.agent = [honest(), Left::honest("M2"), Left::honest("M2")].into();
        if auto.view.shared.run.as_ref().is_some_and(|run| run.done.contains(&"M1".to_owned())) {
            auto.agent.pop_front();
        }
        auto.tests = vec![Green; 8].into();
        let ending = auto.drive();
        assert!(matches!(ending, Ending::Done(_)), "death {death}: {ending:?} {:?}", auto.git.did);
        assert_eq!(auto.goals(), whole.goals(), "death {death}");
        assert_eq!(auto.count("GOAL_DONE"), 2, "death {death}: {:?}", auto.kinds());
        let feats = auto.git.commits.values().filter(|what| what.starts_with("feat(")).count();
        assert_eq!(feats, 2, "death {death}: no commit is made twice: {:?}", auto.git.did);
    }
    assert!(turns > 30, "{turns}");
}
