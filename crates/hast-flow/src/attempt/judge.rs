//! The judge gives an attempt its verdict. It is one table of rules over evidence, and the first
//! rule that fits counts. The tests are run only where no earlier rule decides.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::attempt::evidence::{
    CallEnd, Change, ChangeKind, Evidence, HandoffContent, HandoffWord, NewHandoff, RepoPath,
    TestEnd, TestRun,
};
use crate::attempt::globs::Globs;
use crate::attempt::green::AgreedTests;
use crate::attempt::reason::{Class, MAX_NAMED, Reason};
use crate::attempt::test_files::is_test_file;
use crate::docs::goals::HandoffName;
use crate::time::OffsetTime;

/// How much later than the attempt's end a handoff may be named.
pub const NAME_WINDOW: SignedDuration = SignedDuration::from_mins(5);

/// How many interruptions in a row count as one attempt.
pub const INTERRUPTIONS_PER_ATTEMPT: u32 = 3;

/// What was agreed before the agent started. Nothing that it writes changes these.
#[derive(Clone, Debug)]
pub struct Rules {
    pub goal_id: String,
    pub scope: Scope,
    pub wanted: WantedTests,
    pub handoff: WantedHandoff,
    /// How the tests ended on the base; absent if that is not known.
    pub base_tests: Option<TestEnd>,
    /// When the agent's process had ended, in local time.
    pub attempt_end: OffsetTime,
    /// Interruptions right before this call, with no attempt between them.
    pub interruptions_before: u32,
}

/// What the tests should be when the work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedTests {
    Green,
    /// The RED step of test-first work (`expect_failure`).
    Red,
}

/// Whether work counts only with a report of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedHandoff {
    Needed,
    NotAsked,
}

/// Which paths may change.
#[derive(Clone, Debug)]
pub struct Scope {
    /// None is unlimited.
    allowed: Option<Globs>,
    /// A directory for reports: always in scope, and never work.
    handoffs: Box<str>,
}

impl Scope {
    /// An empty list is unlimited. `handoffs` is the directory of handoffs.
    pub fn new<T: AsRef<str>>(allowed_changes: &[T], handoffs: &str) -> Self {
        let allowed = (!allowed_changes.is_empty()).then(|| Globs::new(allowed_changes));
        Self { allowed, handoffs: format!("{}/", handoffs.trim_end_matches('/')).into() }
    }

    pub fn allows(&self, path: &RepoPath) -> bool {
        self.is_report(path)
            || self.allowed.as_ref().is_none_or(|allowed| allowed.names(path.as_str()))
    }

    fn is_report(&self, path: &RepoPath) -> bool {
        path.as_str().starts_with(&*self.handoffs)
    }

    pub(super) fn names_literally(&self, path: &RepoPath) -> bool {
        self.allowed.as_ref().is_some_and(|allowed| allowed.names_literally(path.as_str()))
    }
}

/// The answer of the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Nothing decides without the tests.
    NeedsTests,
    Verdict(Verdict),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub class: Class,
    pub reason: Reason,
    /// The rule of the table that decided, 1 to 12.
    pub rule: u8,
}

impl Verdict {
    /// After all rules: the work passed, and the user's own hooks did not take the commit.
    pub fn commit_refused(why: String) -> Self {
        Self { class: Class::Failed, reason: Reason::CommitRefused { why }, rule: 12 }
    }
}

type Found = Option<(Class, Reason)>;

/// Rules that need no tests.
const BEFORE_TESTS: [fn(&Evidence, &Rules) -> Found; 7] = [
    no_attempt,        // 1
    broken_repository, // 2
    protected_path,    // 3
    handed_over,       // 4
    ended_badly,       // 5
    outside_scope,     // 6
    nothing_changed,   // 7
];

/// A run of the tests, and what its numbers are compared with; nothing where another gate does that.
struct Tested<'t> {
    run: &'t TestRun,
    agreed: Option<&'t AgreedTests>,
}

/// Rules that look at the tests too; the last one always fits.
const WITH_TESTS: [fn(&Evidence, &Rules, &Tested<'_>) -> Found; 5] = [
    tests_could_not_run, // 8
    wanted_red,          // 9
    tests_not_green,     // 10
    no_good_handoff,     // 11
    complete,            // 12
];

/// Judges an attempt by its files and the exit code of its tests; the first rule that fits counts.
pub fn judge(evidence: &Evidence, rules: &Rules, tests: Option<&TestRun>) -> Judged {
    let tested = tests.map(|run| Tested { run, agreed: None });
    decide(evidence, rules, tested.as_ref())
}

/// The same, and by the numbers that the tests told.
pub fn judge_counted(
    evidence: &Evidence,
    rules: &Rules,
    agreed: &AgreedTests,
    tests: Option<&TestRun>,
) -> Judged {
    let tested = tests.map(|run| Tested { run, agreed: Some(agreed) });
    decide(evidence, rules, tested.as_ref())
}

fn decide(evidence: &Evidence, rules: &Rules, tests: Option<&Tested<'_>>) -> Judged {
    let early = BEFORE_TESTS.iter().map(|rule| rule(evidence, rules));
    let late = tests
        .into_iter()
        .flat_map(|tests| WITH_TESTS.iter().map(move |rule| rule(evidence, rules, tests)));
    let first = early.chain(late).zip(1..).find_map(|(found, rule)| Some((found?, rule)));
    match first {
        Some(((class, reason), rule)) => Judged::Verdict(Verdict { class, reason, rule }),
        None => Judged::NeedsTests,
    }
}

fn no_attempt(evidence: &Evidence, rules: &Rules) -> Found {
    match &evidence.call {
        CallEnd::Limited => Some((Class::Limited, Reason::Limited)),
        CallEnd::Interrupted if rules.interruptions_before + 1 >= INTERRUPTIONS_PER_ATTEMPT => {
            Some((Class::Failed, Reason::InterruptedTooOften))
        }
        CallEnd::Interrupted => Some((Class::Interrupted, Reason::Interrupted)),
        CallEnd::NotStarted { why } => {
            Some((Class::NotStarted, Reason::NotStarted { why: why.clone() }))
        }
        CallEnd::LoginNeeded { advice } => {
            Some((Class::NotStarted, Reason::LoginNeeded { advice: advice.clone() }))
        }
        CallEnd::Ended
        | CallEnd::EndedBadly { .. }
        | CallEnd::Denied { .. }
        | CallEnd::TimedOut
        | CallEnd::Stalled
        | CallEnd::Flooded
        | CallEnd::Leaked
        | CallEnd::SaidFailed { .. }
        | CallEnd::SaidBlocked { .. } => None,
    }
}

fn broken_repository(evidence: &Evidence, _: &Rules) -> Found {
    let (first, rest) = evidence.breaches.split_first()?;
    Some((Class::Failed, Reason::Broke { breach: first.clone(), more: rest.len() }))
}

fn protected_path(evidence: &Evidence, _: &Rules) -> Found {
    let (first, rest) = evidence.protected.split_first()?;
    let others = named(rest.iter());
    Some((Class::Failed, Reason::ProtectedPath { path: first.clone(), more: rest.len(), others }))
}

fn handed_over(evidence: &Evidence, rules: &Rules) -> Found {
    if let CallEnd::SaidBlocked { reason } = &evidence.call {
        return Some((Class::Blocked, Reason::AgentBlocked { reason: reason.clone() }));
    }
    match newest_valid(evidence, rules)? {
        (_, HandoffWord::Blocked, reason) => {
            Some((Class::Blocked, Reason::HandoffBlocked { reason: reason.to_owned() }))
        }
        (_, HandoffWord::Complete | HandoffWord::Failed, _) => None,
    }
}

fn ended_badly(evidence: &Evidence, _: &Rules) -> Found {
    let reason = match &evidence.call {
        CallEnd::TimedOut => Reason::TimedOut,
        CallEnd::Stalled => Reason::Stalled,
        CallEnd::Flooded => Reason::Flooded,
        CallEnd::Leaked => Reason::Leaked,
        CallEnd::SaidFailed { error } => Reason::AgentFailed { error: error.clone() },
        CallEnd::Ended
        | CallEnd::EndedBadly { .. }
        | CallEnd::Denied { .. }
        | CallEnd::Limited
        | CallEnd::Interrupted
        | CallEnd::NotStarted { .. }
        | CallEnd::LoginNeeded { .. }
        | CallEnd::SaidBlocked { .. } => return None,
    };
    Some((Class::Failed, reason))
}

fn outside_scope(evidence: &Evidence, rules: &Rules) -> Found {
    let outside = || evidence.changes.iter().filter(|change| !rules.scope.allows(&change.path));
    let (path, more) = first_and_count(outside())?;
    let others = named(outside().skip(1).map(|change| &change.path));
    Some((Class::Failed, Reason::OutsideScope { path, more, others }))
}

/// As many as are named beside the first.
fn named<'p>(others: impl Iterator<Item = &'p RepoPath>) -> Vec<RepoPath> {
    others.take(MAX_NAMED - 1).cloned().collect()
}

fn nothing_changed(evidence: &Evidence, rules: &Rules) -> Found {
    let worked = evidence
        .changes
        .iter()
        .any(|change| change.kind.is_work() && !rules.scope.is_report(&change.path));
    (!worked).then_some((Class::NoProgress, Reason::NothingChanged))
}

fn tests_could_not_run(_: &Evidence, _: &Rules, tests: &Tested<'_>) -> Found {
    match &tests.run.end {
        TestEnd::CouldNotRun { why } | TestEnd::NoProgram { why, .. } => {
            Some((Class::Failed, Reason::TestsCouldNotRun { why: why.clone() }))
        }
        TestEnd::Green | TestEnd::Red { .. } => None,
    }
}

/// Red tests count only where nobody took tests away, and where they were green before or there is a new
/// one: a test that is gone makes a runner red that names it.
fn wanted_red(evidence: &Evidence, rules: &Rules, tests: &Tested<'_>) -> Found {
    if rules.wanted == WantedTests::Green {
        return None;
    }
    let new_test = evidence.changes.iter().any(|change| {
        change.kind == ChangeKind::Added
            && !rules.scope.is_report(&change.path)
            && is_test_file(change.path.as_str())
    });
    let was_green = rules.base_tests == Some(TestEnd::Green);
    let reason = match &tests.run.end {
        TestEnd::CouldNotRun { .. } | TestEnd::NoProgram { .. } => Reason::GreenButRedWanted,
        TestEnd::Green if quiet_failures(tests).is_none() => Reason::GreenButRedWanted,
        TestEnd::Green | TestEnd::Red { .. } => match gone_tests(evidence, rules, tests.agreed) {
            Some((path, more)) => Reason::RedByDeletion { path, more },
            None if was_green || new_test => match stray_handoff(evidence, rules) {
                Some(reason) => reason,
                None => return Some((Class::ExpectedFailure, Reason::RedAsWanted)),
            },
            None => Reason::RedBefore,
        },
    };
    Some((Class::Failed, reason))
}

fn quiet_failures(tests: &Tested<'_>) -> Option<Reason> {
    tests.agreed.and_then(|agreed| agreed.quiet_failures(tests.run))
}

/// Green counts only for the tests that were there: one that is gone, has nothing left in it, or does not run
/// cannot fail.
fn tests_not_green(evidence: &Evidence, rules: &Rules, tests: &Tested<'_>) -> Found {
    if let TestEnd::Red { code } = &tests.run.end {
        let code = *code;
        let reason = match &tests.run.counted.refused {
            Some(advice) => Reason::TestsRefused { code, advice: advice.clone() },
            None => Reason::TestsRed { code },
        };
        return Some((Class::Failed, reason));
    }
    if let Some(reason) = quiet_failures(tests) {
        return Some((Class::Failed, reason));
    }
    let listed = removed_tests(evidence, rules);
    let missing = |agreed: &AgreedTests| agreed.missing(tests.run, evidence, &rules.scope, listed);
    let missing = tests.agreed.and_then(missing);
    let Some((path, more)) = gone_tests(evidence, rules, tests.agreed) else { return missing };
    let unlisted = || (Class::Failed, Reason::TestsDeleted { path, more });
    let listed = || {
        let tests = listed.to_vec();
        (!tests.is_empty())
            .then_some((Class::Blocked, Reason::TestsRemoved { tests, counts: None }))
    };
    let counted = missing.filter(|(_, reason)| !matches!(reason, Reason::FewerTests { .. }));
    Some(counted.or_else(listed).unwrap_or_else(unlisted))
}

/// Tests that the agent says it took away, in the handoff that counts.
fn removed_tests<'e>(evidence: &'e Evidence, rules: &Rules) -> &'e [String] {
    let newest = newest_valid(evidence, rules).map(|(name, ..)| name);
    let handoff = evidence.handoffs.iter().find(|handoff| Some(handoff.name.as_str()) == newest);
    match handoff.map(|handoff| &handoff.content) {
        Some(HandoffContent::Valid { removed_tests, .. }) => removed_tests,
        _ => &[],
    }
}

/// Test files of the base that are not there any more, or have nothing left in them. A file that was moved is
/// not gone, and one that the goal names may go.
fn gone_tests(
    evidence: &Evidence,
    rules: &Rules,
    agreed: Option<&AgreedTests>,
) -> Option<(RepoPath, usize)> {
    if agreed.is_some_and(|agreed| agreed.fewer.allowed) {
        return None;
    }
    let named = |path: &RepoPath| {
        rules.scope.names_literally(path) || agreed.is_some_and(|agreed| agreed.names_file(path))
    };
    let gone = evidence.changes.iter().filter(|change| {
        matches!(change.kind, ChangeKind::Deleted | ChangeKind::Emptied)
            && is_test_file(change.path.as_str())
            && !rules.scope.is_report(&change.path)
            && !named(&change.path)
    });
    first_and_count(gone)
}

fn no_good_handoff(evidence: &Evidence, rules: &Rules, _: &Tested<'_>) -> Found {
    if rules.handoff == WantedHandoff::NotAsked {
        return None;
    }
    if let Some(reason) = stray_handoff(evidence, rules) {
        return Some((Class::Failed, reason));
    }
    let reason = match newest_valid(evidence, rules) {
        Some((_, HandoffWord::Complete | HandoffWord::Blocked, _)) => return None,
        Some((name, HandoffWord::Failed, _)) => Reason::HandoffSaysFailed { name: name.to_owned() },
        None => Reason::NoHandoff,
    };
    Some((Class::Failed, reason))
}

fn complete(_: &Evidence, rules: &Rules, _: &Tested<'_>) -> Found {
    let reason = match rules.handoff {
        WantedHandoff::NotAsked => Reason::AllGoodWithoutHandoff,
        _ => Reason::AllGood,
    };
    Some((Class::Complete, reason))
}

/// Of the handoffs that count for this goal, the newest: name, status and what it says.
fn newest_valid<'e>(
    evidence: &'e Evidence,
    rules: &Rules,
) -> Option<(&'e str, HandoffWord, &'e str)> {
    let valid = evidence.handoffs.iter().filter(|handoff| fault(handoff, rules).is_none());
    let named = valid.filter_map(|handoff| {
        let order: HandoffName = handoff.name.parse().ok()?;
        match &handoff.content {
            HandoffContent::Valid { status, reason, .. } => {
                Some((order, (handoff.name.as_str(), *status, reason.as_str())))
            }
            HandoffContent::Invalid { .. } => None,
        }
    });
    named.max_by_key(|(order, _)| *order).map(|(_, found)| found)
}

/// What is new among the handoffs and is none of this goal. All of them would be committed, and the next
/// context is made of the newest, whoever it is about.
fn stray_handoff(evidence: &Evidence, rules: &Rules) -> Option<Reason> {
    if rules.handoff == WantedHandoff::NotAsked {
        return None;
    }
    evidence.handoffs.iter().rev().find_map(|handoff| fault(handoff, rules))
}

/// Why a handoff does not count for this goal.
fn fault(handoff: &NewHandoff, rules: &Rules) -> Option<Reason> {
    let name = || handoff.name.clone();
    let Ok(parsed) = handoff.name.parse::<HandoffName>() else {
        return Some(Reason::HandoffMisnamed { name: name() });
    };
    let latest = rules.attempt_end.local().saturating_add(NAME_WINDOW);
    match &handoff.content {
        HandoffContent::Invalid { why } => {
            Some(Reason::HandoffInvalid { name: name(), why: why.clone() })
        }
        HandoffContent::Valid { goal_id, .. } if *goal_id != rules.goal_id => {
            Some(Reason::HandoffOfAnotherGoal { name: name(), goal: goal_id.clone() })
        }
        HandoffContent::Valid { .. } if parsed.local > latest => {
            Some(Reason::HandoffFromTheFuture { name: name() })
        }
        HandoffContent::Valid { .. } => None,
    }
}

fn first_and_count<'c>(mut changes: impl Iterator<Item = &'c Change>) -> Option<(RepoPath, usize)> {
    let first = changes.next()?.path.clone();
    Some((first, changes.count()))
}
