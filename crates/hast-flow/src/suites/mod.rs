//! A run of a test suite tells more than its exit code: the counts that runners print, and JUnit's
//! reports. This module reads texts and nothing else. A gate judges what the numbers are worth.

pub mod junit;
pub mod runners;
mod sieve;
pub mod tally;
mod texts;

pub use sieve::Sieve;
pub use tally::{Comparison, Count, Tally};

use crate::docs::contract::TestSummary;

/// Most names of failed tests that are listed, and the longest of them.
pub(crate) const MOST_NAMES: usize = 50;
pub(crate) const LONGEST_NAME: usize = 300;

/// How many tests ran, as far as anybody said so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub summary: Option<TestSummary>,
    pub failed_tests: Vec<String>,
    /// Reports of this run that nobody can read, each with the reason.
    pub unread: Vec<String>,
    /// Advice for a person where it complained about the sandbox.
    pub refused: Option<String>,
    /// The numbers by who told them.
    pub tally: Tally,
}

/// A report that a run wrote: its path, and what is in it or why it was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    pub path: String,
    pub bytes: Result<Vec<u8>, String>,
}

impl Counted {
    /// What the runner printed and what it wrote, together. Where both say something, the smaller
    /// number of tests and the larger number of failures count: code under test can print or write
    /// more than is so, but it cannot take back what the runner says. `asked` are the reports that hast
    /// asked a runner for.
    pub fn of(output: &str, reports: &[ReportFile], asked: &[ReportFile]) -> Self {
        let mut counted = runners::count(output);
        let mut unread = Vec::new();
        let written = read_all(reports, &mut unread);
        // What hast asked for is known by no path; one that is cut off is none.
        let own = read_all(asked, &mut Vec::new());
        counted.tally.reports = written.as_ref().map(junit::Report::count);
        counted.tally.asked = own.as_ref().map(junit::Report::count);
        counted.unread = unread;
        for report in [&written, &own].into_iter().flatten() {
            let mut failed_tests = report.failed_tests.clone();
            failed_tests.append(&mut counted.failed_tests);
            failed_tests.truncate(MOST_NAMES);
            failed_tests.dedup();
            counted.failed_tests = failed_tests;
        }
        counted.summary = smaller(counted.summary, written.and_then(|report| report.summary()));
        // It has the last run of several only: it can tell of more failures, not of fewer tests.
        let own = own.and_then(|report| report.summary());
        counted.summary = match (counted.summary, own) {
            (Some(told), Some(own)) if own.failed > told.failed => {
                Some(with_failures(told, own.failed))
            }
            (told, own) => told.or(own),
        };
        counted
    }
}

/// All reports among the files together; nothing where there is none.
fn read_all(files: &[ReportFile], unread: &mut Vec<String>) -> Option<junit::Report> {
    let mut all: Option<junit::Report> = None;
    for file in files {
        let read = match &file.bytes {
            Ok(bytes) => junit::read(bytes),
            Err(why) => Err(junit::Unread::Broken(why.clone())),
        };
        match read {
            Ok(report) => all.get_or_insert_default().add(report),
            Err(junit::Unread::NotJunit) => {}
            Err(junit::Unread::Broken(why)) => unread.push(format!("{}: {why}", file.path)),
        }
    }
    all
}

fn smaller(one: Option<TestSummary>, other: Option<TestSummary>) -> Option<TestSummary> {
    let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
    let found = if one.total - one.skipped < other.total - other.skipped { one } else { other };
    let failed = one.failed.max(other.failed);
    Some(if failed > found.failed { with_failures(found, failed) } else { found })
}

/// A summary in which more of the tests failed.
fn with_failures(mut found: TestSummary, failed: u32) -> TestSummary {
    let ran = found.passed.saturating_add(found.failed).max(failed);
    (found.failed, found.passed) = (failed, ran - failed);
    found.total = ran.saturating_add(found.skipped);
    found
}

/// The sum of three numbers of others' programs, which may be anything.
fn summary(passed: u32, failed: u32, skipped: u32) -> Option<TestSummary> {
    let total = passed.checked_add(failed)?.checked_add(skipped)?;
    (total > 0).then_some(TestSummary { total, passed, failed, skipped })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str) -> ReportFile {
        ReportFile { path: "junit.xml".to_owned(), bytes: Ok(text.as_bytes().to_vec()) }
    }

    fn counts(counted: &Counted) -> [u32; 4] {
        let summary = counted.summary.unwrap();
        [summary.total, summary.passed, summary.failed, summary.skipped]
    }

    const TWO: &str = "<testsuite><testcase name='a'/><testcase name='b'/></testsuite>";

    #[test]
    fn reports_are_summed_up_and_speak_where_the_runner_prints_nothing() {
        let counted = Counted::of("BUILD SUCCESSFUL\n", &[report(TWO), report(TWO)], &[]);
        assert_eq!(counts(&counted), [4, 4, 0, 0]);
        assert_eq!(counted.unread, [""; 0]);
    }

    #[test]
    fn a_report_cannot_make_more_of_what_the_runner_printed() {
        let counted = Counted::of("1 passed in 0.01s\n", &[report(TWO)], &[]);
        assert_eq!(counts(&counted), [1, 1, 0, 0]);
        let counted = Counted::of("3 passed in 0.01s\n", &[report(TWO)], &[]);
        assert_eq!(counts(&counted), [2, 2, 0, 0]);
    }

    #[test]
    fn a_failure_that_either_of_them_tells_is_one() {
        let failed = "<testsuite><testcase name='a'><failure/></testcase><testcase name='b'/><testcase name='c'/></testsuite>";
        let counted = Counted::of("2 passed in 0.01s\n", &[report(failed)], &[]);
        assert_eq!(counts(&counted), [2, 1, 1, 0]);
        assert_eq!(counted.failed_tests, ["a"]);
        let counted = Counted::of("1 failed, 1 passed in 0.01s\n", &[report(TWO)], &[]);
        assert_eq!(counts(&counted), [2, 1, 1, 0]);
    }

    #[test]
    fn a_report_that_is_cut_off_is_told_and_another_format_is_not() {
        let cut = Counted::of("", &[report("<testsuite><testcase name='a'")], &[]);
        assert_eq!((cut.summary, cut.unread.len()), (None, 1));
        assert!(cut.unread[0].starts_with("junit.xml: "), "{:?}", cut.unread);
        assert_eq!(Counted::of("", &[report("<coverage/>")], &[]), Counted::default());
    }
}
