//! How many tests ran, from what the runners that people use print. Where nothing is known nothing is
//! guessed.

use std::collections::BTreeMap;

use super::tally::{Count, Tally, selection};
use super::texts::{bun, go, go_packages, junit, maven, mocha, node, swift, tap, unittest};
use super::{Counted, LONGEST_NAME, MOST_NAMES, summary};

/// Tests that passed, failed and were skipped.
pub(super) type Numbers = [u32; 3];

/// Finds the numbers of one runner in a line or a text.
type Reader = fn(&str) -> Option<Numbers>;

/// Runners that sum up in one line. A line belongs to the first that knows it; all lines of a runner count.
const BY_LINE: &[(&str, Reader)] = &[
    ("cargo", cargo),
    ("nextest", nextest),
    ("jest", jest),
    ("vitest", vitest),
    ("pytest", pytest),
    ("gradle", gradle),
    ("rspec", rspec),
    ("minitest", minitest),
    ("phpunit", phpunit),
    ("dotnet", dotnet),
    ("ctest", ctest),
    ("googletest", googletest),
    ("deno", deno),
    ("exunit", exunit),
];

/// Runners whose summary takes several lines, or a line a test.
const BY_TEXT: &[(&str, Reader)] = &[
    ("junit", junit),
    ("maven", maven),
    ("unittest", unittest),
    ("mocha", mocha),
    ("node", node),
    ("swift", swift),
    ("bun", bun),
    ("tap", tap),
    ("go", go),
    ("go packages", go_packages),
];

/// Words of which each line that counts has one.
const WORDS: &[&str] = &[
    "test", "Test", "passed", "failed", "passing", "failing", "pending", "PASS", "FAIL", "OK",
    "ok ", " example", " pass", " fail", " skip", "Passed!", "Failed!", " error", " runs, ", "✔",
];

/// Whether a line may say how many tests ran, or name one that failed.
pub(super) fn tells(line: &str) -> bool {
    WORDS.iter().any(|word| line.contains(word))
}

/// Reads what a test command printed: the summaries of all runners in it.
pub fn count(output: &str) -> Counted {
    let mut printed: BTreeMap<String, Count> = BTreeMap::new();
    let mut rest = String::new();
    for line in output.lines() {
        let known = BY_LINE.iter().find_map(|(name, read)| Some((*name, read(line)?)));
        match known {
            Some((name, numbers)) => add_to(&mut printed, name, numbers),
            None => rest.extend([line, "\n"]),
        }
    }
    for (name, read) in BY_TEXT {
        if let Some(numbers) = read(&rest) {
            add_to(&mut printed, name, numbers);
        }
    }
    let mut sum = [0; 3];
    let numbers = |count: &Count| [count.passed, count.failed, count.skipped];
    printed.values().map(numbers).for_each(|more| add(&mut sum, more));
    let selects = output.lines().find_map(selection).map(str::to_owned);
    Counted {
        summary: summary(sum[0], sum[1], sum[2]),
        failed_tests: failed_tests(output),
        unread: Vec::new(),
        refused: None,
        tally: Tally { printed, selects, ..Tally::default() },
    }
}

fn add_to(printed: &mut BTreeMap<String, Count>, name: &str, numbers: Numbers) {
    let count = printed.entry(name.to_owned()).or_default();
    let mut sum = [count.passed, count.failed, count.skipped];
    add(&mut sum, numbers);
    *count = Count::of(sum);
}

/// The number right before a word: `3 passed`.
pub(super) fn before(line: &str, word: &str) -> Option<u32> {
    let at = line.find(word)?;
    line[..at].trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The number right after a word: `Failures: 1`.
pub(super) fn after(line: &str, word: &str) -> Option<u32> {
    let rest = line[line.find(word)? + word.len()..].trim_start_matches([' ', '"', '=', ':']);
    let digits: &str = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
    digits.parse().ok()
}

/// Numbers of others' programs may be anything.
pub(super) fn plus(one: u32, other: u32) -> u32 {
    one.saturating_add(other)
}

pub(super) fn add(sum: &mut [u32; 3], more: [u32; 3]) {
    for (one, more) in sum.iter_mut().zip(more) {
        *one = one.saturating_add(more);
    }
}

/// What is left of a total.
pub(super) fn of_total(total: u32, failed: u32, skipped: u32) -> Numbers {
    [total.saturating_sub(plus(failed, skipped)), failed, skipped]
}

/// The sum over all lines that say something.
pub(super) fn over_lines(output: &str, read: impl Fn(&str) -> Option<Numbers>) -> Option<Numbers> {
    let mut sum = None;
    for more in output.lines().filter_map(read) {
        add(sum.get_or_insert([0; 3]), more);
    }
    sum
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored`
fn cargo(line: &str) -> Option<Numbers> {
    let rest = line.trim().strip_prefix("test result:")?;
    Some([
        before(rest, " passed")?,
        before(rest, " failed")?,
        before(rest, " ignored").unwrap_or(0),
    ])
}

/// `=== 1 failed, 3 passed, 2 skipped in 0.12s ===`, `no tests ran in 0.01s`: nothing but numbers and words,
/// then the time.
fn pytest(line: &str) -> Option<Numbers> {
    let (told, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    let is_time = time.split('s').next().is_some_and(|text| text.parse::<f64>().is_ok());
    if !is_time || !time.contains('s') {
        return None;
    }
    if told == "no tests ran" {
        return Some([0; 3]);
    }
    let (mut numbers, mut known) = ([0; 3], false);
    for part in told.split(", ") {
        let (number, word) = part.split_once(' ')?;
        let number: u32 = number.parse().ok()?;
        let place = match word {
            "passed" | "xpassed" => Some(0),
            "failed" | "error" | "errors" => Some(1),
            "skipped" | "xfailed" | "deselected" => Some(2),
            _ => None,
        };
        known |= place.is_some();
        if let Some(place) = place {
            numbers[place] = plus(numbers[place], number);
        }
    }
    known.then_some(numbers)
}

/// `Tests:       1 failed, 2 passed, 3 total`
fn jest(line: &str) -> Option<Numbers> {
    let rest = line.trim().strip_prefix("Tests:")?.strip_suffix(" total")?;
    let number = |word| before(rest, word).unwrap_or(0);
    Some([number(" passed"), number(" failed"), plus(number(" skipped"), number(" todo"))])
}

/// `Tests  1 failed | 2 passed (3)`, `Tests  no tests`
fn vitest(line: &str) -> Option<Numbers> {
    let rest = line.trim().strip_prefix("Tests ")?;
    if rest.trim() == "no tests" {
        return Some([0; 3]);
    }
    let rest = &rest[..rest.strip_suffix(')')?.rfind(" (")?];
    let number = |word| before(rest, word).unwrap_or(0);
    Some([number(" passed"), number(" failed"), plus(number(" skipped"), number(" todo"))])
}

/// `Summary [   0.005s] 3 tests run: 2 passed, 1 failed, 1 skipped`
fn nextest(line: &str) -> Option<Numbers> {
    let (_, told) = line.split_once(" tests run: ").or_else(|| line.split_once(" test run: "))?;
    let number = |word| before(told, word).unwrap_or(0);
    let failed = plus(number(" failed"), plus(number(" timed out"), number(" exec failed")));
    Some([number(" passed"), failed, number(" skipped")])
}

/// `5 tests completed, 1 failed, 1 skipped`
fn gradle(line: &str) -> Option<Numbers> {
    let total = before(line, " tests completed")?;
    let number = |word| before(line, word).unwrap_or(0);
    Some(of_total(total, number(" failed"), number(" skipped")))
}

/// `3 examples, 1 failure, 1 pending`
fn rspec(line: &str) -> Option<Numbers> {
    let (total, failed) = (before(line, " example")?, before(line, " failure")?);
    Some(of_total(total, failed, before(line, " pending").unwrap_or(0)))
}

/// `OK (3 tests, 5 assertions)` or `Tests: 3, Assertions: 5, Failures: 1.`
fn phpunit(line: &str) -> Option<Numbers> {
    if !line.contains("ssertions") {
        return None;
    }
    if let (true, Some(total)) = (line.starts_with("OK ("), before(line, " test")) {
        return Some([total, 0, 0]);
    }
    let total = after(line.trim().strip_prefix("Tests")?, ":")?;
    let failed = plus(after(line, "Failures:").unwrap_or(0), after(line, "Errors:").unwrap_or(0));
    Some(of_total(total, failed, after(line, "Skipped:").unwrap_or(0)))
}

/// `Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3`
fn dotnet(line: &str) -> Option<Numbers> {
    let line = line.trim_start();
    if !line.starts_with("Passed!") && !line.starts_with("Failed!") {
        return None;
    }
    Some([after(line, "Passed:")?, after(line, "Failed:")?, after(line, "Skipped:")?])
}

/// `100% tests passed, 0 tests failed out of 3`
fn ctest(line: &str) -> Option<Numbers> {
    let failed = before(line, " tests failed out of ")?;
    Some(of_total(after(line, " out of")?, failed, 0))
}

/// `[  PASSED  ] 3 tests.`, `[  FAILED  ] 1 test, listed below:`
fn googletest(line: &str) -> Option<Numbers> {
    let of =
        |mark: &str| line.trim_start().strip_prefix(mark).and_then(|rest| before(rest, " test"));
    let found = [of("[  PASSED  ]"), of("[  FAILED  ]"), of("[  SKIPPED ]")];
    found.iter().any(Option::is_some).then(|| found.map(Option::unwrap_or_default))
}

/// `ok | 3 passed | 0 failed | 1 ignored (10ms)`
fn deno(line: &str) -> Option<Numbers> {
    let line = line.trim();
    if !line.starts_with("ok | ") && !line.starts_with("FAILED | ") {
        return None;
    }
    let ignored = before(line, " ignored").unwrap_or(0);
    Some([before(line, " passed")?, before(line, " failed")?, ignored])
}

/// `3 runs, 5 assertions, 1 failures, 0 errors, 1 skips`
fn minitest(line: &str) -> Option<Numbers> {
    let total = before(line, " runs, ")?;
    let failed = plus(before(line, " failures")?, before(line, " errors").unwrap_or(0));
    Some(of_total(total, failed, before(line, " skips").unwrap_or(0)))
}

/// `3 tests, 1 failure, 1 skipped`
fn exunit(line: &str) -> Option<Numbers> {
    let total = before(line, " tests, ").or_else(|| before(line, " test, "))?;
    let failed = before(line, " failure")?;
    Some(of_total(total, failed, before(line, " skipped").unwrap_or(0)))
}

/// Names of tests that a runner calls failed.
fn failed_tests(output: &str) -> Vec<String> {
    let name = |line: &str| {
        let line = line.trim();
        let by_start = ["FAILED ", "--- FAIL: ", "not ok ", "FAIL: ", "FAIL "];
        let start = by_start.iter().find_map(|start| line.strip_prefix(start));
        let by_end = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"));
        let name = by_end.or(start)?.trim();
        let name = name.split(" - ").next().unwrap_or(name).split(" (").next().unwrap_or(name);
        (!name.is_empty() && !name.starts_with('(')).then(|| name.to_owned())
    };
    let mut names: Vec<String> = Vec::new();
    for name in output.lines().filter_map(name) {
        if names.len() < MOST_NAMES && !names.contains(&name) {
            names.push(name.chars().take(LONGEST_NAME).collect());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_are_read_as_they_print() {
        for (output, counts) in [
            (
                "test a ... ok\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\ntest result: ok. 2 passed; 0 failed; 0 ignored\n",
                [5, 0, 1],
            ),
            ("test x ... FAILED\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\n", [1, 2, 0]),
            ("==== 1 failed, 3 passed, 2 skipped in 0.12s ====\n", [3, 1, 2]),
            ("3 passed in 0.01s\n", [3, 0, 0]),
            ("Tests:       1 failed, 2 passed, 3 total\n", [2, 1, 0]),
            ("      Tests  4 passed (4)\n", [4, 0, 0]),
            ("[INFO] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1\n", [1, 1, 1]),
            (
                "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in A\nTests run: 2, Failures: 0, Errors: 0, Skipped: 0\nTests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in B\nTests run: 1, Failures: 0, Errors: 0, Skipped: 0\n",
                [3, 0, 0],
            ),
            ("     Summary [   0.005s] 3 tests run: 2 passed, 1 failed, 1 skipped\n", [2, 1, 1]),
            ("# tests 4\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0\n", [2, 1, 1]),
            ("ℹ pass 3\nℹ fail 0\n", [3, 0, 0]),
            ("Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4\n", [3, 0, 1]),
            ("67% tests passed, 1 tests failed out of 3\n", [2, 1, 0]),
            ("[  PASSED  ] 3 tests.\n[  FAILED  ] 1 test, listed below:\n", [3, 1, 0]),
            ("\t Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds\n", [2, 1, 0]),
            ("ok | 3 passed (1 step) | 0 failed | 1 ignored (10ms)\n", [3, 0, 1]),
            ("ok  \ta/b\t0.010s\nok  \ta/c\t(cached)\nFAIL\ta/d\t0.1s\nFAIL\n", [2, 1, 0]),
            (" 3 pass\n 1 skip\n 0 fail\n 5 expect() calls\n", [3, 0, 1]),
            ("3 runs, 5 assertions, 1 failures, 0 errors, 1 skips\n", [1, 1, 1]),
            ("Finished in 0.1 seconds\n3 tests, 1 failure, 1 skipped\n", [1, 1, 1]),
            ("5 tests completed, 2 failed\n", [3, 2, 0]),
            ("Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n", [1, 2, 0]),
            ("Ran 2 tests in 0.001s\n\nOK\n", [2, 0, 0]),
            ("3 examples, 1 failure, 1 pending\n", [1, 1, 1]),
            ("OK (3 tests, 5 assertions)\n", [3, 0, 0]),
            ("Tests: 3, Assertions: 5, Failures: 1.\n", [2, 1, 0]),
            ("  3 passing (10ms)\n  1 failing\n", [3, 1, 0]),
            ("1..3\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP later\n", [1, 1, 1]),
            ("=== RUN TestA\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n", [1, 1, 0]),
            (
                "<testsuites><testsuite name=\"a\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\"></testsuite></testsuites>",
                [1, 1, 1],
            ),
        ] {
            let found = count(output).summary.unwrap_or_else(|| panic!("{output}"));
            assert_eq!([found.passed, found.failed, found.skipped], counts, "{output}");
            assert_eq!(found.total, counts.iter().sum::<u32>(), "{output}");
            assert!(output.lines().any(tells), "{output}");
        }
    }

    #[test]
    fn what_nobody_knows_is_not_guessed() {
        for output in
            ["", "all good\n", "ok, everything is fine\n", "passed\n", "0 passed in 0.1s\n"]
        {
            assert_eq!(count(output).summary, None, "{output}");
        }
    }

    #[test]
    fn failed_tests_are_named() {
        let output = "test a::b ... FAILED\nFAILED tests/test_a.py::test_x - assert 1\n--- FAIL: TestB (0.00s)\nnot ok 2 - adds\nFAIL tests/sum.test\n";
        assert_eq!(
            count(output).failed_tests,
            ["a::b", "tests/test_a.py::test_x", "TestB", "2", "tests/sum.test"]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_output_is_read_without_a_panic(output in "(?s).{0,400}") {
            let _ = count(&output);
        }
    }
}
