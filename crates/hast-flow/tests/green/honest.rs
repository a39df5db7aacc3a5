//! Honest changes of tests, which pass.

use hast_flow::attempt::evidence::ChangeKind::{Added, Deleted, Modified, Moved};
use hast_flow::attempt::evidence::TestRun;
use hast_flow::attempt::reason::Class;
use hast_flow::words::Lang;

use crate::scene::{Attempt, attempt, of, run};

fn passes(name: &str, attempt: &Attempt) {
    let verdict = attempt.verdict();
    assert_eq!(verdict.class, Class::Complete, "{name}: {}", verdict.reason.text(Lang::En));
}

#[test]
fn tests_that_are_added_renamed_grouped_split_or_moved_are_as_many() {
    let file = "test_calc.py";
    for (case, changes) in [
        ("pytest/base", vec![]),
        ("pytest/added", vec![(file, Modified)]),
        ("pytest/renamed", vec![(file, Modified)]),
        ("pytest/parametrised", vec![(file, Modified)]),
        ("pytest/in_a_class", vec![(file, Modified)]),
        ("pytest/split", vec![(file, Moved), ("test_small.py", Added), ("test_large.py", Added)]),
        ("pytest/moved", vec![(file, Moved), ("tests/test_calc.py", Added)]),
        ("node/base", vec![]),
        ("node/added", vec![("calc.test.js", Modified)]),
        ("node/renamed", vec![("calc.test.js", Modified)]),
        ("node/described", vec![("calc.test.js", Modified)]),
        ("node/split", vec![("calc.test.js", Modified), ("more.test.js", Added)]),
        ("node/moved", vec![("calc.test.js", Moved), ("test/calc.test.js", Added)]),
        ("node/tap", vec![]),
        ("cargo/base", vec![]),
        ("cargo/added", vec![("src/lib.rs", Modified)]),
        ("cargo/renamed", vec![("src/lib.rs", Modified)]),
        ("cargo/doc_test", vec![("src/lib.rs", Modified)]),
        ("cargo/moved_out", vec![("src/lib.rs", Modified), ("tests/units.rs", Added)]),
    ] {
        let runner = case.split('/').next().unwrap();
        passes(case, &Attempt { changes, ..attempt(&format!("{runner}/base"), case) });
    }
}

#[test]
fn another_runner_with_as_many_tests_is_fine() {
    for (base, now) in [("pytest/base", "pytest/by_unittest"), ("cargo/base", "cargo/by_nextest")] {
        passes(now, &attempt(base, now));
    }
    let more = of(0, &["3 passing (2ms)\n".to_owned()], &[], None);
    passes("mocha", &Attempt { now: more, ..attempt("jest/base", "jest/base") });
}

#[test]
fn tests_go_where_the_goal_says_so() {
    let removed = || Attempt {
        changes: vec![("test_calc.py", Modified)],
        ..attempt("pytest/base", "pytest/one_removed")
    };
    assert_eq!(removed().verdict().class, Class::Failed);
    let words = "Drop the old way; test_calc.py loses a test";
    passes("a file in the notes", &Attempt { words, ..removed() });
    let words = "Drop test_four with the old way";
    let listed = vec!["test_calc.py::test_four"];
    passes("a test in the notes", &Attempt { words, removed: listed, ..removed() });
    passes("a literal path", &Attempt { allowed: vec!["/test_calc.py", "src/"], ..removed() });
    passes("fewer_tests", &Attempt { fewer_tests: true, ..removed() });
    let gone = || Attempt {
        changes: vec![("tests/more.rs", Deleted)],
        ..attempt("cargo/base", "cargo/file_gone")
    };
    assert_eq!(gone().verdict().class, Class::Failed);
    passes("a file that is named", &Attempt { words: "Remove tests/more.rs.", ..gone() });
    passes("fewer_tests, a file", &Attempt { fewer_tests: true, ..gone() });
}

#[test]
fn work_that_makes_red_tests_green_passes() {
    for runner in ["pytest", "node", "cargo", "jest", "vitest", "mocha"] {
        passes(runner, &attempt(&format!("{runner}/red"), &format!("{runner}/base")));
    }
}

#[test]
fn what_cannot_be_compared_is_judged_by_its_exit_code_and_says_so() {
    let silent = || of(0, &["all good\n".to_owned()], &[], None);
    let untold = Attempt { base: silent(), now: silent(), ..attempt("pytest/base", "pytest/base") };
    passes("no numbers", &untold);
    let note = |attempt: &Attempt| attempt.agreed().note(&attempt.now, Lang::En).unwrap();
    assert!(note(&untold).contains("its exit code alone was judged"));
    let mut base = run("pytest/base");
    base.counted.tally.selects = Some("--lf".to_owned());
    let selected = Attempt { base, ..attempt("pytest/base", "pytest/deselected") };
    passes("--lf", &selected);
    assert!(note(&selected).contains("not compared") && note(&selected).contains("--lf"));
    assert_eq!(
        attempt("cargo/base", "cargo/added").agreed().note(&run("cargo/added"), Lang::En),
        None
    );
}

#[test]
fn fewer_in_one_run_only_is_chance() {
    let (fewer, whole) = (run("pytest/one_removed"), run("pytest/base"));
    assert_eq!(fewer.larger(&whole), &whole);
    assert_eq!(whole.larger(&fewer), &whole);
    let larger: TestRun = fewer.larger(&whole).clone();
    passes("again", &Attempt { now: larger, ..attempt("pytest/base", "pytest/base") });
}
