//! The default prompts of the session flow, in both languages.

use crate::docs::session::PlanTask;
use crate::messages;
use crate::words::Lang;

messages! {
    plan(query) {
        en: "You are the Planner. Break the question down into tasks.\n\nQuestion:\n{query}\n\nWrite `decomposition.json` (major_version 1, revision 1) and `state.json` to the outbox; `goal.md` if it helps. Each task has exactly one of SEC, YFINANCE, WEB, SYNTHESIS as its data source, outputs under /execution/outputs/<task>/, and acceptance lines. Say what is to be done, not how.",
        ko: "당신은 Planner입니다. 질문을 작업으로 분해하세요.\n\n질문:\n{query}\n\n`decomposition.json`(major_version 1, revision 1)과 `state.json`을 outbox에 쓰고, 도움이 되면 `goal.md`도 쓰세요. 각 작업의 data_sources는 SEC, YFINANCE, WEB, SYNTHESIS 중 정확히 하나이고, 산출물은 /execution/outputs/<task>/ 아래에 두며, acceptance를 적습니다. 방법이 아니라 무엇을 할지 쓰세요.",
    }
    synthesize(task, title, acceptance, inputs) {
        en: "You are the Executor. Do task {task}: {title}\n\nIt is accepted when:\n{acceptance}\n\nWhat is known:\n{inputs}\nWrite the task's output files to the outbox, by their names. Use only the inputs you are given and cite them by their names in brackets.",
        ko: "당신은 Executor입니다. 작업 {task}(을)를 수행하세요: {title}\n\n합격 기준:\n{acceptance}\n\n알려진 것:\n{inputs}\n산출 파일을 이름 그대로 outbox에 쓰세요. 주어진 입력만 쓰고 대괄호 안의 이름으로 인용하세요.",
    }
    review(task, title, acceptance) {
        en: "You are the Critic. Review the outputs of task {task}: {title}\n\nAnswer each line:\n{acceptance}\n\nWrite `report.json` with verdict (PASS or FAIL), findings, required_fixes and checks to the outbox.",
        ko: "당신은 Critic입니다. 작업 {task}의 산출물을 검수하세요: {title}\n\n각 줄에 답하세요:\n{acceptance}\n\nverdict(PASS 또는 FAIL), findings, required_fixes, checks를 담은 `report.json`을 outbox에 쓰세요.",
    }
    finalize(query) {
        en: "You are the Executor. Answer the question from the knowledge that passed, with citations, in `final.md`.\n\nQuestion:\n{query}",
        ko: "당신은 Executor입니다. 통과한 지식으로 질문에 답하고 인용을 달아 `final.md`를 쓰세요.\n\n질문:\n{query}",
    }
    verdict(query) {
        en: "You are the Critic. Say in `verdict.md` whether the final answer answers the question, and what it rests on.\n\nQuestion:\n{query}",
        ko: "당신은 Critic입니다. 최종 답이 질문에 답하는지, 무엇에 근거하는지 `verdict.md`에 쓰세요.\n\n질문:\n{query}",
    }
    try_again(faults) { en: "The last try did not pass:\n{faults}", ko: "지난 시도는 통과하지 못했습니다:\n{faults}" }
    review_rules() {
        en: "# Review rules\n- Every claim has a source.\n- Numbers are those of the source.\n",
        ko: "# 검수 규칙\n- 모든 주장에 출처가 있다.\n- 숫자는 출처의 숫자와 같다.\n",
    }
    not_as_made(artifacts) { en: "not there as they were made: {artifacts}", ko: "만든 그대로 있지 않은 산출물: {artifacts}" }
    completed(tasks) { en: "the session is complete: {tasks} tasks passed", ko: "세션을 마쳤습니다. 통과한 작업 {tasks}개" }
    completed_next() { en: "read output/final.md", ko: "output/final.md를 읽으세요" }
    failed(reason) { en: "the session failed: {reason}", ko: "세션이 실패했습니다: {reason}" }
    failed_next() { en: "read plan/active/status_log.ndjson and the reports in critique/, then start a new session", ko: "plan/active/status_log.ndjson과 critique/의 보고서를 보고 새 세션을 시작하세요" }
    unreadable(path) { en: "{path} is missing or cannot be read", ko: "{path}(이)가 없거나 읽을 수 없습니다" }
    unreadable_next(path) { en: "put {path} right (`hast verify` says where it is wrong), then resume", ko: "{path}(을)를 바로잡고(`hast verify`가 틀린 곳을 알려 줍니다) 이어서 실행하세요" }
    stuck() { en: "no task of the plan can begin: they wait for each other", ko: "시작할 수 있는 작업이 없습니다. 서로를 기다리고 있습니다" }
    stuck_next() { en: "look at deps and parent_id in plan/active/decomposition.json", ko: "plan/active/decomposition.json의 deps와 parent_id를 확인하세요" }
    nothing() { en: "there is no session here", ko: "여기에는 세션이 없습니다" }
    nothing_next() { en: "start one", ko: "세션을 시작하세요" }
}

/// The acceptance of a task as a list.
pub fn acceptance(task: &PlanTask) -> String {
    task.acceptance.iter().map(|line| format!("- {line}\n")).collect()
}

/// A prompt, and below it why the last try did not pass.
pub fn with_faults(prompt: String, faults: &[String], lang: Lang) -> String {
    if faults.is_empty() {
        return prompt;
    }
    let list: String = faults.iter().map(|fault| format!("- {fault}\n")).collect();
    format!("{prompt}\n\n{}", try_again(lang, list))
}
