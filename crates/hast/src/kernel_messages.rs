//! Messages and help of the kernel's commands, and messages of its demo, in Korean and English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        kernel() { en: "One request, experts, and a plan that grows", ko: "하나의 요청, 전문가들, 그리고 자라나는 계획" }
        boot() { en: "Write what is missing below .brain/, check it all, and run", ko: ".brain/ 아래에 없는 것을 쓰고 모두 검사한 뒤 시작합니다" }
        start() { en: "Answer a request; boots if needed", ko: "요청에 답합니다. 필요하면 먼저 부팅합니다" }
        resume() { en: "Go on with a request that was cut off", ko: "중단된 요청을 이어서 진행합니다" }
        list() { en: "All requests, the newest first", ko: "모든 요청을 최신순으로 보여 줍니다" }
        show() { en: "A request's plan, how it grew, and its report", ko: "요청의 계획, 계획이 자란 과정, 보고서를 보여 줍니다" }
        verify() { en: "Check the files below .brain/", ko: ".brain/ 아래의 파일을 검사합니다" }
        experts() { en: "Who works in the kernel", ko: "커널에서 일하는 전문가" }
        experts_list() { en: "The experts that a plan may name", ko: "계획에 쓸 수 있는 전문가 목록" }
        experts_check() { en: "Whether every expert can be loaded", ko: "모든 전문가를 불러올 수 있는지 검사합니다" }
        experts_add() { en: "Add an expert of your own", ko: "나만의 전문가를 추가합니다" }
        request() { en: "What is wanted, in your words", ko: "원하는 것을 자유롭게 쓴 글" }
        resume_id() { en: "The request; without one, the newest unfinished", ko: "요청. 없으면 끝나지 않은 가장 최근 요청" }
        show_id() { en: "The request; without one, the newest", ko: "요청. 없으면 가장 최근 요청" }
        expert_name() { en: "Its name, which is the name of its file too", ko: "이름. 파일 이름이기도 합니다" }
        expert_role() { en: "What the planner is told about it", ko: "계획을 세울 때 알려 줄 역할" }
        expert_agent() { en: "The agent that plays it: a name of ai_tools or a preset", ko: "맡을 에이전트: ai_tools의 이름 또는 프리셋" }
        expert_writes() { en: "What it may change in the project, as .gitignore writes it; may be repeated", ko: "프로젝트에서 바꿀 수 있는 것(.gitignore 형식). 여러 번 쓸 수 있습니다" }
        expert_timeout() { en: "How long a call of it may take", ko: "호출 하나의 제한 시간(분)" }
        demo_flow() { en: "What to play: goals, session, run, kernel or contract [default: goals]", ko: "보여 줄 흐름: goals, session, run, kernel, contract 중 하나 [기본값: goals]" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        title() { en: "hast kernel", ko: "hast kernel 진행" }
        planning() { en: "the plan", ko: "계획 세우기" }
        reporting() { en: "the report", ko: "보고서 쓰기" }
        no_kernel() { en: "there is no .brain/ here or above", ko: "여기와 상위 디렉터리에 .brain/이 없습니다" }
        no_kernel_next() { en: "run `hast kernel boot`", ko: "`hast kernel boot`를 실행하세요" }
        empty_request() { en: "the request is empty", ko: "요청이 비어 있습니다" }
        empty_request_next() { en: "say what you want: hast kernel start \"...\"", ko: "원하는 것을 쓰세요: hast kernel start \"...\"" }
        unfinished_before(id) { en: "request {id} is unfinished; go on with it: hast kernel resume {id}", ko: "요청 {id}(이)가 끝나지 않았습니다. 이어서 하려면: hast kernel resume {id}" }
        nothing_unfinished() { en: "no request is unfinished", ko: "끝나지 않은 요청이 없습니다" }
        nothing_unfinished_next() { en: "start one: hast kernel start \"...\"", ko: "새로 시작하세요: hast kernel start \"...\"" }
        no_requests() { en: "there are no requests yet", ko: "아직 요청이 없습니다" }
        unknown_request(id) { en: "there is no request {id}", ko: "요청 {id}(이)가 없습니다" }
        unknown_request_next() { en: "see `hast kernel list`", ko: "`hast kernel list`를 보세요" }
        planning_state() { en: "planning", ko: "계획 중" }
        working_state() { en: "working", ko: "진행 중" }
        reporting_state() { en: "reporting", ko: "보고서 작성 중" }
        completed_state() { en: "completed", ko: "완료" }
        failed_state() { en: "failed", ko: "실패" }
        history() { en: "How the plan grew", ko: "계획이 자란 과정" }
        merged(parent, added, before, after) { en: "{parent}: {added} (items: {before} -> {after})", ko: "{parent}: {added} (항목 {before}개 -> {after}개)" }
        report() { en: "Report", ko: "보고서" }
        experts_good(count) { en: "experts: {count}, all can be loaded", ko: "전문가 {count}명을 모두 불러올 수 있습니다" }
        experts_bad(count) { en: "the experts cannot work yet; faults: {count}", ko: "전문가에 문제가 {count}개 있습니다" }
        experts_bad_next() { en: "mend what is listed, then run `hast kernel experts check` again", ko: "나열된 것을 고친 뒤 `hast kernel experts check`를 다시 실행하세요" }
        bad_name(name) { en: "`{name}` cannot be the name of an expert", ko: "`{name}`(은)는 전문가 이름으로 쓸 수 없습니다" }
        bad_name_next() { en: "use a-z, A-Z, digits, `_` and `-`, at most 100", ko: "영문자(a-z, A-Z), 숫자, `_`, `-`를 100자 이내로 쓰세요" }
        bad_writes(globs) { en: "`{globs}` cannot be what an expert may write", ko: "`{globs}`(은)는 전문가가 쓸 수 있는 곳이 될 수 없습니다" }
        bad_writes_next() { en: "name paths below the project, such as src/**", ko: "src/**처럼 프로젝트 아래의 경로를 쓰세요" }
        agent(name) { en: "agent: {name}", ko: "에이전트: {name}" }
        writes(globs) { en: "may write: {globs}", ko: "쓸 수 있는 곳: {globs}" }
        minutes(minutes) { en: "at most {minutes} min a call", ko: "호출당 최대 {minutes}분" }
        expert_there(name) { en: "there is an expert {name} already", ko: "전문가 {name}(은)는 이미 있습니다" }
        expert_there_next() { en: "edit its file, or choose another name", ko: "그 파일을 고치거나 다른 이름을 쓰세요" }
        index_by_hand(name) { en: "{name} could not be added to experts/index.yaml without disturbing it", ko: "experts/index.yaml을 흐트러뜨리지 않고 {name}(을)를 추가할 수 없습니다" }
        index_by_hand_next() { en: "run `hast verify`, or add `- name:` and `role:` by hand", ko: "`hast verify`로 확인하거나 `- name:`과 `role:`을 직접 추가하세요" }
        expert_added(name) { en: "expert {name} is there", ko: "전문가 {name}(을)를 추가했습니다" }
        expert_added_next(path) { en: "write its instructions in {path}", ko: "{path}에 지시를 쓰세요" }
        new_role() { en: "Say here what it is good for.", ko: "무엇을 잘하는지 여기에 쓰세요." }
        new_duty() { en: "Say here what it answers for.", ko: "무엇을 책임지는지 여기에 쓰세요." }
        new_instructions() { en: "Do the item you are given and nothing else. Use the results in the context.", ko: "주어진 항목만 수행하세요. 컨텍스트의 결과를 사용하세요." }
        demo_intro(directory) { en: "A request, experts that are only a script, and a plan that grows: no model, no key, no network.\nScratch directory: {directory}\n", ko: "요청 하나, 스크립트로 된 전문가들, 그리고 자라나는 계획. 모델도 키도 네트워크도 쓰지 않습니다.\n임시 디렉터리: {directory}\n" }
        demo_request() { en: "Plan the opening day of a small bakery.", ko: "작은 빵집의 개업일을 준비해 주세요." }
        demo_planned(count) { en: "  plan: {count} items, checked and approved. hast picks who works next, not the model.", ko: "  계획: {count}개 항목을 검사하고 승인했습니다. 다음에 누가 일할지는 모델이 아니라 hast가 정합니다." }
        demo_grown(id, count) { en: "  {id}: too complex by the rule (more than 3 steps). Its expert broke it down; {count} items joined the plan.", ko: "  {id}: 규칙상 너무 복잡합니다(3단계 초과). 전문가가 나눈 {count}개 항목이 계획에 들어왔습니다." }
        demo_failed(id, why) { en: "  {id}: failed ({why}). One replacement is asked of the planner.", ko: "  {id}: 실패했습니다({why}). 계획 전문가에게 대안을 한 번 요청합니다." }
        demo_replaced(id, by) { en: "  {id}: replaced by {by}.", ko: "  {id}: {by}(으)로 대신합니다." }
        demo_done(id) { en: "  {id}: completed; the next item is asked with its results.", ko: "  {id}: 완료. 다음 항목이 이 결과를 받습니다." }
        demo_reported() { en: "  report: written. Now the planner judges whether it answers the request.", ko: "  보고서: 작성했습니다. 이제 요청에 답하는지 판정합니다." }
        demo_answered() { en: "  judged: it does. The response goes out.\n", ko: "  판정: 요청에 답합니다. 응답을 전달합니다.\n" }
        demo_end(directory) {
            en: "Look around:\n  cd {directory}\n  hast kernel show                 # the plan, how it grew, the report\n  cat .brain/activeContext.md      # the plan as a checklist\n  cat .brain/events.ndjson         # every step of the protocol\nIn your own directory:\n  hast kernel boot                 # experts to edit\n  hast kernel start \"...\"          # ask",
            ko: "둘러보기:\n  cd {directory}\n  hast kernel show                 # 계획, 계획이 자란 과정, 보고서\n  cat .brain/activeContext.md      # 체크리스트로 된 계획\n  cat .brain/events.ndjson         # 프로토콜의 모든 단계\n내 디렉터리에서:\n  hast kernel boot                 # 고쳐 쓸 전문가들\n  hast kernel start \"...\"          # 요청하기",
        }
    }
}
