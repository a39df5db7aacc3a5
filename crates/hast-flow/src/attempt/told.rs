//! A reason in words for the agent that tries again: what it did, and what to do instead. It never speaks of
//! settings, commands or refs that only a user has.

use crate::attempt::evidence::{Breach, RepoPath};
use crate::attempt::green;
use crate::attempt::reason::Reason;
use crate::words::{Lang, shown};

impl Reason {
    /// The reason as the next attempt is told it.
    pub fn to_agent(&self, lang: Lang) -> String {
        let text = match self {
            Self::Broke { breach, .. } => breach_to_agent(breach, lang),
            Self::ProtectedPath { path, others, .. } => {
                say::protected_path(lang, listed(path, others))
            }
            Self::HandoffBlocked { reason } | Self::AgentBlocked { reason } => {
                say::blocked(lang, reason)
            }
            Self::TimedOut => say::timed_out(lang),
            Self::Stalled => say::stalled(lang),
            Self::Flooded => say::flooded(lang),
            Self::Leaked => say::leaked(lang),
            Self::AgentFailed { error } => say::gave_up(lang, error),
            Self::OutsideScope { path, others, .. } => {
                say::outside_scope(lang, listed(path, others))
            }
            Self::NothingChanged => say::nothing_changed(lang),
            Self::TestsCouldNotRun { why } => say::tests_could_not_run(lang, why),
            Self::GreenButRedWanted => say::green_but_red_wanted(lang),
            Self::RedBefore => say::red_before(lang),
            Self::RedByDeletion { path, .. } | Self::TestsDeleted { path, .. } => {
                say::tests_deleted(lang, path)
            }
            Self::TestsRed { code } | Self::TestsRefused { code, .. } => say::tests_red(lang, code),
            Self::TestsWithoutResult => green::say::agent_without_result(lang),
            Self::TestsFailedQuietly { failed, .. } => green::say::agent_quietly(lang, failed),
            Self::FewerTests { before, now } => green::say::agent_fewer(lang, before, now),
            Self::TestsRemoved { tests, .. } => green::say::agent_removed(lang, green::some(tests)),
            Self::NoHandoff => say::no_handoff(lang),
            Self::HandoffInvalid { name, why } => say::handoff_invalid(lang, name, why),
            Self::HandoffMisnamed { name } | Self::HandoffFromTheFuture { name } => {
                say::handoff_misnamed(lang, name)
            }
            Self::HandoffOfAnotherGoal { name, goal } => {
                say::handoff_of_another_goal(lang, name, goal)
            }
            Self::HandoffSaysFailed { name } => say::handoff_says_failed(lang, name),
            Self::CommitRefused { why } => say::commit_refused(lang, why),
            Self::MergeConflict { path, .. } => say::merge_conflict(lang, path),
            Self::RedAfterMerge { why } => say::red_after_merge(lang, why),
            Self::Limited
            | Self::Interrupted
            | Self::InterruptedTooOften
            | Self::NotStarted { .. }
            | Self::LoginNeeded { .. }
            | Self::RedAsWanted
            | Self::MergeTouches { .. }
            | Self::MergeWaits { .. }
            | Self::TipMoves { .. }
            | Self::Withdrawn { .. }
            | Self::AllGood
            | Self::AllGoodWithoutHandoff => say::cut_off(lang),
        };
        let named = match self {
            Self::ProtectedPath { others, .. } | Self::OutsideScope { others, .. } => others.len(),
            _ => 0,
        };
        match self.more().saturating_sub(named) {
            0 => text,
            more => format!("{text} {}", say::and_more(lang, more)),
        }
    }
}

/// All paths that are named, on one line; a long one is cut.
fn listed(path: &RepoPath, others: &[RepoPath]) -> String {
    let names = [path].into_iter().chain(others);
    names.map(|path| shown(path.as_str())).collect::<Vec<_>>().join(", ")
}

fn breach_to_agent(breach: &Breach, lang: Lang) -> String {
    match breach {
        Breach::NestedRepository { path } | Breach::SubmoduleChanged { path } => {
            say::repository(lang, path)
        }
        Breach::SymlinkLeaves { path } => say::link(lang, path),
        Breach::SecretWritten { path, variable } => say::secret(lang, path, variable),
        Breach::TooLarge { path } | Breach::NotStorable { path } => say::not_storable(lang, path),
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        repository(path) { en: "{path} is a git repository or submodule of its own. Leave it as it is, or remove its `.git`.", ko: "{path}(은)는 별도의 git 저장소이거나 서브모듈이다. 그대로 두거나 그 `.git`을 지워라." }
        link(path) { en: "{path} is a link that leads out of the repository. Remove it.", ko: "{path}(은)는 저장소 밖을 가리키는 링크다. 지워라." }
        not_storable(path) { en: "{path} cannot be stored in git: it is too large, or no regular file. Remove it.", ko: "{path}(은)는 너무 크거나 일반 파일이 아니라서 git에 담을 수 없다. 지워라." }
        secret(path, variable) { en: "The value of the variable {variable} stands in {path}. Never write it into a file; read it from the environment.", ko: "{path}에 변수 {variable}의 값이 들어 있다. 파일에 쓰지 말고 환경 변수에서 읽어라." }
        protected_path(list: whole) { en: "No attempt may change this, and you did: {list}. Leave it as it is.", ko: "어떤 시도도 바꿀 수 없는 파일을 바꿨다: {list}. 그대로 두어라." }
        blocked(reason) { en: "You asked a person: {reason} A person has started the task again.", ko: "사람에게 물었다: {reason} 사람이 작업을 다시 시작했다." }
        timed_out() { en: "You took longer than the time limit.", ko: "제한 시간을 넘겼다." }
        stalled() { en: "You printed nothing for too long. Do not wait for input, and start nothing that never ends.", ko: "너무 오래 아무 출력이 없었다. 입력을 기다리거나 끝나지 않는 명령을 실행하지 마라." }
        flooded() { en: "You printed more than the output limit.", ko: "출력 한도를 넘겼다." }
        leaked() { en: "Processes that you started could not be ended. Leave none running.", ko: "시작한 프로세스를 끝낼 수 없었다. 실행 중인 것을 남기지 마라." }
        gave_up(error) { en: "You gave up: {error}", ko: "포기했다: {error}" }
        outside_scope(list: whole) { en: "You changed files that are not among those that you may change: {list}.", ko: "수정할 수 있는 파일이 아닌 것을 바꿨다: {list}." }
        nothing_changed() { en: "No file of this repository was changed: the work was not done here.", ko: "이 저장소의 파일이 하나도 바뀌지 않았다. 작업이 이루어지지 않았다." }
        tests_could_not_run(why) { en: "After your changes the test command could not run: {why}.", ko: "변경 후 테스트 명령을 실행할 수 없었다: {why}." }
        green_but_red_wanted() { en: "The test command passes. The test that should fail is missing.", ko: "테스트 명령이 통과했다. 실패해야 할 테스트가 없다." }
        red_before() { en: "The test command failed before your work already, and there is no new test file with a test in it. Write one.", ko: "테스트 명령은 작업 전에도 실패했고, 내용이 있는 새 테스트 파일이 없다. 새로 써라." }
        tests_deleted(path) { en: "The test file {path} is gone or has nothing left in it. Leave the tests that are there as they are.", ko: "테스트 파일 {path}(이)가 사라졌거나 비었다. 있던 테스트는 그대로 두어라." }
        tests_red(code) { en: "The test command failed (exit code {code}).", ko: "테스트 명령이 실패했다 (종료 코드 {code})." }
        no_handoff() { en: "The handoff file was not written.", ko: "핸드오프 파일을 작성하지 않았다." }
        handoff_invalid(name, why) { en: "The handoff {name} is not valid: {why}. Copy the example below.", ko: "핸드오프 {name}(이)가 올바르지 않다: {why}. 아래 예시를 그대로 옮겨라." }
        handoff_misnamed(name) { en: "{name} in `.ai/handoffs/` has not the name that was asked for. Write only the file named below.", ko: "`.ai/handoffs/`의 {name}(은)는 요청한 이름이 아니다. 아래에 적힌 파일만 써라." }
        handoff_of_another_goal(name, goal) { en: "The handoff {name} has the goal_id {goal}, which is another goal. Copy the goal_id below.", ko: "핸드오프 {name}의 goal_id가 다른 목표인 {goal}(이)다. 아래의 goal_id를 그대로 옮겨라." }
        handoff_says_failed(name) { en: "Your handoff {name} has `status: failed`.", ko: "핸드오프 {name}에 `status: failed`라고 썼다." }
        commit_refused(why) { en: "The commit hook of this project refused the work: {why}", ko: "이 프로젝트의 커밋 훅이 작업을 거부했다: {why}" }
        merge_conflict(path) { en: "Your work conflicts in {path} with commits that came meanwhile. They are in this repository now; do the task on top of them.", ko: "그 사이 들어온 커밋과 {path}에서 충돌한다. 그 커밋은 이제 이 저장소에 있으니 그 위에서 작업하라." }
        red_after_merge(why) { en: "Together with commits that came meanwhile the test command fails: {why}. They are in this repository now; do the task on top of them.", ko: "그 사이 들어온 커밋과 합치면 테스트 명령이 실패한다: {why}. 그 커밋은 이제 이 저장소에 있으니 그 위에서 작업하라." }
        cut_off() { en: "It was cut off before it could be judged.", ko: "판정하기 전에 중단되었다." }
        and_more(count) { en: "(The same goes for {count} more.)", ko: "(그 밖에 {count}개도 같다.)" }
    }
}
