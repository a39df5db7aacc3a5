//! Green means that tests ran: the numbers that a run of the tests told, compared with those of the base.
//! An exit code alone can be forced, and a test that does not run cannot fail.

use crate::attempt::evidence::{Change, ChangeKind, Evidence, RepoPath, TestEnd, TestRun};
use crate::attempt::judge::Scope;
use crate::attempt::reason::{Class, Reason};
use crate::attempt::test_files::is_test_file;
use crate::suites::{Comparison, Tally};
use crate::words::Lang;

/// What was agreed about the tests before the agent started.
#[derive(Clone, Debug, Default)]
pub struct AgreedTests {
    /// How the tests ended on the base, and the numbers they told.
    pub base_end: Option<TestEnd>,
    pub base: Tally,
    pub command: String,
    pub fewer: FewerTests,
}

/// The goal's word about tests that may go.
#[derive(Clone, Debug, Default)]
pub struct FewerTests {
    /// `fewer_tests: true`, or a person said so afterwards.
    pub allowed: bool,
    /// Title, notes and acceptance: tests and test files that are named there may go.
    pub words: String,
}

impl AgreedTests {
    /// Failures of a run that ended well; nothing where the base has as many.
    pub fn quiet_failures(&self, run: &TestRun) -> Option<Reason> {
        let failed = run.counted.tally.failed();
        let before = match self.base_end {
            Some(TestEnd::Green) => self.base.failed(),
            _ => 0,
        };
        (run.end == TestEnd::Green && failed > before)
            .then_some(Reason::TestsFailedQuietly { failed, before })
    }

    /// The finding about a green run that told less than the base did.
    pub(super) fn missing(
        &self,
        run: &TestRun,
        evidence: &Evidence,
        scope: &Scope,
        listed: &[String],
    ) -> Option<(Class, Reason)> {
        let (before, now) = match run.counted.tally.after(&self.base, &self.command) {
            Comparison::NoResult => return Some((Class::Failed, Reason::TestsWithoutResult)),
            Comparison::Fewer { before, now } => (before, now),
            Comparison::Untold | Comparison::NotCompared { .. } | Comparison::Enough => {
                return None;
            }
        };
        if self.may_go(evidence, scope, listed, before - now) {
            return None;
        }
        Some(match listed {
            [] => (Class::Failed, Reason::FewerTests { before, now }),
            listed => {
                let (tests, counts) = (listed.to_vec(), Some((before, now)));
                (Class::Blocked, Reason::TestsRemoved { tests, counts })
            }
        })
    }

    /// Whether nobody has to be asked about so many tests.
    fn may_go(&self, evidence: &Evidence, scope: &Scope, listed: &[String], count: u32) -> bool {
        let lost = |change: &&Change| {
            use ChangeKind::{Deleted, Emptied, Modified};
            matches!(change.kind, Deleted | Emptied | Modified)
                && is_test_file(change.path.as_str())
        };
        let mut files = evidence.changes.iter().filter(lost).map(|change| &change.path);
        let by_file = files.any(|path| scope.names_literally(path) || self.names_file(path));
        let by_test = listed.iter().all(|test| self.names_test(test))
            && u32::try_from(listed.len()).is_ok_and(|listed| listed >= count);
        self.fewer.allowed || by_file || by_test
    }

    /// Whether the goal speaks of this file.
    pub(super) fn names_file(&self, path: &RepoPath) -> bool {
        has_word(&self.fewer.words, path.as_str()) || has_word(&self.fewer.words, path.name())
    }

    fn names_test(&self, test: &str) -> bool {
        let last = test.rsplit([':', '>', ' ', '.']).next().unwrap_or(test);
        let last = last.trim_end_matches("()");
        has_word(&self.fewer.words, test)
            || (last.chars().count() >= SHORTEST_NAME && has_word(&self.fewer.words, last))
    }

    /// What a verdict of success says about numbers that are not known or were not compared.
    pub fn note(&self, run: &TestRun, lang: Lang) -> Option<String> {
        match run.counted.tally.after(&self.base, &self.command) {
            Comparison::Untold => Some(say::by_exit_code(lang)),
            Comparison::NotCompared { selects } => Some(say::not_compared(lang, selects)),
            Comparison::Enough | Comparison::NoResult | Comparison::Fewer { .. } => None,
        }
    }
}

/// Shorter names of tests are ordinary words.
const SHORTEST_NAME: usize = 4;

/// Whether a text has these characters, and not as a part of a longer name.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let mut after = text[at + word.len()..].chars();
            // `calc.js` is no part of `calc.json`, and ends a sentence in `calc.js.`
            let next = after.next();
            let longer = next == Some('.') && after.next().is_some_and(char::is_alphanumeric);
            !before.is_some_and(|c| part(c) || c == '.' || c == '-')
                && !next.is_some_and(|c| part(c) || c == '-')
                && !longer
        })
}

impl TestRun {
    /// Of two runs on the same tree, the one in which more tests ran. Fewer in one of them only is chance.
    pub fn larger<'r>(&'r self, again: &'r Self) -> &'r Self {
        let executed = |run: &Self| run.counted.tally.executed();
        if executed(again) > executed(self) { again } else { self }
    }
}

impl Reason {
    /// Whether the tests are run once more before this counts: some suites run a different number each time.
    pub fn may_be_chance(&self) -> bool {
        match self {
            Self::FewerTests { .. } => true,
            Self::TestsRemoved { counts, .. } => counts.is_some(),
            _ => false,
        }
    }

    /// Whether a person's word that fewer tests are right would change the verdict.
    pub fn asks_about_tests(&self) -> bool {
        matches!(
            self,
            Self::FewerTests { .. } | Self::TestsRemoved { .. } | Self::TestsDeleted { .. }
        )
    }
}

/// The words of the reasons that are found here.
pub(super) fn text(reason: &Reason, lang: Lang) -> String {
    match reason {
        Reason::TestsWithoutResult => say::without_result(lang),
        Reason::TestsFailedQuietly { failed, before: 0 } => say::failed_quietly(lang, failed),
        Reason::TestsFailedQuietly { failed, before } => say::failed_more(lang, failed, before),
        Reason::FewerTests { before, now } => say::fewer_tests(lang, before, now),
        Reason::TestsRemoved { tests, counts: None } => say::tests_removed(lang, some(tests)),
        Reason::TestsRemoved { tests, counts: Some((before, now)) } => {
            say::fewer_and_listed(lang, before, now, some(tests))
        }
        _ => String::new(),
    }
}

/// Some of the names of a list, for a message.
pub(super) fn some(names: &[String]) -> String {
    const NAMED: usize = 5;
    let mut told: Vec<String> = names.iter().take(NAMED).cloned().collect();
    if let Some(more) = names.len().checked_sub(NAMED).filter(|more| *more > 0) {
        told.push(format!("+{more}"));
    }
    told.join(", ")
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        fewer_tests(before, now) { en: "fewer tests ran ({before} -> {now})", ko: "실행된 테스트가 줄었습니다 ({before} -> {now})" }
        tests_removed(tests) { en: "tests were removed, a person has to agree: {tests}", ko: "테스트를 지웠습니다. 사람의 동의가 필요합니다: {tests}" }
        fewer_and_listed(before, now, tests) { en: "fewer tests ran ({before} -> {now}), a person has to agree: {tests}", ko: "실행된 테스트가 줄었습니다 ({before} -> {now}). 사람의 동의가 필요합니다: {tests}" }
        without_result() { en: "the test run ended without its result: before the work it told how many tests ran; if its runner leaves out what is unchanged, let test_command run everything", ko: "테스트 실행이 결과 없이 끝났습니다. 작업 전에는 실행한 테스트 수를 알렸습니다. 바뀌지 않은 테스트를 건너뛰는 실행기라면 test_command가 모두 실행하게 하세요" }
        failed_quietly(failed) { en: "{failed} tests failed although the test command ended with exit code 0", ko: "테스트 명령의 종료 코드는 0이지만 테스트 {failed}개가 실패했습니다" }
        failed_more(failed, before) { en: "more tests failed ({before} -> {failed}) although the test command ended with exit code 0", ko: "테스트 명령의 종료 코드는 0이지만 실패한 테스트가 늘었습니다 ({before} -> {failed})" }
        by_exit_code() { en: "the test command tells no numbers: its exit code alone was judged", ko: "테스트 명령이 테스트 수를 알리지 않아 종료 코드만으로 판정했습니다" }
        not_compared(selects) { en: "the number of tests was not compared: the run selects its tests ({selects})", ko: "테스트 수를 비교하지 않았습니다. 실행할 테스트를 골라 실행합니다 ({selects})" }
        agent_fewer(before, now) { en: "Fewer tests ran than before your work ({before} -> {now}). Restore the tests that are gone, renamed, skipped or left out. If one has to go, list it in the handoff in a section `## Removed Tests`, one name a line.", ko: "작업 전보다 실행된 테스트가 적다 ({before} -> {now}). 사라지거나 이름이 바뀌거나 건너뛰거나 빠진 테스트를 되돌려라. 반드시 없애야 하는 테스트는 핸드오프의 `## Removed Tests` 섹션에 한 줄에 하나씩 적어라." }
        agent_removed(tests) { en: "You removed tests: {tests}. A person has started the task again; leave those out only if they have to go, and list them again.", ko: "테스트를 지웠다: {tests}. 사람이 작업을 다시 시작했다. 꼭 없애야 할 때만 빼고 다시 목록에 적어라." }
        agent_without_result() { en: "The test command ended well but did not tell how many tests ran, which it did before your work. The run has to end by itself, with its summary; do not change how it is started.", ko: "테스트 명령이 정상 종료했지만 작업 전과 달리 실행한 테스트 수를 알리지 않았다. 실행은 요약과 함께 스스로 끝나야 한다. 실행 방법을 바꾸지 마라." }
        agent_quietly(failed) { en: "{failed} tests fail, though the test command ends with exit code 0. Repair them.", ko: "테스트 명령의 종료 코드는 0이지만 테스트 {failed}개가 실패한다. 고쳐라." }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::placeholders;

    #[test]
    fn every_word_is_there_in_both_languages() {
        for entry in say::CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }

    #[test]
    fn a_name_is_found_as_a_whole_word_only() {
        for (text, word, found) in [
            ("drop tests/test_old.py.", "test_old.py", true),
            ("drop tests/test_old.py.", "tests/test_old.py", true),
            ("see `test_old`", "test_old", true),
            ("see test_older", "test_old", false),
            ("see my_test_old", "test_old", false),
            ("calc.json", "calc.js", false),
            ("calc.js.", "calc.js", true),
            ("calc.test.js", "test.js", false),
            ("", "a", false),
            ("a", "", false),
        ] {
            assert_eq!(has_word(text, word), found, "{text} {word}");
        }
    }
}
