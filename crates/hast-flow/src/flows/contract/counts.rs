//! How many tests ran, from what the runners that people use print, or from JUnit's XML. Where nothing
//! is known only the exit code counts.

use crate::docs::contract::TestSummary;

/// What a runner said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub summary: Option<TestSummary>,
    pub failed_tests: Vec<String>,
}

/// Most names of failed tests that are listed.
const MOST_NAMES: usize = 50;

/// Reads the end of a test command's output.
pub fn count(output: &str) -> Counted {
    let summary =
        [junit, cargo, pytest, jest, maven, gradle, unittest, rspec, phpunit, mocha, tap, go]
            .iter()
            .find_map(|read| read(output));
    Counted { summary, failed_tests: failed_tests(output) }
}

fn summary(passed: u32, failed: u32, skipped: u32) -> Option<TestSummary> {
    let total = passed.checked_add(failed)?.checked_add(skipped)?;
    (total > 0).then_some(TestSummary { total, passed, failed, skipped })
}

/// The number right before a word: `3 passed`.
fn before(line: &str, word: &str) -> Option<u32> {
    let at = line.find(word)?;
    line[..at].trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The number right after a word: `Failures: 1`.
fn after(line: &str, word: &str) -> Option<u32> {
    let rest = line[line.find(word)? + word.len()..].trim_start_matches([' ', '"', '=', ':']);
    let digits: &str = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
    digits.parse().ok()
}

/// Numbers of others' programs may be anything.
fn plus(one: u32, other: u32) -> u32 {
    one.saturating_add(other)
}

fn add(sum: &mut [u32; 3], more: [u32; 3]) {
    for (one, more) in sum.iter_mut().zip(more) {
        *one = one.saturating_add(more);
    }
}

/// The sum over all lines that say something.
fn over_lines(output: &str, read: impl Fn(&str) -> Option<[u32; 3]>) -> Option<TestSummary> {
    let mut sum = [0; 3];
    let mut said = false;
    for more in output.lines().filter_map(read) {
        said = true;
        add(&mut sum, more);
    }
    said.then(|| summary(sum[0], sum[1], sum[2])).flatten()
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored`
fn cargo(output: &str) -> Option<TestSummary> {
    over_lines(output, |line| {
        let rest = line.trim().strip_prefix("test result:")?;
        Some([
            before(rest, " passed")?,
            before(rest, " failed")?,
            before(rest, " ignored").unwrap_or(0),
        ])
    })
}

/// `=== 1 failed, 3 passed, 2 skipped in 0.12s ===`
fn pytest(output: &str) -> Option<TestSummary> {
    let line = output.lines().rev().find(|line| {
        let line = line.trim_matches(['=', ' ']);
        line.contains(" in ")
            && (line.contains(" passed") || line.contains(" failed") || line.contains(" error"))
    })?;
    let number = |word| before(line, word).unwrap_or(0);
    let skipped = plus(number(" skipped"), number(" xfailed"));
    let failed = plus(number(" failed"), number(" error"));
    summary(plus(number(" passed"), number(" xpassed")), failed, skipped)
}

/// `Tests:       1 failed, 2 passed, 3 total`, and vitest's `Tests  1 failed | 2 passed (3)`
fn jest(output: &str) -> Option<TestSummary> {
    let line = output.lines().rev().find(|line| {
        let line = line.trim_start();
        line.starts_with("Tests")
            && (line.contains(" total") || line.contains(" passed") || line.contains(" failed"))
            && !line.contains("Tests run")
    })?;
    let number = |word| before(line, word).unwrap_or(0);
    summary(number(" passed"), number(" failed"), plus(number(" skipped"), number(" todo")))
}

/// `Tests run: 3, Failures: 0, Errors: 0, Skipped: 0`; the last such line is the sum.
fn maven(output: &str) -> Option<TestSummary> {
    let line = output.lines().rev().find(|line| line.contains("Tests run:"))?;
    let (run, skipped) = (after(line, "Tests run:")?, after(line, "Skipped:").unwrap_or(0));
    let failed = plus(after(line, "Failures:").unwrap_or(0), after(line, "Errors:").unwrap_or(0));
    summary(run.saturating_sub(plus(failed, skipped)), failed, skipped)
}

/// `5 tests completed, 1 failed, 1 skipped`
fn gradle(output: &str) -> Option<TestSummary> {
    let line = output.lines().rev().find(|line| line.contains("tests completed"))?;
    let number = |word| before(line, word).unwrap_or(0);
    let (failed, skipped) = (number(" failed"), number(" skipped"));
    summary(number(" tests completed").saturating_sub(plus(failed, skipped)), failed, skipped)
}

/// `Ran 3 tests in 0.001s`, then `OK` or `FAILED (failures=1, errors=1, skipped=1)`
fn unittest(output: &str) -> Option<TestSummary> {
    let ran =
        output.lines().rev().find(|line| line.starts_with("Ran ") && line.contains(" test"))?;
    let total = before(ran, " test")?;
    let end =
        output.lines().rev().find(|line| line.starts_with("OK") || line.starts_with("FAILED"))?;
    let failed = plus(after(end, "failures").unwrap_or(0), after(end, "errors").unwrap_or(0));
    let skipped = after(end, "skipped").unwrap_or(0);
    summary(total.saturating_sub(plus(failed, skipped)), failed, skipped)
}

/// `3 examples, 1 failure, 1 pending`
fn rspec(output: &str) -> Option<TestSummary> {
    let line =
        output.lines().rev().find(|line| line.contains(" example") && line.contains(" failure"))?;
    let (failed, pending) = (before(line, " failure")?, before(line, " pending").unwrap_or(0));
    summary(before(line, " example")?.saturating_sub(plus(failed, pending)), failed, pending)
}

/// `OK (3 tests, 5 assertions)` or `Tests: 3, Assertions: 5, Failures: 1.`
fn phpunit(output: &str) -> Option<TestSummary> {
    let line = output.lines().rev().find(|line| {
        line.contains("ssertions") && (line.contains(" tests") || line.contains("Tests:"))
    })?;
    if let Some(total) = before(line, " tests") {
        return summary(total, 0, 0);
    }
    let failed = plus(after(line, "Failures:").unwrap_or(0), after(line, "Errors:").unwrap_or(0));
    let skipped = after(line, "Skipped:").unwrap_or(0);
    summary(after(line, "Tests:")?.saturating_sub(plus(failed, skipped)), failed, skipped)
}

/// `3 passing (10ms)`, `1 failing`, `1 pending`
fn mocha(output: &str) -> Option<TestSummary> {
    let find = |word: &str| output.lines().rev().find_map(|line| before(line.trim(), word));
    let passed = find(" passing")?;
    summary(passed, find(" failing").unwrap_or(0), find(" pending").unwrap_or(0))
}

/// `ok 1 - name`, `not ok 2 - name`, `ok 3 # SKIP`
fn tap(output: &str) -> Option<TestSummary> {
    over_lines(output, |line| {
        let (rest, good) = match line.strip_prefix("not ok ") {
            Some(rest) => (rest, false),
            None => (line.strip_prefix("ok ")?, true),
        };
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()?;
        let skipped = rest.to_ascii_uppercase().contains("# SKIP");
        Some([u32::from(good && !skipped), u32::from(!good), u32::from(good && skipped)])
    })
}

/// `--- PASS: TestA (0.00s)` of `go test -v`
fn go(output: &str) -> Option<TestSummary> {
    over_lines(output, |line| {
        let rest = line.trim_start().strip_prefix("--- ")?;
        let is = |word: &str| u32::from(rest.starts_with(word));
        let found = [is("PASS:"), is("FAIL:"), is("SKIP:")];
        found.contains(&1).then_some(found)
    })
}

/// `<testsuite tests="3" failures="1" errors="0" skipped="0">`; `<testsuites>` alone is the sum.
fn junit(output: &str) -> Option<TestSummary> {
    let tags = |name: &str| {
        let start = format!("<{name} ");
        output
            .split(&*start)
            .skip(1)
            .map(|rest| rest.split('>').next().unwrap_or(rest).to_owned())
            .collect::<Vec<_>>()
    };
    let suites = tags("testsuite");
    let all = tags("testsuites");
    let of = |tag: &String| {
        let failed = plus(after(tag, "failures=").unwrap_or(0), after(tag, "errors=").unwrap_or(0));
        let skipped = after(tag, "skipped=").unwrap_or(0);
        after(tag, "tests=").map(|all| [all.saturating_sub(plus(failed, skipped)), failed, skipped])
    };
    let counted = if suites.is_empty() { all } else { suites };
    let mut sum = [0; 3];
    counted.iter().filter_map(of).for_each(|more| add(&mut sum, more));
    summary(sum[0], sum[1], sum[2])
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
            names.push(name);
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
