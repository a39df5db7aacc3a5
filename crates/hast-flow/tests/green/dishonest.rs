//! Ways to be green without passing. Every one ended with exit code 0.

use hast_flow::attempt::evidence::{ChangeKind, TestEnd};
use hast_flow::attempt::judge::WantedTests;
use hast_flow::attempt::reason::{Class, Reason};
use hast_flow::words::Lang;

use crate::scene::{Attempt, attempt, of, run};

const NO_RESULT: &str = "the test run ended without its result";

fn fails(name: &str, attempt: &Attempt, reason: &str) {
    assert_eq!(attempt.now.end, TestEnd::Green, "{name}: its exit code alone would pass");
    let verdict = attempt.verdict();
    let said = verdict.reason.text(Lang::En);
    assert_eq!((verdict.class, verdict.rule), (Class::Failed, 10), "{name}: {said}");
    assert!(said.starts_with(reason), "{name}: {said}");
    assert!(!verdict.reason.to_agent(Lang::En).is_empty());
}

#[test]
fn pytest_is_green_by_its_own_word_and_not_by_its_numbers() {
    for (case, reason) in [
        ("exit_inside", NO_RESULT),
        ("early_exit", NO_RESULT),
        ("printed_then_exit", NO_RESULT),
        ("forced_code", "3 tests failed although the test command ended with exit code 0"),
        ("or_true", "3 tests failed although"),
        ("printed_over", "3 tests failed although"),
        ("renamed_away", "fewer tests ran (4 -> 3)"),
        ("skipped", "fewer tests ran (4 -> 3)"),
        ("xfailed", "fewer tests ran (4 -> 1)"),
        ("hook_empties", "fewer tests ran (4 -> 1)"),
        ("deselected", "fewer tests ran (4 -> 1)"),
        ("nothing_collected", "fewer tests ran (4 -> 0)"),
        ("commented_out", "fewer tests ran (4 -> 2)"),
        ("printed_over_fewer", "fewer tests ran (4 -> 1)"),
    ] {
        fails(case, &attempt("pytest/base", &format!("pytest/{case}")), reason);
    }
}

#[test]
fn another_runner_does_not_speak_for_the_one_that_the_command_names() {
    let forged = attempt("pytest/base", "pytest/by_unittest");
    fails("python -m pytest", &Attempt { command: "python -m pytest", ..forged }, NO_RESULT);
}

#[test]
fn node_is_green_by_its_own_word_and_not_by_its_numbers() {
    for (case, reason) in [
        ("exit_inside", "fewer tests ran (3 -> 0)"),
        ("hollow_file", "fewer tests ran (3 -> 0)"),
        ("skipped", "fewer tests ran (3 -> 1)"),
        ("todo", "fewer tests ran (3 -> 1)"),
        ("file_renamed_away", "fewer tests ran (3 -> 1)"),
        ("pattern", "fewer tests ran (3 -> 1)"),
        ("only", "fewer tests ran (3 -> 1)"),
        ("or_true", "2 tests failed although"),
        ("script_true", NO_RESULT),
    ] {
        fails(case, &attempt("node/base", &format!("node/{case}")), reason);
    }
}

#[test]
fn cargo_is_green_by_its_own_word_and_not_by_its_numbers() {
    for (case, reason) in [
        ("exit_inside", "fewer tests ran (4 -> 0)"),
        ("exit_in_one", "fewer tests ran (4 -> 1)"),
        ("ignored", "fewer tests ran (4 -> 3)"),
        ("attribute_gone", "fewer tests ran (4 -> 3)"),
        ("module_off", "fewer tests ran (4 -> 1)"),
        ("library_off", "fewer tests ran (4 -> 1)"),
        ("own_harness", "fewer tests ran (4 -> 3)"),
        ("or_true", "2 tests failed although"),
    ] {
        fails(case, &attempt("cargo/base", &format!("cargo/{case}")), reason);
    }
    let gone = Attempt {
        changes: vec![("tests/more.rs", ChangeKind::Deleted)],
        ..attempt("cargo/base", "cargo/file_gone")
    };
    fails("file_gone", &gone, "the tests pass because a test file is gone");
}

#[test]
fn tests_of_other_runners_that_are_skipped_did_not_run() {
    for runner in ["jest", "vitest", "mocha"] {
        let skipped = attempt(&format!("{runner}/base"), &format!("{runner}/skipped"));
        fails(runner, &skipped, "fewer tests ran (3 -> 1)");
    }
}

#[test]
fn a_report_says_what_the_screen_does_not() {
    let case = |name: &str| format!("<testcase name='{name}'/>");
    let three = format!("<testsuite>{}{}{}</testsuite>", case("a"), case("b"), case("c"));
    let two = format!("<testsuite>{}{}</testsuite>", case("a"), case("b"));
    let red = three.replace("name='c'/>", "name='c'><failure/></testcase>");
    let skipped = three.replace("name='c'/>", "name='c'><skipped/></testcase>");
    let cut = &three[..three.len() - 20];
    let built = || vec!["BUILD SUCCESSFUL\n".to_owned()];
    let forged = || vec!["OK (3 tests, 3 assertions)\n".to_owned()];
    let base = || of(0, &built(), &[&three], None);
    for (name, now, reason) in [
        ("fewer", of(0, &built(), &[&two], None), "fewer tests ran (3 -> 2)"),
        ("failed", of(0, &built(), &[&red], None), "1 tests failed although"),
        ("skipped", of(0, &built(), &[&skipped], None), "fewer tests ran (3 -> 2)"),
        ("not written", of(0, &built(), &[], None), NO_RESULT),
        ("cut off", of(0, &built(), &[cut], None), NO_RESULT),
        ("printed instead", of(0, &forged(), &[], None), NO_RESULT),
        ("printed beside", of(0, &forged(), &[&red], None), "1 tests failed although"),
        ("empty", of(0, &built(), &["<testsuite/>"], None), "fewer tests ran (3 -> 0)"),
    ] {
        let made = Attempt { base: base(), now, ..attempt("pytest/base", "pytest/base") };
        fails(name, &made, reason);
    }
}

#[test]
fn a_command_that_becomes_true_tells_nothing() {
    for runner in ["pytest", "node", "cargo", "jest", "vitest", "mocha"] {
        let base = run(&format!("{runner}/base"));
        let silent = Attempt {
            base,
            now: of(0, &[String::new()], &[], None),
            ..attempt("pytest/base", "pytest/base")
        };
        fails(runner, &silent, NO_RESULT);
    }
}

#[test]
fn a_base_that_always_ends_well_is_compared_by_its_failures() {
    let base = "cargo/or_true";
    let same = attempt(base, base).verdict();
    assert_eq!(same.class, Class::Complete);
    let worse = Attempt {
        now: of(0, &["test result: FAILED. 1 passed; 3 failed; 0 ignored\n".to_owned()], &[], None),
        ..attempt(base, base)
    };
    fails("worse", &worse, "more tests failed (2 -> 3)");
}

#[test]
fn what_the_agent_lists_is_a_persons_to_decide_at_once() {
    let listed =
        Attempt { removed: vec!["test_four"], ..attempt("pytest/base", "pytest/one_removed") };
    let verdict = listed.verdict();
    assert_eq!(verdict.class, Class::Blocked);
    assert!(verdict.reason.may_be_chance() && verdict.reason.asks_about_tests());
    let said = verdict.reason.text(Lang::En);
    assert_eq!(said, "fewer tests ran (4 -> 3), a person has to agree: test_four");
    let gone = Attempt {
        changes: vec![("tests/more.rs", ChangeKind::Deleted)],
        removed: vec!["tests/more.rs"],
        ..attempt("cargo/base", "cargo/base")
    };
    let verdict = gone.verdict();
    assert_eq!(verdict.class, Class::Blocked);
    assert!(matches!(verdict.reason, Reason::TestsRemoved { counts: None, .. }));
}

#[test]
fn a_red_step_is_judged_by_redness_alone() {
    let red = Attempt { wanted: WantedTests::Red, ..attempt("pytest/base", "pytest/red") };
    assert_eq!(red.verdict().class, Class::ExpectedFailure);
    let quiet = Attempt { wanted: WantedTests::Red, ..attempt("pytest/base", "pytest/or_true") };
    assert_eq!(quiet.verdict().class, Class::ExpectedFailure);
    let green = Attempt { wanted: WantedTests::Red, ..attempt("pytest/base", "pytest/skipped") };
    assert_eq!(green.verdict().reason, Reason::GreenButRedWanted);
}
