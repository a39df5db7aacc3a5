//! The numbers of one run of the test command, by who told them. Runs are compared by them, so each teller
//! is kept apart: a summary that is printed cannot hide a report that says less.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Tests of one run as one teller counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    pub passed: u32,
    pub failed: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Count {
    pub fn of([passed, failed, skipped]: [u32; 3]) -> Self {
        Self { passed, failed, skipped }
    }

    /// Tests that ran. One that was skipped did not.
    pub fn executed(self) -> u32 {
        self.passed.saturating_add(self.failed)
    }

    fn plus(self, more: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(more.passed),
            failed: self.failed.saturating_add(more.failed),
            skipped: self.skipped.saturating_add(more.skipped),
        }
    }
}

/// Everything that one run told of its tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Summaries on the screen, by runner; all of one runner together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub printed: BTreeMap<String, Count>,
    /// JUnit's reports that the run wrote into the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports: Option<Count>,
    /// The report that hast asked pytest for, outside of the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Count>,
    /// The words by which the run says that it does not run everything: by change, or by a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selects: Option<String>,
}

/// How the numbers of an attempt are to those of its base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// No run told any number: the exit code is all there is.
    Untold,
    /// The base's own run selects its tests.
    NotCompared {
        selects: String,
    },
    /// At least as many tests ran, or the base told no number.
    Enough,
    /// The base told its numbers and this run did not.
    NoResult,
    Fewer {
        before: u32,
        now: u32,
    },
}

impl Tally {
    /// Whether no runner told anything.
    pub fn is_untold(&self) -> bool {
        self.printed.is_empty() && self.reports.is_none() && self.asked.is_none()
    }

    fn screen(&self) -> Option<Count> {
        self.printed.values().copied().reduce(Count::plus)
    }

    fn tellers(&self) -> [Option<Count>; 3] {
        [self.asked, self.screen(), self.reports]
    }

    /// The number of tests that ran. Where tellers differ, the smallest counts.
    pub fn executed(&self) -> Option<u32> {
        self.tellers().into_iter().flatten().map(Count::executed).min()
    }

    /// The number of failures. Where tellers differ, the largest counts.
    pub fn failed(&self) -> u32 {
        self.tellers().into_iter().flatten().map(|count| count.failed).max().unwrap_or(0)
    }

    /// Compares this run with the one on the base, of the same command.
    pub fn after(&self, base: &Self, command: &str) -> Comparison {
        if base.is_untold() {
            return if self.is_untold() { Comparison::Untold } else { Comparison::Enough };
        }
        if let Some(selects) = &base.selects {
            return Comparison::NotCompared { selects: selects.clone() };
        }
        if self.misses_a_teller(base, command) {
            return Comparison::NoResult;
        }
        let pairs = base.tellers().into_iter().zip(self.tellers());
        let pairs = pairs.filter_map(|(base, now)| Some((base?.executed(), now?.executed())));
        let fewer = pairs.filter(|(before, now)| now < before);
        match fewer.max_by_key(|(before, now)| before - now) {
            Some((before, now)) => Comparison::Fewer { before, now },
            None => Comparison::Enough,
        }
    }

    /// Whether somebody who spoke on the base is silent. Another runner may take the place of one that the
    /// command does not name.
    fn misses_a_teller(&self, base: &Self, command: &str) -> bool {
        let by_name = |runner: &str| names(command, runner);
        let pytest = self.printed.contains_key("pytest") || by_name("pytest");
        let named = |(runner, _): &(&String, &Count)| {
            by_name(runner) && !self.printed.contains_key(runner.as_str())
        };
        self.is_untold()
            || (base.asked.is_some() && self.asked.is_none() && pytest)
            || (base.reports.is_some() && self.reports.is_none())
            || base.printed.iter().any(|found| named(&found))
    }
}

/// Whether a command names a runner as one of its words, or as the last part of one.
fn names(command: &str, runner: &str) -> bool {
    let words = command.split(|c: char| c.is_whitespace() || "/;|&()'\"=".contains(c));
    let mut words = words.filter(|word| !word.is_empty());
    match runner {
        // `cargo nextest run` has the word too.
        "cargo" => command.contains("cargo test"),
        "node" => command.contains("--test"),
        "go" | "go packages" => command.contains("go test"),
        _ => words.any(|word| word == runner),
    }
}

/// The words of a command, or of a line that a run printed, that say that tests are selected.
pub fn selection(line: &str) -> Option<&'static str> {
    const WORDS: &[&str] = &[
        "--lf",
        "--last-failed",
        "--testmon",
        "--picked",
        "--changed",
        "--changedSince",
        "--onlyChanged",
        "--findRelatedTests",
        "--affected",
    ];
    const PHRASES: &[&str] = &[
        "nx affected",
        "run-last-failure:",
        "read the output from the cache",
        "[local cache]",
        "[remote cache]",
        "cache hit",
        "(cached) PASSED",
    ];
    let flag = |word: &str| word.split(['=', '\'', '"']).next().unwrap_or(word).to_owned();
    let words: Vec<String> = line.split_whitespace().map(flag).collect();
    let by_word = WORDS.iter().find(|known| words.iter().any(|word| word == *known));
    let by_phrase = || PHRASES.iter().find(|phrase| line.contains(**phrase));
    let gradle = || {
        let is_tests = line.contains("> Task :") && line.to_ascii_lowercase().contains("test");
        let kept = ["UP-TO-DATE", "FROM-CACHE"].iter().find(|word| line.ends_with(**word));
        kept.filter(|_| is_tests)
    };
    by_word.or_else(by_phrase).or_else(gradle).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(all: &[(&str, [u32; 3])]) -> Tally {
        let one = |(name, count): &(&str, [u32; 3])| ((*name).to_owned(), Count::of(*count));
        Tally { printed: all.iter().map(one).collect(), ..Tally::default() }
    }

    fn with_report(count: [u32; 3], report: [u32; 3]) -> Tally {
        Tally { asked: Some(Count::of(report)), ..printed(&[("pytest", count)]) }
    }

    #[test]
    fn what_is_skipped_did_not_run() {
        let base = printed(&[("cargo", [12, 0, 0])]);
        let now = printed(&[("cargo", [9, 0, 3])]);
        assert_eq!(now.after(&base, "make"), Comparison::Fewer { before: 12, now: 9 });
        assert_eq!(base.after(&now, "make"), Comparison::Enough);
    }

    #[test]
    fn runners_are_summed_up_and_one_may_take_the_place_of_another() {
        let base = printed(&[("pytest", [10, 0, 0]), ("jest", [5, 0, 0])]);
        let now = printed(&[("unittest", [10, 0, 0]), ("jest", [5, 0, 0])]);
        assert_eq!(now.after(&base, "make test"), Comparison::Enough);
        assert_eq!(now.after(&base, "pytest && npx jest"), Comparison::NoResult);
        let fewer = printed(&[("jest", [5, 0, 0])]);
        assert_eq!(fewer.after(&base, "make"), Comparison::Fewer { before: 15, now: 5 });
    }

    #[test]
    fn a_report_that_says_less_than_the_screen_counts() {
        let base = with_report([4, 0, 0], [4, 0, 0]);
        let forged = with_report([4, 0, 0], [1, 0, 0]);
        assert_eq!(forged.after(&base, "pytest"), Comparison::Fewer { before: 4, now: 1 });
        assert_eq!((forged.executed(), base.executed()), (Some(1), Some(4)));
        let silent = printed(&[("pytest", [4, 0, 0])]);
        assert_eq!(silent.after(&base, "make"), Comparison::NoResult);
        let other = printed(&[("unittest", [4, 0, 0])]);
        assert_eq!(other.after(&base, "make"), Comparison::Enough);
    }

    #[test]
    fn nothing_is_compared_where_nothing_was_told_or_the_base_selects() {
        let (none, some) = (Tally::default(), printed(&[("go", [3, 0, 0])]));
        assert_eq!(none.after(&none, "make"), Comparison::Untold);
        assert_eq!(some.after(&none, "make"), Comparison::Enough);
        assert_eq!(none.after(&some, "make"), Comparison::NoResult);
        let selects = Tally { selects: Some("--lf".to_owned()), ..some.clone() };
        let expected = Comparison::NotCompared { selects: "--lf".to_owned() };
        assert_eq!(none.after(&selects, "make"), expected);
        assert_eq!(selects.after(&some, "make"), Comparison::Enough);
    }

    #[test]
    fn a_selection_is_known_by_its_words() {
        for line in [
            "pytest --lf",
            "> jest --changedSince=main",
            "npx nx affected -t test",
            "> Task :app:test UP-TO-DATE",
            "> Task :test FROM-CACHE",
            "run-last-failure: rerun previous 1 failure",
        ] {
            assert!(selection(line).is_some(), "{line}");
        }
        for line in [
            "pytest -x",
            "> Task :compileJava UP-TO-DATE",
            "ok  \tpkg\t(cached)",
            "the files --changedly",
        ] {
            assert_eq!(selection(line), None, "{line}");
        }
    }

    #[test]
    fn a_runner_is_named_by_a_whole_word() {
        for (command, runner, named) in [
            ("python -m pytest -q", "pytest", true),
            (".venv/bin/pytest", "pytest", true),
            ("make pytest-all", "pytest", false),
            ("cargo nextest run", "cargo", false),
            ("cargo nextest run", "nextest", true),
            ("npm test", "jest", false),
        ] {
            assert_eq!(names(command, runner), named, "{command}");
        }
    }
}
