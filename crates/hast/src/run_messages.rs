//! Messages and help of the run commands and of `hast search`, and messages of the demo of runs, in
//! Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        run() { en: "Deliverables in four phases, from assets and guidelines", ko: "자산과 가이드라인으로 네 단계에 걸쳐 산출물을 만듭니다" }
        start() { en: "Begin a run, or do a simple task at once", ko: "실행을 시작합니다. 단순한 작업은 바로 처리합니다" }
        resume() { en: "Go on with a run that was cut off", ko: "중단된 실행을 이어서 진행합니다" }
        list() { en: "All runs, the newest first", ko: "모든 실행을 최신순으로 보여 줍니다" }
        show() { en: "Phases, stages, tasks and results of a run", ko: "실행의 Phase, Stage, Task와 결과를 보여 줍니다" }
        verify() { en: "Check the tables of runs, and what they say together", ko: "실행의 표와 그 일관성을 검사합니다" }
        confirm() { en: "Confirm the proposal and go on", ko: "제안을 확인하고 계속 진행합니다" }
        modify() { en: "Ask for another proposal", ko: "제안의 수정을 요청합니다" }
        cancel() { en: "Refuse the proposal; the run ends as FAILED", ko: "제안을 거절합니다. 실행은 FAILED로 끝납니다" }
        search() { en: "Find runs, instructions, results and knowledge of all flows", ko: "모든 흐름의 실행, 지시사항, 결과, 지식을 찾습니다" }
        request() { en: "What is wanted, in your words", ko: "원하는 것을 자유롭게 쓴 글" }
        mode() { en: "simple, initial or continuous [default: the planner and earlier runs decide]", ko: "simple, initial, continuous [기본값: 플래너와 이전 실행에 따라 결정]" }
        yes() { en: "Confirm the proposal unseen", ko: "제안을 보지 않고 확인합니다" }
        id() { en: "The run; without one, the newest that waits or is unfinished", ko: "실행. 없으면 기다리거나 끝나지 않은 가장 최근 실행" }
        show_id() { en: "The run; without one, the newest", ko: "실행. 없으면 가장 최근 실행" }
        html() { en: "As one HTML file that opens offline; to standard output without a name", ko: "오프라인에서 열리는 HTML 파일 하나로. 이름이 없으면 표준 출력으로" }
        text() { en: "What should be different", ko: "바꾸고 싶은 내용" }
        reason() { en: "Why, kept in the records", ko: "기록에 남길 이유" }
        words() { en: "What to look for; endings and particles do not matter", ko: "찾을 말. 조사와 어미는 상관없습니다" }
        limit() { en: "At most so many results [default: 20]", ko: "결과의 최대 개수 [기본값: 20]" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        title(id) { en: "hast run {id}", ko: "hast run {id} 진행" }
        page_title(id) { en: "Run {id}", ko: "실행 {id}" }
        no_runs_here() { en: "there is no db/process_runs.md here or above", ko: "여기와 상위 디렉터리에 db/process_runs.md가 없습니다" }
        no_runs_here_next() { en: "start one: hast run start \"...\"", ko: "시작하세요: hast run start \"...\"" }
        empty_request() { en: "the request is empty", ko: "요청이 비어 있습니다" }
        empty_change() { en: "what is to be changed is empty", ko: "바꿀 내용이 비어 있습니다" }
        empty_change_next() { en: "say what the proposal should say instead: hast run modify \"...\"", ko: "제안을 어떻게 바꿀지 쓰세요: hast run modify \"...\"" }
        empty_request_next() { en: "say what you want: hast run start \"...\"", ko: "원하는 것을 쓰세요: hast run start \"...\"" }
        nothing_unfinished() { en: "no run is unfinished", ko: "끝나지 않은 실행이 없습니다" }
        nothing_waits() { en: "no run waits for a decision", ko: "결정을 기다리는 실행이 없습니다" }
        nothing_waits_next() { en: "see `hast run list`", ko: "`hast run list`를 보세요" }
        not_waiting(id) { en: "{id} does not wait for a decision", ko: "{id}(은)는 결정을 기다리지 않습니다" }
        unknown_run(id) { en: "there is no run {id}", ko: "실행 {id}(이)가 없습니다" }
        unknown_run_next() { en: "see `hast run list`", ko: "`hast run list`를 보세요" }
        no_runs() { en: "there are no runs yet", ko: "아직 실행이 없습니다" }
        left_unfinished(id) { en: "{id} is unfinished; go on with it by `hast run resume {id}`. A new run starts now.", ko: "끝나지 않은 실행 {id}(이)가 있습니다. `hast run resume {id}`로 이어서 할 수 있습니다. 지금은 새 실행을 시작합니다." }
        resume_instead(id) { en: "{id} is unfinished. Go on with it instead of a new run? [y/N] ", ko: "끝나지 않은 실행 {id}(이)가 있습니다. 새 실행 대신 이어서 진행할까요? [y/N] " }
        all_ids_taken() { en: "no free id for a run in this second", ko: "이 시각에 쓸 수 있는 실행 id가 없습니다" }
        all_ids_taken_next() { en: "try again", ko: "다시 시도하세요" }
        decide() { en: "CONFIRM, MODIFY <what>, or CANCEL [why]? ", ko: "CONFIRM(확인), MODIFY(수정) <내용>, CANCEL(취소) [이유]? " }
        decide_again() { en: "please begin with CONFIRM, MODIFY or CANCEL", ko: "CONFIRM, MODIFY, CANCEL 중 하나로 시작하세요" }
        asked_later(id) { en: "no answer; {id} waits", ko: "답이 없습니다. {id}(은)는 기다립니다" }
        glance(count, open) { en: "runs: {count}, unfinished: {open}", ko: "실행 {count}개, 끝나지 않음 {open}개" }
        how_to_decide(id) { en: "-> hast run confirm {id}, modify \"<text>\" {id} or cancel {id}", ko: "-> hast run confirm {id}, modify \"<내용>\" {id} 또는 cancel {id}" }
        phases() { en: "Phases, stages, tasks", ko: "Phase, Stage, Task 구조" }
        results() { en: "Results", ko: "결과물" }
        lineage() { en: "Where the results come from", ko: "결과물의 계보" }
        assets() { en: "Assets", ko: "자산" }
        instructions() { en: "Instructions", ko: "지시사항" }
        request_title() { en: "Request", ko: "요청" }
        proposal() { en: "Proposal", ko: "제안" }
        failure() { en: "Failure", ko: "실패" }
        learnt_from() { en: "Learnt from", ko: "학습한 실행" }
        status_title() { en: "Status", ko: "상태" }
        mode_title() { en: "Mode", ko: "모드" }
        path_title() { en: "File", ko: "파일" }
        type_title() { en: "Type", ko: "유형" }
        task_title() { en: "Task", ko: "작업" }
        summary_title() { en: "Summary", ko: "요약" }
        about_html(id) { en: "Run {id}: phases, stages, tasks, and where its results come from", ko: "실행 {id}: Phase, Stage, Task와 결과물의 계보" }
        nothing_found() { en: "nothing found", ko: "찾은 것이 없습니다" }
        no_words() { en: "there is no word to look for", ko: "찾을 말이 없습니다" }
        no_words_next() { en: "name at least one word: hast search \"<words>\"", ko: "단어를 하나 이상 쓰세요: hast search \"<말>\"" }
        more_found(count) { en: "{count} more; use --limit to see them", ko: "{count}개 더 있습니다. --limit으로 볼 수 있습니다" }
        demo_intro(directory) { en: "Assets and guidelines in, a proposal to confirm, four phases, a chart and a report out; then a second run that learns from the first. No model, no key, no network.\nScratch directory: {directory}\n", ko: "자산과 가이드라인을 넣고, 제안을 확인하고, 네 단계를 거쳐 차트와 보고서를 만듭니다. 이어서 첫 실행에서 배우는 두 번째 실행이 이어집니다. 모델도 키도 네트워크도 쓰지 않습니다.\n임시 디렉터리: {directory}\n" }
        demo_first() { en: "Write a short report on the sales of our tea shop.", ko: "우리 찻집의 매출 보고서를 짧게 써 주세요." }
        demo_second() { en: "The sales report of the tea shop again, longer and with advice.", ko: "찻집 매출 보고서를 이번에는 더 길게, 조언과 함께 써 주세요." }
        demo_proposed() { en: "The proposal (it waits for a person; here it is confirmed):", ko: "제안 (사람의 확인을 기다립니다. 여기서는 확인합니다):" }
        demo_enacted(count) { en: "  constitution: {count} instruction(s) enacted.", ko: "  헌법: 지시사항 {count}개를 시행합니다." }
        demo_phase(name) { en: "  {name}: planned, worked on, completed.", ko: "  {name}: 계획하고 수행해 완료했습니다." }
        demo_again() { en: "\nA second, continuous run: it finds the first one and proposes to amend its instructions.\n", ko: "\n두 번째, 이어지는 실행: 첫 실행을 찾아내고 그 지시사항의 개정을 제안합니다.\n" }
        demo_amended(old, new) { en: "  {old} is SUPERSEDED by {new}; both stay in db/user_instructions.md.", ko: "  {old}(은)는 {new}(으)로 SUPERSEDED되었고, 둘 다 db/user_instructions.md에 남습니다." }
        demo_end(directory) {
            en: "Look around:\n  cd {directory}\n  cat db/process_runs.md db/user_instructions.md\n  hast run show                     # phases, stages, tasks\n  hast run show --html run.html     # with the lineage of the results\n  hast search tea                   # everything about tea\nIn your own directory: put files into assets/ and guidelines/, then\n  hast run start \"...\"",
            ko: "둘러보기:\n  cd {directory}\n  cat db/process_runs.md db/user_instructions.md\n  hast run show                     # Phase, Stage, Task\n  hast run show --html run.html     # 결과물의 계보까지\n  hast search 찻집                  # 찻집에 관한 모든 것\n내 디렉터리에서: assets/와 guidelines/에 파일을 넣고\n  hast run start \"...\"",
        }
    }
}
