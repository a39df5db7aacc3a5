//! Messages of the run flow to people, and the texts that it writes into its own tables.

use crate::messages;
use crate::words::{Lang, visible};

messages! {
    analyzing() { en: "\"What is given?\" Analyse objective facts and accumulate basic 'analysis blocks'.", ko: "\"무엇이 주어졌는가?\" 객관적 사실을 분석하여 기초적인 '분석 블록'을 축적합니다." }
    strategizing() { en: "\"How do we win?\" Build higher 'strategy blocks' on the analysed facts.", ko: "\"어떻게 이길 것인가?\" 분석된 사실을 바탕으로 고차원적인 '전략 블록'을 수립합니다." }
    refining_content() { en: "\"How do we deepen it?\" Fuse analysis and strategy into deeper 'refined blocks'.", ko: "\"어떻게 심화할 것인가?\" 분석과 전략을 융합하여 더 깊이 있는 '정련된 블록'을 생성합니다." }
    generating_output() { en: "\"How does it become the final deliverables?\" Plan the assembly, make the parts, assemble them in the forms the user wants, and publish to outputs/.", ko: "\"어떻게 '최종 산출물들'로 변환하고 전달할 것인가?\" 조립 계획을 수립하고, 중간 부품을 생성한 뒤, 사용자가 요구한 형식으로 조립하여 outputs/ 폴더로 발행합니다." }
    phase_zero() { en: "Turn the request into a constitution that the user has confirmed", ko: "요청을 사용자가 확정한 헌법으로 제정합니다" }
    stage_zero() { en: "Interactive instructional amendment", ko: "대화형 지시사항 개정" }
    environment() { en: "Environment", ko: "실행 환경 구축" }
    environment_purpose() { en: "Make the directories of the run", ko: "실행의 폴더를 생성한다" }
    constitution() { en: "Constitution", ko: "최종 헌법 개정" }
    constitution_purpose() { en: "Enter the confirmed proposal into db/user_instructions.md", ko: "확인된 제안을 db/user_instructions.md에 반영한다" }
    catalog() { en: "Catalog", ko: "초기 지식 카탈로그 구축" }
    catalog_purpose() { en: "Enter assets/ and guidelines/ into the catalog", ko: "assets/와 guidelines/를 카탈로그에 등재한다" }
    first_analysis() { en: "First analysis", ko: "초기 분석 및 자산화" }
    first_analysis_purpose() { en: "Analyse what was brought, as the constitution asks, into a first document", ko: "헌법에 따라 주어진 자료를 분석해 최초 분석 문서를 만든다" }
    proposal_purpose() { en: "Propose the constitution of the run", ko: "지시사항 개정 제안서 작성" }
    stages_purpose(phase) { en: "Plan the stages of {phase}", ko: "{phase}의 Stage 계획 수립" }
    tasks_purpose(stage) { en: "Plan the tasks of the stage {stage}", ko: "Stage {stage}의 Task 계획 수립" }
    publish_purpose() { en: "Publish the deliverables", ko: "최종 산출물 발행" }
    to_be_enacted() { en: "What will be enacted", ko: "확정되면 시행될 지시사항" }
    supersedes(id, content) { en: "takes the place of {id}: {content}", ko: "{id}(을)를 대신합니다: {content}" }
    because(why) { en: "because: {why}", ko: "근거: {why}" }
    searched(query) { en: "Searched for: {query}", ko: "검색어: {query}" }
    sources() { en: "Sources", ko: "출처" }
    not_fetched(error) { en: "(could not be read: {error})", ko: "(읽지 못했습니다: {error})" }
    search_summary(query, count) { en: "Web search report, results: {count}. {query}", ko: "웹 검색 보고서, 결과 {count}건. {query}" }
    chart_summary(title, from) { en: "Chart \"{title}\" from {from}", ko: "{from}의 데이터로 그린 차트 \"{title}\"" }
    published_from(path) { en: "Published from {path}", ko: "{path}에서 발행" }
    no_data(files) { en: "there are no numbers to draw in: {files}", ko: "그릴 수 있는 숫자가 없습니다: {files}" }
    no_output_path(id) { en: "the task {id} has no output_path in tasks.md", ko: "tasks.md의 Task {id}에 output_path가 없습니다" }
    not_active(id) { en: "`{id}` is not an ACTIVE instruction", ko: "`{id}`(은)는 ACTIVE 지시사항이 아닙니다" }
    superseded_twice(id) { en: "`{id}` is superseded twice", ko: "`{id}`(을)를 두 번 대신합니다" }
    not_active_next() { en: "name only ids of db/user_instructions.md that are ACTIVE, each once", ko: "db/user_instructions.md에서 ACTIVE인 id만 한 번씩 적으세요" }
    proposal_missing() { en: "instructions.json of the proposal is missing", ko: "제안의 instructions.json이 없습니다" }
    no_evidence(task) { en: "`{task}` rests on nothing: no evidence, no task", ko: "`{task}`에 근거 파일이 없습니다. 근거 없는 Task는 만들 수 없습니다" }
    not_in_catalog(task, path) { en: "`{task}` refers to `{path}`, which is neither in the catalog nor made by an earlier task", ko: "`{task}`(이)가 참조하는 `{path}`(은)는 카탈로그에도 없고 앞선 Task의 산출물도 아닙니다" }
    evidence_next() { en: "refer to paths of db/knowledge_base_catalog.md, or to the output_path of a task above", ko: "db/knowledge_base_catalog.md의 경로나 앞선 Task의 output_path를 참조하세요" }
    reference_gone(task, path) { en: "`{task}` refers to `{path}`, which is not there any more", ko: "`{task}`(이)가 참조하는 `{path}`(이)가 더는 없습니다" }
    reference_gone_next() { en: "refer to another file", ko: "다른 파일을 참조하세요" }
    too_large(task, path, size) { en: "`{task}` refers to `{path}`, which has {size} bytes", ko: "`{task}`(이)가 참조하는 `{path}`의 크기가 {size}바이트입니다" }
    too_large_next(limit) { en: "refer to files of at most {limit} bytes; plan a task that makes an excerpt", ko: "{limit}바이트 이하의 파일을 참조하고, 필요하면 발췌본을 만드는 Task를 계획하세요" }
    hidden(task, path) { en: "`{task}` refers to `{path}`, which only the Planner may know", ko: "`{task}`(이)가 플래너만 알아야 하는 `{path}`(을)를 참조합니다" }
    hidden_next() { en: "translate the recipe into plain tool tasks", ko: "MCP를 단순한 tool_task로 번역하세요" }
    outside(task, path) { en: "the output_path of `{task}` is out of place: `{path}`", ko: "`{task}`의 output_path가 제자리에 있지 않습니다: `{path}`" }
    outside_next(places) { en: "put it below {places}", ko: "{places} 아래에 두세요" }
    taken_name(task, path) { en: "the output of `{task}` has a name that is taken: `{path}`", ko: "`{task}`의 산출물 이름은 쓸 수 없습니다: `{path}`" }
    output_twice(task, path) { en: "the output of `{task}` is the output of another task: `{path}`", ko: "`{task}`의 산출물이 다른 Task의 산출물과 겹칩니다: `{path}`" }
    output_twice_next() { en: "give every task one output file of its own", ko: "모든 Task에 서로 다른 산출 파일 하나씩을 주세요" }
    too_many(count, most) { en: "the list has {count} entries; at most {most} are taken", ko: "목록에 항목이 {count}개 있습니다. {most}개까지만 받습니다" }
    too_many_next() { en: "write a shorter list", ko: "더 짧은 목록을 쓰세요" }
    no_mode(why) { en: "nobody could say how to work on the request: {why}", ko: "요청의 작동 모드를 정하지 못했습니다: {why}" }
    no_mode_next() { en: "choose it: hast run start --mode simple|initial|continuous \"...\"", ko: "직접 고르세요: hast run start --mode simple|initial|continuous \"...\"" }
    simple_next() { en: "ask for more: hast run start \"...\"", ko: "더 요청하기: hast run start \"...\"" }
    simple_failed(why) { en: "the task failed: {why}", ko: "작업이 실패했습니다: {why}" }
    simple_failed_next() { en: "look at .hast/calls, then try again", ko: ".hast/calls를 확인한 뒤 다시 시도하세요" }
    answered(run, number) { en: "proposal {number} of {run} is answered", ko: "{run}의 제안 {number}에 답했습니다" }
    answered_next(run) { en: "go on with hast run resume {run}", ko: "hast run resume {run}(으)로 이어 가세요" }
    answered_too_late(run, number, why) { en: "proposal {number} of {run} cannot be confirmed any more, a new one is made: {why}", ko: "{run}의 제안 {number}(은)는 더는 확인할 수 없어 새로 제안합니다: {why}" }
    decided_already(run, number) { en: "proposal {number} of {run} was decided already", ko: "{run}의 제안 {number}(은)는 이미 결정되었습니다" }
    decided_already_next(run) { en: "see `hast run show {run}`", ko: "`hast run show {run}`을 보세요" }
    not_awaiting(run, number) { en: "{run} does not wait for a decision on proposal {number}", ko: "{run}(은)는 제안 {number}에 대한 결정을 기다리지 않습니다" }
    awaiting(run, number, file) { en: "{run} waits for your decision on proposal {number}: {file}", ko: "{run}(이)가 제안 {number}에 대한 결정을 기다립니다: {file}" }
    awaiting_next(run) { en: "hast run confirm {run} (or: modify \"<text>\" {run}, cancel {run})", ko: "hast run confirm {run} (또는: modify \"<내용>\" {run}, cancel {run})" }
    completed(run, outputs) {
        en: "[Completed] The work you asked for (Run: {run}) has been completed successfully.\n\n- You find the final results here:\n  {outputs}\n\nIf anything is unclear, please ask at any time.",
        ko: "[작업 완료] 요청하신 작업(Run: {run})이 성공적으로 완료되었습니다.\n\n- 최종 결과물은 다음 경로에서 확인하실 수 있습니다:\n  {outputs}\n\n궁금한 점이 있으시면 언제든지 질문해주세요.",
    }
    completed_next(run) { en: "hast run show {run}", ko: "hast run show {run}" }
    failed_words(run, place, who, purpose) {
        en: "[Failed] The run {run} failed and was stopped.\n\n- Place: {place} ({who})\n- Purpose: {purpose}\n- Error:",
        ko: "[작업 실패] 실행 {run}(이)가 실패하여 중단되었습니다.\n\n- 위치: {place} ({who})\n- 목적: {purpose}\n- 오류:",
    }
    failed_without_report(run) { en: "the run {run} is FAILED, and its failure.json is missing", ko: "실행 {run}(은)는 FAILED 상태이고 failure.json이 없습니다" }
    failed_next() { en: "FAILED is final; start a run that learns from it: hast run start --mode continuous \"...\"", ko: "FAILED는 최종 상태입니다. 이 실패에서 배우는 실행을 시작하세요: hast run start --mode continuous \"...\"" }
    cancelled() { en: "cancelled by the user", ko: "사용자가 취소했습니다" }
    cancelled_because(why) { en: "cancelled by the user: {why}", ko: "사용자가 취소했습니다: {why}" }
    unreadable(what) { en: "a table cannot be read: {what}", ko: "읽을 수 없는 표가 있습니다: {what}" }
    unreadable_next() { en: "mend it (`hast verify` shows each place), then `hast run resume`", ko: "표를 고친 뒤(`hast verify`가 위치를 보여 줍니다) `hast run resume`을 실행하세요" }
    table_missing(run) { en: "tables of {run} are missing (phases.md, major_stages.md or tasks.md, or db/user_instructions.md)", ko: "{run}의 표가 없습니다(phases.md, major_stages.md, tasks.md 또는 db/user_instructions.md)" }
    table_missing_next(run) { en: "bring them back (git checkout, a backup), then `hast run resume {run}`", ko: "표를 되돌린 뒤(git checkout, 백업) `hast run resume {run}`을 실행하세요" }
    nothing_delivered(run, outputs) { en: "{run} has nothing to deliver: there is no file for {outputs}", ko: "{run}(이)가 내놓을 것이 없습니다. {outputs}에 둘 파일이 없습니다" }
    nothing_delivered_next(place, run) { en: "put the files of {place} back, then `hast run resume {run}`", ko: "{place}의 파일을 되돌린 뒤 `hast run resume {run}`(을)를 실행하세요" }
    unfounded(run, ids) { en: "the tables of {run} say COMPLETED where no event does: {ids}", ko: "{run}의 표에는 COMPLETED인데 어떤 이벤트도 그렇게 말하지 않습니다: {ids}" }
    unfounded_after(what, reason) { en: "{what} (the agent's call: {reason})", ko: "{what} (에이전트 호출: {reason})" }
    unfounded_next(run) { en: "see `hast run verify {run}`, set those statuses back to PENDING, then resume", ko: "`hast run verify {run}`을 보고 그 상태를 PENDING으로 되돌린 뒤 이어서 실행하세요" }
    contradictory(run) { en: "the tables of {run} contradict each other: what is above says more than what it is made of", ko: "{run}의 표가 서로 모순됩니다. 상위 항목의 상태가 하위 항목과 맞지 않습니다" }
    contradictory_next(run) { en: "see `hast run verify {run}`, put the statuses right, then resume", ko: "`hast run verify {run}`을 보고 상태를 바로잡은 뒤 이어서 실행하세요" }
    bad_template(name) { en: "db/templates/default_phases.md cannot be used: `{name}` is no directory name, stands there twice, or is the tenth phase", ko: "db/templates/default_phases.md를 쓸 수 없습니다. `{name}`(은)는 폴더 이름이 될 수 없거나, 두 번 있거나, 열 번째 Phase입니다" }
    bad_template_next() { en: "use at most nine phases with different names of letters, digits, `_` and `-`", ko: "문자, 숫자, `_`, `-`로 된 서로 다른 이름의 Phase를 아홉 개까지 쓰세요" }
    too_many_proposals(run) { en: "{run} has had 20 proposals and none was confirmed", ko: "{run}에서 제안이 20번 있었지만 확인되지 않았습니다" }
    too_many_proposals_next() { en: "start a new run with a clearer request", ko: "더 분명한 요청으로 새 실행을 시작하세요" }
    unknown(run) { en: "there is no run {run}", ko: "실행 {run}(이)가 없습니다" }
    unknown_next() { en: "see `hast run list`", ko: "`hast run list`를 보세요" }
}

/// The failure report: the original error is quoted whole.
pub fn failed(
    lang: Lang,
    run: impl std::fmt::Display,
    place: String,
    who: String,
    purpose: &str,
    error: &str,
) -> String {
    let mut text = failed_words(lang, run, place, who, purpose);
    for line in error.lines() {
        text.push_str("\n  ");
        text.push_str(&visible(line));
    }
    text
}
