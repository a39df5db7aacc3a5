//! The default prompts and the words of the kernel flow, in both languages.

use serde_json::Value;

use crate::docs::kernel::{Expert, TodoItem};
use crate::flows::kernel::view::View;
use crate::messages;
use crate::words::Lang;

messages! {
    you_are(name, role: whole) { en: "You are {name}. {role}", ko: "당신은 {name}입니다. {role}" }
    plan_words(experts: whole, request: whole) {
        en: "Make a plan for this request and write it as `plan.json` with `todo_list`. Each item has id, title, description, expert, status, dependencies, estimated_steps and requires_external_data. The first item is in_progress and depends on nothing; all others are pending.\n\nExperts:\n{experts}\n\nRequest:\n{request}",
        ko: "이 요청의 계획을 세워 `todo_list`를 담은 `plan.json`으로 쓰세요. 각 항목에는 id, title, description, expert, status, dependencies, estimated_steps, requires_external_data가 있습니다. 첫 항목은 in_progress이고 아무것에도 의존하지 않으며, 나머지는 모두 pending입니다.\n\n전문가:\n{experts}\n\n요청:\n{request}",
    }
    execute_words(id, title: whole, description: whole, request: whole, around: whole) {
        en: "Do this item and write `output.json` with task_id `{id}`, status `completed` and your result. Put result files beside it.\n\nItem {id}: {title}\n{description}\n\nThe request that it is a part of:\n{request}\n\n{around}",
        ko: "이 항목을 수행하고 task_id `{id}`, status `completed`, result를 담은 `output.json`을 쓰세요. 결과 파일은 그 옆에 두세요.\n\n항목 {id}: {title}\n{description}\n\n이 항목이 속한 요청:\n{request}\n\n{around}",
    }
    expand_words(id, title: whole, description: whole, request: whole, around: whole, experts: whole) {
        en: "This item is too complex for one step. Break it down into at most 10 smaller items and write `output.json` with task_id `{id}`, status `needs_sub_plan` and them as `plan`.\n\nItem {id}: {title}\n{description}\n\nThe request that it is a part of:\n{request}\n\n{around}\n\nExperts:\n{experts}",
        ko: "이 항목은 한 번에 하기에 너무 복잡합니다. 최대 10개의 작은 항목으로 나누고 task_id `{id}`, status `needs_sub_plan`, 항목들을 `plan`에 담은 `output.json`을 쓰세요.\n\n항목 {id}: {title}\n{description}\n\n이 항목이 속한 요청:\n{request}\n\n{around}\n\n전문가:\n{experts}",
    }
    replace_words(item: whole, error: whole, request: whole, around: whole, experts: whole) {
        en: "This item failed. Write another way to reach the same as `plan.json` with `todo_list`, at most 10 items; another expert may do it.\n\nItem {item}\nWhy it failed: {error}\n\nThe request that it is a part of:\n{request}\n\n{around}\n\nExperts:\n{experts}",
        ko: "이 항목이 실패했습니다. 같은 결과에 이르는 다른 방법을 `todo_list`를 담은 `plan.json`으로 쓰세요. 최대 10개 항목이며 다른 전문가가 맡아도 됩니다.\n\n항목 {item}\n실패 원인: {error}\n\n이 항목이 속한 요청:\n{request}\n\n{around}\n\n전문가:\n{experts}",
    }
    report_words(request: whole, results: whole) {
        en: "Write the final report as `report.md`. It must answer the request.\n\nRequest:\n{request}\n\nResults:\n{results}",
        ko: "최종 보고서를 `report.md`로 쓰세요. 요청에 답해야 합니다.\n\n요청:\n{request}\n\n결과:\n{results}",
    }
    judge_words(request: whole, items: whole, report: whole) {
        en: "Judge whether the report answers the request. Write `judgement.json` with `answers` (true or false) and `reason`.\n\nRequest:\n{request}\n\nItems:\n{items}\n\nReport:\n{report}",
        ko: "보고서가 요청에 답하는지 판정하세요. `answers`(true 또는 false)와 `reason`을 담은 `judgement.json`을 쓰세요.\n\n요청:\n{request}\n\n항목:\n{items}\n\n보고서:\n{report}",
    }
    wrong_task(id) { en: "task_id is `{id}`, which is not the item you were given", ko: "task_id가 `{id}`인데, 받은 항목이 아닙니다" }
    wrong_task_next(id) { en: "use task_id `{id}`", ko: "task_id를 `{id}`(으)로 쓰세요" }
    expansion_wanted() { en: "the item is too complex by the rule, and you answered `completed`", ko: "규칙상 너무 복잡한 항목인데 `completed`로 답했습니다" }
    expansion_wanted_next() { en: "answer `needs_sub_plan` with a plan", ko: "계획을 담아 `needs_sub_plan`으로 답하세요" }
    no_expansion(id) { en: "`{id}` cannot be broken down any further", ko: "`{id}`(은)는 더 나눌 수 없습니다" }
    no_expansion_next() { en: "do it yourself and answer `completed`, or `failed` with the cause", ko: "직접 수행하고 `completed`로, 아니면 원인과 함께 `failed`로 답하세요" }
    running() { en: "the kernel is RUNNING", ko: "커널이 RUNNING 상태입니다" }
    running_next() { en: "hast kernel start \"<request>\"", ko: "hast kernel start \"<요청>\"" }
    no_request(id) { en: "there is no request {id}", ko: "요청 {id}(이)가 없습니다" }
    no_request_next() { en: "see `hast kernel list`", ko: "`hast kernel list`를 보세요" }
    completed(items) { en: "the request is answered; items completed: {items}", ko: "요청에 답했습니다. 완료한 항목 {items}개" }
    completed_next(report) { en: "read .brain/{report}", ko: ".brain/{report}(을)를 읽으세요" }
    failed(error) { en: "the request failed: {error}", ko: "요청이 실패했습니다: {error}" }
    failed_next(errors) { en: "read .brain/{errors}, then start a new request", ko: ".brain/{errors}(을)를 보고 새 요청을 시작하세요" }
    kernel_failed(cause) { en: "the kernel is FAILED: {cause}", ko: "커널이 FAILED 상태입니다: {cause}" }
    kernel_failed_next() { en: "mend the cause, then run `hast kernel boot`", ko: "원인을 고치고 `hast kernel boot`를 실행하세요" }
    edited_mirror(difference) { en: "activeContext.md was edited and no longer says what the plan says ({difference}); the plan does not follow it", ko: "activeContext.md가 편집되어 계획과 다릅니다({difference}). 계획은 이 파일을 따르지 않습니다" }
    edited_plan(path) { en: ".brain/{path} was edited; it is no longer the plan that hast wrote", ko: ".brain/{path}(이)가 편집되어 hast가 쓴 계획이 아닙니다" }
    lost_plan(path) { en: ".brain/{path} is gone or cannot be read", ko: ".brain/{path}(이)가 없거나 읽을 수 없습니다" }
    edited_plan_next(path) { en: "put .brain/{path} back (activeContext.md shows its items and states), then resume; or start a new request", ko: ".brain/{path}(을)를 되돌린 뒤 이어서 실행하세요(activeContext.md에 항목과 상태가 있습니다). 아니면 새 요청을 시작하세요" }
    edited_file(path) { en: "the request rests on .brain/{path}, which is not what it was when it was made", ko: "요청이 근거로 삼는 .brain/{path}(이)가 만들어졌을 때와 다릅니다" }
    lost_file(path) { en: "the request rests on .brain/{path}, which is not there any more", ko: "요청이 근거로 삼는 .brain/{path}(이)가 더는 없습니다" }
    broken_file_next(path, transcript) { en: "put .brain/{path} back as it was (.brain/{transcript} has every answer), then resume; or start a new request", ko: ".brain/{path}(을)를 원래대로 되돌린 뒤 이어서 실행하세요(.brain/{transcript}에 모든 답이 있습니다). 아니면 새 요청을 시작하세요" }
    no_mirror() { en: "activeContext.md is missing", ko: "activeContext.md가 없습니다" }
    kept_mirror(path) { en: "activeContext.md had been edited; it is kept as .brain/{path}", ko: "activeContext.md가 편집되어 있었습니다. .brain/{path}에 보관합니다" }
    second_replacement(error, id) { en: "{error}; {id} stands in for another item already, and a failed item gets one replacement in all", ko: "{error}; {id}(은)는 이미 다른 항목을 대신하는 항목이고, 실패한 항목의 대안은 모두 합쳐 하나입니다" }
    no_room(error, id) { en: "{error}; the plan has no room for a replacement of {id}", ko: "{error}; 계획에 {id}의 대안이 들어갈 자리가 없습니다" }
    stuck() { en: "no item of the plan can go on", ko: "계획에서 진행할 수 있는 항목이 없습니다" }
    no_replacement(error, why) { en: "{error}; no replacement: {why}", ko: "{error}; 대안 없음: {why}" }
    not_completed(id) { en: "{id} is not completed", ko: "{id}(이)가 완료되지 않았습니다" }
    not_answered(reason) { en: "the report does not answer the request: {reason}", ko: "보고서가 요청에 답하지 않습니다: {reason}" }
    may_write(globs: whole) { en: "In the project you may change only what these patterns name: {globs}. Any other change fails the item.", ko: "프로젝트에서는 다음 패턴에 맞는 것만 바꿀 수 있습니다: {globs}. 다른 것을 바꾸면 항목이 실패합니다." }
    may_not_write() { en: "Change nothing in the project.", ko: "프로젝트의 파일은 아무것도 바꾸지 마세요." }
    edited_mirror_next() { en: "undo the edit, or delete the file to have it written anew, then resume", ko: "편집을 되돌리거나 파일을 지워 새로 쓰게 한 뒤 이어서 실행하세요" }
}

pub fn plan(expert: &Expert, request: &str, view: &View, lang: Lang) -> String {
    with_expert(expert, &plan_words(lang, experts(view), request), lang)
}

pub fn execute(
    expert: &Expert,
    item: &TodoItem,
    request: &str,
    around: &str,
    lang: Lang,
) -> String {
    let TodoItem { id, title, description, .. } = item;
    let words = execute_words(lang, id, title, description, request, around);
    with_expert(expert, &words, lang)
}

pub fn expand(
    expert: &Expert,
    item: &TodoItem,
    (request, around): (&str, &str),
    view: &View,
    lang: Lang,
) -> String {
    let TodoItem { id, title, description, .. } = item;
    let words = expand_words(lang, id, title, description, request, around, experts(view));
    with_expert(expert, &words, lang)
}

pub fn replace(
    expert: &Expert,
    item: &TodoItem,
    (request, error, around): (&str, &str, &str),
    view: &View,
    lang: Lang,
) -> String {
    let TodoItem { id, title, description, .. } = item;
    let item = format!("{id}: {title}\n{description}");
    let words = replace_words(lang, item, error, request, around, experts(view));
    with_expert(expert, &words, lang)
}

pub fn report(expert: &Expert, request: &str, results: &Value, lang: Lang) -> String {
    with_expert(expert, &report_words(lang, request, format!("{results:#}")), lang)
}

pub fn judge(
    expert: &Expert,
    request: &str,
    items: &[TodoItem],
    report: &str,
    lang: Lang,
) -> String {
    let top = items.iter().filter(|item| item.depth == 1);
    let items: String = top.map(|item| format!("- {}: {}\n", item.id, item.title)).collect();
    with_expert(expert, &judge_words(lang, request, items, report), lang)
}

/// What the expert's file says, then the task.
fn with_expert(expert: &Expert, words: &str, lang: Lang) -> String {
    // Where the file says a duty again in its words, once is enough.
    let said = expert.instructions.trim();
    let duties = expert.responsibilities.iter().filter(|duty| duty.trim() != said);
    let duties: String = duties.map(|duty| format!("- {duty}\n")).collect();
    let who = you_are(lang, &expert.name, &expert.role);
    let walls = match expert.writes.is_empty() {
        true => may_not_write(lang),
        false => may_write(lang, expert.writes.join(", ")),
    };
    format!("{who}\n{duties}\n{}\n\n{words}\n\n{walls}", expert.instructions)
}

fn experts(view: &View) -> String {
    let index = view.index.as_ref().and_then(|index| index.as_ref().ok());
    let working = view.working_experts();
    let entries = index.into_iter().flat_map(|index| &index.experts);
    let entries = entries.filter(|entry| working.contains(&entry.name));
    entries.map(|entry| format!("- {}: {}\n", entry.name, entry.role)).collect()
}
