//! Runners whose summary takes several lines, or that tell a line a test.

use super::runners::{Numbers, add, after, before, of_total, over_lines, plus};

/// `Tests run: 3, Failures: 0, Errors: 0, Skipped: 0`: a line a class with the time it took, then one a
/// module without.
pub(super) fn maven(output: &str) -> Option<Numbers> {
    let read = |line: &str| {
        let (run, skipped) = (after(line, "Tests run:")?, after(line, "Skipped:").unwrap_or(0));
        let failed =
            plus(after(line, "Failures:").unwrap_or(0), after(line, "Errors:").unwrap_or(0));
        Some(of_total(run, failed, skipped))
    };
    let sums = |line: &str| if line.contains("Time elapsed") { None } else { read(line) };
    over_lines(output, sums).or_else(|| over_lines(output, read))
}

/// `Ran 3 tests in 0.001s`, then `OK` or `FAILED (failures=1, errors=1, skipped=1)`
pub(super) fn unittest(output: &str) -> Option<Numbers> {
    let (mut sum, mut ran) = (None, None);
    for line in output.lines() {
        if line.starts_with("Ran ") && line.contains(" in ") {
            ran = before(line, " test");
        }
        let ends = ["OK", "FAILED", "NO TESTS RAN"].iter().any(|word| line.starts_with(word));
        if let (true, Some(total)) = (ends, ran) {
            let number = |word| after(line, word).unwrap_or(0);
            let failed = plus(number("failures"), number("errors"));
            let skipped = plus(number("skipped"), number("expected failures"));
            add(sum.get_or_insert([0; 3]), of_total(total, failed, skipped));
            ran = None;
        }
    }
    sum
}

/// A line of nothing but a number and a word, perhaps with a time: `3 passing (10ms)`.
fn alone(line: &str, word: &str) -> Option<u32> {
    let (number, rest) = line.trim().split_once(' ')?;
    let is_word = rest == word || rest.strip_prefix(word).is_some_and(|end| end.starts_with(" ("));
    is_word.then(|| number.parse().ok()).flatten()
}

/// The sum of all lines of nothing but a number and this word.
fn all_alone(output: &str, word: &str) -> Option<u32> {
    output.lines().filter_map(|line| alone(line, word)).reduce(plus)
}

/// `3 passing (10ms)`, `1 failing`, `1 pending`
pub(super) fn mocha(output: &str) -> Option<Numbers> {
    let number = |word| all_alone(output, word);
    let passed = number("passing")?;
    Some([passed, number("failing").unwrap_or(0), number("pending").unwrap_or(0)])
}

/// `ok 1 - name`, `not ok 2 - name`, `ok 3 # SKIP`. Node sums its own up.
pub(super) fn tap(output: &str) -> Option<Numbers> {
    if node(output).is_some() {
        return None;
    }
    over_lines(output, |line| {
        let (rest, good) = match line.strip_prefix("not ok ") {
            Some(rest) => (rest, false),
            None => (line.strip_prefix("ok ")?, true),
        };
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()?;
        let upper = rest.to_ascii_uppercase();
        let skipped = upper.contains("# SKIP") || upper.contains("# TODO");
        Some([u32::from(good && !skipped), u32::from(!good && !skipped), u32::from(skipped)])
    })
}

/// `--- PASS: TestA (0.00s)` of `go test -v`
pub(super) fn go(output: &str) -> Option<Numbers> {
    if !output.lines().any(|line| line.trim_start().starts_with("--- PASS:")) {
        return None;
    }
    over_lines(output, |line| {
        let rest = line.trim_start().strip_prefix("--- ")?;
        let is = |word: &str| u32::from(rest.starts_with(word));
        let found = [is("PASS:"), is("FAIL:"), is("SKIP:")];
        found.contains(&1).then_some(found)
    })
}

/// `ok  \tpkg\t0.01s`, `FAIL\tpkg\t0.01s`: without `-v` only packages are told.
pub(super) fn go_packages(output: &str) -> Option<Numbers> {
    if go(output).is_some() {
        return None;
    }
    over_lines(output, |line| {
        let (word, rest) = line.split_once('\t')?;
        let package = rest.split('\t').next()?;
        let is_package = !package.is_empty() && !package.contains(' ');
        let idle = u32::from(line.contains("[no tests to run]"));
        match word.trim_end() {
            "ok" if is_package && rest.contains('\t') => Some([1 - idle, 0, idle]),
            "FAIL" if is_package => Some([0, 1, 0]),
            _ => None,
        }
    })
}

/// `# pass 3`, `# fail 0`, `# skipped 1` of node's own runner, or with `ℹ`. Node counts a file in which no test
/// runs as one that passed, under the file's name: that is none.
pub(super) fn node(output: &str) -> Option<Numbers> {
    let number = |word: &str| {
        let of = |line: &str| {
            let line = line.trim();
            let rest = line.strip_prefix('#').or_else(|| line.strip_prefix('ℹ'))?;
            rest.trim_start().strip_prefix(word)?.strip_prefix(' ')?.parse::<u32>().ok()
        };
        output.lines().filter_map(of).reduce(plus)
    };
    let (passed, failed) = (number("pass")?, number("fail")?);
    let hollow = output.lines().filter(|line| is_hollow_file(line)).count();
    let passed = passed.saturating_sub(u32::try_from(hollow).unwrap_or(u32::MAX));
    let failed = plus(failed, number("cancelled").unwrap_or(0));
    Some([passed, failed, plus(number("skipped").unwrap_or(0), number("todo").unwrap_or(0))])
}

/// `ok 1 - /project/calc.test.js`, `✔ calc.test.js (30.1ms)`
fn is_hollow_file(line: &str) -> bool {
    let name = match line.strip_prefix("✔ ") {
        Some(rest) => rest.rsplit_once(" (").map_or(rest, |(name, _)| name),
        None => match line.strip_prefix("ok ").and_then(|rest| rest.split_once(" - ")) {
            Some((_, name)) => name,
            None => return false,
        },
    };
    let endings = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];
    !name.contains(' ') && endings.iter().any(|ending| name.ends_with(ending))
}

/// `Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds`; the last is the sum.
pub(super) fn swift(output: &str) -> Option<Numbers> {
    let line = output.lines().rev().find(|line| line.trim_start().starts_with("Executed "))?;
    let (total, failed) = (before(line, " test")?, before(line, " failure")?);
    let skipped = before(line, " tests skipped").or(before(line, " test skipped")).unwrap_or(0);
    Some(of_total(total, failed, skipped))
}

/// ` 3 pass`, ` 0 fail`, ` 1 skip`, a line each
pub(super) fn bun(output: &str) -> Option<Numbers> {
    let number = |word| all_alone(output, word);
    Some([number("pass")?, number("fail")?, number("skip").unwrap_or(0)])
}

/// `<testsuite tests="3" failures="1" errors="0" skipped="0">`; `<testsuites>` alone is the sum.
pub(super) fn junit(output: &str) -> Option<Numbers> {
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
        after(tag, "tests=").map(|all| of_total(all, failed, skipped))
    };
    let counted = if suites.is_empty() { all } else { suites };
    let mut sum = None;
    counted.iter().filter_map(of).for_each(|more| add(sum.get_or_insert([0; 3]), more));
    sum
}
