//! The default prompts of the session flow and what it says to people, in both languages.

use crate::agents::fields::allowed;
use crate::docs::session::PlanTask;
use crate::knowledge::Piece;
use crate::messages;
use crate::tools::Tool;
use crate::words::Lang;

messages! {
    plan_text() {
        en: "You are the Planner. Break the question down into tasks, top down, and say what is to be done, not how.\n\nWrite `decomposition.json` (major_version 1, revision 1) and `state.json` (ticker, company, year, min_year, as far as they matter) to the outbox; `goal.md` if it helps.\n- ids are T-0001, T-0002, ...; level 1 has parent_id null; a child stands after its parent, one level below.\n- Each task has exactly one of SEC, YFINANCE, WEB, SYNTHESIS as its data source. A task with children and outputs is SYNTHESIS.\n- outputs are files under /execution/outputs/<task>/; acceptance says in one line or more when the task is accepted.\n- A task of another source has as many tool_calls as outputs; the i-th call fills the i-th output. SYNTHESIS has none: it is made from what passed in its deps and children.",
        ko: "당신은 Planner입니다. 질문을 위에서 아래로 작업으로 분해하고, 방법이 아니라 무엇을 할지 쓰세요.\n\n`decomposition.json`(major_version 1, revision 1)과 `state.json`(필요한 만큼 ticker, company, year, min_year)을 outbox에 쓰고, 도움이 되면 `goal.md`도 쓰세요.\n- id는 T-0001, T-0002, ...입니다. level 1의 parent_id는 null이고, 하위 작업은 상위 작업 뒤에 한 단계 아래로 둡니다.\n- 각 작업의 data_sources는 SEC, YFINANCE, WEB, SYNTHESIS 중 정확히 하나입니다. 하위 작업과 산출물이 있는 작업은 SYNTHESIS입니다.\n- outputs는 /execution/outputs/<task>/ 아래의 파일이고, acceptance에는 합격 기준을 한 줄 이상 적습니다.\n- 다른 출처의 작업은 outputs와 같은 수의 tool_calls를 가지며 i번째 호출이 i번째 산출물을 채웁니다. SYNTHESIS에는 없습니다. deps와 하위 작업에서 통과한 것으로 만듭니다.",
    }
    tools_heading() {
        en: "Tools, with their arguments (`?` may be left out; in parentheses the allowed values):",
        ko: "도구와 인자 (`?`는 생략 가능, 괄호 안은 허용되는 값):",
    }
    today_is(date) { en: "Today is {date}.", ko: "오늘은 {date}입니다." }
    default_mode() {
        en: "You are one role of a research session that can be checked: a Planner plans, an Executor writes, a Critic judges, and hast fetches data and decides what counts. Your inputs are files below your working directory; you have nothing else. What you write counts only in the outbox, under the names that are asked for. Write in the language of the question. Numbers, names and quotations are exactly those of your inputs, and you say where each is from. What no input says you do not know: say so instead of filling it in. Ask nobody; the end of this text says what to do if you cannot go on.",
        ko: "당신은 검증 가능한 조사 세션에서 한 역할을 맡습니다. Planner가 계획하고 Executor가 쓰고 Critic이 판정하며, hast가 자료를 가져오고 무엇을 인정할지 정합니다. 입력은 작업 디렉터리 아래의 파일이고 그 밖에는 아무것도 없습니다. 쓴 것은 outbox에 요청받은 이름으로 있을 때만 인정됩니다. 질문의 언어로 쓰세요. 숫자와 이름과 인용은 입력에 있는 그대로 쓰고 어디서 왔는지 밝히세요. 입력에 없는 것은 모르는 것입니다. 채워 넣지 말고 모른다고 쓰세요. 아무에게도 묻지 마세요. 계속할 수 없을 때 할 일은 이 글의 끝에 있습니다.",
    }
    question_heading() { en: "Question:", ko: "질문:" }
    replan_text(reason: whole) {
        en: "You are the Planner. The plan in plan/active has to be revised: {reason}",
        ko: "당신은 Planner입니다. plan/active의 계획을 고쳐야 합니다: {reason}",
    }
    replan_rules() {
        en: "Write the whole new `decomposition.json`, `state.json` and `replan.json` ({{kind, reason}}) to the outbox. Tasks that have passed (context/index.json) stay exactly as they are, or are left out; what replaces them has a new id. MINOR mends the plan; MAJOR says that it was logically impossible.",
        ko: "새 `decomposition.json` 전체와 `state.json`, `replan.json`({{kind, reason}})을 outbox에 쓰세요. 통과한 작업(context/index.json)은 그대로 두거나 빼고, 대신하는 작업에는 새 id를 주세요. MINOR는 계획을 고치는 것이고 MAJOR는 논리적으로 불가능했다는 뜻입니다.",
    }
    must_be_major(major) { en: "It is a MAJOR one: major_version {major}, revision 1.", ko: "MAJOR여야 합니다: major_version {major}, revision 1." }
    may_be_minor(major, revision, next) { en: "MINOR: major_version {major}, revision {revision}. MAJOR: major_version {next}, revision 1.", ko: "MINOR이면 major_version {major}, revision {revision}, MAJOR이면 major_version {next}, revision 1입니다." }
    not_major() { en: "the kind must be MAJOR here", ko: "여기서는 kind가 MAJOR여야 합니다" }
    not_major_next() { en: "write MAJOR, and a plan of the next major_version", ko: "MAJOR와 다음 major_version의 계획을 쓰세요" }
    synthesize_text(task, title: whole) { en: "You are the Executor. Do task {task}: {title}", ko: "당신은 Executor입니다. 작업 {task}(을)를 수행하세요: {title}" }
    accepted_when() { en: "It is accepted when:", ko: "합격 기준:" }
    what_is_known() { en: "What is known:", ko: "알려진 것:" }
    synthesize_rules() {
        en: "Write the task's output files to the outbox, by their names. Use only the inputs you are given and cite them by their names in brackets, like [K-0001].",
        ko: "산출 파일을 이름 그대로 outbox에 쓰세요. 주어진 입력만 쓰고 [K-0001]처럼 대괄호 안의 이름으로 인용하세요.",
    }
    review_text(task, title: whole) {
        en: "You are the Critic. Review the outputs of task {task}: {title}",
        ko: "당신은 Critic입니다. 작업 {task}의 산출물을 검수하세요: {title}",
    }
    review_rules_heading() { en: "Rules:", ko: "검수 규칙:" }
    acceptance_heading() { en: "Answer each line:", ko: "각 줄에 답하세요:" }
    review_answer() {
        en: "Write `report.json` with verdict (PASS or FAIL), findings, required_fixes and checks, one {{acceptance, met, evidence}} for each line with the line word for word, to the outbox. An open fix or a line that is not met is a FAIL.",
        ko: "verdict(PASS 또는 FAIL), findings, required_fixes, 그리고 각 줄에 하나씩 checks({{acceptance, met, evidence}}, 줄은 글자 그대로)를 담은 `report.json`을 outbox에 쓰세요. 남은 수정 사항이 있거나 충족되지 않은 줄이 있으면 FAIL입니다.",
    }
    finalize_text() {
        en: "You are the Executor. Answer the question in `final.md`, from the knowledge that passed and nothing else. Put the name of what a statement rests on behind it in brackets, like [K-0001]; hast makes footnotes with their sources of these, so write no list of sources yourself. An answer without a citation, or with one that is not in the list below, is not taken.",
        ko: "당신은 Executor입니다. 통과한 지식만으로 질문에 답하는 `final.md`를 쓰세요. 문장마다 근거의 이름을 [K-0001]처럼 대괄호에 넣어 뒤에 붙이세요. hast가 이것으로 출처가 적힌 각주를 만드니 출처 목록은 쓰지 마세요. 인용이 없거나 아래 목록에 없는 것을 인용한 답은 받지 않습니다.",
    }
    known_heading() { en: "What is known:", ko: "알려진 것 가운데 답의 근거:" }
    verdict_text() {
        en: "You are the Critic. Judge output/final.md: it must answer the question, keep the rules, and say nothing that the artifacts behind its footnotes do not say. All artifacts that passed are among your inputs; compare the numbers.\n\nWrite `verdict.md`. Its first line begins with the word PASS or FAIL. Below PASS, what the answer rests on; below FAIL, each thing that is to be changed and where. Example of a first line: `FAIL: the revenue is that of 2023`. FAIL sends the answer back once; a second FAIL ends the session without an answer.",
        ko: "당신은 Critic입니다. output/final.md를 판정하세요. 질문에 답하고, 규칙을 지키고, 각주가 가리키는 산출물에 없는 말을 하지 않아야 합니다. 통과한 산출물이 모두 입력에 있으니 숫자를 비교하세요.\n\n`verdict.md`를 쓰세요. 첫 줄은 PASS나 FAIL이라는 단어로 시작합니다. PASS 아래에는 답의 근거를, FAIL 아래에는 고칠 것과 그 위치를 하나씩 쓰세요. 첫 줄의 예: `FAIL: 매출이 2023년 숫자입니다`. FAIL이면 답이 한 번 되돌아가고, 두 번째 FAIL이면 세션이 답 없이 끝납니다.",
    }
    no_ruling() { en: "verdict.md begins with neither PASS nor FAIL", ko: "verdict.md가 PASS나 FAIL로 시작하지 않습니다" }
    no_ruling_next() { en: "begin the first line with the word PASS or FAIL, and say why below it", ko: "첫 줄을 PASS나 FAIL로 시작하고 그 아래에 이유를 쓰세요" }
    no_citation() { en: "final.md cites nothing of what is known", ko: "final.md가 알려진 것을 하나도 인용하지 않았습니다" }
    no_citation_next() { en: "cite what each statement rests on by its name in brackets, like [K-0001]", ko: "각 문장의 근거를 [K-0001]처럼 대괄호 안의 이름으로 인용하세요" }
    answer_refused(wanted) { en: "the Critic did not take the answer: {wanted}", ko: "Critic이 답을 받아들이지 않았습니다: {wanted}" }
    try_again(faults: whole) { en: "The last try did not pass:\n{faults}", ko: "지난 시도는 통과하지 못했습니다:\n{faults}" }
    a_person_says(notes: whole) { en: "A person answered:\n{notes}", ko: "사람의 답:\n{notes}" }
    review_rules() {
        en: "# Review rules\n- Every claim has a source.\n- Numbers are those of the source.\n",
        ko: "# 검수 규칙\n- 모든 주장에 출처가 있다.\n- 숫자는 출처의 숫자와 같다.\n",
    }
    no_check(line) { en: "checks has no answer for the acceptance line \"{line}\"", ko: "checks에 acceptance \"{line}\"에 대한 답이 없습니다" }
    no_evidence_of(line) { en: "the check \"{line}\" has no evidence", ko: "checks \"{line}\"에 evidence가 없습니다" }
    no_check_next() { en: "answer each acceptance line with {{acceptance, met, evidence}}: the line word for word, and where you saw it", ko: "acceptance의 각 줄에 {{acceptance, met, evidence}}로 답하세요. 줄은 글자 그대로, evidence에는 확인한 곳을 적으세요" }
    gate_outputs() { en: "outputs", ko: "산출물" }
    gate_missing(names) { en: "missing {names}", ko: "없음: {names}" }
    gate_artifacts() { en: "artifacts", ko: "산출물 검사" }
    gate_verdict() { en: "verdict", ko: "판정" }
    gate_fail() { en: "the critic says FAIL", ko: "Critic이 FAIL로 판정" }
    gate_fixes() { en: "required fixes", ko: "고칠 것" }
    gate_acceptance() { en: "acceptance", ko: "합격 기준" }
    gate_unmet(count) { en: "{count} lines are not met", ko: "{count}개를 만족하지 못함" }
    not_as_made(artifacts) { en: "not there as they were made: {artifacts}", ko: "만든 그대로 있지 않은 산출물: {artifacts}" }
    not_known(ids) { en: "cited but not known: {ids}", ko: "인용했지만 알려지지 않은 것: {ids}" }
    not_known_next() { en: "cite only what context/index.json calls ACTIVE", ko: "context/index.json에서 ACTIVE인 것만 인용하세요" }
    role_asks(role, reason) { en: "{role} cannot go on: {reason}", ko: "{role}(이)가 계속할 수 없습니다: {reason}" }
    no_plan(reason) { en: "the Planner gave no workable plan: {reason}. What should it know, or should it simply try again?", ko: "Planner가 쓸 수 있는 계획을 내지 못했습니다: {reason}. 무엇을 알려 줄까요, 아니면 그냥 다시 시도할까요?" }
    missing(path, offer) { en: "{path} is missing. {offer}", ko: "{path}(이)가 없습니다. {offer}" }
    offer_log(word) { en: "Put it back and answer anything, or answer `{word}`: it begins again with what plan and index prove, and the rest is done again.", ko: "되돌려 놓고 아무 답이나 하거나 `{word}`(이)라고 답하세요. 계획과 색인이 증명하는 것으로 다시 시작하고 나머지는 다시 합니다." }
    offer_status(word) { en: "Put it back and answer anything, or answer `{word}`: it is built again from the log.", ko: "되돌려 놓고 아무 답이나 하거나 `{word}`(이)라고 답하세요. 로그에서 다시 만듭니다." }
    offer_metadata(word) { en: "Put it back and answer anything, or answer `{word}`: it is built again from the plan.", ko: "되돌려 놓고 아무 답이나 하거나 `{word}`(이)라고 답하세요. 계획에서 다시 만듭니다." }
    offer_archive(restore, replan) { en: "Put it back and answer anything, answer `{restore}` for the last plan of the archive, or `{replan}` for a new one.", ko: "되돌려 놓고 아무 답이나 하거나, 보관된 마지막 계획을 쓰려면 `{restore}`, 새 계획을 세우려면 `{replan}`(이)라고 답하세요." }
    offer_replan(replan) { en: "Put it back and answer anything, or answer `{replan}` for a new plan; the archive has none.", ko: "되돌려 놓고 아무 답이나 하거나, 새 계획을 세우려면 `{replan}`(이)라고 답하세요. 보관된 계획은 없습니다." }
    a_person_said() { en: "a person asked for a new plan", ko: "사람이 새 계획을 요청했습니다" }
    waits(id, question) { en: "the session waits for an answer to {id}: {question}", ko: "세션이 {id}의 답을 기다립니다: {question}" }
    waits_next(id) { en: "run `hast session answer {id} \"...\"`, then `hast session resume`", ko: "`hast session answer {id} \"...\"`를 실행한 뒤 `hast session resume`을 실행하세요" }
    no_question(id) { en: "there is no question {id} in this session", ko: "이 세션에는 질문 {id}(이)가 없습니다" }
    no_question_next() { en: "see `hast session show`", ko: "`hast session show`를 보세요" }
    has_answer(id) { en: "{id} has an answer already", ko: "{id}에는 이미 답이 있습니다" }
    has_answer_next() { en: "run `hast session resume`", ko: "`hast session resume`을 실행하세요" }
    not_waited(id) { en: "the session went on without an answer to {id}", ko: "세션은 {id}의 답 없이 이미 진행되었습니다" }
    answered(id) { en: "{id} is answered", ko: "{id}에 답했습니다" }
    answered_next() { en: "run `hast session resume`", ko: "`hast session resume`을 실행하세요" }
    no_replan() { en: "there is no plan at work here that could be revised", ko: "고칠 수 있는, 진행 중인 계획이 없습니다" }
    no_replan_next() { en: "see `hast session show`", ko: "`hast session show`를 보세요" }
    completed(tasks) { en: "the session is complete: {tasks} tasks passed", ko: "세션을 마쳤습니다. 통과한 작업 {tasks}개" }
    completed_next() { en: "read output/final.md", ko: "output/final.md를 읽으세요" }
    failed(reason) { en: "the session failed: {reason}", ko: "세션이 실패했습니다: {reason}" }
    failed_next() { en: "read plan/active/status_log.ndjson and the reports in critique/, then start a new session", ko: "plan/active/status_log.ndjson과 critique/의 보고서를 보고 새 세션을 시작하세요" }
    edited_plan(path) { en: "{path} was changed without a revision", ko: "{path}(이)가 개정 없이 바뀌었습니다" }
    edited_plan_next() { en: "put it back as it was, or let the Planner revise it with `hast session replan --reason \"...\"`", ko: "원래대로 되돌리거나 `hast session replan --reason \"...\"`으로 Planner가 고치게 하세요" }
    unreadable(path) { en: "{path} is missing or cannot be read", ko: "{path}(이)가 없거나 읽을 수 없습니다" }
    unreadable_next(path) { en: "put {path} right (`hast verify` says where it is wrong), then resume", ko: "{path}(을)를 바로잡고(`hast verify`가 틀린 곳을 알려 줍니다) 이어서 실행하세요" }
    stuck() { en: "no task of the plan can begin: they wait for each other", ko: "시작할 수 있는 작업이 없습니다. 서로를 기다리고 있습니다" }
    stuck_next() { en: "look at deps and parent_id in plan/active/decomposition.json", ko: "plan/active/decomposition.json의 deps와 parent_id를 확인하세요" }
    nothing() { en: "there is no session here", ko: "여기에는 세션이 없습니다" }
    nothing_next() { en: "start one", ko: "세션을 시작하세요" }
}

/// The first plan. A question is told whole, however long it is.
pub fn plan(lang: Lang, today: &str, query: &str) -> String {
    let (text, today) = (plan_text(lang), today_is(lang, today));
    format!("{text}\n\n{today}\n\n{}\n\n{}\n", question(lang, query), tools_heading(lang))
}

/// Another plan, and why.
pub fn replan(lang: Lang, today: &str, query: &str, (reason, rule): (&str, &str)) -> String {
    let (text, rules) = (replan_text(lang, reason), replan_rules(lang));
    let (question, tools) = (question(lang, query), tools_heading(lang));
    let today = today_is(lang, today);
    format!("{text}\n\n{today}\n\n{question}\n\n{rules}\n{rule}\n\n{tools}\n")
}

/// The question that the whole session is about, below what a role is asked to do.
fn question(lang: Lang, query: &str) -> String {
    format!("{}\n{}", question_heading(lang), query.trim_end())
}

pub fn synthesize(lang: Lang, query: &str, task: &PlanTask, known: &str) -> String {
    let text = synthesize_text(lang, &task.id, &task.title);
    let question = question(lang, query);
    let (when, lines) = (accepted_when(lang), acceptance(task));
    let (heading, rules) = (what_is_known(lang), synthesize_rules(lang));
    format!("{text}\n\n{question}\n\n{when}\n{lines}\n{heading}\n{known}\n{rules}")
}

pub fn review(lang: Lang, query: &str, task: &PlanTask, rules: &str) -> String {
    let text = review_text(lang, &task.id, &task.title);
    let question = question(lang, query);
    let (answer, lines) = (acceptance_heading(lang), acceptance(task));
    let rules = match rules.trim() {
        "" => String::new(),
        rules => format!("{}\n{rules}\n\n", review_rules_heading(lang)),
    };
    format!("{text}\n\n{question}\n\n{rules}{answer}\n{lines}\n{}", review_answer(lang))
}

pub fn finalize(lang: Lang, query: &str, known: &str) -> String {
    let (text, question) = (finalize_text(lang), question(lang, query));
    format!("{text}\n\n{question}\n\n{}\n{known}", known_heading(lang))
}

pub fn verdict(lang: Lang, query: &str, rules: &str) -> String {
    let (text, question) = (verdict_text(lang), question(lang, query));
    let rules = match rules.trim() {
        "" => String::new(),
        rules => format!("\n\n{}\n{rules}", review_rules_heading(lang)),
    };
    format!("{text}\n\n{question}{rules}")
}

/// Every tool that a plan may call, with its schema, for the planner.
pub fn tools() -> String {
    let tools = Tool::ALL.into_iter().filter_map(|tool| {
        let source = tool.source()?;
        let source = serde_json::to_value(source).unwrap_or_default();
        let (name, about) = (tool.name(), tool.description());
        let source = source.as_str().unwrap_or_default();
        let (args, example) = (arguments(tool), tool.example());
        Some(format!("- {source} {name}: {about} args: {args}; for example {example}\n"))
    });
    tools.collect()
}

/// The arguments of a tool in a few words: names, whether they are needed, and the allowed values.
fn arguments(tool: Tool) -> String {
    let schema = tool.schema();
    let needed: Vec<&str> = schema
        .get("required")
        .and_then(|list| list.as_array())
        .map_or_else(Vec::new, |list| list.iter().filter_map(|name| name.as_str()).collect());
    let properties = schema.get("properties").and_then(|value| value.as_object());
    let names = properties.into_iter().flatten().map(|(name, property)| {
        let mark = if needed.contains(&name.as_str()) { "" } else { "?" };
        let values = allowed(&schema, property).map(|values| format!(" ({values})"));
        format!("{name}{mark}{}", values.unwrap_or_default())
    });
    names.collect::<Vec<_>>().join(", ")
}

/// Pieces of knowledge by their names.
pub fn named<'p>(pieces: impl Iterator<Item = &'p Piece>) -> String {
    // As it lies below the working directory; with its slash it would name a file of the machine.
    let path = |piece: &'p Piece| piece.artifact.trim_start_matches('/');
    pieces.map(|piece| format!("- [{}] {}\n", piece.id, path(piece))).collect()
}

/// The acceptance of a task as a list.
pub fn acceptance(task: &PlanTask) -> String {
    task.acceptance.iter().map(|line| format!("- {line}\n")).collect()
}

/// A prompt, and below it why the last try did not pass.
pub fn with_faults(prompt: String, faults: &[String], lang: Lang) -> String {
    below(prompt, faults, |list| try_again(lang, list))
}

/// A prompt, and below it what a person said.
pub fn with_notes(prompt: String, notes: &[String], lang: Lang) -> String {
    below(prompt, notes, |list| a_person_says(lang, list))
}

fn below(prompt: String, lines: &[String], say: impl Fn(&str) -> String) -> String {
    if lines.is_empty() {
        return prompt;
    }
    // Messages are for people and stay short; what an agent is told is told whole.
    const HERE: &str = "@@";
    let list: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    format!("{prompt}\n\n{}", say(HERE).replace(HERE, &list))
}
