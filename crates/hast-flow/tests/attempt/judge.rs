//! The judge's table, a test a sentence of the specification.

use crate::scene::*;
use hast_flow::agents::outbox::Word;
use hast_flow::agents::outcome::{FailureClass, Outcome};
use hast_flow::attempt::evidence::*;
use hast_flow::attempt::judge::{Judged, Rules, Scope, WantedHandoff, WantedTests, judge};
use hast_flow::attempt::reason::Class;
use hast_flow::process::exit::NotStarted;
use hast_flow::words::Lang;

fn of_call(call: CallEnd) -> Evidence {
    Evidence { call, ..honest() }
}

fn expect_failure() -> Rules {
    Rules { wanted: WantedTests::Red, ..rules() }
}

#[test]
fn work_tests_and_handoff_together_are_complete() {
    assert_eq!(judged(&honest(), &rules(), Some(&green())), (Class::Complete, "all_good", 12));
}

#[test]
fn tests_are_asked_for_only_when_nothing_before_them_decides() {
    assert_eq!(judge(&honest(), &rules(), None), Judged::NeedsTests);
    assert_eq!(judge(&honest(), &expect_failure(), None), Judged::NeedsTests);
    let idle = Evidence { changes: Vec::new(), ..honest() };
    assert_eq!(judged(&idle, &rules(), None), (Class::NoProgress, "nothing_changed", 7));
}

#[test]
fn limited_interrupted_and_not_started_spend_no_attempt() {
    for (call, class) in [
        (CallEnd::Limited, Class::Limited),
        (CallEnd::Interrupted, Class::Interrupted),
        (CallEnd::NotStarted { why: String::new() }, Class::NotStarted),
        (CallEnd::LoginNeeded { advice: String::new() }, Class::NotStarted),
    ] {
        let verdict = verdict(&of_call(call), &rules(), Some(&green()));
        assert_eq!((verdict.class, verdict.rule), (class, 1));
        assert!(!class.spends_an_attempt() && !class.is_success());
    }
}

#[test]
fn three_interruptions_in_a_row_count_as_one_attempt() {
    let interrupted = of_call(CallEnd::Interrupted);
    for (before, class) in [(0, Class::Interrupted), (1, Class::Interrupted), (2, Class::Failed)] {
        let rules = Rules { interruptions_before: before, ..rules() };
        assert_eq!(judged(&interrupted, &rules, None).0, class, "{before}");
    }
}

#[test]
fn each_breach_of_the_repository_fails_whatever_else_is_good() {
    for (breach, code) in [
        (Breach::SubmoduleChanged { path: path("lib") }, "submodule_changed"),
        (Breach::NestedRepository { path: path("lib") }, "nested_repository"),
        (Breach::SymlinkLeaves { path: path("l") }, "symlink_leaves"),
        (Breach::TooLarge { path: path("big") }, "too_large"),
        (Breach::NotStorable { path: path("pipe") }, "not_storable"),
    ] {
        let evidence = Evidence { breaches: vec![breach], ..honest() };
        assert_eq!(judged(&evidence, &rules(), Some(&green())), (Class::Failed, code, 2));
    }
}

#[test]
fn a_protected_path_fails_whatever_allowed_changes_says() {
    let evidence = Evidence { protected: vec![path(".ai/config.yaml")], ..honest() };
    let rules = Rules { scope: Scope::new(&["**"], HANDOFFS), ..rules() };
    assert_eq!(judged(&evidence, &rules, Some(&green())), (Class::Failed, "protected_path", 3));
}

#[test]
fn a_valid_blocked_handoff_or_blocked_json_hands_over_to_a_person() {
    let handoff = handoff(NOW, "G", HandoffWord::Blocked);
    let evidence = Evidence { handoffs: vec![handoff], changes: Vec::new(), ..honest() };
    assert_eq!(judged(&evidence, &rules(), None), (Class::Blocked, "handoff_blocked", 4));
    let text = verdict(&evidence, &rules(), None).reason.text(Lang::Ko);
    assert!(text.contains("no database here"), "{text}");
    let evidence = of_call(CallEnd::SaidBlocked { reason: "key".into() });
    assert_eq!(judged(&evidence, &rules(), None), (Class::Blocked, "agent_blocked", 4));
}

#[test]
fn a_blocked_handoff_of_another_goal_blocks_nothing() {
    let evidence = Evidence { handoffs: vec![handoff(NOW, "H", HandoffWord::Blocked)], ..honest() };
    assert_eq!(judge(&evidence, &rules(), None), Judged::NeedsTests);
}

#[test]
fn timeout_stall_flood_and_failed_json_fail() {
    for (call, code) in [
        (CallEnd::TimedOut, "timed_out"),
        (CallEnd::Stalled, "stalled"),
        (CallEnd::Flooded, "flooded"),
        (CallEnd::Leaked, "leaked"),
        (CallEnd::SaidFailed { error: "x".into() }, "agent_failed"),
    ] {
        assert_eq!(judged(&of_call(call), &rules(), None), (Class::Failed, code, 5));
    }
}

#[test]
fn the_agents_exit_code_alone_decides_nothing() {
    for class in [
        FailureClass::ExitCode(1),
        FailureClass::Signal(9),
        FailureClass::NoEnding,
        FailureClass::Api,
        FailureClass::Connection,
        FailureClass::AgentSaid,
    ] {
        let outcome = Outcome::Failed { class, reason: String::new() };
        assert_eq!(CallEnd::of(&outcome, None, Lang::En), CallEnd::Ended, "{class:?}");
    }
    let said = Outcome::Failed { class: FailureClass::AgentSaid, reason: "x".into() };
    let word = Word::Failed { error: "x".into() };
    assert_eq!(
        CallEnd::of(&said, Some(&word), Lang::En),
        CallEnd::SaidFailed { error: "x".into() }
    );
    let leaked = Outcome::Failed { class: FailureClass::Supervision, reason: String::new() };
    assert_eq!(CallEnd::of(&leaked, None, Lang::En), CallEnd::Leaked);
    assert_eq!(CallEnd::of(&Outcome::Cancelled, None, Lang::En), CallEnd::Interrupted);
    let missing = Outcome::NotStarted(NotStarted::NoProgram);
    assert!(matches!(CallEnd::of(&missing, None, Lang::Ko), CallEnd::NotStarted { .. }));
}

#[test]
fn a_change_outside_allowed_changes_fails_and_handoffs_are_always_inside() {
    let rules = Rules { scope: Scope::new(&["src/", "!src/secret.py"], HANDOFFS), ..rules() };
    let with = |paths: &[&str]| Evidence {
        changes: paths.iter().map(|text| change(text, ChangeKind::Modified)).collect(),
        ..honest()
    };
    assert_eq!(judge(&with(&["src/a.py", ".ai/handoffs/x.md"]), &rules, None), Judged::NeedsTests);
    for outside in ["README.md", "src/secret.py", ".ai/decisions/x.yaml", ".ai/handoffs.md"] {
        let evidence = with(&["src/a.py", outside]);
        assert_eq!(judged(&evidence, &rules, None), (Class::Failed, "outside_scope", 6));
    }
}

#[test]
fn every_path_that_was_wrong_is_kept_for_the_next_attempt_up_to_a_bound() {
    let rules = Rules { scope: Scope::new(&["src/"], HANDOFFS), ..rules() };
    let paths: Vec<String> = (10..40).map(|at| format!("docs/{at}.md")).collect();
    let changes = paths.iter().map(|path| change(path, ChangeKind::Modified)).collect();
    let outside = Evidence { changes, ..honest() };
    let protected = paths.iter().map(|path| RepoPath(path.as_str().into())).collect();
    let protected = Evidence { protected, ..honest() };
    for evidence in [outside, protected] {
        let told = verdict(&evidence, &rules, None).reason.to_agent(Lang::En);
        let named: Vec<&String> = paths.iter().filter(|path| told.contains(*path)).collect();
        assert_eq!(named, paths.iter().take(20).collect::<Vec<_>>(), "{told}");
        assert!(told.contains("10 more"), "{told}");
    }
}

#[test]
fn a_handoff_without_work_and_an_empty_commit_are_no_progress() {
    for changes in [Vec::new(), vec![change(".ai/handoffs/2026.md", ChangeKind::Added)]] {
        let evidence = Evidence { changes, ..honest() };
        assert_eq!(judged(&evidence, &rules(), Some(&green())).0, Class::NoProgress);
    }
}

#[test]
fn a_changed_mode_is_a_change() {
    let evidence = Evidence { changes: vec![change("run.sh", ChangeKind::Mode)], ..honest() };
    assert_eq!(judged(&evidence, &rules(), Some(&green())).0, Class::Complete);
}

#[test]
fn tests_that_could_not_run_fail_also_where_red_is_wanted() {
    let could_not = tests(TestEnd::CouldNotRun { why: "127".into() });
    for rules in [rules(), expect_failure()] {
        let found = judged(&honest(), &rules, Some(&could_not));
        assert_eq!(found, (Class::Failed, "tests_could_not_run", 8));
    }
}

#[test]
fn wanted_red_needs_red_tests_and_a_green_base_or_a_new_test_file() {
    let new_test =
        Evidence { changes: vec![change("tests/test_b.py", ChangeKind::Added)], ..honest() };
    let edited =
        Evidence { changes: vec![change("tests/test_b.py", ChangeKind::Modified)], ..honest() };
    let green_base = expect_failure();
    let red_base = Rules { base_tests: Some(TestEnd::Red { code: 1 }), ..expect_failure() };
    let no_base = Rules { base_tests: None, ..expect_failure() };
    for (evidence, rules, tests, expected) in [
        (&edited, &green_base, red(), (Class::ExpectedFailure, "red_as_wanted", 9)),
        (&new_test, &red_base, red(), (Class::ExpectedFailure, "red_as_wanted", 9)),
        (&new_test, &no_base, red(), (Class::ExpectedFailure, "red_as_wanted", 9)),
        (&edited, &red_base, red(), (Class::Failed, "red_before", 9)),
        (&edited, &no_base, red(), (Class::Failed, "red_before", 9)),
        (&new_test, &green_base, green(), (Class::Failed, "green_but_red_wanted", 9)),
    ] {
        assert_eq!(judged(evidence, rules, Some(&tests)), expected);
        let silent = Evidence { handoffs: Vec::new(), ..evidence.clone() };
        assert_eq!(judged(&silent, rules, Some(&tests)), expected, "no handoff is needed");
    }
}

#[test]
fn red_does_not_count_when_a_test_file_is_gone() {
    let with = |changes: &[(&str, ChangeKind)]| Evidence {
        changes: changes.iter().map(|(text, kind)| change(text, *kind)).collect(),
        ..honest()
    };
    let gone = ("tests/test_a.py", ChangeKind::Deleted);
    let new = ("tests/test_b.py", ChangeKind::Added);
    let red_base = Rules { base_tests: Some(TestEnd::Red { code: 1 }), ..expect_failure() };
    for (changes, rules) in [
        (&[gone][..], expect_failure()),
        (&[gone, new], expect_failure()),
        (&[gone, new], red_base),
    ] {
        let found = judged(&with(changes), &rules, Some(&red()));
        assert_eq!(found, (Class::Failed, "red_by_deletion", 9));
    }
    let namesake = with(&[gone, ("tests/unit/test_a.py", ChangeKind::Added)]);
    assert_eq!(judged(&namesake, &expect_failure(), Some(&red())).0, Class::Failed);
    let renamed = with(&[("tests/test_a.py", ChangeKind::Moved), new]);
    assert_eq!(judged(&renamed, &expect_failure(), Some(&red())).0, Class::ExpectedFailure);
    let scope = Scope::new(&["tests/test_a.py", "tests/test_b.py"], HANDOFFS);
    let named = Rules { scope, ..expect_failure() };
    assert_eq!(judged(&with(&[gone, new]), &named, Some(&red())).0, Class::ExpectedFailure);
}

#[test]
fn a_new_test_file_with_nothing_in_it_is_no_test() {
    let hollow =
        Evidence { changes: vec![change("tests/test_b.py", ChangeKind::Hollow)], ..honest() };
    let red_base = Rules { base_tests: Some(TestEnd::Red { code: 1 }), ..expect_failure() };
    assert_eq!(judged(&hollow, &red_base, Some(&red())), (Class::Failed, "red_before", 9));
    // Where the base was green, something of it made the tests red, wherever the project has them.
    assert_eq!(judged(&hollow, &expect_failure(), Some(&red())).0, Class::ExpectedFailure);
    // Nor is it what became of a test that is gone.
    let instead = Evidence {
        changes: vec![
            change("tests/test_a.py", ChangeKind::Deleted),
            change("tests/unit/test_a.py", ChangeKind::Hollow),
        ],
        ..honest()
    };
    assert_eq!(judged(&instead, &rules(), Some(&green())), (Class::Failed, "tests_deleted", 10));
}

#[test]
fn red_tests_fail() {
    assert_eq!(judged(&honest(), &rules(), Some(&red())), (Class::Failed, "tests_red", 10));
}

#[test]
fn green_does_not_count_when_a_test_file_is_gone() {
    let with = |changes: &[(&str, ChangeKind)]| Evidence {
        changes: changes.iter().map(|(text, kind)| change(text, *kind)).collect(),
        ..honest()
    };
    let deleted =
        with(&[("src/a.py", ChangeKind::Modified), ("tests/test_a.py", ChangeKind::Deleted)]);
    assert_eq!(judged(&deleted, &rules(), Some(&green())), (Class::Failed, "tests_deleted", 10));
    let broad = Rules { scope: Scope::new(&["src/", "tests/"], HANDOFFS), ..rules() };
    assert_eq!(judged(&deleted, &broad, Some(&green())).0, Class::Failed);
    let named = Rules { scope: Scope::new(&["src/", "tests/test_a.py"], HANDOFFS), ..rules() };
    assert_eq!(judged(&deleted, &named, Some(&green())).0, Class::Complete);
    let beside =
        |kind| with(&[("tests/test_a.py", kind), ("tests/unit/test_a.py", ChangeKind::Added)]);
    let moved = beside(ChangeKind::Moved);
    assert_eq!(judged(&moved, &rules(), Some(&green())).0, Class::Complete);
    let namesake = beside(ChangeKind::Deleted);
    assert_eq!(judged(&namesake, &rules(), Some(&green())).0, Class::Failed);
    let other = with(&[("src/old.py", ChangeKind::Deleted)]);
    assert_eq!(judged(&other, &rules(), Some(&green())).0, Class::Complete);
}

#[test]
fn a_test_file_with_nothing_left_in_it_is_gone() {
    let with = |changes: &[(&str, ChangeKind)]| Evidence {
        changes: changes.iter().map(|(text, kind)| change(text, *kind)).collect(),
        ..honest()
    };
    let emptied =
        with(&[("src/a.py", ChangeKind::Modified), ("tests/test_a.py", ChangeKind::Emptied)]);
    assert_eq!(judged(&emptied, &rules(), Some(&green())), (Class::Failed, "tests_deleted", 10));
    let named = Rules { scope: Scope::new(&["src/", "tests/test_a.py"], HANDOFFS), ..rules() };
    assert_eq!(judged(&emptied, &named, Some(&green())).0, Class::Complete);
    let namesake = with(&[
        ("tests/test_a.py", ChangeKind::Emptied),
        ("tests/unit/test_a.py", ChangeKind::Added),
    ]);
    assert_eq!(judged(&namesake, &rules(), Some(&green())).0, Class::Failed);
    let code = with(&[("src/old.py", ChangeKind::Emptied)]);
    assert_eq!(judged(&code, &rules(), Some(&green())).0, Class::Complete);
}

#[test]
fn a_handoff_counts_only_if_it_is_valid_new_and_of_this_goal() {
    let invalid = NewHandoff {
        name: NOW.into(),
        content: HandoffContent::Invalid { why: "goal_id is missing".into() },
    };
    for (handoffs, code) in [
        (vec![], "no_handoff"),
        (vec![invalid], "handoff_invalid"),
        (vec![handoff("done.md", "G", HandoffWord::Complete)], "handoff_misnamed"),
        (vec![handoff(NOW, "H", HandoffWord::Complete)], "handoff_of_another_goal"),
        (vec![handoff(NOW, "G", HandoffWord::Failed)], "handoff_says_failed"),
        (
            vec![handoff("2026-02-09_143501.md", "G", HandoffWord::Complete)],
            "handoff_from_the_future",
        ),
    ] {
        let evidence = Evidence { handoffs, ..honest() };
        assert_eq!(judged(&evidence, &rules(), Some(&green())), (Class::Failed, code, 11));
        let unasked = Rules { handoff: WantedHandoff::NotAsked, ..rules() };
        assert_eq!(judged(&evidence, &unasked, Some(&green())).0, Class::Complete);
    }
}

#[test]
fn a_handoff_may_be_named_up_to_five_minutes_after_the_attempts_end() {
    for (name, class) in [
        ("2026-02-09_143500.md", Class::Complete),
        ("2026-02-09_143500_2.md", Class::Complete),
        ("2026-02-09_143501.md", Class::Failed),
        ("2020-01-01_000000.md", Class::Complete),
        ("9999-12-31_235959.md", Class::Failed),
    ] {
        let evidence =
            Evidence { handoffs: vec![handoff(name, "G", HandoffWord::Complete)], ..honest() };
        assert_eq!(judged(&evidence, &rules(), Some(&green())).0, class, "{name}");
    }
}

#[test]
fn of_several_handoffs_the_newest_by_name_counts() {
    let second = "2026-02-09_143000_2.md";
    let tenth = "2026-02-09_143000_10.md";
    for (older, newer, expected) in [
        (HandoffWord::Failed, HandoffWord::Complete, "all_good"),
        (HandoffWord::Complete, HandoffWord::Failed, "handoff_says_failed"),
        (HandoffWord::Complete, HandoffWord::Blocked, "handoff_blocked"),
        (HandoffWord::Blocked, HandoffWord::Complete, "all_good"),
    ] {
        let handoffs = vec![handoff(tenth, "G", newer), handoff(second, "G", older)];
        let evidence = Evidence { handoffs, ..honest() };
        assert_eq!(judged(&evidence, &rules(), Some(&green())).1, expected);
    }
}

#[test]
fn what_is_new_among_the_handoffs_is_of_this_goal_or_the_attempt_fails() {
    let good = || handoff(NOW, "G", HandoffWord::Complete);
    let second = handoff("2026-02-09_142900.md", "G", HandoffWord::Failed);
    let link = NewHandoff {
        name: "2026-02-09_142900.md".into(),
        content: HandoffContent::Invalid { why: "not a regular file".into() },
    };
    let script = NewHandoff {
        name: "run-me.sh".into(),
        content: HandoffContent::Invalid { why: "no front matter".into() },
    };
    for (other, code) in [
        (second, None),
        (
            handoff("2026-02-09_143400.md", "H", HandoffWord::Complete),
            Some("handoff_of_another_goal"),
        ),
        (
            handoff("2026-02-09_140000.md", "H", HandoffWord::Blocked),
            Some("handoff_of_another_goal"),
        ),
        (
            handoff("2026-02-09_153000.md", "G", HandoffWord::Blocked),
            Some("handoff_from_the_future"),
        ),
        (link, Some("handoff_invalid")),
        (script, Some("handoff_misnamed")),
        (handoff("old/2026-02-09_143000.md", "G", HandoffWord::Complete), Some("handoff_misnamed")),
    ] {
        let evidence = Evidence { handoffs: vec![other, good()], ..honest() };
        let wanted = |good: &'static str, rule| match code {
            Some(code) => (Class::Failed, code, rule),
            None if rule == 9 => (Class::ExpectedFailure, good, 9),
            None => (Class::Complete, good, 12),
        };
        let found = judged(&evidence, &rules(), Some(&green()));
        assert_eq!(found, wanted("all_good", 11));
        let found = judged(&evidence, &expect_failure(), Some(&red()));
        assert_eq!(found, wanted("red_as_wanted", 9));
    }
}
