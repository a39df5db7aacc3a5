//! Messages and help of the contract flow's commands, and messages of its demo, in Korean and
//! English.

pub(crate) mod help {
    //! Help texts.
    hast_flow::messages! {
        contract() { en: "A feature built test-first, through contracts and gates", ko: "계약과 게이트를 거쳐 테스트부터 만드는 기능" }
        start() { en: "Start a request: explore, plan, design, test, implement, verify", ko: "요청을 시작합니다: 탐색, 계획, 설계, 테스트, 구현, 검증" }
        resume() { en: "Go on with a request that was cut off or stopped", ko: "중단되거나 멈춘 요청을 이어서 진행합니다" }
        stop() { en: "Stop the active request and keep its state", ko: "진행 중인 요청을 멈추고 상태를 남깁니다" }
        list() { en: "All requests of this project", ko: "이 프로젝트의 모든 요청" }
        show() { en: "A request's tasks and subtasks with phases and gates", ko: "요청의 작업과 하위작업을 단계와 게이트와 함께 보여 줍니다" }
        verify() { en: "Check the files below .claude/orchestrator/", ko: ".claude/orchestrator/ 아래의 파일을 검사합니다" }
        knowledge() { en: "What the project has learnt", ko: "프로젝트가 배운 것" }
        knowledge_list() { en: "Patterns, decisions and pitfalls", ko: "관례, 결정, 함정" }
        knowledge_add() { en: "Add a decision, a pitfall or a pattern", ko: "결정, 함정 또는 관례를 추가합니다" }
        request() { en: "What is wanted, in your words", ko: "원하는 것을 자유롭게 쓴 글" }
        resume_id() { en: "The request; without one, the current", ko: "요청. 없으면 현재 요청" }
        show_id() { en: "The request; without one, the current", ko: "요청. 없으면 현재 요청" }
        verify_id() { en: "Only what lies in this request's directory", ko: "이 요청의 디렉터리에 있는 것만 검사합니다" }
        decision() { en: "A decision on this topic; TEXT says what was decided", ko: "이 주제에 대한 결정. TEXT에 결정을 씁니다" }
        pitfall() { en: "A pitfall; TEXT says why it is one", ko: "함정. TEXT에 이유를 씁니다" }
        pattern() { en: "A habit of the project under this name; TEXT says which", ko: "이 이름의 관례. TEXT에 내용을 씁니다" }
        piece_text() { en: "The decision, the reason or the habit", ko: "결정, 이유 또는 관례" }
        rationale() { en: "Why it was decided so", ko: "그렇게 결정한 까닭" }
        piece_refs() { en: "A file that it is about; may be repeated", ko: "관련 파일. 여러 번 쓸 수 있습니다" }
    }
}

pub(crate) mod say {
    //! Everything else.
    hast_flow::messages! {
        title() { en: "hast contract", ko: "hast contract 진행" }
        discovery() { en: "discovery", ko: "탐색" }
        no_contract() { en: "there is no .claude/orchestrator/ here or above", ko: "여기와 상위 디렉터리에 .claude/orchestrator/가 없습니다" }
        no_contract_next() { en: "run `hast contract start \"...\"`", ko: "`hast contract start \"...\"`를 실행하세요" }
        empty_request() { en: "the request is empty", ko: "요청이 비어 있습니다" }
        empty_request_next() { en: "say what you want: hast contract start \"...\"", ko: "원하는 것을 쓰세요: hast contract start \"...\"" }
        no_test_command() { en: "there is no test_command: the gates would have nothing to go by", ko: "test_command가 없어 게이트가 판단할 근거가 없습니다" }
        no_test_command_next() { en: "write `test_command: \"...\"` to .ai/config.yaml (`hast init` finds it for you)", ko: ".ai/config.yaml에 `test_command: \"...\"`를 쓰세요(`hast init`이 찾아 줍니다)" }
        no_requests() { en: "there are no requests yet", ko: "아직 요청이 없습니다" }
        no_requests_next() { en: "start one: hast contract start \"...\"", ko: "새로 시작하세요: hast contract start \"...\"" }
        other_path(paths) { en: "the requests that lie here are those of {paths}; they go on only at that path, and a new one takes the next number", ko: "여기 있는 요청은 {paths}의 것입니다. 그 경로에서만 이어지며, 새 요청은 다음 번호를 받습니다" }
        unknown_request(id) { en: "there is no request {id}", ko: "요청 {id}(이)가 없습니다" }
        unknown_request_next() { en: "see `hast contract list`", ko: "`hast contract list`를 보세요" }
        past_request(id, current) { en: "{id} is over; the current request is {current}", ko: "{id}(은)는 지난 요청입니다. 현재 요청은 {current}입니다" }
        past_request_next(current) { en: "resume {current}, or start a new request", ko: "{current}(을)를 이어가거나 새 요청을 시작하세요" }
        active() { en: "active", ko: "진행 중" }
        completed() { en: "completed", ko: "완료" }
        stopped() { en: "stopped", ko: "중지" }
        gate_failed(subtask, round, gate, reasons) { en: "{subtask} round {round}: {gate} not passed: {reasons}", ko: "{subtask} 라운드 {round}: {gate} 통과하지 못함: {reasons}" }
        too_large(subtask, path, at) { en: "{subtask}: {path} was too large for a ref and is in {at}; move it back from there if you want it", ko: "{subtask}: {path}(은)는 ref에 담기에 너무 커서 {at}(으)로 옮겼습니다. 필요하면 거기서 되옮기세요" }
        set_aside(subtask, saved) { en: "{subtask}: what was in the tree is on {saved}; `git restore --source={saved} -- PATH` brings a file back", ko: "{subtask}: 트리에 있던 것은 {saved}에 있습니다. `git restore --source={saved} -- PATH`로 파일을 되찾습니다" }
        was_resumed() { en: "it was taken up again", ko: "다시 이어서 진행했습니다" }
        was_overtaken() { en: "another request has begun since", ko: "그 뒤에 다른 요청을 시작했습니다" }
        empty_piece() { en: "there is nothing to keep: the text is empty", ko: "저장할 것이 없습니다. 내용이 비어 있습니다" }
        empty_piece_next() { en: "say what was decided, what goes wrong, or what the habit is", ko: "무엇을 정했는지, 무엇이 잘못되는지, 어떤 관례인지 쓰세요" }
        no_knowledge() { en: "nothing is known about this project yet", ko: "아직 이 프로젝트에 대해 배운 것이 없습니다" }
        patterns() { en: "Patterns", ko: "관례" }
        decisions() { en: "Decisions", ko: "결정" }
        pitfalls() { en: "Pitfalls", ko: "함정" }
        memory_fallback(why) { en: "claude-mem does not answer ({why}); hast searches its own records instead", ko: "claude-mem이 응답하지 않습니다({why}). 대신 hast의 기록을 찾습니다" }
        rounds(count) { en: "round {count}", ko: "라운드 {count}" }
        demo_intro(directory) { en: "A small feature, built test-first by agents that are only a script:\nno model, no key, no network.\nScratch repository: {directory}\n", ko: "스크립트로 된 에이전트들이 테스트부터 만드는 작은 기능. 모델도 키도 네트워크도 쓰지 않습니다.\n임시 저장소: {directory}\n" }
        demo_request() { en: "A tenth off from 1000 on.", ko: "1000부터 10% 할인해 주세요." }
        demo_red(subtask) { en: "  {subtask}: the tests are written and red. GATE-1 lets them through: they are the contract now.", ko: "  {subtask}: 테스트를 썼고 실패합니다. GATE-1 통과. 이제 이것이 계약입니다." }
        demo_scope(subtask, reasons) { en: "  {subtask}: sent back by GATE-3 ({reasons}). The work is on a ref, the tree is back at the tests.", ko: "  {subtask}: GATE-3이 돌려보냈습니다({reasons}). 작업은 ref에 있고 트리는 테스트 시점으로 돌아갔습니다." }
        demo_reviewed(subtask) { en: "  {subtask}: within its scope, and the architect's review passes each invariant. GATE-3 and GATE-4.", ko: "  {subtask}: 범위 안이고 아키텍트 검토가 모든 불변 조건을 확인했습니다. GATE-3, GATE-4 통과." }
        demo_green(subtask) { en: "  {subtask}: hast ran the tests itself: green. GATE-2, and the commit.", ko: "  {subtask}: hast가 직접 테스트를 실행해 통과했습니다. GATE-2 통과, 커밋." }
        demo_learned(ids) { en: "  learned: {ids}. The next request is told.", ko: "  배운 것: {ids}. 다음 요청에 알려 줍니다." }
        demo_end(directory) {
            en: "Look around:\n  cd {directory}\n  hast contract show               # the matrix of gates\n  hast contract knowledge list     # what was learnt\n  git log --stat                   # test first, then the feature\nIn your own repository:\n  hast init                        # finds your test command\n  hast contract start \"...\"",
            ko: "둘러보기:\n  cd {directory}\n  hast contract show               # 게이트 표\n  hast contract knowledge list     # 배운 것\n  git log --stat                   # 테스트 먼저, 그다음 기능\n내 저장소에서:\n  hast init                        # 테스트 명령을 찾습니다\n  hast contract start \"...\"",
        }
    }
}
