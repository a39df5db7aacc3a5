//! Messages of `hast observe`, in Korean and English.

pub(crate) mod say {
    //! Names of figures, and sentences around them.
    hast_flow::messages! {
        title() { en: "How well it runs by itself", ko: "혼자서 얼마나 잘 도는가" }
        figures() { en: "Figures", ko: "지표" }
        guards() { en: "Guards", ko: "기준" }
        days() { en: "Day by day", ko: "날짜별" }
        goals() { en: "Goals", ko: "목표" }
        goal() { en: "goal", ko: "목표" }
        guard() { en: "guard", ko: "기준" }
        value() { en: "value", ko: "값" }
        limit() { en: "limit", ko: "한계" }
        state() { en: "state", ko: "상태" }
        holds() { en: "holds", ko: "충족" }
        fails() { en: "fails", ko: "미달" }
        nothing() { en: "Nothing happened in these days.", ko: "이 기간에는 아무 일도 없었습니다." }
        runs() { en: "goals worked on to an end", ko: "끝까지 간 목표" }
        attempts() { en: "attempts", ko: "시도" }
        success() { en: "success", ko: "성공률" }
        first_pass() { en: "passed at the first attempt", ko: "첫 시도 통과율" }
        retry() { en: "needed more attempts", ko: "재시도 비율" }
        block() { en: "blocked", ko: "차단율" }
        scope() { en: "attempts outside of their scope", ko: "범위 위반 시도" }
        security() { en: "attempts that touched what is protected", ko: "보호 경로를 건드린 시도" }
        mean_attempts() { en: "attempts a goal, mean", ko: "목표당 평균 시도" }
        mttr() { en: "minutes from a block to done, mean", ko: "차단에서 완료까지 평균(분)" }
        claims() { en: "claims of the queue", ko: "큐 claim" }
        collisions() { en: "claims that met another", ko: "claim 충돌률" }
        tokens() { en: "tokens a goal, mean", ko: "목표당 평균 토큰" }
        minutes() { en: "minutes a goal, mean", ko: "목표당 평균 시간(분)" }
        outcomes() { en: "outcomes", ko: "결과" }
        done() { en: "done", ko: "완료" }
        blocked() { en: "blocked", ko: "차단" }
        durations() { en: "time at work", ko: "작업 시간" }
        tokens_plot() { en: "tokens used", ko: "사용한 토큰" }
        count() { en: "count", ko: "개수" }
        minutes_unit() { en: "minutes", ko: "분" }
        tokens_unit() { en: "tokens", ko: "토큰" }
        ready() { en: "ready: every guard holds", ko: "준비됨: 모든 기준을 충족합니다" }
        not_ready(failing) { en: "not ready: {failing}", ko: "아직 아님: {failing}" }
        too_few_runs(value, limit) { en: "goals that came to an end: {value} (at least {limit})", ko: "끝난 목표 {value}개({limit}개 이상 필요)" }
        first_pass_low(value, limit) { en: "passed at the first attempt: {value} (at least {limit})", ko: "첫 시도 통과율 {value}({limit} 이상 필요)" }
        block_high(value, limit) { en: "blocked: {value} (at most {limit})", ko: "차단율 {value}({limit} 이하 필요)" }
        collisions_high(value, limit) { en: "claims that met another: {value} (at most {limit})", ko: "claim 충돌률 {value}({limit} 이하 필요)" }
        mttr_high(value, limit) { en: "minutes from a block to done: {value} (at most {limit})", ko: "차단에서 완료까지 {value}분({limit}분 이하 필요)" }
        page_written(path) { en: "page: {path}", ko: "보고서: {path}" }
    }
}
