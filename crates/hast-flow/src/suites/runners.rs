//! How many tests ran, from what the runners that people use print. Where nothing is known nothing is
//! guessed.

use super::{Counted, LONGEST_NAME, MOST_NAMES, summary};
use crate::docs::contract::TestSummary;

/// One runner each; the first that knows its own words counts.
const READERS: &[fn(&str) -> Option<TestSummary>] = &[
    junit, cargo, nextest, pytest, jest, maven, gradle, unittest, rspec, minitest, phpunit, mocha,
    node, dotnet, ctest, googletest, swift, deno, bun, tap, go, exunit,
];

/// Words of which each line that counts has one.
const WORDS: &[&str] = &[
    "test", "Test", "passed", "failed", "passing", "failing", "pending", "PASS", "FAIL", "OK",
    "ok ", " example", " pass", " fail", " skip", "Passed!", "Failed!", " error", " runs, ",
];

/// Whether a line may say how many tests ran, or name one that failed.
pub(super) fn tells(line: &str) -> bool {
    WORDS.iter().any(|word| line.contains(word))
}

/// Reads what a test command printed.
pub fn count(output: &str) -> Counted {
    let summary = READERS.iter().find_map(|read| read(output));
    Counted { summary, failed_tests: failed_tests(output), unread: Vec::new() }
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

/// `Tests run: 3, Failures: 0, Errors: 0, Skipped: 0`: a line a class with the time it took, then one a
/// module without.
fn maven(output: &str) -> Option<TestSummary> {
    let read = |line: &str| {
        let (run, skipped) = (after(line, "Tests run:")?, after(line, "Skipped:").unwrap_or(0));
        let failed =
            plus(after(line, "Failures:").unwrap_or(0), after(line, "Errors:").unwrap_or(0));
        Some([run.saturating_sub(plus(failed, skipped)), failed, skipped])
    };
    let sums = |line: &str| if line.contains("Time elapsed") { None } else { read(line) };
    over_lines(output, sums).or_else(|| over_lines(output, read))
}

/// `Summary [   0.005s] 3 tests run: 2 passed, 1 failed, 1 skipped`
fn nextest(output: &str) -> Option<TestSummary> {
    let ran = |line: &&str| line.contains(" tests run: ") || line.contains(" test run: ");
    let line = output.lines().rev().find(ran)?;
    let line = &line[line.find(" run: ")?..];
    let number = |word| before(line, word).unwrap_or(0);
    let failed = plus(number(" failed"), plus(number(" timed out"), number(" exec failed")));
    summary(number(" passed"), failed, number(" skipped"))
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

/// The number that a line ends with, after a word: `# pass 3`.
fn counted(output: &str, mark: &[&str], word: &str) -> Option<u32> {
    output.lines().rev().find_map(|line| {
        let line = line.trim();
        let rest = mark.iter().find_map(|mark| line.strip_prefix(mark))?;
        rest.trim_start().strip_prefix(word)?.strip_prefix(' ')?.parse().ok()
    })
}

/// `# pass 3`, `# fail 0`, `# skipped 1` of node's own runner, or with `ℹ`.
fn node(output: &str) -> Option<TestSummary> {
    let number = |word| counted(output, &["#", "ℹ"], word);
    let (passed, failed) = (number("pass")?, number("fail")?);
    let failed = plus(failed, number("cancelled").unwrap_or(0));
    summary(passed, failed, plus(number("skipped").unwrap_or(0), number("todo").unwrap_or(0)))
}

/// `Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3`
fn dotnet(output: &str) -> Option<TestSummary> {
    over_lines(output, |line| {
        let line = line.trim_start();
        let sums = line.starts_with("Passed!") || line.starts_with("Failed!");
        let line = if sums { line } else { return None };
        Some([after(line, "Passed:")?, after(line, "Failed:")?, after(line, "Skipped:")?])
    })
}

/// `100% tests passed, 0 tests failed out of 3`
fn ctest(output: &str) -> Option<TestSummary> {
    let line = output.lines().rev().find(|line| line.contains(" tests failed out of "))?;
    let (failed, total) = (before(line, " tests failed")?, after(line, " out of")?);
    summary(total.saturating_sub(failed), failed, 0)
}

/// `[  PASSED  ] 3 tests.`, `[  FAILED  ] 1 test, listed below:`
fn googletest(output: &str) -> Option<TestSummary> {
    over_lines(output, |line| {
        let of = |mark: &str| {
            line.trim_start().strip_prefix(mark).and_then(|rest| before(rest, " test"))
        };
        let found = [of("[  PASSED  ]"), of("[  FAILED  ]"), of("[  SKIPPED ]")];
        found.iter().any(Option::is_some).then(|| found.map(Option::unwrap_or_default))
    })
}

/// `Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds`; the last is the sum.
fn swift(output: &str) -> Option<TestSummary> {
    let line = output.lines().rev().find(|line| line.trim_start().starts_with("Executed "))?;
    let (total, failed) = (before(line, " test")?, before(line, " failure")?);
    let skipped = before(line, " tests skipped").or(before(line, " test skipped")).unwrap_or(0);
    summary(total.saturating_sub(plus(failed, skipped)), failed, skipped)
}

/// `ok | 3 passed | 0 failed | 1 ignored (10ms)`
fn deno(output: &str) -> Option<TestSummary> {
    let line =
        output.lines().rev().find(|line| line.contains(" passed") && line.contains(" | "))?;
    let failed = before(line, " failed")?;
    summary(before(line, " passed")?, failed, before(line, " ignored").unwrap_or(0))
}

/// ` 3 pass`, ` 0 fail`, ` 1 skip`, a line each
fn bun(output: &str) -> Option<TestSummary> {
    let number = |word: &str| {
        output.lines().rev().find_map(|line| line.trim().strip_suffix(word)?.parse::<u32>().ok())
    };
    summary(number(" pass")?, number(" fail")?, number(" skip").unwrap_or(0))
}

/// `3 runs, 5 assertions, 1 failures, 0 errors, 1 skips`
fn minitest(output: &str) -> Option<TestSummary> {
    let line = output.lines().rev().find(|line| line.contains(" runs, "))?;
    let failed = plus(before(line, " failures")?, before(line, " errors").unwrap_or(0));
    let skipped = before(line, " skips").unwrap_or(0);
    summary(before(line, " runs, ")?.saturating_sub(plus(failed, skipped)), failed, skipped)
}

/// `3 tests, 1 failure, 1 skipped`
fn exunit(output: &str) -> Option<TestSummary> {
    let line = output.lines().rev().find(|line| {
        (line.contains(" tests, ") || line.contains(" test, ")) && line.contains(" failure")
    })?;
    let (failed, skipped) = (before(line, " failure")?, before(line, " skipped").unwrap_or(0));
    summary(before(line, " test")?.saturating_sub(plus(failed, skipped)), failed, skipped)
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
