//! The experts that a new kernel has, in both languages, and how an expert is read from its file.

use crate::docs::document::{Version, read};
use crate::docs::kernel::{Brain, Expert, ExpertIndex, ExpertLimits, IndexEntry};
use crate::flows::kernel::policy;
use crate::formats::diagnostic::Diagnostic;
use crate::formats::source::Source;
use crate::formats::yaml_print::{Layout, print};
use crate::messages;
use crate::words::Lang;

/// The two experts of a new kernel that do the work.
pub const RESEARCH: &str = "ResearchExpert";
pub const IMPLEMENTATION: &str = "ImplementationExpert";

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
    // Our documents hold nothing that YAML cannot.
    let mut files = vec![
        (super::layout::BRAIN.to_owned(), print(&brain, &Layout::COMPACT).unwrap_or_default()),
        (super::layout::INDEX.to_owned(), print(&index, &Layout::COMPACT).unwrap_or_default()),
    ];
    files.extend(experts.iter().map(|expert| {
        let text = print(expert, &Layout::COMPACT).unwrap_or_default();
        (super::layout::expert(&expert.name), text)
    }));
    files
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

/// Reads an expert's file; it must be about the expert whose name it has.
pub fn read_expert(name: &str, bytes: &[u8]) -> Result<Expert, String> {
    let path = super::layout::expert(name);
    let source = Source::from_bytes(&path, bytes).map_err(|finding| shown(&[finding]))?;
    let expert = read::<Expert>(&source).map_err(|findings| shown(&findings))?.value;
    if expert.name == name {
        Ok(expert)
    } else {
        Err(format!("{path}: it says name: {}, expected {name}", expert.name))
    }
}

/// Findings on one line: file, line, what and what to do.
pub fn shown(findings: &[Diagnostic]) -> String {
    let one = |finding: &Diagnostic| {
        let line = finding.line().map_or(String::new(), |line| format!(":{line}"));
        let (what, next) = (finding.finding.what(Lang::En), finding.finding.next(Lang::En));
        format!("{}{line}: {what} -> {next}", finding.file)
    };
    findings.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_experts_of_a_new_kernel_can_be_read_back_in_both_languages() {
        for lang in [Lang::Ko, Lang::En] {
            let files = defaults(lang);
            assert_eq!(files.len(), 8);
            for (path, text) in &files {
                let Some(name) = super::super::layout::expert_of(path) else { continue };
                let expert = read_expert(name, text.as_bytes()).unwrap();
                assert_eq!(expert.name, name);
            }
        }
    }

    #[test]
    fn a_broken_expert_is_told_with_file_and_line() {
        let told = read_expert("A", b"name: A\nrole: r\nresponsibilities: x\ninstructions: i\n");
        assert!(told.unwrap_err().starts_with("experts/A.yaml:3: "));
        let told = read_expert("A", b"name: B\nrole: r\nresponsibilities: []\ninstructions: i\n");
        assert!(told.unwrap_err().contains("expected A"));
    }
}
