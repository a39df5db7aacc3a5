//! The four gates: what there is on disk and in git goes in, a verdict comes out. What an agent says
//! about its own work is no evidence here.

use std::collections::BTreeMap;

use jiff::tz::Offset;

use crate::attempt::evidence::{CallEnd, ChangeKind, TestEnd, TestRun};
use crate::attempt::inspection::Inspection;
use crate::attempt::judge::{
    Judged as JudgedByRules, Rules, Scope, WantedHandoff, WantedTests, judge,
};
use crate::attempt::reason::Class;
use crate::attempt::workspace::TreeFile;
use crate::docs::contract::{DesignContract, FileStatus, TestContract, TestOutcome, TestSummary};
use crate::flows::contract::boundaries::{Text, crossings};
use crate::flows::contract::checklist::without_item;
use crate::flows::contract::layout;
use crate::flows::contract::redness::{About, Redness, redness};
use crate::flows::contract::request::Tested;
use crate::flows::contract::scope::{
    in_project, outside_design, outside_tests, project_path, same_path,
};
use crate::flows::contract::targets::{self, Absent, Standing};
use crate::flows::contract::words as say;
use crate::gates::{Evidence, Outcome};
use crate::ids::Sha256;
use crate::time::{OffsetTime, UtcTime};
use crate::words::Lang;

/// How many paths a reason names.
const NAMED: usize = 20;

/// What an attempt comes to before its own gate is asked.
pub(super) enum Attempted {
    Fine,
    /// The agent wants a person.
    Blocked(String),
    Failed(String),
}

/// The rules that every attempt is judged by, here as in the goals flow.
pub(super) fn attempted(
    inspection: &Inspection,
    end: &CallEnd,
    at: UtcTime,
    lang: Lang,
) -> Attempted {
    let rules = Rules {
        goal_id: String::new(),
        scope: Scope::new::<&str>(&[], "/"),
        wanted: WantedTests::Green,
        handoff: WantedHandoff::NotAsked,
        base_tests: None,
        attempt_end: OffsetTime::new(at.instant(), Offset::UTC),
        interruptions_before: 0,
    };
    match judge(&inspection.evidence(end.clone(), lang), &rules, None) {
        JudgedByRules::NeedsTests => Attempted::Fine,
        JudgedByRules::Verdict(verdict) if verdict.class == Class::Blocked => {
            Attempted::Blocked(verdict.reason.text(lang))
        }
        JudgedByRules::Verdict(verdict) => {
            Attempted::Failed(verdict.reason.text_after(end, verdict.class, lang))
        }
    }
}

/// What the tests of a contract are right after they were written.
pub(super) enum Color {
    Red,
    /// Each target is to be taken away, and the tests must turn red.
    Green(Vec<Standing>),
}

/// So many targets of green tests are tried, one after the other.
const MOST_TRIALS: usize = 20;

/// What GATE-1 looks at.
pub(super) struct TestsWritten<'e> {
    pub(super) inspection: &'e Inspection,
    pub(super) contract: &'e TestContract,
    pub(super) design: &'e DesignContract,
    pub(super) prefix: &'e str,
    /// The contract's test file in the tree that was recorded after the call.
    pub(super) test_file: Option<&'e [u8]>,
    /// Files of the design's entities as they were before the subtask.
    pub(super) before: &'e [TreeFile],
    pub(super) at: UtcTime,
    pub(super) lang: Lang,
}

impl TestsWritten<'_> {
    /// What is wrong whatever the tests say.
    pub(super) fn faults(&self) -> Vec<String> {
        let lang = self.lang;
        let test_file = &self.contract.test_file_path;
        let written = self.inspection.changes.iter().any(|change| {
            let path = in_project(self.prefix, change.path.as_str());
            let here = matches!(change.kind, ChangeKind::Added | ChangeKind::Modified);
            here && path.is_some_and(|path| same_path(path, test_file))
        });
        let outside = outside_tests(&self.inspection.changes, self.prefix, test_file);
        // What is behind a link is not what was judged here, and somebody else's to change.
        let links: Vec<String> = self.inspection.links.iter().map(ToString::to_string).collect();
        let evidence = Evidence::default()
            .with(layout::TESTS, met(!self.contract.test_cases.is_empty(), || say::no_cases(lang)))
            .with(test_file, met(written && self.test_file.is_some(), || say::not_written(lang)))
            .with(layout::TESTS, met(links.is_empty(), || say::is_link(lang, listed(&links))))
            .with(
                say::scope(lang),
                met(outside.is_empty(), || say::no_test(lang, listed(&outside))),
            );
        evidence.objections()
    }

    /// Red, or green with what is to be tried, or why not.
    pub(super) fn color(&self, run: &TestRun) -> Result<Color, Vec<String>> {
        match &run.end {
            TestEnd::Red { .. } => self.red(run),
            // Some commands succeed however their tests end.
            TestEnd::Green if run.counted.summary.is_some_and(|told| told.failed > 0) => {
                self.red(run)
            }
            TestEnd::CouldNotRun { why } | TestEnd::NoProgram { why, .. } => {
                Err(vec![say::could_not_run(self.lang, why)])
            }
            TestEnd::Green => {
                let there = self.standing()?;
                let faults =
                    verified(&tested(run, "", self.at, self.contract), self.contract, self.lang);
                if faults.is_empty() { Ok(Color::Green(there)) } else { Err(faults) }
            }
        }
    }

    fn red(&self, run: &TestRun) -> Result<Color, Vec<String>> {
        let objection = self.redness(run).objection(self.lang, &self.contract.test_file_path);
        objection.map_or(Ok(Color::Red), |objection| Err(vec![objection]))
    }

    /// How a run on these tests is red.
    pub(super) fn redness(&self, run: &TestRun) -> Redness {
        let names = targets::names(self.contract, self.design);
        let test_file = String::from_utf8_lossy(self.test_file.unwrap_or_default());
        let about = About { contract: self.contract, test_file: &test_file, names: &names };
        redness(run, &about)
    }

    /// All targets, where each was there before and can be taken away.
    fn standing(&self) -> Result<Vec<Standing>, Vec<String>> {
        let (mut there, mut absent) = (Vec::new(), BTreeMap::<Absent, Vec<&str>>::new());
        for target in targets::targets(self.contract) {
            match targets::standing(target, self.design, self.before, self.prefix) {
                Ok(standing) => there.push(standing),
                Err(why) => absent.entry(why).or_default().push(target),
            }
        }
        let told = |(why, targets): (Absent, Vec<&str>)| {
            let targets = targets.join(", ");
            match why {
                Absent::NotThere => say::green_too_early(self.lang, targets),
                Absent::NoSymbol => say::green_no_symbol(self.lang, targets),
                Absent::NoBody => say::green_no_body(self.lang, targets),
            }
        };
        if there.len() > MOST_TRIALS {
            return Err(vec![say::green_too_many(self.lang, MOST_TRIALS)]);
        }
        if absent.is_empty() { Ok(there) } else { Err(absent.into_iter().map(told).collect()) }
    }

    /// A checklist has an item for each of its cases, so that each can be ticked.
    pub(super) fn checklist_faults(&self) -> Vec<String> {
        let missing = without_item(self.test_file.unwrap_or_default(), self.contract);
        missing.iter().map(|case| say::not_in_checklist(self.lang, &case.id)).collect()
    }
}

fn same_path_in(tree_path: &str, contract: &str, prefix: &str) -> bool {
    in_project(prefix, tree_path).is_some_and(|path| same_path(path, contract))
}

/// What GATE-3 says: the files that were changed, and the tests as they were.
pub(super) fn scope_faults(
    inspection: &Inspection,
    design: &DesignContract,
    contract: &TestContract,
    prefix: &str,
    test_file: Option<&[u8]>,
    wanted: &Sha256,
    lang: Lang,
) -> Vec<String> {
    let outside = outside_design(&inspection.changes, prefix, design, &contract.test_file_path);
    // A test that may no longer be executed is another one too.
    let mode = inspection.changes.iter().any(|change| {
        change.kind == ChangeKind::Mode
            && same_path_in(change.path.as_str(), &contract.test_file_path, prefix)
    });
    let same = !mode && test_file.is_some_and(|bytes| Sha256::of(bytes) == *wanted);
    let tests = if test_file.is_some() { say::tests_changed(lang) } else { say::tests_gone(lang) };
    Evidence::default()
        .with(say::scope(lang), met(outside.is_empty(), || say::outside(lang, listed(&outside))))
        .with(&contract.test_file_path, met(same, || tests))
        .objections()
}

/// What GATE-4 finds without asking anybody.
pub(super) fn design_faults(
    design: &DesignContract,
    inspection: &Inspection,
    files: &[TreeFile],
    prefix: &str,
    lang: Lang,
) -> Vec<String> {
    let links: Vec<String> = inspection.links.iter().map(ToString::to_string).collect();
    let there = |path: &str| {
        let mut files = files.iter().filter(|file| same_path_in(&file.path, path, prefix));
        files.any(|file| file.bytes.is_some())
    };
    let to_create = design.file_refs.iter().filter(|file| file.status == FileStatus::ToCreate);
    let missing: Vec<String> =
        to_create.filter(|file| !there(&file.path)).map(|file| file.path.clone()).collect();
    let texts: Vec<(String, String)> = files
        .iter()
        .filter_map(|file| {
            let text = String::from_utf8_lossy(file.bytes.as_deref()?).into_owned();
            Some((in_project(prefix, &file.path)?.to_owned(), text))
        })
        .collect();
    let plain = plain_paths(design);
    let texts: Vec<Text<'_>> = texts.iter().map(|(path, text)| Text { path, text }).collect();
    let crossed: Vec<String> = crossings(&plain, &texts)
        .iter()
        .map(|one| say::crossed(lang, &one.from, &one.to, &one.path, one.line))
        .collect();
    Evidence::default()
        .with("to_create", met(missing.is_empty(), || say::missing(lang, listed(&missing))))
        .with("file_refs", met(links.is_empty(), || say::is_link(lang, listed(&links))))
        .with("boundaries", met(crossed.is_empty(), || listed(&crossed)))
        .objections()
}

/// A design whose paths are as git names them.
pub(super) fn plain_paths(design: &DesignContract) -> DesignContract {
    let mut design = design.clone();
    for file in &mut design.file_refs {
        if let Ok(plain) = project_path(&file.path) {
            file.path = plain;
        }
    }
    design
}

/// The suite's run as `test-result.yaml` tells it.
pub(super) fn tested(run: &TestRun, command: &str, at: UtcTime, contract: &TestContract) -> Tested {
    let green = run.end == TestEnd::Green;
    let cases = u32::try_from(contract.test_cases.len()).unwrap_or(u32::MAX);
    // Where no runner is known the exit code speaks for all cases.
    let by_exit = match green {
        true => TestSummary { total: cases, passed: cases, failed: 0, skipped: 0 },
        false => TestSummary { total: cases, passed: 0, failed: cases, skipped: 0 },
    };
    let counted = run.counted.clone();
    let summary = counted.summary.unwrap_or(by_exit);
    let passed = green && summary.failed == 0;
    Tested {
        command: command.to_owned(),
        at,
        result: if passed { TestOutcome::Pass } else { TestOutcome::Fail },
        summary,
        failed_tests: if passed { Vec::new() } else { counted.failed_tests },
        unread: counted.unread,
        missing: Vec::new(),
        unbuilt: Vec::new(),
        tail: run.tail.chars().rev().take(TAIL).collect::<Vec<_>>().into_iter().rev().collect(),
    }
}

const TAIL: usize = 4_000;

/// Files that a design wants to be created, as the tree names them.
pub(super) fn to_create(design: &DesignContract) -> impl Iterator<Item = &str> {
    let wanted = design.file_refs.iter().filter(|file| file.status == FileStatus::ToCreate);
    wanted.map(|file| file.path.as_str())
}

/// Files that a design wants to be created or changed, as the project names them.
pub(super) fn to_build(design: &DesignContract) -> Vec<String> {
    let wanted = design.file_refs.iter().filter(|file| file.status != FileStatus::Existing);
    wanted.filter_map(|file| project_path(&file.path).ok()).collect()
}

/// Those of them that an attempt has written.
pub(super) fn built(inspection: &Inspection, design: &DesignContract, prefix: &str) -> Vec<String> {
    let wanted = to_build(design);
    let written = inspection
        .changes
        .iter()
        .filter(|change| matches!(change.kind, ChangeKind::Added | ChangeKind::Modified));
    let paths = written.filter_map(|change| in_project(prefix, change.path.as_str()));
    paths.filter(|path| wanted.iter().any(|one| one == path)).map(str::to_owned).collect()
}

/// What GATE-2 says about a run of the suite that hast made itself.
pub(super) fn verified(tested: &Tested, contract: &TestContract, lang: Lang) -> Vec<String> {
    let cases = contract.test_cases.len();
    let TestSummary { total, failed, skipped, .. } = tested.summary;
    // What was skipped says nothing about its case.
    let ran = total.saturating_sub(skipped);
    let enough = usize::try_from(ran).is_ok_and(|ran| ran >= cases);
    let passed = tested.result == TestOutcome::Pass;
    Evidence::default()
        .with(
            "execution.result",
            met(passed, || say::suite_red(lang, tested.failed_tests.join(", "))),
        )
        .with("summary.failed", met(failed == 0, || say::some_failed(lang, failed)))
        .with("summary.total", met(enough, || say::too_few(lang, ran, skipped, cases)))
        .with(
            "reports",
            met(tested.unread.is_empty(), || say::unread_report(lang, listed(&tested.unread))),
        )
        .with(
            "to_create",
            met(tested.missing.is_empty(), || say::never_created(lang, listed(&tested.missing))),
        )
        .with(
            "file_refs",
            met(tested.unbuilt.is_empty(), || say::not_built(lang, listed(&tested.unbuilt))),
        )
        .objections()
}

fn met(is: bool, why: impl FnOnce() -> String) -> Outcome {
    Outcome::of(is, why)
}

fn listed(paths: &[String]) -> String {
    let shown = paths.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} (+{more})"),
    }
}
