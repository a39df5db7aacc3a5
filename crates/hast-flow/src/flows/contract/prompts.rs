//! The default prompts of the contract flow, in both languages, with what is known and what went wrong
//! before.

use crate::docs::contract::{DesignContract, InterfaceType, TaskBreakdown};
use crate::flows::contract::decide::Scene;
use crate::flows::contract::knowledge::relevant;
use crate::flows::contract::layout;
use crate::flows::contract::memory::Memo;
use crate::flows::contract::request::{Failure, Subtask, Task, Tested};
use crate::messages;
use crate::words::Lang;

/// How much knowledge a prompt carries.
const KNOWLEDGE_BYTES: usize = 8_000;

messages! {
    explore_words(id, request: whole) {
        en: "You are code-explore. Read this project as far as the request below concerns it, and write `explored.yaml` (request_id {id}, created_by code-explore): the files that matter with one line each, and what the directories hold. Where the project has habits worth keeping (error handling, naming, testing, architecture), write them as `patterns.yaml` with `patterns:`. Change nothing.\n\nRequest:\n{request}",
        ko: "당신은 code-explore입니다. 아래 요청과 관련된 만큼 이 프로젝트를 읽고 `explored.yaml`(request_id {id}, created_by code-explore)을 쓰세요: 중요한 파일과 한 줄 설명, 디렉터리에 무엇이 있는지. 지킬 만한 관례(오류 처리, 이름, 테스트, 구조)가 있으면 `patterns:`를 담은 `patterns.yaml`로 쓰세요. 아무것도 바꾸지 마세요.\n\n요청:\n{request}",
    }
    breakdown_words(id, request: whole) {
        en: "You are the planner. Break this request down into tasks and subtasks and write `task-breakdown.yaml` (request_id {id}, created_by planner). A subtask is one piece of behaviour that tests can show, or an analysis whose result is a file. Write down what you assume about the code as `assumptions`: they will be compared with it. Change nothing.\n\nRequest:\n{request}",
        ko: "당신은 planner입니다. 이 요청을 작업과 하위작업으로 나누어 `task-breakdown.yaml`(request_id {id}, created_by planner)을 쓰세요. 하위작업은 테스트로 보일 수 있는 동작 하나이거나, 결과가 파일인 분석입니다. 코드에 대해 가정한 것은 `assumptions`에 쓰세요. 실제 코드와 비교합니다. 아무것도 바꾸지 마세요.\n\n요청:\n{request}",
    }
    breakdown_again(refuted: whole) {
        en: "Half or more of your assumptions turned out to be wrong. Read explored.yaml (below, among the files to read) and break the request down once more.\n\n{refuted}",
        ko: "가정의 절반 이상이 틀렸습니다. 아래 읽을 파일에 있는 explored.yaml을 읽고 요청을 다시 나누세요.\n\n{refuted}",
    }
    merge_words(id, assumptions: whole) {
        en: "You are the planner. Compare each assumption of task-breakdown.yaml with explored.yaml and the code, and write `merge.json`: a list with one entry for each assumption, word for word, its verdict (confirmed, refuted or unknown) and the evidence: where you saw it. Change nothing.\n\nAssumptions of {id}:\n{assumptions}",
        ko: "당신은 planner입니다. task-breakdown.yaml의 가정 하나하나를 explored.yaml과 코드에 비교해 `merge.json`을 쓰세요: 가정마다 하나씩, 가정을 글자 그대로, 판정(confirmed, refuted, unknown), 근거(어디서 보았는지). 아무것도 바꾸지 마세요.\n\n{id}의 가정:\n{assumptions}",
    }
    design_words(id, task, name: whole) {
        en: "You are the architect. Design task {task} ({name}) from its design-brief.yaml and write `design-contract.yaml` (request_id {id}, task_id {task}, created_by architect): invariants, interfaces, boundaries (allowed: false for what must not be used), layers, and in file_refs every file that may be created, changed or relied upon. Nothing outside of file_refs may be changed later. Decisions worth keeping go into `decisions.yaml` with `decisions:`. Change nothing.",
        ko: "당신은 architect입니다. 작업 {task}({name})(을)를 design-brief.yaml에 따라 설계해 `design-contract.yaml`(request_id {id}, task_id {task}, created_by architect)을 쓰세요: 불변 조건, 인터페이스, 경계(쓰면 안 되는 것은 allowed: false), 계층, 그리고 만들거나 바꾸거나 의존할 모든 파일을 file_refs에. file_refs 밖의 파일은 나중에 바꿀 수 없습니다. 남길 만한 결정은 `decisions:`를 담은 `decisions.yaml`로 쓰세요. 아무것도 바꾸지 마세요.",
    }
    test_first_words(id, subtask, name: whole, command: whole) {
        en: "You are the qa-engineer. Write the tests of subtask {subtask} ({name}) before its code: the test code as a file of this project, and `test-contract.yaml` (request_id {id}, subtask_id {subtask}, created_by qa-engineer) with one case for each test, into the directory named below. test_file_path is the path of your test file from the working directory; in the project write that file, further test files, and nothing else. The tests are run with `{command}` and must fail now, for want of the code. You need not commit.\n\nThe `target` of a case is the name of the code as it is or will be defined (`pricing.discount`, `Store::open`), in a file of the design. Red means that one of your cases fails, or that a build or import error names a target; a syntax error, an import of something else and a run that only ends with an error are sent back. If the runner does not name what failed, print the id of the case. Only where every target is there already may the tests be green; each of them must then fail when the body of its target raises, so use the code inside of a case and check what comes of it.\n\nIf the subtask is an analysis, give every case the category `checklist` and write test_file_path as a checklist with a line `- [x] CASE-ID: what you found` for each case.",
        ko: "당신은 qa-engineer입니다. 하위작업 {subtask}({name})의 테스트를 코드보다 먼저 쓰세요. 테스트 코드는 이 프로젝트의 파일로 쓰고, 테스트마다 케이스 하나를 담은 `test-contract.yaml`(request_id {id}, subtask_id {subtask}, created_by qa-engineer)은 아래에 적힌 디렉터리에 쓰세요. test_file_path는 작업 디렉터리에서 본 테스트 파일의 경로입니다. 프로젝트에는 그 파일과 다른 테스트 파일만 쓰세요. 테스트는 `{command}`로 실행하며, 코드가 없으므로 지금은 실패해야 합니다. 커밋은 필요 없습니다.\n\n케이스의 `target`은 정의되어 있거나 정의될 코드의 이름이며(`pricing.discount`, `Store::open`) 설계의 파일 안에 있습니다. 실패란 케이스 하나가 실패하거나 빌드나 가져오기 오류가 target을 말하는 것입니다. 문법 오류, 다른 것의 가져오기, 오류로 끝나기만 하는 실행은 돌려보냅니다. 실행기가 무엇이 실패했는지 말하지 않으면 케이스 id를 출력하세요. 모든 target이 이미 있을 때만 테스트가 통과해도 되는데, 그때는 target의 본문이 예외를 던지면 테스트가 실패해야 하니 케이스 안에서 코드를 쓰고 결과를 확인하세요.\n\n하위작업이 분석이라면 모든 케이스의 category를 `checklist`로 하고, test_file_path를 케이스마다 `- [x] CASE-ID: 알아낸 것` 한 줄이 있는 체크리스트로 쓰세요.",
    }
    implement_words(subtask, name: whole, command: whole, test_file, files: whole) {
        en: "You are the implementer. Write the code of subtask {subtask} ({name}) so that `{command}` passes and the design below is kept. Do it without asking anybody. Do not touch the tests ({test_file}). You need not commit, and no document is asked of you. You may change these files and no others:\n{files}",
        ko: "당신은 implementer입니다. `{command}` 명령이 통과하고 아래의 설계를 지키도록 하위작업 {subtask}({name})의 코드를 쓰세요. 아무에게도 묻지 마세요. 테스트({test_file})는 건드리지 마세요. 커밋은 필요 없고 따로 쓸 문서도 없습니다. 다음 파일만 바꿀 수 있습니다:\n{files}",
    }
    request_words(text: whole) { en: "Request:\n{text}", ko: "요청:\n{text}" }
    invariants_words(lines: whole) { en: "Invariants:\n{lines}", ko: "불변 조건:\n{lines}" }
    interfaces_words(lines: whole) { en: "Interfaces:\n{lines}", ko: "인터페이스:\n{lines}" }
    boundaries_words(lines: whole) { en: "Boundaries:\n{lines}", ko: "경계:\n{lines}" }
    may_use(from, to) { en: "{from} may use {to}", ko: "{from}에서 {to}(을)를 쓸 수 있음" }
    may_not_use(from, to) { en: "{from} must not use {to}", ko: "{from}에서 {to}(을)를 쓰면 안 됨" }
    review_words(subtask, subjects: whole, range: whole) {
        en: "You are the architect. Review the work of subtask {subtask} against its design-contract.yaml and write `review.json`: one finding for each subject below with a verdict (PASS or FAIL) and evidence (file and line), the verdict over all, and back_to (design, implementation or null). Change nothing.\n\nSubjects:\n{subjects}\n\nThe change: git diff {range}",
        ko: "당신은 architect입니다. 하위작업 {subtask}의 결과를 design-contract.yaml과 비교해 `review.json`을 쓰세요: 아래 항목마다 verdict(PASS 또는 FAIL)와 evidence(파일과 줄), 전체 verdict, back_to(design, implementation 또는 null). 아무것도 바꾸지 마세요.\n\n항목:\n{subjects}\n\n변경: git diff {range}",
    }
    verify_words(subtask, name: whole, command: whole, result, tail: whole) {
        en: "You are the qa-engineer. hast has run the tests of subtask {subtask} ({name}) with `{command}`: {result}. Recommend what to do and write `recommendation.json` with action (complete, fix_implementation or redesign) and reason. Change nothing.\n\nThe end of the output:\n{tail}",
        ko: "당신은 qa-engineer입니다. hast가 하위작업 {subtask}({name})의 테스트를 `{command}`(으)로 실행했습니다: {result}. 무엇을 할지 action(complete, fix_implementation, redesign)과 reason을 담은 `recommendation.json`으로 권하세요. 아무것도 바꾸지 마세요.\n\n출력의 끝:\n{tail}",
    }
    known_words(lines: whole) { en: "What this project has learnt:\n{lines}", ko: "이 프로젝트가 배운 것:\n{lines}" }
    memory_words(lines: whole) { en: "From earlier requests:\n{lines}", ko: "이전 요청에서:\n{lines}" }
    task_words(text: whole) { en: "From the breakdown:\n{text}", ko: "분해에서:\n{text}" }
    failed_words(round, gate, reasons: whole, tail: whole) {
        en: "Round {round} did not pass {gate}:\n{reasons}\n{tail}",
        ko: "라운드 {round}(이)가 {gate}(을)를 통과하지 못했습니다:\n{reasons}\n{tail}",
    }
}

pub(super) fn explore(scene: &Scene<'_>, found: &[Memo]) -> String {
    let (lang, request) = (scene.facts.lang, scene.request);
    let words = explore_words(lang, &request.id, &request.text);
    with(scene, words, &request.text, [memories(lang, found)])
}

pub(super) fn breakdown(scene: &Scene<'_>, number: u32) -> String {
    let (lang, request) = (scene.facts.lang, scene.request);
    let words = breakdown_words(lang, &request.id, &request.text);
    let merge = scene.view.contracts.get(&scene.path(layout::MERGE)).filter(|_| number > 1);
    let again = merge.map(|merge| breakdown_again(lang, String::from_utf8_lossy(&merge.bytes)));
    with(scene, words, &request.text, [again])
}

pub(super) fn merge(scene: &Scene<'_>, breakdown: &TaskBreakdown) -> String {
    let assumptions = bullets(breakdown.assumptions.iter().map(String::as_str));
    merge_words(scene.facts.lang, &scene.request.id, assumptions)
}

pub(super) fn design(
    scene: &Scene<'_>,
    task: &Task,
    failure: Option<&Failure>,
    found: &[Memo],
) -> String {
    let (lang, id) = (scene.facts.lang, &scene.request.id);
    let words = design_words(lang, id, &task.id, &task.name);
    let failed = failure.map(|failure| failed(lang, failure));
    with(
        scene,
        words,
        &about(scene, task, None),
        [of_task(scene, task, None), memories(lang, found), failed],
    )
}

pub(super) fn test_first(scene: &Scene<'_>, task: &Task, subtask: &Subtask) -> String {
    let (lang, id) = (scene.facts.lang, &scene.request.id);
    let command = &scene.flow.settings.test_command;
    let words = test_first_words(lang, id, &subtask.id, &subtask.name, command);
    let design = scene.view.contract::<DesignContract>(&scene.task_path(task, layout::DESIGN));
    let parts = [
        of_task(scene, task, Some(subtask)),
        design.as_ref().and_then(|design| interfaces(lang, design)),
        last_failure(lang, subtask),
    ];
    with(scene, words, &about(scene, task, Some(subtask)), parts)
}

pub(super) fn implement(scene: &Scene<'_>, task: &Task, subtask: &Subtask) -> String {
    let lang = scene.facts.lang;
    let design = scene.view.contract::<DesignContract>(&scene.task_path(task, layout::DESIGN));
    let files = design.iter().flat_map(|design| &design.file_refs);
    let files: Vec<String> =
        files.map(|file| format!("{} ({})", file.path, word(&file.status))).collect();
    let files = bullets(files.iter().map(String::as_str));
    let tests = scene.view.contract::<crate::docs::contract::TestContract>(
        &scene.subtask_path(&subtask.id, layout::TESTS),
    );
    let test_file = tests.map(|tests| tests.test_file_path).unwrap_or_default();
    let command = &scene.flow.settings.test_command;
    let words = implement_words(lang, &subtask.id, &subtask.name, command, test_file, files);
    let design = design.as_ref();
    let parts = [
        Some(request_words(lang, scene.request.text.trim_end())),
        of_task(scene, task, Some(subtask)),
        design.and_then(|design| invariants(lang, design)),
        design.and_then(|design| interfaces(lang, design)),
        design.and_then(|design| boundaries(lang, design)),
        last_failure(lang, subtask),
    ];
    with(scene, words, &about(scene, task, Some(subtask)), parts)
}

pub(super) fn review(
    scene: &Scene<'_>,
    subtask: &Subtask,
    design: &DesignContract,
    range: Option<&(String, String)>,
) -> String {
    let invariants = design.invariants.iter().map(|one| format!("{}: {}", one.id, one.rule));
    let interfaces = design.interfaces.iter().map(|one| format!("{}: {}", one.name, one.contract));
    let subjects: Vec<String> = invariants.chain(interfaces).collect();
    let subjects = bullets(subjects.iter().map(String::as_str));
    let range = range.map(|(from, to)| format!("{from} {to}")).unwrap_or_default();
    review_words(scene.facts.lang, &subtask.id, subjects, range)
}

pub(super) fn verify(scene: &Scene<'_>, task: &Task, subtask: &Subtask, tested: &Tested) -> String {
    let lang = scene.facts.lang;
    let summary = serde_json::to_string(&tested.summary).unwrap_or_default();
    let result = serde_json::to_string(&tested.result).unwrap_or_default();
    let result = format!("{} {summary}", result.trim_matches('"'));
    let words =
        verify_words(lang, &subtask.id, &subtask.name, &tested.command, result, &tested.tail);
    let design = scene.view.contract::<DesignContract>(&scene.task_path(task, layout::DESIGN));
    let parts = [design.as_ref().and_then(|design| interfaces(lang, design))];
    with(scene, words, &about(scene, task, Some(subtask)), parts)
}

/// The words of a call, what is known about its subject, and further parts.
fn with<const N: usize>(
    scene: &Scene<'_>,
    words: String,
    subject: &str,
    parts: [Option<String>; N],
) -> String {
    let known = scene.view.knowledge.as_ref().and_then(|known| known.value.as_ref());
    let lines = known.map(|known| relevant(known, subject, KNOWLEDGE_BYTES)).unwrap_or_default();
    let known = (!lines.is_empty())
        .then(|| known_words(scene.facts.lang, bullets(lines.iter().map(String::as_str))));
    let parts = parts.into_iter().chain([known]).flatten();
    parts.fold(words, |words, part| format!("{words}\n\n{}", part.trim_end()))
}

fn bullets<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

/// A value of a closed list, as documents write it.
fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn listed(lines: &[String], say: impl Fn(String) -> String) -> Option<String> {
    (!lines.is_empty()).then(|| say(bullets(lines.iter().map(String::as_str))))
}

fn invariants(lang: Lang, design: &DesignContract) -> Option<String> {
    let lines = design.invariants.iter().map(|one| format!("{}: {}", one.id, one.rule));
    listed(&lines.collect::<Vec<_>>(), |lines| invariants_words(lang, lines))
}

fn interfaces(lang: Lang, design: &DesignContract) -> Option<String> {
    let shape = |of: &InterfaceType| {
        let fields = of.fields.iter().map(|one| format!("{}: {}", one.name, one.field_type));
        let fields = fields.collect::<Vec<_>>().join(", ");
        if fields.is_empty() { of.name.clone() } else { format!("{} {{{fields}}}", of.name) }
    };
    let lines = design.interfaces.iter().map(|one| {
        format!("{}: {} -> {}: {}", one.name, shape(&one.input), shape(&one.output), one.contract)
    });
    listed(&lines.collect::<Vec<_>>(), |lines| interfaces_words(lang, lines))
}

fn boundaries(lang: Lang, design: &DesignContract) -> Option<String> {
    let lines = design.boundaries.iter().map(|one| {
        let rule = match one.allowed {
            true => may_use(lang, &one.from, &one.to),
            false => may_not_use(lang, &one.from, &one.to),
        };
        one.note.as_ref().map_or_else(|| rule.clone(), |note| format!("{rule} ({note})"))
    });
    listed(&lines.collect::<Vec<_>>(), |lines| boundaries_words(lang, lines))
}

fn memories(lang: Lang, found: &[Memo]) -> Option<String> {
    let quoted = found.iter().map(|memo| {
        let text = memo.text.lines().map(|line| format!("  > {line}")).collect::<Vec<_>>();
        format!("- {}\n{}", memo.source, text.join("\n"))
    });
    let lines = quoted.collect::<Vec<_>>().join("\n");
    (!lines.is_empty()).then(|| memory_words(lang, lines))
}

fn last_failure(lang: Lang, subtask: &Subtask) -> Option<String> {
    subtask.failures.last().map(|failure| failed(lang, failure))
}

fn failed(lang: Lang, failure: &Failure) -> String {
    let reasons = bullets(failure.reasons.iter().map(String::as_str));
    failed_words(lang, failure.round, failure.gate.as_str(), reasons, &failure.tail)
}

/// What the breakdown says about a task and one of its subtasks.
fn of_task(scene: &Scene<'_>, task: &Task, subtask: Option<&Subtask>) -> Option<String> {
    let text = about(scene, task, subtask);
    (!text.is_empty()).then(|| task_words(scene.facts.lang, text))
}

fn about(scene: &Scene<'_>, task: &Task, subtask: Option<&Subtask>) -> String {
    let breakdown = scene.view.contract::<TaskBreakdown>(&scene.path(layout::BREAKDOWN));
    let planned = breakdown.and_then(|plan| plan.tasks.into_iter().find(|one| one.id == task.id));
    let Some(planned) = planned else { return String::new() };
    let wanted = |id: &crate::ids::SubtaskId| subtask.is_none_or(|subtask| subtask.id == *id);
    let subtasks = planned.subtasks.iter().filter(|one| wanted(&one.id));
    let lines = subtasks.map(|one| format!("- {} {}: {}", one.id, one.name, one.description));
    let lines = lines.collect::<Vec<_>>().join("\n");
    format!("{} {}: {}\n{lines}", planned.id, planned.name, planned.objective)
}
