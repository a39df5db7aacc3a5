//! The default prompts of the run flow, in both languages. Texts of people and plans are put in
//! whole, below a heading; only short names are part of a sentence.

use crate::messages;
use crate::words::Lang;

pub use super::words::*;

/// The fixed parts of prompts.
pub mod fixed {
    use super::messages;

    messages! {
        classify() {
            en: "You are the Planner. Say whether this request is a simple task (one action or one answer, no plan and no files to keep) or needs a structured run (research, several documents, deliverables). Write `mode.json` with `mode`: SIMPLE_TASK or STRUCTURED. When in doubt: STRUCTURED.",
            ko: "당신은 플래너입니다. 이 요청이 단순 작업(행동 하나나 답 하나, 계획도 남길 파일도 필요 없음)인지, 구조적 실행(조사, 여러 문서, 산출물)이 필요한지 판단하세요. `mode`가 SIMPLE_TASK 또는 STRUCTURED인 `mode.json`을 쓰세요. 애매하면 STRUCTURED입니다.",
        }
        simple() {
            en: "You are the Executor. Carry out this request at once, in the current directory, and answer in your last message.",
            ko: "당신은 익스큐터입니다. 현재 디렉터리에서 이 요청을 바로 수행하고 마지막 메시지로 답하세요.",
        }
        propose() {
            en: "You are the Planner, acting as a legislative aide: analyse what the new request means for the instructions in force and draft an amendment.\n\nWrite `feedback_for_user.md`: what you understood, what you propose to do, every conflict between the request and an instruction that is ACTIVE, and the amendment for each. Write `instructions.json`: the instructions of this run as a list of {{instruction_type, content, supersedes, justification}}. `supersedes` names the ids of ACTIVE instructions that the new one takes the place of; leave it empty where nothing conflicts. Instructions that stay in force are not repeated.",
            ko: "당신은 입법 보좌관 역할의 플래너입니다. 새 요청이 시행 중인 지시사항에 미칠 영향을 분석하고 개정안을 작성하세요.\n\n`feedback_for_user.md`를 쓰세요: 이해한 내용, 하려는 일, 요청과 ACTIVE 지시사항의 모든 충돌, 각 충돌의 개정안. `instructions.json`을 쓰세요: 이번 실행의 지시사항 목록 {{instruction_type, content, supersedes, justification}}. `supersedes`에는 새 지시사항이 대신하는 ACTIVE 지시사항의 id를 적고, 충돌이 없으면 비워 두세요. 계속 유효한 지시사항은 되풀이하지 않습니다.",
        }
        first_constitution() {
            en: "There are no earlier runs: propose the first constitution from the request alone.",
            ko: "과거 실행이 없습니다. 현재 요청만으로 최초의 헌법 초안을 제안하세요.",
        }
        modified() {
            en: "The person wants the last proposal changed. What they said, and the proposal as it was:",
            ko: "사용자가 지난 제안의 수정을 원합니다. 사용자의 말과 지난 제안:",
        }
        outdated() {
            en: "The last proposal was confirmed, but the instructions changed meanwhile. Make a new one. What changed, and the proposal as it was:",
            ko: "지난 제안이 확인되었지만 그 사이 지시사항이 바뀌었습니다. 새로 제안하세요. 바뀐 내용과 지난 제안:",
        }
        stages(phase) {
            en: "You are the Planner. Plan the stages of the phase {phase} as an asset acquisition plan.\n1. WHY: which portfolio of assets must exist when this phase ends?\n2. HOW: which stages, one after the other, acquire these assets?\n3. Word each stage_goal as a function: which assets the stage makes, and how they serve the next stage or phase.\n\nWrite `stages.json`: a list of {{stage_name, stage_goal}} in the order of execution.",
            ko: "당신은 플래너입니다. {phase} Phase의 Stage를 자산 취득 계획으로 설계하세요.\n1. WHY: 이 Phase가 끝날 때 어떤 자산 포트폴리오가 있어야 하는가?\n2. HOW: 어떤 단계를 차례로 거쳐 그 자산을 취득하는가?\n3. 각 stage_goal은 어떤 자산을 만들고 그것이 다음 단계나 Phase에 어떻게 기여하는지 기능 중심으로 서술하세요.\n\n실행 순서대로 {{stage_name, stage_goal}} 목록을 담은 `stages.json`을 쓰세요.",
        }
        tasks(stage) {
            en: "You are the Planner. Plan the tasks of the stage {stage}.\n1. Choose the methodology that fits the stage goal best (for example SWOT, PEST, 5-Forces), yourself.\n2. Break it down into IPO units, one task each. INPUT: which files does it need? They go into related_references, as paths of the catalog or the output_path of an earlier task of this plan; a task without evidence is not allowed. PROCESS: one clear action, as task_purpose. OUTPUT: exactly one new file, as output_path.\n3. Chain them: the output of a task is the input of the next (local chain), and every output is an asset that later stages, phases and runs can reuse and combine (global influence). Prefer small modules to one large report.\n4. Consider expansion: is the input insufficient, so that something must be looked up first? Then give pre_tool_purpose. Would the output gain from a chart or the like? Then give post_tool_purpose.\n\nWrite `tasks.json`: a list of {{task_name, task_purpose, related_references, output_path, pre_tool_purpose, post_tool_purpose}} in the order of execution.",
            ko: "당신은 플래너입니다. {stage} Stage의 Task를 설계하세요.\n1. stage_goal에 가장 적합한 방법론(예: SWOT, PEST, 5-Forces)을 스스로 선택하세요.\n2. IPO 단위로 분해해 각각을 Task 하나로 만드세요. INPUT: 어떤 파일이 필요한가? related_references에 카탈로그의 경로나 이 계획의 앞선 Task의 output_path로 적습니다. 근거 파일이 없는 Task는 만들 수 없습니다. PROCESS: 명확하고 단일한 행동을 task_purpose에 적습니다. OUTPUT: 새 파일 정확히 하나를 output_path에 적습니다.\n3. 사슬로 이으세요: 앞 Task의 출력이 다음 Task의 입력이 되고(지역적 연결), 모든 출력은 이후 Stage, Phase, 실행에서 재사용하고 조합할 수 있는 자산입니다(전역적 영향력). 큰 보고서 하나보다 작은 모듈이 낫습니다.\n4. 확장을 고려하세요: 입력이 부족해 먼저 찾아봐야 하면 pre_tool_purpose를, 출력에 차트 등이 도움이 되면 post_tool_purpose를 적으세요.\n\n실행 순서대로 {{task_name, task_purpose, related_references, output_path, pre_tool_purpose, post_tool_purpose}} 목록을 담은 `tasks.json`을 쓰세요.",
        }
        tool_tasks(target) {
            en: "You are the Planner. plan_target: \"{target}\". Break the purpose below down into single tool tasks. tool_type `Web Search` looks up the web and writes a report with sources; `Data Visualization` draws the task's data as a chart; any other tool_type is done by an agent. If guidelines/mcp_list.md has a recipe that fits, translate it completely into plain steps: whoever does them knows nothing of recipes.\n\nWrite `tool_tasks.json`: a list of {{tool_type, tool_task_name, tool_task_purpose}} in the order of execution.",
            ko: "당신은 플래너입니다. plan_target: \"{target}\". 아래 목적을 개별 tool_task로 분해하세요. tool_type `Web Search`는 웹을 탐색해 출처가 있는 보고서를 쓰고, `Data Visualization`은 Task의 데이터를 차트로 그립니다. 그 밖의 tool_type은 에이전트가 수행합니다. guidelines/mcp_list.md에 알맞은 MCP가 있으면 단순한 단계들로 완전히 번역하세요. 수행하는 쪽은 MCP를 모릅니다.\n\n실행 순서대로 {{tool_type, tool_task_name, tool_task_purpose}} 목록을 담은 `tool_tasks.json`을 쓰세요.",
        }
        task(output) {
            en: "You are the Executor. Do exactly this task and nothing else, from the files listed below. Write its one output file `{output}`, and `result.json` with `summary` (one or two sentences that let others find and reuse the file) and `post_tool_required` (whether the purpose of the tools that follow still holds).",
            ko: "당신은 익스큐터입니다. 아래에 나열된 파일을 바탕으로 이 Task만 정확히 수행하세요. 산출 파일 `{output}` 하나와, `summary`(다른 이가 찾아 재사용할 수 있는 한두 문장)와 `post_tool_required`(후행 도구의 목적이 여전히 유효한지)를 담은 `result.json`을 쓰세요.",
        }
        tool_task(kind, output) {
            en: "You are the Executor of a tool task ({kind}). Do exactly what its purpose says, from the files listed below. Write `{output}`, and `result.json` with `summary`.",
            ko: "당신은 도구 작업({kind})의 익스큐터입니다. 아래에 나열된 파일을 바탕으로 목적에 적힌 것만 수행하세요. `{output}`과 `summary`를 담은 `result.json`을 쓰세요.",
        }
        request() { en: "Request", ko: "요청" }
        in_force() { en: "Instructions in force", ko: "시행 중인 지시사항" }
        past() { en: "Similar runs of the past", ko: "비슷한 과거 실행" }
        purpose() { en: "Purpose", ko: "목적" }
        goal() { en: "Goal of the stage", ko: "Stage 목표" }
        catalog() { en: "Catalog (whole: db/knowledge_base_catalog.md)", ko: "카탈로그 (전체: db/knowledge_base_catalog.md)" }
        places() { en: "output_path lies below", ko: "output_path가 놓일 곳" }
        post_tools() { en: "Tools that follow", ko: "후행 도구" }
        core_task() { en: "Core task", ko: "핵심 Task" }
        output() { en: "Output of the core task", ko: "핵심 Task의 산출물" }
    }
}

pub use fixed::CATALOGUE as FIXED;

/// A prompt with sections; empty ones are left out.
fn with_sections(mut prompt: String, sections: &[(String, &str)]) -> String {
    for (heading, text) in sections.iter().filter(|(_, text)| !text.trim().is_empty()) {
        prompt.push_str("\n\n# ");
        prompt.push_str(heading);
        prompt.push('\n');
        prompt.push_str(text.trim_end());
    }
    prompt
}

pub fn classify(lang: Lang, request: &str) -> String {
    with_sections(fixed::classify(lang), &[(fixed::request(lang), request)])
}

pub fn simple(lang: Lang, request: &str) -> String {
    with_sections(fixed::simple(lang), &[(fixed::request(lang), request)])
}

pub fn propose(lang: Lang, request: &str, in_force: &str, past: &str) -> String {
    let mut prompt = fixed::propose(lang);
    if past.trim().is_empty() {
        prompt.push_str("\n\n");
        prompt.push_str(&fixed::first_constitution(lang));
    }
    with_sections(
        prompt,
        &[
            (fixed::request(lang), request),
            (fixed::in_force(lang), in_force),
            (fixed::past(lang), past),
        ],
    )
}

pub fn modified(lang: Lang, said: &str, before: impl std::fmt::Display) -> String {
    format!("{}\n\n{said}\n\n---\n{before}", fixed::modified(lang))
}

pub fn outdated(lang: Lang, why: &str, before: impl std::fmt::Display) -> String {
    format!("{}\n\n{why}\n\n---\n{before}", fixed::outdated(lang))
}

pub fn stages(
    lang: Lang,
    phase: &str,
    purpose: &str,
    request: &str,
    in_force: &str,
    catalog: &str,
) -> String {
    with_sections(
        fixed::stages(lang, phase),
        &[
            (fixed::purpose(lang), purpose),
            (fixed::request(lang), request),
            (fixed::in_force(lang), in_force),
            (fixed::catalog(lang), catalog),
        ],
    )
}

pub fn tasks(
    lang: Lang,
    (phase, purpose): (&str, &str),
    (stage, goal): (&str, &str),
    in_force: &str,
    catalog: &str,
    places: &str,
) -> String {
    with_sections(
        fixed::tasks(lang, stage),
        &[
            (format!("{phase}: {}", fixed::purpose(lang)), purpose),
            (fixed::goal(lang), goal),
            (fixed::places(lang), places),
            (fixed::in_force(lang), in_force),
            (fixed::catalog(lang), catalog),
        ],
    )
}

pub fn tool_tasks(
    lang: Lang,
    target: &str,
    (name, task_purpose): (&str, &str),
    purpose: &str,
    output: &str,
    in_force: &str,
) -> String {
    with_sections(
        fixed::tool_tasks(lang, target),
        &[
            (fixed::purpose(lang), purpose),
            (format!("{}: {name}", fixed::core_task(lang)), task_purpose),
            (fixed::output(lang), output),
            (fixed::in_force(lang), in_force),
        ],
    )
}

pub fn task(
    lang: Lang,
    (name, purpose): (&str, &str),
    output: &str,
    post_tools: Option<&str>,
    in_force: &str,
) -> String {
    with_sections(
        fixed::task(lang, output),
        &[
            (name.to_owned(), purpose),
            (fixed::post_tools(lang), post_tools.unwrap_or_default()),
            (fixed::in_force(lang), in_force),
        ],
    )
}

pub fn tool_task(
    lang: Lang,
    (kind, name, purpose): (&str, &str, &str),
    output: &str,
    in_force: &str,
) -> String {
    with_sections(
        fixed::tool_task(lang, kind, output),
        &[(name.to_owned(), purpose), (fixed::in_force(lang), in_force)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::placeholders;

    #[test]
    fn every_prompt_and_every_word_is_there_in_both_languages() {
        for entry in FIXED.iter().chain(CATALOGUE) {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
        }
    }

    #[test]
    fn a_long_request_of_several_lines_is_in_the_prompt_as_it_is() {
        let request = format!("첫 줄\n{}\n끝", "가".repeat(2_000));
        assert!(propose(Lang::Ko, &request, "", "").contains(&request));
    }
}
