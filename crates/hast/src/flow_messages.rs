//! What every command that drives a flow says, in Korean and English.

pub(crate) mod say {
    //! Endings, locks and states.
    hast_flow::messages! {
        interrupted() { en: "interrupted; nothing is lost and nothing of the agents runs any more", ko: "중단했습니다. 잃은 것은 없고 실행 중인 에이전트도 없습니다" }
        interrupted_next() { en: "run the same command again to go on", ko: "같은 명령을 다시 실행하면 이어서 진행합니다" }
        driven(unit, pid, host, since) { en: "{unit} is driven by pid {pid} on {host} since {since}", ko: "{unit}(은)는 {host}의 pid {pid}(이)가 {since}부터 진행하고 있습니다" }
        driven_next(pid) { en: "wait for it, or end it with `kill {pid}` and run the command again", ko: "기다리거나 `kill {pid}`로 끝낸 뒤 명령을 다시 실행하세요" }
        store_failed() { en: "the files of this flow could not be read or written", ko: "이 흐름의 파일을 읽거나 쓰지 못했습니다" }
        torn(path, kept) { en: "the last line of {path} was torn: it was cut off and is kept in {kept}. Nothing is to be done unless you wrote it", ko: "{path}의 마지막 줄이 잘려 있어 떼어 내고 {kept}에 보관했습니다. 직접 쓴 것이 아니라면 할 일은 없습니다" }
        waiting() { en: "waiting", ko: "대기" }
        running() { en: "running", ko: "진행" }
        done() { en: "done", ko: "완료" }
        failed() { en: "failed", ko: "실패" }
        skipped() { en: "skipped", ko: "건너뜀" }
        took(time) { en: "took {time}", ko: "걸린 시간 {time}" }
    }
}
