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
    code_duty() { en: "Follow the protocol's steps and messages exactly.", ko: "프로토콜의 단계와 메시지를 그대로 따릅니다." }
    work_instructions() { en: "Do the item you are given and nothing else. Use the results in the context.", ko: "주어진 항목만 수행하세요. 컨텍스트의 결과를 사용하세요." }
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
    let work = || work_instructions(lang);
    vec![
        expert(policy::ENGINE, engine_role(lang), code(), code()),
        expert(policy::PLANNER, planner_role(lang), planner_duty(lang), planner_duty(lang)),
        expert(policy::TASKS, tasks_role(lang), code(), code()),
        expert(
            policy::SYNTHESIZER,
            synthesizer_role(lang),
            synthesizer_duty(lang),
            synthesizer_duty(lang),
        ),
        expert(RESEARCH, research_role(lang), research_duty(lang), work()),
        expert(IMPLEMENTATION, implementation_role(lang), implementation_duty(lang), work()),
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
