//! Attempts whose tests ended as a fixture says.

use hast_flow::attempt::evidence::{
    CallEnd, Change, ChangeKind, Evidence, HandoffContent, HandoffWord, NewHandoff, RepoPath,
    TestEnd, TestRun,
};
use hast_flow::attempt::green::{AgreedTests, FewerTests};
use hast_flow::attempt::judge::{
    Judged, Rules, Scope, Verdict, WantedHandoff, WantedTests, judge_counted,
};
use hast_flow::suites::{Counted, ReportFile, Sieve};

const FIXTURES: &[(&str, &str)] = &[
    ("cargo", include_str!("fixtures/cargo.txt")),
    ("jest", include_str!("fixtures/jest.txt")),
    ("mocha", include_str!("fixtures/mocha.txt")),
    ("node", include_str!("fixtures/node.txt")),
    ("pytest", include_str!("fixtures/pytest.txt")),
    ("vitest", include_str!("fixtures/vitest.txt")),
];

/// The run of a fixture, `pytest/skipped`, as hast reads it.
pub(crate) fn run(name: &str) -> TestRun {
    let (runner, case) = name.split_once('/').unwrap();
    let (_, text) = FIXTURES.iter().find(|(known, _)| *known == runner).unwrap();
    let mut cases = text.split("@@@ ").skip(1);
    let case = cases.find(|text| text.split(' ').next() == Some(case));
    let case = case.unwrap_or_else(|| panic!("no fixture {name}"));
    let (head, rest) = case.split_once('\n').unwrap();
    let code: i32 = head.split(' ').nth(1).unwrap().parse().unwrap();
    let part = |name: &str| {
        let (_, part) = rest.split_once(&format!("@@ {name}\n"))?;
        Some(part.split("@@ ").next().unwrap().to_owned())
    };
    of(code, &[part("out").unwrap(), part("err").unwrap()], &[], part("xml").as_deref())
}

/// A run that ended with a code, printed these streams, and wrote these reports into the tree.
pub(crate) fn of(code: i32, streams: &[String], reports: &[&str], asked: Option<&str>) -> TestRun {
    let sieved = streams.iter().map(|stream| {
        let mut sieve = Sieve::default();
        sieve.feed(stream.as_bytes());
        sieve.text()
    });
    let printed = sieved.collect::<Vec<_>>().join("\n");
    let file = |text: &&str| ReportFile {
        path: "junit.xml".to_owned(),
        bytes: Ok(text.as_bytes().to_vec()),
    };
    let reports: Vec<ReportFile> = reports.iter().map(file).collect();
    let asked: Vec<ReportFile> = asked.iter().map(file).collect();
    let end = if code == 0 { TestEnd::Green } else { TestEnd::Red { code } };
    TestRun { end, tail: String::new(), counted: Counted::of(&printed, &reports, &asked) }
}

/// An attempt: what was agreed, what changed, and how its tests ended before and after.
pub(crate) struct Attempt {
    pub(crate) base: TestRun,
    pub(crate) now: TestRun,
    pub(crate) command: &'static str,
    pub(crate) changes: Vec<(&'static str, ChangeKind)>,
    pub(crate) allowed: Vec<&'static str>,
    pub(crate) words: &'static str,
    pub(crate) fewer_tests: bool,
    pub(crate) removed: Vec<&'static str>,
    pub(crate) wanted: WantedTests,
}

/// The attempt of two fixtures, which changed a file of the program.
pub(crate) fn attempt(base: &str, now: &str) -> Attempt {
    Attempt {
        base: run(base),
        now: run(now),
        command: "make test",
        changes: Vec::new(),
        allowed: Vec::new(),
        words: "Add numbers",
        fewer_tests: false,
        removed: Vec::new(),
        wanted: WantedTests::Green,
    }
}

impl Attempt {
    pub(crate) fn verdict(&self) -> Verdict {
        let removed_tests = self.removed.iter().map(|name| (*name).to_owned()).collect();
        let content = HandoffContent::Valid {
            goal_id: "G".to_owned(),
            status: HandoffWord::Complete,
            timestamp: "2026-02-09T14:30:00+09:00".parse().unwrap(),
            reason: String::new(),
            removed_tests,
        };
        let changes = self.changes.iter().chain(&[("src/calc", ChangeKind::Modified)]);
        let changes =
            changes.map(|(path, kind)| Change { path: RepoPath((*path).into()), kind: *kind });
        let evidence = Evidence {
            call: CallEnd::Ended,
            breaches: Vec::new(),
            protected: Vec::new(),
            changes: changes.collect(),
            handoffs: vec![NewHandoff { name: "2026-02-09_143000.md".to_owned(), content }],
        };
        let rules = Rules {
            goal_id: "G".to_owned(),
            scope: Scope::new(&self.allowed, ".ai/handoffs"),
            wanted: self.wanted,
            handoff: WantedHandoff::Needed,
            base_tests: Some(self.base.end.clone()),
            attempt_end: "2026-02-09T14:30:00+09:00".parse().unwrap(),
            interruptions_before: 0,
        };
        match judge_counted(&evidence, &rules, &self.agreed(), Some(&self.now)) {
            Judged::Verdict(verdict) => verdict,
            Judged::NeedsTests => panic!("nothing decided"),
        }
    }

    pub(crate) fn agreed(&self) -> AgreedTests {
        AgreedTests {
            base_end: Some(self.base.end.clone()),
            base: self.base.counted.tally.clone(),
            command: self.command.to_owned(),
            fewer: FewerTests { allowed: self.fewer_tests, words: self.words.to_owned() },
        }
    }
}
