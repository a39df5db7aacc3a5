//! Why an attempt was judged as it was: a closed list, said in both languages, with a code that is
//! never translated.

use serde::{Deserialize, Serialize};

use crate::attempt::evidence::{Breach, CallEnd, RepoPath};
use crate::attempt::green;
use crate::words::Lang;

/// What an attempt is worth. The words are the same in every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    #[serde(rename = "complete")]
    Complete,
    #[serde(rename = "complete (expected failure)")]
    ExpectedFailure,
    #[serde(rename = "no-progress")]
    NoProgress,
    #[serde(rename = "failed")]
    Failed,
    #[serde(rename = "blocked")]
    Blocked,
    /// From here on: no attempt was spent.
    #[serde(rename = "limited")]
    Limited,
    #[serde(rename = "interrupted")]
    Interrupted,
    #[serde(rename = "not started")]
    NotStarted,
}

impl Class {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::ExpectedFailure => "complete (expected failure)",
            Self::NoProgress => "no-progress",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::Limited => "limited",
            Self::Interrupted => "interrupted",
            Self::NotStarted => "not started",
        }
    }

    pub fn is_success(self) -> bool {
        matches!(self, Self::Complete | Self::ExpectedFailure)
    }

    /// Whether it counts against `max_retries`.
    pub fn spends_an_attempt(self) -> bool {
        !matches!(self, Self::Limited | Self::Interrupted | Self::NotStarted)
    }
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// So many paths are named to an agent.
pub const MAX_NAMED: usize = 20;

/// Why. Where several paths or breaches are to blame, a person is told the first and how many more; an agent that
/// has to put them all right is told [`MAX_NAMED`] of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Limited,
    Interrupted,
    InterruptedTooOften,
    NotStarted {
        why: String,
    },
    LoginNeeded {
        advice: String,
    },
    Broke {
        breach: Breach,
        more: usize,
    },
    ProtectedPath {
        path: RepoPath,
        more: usize,
        /// The first of those that are counted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<RepoPath>,
    },
    HandoffBlocked {
        reason: String,
    },
    AgentBlocked {
        reason: String,
    },
    TimedOut,
    Stalled,
    Flooded,
    Leaked,
    AgentFailed {
        error: String,
    },
    OutsideScope {
        path: RepoPath,
        more: usize,
        /// The first of those that are counted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<RepoPath>,
    },
    NothingChanged,
    TestsCouldNotRun {
        why: String,
    },
    RedAsWanted,
    GreenButRedWanted,
    RedBefore,
    RedByDeletion {
        path: RepoPath,
        more: usize,
    },
    TestsRed {
        code: i32,
    },
    /// Red, and the sandbox refused something that the tests complain about.
    TestsRefused {
        code: i32,
        advice: String,
    },
    TestsDeleted {
        path: RepoPath,
        more: usize,
    },
    /// The run on the base told its numbers, and this one did not.
    TestsWithoutResult,
    /// Exit code 0, with failures; the base, if it ended so too, had fewer.
    TestsFailedQuietly {
        failed: u32,
        before: u32,
    },
    FewerTests {
        before: u32,
        now: u32,
    },
    /// The same, or a test file is gone, and the handoff lists what was removed.
    TestsRemoved {
        tests: Vec<String>,
        counts: Option<(u32, u32)>,
    },
    NoHandoff,
    HandoffInvalid {
        name: String,
        why: String,
    },
    HandoffMisnamed {
        name: String,
    },
    HandoffOfAnotherGoal {
        name: String,
        goal: String,
    },
    HandoffFromTheFuture {
        name: String,
    },
    HandoffSaysFailed {
        name: String,
    },
    /// The user's own commit hook, or git, did not take the commit.
    CommitRefused {
        why: String,
    },
    /// From here on: it passed alone, and did not get onto the user's branch.
    MergeConflict {
        path: RepoPath,
        more: usize,
    },
    RedAfterMerge {
        why: String,
    },
    MergeTouches {
        path: RepoPath,
        more: usize,
    },
    MergeWaits {
        why: String,
    },
    TipMoves {
        times: u32,
    },
    /// People gave the goal another status meanwhile; none is that they took it away.
    Withdrawn {
        status: Option<String>,
    },
    AllGood,
    /// The same where no handoff was asked for.
    AllGoodWithoutHandoff,
}

impl Reason {
    /// The name of the reason in JSON and events.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Limited => "limited",
            Self::Interrupted => "interrupted",
            Self::InterruptedTooOften => "interrupted_too_often",
            Self::NotStarted { .. } => "not_started",
            Self::LoginNeeded { .. } => "login_needed",
            Self::Broke { breach, .. } => breach_code(breach),
            Self::ProtectedPath { .. } => "protected_path",
            Self::HandoffBlocked { .. } => "handoff_blocked",
            Self::AgentBlocked { .. } => "agent_blocked",
            Self::TimedOut => "timed_out",
            Self::Stalled => "stalled",
            Self::Flooded => "flooded",
            Self::Leaked => "leaked",
            Self::AgentFailed { .. } => "agent_failed",
            Self::OutsideScope { .. } => "outside_scope",
            Self::NothingChanged => "nothing_changed",
            Self::TestsCouldNotRun { .. } => "tests_could_not_run",
            Self::RedAsWanted => "red_as_wanted",
            Self::GreenButRedWanted => "green_but_red_wanted",
            Self::RedBefore => "red_before",
            Self::RedByDeletion { .. } => "red_by_deletion",
            Self::TestsRed { .. } | Self::TestsRefused { .. } => "tests_red",
            Self::TestsDeleted { .. } => "tests_deleted",
            Self::TestsWithoutResult => "tests_without_result",
            Self::TestsFailedQuietly { .. } => "tests_failed_quietly",
            Self::FewerTests { .. } => "fewer_tests",
            Self::TestsRemoved { .. } => "tests_removed",
            Self::NoHandoff => "no_handoff",
            Self::HandoffInvalid { .. } => "handoff_invalid",
            Self::HandoffMisnamed { .. } => "handoff_misnamed",
            Self::HandoffOfAnotherGoal { .. } => "handoff_of_another_goal",
            Self::HandoffFromTheFuture { .. } => "handoff_from_the_future",
            Self::HandoffSaysFailed { .. } => "handoff_says_failed",
            Self::CommitRefused { .. } => "commit_refused",
            Self::MergeConflict { .. } => "merge_conflict",
            Self::RedAfterMerge { .. } => "red_after_merge",
            Self::MergeTouches { .. } => "merge_touches",
            Self::MergeWaits { .. } => "merge_waits",
            Self::TipMoves { .. } => "tip_moves",
            Self::Withdrawn { .. } => "goal_withdrawn",
            Self::AllGood | Self::AllGoodWithoutHandoff => "all_good",
        }
    }

    /// The reason in words. The phrases that the seed prints in English stand in both languages.
    pub fn text(&self, lang: Lang) -> String {
        let text = match self {
            Self::Limited => say::limited(lang),
            Self::Interrupted => say::interrupted(lang),
            Self::InterruptedTooOften => say::interrupted_too_often(lang),
            Self::NotStarted { why } => say::not_started(lang, why),
            Self::LoginNeeded { advice } => say::login_needed(lang, advice),
            Self::Broke { breach, .. } => breach_text(breach, lang),
            Self::ProtectedPath { path, .. } => say::protected_path(lang, path),
            Self::HandoffBlocked { reason } | Self::AgentBlocked { reason } => {
                say::agent_blocked(lang, reason)
            }
            Self::TimedOut => say::timed_out(lang),
            Self::Stalled => say::stalled(lang),
            Self::Flooded => say::flooded(lang),
            Self::Leaked => say::leaked(lang),
            Self::AgentFailed { error } => say::agent_failed(lang, error),
            Self::OutsideScope { path, .. } => say::outside_scope(lang, path),
            Self::NothingChanged => say::nothing_changed(lang),
            Self::TestsCouldNotRun { why } => say::tests_could_not_run(lang, why),
            Self::RedAsWanted => say::red_as_wanted(lang),
            Self::GreenButRedWanted => say::green_but_red_wanted(lang),
            Self::RedBefore => say::red_before(lang),
            Self::RedByDeletion { path, .. } => say::red_by_deletion(lang, path),
            Self::TestsRed { code } => say::tests_red(lang, code),
            Self::TestsRefused { code, advice } => say::tests_refused(lang, code, advice),
            Self::TestsDeleted { path, .. } => say::tests_deleted(lang, path),
            Self::TestsWithoutResult
            | Self::TestsFailedQuietly { .. }
            | Self::FewerTests { .. }
            | Self::TestsRemoved { .. } => green::text(self, lang),
            Self::NoHandoff => say::no_handoff(lang),
            Self::HandoffInvalid { name, why } => say::handoff_invalid(lang, name, why),
            Self::HandoffMisnamed { name } => say::handoff_misnamed(lang, name),
            Self::HandoffOfAnotherGoal { name, goal } => {
                say::handoff_of_another_goal(lang, name, goal)
            }
            Self::HandoffFromTheFuture { name } => say::handoff_from_the_future(lang, name),
            Self::HandoffSaysFailed { name } => say::handoff_says_failed(lang, name),
            Self::CommitRefused { why } => say::commit_refused(lang, why),
            Self::MergeConflict { path, .. } => say::merge_conflict(lang, path),
            Self::RedAfterMerge { why } => say::red_after_merge(lang, why),
            Self::MergeTouches { path, .. } => say::merge_touches(lang, path),
            Self::MergeWaits { why } => say::merge_waits(lang, why),
            Self::TipMoves { times } => say::tip_moves(lang, times),
            Self::Withdrawn { status: Some(status) } => say::withdrawn(lang, status),
            Self::Withdrawn { status: None } => say::withdrawn_whole(lang),
            Self::AllGood => say::all_good(lang),
            Self::AllGoodWithoutHandoff => say::all_good_without_handoff(lang),
        };
        match self.more() {
            0 => text,
            more => text + &say::and_more(lang, more),
        }
    }

    /// The reason in words for a person who looks for the cause: an agent that ended badly is part of it,
    /// though that alone decides nothing.
    pub fn text_after(&self, end: &CallEnd, class: Class, lang: Lang) -> String {
        match (end, class) {
            (CallEnd::EndedBadly { why }, Class::Failed | Class::NoProgress) => {
                say::ended_badly(lang, self.text(lang), why)
            }
            (CallEnd::Denied { why }, Class::Failed | Class::NoProgress) => {
                say::was_denied(lang, self.text(lang), why)
            }
            _ => self.text(lang),
        }
    }

    /// Whether the work passed alone and was stopped on its way to the user's branch.
    pub fn is_of_the_merge(&self) -> bool {
        matches!(
            self,
            Self::MergeConflict { .. }
                | Self::RedAfterMerge { .. }
                | Self::MergeTouches { .. }
                | Self::MergeWaits { .. }
                | Self::TipMoves { .. }
                | Self::Withdrawn { .. }
        )
    }

    pub(super) fn more(&self) -> usize {
        match self {
            Self::Broke { more, .. }
            | Self::ProtectedPath { more, .. }
            | Self::OutsideScope { more, .. }
            | Self::MergeConflict { more, .. }
            | Self::MergeTouches { more, .. }
            | Self::RedByDeletion { more, .. }
            | Self::TestsDeleted { more, .. } => *more,
            _ => 0,
        }
    }
}

fn breach_code(breach: &Breach) -> &'static str {
    match breach {
        Breach::NestedRepository { .. } => "nested_repository",
        Breach::SymlinkLeaves { .. } => "symlink_leaves",
        Breach::SubmoduleChanged { .. } => "submodule_changed",
        Breach::TooLarge { .. } => "too_large",
        Breach::NotStorable { .. } => "not_storable",
        Breach::SecretWritten { .. } => "secret_written",
    }
}

fn breach_text(breach: &Breach, lang: Lang) -> String {
    match breach {
        Breach::NestedRepository { path } => say::nested_repository(lang, path),
        Breach::SymlinkLeaves { path } => say::symlink_leaves(lang, path),
        Breach::SubmoduleChanged { path } => say::submodule_changed(lang, path),
        Breach::TooLarge { path } => say::too_large(lang, path),
        Breach::NotStorable { path } => say::not_storable(lang, path),
        Breach::SecretWritten { path, variable } => say::secret_written(lang, path, variable),
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        limited() { en: "the agent's usage limit is reached; no attempt was spent", ko: "에이전트 사용 한도에 도달했습니다. 시도는 소모되지 않았습니다" }
        interrupted() { en: "interrupted while the agent ran; no attempt was spent", ko: "에이전트 실행 중에 중단되었습니다. 시도는 소모되지 않았습니다" }
        interrupted_too_often() { en: "interrupted three times in a row, which counts as one attempt", ko: "연속 세 번 중단되어 한 번의 시도로 셉니다" }
        not_started(why) { en: "the agent did not start: {why}", ko: "에이전트가 시작되지 않았습니다: {why}" }
        login_needed(advice) { en: "the agent is not logged in: {advice}", ko: "에이전트에 로그인되어 있지 않습니다: {advice}" }
        nested_repository(path) { en: "a repository inside of the repository: {path}", ko: "저장소 안에 다른 저장소를 만들었습니다: {path}" }
        symlink_leaves(path) { en: "a symbolic link leads out of the tree: {path}", ko: "심볼릭 링크가 작업 트리 밖을 가리킵니다: {path}" }
        submodule_changed(path) { en: "a submodule was changed, and that cannot be part of a commit here: {path}; one that was checked out is left as it is, one that was empty is empty again (to have its files, run `git submodule update --init` as `room_setup`)", ko: "서브모듈을 바꿨습니다. 이 저장소의 커밋에 담을 수 없습니다: {path} (체크아웃되어 있던 것은 그대로 두고, 비어 있던 것은 다시 비웠습니다. 파일이 필요하면 `git submodule update --init`을 `room_setup`에 적으세요)" }
        too_large(path) { en: "{path} is too large to be looked into", ko: "{path}(이)가 너무 커서 확인할 수 없습니다" }
        not_storable(path) { en: "{path} is nothing that git can hold (a pipe, a socket, a device, a name that it refuses, or a directory that is too deep); remove it before the end", ko: "{path}(은)는 git에 담을 수 없습니다(파이프, 소켓, 장치, git이 거부하는 이름 또는 너무 깊은 디렉터리). 끝내기 전에 지우세요" }
        secret_written(path, variable) { en: "the value of {variable} stands in {path}; it was taken out of everything that is kept", ko: "{variable}의 값이 {path}에 들어 있습니다. 보존하는 모든 것에서 지웠습니다" }
        protected_path(path) { en: "protected path: {path} was changed in the room", ko: "protected path: 작업실에서 {path}(을)를 바꿨습니다" }
        agent_blocked(reason) { en: "the agent needs a person: {reason}", ko: "에이전트가 사람에게 넘겼습니다: {reason}" }
        timed_out() { en: "the agent took longer than its time limit", ko: "에이전트가 제한 시간을 넘겼습니다" }
        stalled() { en: "the agent was silent for too long", ko: "에이전트가 너무 오래 출력이 없었습니다" }
        flooded() { en: "the agent wrote more than the output limit", ko: "에이전트가 출력 한도를 넘겼습니다" }
        leaked() { en: "processes of the agent could not be ended", ko: "에이전트의 프로세스를 끝내지 못했습니다" }
        agent_failed(error) { en: "the agent gave up: {error}", ko: "에이전트가 포기했습니다: {error}" }
        outside_scope(path) { en: "changes outside allowed scope: {path}", ko: "changes outside allowed scope: {path} (허용 범위 밖)" }
        was_denied(reason, why) { en: "{reason}; {why}", ko: "{reason}. {why}" }
        ended_badly(reason, why) { en: "{reason}; the agent ended badly: {why}", ko: "{reason}. 에이전트가 비정상적으로 끝났습니다: {why}" }
        nothing_changed() { en: "no file was changed", ko: "파일 변경 없음" }
        tests_could_not_run(why) { en: "the tests could not run: {why}", ko: "테스트를 실행할 수 없습니다: {why}" }
        red_as_wanted() { en: "the tests are red, as this step wants", ko: "테스트가 실패함 — 이 단계의 기대대로" }
        green_but_red_wanted() { en: "the tests pass; the test that should fail is missing", ko: "테스트가 통과함 — 실패해야 할 테스트가 누락" }
        red_before() { en: "the tests were red before, and there is no new test file with something in it", ko: "테스트가 이미 실패하고 있었고 내용이 있는 새 테스트 파일이 없습니다" }
        red_by_deletion(path) { en: "the tests are red, and a test file is gone or emptied: {path}; put it back and add the test that should fail", ko: "테스트가 실패하지만 테스트 파일이 사라지거나 비었습니다: {path}. 되돌리고 실패해야 할 테스트를 추가하세요" }
        tests_refused(code, advice) { en: "the tests failed (exit code {code}): {advice}", ko: "테스트 실패 (종료 코드 {code}): {advice}" }
        tests_red(code) { en: "the tests failed (exit code {code})", ko: "테스트 실패 (종료 코드 {code})" }
        tests_deleted(path) { en: "the tests pass because a test file is gone or has nothing left in it: {path}; to allow that, name it in allowed_changes", ko: "테스트 파일이 사라지거나 빈 채로 통과했습니다: {path}. 허용하려면 allowed_changes에 그 경로를 적으세요" }
        no_handoff() { en: "no handoff was written", ko: "핸드오프 미작성" }
        handoff_invalid(name, why) { en: "the handoff {name} is not valid: {why}", ko: "핸드오프 {name}(이)가 올바르지 않습니다: {why}" }
        handoff_misnamed(name) { en: "{name} among the handoffs is not named like 2026-02-09_143000.md, and only handoffs of this goal belong there", ko: "핸드오프 디렉터리의 {name}(은)는 이름이 2026-02-09_143000.md 형식이 아닙니다. 그곳에는 이 목표의 핸드오프만 둘 수 있습니다" }
        handoff_of_another_goal(name, goal) { en: "the handoff {name} is about another goal: {goal}; only handoffs of this goal belong to the attempt", ko: "핸드오프 {name}(은)는 다른 목표 {goal}의 것입니다. 이 목표의 핸드오프만 남길 수 있습니다" }
        handoff_from_the_future(name) { en: "the handoff {name} is named after a time that has not come", ko: "핸드오프 {name}의 이름이 아직 오지 않은 시각입니다" }
        handoff_says_failed(name) { en: "the handoff {name} says that the work failed", ko: "핸드오프 {name}의 status가 failed입니다" }
        commit_refused(why) { en: "the commit was refused: {why}", ko: "커밋이 거부되었습니다: {why}" }
        merge_conflict(path) { en: "it conflicts with what came onto the branch meanwhile: {path}", ko: "그 사이 브랜치에 들어온 변경과 충돌합니다: {path}" }
        red_after_merge(why) { en: "the tests fail together with what came onto the branch meanwhile: {why}", ko: "그 사이 브랜치에 들어온 변경과 합치면 테스트가 실패합니다: {why}" }
        merge_touches(path) { en: "passed, and its merge would touch your uncommitted files: {path}", ko: "통과했지만 병합하면 커밋하지 않은 파일을 건드립니다: {path}" }
        merge_waits(why) { en: "passed, and its merge has to wait: {why}", ko: "통과했지만 병합이 기다려야 합니다: {why}" }
        tip_moves(times) { en: "passed, and the branch moved {times} times while it was merged", ko: "통과했지만 병합하는 동안 브랜치가 {times}번 움직였습니다" }
        withdrawn(status) { en: "goals.yaml says {status} by now, so nothing was merged", ko: "그 사이 goals.yaml에서 {status}(으)로 바뀌어 병합하지 않았습니다" }
        withdrawn_whole() { en: "the goal is no longer in goals.yaml, so nothing was merged", ko: "그 사이 goals.yaml에서 목표가 빠져 병합하지 않았습니다" }
        all_good() { en: "work, tests and handoff are there", ko: "변경, 테스트, 핸드오프가 모두 있습니다" }
        all_good_without_handoff() { en: "work and tests are there", ko: "변경과 테스트가 있습니다" }
        and_more(count) { en: " (and {count} more)", ko: " (외 {count}개)" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::placeholders;

    #[test]
    fn every_reason_is_said_in_both_languages() {
        for entry in say::CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }

    #[test]
    fn the_class_word_in_a_file_is_the_one_that_is_printed() {
        for class in [
            Class::Complete,
            Class::ExpectedFailure,
            Class::NoProgress,
            Class::Failed,
            Class::Blocked,
            Class::Limited,
            Class::Interrupted,
            Class::NotStarted,
        ] {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
    }

    #[test]
    fn the_phrases_of_the_specification_stand_in_both_languages() {
        let path = || RepoPath("src/b.rs".into());
        for lang in [Lang::En, Lang::Ko] {
            let scope =
                Reason::OutsideScope { path: path(), more: 2, others: Vec::new() }.text(lang);
            assert!(scope.starts_with("changes outside allowed scope"), "{scope}");
            assert!(scope.contains("src/b.rs") && scope.contains('2'));
            let protected = Reason::ProtectedPath { path: path(), more: 0, others: Vec::new() };
            let protected = protected.text(lang);
            assert!(protected.starts_with("protected path"), "{protected}");
        }
        assert_eq!(Reason::NothingChanged.text(Lang::Ko), "파일 변경 없음");
        assert_eq!(Reason::NoHandoff.text(Lang::Ko), "핸드오프 미작성");
    }
}
