//! Messages of the contract flow about faults, to people and to agents, in both languages.

crate::messages! {
    other_field(field, found) { en: "`{field}` is `{found}`, which is not what you were asked about", ko: "`{field}`(이)가 `{found}`인데, 요청받은 것이 아닙니다" }
    other_field_next(field, wanted) { en: "write `{field}: {wanted}`", ko: "`{field}: {wanted}`(으)로 쓰세요" }
    not_inside(path) { en: "`{path}` is no path of a file inside of the project", ko: "`{path}`(은)는 프로젝트 안의 파일 경로가 아닙니다" }
    not_inside_next() { en: "write it relative to the root of the project, without `..`", ko: "프로젝트 루트를 기준으로 `..` 없이 쓰세요" }
    not_yours(path) { en: "`{path}` belongs to git or to hast", ko: "`{path}`(은)는 git이나 hast의 것입니다" }
    not_yours_next() { en: "name a file of the project itself", ko: "프로젝트 자체의 파일을 쓰세요" }
    too_many(what, found, most) { en: "`{what}` has {found} entries; at most {most} are taken", ko: "`{what}`의 항목이 {found}개입니다. 최대 {most}개까지 받습니다" }
    too_many_next(what, most) { en: "cut `{what}` down to {most}", ko: "`{what}`(을)를 {most}개로 줄이세요" }
    twice_in_order(id) { en: "task_order names {id} twice", ko: "task_order에 {id}(이)가 두 번 있습니다" }
    twice_in_order_next() { en: "name each task once", ko: "각 작업을 한 번만 쓰세요" }
    no_verdict(assumption) { en: "there is no verdict on `{assumption}`", ko: "`{assumption}`에 대한 판정이 없습니다" }
    no_verdict_next() { en: "add an entry with exactly this assumption", ko: "이 가정을 그대로 적은 항목을 추가하세요" }
    unknown_assumption(assumption) { en: "`{assumption}` is no assumption of the breakdown", ko: "`{assumption}`(은)는 분해에 없는 가정입니다" }
    unknown_assumption_next() { en: "take it out, or write the assumption word for word", ko: "빼거나 가정을 글자 그대로 쓰세요" }
    no_evidence(subject) { en: "`{subject}` has no evidence", ko: "`{subject}`에 근거가 없습니다" }
    no_evidence_next() { en: "say where it can be seen: file, line, what stands there", ko: "어디서 볼 수 있는지 파일과 줄, 내용을 쓰세요" }
    twice_judged() { en: "an assumption is judged twice", ko: "같은 가정을 두 번 판정했습니다" }
    twice_judged_next() { en: "keep one verdict for each assumption", ko: "가정마다 판정을 하나만 남기세요" }
    same_id(id) { en: "the id {id} is there twice", ko: "id {id}(이)가 두 번 있습니다" }
    same_id_next() { en: "give each entry an id of its own", ko: "항목마다 다른 id를 쓰세요" }
    not_reviewed(subject) { en: "the review says nothing about `{subject}`", ko: "검토에 `{subject}`에 대한 말이 없습니다" }
    not_reviewed_next() { en: "add a finding with this subject, a verdict and evidence", ko: "이 subject와 verdict, evidence를 담은 항목을 추가하세요" }
    passes_what_failed(subject) { en: "the verdict is PASS, but `{subject}` failed", ko: "verdict가 PASS인데 `{subject}`(은)는 실패했습니다" }
    passes_what_failed_next() { en: "make the verdict FAIL with back_to, or correct the finding", ko: "verdict를 FAIL로 하고 back_to를 쓰거나 항목을 고치세요" }

    scope() { en: "changed files", ko: "바뀐 파일" }
    no_cases() { en: "there is no test case", ko: "테스트 케이스가 없습니다" }
    not_written() { en: "this call did not write it", ko: "이 호출이 쓰지 않았습니다" }
    no_test(paths) { en: "this is no test: {paths}", ko: "테스트가 아닌 파일입니다: {paths}" }
    could_not_run(why) { en: "the tests could not run: {why}", ko: "테스트를 실행할 수 없습니다: {why}" }
    green_too_early(targets) { en: "the tests pass before there is any code for {targets}; they prove nothing", ko: "{targets}의 코드가 없는데 테스트가 통과합니다. 아무것도 증명하지 못합니다" }
    green_no_symbol(targets) { en: "the tests pass, and {targets} is no name of code that could be taken away: these tests must fail first", ko: "테스트가 통과하는데 {targets}(은)는 없애 볼 수 있는 코드의 이름이 아닙니다. 이런 테스트는 먼저 실패해야 합니다" }
    green_no_body(targets) { en: "the tests pass, and hast cannot take away the body of {targets}: these tests must fail first", ko: "테스트가 통과하는데 hast에서 {targets}의 본문을 없애 볼 수 없습니다. 이런 테스트는 먼저 실패해야 합니다" }
    green_too_many(most) { en: "the tests pass, and their cases have more than {most} targets: split the subtask", ko: "테스트가 통과하는데 케이스의 대상이 {most}개보다 많습니다. 하위작업을 나누세요" }
    green_without(target) { en: "the tests pass also where the body of {target} raises: they do not test it", ko: "{target}의 본문이 예외를 던져도 테스트가 통과합니다. 이 코드를 시험하지 않습니다" }
    green_no_case(target) { en: "where the body of {target} raises, no case of the test file fails: the tests do not load, or others' tests fail. Use it inside of a case", ko: "{target}의 본문이 예외를 던질 때 테스트 파일의 어느 케이스도 실패하지 않습니다. 테스트를 불러오지 못하거나 다른 테스트가 실패합니다. 케이스 안에서 쓰세요" }
    red_syntax(file, line) { en: "{file} has a syntax error: {line}", ko: "{file}에 문법 오류가 있습니다: {line}" }
    red_by_others(names) { en: "what failed is no test of this contract: {names}", ko: "실패한 것이 이 계약의 테스트가 아닙니다: {names}" }
    red_without_case() { en: "the run failed, and nothing tells that a case failed: its output names neither a case nor, in a build or import error, a target", ko: "실행은 실패했지만 케이스가 실패했다는 말이 없습니다. 출력에 케이스도, 빌드나 가져오기 오류에서 대상도 나오지 않습니다" }
    not_built(paths) { en: "no implementation that passed GATE-3 and GATE-4 has changed any of {paths}, which the design has to be built", ko: "설계에서 만들거나 바꾸기로 한 {paths} 가운데 어느 것도 GATE-3과 GATE-4를 통과한 구현이 바꾸지 않았습니다" }
    not_in_checklist(id) { en: "the checklist has no line `- [ ] {id}` with a box", ko: "체크리스트에 네모 칸이 있는 `- [ ] {id}` 줄이 없습니다" }
    is_link(paths) { en: "a link and not a file: {paths}", ko: "파일이 아니라 링크입니다: {paths}" }
    outside(paths) { en: "outside of the design's file_refs: {paths}", ko: "설계의 file_refs 밖: {paths}" }
    tests_changed() { en: "the tests are not those that passed GATE-1", ko: "GATE-1을 통과한 테스트가 아닙니다" }
    tests_gone() { en: "the tests that passed GATE-1 are gone", ko: "GATE-1을 통과한 테스트가 없어졌습니다" }
    missing(paths) { en: "the design has these to be created, and they are not there: {paths}", ko: "설계에서 만들기로 한 파일이 없습니다: {paths}" }
    crossed(from, to, path, line) { en: "{from} must not use {to}: {path}:{line}", ko: "{from}(은)는 {to}(을)를 쓰면 안 됩니다: {path}:{line}" }
    suite_red(names) { en: "the tests failed: {names}", ko: "테스트가 실패했습니다: {names}" }
    some_failed(count) { en: "tests that failed: {count}", ko: "실패한 테스트 {count}개" }
    too_few(ran, skipped, cases) { en: "{ran} tests ran ({skipped} were skipped), the contract has {cases} cases", ko: "테스트 {ran}개가 실행되고 {skipped}개를 건너뛰었는데 계약의 케이스는 {cases}개입니다" }
    unread_report(files) { en: "a report that this run wrote cannot be read: {files}", ko: "이 실행이 쓴 보고서를 읽을 수 없습니다: {files}" }
    never_created(paths) { en: "no subtask after this one is left to create {paths}", ko: "{paths}(을)를 만들 하위작업이 더 남아 있지 않습니다" }
    review_failed(findings) { en: "the architect's review: {findings}", ko: "아키텍트 검토: {findings}" }
    touched(paths) { en: "documents of hast were changed by somebody else: {paths}", ko: "hast의 문서를 다른 이가 바꿨습니다: {paths}" }
    branch_left(branch, now) { en: "the work began on {branch}, and {now} is checked out", ko: "작업은 {branch}에서 시작했는데 지금은 {now}(이)가 체크아웃되어 있습니다" }
    tree_moved() { en: "files in the room changed after they were judged", ko: "판정한 뒤에 작업실의 파일이 바뀌었습니다" }
    merge_waits(subtask, why) { en: "{subtask} passed its gates and waits: {why}", ko: "{subtask}(은)는 게이트를 통과했지만 기다리고 있습니다: {why}" }
    earlier_version(subtask) { en: "an earlier version of hast was working at {subtask} in your checkout; what it left is there", ko: "이전 버전의 hast가 체크아웃에서 {subtask} 작업을 하고 있었습니다. 남긴 것은 그대로 있습니다" }
    others_next(id) { en: "look at `git status`, commit or put away what is in the way (`git stash push -u -- PATH`), then run `hast contract resume {id}`", ko: "`git status`를 보고 방해되는 것을 커밋하거나 치운 뒤(`git stash push -u -- PATH`) `hast contract resume {id}`를 실행하세요" }
    setup_failed(why) { en: "`room_setup` failed: {why}", ko: "`room_setup`이 실패했습니다: {why}" }
    setup_failed_next(id) { en: "mend `room_setup` in .ai/config.yaml, then run `hast contract resume {id}`", ko: ".ai/config.yaml의 `room_setup`을 고친 뒤 `hast contract resume {id}`를 실행하세요" }
    commit_refused(why) { en: "the commit was refused: {why}", ko: "커밋이 거부되었습니다: {why}" }
    call_failed(why) { en: "the agent failed: {why}", ko: "에이전트가 실패했습니다: {why}" }

    request_completed(id) { en: "{id} is complete: every subtask passed its gates", ko: "{id} 완료: 모든 하위작업이 게이트를 통과했습니다" }
    request_completed_next(id) { en: "look at it with `hast contract show {id}` and `git log`", ko: "`hast contract show {id}`와 `git log`로 확인하세요" }
    request_stopped(id, reason) { en: "{id} is stopped: {reason}", ko: "{id} 중지됨: {reason}" }
    request_stopped_next(id) { en: "see `hast contract show {id}`, mend the cause, then `hast contract resume {id}`", ko: "`hast contract show {id}`를 보고 원인을 고친 뒤 `hast contract resume {id}`를 실행하세요" }
    stopped_now(id) { en: "{id} is stopped; its state is kept", ko: "{id}(을)를 중지했습니다. 상태는 그대로 있습니다" }
    stopped_now_next(id) { en: "go on with `hast contract resume {id}`", ko: "`hast contract resume {id}`로 이어서 진행하세요" }
    goes_on(id) { en: "{id} is active again; drive it with `hast contract resume {id}`", ko: "{id}(이)가 다시 진행 중입니다. `hast contract resume {id}`로 진행하세요" }
    stays_stopped(id) { en: "{id} stays stopped; its state is kept", ko: "{id}(은)는 중지된 채로 있습니다. 상태는 그대로 있습니다" }
    decided_already(id) { en: "somebody has decided about {id} already", ko: "{id}에 대해 이미 누군가 결정했습니다" }
    already_over(id) { en: "{id} does not go on any more: there is nothing to stop", ko: "{id}(은)는 더 진행되지 않습니다. 중지할 것이 없습니다" }
    already_over_next() { en: "start a new one: `hast contract start \"...\"`", ko: "새로 시작하세요: `hast contract start \"...\"`" }
    another_active(id) { en: "{id} is active; a project has one request at a time", ko: "{id}(이)가 진행 중입니다. 프로젝트에는 한 번에 하나의 요청만 있습니다" }
    another_active_next(id) { en: "go on with `hast contract resume {id}`, or end it with `hast contract stop`", ko: "`hast contract resume {id}`로 이어가거나 `hast contract stop`으로 끝내세요" }
    taken_id(id) { en: "{id} is another request by now", ko: "그 사이 {id}(은)는 다른 요청이 되었습니다" }
    taken_id_next() { en: "run the command again: the request gets the next number", ko: "명령을 다시 실행하세요. 요청이 다음 번호를 받습니다" }
    unknown_request(id) { en: "hast has no record of {id}", ko: "hast에 {id}의 기록이 없습니다" }
    unknown_request_next() { en: "its log is missing, or another tool wrote it: see `hast contract list`; `hast contract stop` ends an active one, its documents stay, and a new one can be started", ko: "로그가 없거나 다른 도구가 썼습니다. `hast contract list`를 보세요. 진행 중인 요청은 `hast contract stop`으로 끝낼 수 있고, 문서는 남으며, 새 요청을 시작할 수 있습니다" }
    lost_documents(paths) { en: "documents of this request are missing or were changed: {paths}", ko: "이 요청의 문서가 없거나 바뀌었습니다: {paths}" }
    lost_documents_next() { en: "put them back as they were (see the hashes in events.ndjson), or stop this request and start anew", ko: "원래대로 되돌리거나(events.ndjson의 해시 참고) 이 요청을 중지하고 새로 시작하세요" }
    bad_state() { en: "state.json is not valid", ko: "state.json이 올바르지 않습니다" }
    bad_state_next() { en: "run `hast contract verify`, mend it or move it away, then start again", ko: "`hast contract verify`로 확인해 고치거나 옮긴 뒤 다시 시작하세요" }
    bad_knowledge() { en: "knowledge.yaml is not valid", ko: "knowledge.yaml이 올바르지 않습니다" }
    bad_knowledge_next() { en: "run `hast verify`, mend it, then run the command again", ko: "`hast verify`로 확인해 고친 뒤 명령을 다시 실행하세요" }
    learned(ids) { en: "kept: {ids}", ko: "저장했습니다: {ids}" }
    learned_next() { en: "see `hast contract knowledge list`", ko: "`hast contract knowledge list`를 보세요" }
    rounds_used_up(rounds) { en: "{rounds} rounds did not pass", ko: "{rounds}번의 라운드가 통과하지 못했습니다" }
    criterion_tests() { en: "every test of its subtasks passes", ko: "하위작업의 모든 테스트가 통과한다" }
    out_of_scope(name, objective: whole) { en: "{name}: {objective}", ko: "{name}: {objective}" }
    assumed(text: whole) { en: "Assumed: {text}", ko: "가정: {text}" }
    not_so(text: whole, evidence: whole) { en: "Not so: {text} ({evidence})", ko: "사실이 아님: {text} ({evidence})" }
    work_at(name) { en: "the work: git show {name}", ko: "작업 확인: git show {name}" }
    overcome(gate, round, next_round) { en: "failed {gate} in round {round}, passed in round {next_round}", ko: "라운드 {round}에서 {gate} 실패, 라운드 {next_round}에서 통과" }
}
