//! The prompt of an attempt: the context, and below it what to do, what is tested, what fails, what may be
//! written, and the handoff file to copy. The Korean words for red, scope and adversarial goals are the seed's.

use crate::attempt::evidence::TestEnd;
use crate::docs::goals::{Goal, PromptMode};
use crate::messages;
use crate::words::Lang;

/// The parts of a prompt besides the goal.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    /// The context in its plain form.
    pub context: &'a str,
    pub test_command: &'a str,
    /// How the tests ended before any work; nothing where they have not run.
    pub base: Option<BaseTests<'a>>,
    /// The exact file to write, from the root of the repository.
    pub handoff_path: &'a str,
    /// The time that the file is named after, with its offset.
    pub timestamp: &'a str,
    /// Globs that no attempt may change (`protect` in the configuration).
    pub protect: &'a [String],
    pub last: Option<LastFailure<'a>>,
    /// The words of the person who gave the goal back.
    pub said: Option<&'a str>,
}

/// The tests on the base.
#[derive(Clone, Copy, Debug)]
pub struct BaseTests<'a> {
    pub end: &'a TestEnd,
    /// The last lines of those that failed.
    pub tail: &'a str,
}

/// The attempt before, which did not pass.
#[derive(Clone, Debug)]
pub struct LastFailure<'a> {
    /// The judge's finding, in words for the agent.
    pub found: String,
    /// The end of its test output; empty if no tests ran.
    pub test_tail: &'a str,
    pub work: LastWork,
}

/// Where the work of the attempt before is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastWork {
    RolledBack,
    /// It is where this attempt begins.
    InTheTree,
}

messages! {
    do_it() {
        en: "Do the task above in this repository, without asking anybody.",
        ko: "위의 작업을 이 저장소에서, 아무에게도 묻지 말고 수행하라.",
    }
    goal_says() { en: "The goal also says:", ko: "목표에는 다음 내용도 있다:" }
    red() {
        en: "This step only writes tests. It is right that they fail.",
        ko: "이 단계는 테스트 작성만. 테스트가 실패하면 정상.",
    }
    scope(files: whole) { en: "Change only these files: {files}", ko: "다음 파일만 수정하라: {files}" }
    adversarial() {
        en: "Break this code. Hostile input, concurrency, exhausted resources, and so on.",
        ko: "이 코드를 깨뜨려라. 악의적 입력, 동시성, 리소스 고갈 등.",
    }
    last_rolled_back() {
        en: "Your last attempt failed, and its changes are gone. What was found:",
        ko: "지난 시도는 실패했고 그 변경은 남아 있지 않다. 판정 결과:",
    }
    last_in_tree() {
        en: "Your last attempt did not pass. Its changes are in the work tree, uncommitted; go on from there. What was found:",
        ko: "지난 시도는 통과하지 못했다. 그 변경은 커밋되지 않은 채 작업 트리에 있으니 이어서 작업하라. 판정 결과:",
    }
    person_says() { en: "A person has read that and says:", ko: "사람이 이를 읽고 다음과 같이 답했다:" }
    last_tests() { en: "The end of its test output:", ko: "그때 테스트 출력의 끝부분:" }
    run_tests(command: whole) {
        en: "Tests: when the work is done, run `{command}`. If it fails, repair the work and run it again, at most 3 times.",
        ko: "테스트: 작업이 끝나면 `{command}` 명령을 실행하라. 실패 시 수정 후 재실행 (최대 3회).",
    }
    run_red_tests(command: whole) {
        en: "Tests: when they are written, run `{command}`. It must fail, and only because of the tests that you wrote.",
        ko: "테스트: 테스트를 쓴 뒤 `{command}` 명령을 실행하라. 새로 쓴 테스트 때문에, 그 때문에만 실패해야 한다.",
    }
    base_green() { en: "Before your work it passes.", ko: "작업 전에는 통과한다." }
    base_red(code) { en: "Before your work it fails (exit code {code}).", ko: "작업 전에는 실패한다 (종료 코드 {code})." }
    base_unknown(why) { en: "Before your work it cannot run: {why}.", ko: "작업 전에는 실행되지 않는다: {why}." }
    base_tail() { en: "Its last lines then:", ko: "그 출력의 마지막 줄:" }
    fails_if() { en: "The attempt fails if", ko: "다음이면 시도는 실패한다" }
    fails_weakened() { en: "a test is weakened, skipped or deleted", ko: "테스트를 약하게 하거나 건너뛰게 하거나 지웠다" }
    fails_scope() { en: "a file is changed that the list of files above does not have", ko: "위의 파일 목록에 없는 파일을 바꿨다" }
    fails_protected(globs: whole) { en: "one of these is changed: {globs}", ko: "다음 중 하나를 바꿨다: {globs}" }
    fails_state() { en: "anything in `.ai/` is changed but the handoff file below", ko: "`.ai/`에서 아래의 핸드오프 파일 말고 다른 것을 바꿨다" }
    fails_red() { en: "the test command passes", ko: "테스트 명령이 통과한다" }
    fails_green() { en: "the test command fails, or the handoff file is missing", ko: "테스트 명령이 실패하거나 핸드오프 파일이 없다" }
    writable() {
        en: "You may write in this repository and in the directory $TMPDIR, nowhere else. You need not commit: what passes is committed for you.",
        ko: "이 저장소와 $TMPDIR 디렉터리에만 쓸 수 있다. 커밋은 필요 없다. 통과한 작업은 대신 커밋된다.",
    }
    handoff_words(handoff: whole) {
        en: "Handoff: at the end write the file `{handoff}`. Copy this; replace only what stands in <>:",
        ko: "핸드오프: 마지막에 `{handoff}` 파일을 작성하라. 아래를 그대로 옮기고 <> 부분만 바꿔라:",
    }
    handoff_done() { en: "- <file>: <what was done>", ko: "- <파일>: <한 일>" }
    handoff_decisions() { en: "- <decision and why>", ko: "- <결정과 이유>" }
    handoff_changed() { en: "- <file> (new, changed or deleted)", ko: "- <파일> (신규, 수정, 삭제)" }
    handoff_next() { en: "<what remains to be done, or: nothing>", ko: "<남은 일, 없으면 없음>" }
    handoff_files() { en: "1. <file that the next session reads first>", ko: "1. <다음 세션이 먼저 읽을 파일>" }
    way_out() {
        en: "If you cannot go on without a person's decision, write `status: blocked` there and add a section `## Blocked` with the question. If the tests still fail after 3 repairs, write `status: failed`.",
        ko: "사람의 결정 없이 진행할 수 없으면 거기에 `status: blocked`를 쓰고 `## Blocked` 섹션에 질문을 적어라. 3회 수정 후에도 테스트가 실패하면 `status: failed`를 써라.",
    }
    way_out_red() {
        en: "If you cannot go on without a person's decision, write `status: blocked` there and add a section `## Blocked` with the question. If no test of it can fail, write `status: failed`.",
        ko: "사람의 결정 없이 진행할 수 없으면 거기에 `status: blocked`를 쓰고 `## Blocked` 섹션에 질문을 적어라. 실패하는 테스트를 만들 수 없으면 `status: failed`를 써라.",
    }
}

/// How much of the last test output a prompt repeats.
pub const TAIL_BYTES: usize = 8_000;

/// How much of a goal's notes a prompt repeats where the context has another task.
const GOAL_BYTES: usize = 4_000;

/// How much of a person's words a prompt repeats.
const SAID_BYTES: usize = 20_000;

/// The whole prompt. Texts of people are put in whole and never read as a template.
pub fn prompt(goal: &Goal, parts: &Parts<'_>, lang: Lang) -> String {
    let context = parts.context.trim_end_matches('\n');
    let sections = [
        format!("{context}\n---\n\n{}", do_it(lang)),
        goal_words(goal, context, lang),
        kind_words(goal, lang),
        parts.last.as_ref().map(|last| failure(last, lang)).unwrap_or_default(),
        parts.said.map(|said| person(said, lang)).unwrap_or_default(),
        tests(goal, parts, lang),
        fails(goal, parts, lang),
        writable(lang),
        handoff(goal, parts, lang),
    ];
    let there = sections.iter().map(|section| section.trim_end()).filter(|text| !text.is_empty());
    there.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// The goal's notes and acceptance where an earlier session's words are the task instead.
fn goal_words(goal: &Goal, context: &str, lang: Lang) -> String {
    let notes = goal.notes.iter().flat_map(|notes| notes.lines()).map(str::to_owned);
    let acceptance = goal.acceptance.iter().map(|line| format!("- {line}"));
    let lines = notes.chain(acceptance).filter(|line| !context.contains(line.trim()));
    let lines = lines.collect::<Vec<_>>().join("\n");
    match lines.trim() {
        "" => String::new(),
        text => {
            let kept = &text[..text.floor_char_boundary(GOAL_BYTES)];
            let cut = if kept.len() < text.len() { "…" } else { "" };
            format!("{}\n{kept}{cut}", goal_says(lang))
        }
    }
}

/// The seed's words for goals of a special kind.
fn kind_words(goal: &Goal, lang: Lang) -> String {
    let mut lines = Vec::new();
    if goal.expect_failure {
        lines.push(red(lang));
    }
    if !goal.allowed_changes.is_empty() {
        let quoted: Vec<String> =
            goal.allowed_changes.iter().map(|glob| format!("{glob:?}")).collect();
        lines.push(scope(lang, format!("[{}]", quoted.join(", "))));
    }
    if goal.prompt_mode == Some(PromptMode::Adversarial) {
        lines.push(adversarial(lang));
    }
    lines.join("\n")
}

fn failure(last: &LastFailure<'_>, lang: Lang) -> String {
    let first = match last.work {
        LastWork::RolledBack => last_rolled_back(lang),
        LastWork::InTheTree => last_in_tree(lang),
    };
    let mut text = format!("{first} {}", last.found);
    let from = last.test_tail.len().saturating_sub(TAIL_BYTES);
    let tail = last.test_tail[last.test_tail.ceil_char_boundary(from)..].trim_end();
    if !tail.is_empty() {
        text += &format!("\n{}\n{}", last_tests(lang), fenced(tail, ""));
    }
    text
}

fn person(said: &str, lang: Lang) -> String {
    let kept = &said[..said.floor_char_boundary(SAID_BYTES)];
    let cut = if kept.len() < said.len() { "…" } else { "" };
    format!("{}\n{}{cut}", person_says(lang), kept.trim())
}

fn tests(goal: &Goal, parts: &Parts<'_>, lang: Lang) -> String {
    let run = match goal.expect_failure {
        true => run_red_tests(lang, parts.test_command),
        false => run_tests(lang, parts.test_command),
    };
    let Some(BaseTests { end, tail }) = parts.base else { return run };
    let before = match end {
        TestEnd::Green => base_green(lang),
        TestEnd::Red { code } => base_red(lang, code),
        TestEnd::CouldNotRun { why } | TestEnd::NoProgram { why, .. } => base_unknown(lang, why),
    };
    match tail.trim_end() {
        "" => format!("{run} {before}"),
        tail => format!("{run} {before} {}\n{}", base_tail(lang), fenced(tail, "")),
    }
}

fn fails(goal: &Goal, parts: &Parts<'_>, lang: Lang) -> String {
    let mut lines = vec![fails_weakened(lang)];
    if !goal.allowed_changes.is_empty() {
        lines.push(fails_scope(lang));
    }
    if !parts.protect.is_empty() {
        lines.push(fails_protected(lang, parts.protect.join(", ")));
    }
    lines.push(fails_state(lang));
    lines.push(match goal.expect_failure {
        true => fails_red(lang),
        false => fails_green(lang),
    });
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    format!("{}:\n{}", fails_if(lang), lines.join("\n"))
}

/// The file to write, as a document to copy, and the only way out.
fn handoff(goal: &Goal, parts: &Parts<'_>, lang: Lang) -> String {
    let example = format!(
        "---\ntimestamp: \"{}\"\nstatus: complete\ngoal_id: {}\n---\n\n## Done\n{}\n\n## Key Decisions\n{}\n\n## Changed Files\n{}\n\n## Next\n{}\n\n## Context Files\n{}",
        parts.timestamp,
        yaml_word(&goal.id),
        handoff_done(lang),
        handoff_decisions(lang),
        handoff_changed(lang),
        handoff_next(lang),
        handoff_files(lang),
    );
    let out = if goal.expect_failure { way_out_red(lang) } else { way_out(lang) };
    format!("{}\n{}\n{out}", handoff_words(lang, parts.handoff_path), fenced(&example, "markdown"))
}

/// A text between fences that it cannot close.
fn fenced(text: &str, kind: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    format!("{fence}{kind}\n{text}\n{fence}")
}

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// An id as it may stand in front matter: `1.10` without quotes would be a number.
fn yaml_word(id: &str) -> String {
    let plain = id.starts_with(|c: char| c.is_alphabetic())
        && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    if plain && !word.contains(&id.to_lowercase().as_str()) {
        id.to_owned()
    } else {
        crate::formats::yaml_print::quoted(id)
    }
}
