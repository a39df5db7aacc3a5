//! The experts that a new kernel has, in both languages, and their files as they are first written.

use crate::docs::document::Version;
use crate::docs::kernel::{Brain, Expert, ExpertIndex, ExpertLimits, IndexEntry};
use crate::flows::kernel::policy;
use crate::formats::yaml_print::{Layout, print};
use crate::messages;
use crate::words::Lang;

/// The two experts of a new kernel that do the work.
pub const RESEARCH: &str = "ResearchExpert";
pub const IMPLEMENTATION: &str = "ImplementationExpert";

/// Where the schemas are, seen from the files that name them.
const BRAIN_SCHEMA: &str = ".hast/brain.schema.json";
const INDEX_SCHEMA: &str = "../.hast/expert-index.schema.json";
const EXPERT_SCHEMA: &str = "../.hast/expert.schema.json";

messages! {
    engine_role() { en: "Runs a request through the protocol. This is hast's own code.", ko: "요청을 프로토콜에 따라 진행합니다. hast 자체의 코드입니다." }
    planner_role() { en: "Breaks a request down into items and judges the final report.", ko: "요청을 항목으로 나누고 최종 보고서를 판정합니다." }
    tasks_role() { en: "Registers plans, merges sub-plans and keeps the states. This is hast's own code.", ko: "계획을 등록하고 하위 계획을 병합하며 상태를 관리합니다. hast 자체의 코드입니다." }
    synthesizer_role() { en: "Writes the final report from the results of all items.", ko: "모든 항목의 결과로 최종 보고서를 씁니다." }
    research_role() { en: "Finds out and explains.", ko: "조사하고 설명합니다." }
    implementation_role() { en: "Makes what was asked for.", ko: "요청된 것을 만듭니다." }
    planner_duty() { en: "Each item is one piece of work for one expert, with honest estimated_steps.", ko: "각 항목은 한 전문가가 할 하나의 작업이며 estimated_steps를 정직하게 적습니다." }
    synthesizer_duty() { en: "The report answers the request and says what it rests on.", ko: "보고서는 요청에 답하고 근거를 밝힙니다." }
    research_duty() { en: "Say where each fact comes from.", ko: "사실마다 출처를 밝힙니다." }
    implementation_duty() { en: "Deliver complete files, not descriptions of them.", ko: "설명이 아니라 완성된 파일을 냅니다." }
    planner_work() {
        en: "Method: read the request twice and write down what must be there in the end. Work back from that to items, each with one result that somebody else can use without asking. Name in the description what the item begins with, what it delivers and how it is seen that it is done. Let items depend only on what they really need. More than three steps, or data from outside, is too much for one item: say so in estimated_steps and requires_external_data, and it is broken down.\nOutput: `plan.json`, or `judgement.json` where you are asked to judge: then compare the report with the request sentence by sentence, and say what is missing.\nDo not: plan work that nobody asked for, make an item of planning or of summing up, or do the work yourself.",
        ko: "방법: 요청을 두 번 읽고 마지막에 무엇이 있어야 하는지 적으세요. 거기서 거꾸로 항목을 정하되, 항목마다 남이 묻지 않고 쓸 수 있는 결과가 하나 있어야 합니다. description에 무엇에서 시작해 무엇을 내고 끝났음을 어떻게 아는지 쓰세요. 항목은 정말 필요한 것에만 의존하게 하세요. 세 단계를 넘거나 외부 자료가 필요하면 한 항목으로는 많습니다. estimated_steps와 requires_external_data에 그대로 적으면 나뉩니다.\n산출: `plan.json`. 판정을 요청받으면 `judgement.json`: 보고서를 요청과 한 문장씩 비교해 빠진 것을 쓰세요.\n하지 말 것: 요청하지 않은 일을 계획하기, 계획이나 요약을 항목으로 만들기, 직접 작업하기.",
    }
    synthesizer_work() {
        en: "Method: begin with the answer to the request, in its language. Then the reasons, each with the item whose result it is and the file where it stands. Where results contradict each other, say so and which one you follow. Numbers, names and quotations are exactly those of the results.\nOutput: `report.md` in Markdown, complete in itself: the reader knows nothing of items or experts.\nDo not: add facts that no result has, hide what failed or is missing, or tell how the work went instead of what came of it.",
        ko: "방법: 요청의 언어로 요청에 대한 답부터 쓰세요. 다음에 이유를 쓰되, 어느 항목의 결과이고 어느 파일에 있는지 밝히세요. 결과가 서로 어긋나면 그 사실과 어느 쪽을 따르는지 쓰세요. 숫자와 이름과 인용은 결과에 있는 그대로 씁니다.\n산출: 그것만으로 완전한 Markdown 문서 `report.md`. 읽는 사람은 항목도 전문가도 모릅니다.\n하지 말 것: 결과에 없는 사실을 더하기, 실패하거나 빠진 것을 숨기기, 나온 것 대신 일한 과정을 쓰기.",
    }
    research_work() {
        en: "Method: write down the questions that the item asks, then look for each answer in the results and files you are given, then in the project, then outside if you can reach it. Look at the source itself, not at what somebody says of it. Compare two sources where a number decides something.\nOutput: `output.json` with the findings as `result`: each finding one sentence, with its source (file and line, or address and date) and how sure it is. Longer material goes into files beside it, named in the result.\nDo not: guess, report from memory without saying so, change files of the project, or answer more than the item asks.",
        ko: "방법: 항목이 묻는 질문을 적고, 하나씩 먼저 주어진 결과와 파일에서, 다음에 프로젝트에서, 닿을 수 있으면 그다음에 밖에서 찾으세요. 남이 말한 것이 아니라 출처 자체를 보세요. 숫자가 무언가를 결정하면 출처 둘을 비교하세요.\n산출: 알아낸 것을 `result`에 담은 `output.json`. 한 가지가 한 문장이고, 출처(파일과 줄, 또는 주소와 날짜)와 얼마나 확실한지를 붙입니다. 긴 자료는 옆에 파일로 두고 result에 이름을 쓰세요.\n하지 말 것: 추측하기, 기억에서 쓰고 밝히지 않기, 프로젝트 파일을 바꾸기, 항목이 묻는 것보다 더 답하기.",
    }
    implementation_work() {
        en: "Method: read what you build on before you begin, and how things are done around it. Make the smallest thing that does what the item says, all of it. Try it: run what can be run, open what can be opened, and correct it.\nOutput: the finished files, in the project where you may write there, otherwise beside `output.json`; and in `output.json` as `result` which files there are, how you tried them and what came of it.\nDo not: leave placeholders or steps for somebody else, change what the item is not about, or call something done that you did not try.",
        ko: "방법: 시작하기 전에 바탕이 되는 것과 주변의 방식을 읽으세요. 항목이 말하는 것을 전부 하는 가장 작은 것을 만드세요. 시험하세요. 실행할 수 있는 것은 실행하고 열 수 있는 것은 열어 보고 고치세요.\n산출: 완성된 파일. 쓸 수 있으면 프로젝트 안에, 아니면 `output.json` 옆에 둡니다. `output.json`의 `result`에는 어떤 파일이 있고 어떻게 시험해 어떤 결과가 나왔는지 쓰세요.\n하지 말 것: 빈 자리나 남이 할 단계를 남기기, 항목과 상관없는 것을 바꾸기, 시험하지 않은 것을 끝났다고 하기.",
    }
    code_duty() { en: "Follow the protocol's steps and messages exactly.", ko: "프로토콜의 단계와 메시지를 그대로 따릅니다." }
}

/// The files of a new kernel, by their paths, as they are written.
pub fn defaults(lang: Lang) -> Vec<(String, String)> {
    let experts = default_experts(lang);
    let index = ExpertIndex {
        experts: experts
            .iter()
            .map(|expert| IndexEntry { name: expert.name.clone(), role: expert.role.clone() })
            .collect(),
    };
    let brain = Brain {
        version: Version,
        engine: policy::ENGINE.to_owned(),
        planner: policy::PLANNER.to_owned(),
        task_manager: policy::TASKS.to_owned(),
        synthesizer: policy::SYNTHESIZER.to_owned(),
    };
    let brain = modeline(BRAIN_SCHEMA) + &print(&brain, &Layout::COMPACT).unwrap_or_default();
    let index = modeline(INDEX_SCHEMA) + &print(&index, &Layout::COMPACT).unwrap_or_default();
    let fixed =
        [(super::layout::BRAIN.to_owned(), brain), (super::layout::INDEX.to_owned(), index)];
    let experts =
        experts.iter().map(|expert| (super::layout::expert(&expert.name), file_of(expert)));
    fixed.into_iter().chain(experts).collect()
}

fn default_experts(lang: Lang) -> Vec<Expert> {
    let expert = |name: &str, role: String, duty: String, instructions: String| Expert {
        name: name.to_owned(),
        role,
        responsibilities: vec![duty],
        instructions,
        agent: None,
        writes: Vec::new(),
        limits: ExpertLimits::default(),
    };
    let code = || code_duty(lang);
    vec![
        expert(policy::ENGINE, engine_role(lang), code(), code()),
        expert(policy::PLANNER, planner_role(lang), planner_duty(lang), planner_work(lang)),
        expert(policy::TASKS, tasks_role(lang), code(), code()),
        expert(
            policy::SYNTHESIZER,
            synthesizer_role(lang),
            synthesizer_duty(lang),
            synthesizer_work(lang),
        ),
        expert(RESEARCH, research_role(lang), research_duty(lang), research_work(lang)),
        expert(
            IMPLEMENTATION,
            implementation_role(lang),
            implementation_duty(lang),
            implementation_work(lang),
        ),
    ]
}

/// Editors with a YAML language server complete and check a file by its first line.
pub fn modeline(schema: &str) -> String {
    format!("# yaml-language-server: $schema={schema}\n")
}

/// An expert as its file is first written.
pub fn file_of(expert: &Expert) -> String {
    // Our documents hold nothing that YAML cannot.
    modeline(EXPERT_SCHEMA) + &print(expert, &Layout::COMPACT).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::kernel::troubles::read_expert;

    #[test]
    fn the_experts_of_a_new_kernel_can_be_read_back_in_both_languages() {
        for lang in [Lang::Ko, Lang::En] {
            let files = defaults(lang);
            assert_eq!(files.len(), 8);
            for (path, text) in &files {
                let Some(name) = super::super::layout::expert_of(path) else { continue };
                let expert = read_expert(name, text.as_bytes()).unwrap();
                assert_eq!(expert.name, name);
                assert!(text.starts_with("# yaml-language-server: $schema=../.hast/expert"));
            }
        }
    }
}
