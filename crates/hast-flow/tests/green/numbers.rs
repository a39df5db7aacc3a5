//! The numbers in what real runners printed.

use hast_flow::suites::Tally;

use crate::scene::run;

fn numbers(tally: &Tally, runner: &str) -> [u32; 3] {
    let count = tally.printed.get(runner).unwrap_or_else(|| panic!("{tally:?}"));
    [count.passed, count.failed, count.skipped]
}

#[test]
fn real_runners_are_read() {
    for (case, runner, expected) in [
        ("pytest/base", "pytest", [4, 0, 0]),
        ("pytest/red", "pytest", [1, 3, 0]),
        ("pytest/quiet", "pytest", [4, 0, 0]),
        ("pytest/twice", "pytest", [5, 0, 3]),
        ("pytest/xfailed", "pytest", [1, 0, 3]),
        ("pytest/by_unittest", "unittest", [4, 0, 0]),
        ("node/base", "node", [3, 0, 0]),
        ("node/tap", "node", [3, 0, 0]),
        ("node/tap_hollow", "node", [0, 0, 0]),
        ("node/red", "node", [1, 2, 0]),
        ("cargo/base", "cargo", [4, 0, 0]),
        ("cargo/by_nextest", "nextest", [4, 0, 0]),
        ("jest/red", "jest", [1, 2, 0]),
        ("vitest/red", "vitest", [1, 2, 0]),
        ("mocha/red", "mocha", [1, 2, 0]),
        ("mocha/skipped", "mocha", [1, 0, 2]),
    ] {
        let tally = run(case).counted.tally;
        assert_eq!(numbers(&tally, runner), expected, "{case}");
        assert_eq!(tally.printed.len(), 1, "{case}: {tally:?}");
    }
}

#[test]
fn pytest_wrote_the_report_that_it_was_asked_for() {
    for (case, expected) in [("base", Some(4)), ("red", Some(4)), ("exit_inside", None)] {
        let asked = run(&format!("pytest/{case}")).counted.tally.asked;
        assert_eq!(asked.map(|count| count.executed()), expected, "{case}");
    }
}
