//! A red run counts for its contract where a case failed as a case, or a build or import error names a
//! target. This module knows what runners print.

use crate::attempt::evidence::TestRun;
use crate::docs::contract::TestContract;
use crate::explore::language::Language;
use crate::flows::contract::words as say;
use crate::words::Lang;

/// What a run is compared with.
pub(super) struct About<'a> {
    pub(super) contract: &'a TestContract,
    /// The test file as it was run.
    pub(super) test_file: &'a str,
    /// Words that an error about missing code names.
    pub(super) names: &'a [String],
}

/// How a run is red.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Redness {
    /// A case failed.
    Case,
    /// Nothing was run, for want of a target.
    Unbuilt,
    /// The test file itself cannot be read; with the line that says so.
    Syntax(String),
    /// Only others' tests failed.
    Others(String),
    /// Nothing tells that a case failed.
    Silent,
}

impl Redness {
    /// Why it is no proof.
    pub(super) fn objection(&self, lang: Lang, test_file: &str) -> Option<String> {
        match self {
            Self::Case | Self::Unbuilt => None,
            Self::Syntax(line) => Some(say::red_syntax(lang, test_file, line)),
            Self::Others(names) => Some(say::red_by_others(lang, names)),
            Self::Silent => Some(say::red_without_case(lang)),
        }
    }
}

/// What keeps tests from being run at all.
const LOAD_ERRORS: &[&str] = &[
    "ImportError",
    "ModuleNotFoundError",
    "ERROR collecting",
    "error during collection",
    "errors during collection",
    "_FailedTest",
    "Failed to import test module",
    "could not compile",
    "error[E",
    "[build failed]",
    "[setup failed]",
    "Cannot find module",
    "ERR_MODULE_NOT_FOUND",
    "does not provide an export named",
    "Test suite failed to run",
    "error TS",
    "COMPILATION ERROR",
    "Compilation failed",
    "cannot find symbol",
    "undefined reference to",
    "An error occurred while loading",
    "LoadError",
];

const SYNTAX_ERRORS: &[&str] = &[
    "SyntaxError",
    "IndentationError",
    "TabError",
    "syntax error",
    "Syntax error",
    "ParseError",
    "Parse error",
    "Parsing error",
    "unexpected end of file",
    "nterminated string",
    "error: expected ",
    "error: unexpected closing",
    "';' expected",
];

/// Lines of a case that failed, whatever else did not load.
const CASES: &[&str] =
    &["FAILED ", "--- FAIL", "FAIL: ", "✕", "✗", "× ", "[  FAILED  ]", "✖ ", "not ok "];

/// Words of a line that is about something missing.
const MISSING: &[&str] = &[
    "error",
    "undefined",
    "cannot find",
    "can't find",
    "can't open",
    "cannot open",
    "cannot resolve",
    "not found",
    "no such file",
    "no module",
    "unresolved",
    "symbol:",
    "not declared",
    "not defined",
    "does not provide",
    "does not exist",
    "has no",
];

/// Words of a line that is about a failure.
const FAILING: &[&str] = &["fail", "error", "not ok", "✕", "✗", "×", "assert", "expected", "panic"];

pub(super) fn redness(run: &TestRun, about: &About<'_>) -> Redness {
    let lines: Vec<&str> = run.tail.lines().collect();
    let loads = lines.iter().any(|line| any(line, LOAD_ERRORS));
    if let Some(line) = about.syntax_error(&lines) {
        let failed_too = lines.iter().any(|line| is_case(line) && about.relates(line));
        if !failed_too || loads {
            return Redness::Syntax(line.trim().chars().take(200).collect());
        }
    }
    let failing: Vec<&str> = lines.iter().copied().filter(|line| is_case(line)).collect();
    let names = run.counted.failed_tests.iter().map(String::as_str);
    // A number alone is a place in a list, and no name.
    let named: Vec<&str> = names.filter(|name| name.chars().any(char::is_alphabetic)).collect();
    if loads {
        // A runner may call a file that did not load a failed test.
        let case = failing.iter().any(|line| about.relates(line) && !is_of_a_file(line, about));
        return match (case, about.names_missing(&lines)) {
            (true, _) => Redness::Case,
            (false, true) => Redness::Unbuilt,
            (false, false) => Redness::Silent,
        };
    }
    let told = failing.iter().chain(&named).any(|line| about.relates(line));
    let counted = run.counted.summary.is_some_and(|summary| summary.failed > 0);
    let any_named = !failing.is_empty() || !named.is_empty();
    if told || (counted && !any_named) {
        return Redness::Case;
    }
    if about.names_case(&lines) {
        return Redness::Case;
    }
    if about.names_missing(&lines) {
        return Redness::Unbuilt;
    }
    match any_named {
        true => {
            let all = if named.is_empty() { &failing } else { &named };
            let some: Vec<&str> = all.iter().map(|line| line.trim()).take(5).collect();
            Redness::Others(some.join(", ").chars().take(300).collect())
        }
        false => Redness::Silent,
    }
}

fn any(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| line.contains(word))
}

fn is_case(line: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with("FAILED (") {
        return false;
    }
    CASES.iter().any(|start| line.starts_with(start))
        || (line.starts_with("test ") && line.ends_with("... FAILED"))
        // unittest calls a case that raised an error.
        || (line.starts_with("ERROR: ") && line.contains('(') && !line.contains("_FailedTest"))
        || (line.ends_with(" FAILED") && line.contains(" > "))
}

/// `not ok 1 - tests/a.test.js`, which node prints of a file that does not load.
fn is_of_a_file(line: &str, about: &About<'_>) -> bool {
    let file = &about.contract.test_file_path;
    let line = line.trim_start();
    (line.starts_with("not ok ") || line.starts_with("✖ ")) && line.contains(file.as_str())
}

impl About<'_> {
    /// A line that tells of a syntax error in the test file: it, or one nearby, names the file.
    fn syntax_error<'l>(&self, lines: &[&'l str]) -> Option<&'l str> {
        const NEAR: usize = 6;
        let file = self.file();
        lines.iter().enumerate().find_map(|(at, line)| {
            let near = &lines[at.saturating_sub(NEAR)..(at + NEAR).min(lines.len())];
            // What a case compares may have such words too.
            let told = any(line, SYNTAX_ERRORS) && !self.test_file.contains(line.trim());
            (told && near.iter().any(|line| line.contains(file))).then_some(*line)
        })
    }

    fn file(&self) -> &str {
        let path = self.contract.test_file_path.as_str();
        path.rsplit('/').next().unwrap_or(path)
    }

    /// Whether a line about a failed test is about this contract: it names the test file, a case, or
    /// something that stands in the test file.
    fn relates(&self, line: &str) -> bool {
        let file = self.file();
        let stem = file.split('.').next().unwrap_or(file);
        let cases = self.contract.test_cases.iter();
        // A line that names another file is about that one, whatever their texts share.
        let own: Vec<&str> = line.split_whitespace().filter(|token| !is_file(token)).collect();
        let own = own.join(" ");
        line.contains(file)
            || has_word(&own, stem)
            || cases.flat_map(|case| [&case.id, &case.name]).any(|name| has_word(&own, name))
            || words(&own).any(|word| has_word(self.test_file, word))
    }

    fn names_case(&self, lines: &[&str]) -> bool {
        let cases = || self.contract.test_cases.iter().flat_map(|case| [&case.id, &case.name]);
        lines.iter().any(|line| {
            let lower = line.to_lowercase();
            any(&lower, FAILING) && cases().any(|name| has_word(line, name))
        })
    }

    /// Whether a line, or the two after it, tells of a target that is missing.
    fn names_missing(&self, lines: &[&str]) -> bool {
        let named = |line: &&str| {
            let without = line.replace(&self.contract.test_file_path, " ");
            let without = without.replace(self.file(), " ");
            self.names.iter().any(|name| has_word(&without, name))
        };
        lines.iter().enumerate().any(|(at, line)| {
            let lower = line.to_lowercase();
            any(&lower, MISSING) && lines[at..(at + 3).min(lines.len())].iter().any(&named)
        })
    }
}

/// Whether a word is the path of a file, perhaps with a test in it: `tests/a.py::test_b`.
fn is_file(token: &str) -> bool {
    let path = token.split("::").next().unwrap_or(token);
    path.contains('/') || Language::of(path).is_some()
}

/// Words of a line that may be names of tests. Those that each runner prints are none.
fn words(line: &str) -> impl Iterator<Item = &str> {
    const COMMON: &[&str] = &[
        "FAIL",
        "FAILED",
        "failed",
        "test",
        "tests",
        "error",
        "ERROR",
        "Error",
        "assert",
        "with",
        "from",
        "this",
        "that",
        "should",
        "case",
        "AssertionError",
        "code",
        "exit",
    ];
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| {
        word.chars().count() > 3 && word.chars().any(char::is_alphabetic) && !COMMON.contains(word)
    })
}

/// Whether a text stands in a line as a word of its own.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let (Some(first), Some(last)) = (word.chars().next(), word.chars().next_back()) else {
        return false;
    };
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(part);
        let after = line[at + word.len()..].chars().next().is_some_and(part);
        !((before && part(first)) || (after && part(last)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::evidence::TestEnd;
    use crate::docs::contract::{Author, TestCase};
    use crate::docs::document::Version;
    use crate::suites::Counted;

    fn contract() -> TestContract {
        TestContract {
            version: Version,
            request_id: "R1".parse().unwrap(),
            task_id: "T1".parse().unwrap(),
            subtask_id: "T1-S1".parse().unwrap(),
            created_at: "2026-01-12T14:30:00Z".parse().unwrap(),
            created_by: Author::QaEngineer,
            subtask_name: "s".to_owned(),
            test_cases: vec![TestCase {
                id: "TC-1".to_owned(),
                name: "a tenth off".to_owned(),
                target: "pricing.discount".to_owned(),
                given: String::new(),
                when: String::new(),
                then: String::new(),
                category: "happy_path".to_owned(),
            }],
            coverage_targets: Vec::new(),
            test_file_path: "tests/test_pricing.py".to_owned(),
        }
    }

    const TESTS: &str = "from pricing import discount\n\ndef test_takes_a_tenth():\n    assert discount(1000) == 900\n";

    fn of(output: &str) -> Redness {
        let run = TestRun {
            end: TestEnd::Red { code: 1 },
            tail: output.to_owned(),
            counted: Counted::of(output, &[], &[]),
        };
        let names = ["discount", "pricing", "pricing.py"].map(str::to_owned);
        redness(&run, &About { contract: &contract(), test_file: TESTS, names: &names })
    }

    #[test]
    fn a_case_that_failed_counts() {
        for output in [
            "FAILED tests/test_pricing.py::test_takes_a_tenth - assert 1000 == 900\n1 failed, 3 passed in 0.1s\n",
            "FAILED tests/test_pricing.py::test_takes_a_tenth - ImportError: cannot import name 'x'\n1 failed in 0.1s\n",
            "ERROR: test_takes_a_tenth (test_pricing.T)\nAttributeError: no discount\nRan 1 test in 0.1s\n\nFAILED (errors=1)\n",
            "ok 1 - tests/first.test\nnot ok 2 - tests/test_pricing.py\n",
            "TC-1: FAIL\n",
            "2 passing (3ms)\n1 failing\n",
        ] {
            assert_eq!(of(output), Redness::Case, "{output}");
        }
    }

    #[test]
    fn an_error_that_names_a_target_counts() {
        for output in [
            "ERROR collecting tests/test_pricing.py\nE   ImportError: cannot import name 'discount' from 'pricing' (/x/pricing.py)\n1 error in 0.1s\n",
            "ERROR collecting tests/test_pricing.py\nE   ModuleNotFoundError: No module named 'pricing'\n1 error in 0.1s\n",
            "error[E0432]: unresolved import `shop::discount`\nerror: could not compile `shop`\n",
            "./a_test.go:5:7: undefined: discount\nFAIL\tshop [build failed]\n",
            "Error: Cannot find module './pricing'\nnot ok 1 - tests/test_pricing.py\n# fail 1\n",
            "ATest.java:[5,9] cannot find symbol\n  symbol:   method discount(int)\nCOMPILATION ERROR\n",
            "sh: 1: pricing.py: not found\n",
        ] {
            assert_eq!(of(output), Redness::Unbuilt, "{output}");
        }
    }

    #[test]
    fn an_error_about_anything_else_does_not() {
        for output in [
            "ERROR collecting tests/test_pricing.py\nE   ModuleNotFoundError: No module named 'nothing_like_it'\n1 error in 0.1s\n",
            "ImportError: Failed to import test module: test_pricing\nRan 1 test in 0.1s\n\nFAILED (errors=1)\n",
            "",
            "make: *** [test] Error 1\n",
            "Error: Cannot find module 'left-pad'\nnot ok 1 - tests/test_pricing.py\n# fail 1\n",
        ] {
            assert_eq!(of(output), Redness::Silent, "{output}");
        }
    }

    #[test]
    fn a_syntax_error_of_the_test_file_is_told() {
        for output in [
            "ERROR collecting tests/test_pricing.py\n  File \"/x/tests/test_pricing.py\", line 4\n    assert discount(1000) = 900\nE   SyntaxError: cannot assign to function call\n1 error in 0.1s\n",
            "tests/test_pricing.py: line 3: syntax error near unexpected token `)'\n",
            "error: expected one of `;`, found `x`\n --> tests/test_pricing.py:3:5\nerror: could not compile `shop`\n",
        ] {
            let Redness::Syntax(line) = of(output) else { panic!("{output}: {:?}", of(output)) };
            assert!(line.to_lowercase().contains("syntax") || line.contains("expected"), "{line}");
        }
    }

    #[test]
    fn a_test_of_somebody_else_that_failed_is_no_case() {
        let output =
            "FAILED tests/test_orders.py::test_ships - assert False\n1 failed, 4 passed in 0.1s\n";
        let Redness::Others(names) = of(output) else { panic!("{:?}", of(output)) };
        assert!(names.contains("test_ships"), "{names}");
        let same_word = "ok 1 - tests/test_pricing.py\nnot ok 2 - tests/old_discount.test\n";
        assert!(matches!(of(same_word), Redness::Others(_)), "{:?}", of(same_word));
        let same_target = "not ok 2 - tests/discount.test\n";
        assert!(matches!(of(same_target), Redness::Others(_)), "{:?}", of(same_target));
        let others = "--- FAIL: TestShips (0.00s)\nFAIL\tshop/orders\t0.1s\n";
        assert!(matches!(of(others), Redness::Others(_)), "{:?}", of(others));
    }

    proptest::proptest! {
        #[test]
        fn any_output_is_read_without_a_panic(output in "(?s).{0,300}") {
            let _ = of(&output);
        }
    }
}
