//! Texts of `auto` about goals and attempts: the report of `--dry-run`, which starts nothing, and
//! the `--explain` line of a verdict.

use serde::Serialize;

use crate::attempt::judge::Verdict;
use crate::docs::goals::Minutes;
use crate::messages;
use crate::words::{Lang, visible, visible_lines};

/// One goal as `--dry-run` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DryRun {
    pub goal_id: String,
    pub title: String,
    pub tool: String,
    pub prompt_bytes: usize,
    pub timeout_minutes: Minutes,
    pub max_retries: u32,
    pub test_command: String,
    /// Empty is unlimited.
    pub allowed_changes: Vec<String>,
    pub expect_failure: bool,
    /// The whole prompt, with `--dry-run-full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

messages! {
    tool_line(tool) { en: "  tool: {tool}", ko: "  도구: {tool}" }
    prompt_line(bytes) { en: "  prompt: {bytes} bytes", ko: "  프롬프트: {bytes} 바이트" }
    limits_line(minutes, retries) { en: "  limits: {minutes} minutes, {retries} attempts", ko: "  한도: {minutes}분, {retries}회 시도" }
    tests_line(command) { en: "  tests: {command}", ko: "  테스트: {command}" }
    red_line(command) { en: "  tests: {command} (must fail)", ko: "  테스트: {command} (실패해야 함)" }
    scope_line(scope) { en: "  scope: {scope}", ko: "  범위: {scope}" }
    unlimited() { en: "unlimited", ko: "무제한" }
    starts_nothing() { en: "Nothing was started and nothing was written.", ko: "아무것도 시작하거나 쓰지 않았습니다." }
}

/// The report of `--dry-run` for people.
pub fn dry_run(goals: &[DryRun], lang: Lang) -> String {
    let mut out = String::new();
    for goal in goals {
        out += &format!("{} — {}\n", visible(&goal.goal_id), visible(&goal.title));
        let scope = match goal.allowed_changes.as_slice() {
            [] => unlimited(lang),
            patterns => patterns.join(", "),
        };
        let tests = match goal.expect_failure {
            true => red_line(lang, &goal.test_command),
            false => tests_line(lang, &goal.test_command),
        };
        for line in [
            tool_line(lang, &goal.tool),
            prompt_line(lang, goal.prompt_bytes),
            limits_line(lang, goal.timeout_minutes, goal.max_retries),
            tests,
            scope_line(lang, scope),
        ] {
            out += &line;
            out.push('\n');
        }
        if let Some(prompt) = &goal.prompt {
            out += &format!("\n{}\n", visible_lines(prompt.trim_end()));
        }
    }
    out + &starts_nothing(lang) + "\n"
}

/// The line of `--explain`: `[M1] attempt=2 failed: the tests failed`.
pub fn explain(goal: &str, attempt: u32, verdict: &Verdict, lang: Lang) -> String {
    let reason = verdict.reason.text(lang);
    format!("[{}] attempt={attempt} {}: {reason}", visible(goal), verdict.class)
}
