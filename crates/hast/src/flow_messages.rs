//! Messages that all commands which drive a flow have in common, in Korean and English.

pub(crate) mod say {
    //! Endings, locks and states.
    hast_flow::messages! {
        interrupted() { en: "interrupted; nothing is lost and nothing of the agents runs any more", ko: "중단했습니다. 잃은 것은 없고 실행 중인 에이전트도 없습니다" }
        interrupted_next() { en: "run the same command again to go on", ko: "같은 명령을 다시 실행하면 이어서 진행합니다" }
        driven(unit, pid, host, since) { en: "{unit} is driven by pid {pid} on {host} since {since}", ko: "{unit}(은)는 {host}의 pid {pid}(이)가 {since}부터 진행하고 있습니다" }
        driven_next(pid) { en: "wait for it, or end it with `kill {pid}` and run the command again", ko: "기다리거나 `kill {pid}`로 끝낸 뒤 명령을 다시 실행하세요" }
        store_failed() { en: "the files of this flow could not be read or written", ko: "이 흐름의 파일을 읽거나 쓰지 못했습니다" }
        torn(path, kept) { en: "the last line of {path} was torn: it was cut off and is kept in {kept}. Nothing is to be done unless you wrote it", ko: "{path}의 마지막 줄이 잘려 있어 떼어 내고 {kept}에 보관했습니다. 직접 쓴 것이 아니라면 할 일은 없습니다" }
        edit_stands(path, kept) { en: "{path} was edited after hast was killed while writing it: the edit stands, and what hast would have written is kept in {kept}", ko: "hast(이)가 {path}(을)를 쓰다가 강제로 끝난 뒤 누군가 그 파일을 편집했습니다. 편집한 내용을 남기고, hast가 쓰려던 것은 {kept}에 보관했습니다" }
        edit_stands_next(kept, path) { en: "compare {kept} with {path}, and keep in {path} what is right", ko: "{kept}(과)와 {path}(을)를 비교해 {path}에 맞는 내용을 남기세요" }
        edit_rescued(path, kept) { en: "an edit of {path} was taken off its place by a write that was killed: it is kept in {kept}", ko: "쓰기가 강제로 끝나면서 {path}의 편집이 제자리에서 빠졌습니다. 그 내용은 {kept}에 보관했습니다" }
        tree_stands(path) { en: "{path} is not where a killed process wanted to move it: somebody else moved it, or took the new name", ko: "강제로 끝난 프로세스가 {path}(을)를 옮기려 했지만 누군가 먼저 옮겼거나 새 이름을 썼습니다" }
        tree_stands_next(path) { en: "look where {path} is, then run `hast verify`", ko: "{path}(이)가 어디 있는지 확인하고 `hast verify`를 실행하세요" }
        journal_aside(path) { en: "the journal could not be read and was moved to {path}: a commit that was cut off may be missing", ko: "저널을 읽을 수 없어 {path}(으)로 옮겼습니다. 도중에 끊긴 커밋이 빠졌을 수 있습니다" }
        journal_aside_next() { en: "run `hast verify` to see whether the documents agree", ko: "`hast verify`로 문서가 서로 맞는지 확인하세요" }
        foreign_journal(path, count) { en: "the journal {path} was not made by you on this machine, and {count} of its changes were not carried out", ko: "저널 {path}(은)는 이 컴퓨터에서 직접 만든 것이 아니어서 그 안의 변경 {count}개를 적용하지 않았습니다" }
        foreign_journal_next() { en: "if you moved or restored this project yourself, run the command once with HAST_TRUST=all; otherwise leave it", ko: "이 프로젝트를 직접 옮기거나 복원했다면 HAST_TRUST=all로 명령을 한 번 실행하고, 아니면 그대로 두세요" }
        foreign_aside(path) { en: "a journal that was not made by you on this machine was moved to {path}, and its changes were not carried out", ko: "이 컴퓨터에서 직접 만든 것이 아닌 저널을 {path}(으)로 옮기고 그 안의 변경을 적용하지 않았습니다" }
        foreign_aside_next(path) { en: "run `hast verify` to see whether the documents agree; {path} can be deleted", ko: "`hast verify`로 문서가 서로 맞는지 확인하세요. {path}(은)는 지워도 됩니다" }
        waiting() { en: "waiting", ko: "대기" }
        running() { en: "running", ko: "진행" }
        done() { en: "done", ko: "완료" }
        failed() { en: "failed", ko: "실패" }
        skipped() { en: "skipped", ko: "건너뜀" }
        tokens(count) { en: "{count} tokens", ko: "토큰 {count}" }
        took(time) { en: "took {time}", ko: "걸린 시간 {time}" }
    }
}
