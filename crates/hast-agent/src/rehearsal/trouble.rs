//! Why an action was not done, in both languages.

use std::path::Path;

use hast_flow::words::Lang;

use super::{REFUSED, UNEXPECTED};

#[derive(Debug)]
pub(super) enum Trouble {
    /// An item without exactly one action; the check of the document finds it before.
    NoAction,
    NoValue(String),
    File {
        path: String,
        why: String,
    },
    Found {
        path: String,
        old: String,
        wanted: usize,
        found: usize,
    },
    Output {
        why: String,
    },
    Program {
        program: String,
        why: String,
    },
    ProgramEnded {
        program: String,
        how: String,
    },
    WaitedTooLong {
        path: String,
        seconds: u32,
    },
    NotInPrompt {
        text: String,
    },
    InPrompt {
        text: String,
    },
    Missing {
        path: String,
    },
    There {
        path: String,
    },
    NotInFile {
        path: String,
        text: String,
    },
}

impl Trouble {
    pub(super) fn file(path: &Path, error: &std::io::Error) -> Self {
        Self::File { path: path.display().to_string(), why: error.to_string() }
    }

    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::NotInPrompt { .. }
            | Self::InPrompt { .. }
            | Self::Missing { .. }
            | Self::There { .. }
            | Self::NotInFile { .. } => UNEXPECTED,
            Self::NoAction
            | Self::NoValue(_)
            | Self::File { .. }
            | Self::Found { .. }
            | Self::Output { .. }
            | Self::Program { .. }
            | Self::ProgramEnded { .. }
            | Self::WaitedTooLong { .. } => REFUSED,
        }
    }

    pub(super) fn what(&self, lang: Lang) -> String {
        match self {
            Self::NoAction => say::no_action(lang),
            Self::NoValue(name) => say::no_value(lang, name),
            Self::File { path, why } => say::file(lang, path, why),
            Self::Found { path, old, wanted, found } => say::found(lang, path, old, wanted, found),
            Self::Output { why } => say::output(lang, why),
            Self::Program { program, why } => say::program(lang, program, why),
            Self::ProgramEnded { program, how } => say::program_ended(lang, program, how),
            Self::WaitedTooLong { path, seconds } => say::waited(lang, path, seconds),
            Self::NotInPrompt { text } => say::not_in_prompt(lang, text),
            Self::InPrompt { text } => say::in_prompt(lang, text),
            Self::Missing { path } => say::missing(lang, path),
            Self::There { path } => say::there(lang, path),
            Self::NotInFile { path, text } => say::not_in_file(lang, path, text),
        }
    }

    /// What and what next, for standard error.
    pub(super) fn text(&self, lang: Lang) -> String {
        let next = match self.exit_code() {
            UNEXPECTED => say::unexpected_next(lang),
            _ => say::refused_next(lang),
        };
        say::whole(lang, self.what(lang), next)
    }
}

pub mod say {
    //! The words for the above.

    hast_flow::messages! {
        whole(what, next) { en: "rehearsal: {what} -> {next}", ko: "리허설: {what} -> {next}" }
        unexpected_next() { en: "look at what hast gave the agent, or correct `expect`", ko: "hast가 에이전트에 준 것을 확인하거나 `expect`를 고치세요" }
        refused_next() { en: "correct the rehearsal, or mark the action with `may_fail: true`", ko: "리허설을 고치거나 그 동작에 `may_fail: true`를 붙이세요" }
        no_action() { en: "an item has no action, or several", ko: "동작이 없거나 여럿인 항목이 있습니다" }
        no_value(name) { en: "this call has no {name}", ko: "이 호출에는 {name}(이)가 없습니다" }
        file(path, why) { en: "`{path}`: {why}", ko: "`{path}`에서 실패했습니다: {why}" }
        found(path, old, wanted, found) { en: "`{old}` is in `{path}` {found} times, not {wanted}", ko: "`{path}`에 `{old}`(이)가 {wanted}번이 아니라 {found}번 있습니다" }
        output(why) { en: "nobody takes the output: {why}", ko: "출력을 받는 곳이 없습니다: {why}" }
        program(program, why) { en: "`{program}` cannot be started: {why}", ko: "`{program}`(을)를 시작할 수 없습니다: {why}" }
        program_ended(program, how) { en: "`{program}` ended with {how}", ko: "`{program}`(이)가 {how}(으)로 끝났습니다" }
        waited(path, seconds) { en: "`{path}` did not appear within {seconds} seconds", ko: "{seconds}초 안에 `{path}`(이)가 생기지 않았습니다" }
        not_in_prompt(text) { en: "the prompt does not have `{text}`", ko: "프롬프트에 `{text}`(이)가 없습니다" }
        in_prompt(text) { en: "the prompt has `{text}`", ko: "프롬프트에 `{text}`(이)가 있습니다" }
        missing(path) { en: "`{path}` should be there", ko: "`{path}`(이)가 있어야 합니다" }
        there(path) { en: "`{path}` should not be there", ko: "`{path}`(이)가 없어야 합니다" }
        not_in_file(path, text) { en: "`{path}` does not have `{text}`", ko: "`{path}`에 `{text}`(이)가 없습니다" }
    }
}

#[cfg(test)]
mod tests {
    use super::say;
    use hast_flow::words::placeholders;

    #[test]
    fn both_languages_say_the_same_things() {
        for entry in say::CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
            let hangul = |text: &str| text.chars().any(|c| ('가'..='힣').contains(&c));
            assert!(!hangul(entry.en) && hangul(entry.ko), "{}", entry.key);
        }
    }
}
