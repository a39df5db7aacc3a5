//! Messages and help of events, inbox and observe, in Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        events() { en: "Look back at what happened to the goals", ko: "목표에 일어난 일을 되돌아봅니다" }
        replay() { en: "Fold the log into views of goals and the inbox, and compare with goals.yaml", ko: "로그를 목표 상태와 inbox로 접고 goals.yaml과 비교합니다" }
        replay_write() { en: "Write .ai/state/ (this is the default)", ko: ".ai/state/에 씁니다 (기본값)" }
        replay_no_write() { en: "Write nothing", ko: "아무것도 쓰지 않습니다" }
        tail() { en: "The last events", ko: "마지막 이벤트를 보여 줍니다" }
        tail_lines() { en: "How many [default: 20]", ko: "몇 개 [기본값: 20]" }
        tail_follow() { en: "Go on with those that come", ko: "새로 오는 것도 계속 보여 줍니다" }
        observe() { en: "How well the project runs by itself", ko: "프로젝트가 혼자서 얼마나 잘 도는지" }
        baseline() { en: "Rates over the last days, and whether it can be left alone", ko: "최근 며칠의 지표와 맡겨도 되는지" }
        observe_window() { en: "How many days [default: 14]", ko: "며칠 [기본값: 14]" }
        observe_html() { en: "Also write a page with plots [default: .ai/reports/observe-DATE.html]", ko: "그래프가 있는 보고서도 씁니다 [기본값: .ai/reports/observe-날짜.html]" }
        inbox() { en: "What waits for a person, in all flows", ko: "모든 흐름에서 사람을 기다리는 것" }
        inbox_list() { en: "Everything that waits, what holds up most first", ko: "기다리는 것을 급한 순서로 보여 줍니다" }
        inbox_open_only() { en: "Only what still waits (this is the default)", ko: "아직 기다리는 것만 (기본값)" }
        inbox_all() { en: "Also what was decided or went away", ko: "결정되었거나 사라진 것도" }
        inbox_summary() { en: "How much waits, and the most urgent with their evidence", ko: "기다리는 것의 수와 가장 급한 것의 근거" }
        inbox_top() { en: "How many of them [default: 3]", ko: "몇 개를 [기본값: 3]" }
        inbox_show() { en: "One item with its evidence", ko: "항목 하나와 그 근거" }
        inbox_act() { en: "Decide about an item", ko: "항목을 결정합니다" }
        inbox_id() { en: "The item, like INB_0123456789ab, or a goal: its newest open item", ko: "항목. 예: INB_0123456789ab. 목표 id를 쓰면 가장 최근에 열린 항목" }
        inbox_action() { en: "approve, reject or defer", ko: "approve, reject, defer 중 하나" }
        inbox_operator() { en: "Who decides; it is written down [default: user.name of git]", ko: "결정하는 사람. 기록됩니다 [기본값: git의 user.name]" }
        inbox_goal_status() { en: "What the goal becomes instead: pending, active or blocked", ko: "목표의 새 상태를 직접 지정: pending, active, blocked" }
        inbox_text() { en: "The answer to a question, a change to a run, or a note", ko: "질문의 답, 실행에 대한 수정, 또는 메모" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        replayed(events, duplicates, unreadable) { en: "events: {events}, told twice: {duplicates}, unreadable lines: {unreadable}", ko: "이벤트 {events}개, 중복 {duplicates}개, 읽을 수 없는 줄 {unreadable}개" }
        replayed_state(goals, waiting) { en: "goals: {goals}, waiting for a person: {waiting}", ko: "목표 {goals}개, 사람을 기다리는 것 {waiting}개" }
        disagrees(goal, events, file) { en: "{goal}: the events say {events}, goals.yaml says {file}", ko: "{goal}: 이벤트는 {events}, goals.yaml은 {file}" }
        not_in_file() { en: "nothing", ko: "없음" }
        disagrees_next() { en: "a status that a person set by hand differs rightly; otherwise correct .ai/goals.yaml", ko: "사람이 직접 바꾼 상태라면 정상입니다. 아니면 .ai/goals.yaml을 고치세요" }
        written(files) { en: "written: {files}", ko: "기록: {files}" }
        no_events() { en: "nothing has happened yet", ko: "아직 아무 일도 없었습니다" }
        empty_inbox() { en: "nothing waits for a person", ko: "사람을 기다리는 것이 없습니다" }
        waiting(count) { en: "waiting for a person: {count}", ko: "사람을 기다리는 것 {count}개" }
        status_owed(goals) { en: "in goals.yaml and in no commit yet: the status of {goals} (hast auto commits it as soon as nothing of yours is under way; git commit .ai/goals.yaml does it now)", ko: "goals.yaml에는 있고 아직 커밋되지 않은 상태: {goals} (진행 중인 git 작업이 끝나면 hast auto가 커밋합니다. 지금 하려면 git commit .ai/goals.yaml)" }
        waiting_next() { en: "hast inbox list shows what; hast inbox act decides", ko: "hast inbox list로 보고 hast inbox act로 결정하세요" }
        unknown_item(id) { en: "there is no item {id}", ko: "항목 {id}(이)가 없습니다" }
        unknown_item_next() { en: "see the ids with hast inbox list", ko: "hast inbox list로 id를 확인하세요" }
        already_acted(operator, action, at) { en: "{operator} decided this already: {action}, at {at}", ko: "{operator}(이)가 이미 결정했습니다: {action}, {at}" }
        already_acted_next() { en: "nothing was changed; hast inbox list --include-resolved shows it", ko: "아무것도 바꾸지 않았습니다. hast inbox list --include-resolved로 볼 수 있습니다" }
        already_resolved(why) { en: "nobody waits for this any more: {why}", ko: "더 이상 기다리지 않습니다: {why}" }
        needs_text() { en: "a question is answered with a text", ko: "질문에는 글로 답해야 합니다" }
        needs_text_next() { en: "give it with --text \"...\"", ko: "--text \"...\"로 답하세요" }
        empty_operator() { en: "the operator has no name", ko: "결정하는 사람의 이름이 비어 있습니다" }
        empty_operator_next() { en: "say who decides: --operator NAME", ko: "누가 결정하는지 쓰세요: --operator NAME" }
        rejected(operator) { en: "rejected by {operator}", ko: "{operator}(이)가 반려함" }
        acted(id, action) { en: "{id}: {action}", ko: "{id} 결정: {action}" }
        or_otherwise() { en: "(or reject, defer)", ko: "(또는 reject, defer)" }
        judge_again(goal) { en: "{goal} is active again; hast auto {goal} --continue --fewer-tests judges the same work again, without calling an agent", ko: "{goal}(을)를 다시 active로 바꿨습니다. hast auto {goal} --continue --fewer-tests(은)는 에이전트를 부르지 않고 같은 작업을 다시 판정합니다" }
        running(goal, attempt, since, pid) { en: "running: {goal} attempt {attempt} (pid {pid}, since {since}); hast log {goal} --follow shows it", ko: "실행 중: {goal} {attempt}번째 시도 (pid {pid}, {since}부터). hast log {goal} --follow로 보세요" }
        running_start(since, pid) { en: "running (pid {pid}, since {since})", ko: "실행 중 (pid {pid}, {since}부터)" }
        dead_run(goal, attempt) { en: "a run ended without its end, at {goal} attempt {attempt}; hast auto goes on", ko: "실행이 {goal} {attempt}번째 시도에서 끝을 맺지 못했습니다. hast auto로 이어가세요" }
        dead_run_start() { en: "a run ended without its end; hast auto goes on", ko: "실행이 끝을 맺지 못했습니다. hast auto로 이어가세요" }
        kept_branches(branches) { en: "kept branches: {branches}", ko: "보존된 브랜치: {branches}" }
        show_blocked(goal) { en: "hast show {goal} says why", ko: "hast show {goal}(이)가 사유를 보여 줍니다" }
        active_again(goal) { en: "{goal} is active again; run hast auto {goal}", ko: "{goal}(을)를 다시 active로 바꿨습니다. hast auto {goal}(을)를 실행하세요" }
        others_wait(unit, ids) { en: "also open about {unit}: {ids}", ko: "{unit}에 대해 더 남은 항목: {ids}" }
        goal_is(goal, status) { en: "{goal} is {status} now", ko: "{goal}의 상태는 이제 {status}입니다" }
        number_jumps(line, last, number) { en: "line {line}: the number of the event jumps from {last} to {number}", ko: "{line}번째 줄: 이벤트 번호가 {last}에서 {number}(으)로 건너뜁니다" }
        goal_gone(goal) { en: "{goal} is no longer in goals.yaml", ko: "{goal}(이)가 더는 goals.yaml에 없습니다" }
        merge_it(command) { en: "it waits until it is merged: {command}", ko: "병합할 때까지 기다립니다: {command}" }
        waiting_unknown(why) { en: "what waits for a person cannot be told: {why}", ko: "사람을 기다리는 것을 알 수 없습니다: {why}" }
        of_attempt(number, class) { en: "attempt {number}: {class}", ko: "{number}번째 시도: {class}" }
        of_files(files, lines) { en: "files {files}, {lines}", ko: "파일 {files}개, {lines}" }
        stays_open(question) { en: "{question} stays open; nothing was changed", ko: "{question}(은)는 그대로 열려 있습니다. 아무것도 바꾸지 않았습니다" }
        question_answered(question, session) { en: "{question} is answered; go on with hast session resume {session}", ko: "{question}에 답했습니다. hast session resume {session}(으)로 이어 가세요" }
        proposal(number, request) { en: "proposal {number}: {request}", ko: "제안 {number}: {request}" }
        was_decided() { en: "it was decided", ko: "결정되었습니다" }
        was_outdated() { en: "the instructions changed; a new proposal is made", ko: "지시사항이 바뀌어 새로 제안합니다" }
        was_answered() { en: "it was answered", ko: "답이 있습니다" }
        was_overtaken() { en: "the session went on without an answer", ko: "세션이 답 없이 진행되었습니다" }
        no_goal(id) { en: "{id} is not about a goal, so there is no status to give", ko: "{id}(은)는 목표에 대한 것이 아니어서 상태를 줄 수 없습니다" }
        no_goal_next() { en: "leave out --goal-status", ko: "--goal-status를 빼세요" }
        deferred() { en: "put off", ko: "미룸" }
    }
}
