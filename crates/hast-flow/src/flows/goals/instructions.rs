//! The prompt of an attempt: the context, and below it what the agent has to do and to leave. The
//! Korean words are the seed's.

use crate::docs::goals::{Goal, PromptMode};
use crate::messages;
use crate::words::Lang;

/// What a prompt is made of besides the goal.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The context in its plain form.
    pub context: &'a str,
    pub test_command: &'a str,
    /// The exact file to write, from the root of the repository.
    pub handoff_path: &'a str,
    pub last: Option<LastFailure<'a>>,
}

/// What was wrong with the attempt before.
#[derive(Clone, Copy, Debug)]
pub struct LastFailure<'a> {
    pub class: &'a str,
    pub reason: &'a str,
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

// What a file or a person wrote is put in by hand: a message would cut it short.
messages! {
    after_work() {
        en: "When the work is done:\n1. Run {{test_command}}. If it fails, fix it and run it again (at most 3 times).\n2. When all tests pass, write a handoff to {{handoff}}.\n   Format: ## Done / ## Key Decisions / ## Changed Files / ## Next / ## Context Files\n3. If the work is impossible, write the handoff with status blocked and give the reason.\n",
        ko: "작업 완료 후:\n1. {{test_command}}를 실행하라. 실패 시 수정 후 재실행 (최대 3회).\n2. 모든 테스트가 통과하면 {{handoff}}에 핸드오프를 작성하라.\n   형식: ## Done / ## Key Decisions / ## Changed Files / ## Next / ## Context Files\n3. 작업이 불가능하면 핸드오프 status를 blocked으로 작성하고 사유를 기록하라.\n",
    }
    front_matter() {
        en: "The handoff begins with this front matter (with the time of writing and its offset):\n---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: {{goal_id}}\n---\n",
        ko: "핸드오프는 다음 frontmatter로 시작한다 (작성 시각과 UTC 오프셋을 적는다):\n---\ntimestamp: \"2026-02-09T14:30:00+09:00\"\nstatus: complete\ngoal_id: {{goal_id}}\n---\n",
    }
    red() {
        en: "This step only writes tests. It is right that they fail.",
        ko: "이 단계는 테스트 작성만. 테스트가 실패하면 정상.",
    }
    scope() { en: "Change only these files: {{files}}", ko: "다음 파일만 수정하라: {{files}}" }
    adversarial() {
        en: "Break this code. Hostile input, concurrency, exhausted resources, and so on.",
        ko: "이 코드를 깨뜨려라. 악의적 입력, 동시성, 리소스 고갈 등.",
    }
    last_failure() {
        en: "The last attempt did not pass and was rolled back: {{class}}: {{reason}}",
        ko: "지난 시도는 통과하지 못해 롤백되었다: {{class}}: {{reason}}",
    }
    last_in_tree() {
        en: "The last attempt did not pass. Its changes are in the work tree, uncommitted; go on from there: {{class}}: {{reason}}",
        ko: "지난 시도는 통과하지 못했다. 그 변경은 커밋되지 않은 채 작업 트리에 있으니 이어서 작업하라: {{class}}: {{reason}}",
    }
    last_tests() { en: "The end of its test output:", ko: "그때 테스트 출력의 끝부분:" }
}

/// How much of the last test output a prompt repeats.
pub const TAIL_BYTES: usize = 8_000;

/// The whole prompt.
pub fn prompt(goal: &Goal, parts: Parts<'_>, lang: Lang) -> String {
    let mut text = format!("{}\n---\n\n", parts.context.trim_end_matches('\n'));
    let values = [("test_command", parts.test_command), ("handoff", parts.handoff_path)];
    text += &filled(&after_work(lang), &values);
    if goal.expect_failure {
        text += &format!("\n{}", red(lang));
    }
    if !goal.allowed_changes.is_empty() {
        let quoted: Vec<String> =
            goal.allowed_changes.iter().map(|glob| format!("{glob:?}")).collect();
        let files = format!("[{}]", quoted.join(", "));
        text += &format!("\n{}", filled(&scope(lang), &[("files", &files)]));
    }
    if goal.prompt_mode == Some(PromptMode::Adversarial) {
        text += &format!("\n{}", adversarial(lang));
    }
    text.truncate(text.trim_end_matches('\n').len());
    text += &format!("\n\n{}", filled(&front_matter(lang), &[("goal_id", &yaml_word(&goal.id))]));
    if let Some(last) = parts.last {
        text += &failure(last, lang);
    }
    text
}

fn failure(last: LastFailure<'_>, lang: Lang) -> String {
    let values = [("class", last.class), ("reason", last.reason)];
    let template = match last.work {
        LastWork::RolledBack => last_failure(lang),
        LastWork::InTheTree => last_in_tree(lang),
    };
    let mut text = format!("\n{}\n", filled(&template, &values));
    let from = last.test_tail.len().saturating_sub(TAIL_BYTES);
    let tail = last.test_tail[last.test_tail.ceil_char_boundary(from)..].trim_end();
    if !tail.is_empty() {
        // A fence that the output cannot close.
        let fence = "`".repeat(longest_run(tail, '`').max(2) + 1);
        text += &format!("{}\n{fence}\n{tail}\n{fence}\n", last_tests(lang));
    }
    text
}

/// A template with its `{names}` replaced, each place once: what is put in is not looked at again.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let known = values.iter().find_map(|(name, value)| {
            let after = rest.strip_prefix('{')?.strip_prefix(name)?.strip_prefix('}')?;
            Some((value, after))
        });
        match known {
            Some((value, after)) => {
                out.push_str(value);
                rest = after;
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out + rest
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
