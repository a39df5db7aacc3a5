//! Messages and help of the session's commands, and messages of its report and its demo, in Korean
//! and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        session() { en: "Research: plan, gather, criticise, keep only what passed", ko: "조사: 계획하고, 모으고, 검수하고, 통과한 것만 남깁니다" }
        start() { en: "Begin a session and drive it to an ending", ko: "세션을 시작해 끝까지 진행합니다" }
        resume() { en: "Go on with a session that was cut off or that waited", ko: "중단되었거나 기다리던 세션을 이어서 진행합니다" }
        list() { en: "All sessions, the newest first", ko: "모든 세션을 최신순으로 보여 줍니다" }
        show() { en: "A session's tasks, its progress, and its answer with footnotes", ko: "세션의 작업, 진행 상황, 각주가 달린 답을 보여 줍니다" }
        verify() { en: "Check the files of sessions against the four laws", ko: "세션의 파일이 네 가지 법칙을 지키는지 검사합니다" }
        answer() { en: "Answer a question that a session waits for", ko: "세션이 기다리는 질문에 답합니다" }
        replan() { en: "Say that the plan is impossible and let the Planner make another", ko: "계획이 불가능하다고 알리고 Planner가 다시 계획하게 합니다" }
        query() { en: "The question, in your words", ko: "알고 싶은 것을 자유롭게 쓴 글" }
        system_prompt() { en: "A file with the operational mode; it stands before every prompt", ko: "운영 지침 파일. 모든 프롬프트 앞에 붙습니다" }
        rules() { en: "A file with review rules, instead of the default ones", ko: "기본 규칙 대신 쓸 검수 규칙 파일" }
        parallel() { en: "How many tasks run at the same time [default: 1]", ko: "동시에 진행할 작업 수 [기본값: 1]" }
        now() { en: "Ask a source that is limited or down before its time", ko: "제한되었거나 응답이 없는 출처에 정해진 시각 전에 묻습니다" }
        resume_id() { en: "The session; without one, the newest unfinished", ko: "세션. 없으면 끝나지 않은 가장 최근 세션" }
        show_id() { en: "The session; without one, the newest", ko: "세션. 없으면 가장 최근 세션" }
        verify_id() { en: "The session; without one, all of them", ko: "세션. 없으면 모든 세션" }
        html() { en: "Write a report that opens offline; without a file, to standard output", ko: "오프라인으로 열리는 보고서를 씁니다. 파일이 없으면 표준 출력으로" }
        question() { en: "The question's id, for example Q-20260112-0003", ko: "질문 id. 예: Q-20260112-0003" }
        answer_text() { en: "The answer; `restore` and `replan` do what the question offers", ko: "답. `restore`와 `replan`은 질문이 제안하는 일을 합니다" }
        answer_session() { en: "The session that asks, where several do", ko: "여러 세션이 물을 때 질문한 세션" }
        reason() { en: "Why; the Planner is told", ko: "이유. Planner에게 전달됩니다" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        title(id) { en: "hast session {id}", ko: "hast session {id} 진행" }
        planning() { en: "the plan", ko: "계획 세우기" }
        replanning() { en: "the plan again", ko: "다시 계획하기" }
        answering() { en: "the answer", ko: "답 쓰기" }
        judging() { en: "the last verdict", ko: "최종 판정" }
        attempt(number) { en: "attempt {number}", ko: "{number}번째 시도" }
        no_sessions() { en: "there are no sessions here or above", ko: "여기와 상위 디렉터리에 세션이 없습니다" }
        no_sessions_next() { en: "start one: hast session start \"...\"", ko: "새로 시작하세요: hast session start \"...\"" }
        empty_query() { en: "the question is empty", ko: "질문이 비어 있습니다" }
        empty_query_next() { en: "say what you want to know: hast session start \"...\"", ko: "알고 싶은 것을 쓰세요: hast session start \"...\"" }
        no_lanes() { en: "--parallel is a number from 1 to 64", ko: "--parallel은 1부터 64까지입니다" }
        no_lanes_next() { en: "write for example --parallel 4", ko: "예를 들어 --parallel 4라고 쓰세요" }
        nothing_unfinished() { en: "no session is unfinished", ko: "끝나지 않은 세션이 없습니다" }
        unknown_session(id) { en: "there is no session {id}", ko: "세션 {id}(이)가 없습니다" }
        unknown_session_next() { en: "see `hast session list`", ko: "`hast session list`를 보세요" }
        bad_question(id) { en: "`{id}` is not the id of a question", ko: "`{id}`(은)는 질문 id가 아닙니다" }
        no_reason() { en: "the reason is empty", ko: "이유가 비어 있습니다" }
        no_reason_next() { en: "say why the plan is impossible: hast session replan --reason \"...\"", ko: "계획이 왜 불가능한지 쓰세요: hast session replan --reason \"...\"" }
        empty_answer() { en: "the answer is empty", ko: "답이 비어 있습니다" }
        empty_answer_next() { en: "say what the session should know: hast session answer Q-... \"...\"", ko: "세션이 알아야 할 것을 쓰세요: hast session answer Q-... \"...\"" }
        unknown_question(id) { en: "no session has an open question {id}", ko: "열린 질문 {id}(이)가 있는 세션이 없습니다" }
        unknown_question_next() { en: "see `hast session show` for what is asked", ko: "`hast session show`에서 질문을 확인하세요" }
        several_ask(id, sessions) { en: "several sessions have a question {id}: {sessions}", ko: "여러 세션에 질문 {id}(이)가 있습니다: {sessions}" }
        several_ask_next() { en: "say which with --session ID", ko: "--session ID로 정하세요" }
        too_long(limit) { en: "the file has more than {limit} bytes", ko: "파일이 {limit}바이트를 넘습니다" }
        too_long_next() { en: "shorten it", ko: "줄이세요" }
        started(id, directory) { en: "session {id} in {directory}", ko: "세션 {id}, 위치 {directory}" }
        unplanned() { en: "no plan yet", ko: "아직 계획이 없습니다" }
        progress(passed, total) { en: "tasks passed: {passed} of {total}", ko: "통과한 작업 {total}개 중 {passed}개" }
        plan_version(major, revision) { en: "plan {major}.{revision}", ko: "계획 {major}.{revision}" }
        open_question(id, text) { en: "waits for an answer to {id}: {text}", ko: "{id}의 답을 기다립니다: {text}" }
        how_to_answer(id) { en: "hast session answer {id} \"...\"", ko: "답하려면: hast session answer {id} \"...\"" }
        to_review(tasks) { en: "cites what does not hold any more, look again: {tasks}", ko: "더는 유효하지 않은 것을 인용하므로 다시 볼 작업: {tasks}" }
        answer_heading() { en: "Answer", ko: "답" }
        report_written(file) { en: "report: {file}", ko: "보고서: {file}" }
        glance(all, unfinished) { en: "sessions: {all}, unfinished: {unfinished}", ko: "세션 {all}개, 끝나지 않은 것 {unfinished}개" }
        invalid_mark() { en: "invalidated", ko: "무효" }
        waiting_state() { en: "waiting", ko: "대기" }
        running_state() { en: "running", ko: "진행" }
        reviewing_state() { en: "under review", ko: "검수 중" }
        failed_state() { en: "failed", ko: "실패" }
        passed_state() { en: "passed", ko: "통과" }
        source_waits() { en: "it was limited or down when it was last asked", ko: "지난번에 물었을 때 제한되었거나 응답이 없었습니다" }
        html_title(id) { en: "Session {id}", ko: "세션 {id}" }
        html_question() { en: "Question", ko: "질문" }
        html_plan() { en: "Plan", ko: "계획" }
        html_timeline() { en: "Timeline", ko: "시간순" }
        html_verdicts() { en: "Verdicts", ko: "판정" }
        html_sources() { en: "Sources", ko: "출처" }
        html_charts() { en: "Series", ko: "수집한 수치" }
        html_final() { en: "Last verdict", ko: "최종 판정" }
        html_history() { en: "History of the plan", ko: "계획의 변경" }
        html_knowledge() { en: "Knowledge", ko: "지식" }
        head_task() { en: "Task", ko: "작업" }
        head_verdict() { en: "Verdict", ko: "판정" }
        head_fixes() { en: "Findings and fixes", ko: "지적과 수정 사항" }
        head_time() { en: "Time", ko: "시각" }
        head_source() { en: "Address", ko: "주소" }
        head_fetched() { en: "Fetched", ko: "가져온 시각" }
        head_size() { en: "Bytes", ko: "바이트" }
        head_hash() { en: "sha256", ko: "sha256 값" }
        head_knowledge() { en: "Id", ko: "지식 id" }
        head_artifact() { en: "Artifact", ko: "산출물" }
        head_change() { en: "Change", ko: "변경" }
        fact_status() { en: "Status", ko: "상태" }
        fact_plan() { en: "Plan", ko: "계획 버전" }
        fact_tasks() { en: "Tasks passed", ko: "통과한 작업" }
        fact_tokens() { en: "Tokens in / out", ko: "토큰 입력 / 출력" }
        fact_duration() { en: "Duration", ko: "걸린 시간" }
        tokens(input, output) { en: "{input} / {output}", ko: "입력 {input} / 출력 {output}" }
        demo_intro(directory) { en: "A research session about an invented company: agents that are only a script, bundled answers of the data sources; no model, no key, no network.\nScratch directory: {directory}\n", ko: "지어낸 회사에 대한 조사 세션입니다. 에이전트는 스크립트이고 데이터 출처의 답은 내장되어 있습니다. 모델도 키도 네트워크도 쓰지 않습니다.\n임시 디렉터리: {directory}\n" }
        demo_query() { en: "Is Moraebit (MRBT) growing, and what did its shares do in 2024?", ko: "모래빛(MRBT)은 성장하고 있나요? 2024년에 주가는 어땠나요?" }
        demo_planned(count) { en: "  plan: {count} tasks, checked by hast down to the arguments of every tool call.", ko: "  계획: 작업 {count}개. 도구 호출의 인자까지 hast가 검사했습니다." }
        demo_fetched(task, title) { en: "  {task}: fetched without a model ({title})", ko: "  {task}: 모델 없이 가져왔습니다({title})" }
        demo_rejected(task, why) { en: "  {task}: rejected by the Critic ({why}). The next attempt has a directory of its own.", ko: "  {task}: Critic이 거부했습니다({why}). 다음 시도는 새 디렉터리를 씁니다." }
        demo_passed(task) { en: "  {task}: passed, so it is knowledge and may be cited.", ko: "  {task}: 통과해 지식이 되었고 인용할 수 있습니다." }
        demo_failed(task, why) { en: "  {task}: failed ({why})", ko: "  {task}: 실패했습니다({why})" }
        demo_replanned(version) { en: "  the Planner revises: plan {version}; the old one is in plan/archive/.", ko: "  Planner가 고쳤습니다: 계획 {version}. 이전 계획은 plan/archive/에 있습니다." }
        demo_end(directory, id) {
            en: "Look around:\n  cd {directory}\n  hast session show                       # tasks, and the answer\n  hast session show --html report.html    # a report for the browser\n  hast session verify                     # the four laws, on disk\n  ls sessions/{id}      # everything is a file\nIn your own directory:\n  hast session start \"...\"",
            ko: "둘러보기:\n  cd {directory}\n  hast session show                       # 작업, 각주가 달린 답\n  hast session show --html report.html    # 브라우저로 볼 보고서\n  hast session verify                     # 디스크에서 네 가지 법칙 검사\n  ls sessions/{id}      # 모든 것이 파일입니다\n내 디렉터리에서:\n  hast session start \"...\"",
        }
    }
}
