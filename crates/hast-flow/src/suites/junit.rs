//! JUnit's XML, as Surefire, Gradle, pytest, jest, nextest and others write it. The file comes from code
//! that an agent wrote: size, depth and numbers are bounded, and no entity of its own is ever resolved.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Count, LONGEST_NAME, MOST_NAMES, summary};
use crate::docs::contract::TestSummary;

/// The largest report that is read.
pub const MOST_BYTES: usize = 32 << 20;
/// Deeper than any runner nests its suites.
const DEEPEST: usize = 32;
/// More attributes than any element of these reports has.
const MOST_ATTRIBUTES: usize = 64;

/// What one report, or several, say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
    pub failed_tests: Vec<String>,
}

impl Report {
    pub fn add(&mut self, more: Self) {
        self.passed = self.passed.saturating_add(more.passed);
        self.failed = self.failed.saturating_add(more.failed);
        self.skipped = self.skipped.saturating_add(more.skipped);
        let room = MOST_NAMES.saturating_sub(self.failed_tests.len());
        self.failed_tests.extend(more.failed_tests.into_iter().take(room));
    }

    pub fn count(&self) -> Count {
        Count::of([self.passed, self.failed, self.skipped])
    }

    pub fn summary(&self) -> Option<TestSummary> {
        summary(self.passed, self.failed, self.skipped)
    }
}

/// Why a file gave no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Something else than a report.
    NotJunit,
    /// A report that cannot be trusted as it is.
    Broken(String),
}

/// Whether a file of this name may be a report: what the runners and their users call it.
pub fn may_be_report(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let (directories, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let Some(stem) = name.strip_suffix(".xml") else { return false };
    let usual = ["surefire-reports", "failsafe-reports", "test-results", "test-reports", "junit"];
    let has = |word: &str| stem.contains(word);
    stem.starts_with("test-")
        || has("junit")
        || has("xunit")
        || (has("test") && (has("result") || has("report")))
        || ["report", "results", "testsuite", "tests"].contains(&stem)
        || directories.split('/').any(|directory| usual.contains(&directory))
}

pub fn read(bytes: &[u8]) -> Result<Report, Unread> {
    if bytes.len() > MOST_BYTES {
        let broken = format!("larger than {MOST_BYTES} bytes");
        return if looks_like(bytes) { Err(Unread::Broken(broken)) } else { Err(Unread::NotJunit) };
    }
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut reading = Reading::default();
    loop {
        let event = reader.read_event().map_err(|error| reading.broken(error.to_string()))?;
        match event {
            Event::Start(element) => reading.start(&element)?,
            Event::Empty(element) => {
                reading.start(&element)?;
                reading.end();
            }
            Event::End(_) => reading.end(),
            Event::DocType(_) => reading.doctype = true,
            Event::Eof => break,
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::GeneralRef(_) => {}
        }
    }
    reading.report()
}

/// Whether the beginning of a file that is too large says that it is a report.
fn looks_like(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(&bytes[..bytes.len().min(4_096)]).contains("<testsuite")
}

#[derive(Default)]
struct Reading {
    depth: usize,
    /// Whether the first element is one of a report.
    known: bool,
    doctype: bool,
    case: Option<Case>,
    report: Report,
    /// What the outermost suites say of themselves: tests, failures and errors, skipped.
    claims: [u32; 3],
    /// How deep the suite is that has made its claim; those in it are part of it.
    claimed_at: Option<usize>,
}

/// A test on its way.
struct Case {
    name: String,
    depth: usize,
    end: End,
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Passed,
    Failed,
    Skipped,
}

impl Reading {
    /// A file that never began to be a report is none.
    fn broken(&self, why: impl Into<String>) -> Unread {
        if self.known { Unread::Broken(why.into()) } else { Unread::NotJunit }
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), Unread> {
        self.depth += 1;
        let local = element.local_name();
        let name = local.as_ref();
        if self.depth == 1 {
            self.known = matches!(name, "testsuites" | "testsuite");
            if !self.known {
                return Err(Unread::NotJunit);
            }
            if self.doctype {
                return Err(self.broken("it has a DOCTYPE"));
            }
        }
        if self.depth > DEEPEST {
            return Err(self.broken(format!("deeper than {DEEPEST} elements")));
        }
        match (name, &mut self.case) {
            ("testsuites" | "testsuite", None) => self.claim(element),
            ("testcase", None) => {
                let (name, end) = named(element);
                self.case = Some(Case { name, depth: self.depth, end });
            }
            ("failure" | "error", Some(case)) if self.depth == case.depth + 1 => {
                case.end = End::Failed;
            }
            ("skipped", Some(case)) if self.depth == case.depth + 1 && case.end == End::Passed => {
                case.end = End::Skipped;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self) {
        if let Some(case) = self.case.take_if(|case| case.depth == self.depth) {
            let report = &mut self.report;
            let count = match case.end {
                End::Passed => &mut report.passed,
                End::Failed => &mut report.failed,
                End::Skipped => &mut report.skipped,
            };
            *count = count.saturating_add(1);
            if case.end == End::Failed && report.failed_tests.len() < MOST_NAMES {
                report.failed_tests.push(case.name);
            }
        }
        if self.claimed_at == Some(self.depth) {
            self.claimed_at = None;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Takes the numbers of the outermost suite that has some.
    fn claim(&mut self, element: &BytesStart<'_>) {
        if self.claimed_at.is_some() {
            return;
        }
        let mut numbers = [None; 4];
        for (key, value) in attributes(element) {
            let place = match key.as_ref() {
                "tests" => 0,
                "failures" => 1,
                "errors" => 2,
                "skipped" | "disabled" => 3,
                _ => continue,
            };
            numbers[place] = value.trim().parse::<u32>().ok();
        }
        let [Some(tests), failures, errors, skipped] = numbers else { return };
        self.claimed_at = Some(self.depth);
        let failed = failures.unwrap_or(0).saturating_add(errors.unwrap_or(0));
        for (sum, more) in self.claims.iter_mut().zip([tests, failed, skipped.unwrap_or(0)]) {
            *sum = sum.saturating_add(more);
        }
    }

    fn report(mut self) -> Result<Report, Unread> {
        if self.depth > 0 {
            return Err(self.broken("it ends in the middle of an element"));
        }
        if !self.known {
            return Err(Unread::NotJunit);
        }
        let [tests, failed, skipped] = self.claims;
        let report = &mut self.report;
        if report.passed == 0 && report.failed == 0 && report.skipped == 0 {
            // Only the sums were written.
            report.passed = tests.saturating_sub(failed).saturating_sub(skipped);
            (report.failed, report.skipped) = (failed, skipped);
        } else {
            // A suite may fail outside of any test.
            report.failed = report.failed.max(failed);
        }
        Ok(self.report)
    }
}

/// The name of a test as people look for it, and how it ended where an attribute says so.
fn named(element: &BytesStart<'_>) -> (String, End) {
    let (mut class, mut name, mut end) = (String::new(), String::new(), End::Passed);
    for (key, value) in attributes(element) {
        match key.as_ref() {
            "classname" => class = value.into_owned(),
            "name" => name = value.into_owned(),
            // googletest
            "status" if value == "notrun" => end = End::Skipped,
            _ => {}
        }
    }
    let whole = if class.is_empty() { name } else { format!("{class}.{name}") };
    (whole.chars().take(LONGEST_NAME).collect(), end)
}

/// The attributes of an element, bounded; what is not well-formed among them is passed over.
fn attributes<'e>(
    element: &'e BytesStart<'_>,
) -> impl Iterator<Item = (Cow<'e, str>, Cow<'e, str>)> {
    let mut all = element.attributes();
    all.with_checks(false);
    all.take(MOST_ATTRIBUTES).filter_map(Result::ok).map(|attribute| {
        let value = match quick_xml::escape::unescape(&attribute.value) {
            Ok(value) => value.into_owned(),
            Err(_) => attribute.value.clone().into_owned(),
        };
        (Cow::Owned(attribute.key.as_ref().to_owned()), Cow::Owned(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> [u32; 3] {
        let report = read(text.as_bytes()).unwrap_or_else(|why| panic!("{text}: {why:?}"));
        [report.passed, report.failed, report.skipped]
    }

    #[test]
    fn reports_are_read_as_the_runners_write_them() {
        for (text, expected) in [
            // Surefire
            (
                r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.example.AServiceTest" time="0.05" tests="3" errors="0" skipped="1" failures="1">
  <properties><property name="a" value="b"/></properties>
  <testcase name="finds" classname="com.example.AServiceTest" time="0.01"/>
  <testcase name="misses" classname="com.example.AServiceTest"><failure message="x" type="T"><![CDATA[<error/>]]></failure></testcase>
  <testcase name="later" classname="com.example.AServiceTest"><skipped/></testcase>
</testsuite>"#,
                [1, 1, 1],
            ),
            // pytest
            (
                r#"<testsuites><testsuite name="pytest" errors="1" failures="0" skipped="0" tests="2"><testcase classname="t" name="a"/><testcase classname="t" name="b"><error message="e">E</error></testcase></testsuite></testsuites>"#,
                [1, 1, 0],
            ),
            // Nested suites: the outer one has the sum.
            (
                r#"<testsuites tests="2" failures="0"><testsuite tests="2" failures="0"><testsuite tests="2"><testcase name="a"/><testcase name="b"/></testsuite></testsuite></testsuites>"#,
                [2, 0, 0],
            ),
            // Only sums.
            (
                r#"<testsuites><testsuite tests="3" failures="1" errors="0" skipped="1"/><testsuite tests="2"/></testsuites>"#,
                [3, 1, 1],
            ),
            // A test that passed when it was run again is no failure.
            (r#"<testsuite><testcase name="a"><flakyFailure/></testcase></testsuite>"#, [1, 0, 0]),
            // What a test prints is not what happened to it.
            (
                r#"<testsuite><testcase name="a"><system-out><failure/></system-out></testcase></testsuite>"#,
                [1, 0, 0],
            ),
            // A suite that failed around its tests.
            (r#"<testsuite tests="1" errors="1"><testcase name="a"/></testsuite>"#, [1, 1, 0]),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }

    #[test]
    fn failed_tests_have_the_name_that_people_look_for() {
        let text = r#"<testsuite><testcase classname="a.B" name="&lt;c&gt; &amp; d"><failure/></testcase></testsuite>"#;
        assert_eq!(read(text.as_bytes()).unwrap().failed_tests, ["a.B.<c> & d"]);
    }

    #[test]
    fn what_is_no_report_is_left_alone() {
        for text in ["", "text", "<project/>", "<html><testsuite/></html>", "{}", "<<<", "\u{0}"] {
            assert_eq!(read(text.as_bytes()), Err(Unread::NotJunit), "{text}");
        }
    }

    #[test]
    fn entities_and_document_types_are_refused() {
        let laughs = r#"<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>"#;
        let outside =
            r#"<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite name="&a;"/>"#;
        for text in [laughs, outside] {
            assert!(matches!(read(text.as_bytes()), Err(Unread::Broken(_))), "{text}");
        }
        let undeclared = "<testsuite><testcase name='&b;'><failure/></testcase></testsuite>";
        assert_eq!(read(undeclared.as_bytes()).unwrap().failed_tests, ["&b;"]);
    }

    #[test]
    fn depth_size_and_numbers_are_bounded() {
        let deep = "<testsuite>".repeat(100_000);
        assert!(matches!(read(deep.as_bytes()), Err(Unread::Broken(_))));
        let large = format!("<testsuite>{}", " ".repeat(MOST_BYTES));
        assert!(matches!(read(large.as_bytes()), Err(Unread::Broken(_))));
        let many = format!("<testsuite {}></testsuite>", "a='1' ".repeat(300_000));
        assert!(read(many.as_bytes()).is_ok());
        let huge = r#"<testsuites><testsuite tests="4294967295"/><testsuite tests="99999999999"/><testsuite tests="4294967295"/></testsuites>"#;
        assert_eq!(counts(huge), [u32::MAX, 0, 0]);
        let long = format!(
            "<testsuite><testcase name='{}'><error/></testcase></testsuite>",
            "n".repeat(1_000_000)
        );
        assert_eq!(read(long.as_bytes()).unwrap().failed_tests[0].len(), LONGEST_NAME);
    }

    #[test]
    fn a_report_that_breaks_off_is_broken() {
        for text in [
            "<testsuite>",
            "<testsuite><testcase name='a'>",
            "<testsuite></testsuites>",
            "<testsuite><testcase name='a'/>",
        ] {
            assert!(matches!(read(text.as_bytes()), Err(Unread::Broken(_))), "{text}");
        }
    }

    #[test]
    fn reports_have_the_names_that_runners_give_them() {
        for path in [
            "target/surefire-reports/TEST-com.example.ATest.xml",
            "build/test-results/test/TEST-ATest.xml",
            "junit.xml",
            "target/nextest/default/junit.xml",
            "reports/test-results.xml",
            "report.xml",
            "out/xunit.xml",
            "test-results/e2e.xml",
        ] {
            assert!(may_be_report(path), "{path}");
        }
        for path in ["pom.xml", "src/layout.xml", "junit.json", "coverage.xml", "junit/data.txt"] {
            assert!(!may_be_report(path), "{path}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
            let _ = read(&bytes);
            let mut report = b"<testsuite>".to_vec();
            report.extend(bytes);
            let _ = read(&report);
        }

        #[test]
        fn pieces_of_reports_are_read_without_a_panic(pieces in proptest::collection::vec(proptest::sample::select(vec!["<testsuite", "<testcase ", ">", "/>", "</testsuite>", "name='a'", "<failure/>", "&a;", "<![CDATA[", "]]>", "<!--", "-->", "tests='9'", "<!DOCTYPE a>"]), 0..40)) {
            let _ = read(pieces.concat().as_bytes());
        }
    }
}
