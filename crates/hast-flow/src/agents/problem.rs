//! Why a line names no agent, or a call cannot be made with it; found before anything is started.

use crate::agents::command::MAX_ARGUMENT_BYTES;
use crate::words::Lang;

/// What is wrong with an agent's line, or with a prompt on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentProblem {
    Empty,
    UnclosedQuote {
        line: String,
    },
    NoPlaceholder {
        line: String,
    },
    InsideWord {
        placeholder: &'static str,
        word: String,
    },
    Twice {
        placeholder: &'static str,
    },
    /// The prompt would be run as a program of this interpreter.
    RunsThePrompt {
        interpreter: String,
    },
    /// A shell would take the path of the prompt file apart.
    PathInShell {
        path: String,
    },
    PromptTooLong {
        bytes: usize,
    },
    PromptHasNul,
    BadBuiltin {
        line: String,
    },
    NoRehearsalFile,
    UnknownAgent {
        name: String,
    },
}

impl AgentProblem {
    /// What is wrong, in one sentence without a full stop.
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::Empty => say::empty(lang),
            Self::UnclosedQuote { line } => say::unclosed_quote(lang, line),
            Self::NoPlaceholder { line } => say::no_placeholder(lang, line),
            Self::InsideWord { placeholder, word } => say::inside_word(lang, placeholder, word),
            Self::Twice { placeholder } => say::twice(lang, placeholder),
            Self::RunsThePrompt { interpreter } => say::runs_the_prompt(lang, interpreter),
            Self::PathInShell { path } => say::path_in_shell(lang, path),
            Self::PromptTooLong { bytes } => say::too_long(lang, bytes, MAX_ARGUMENT_BYTES),
            Self::PromptHasNul => say::has_nul(lang),
            Self::BadBuiltin { line } => say::bad_builtin(lang, line),
            Self::NoRehearsalFile => say::no_rehearsal_file(lang),
            Self::UnknownAgent { name } => say::unknown_agent(lang, name),
        }
    }

    /// What to do next, in one sentence without a full stop.
    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::Empty => say::name_one(lang),
            Self::BadBuiltin { .. } => say::bad_builtin_next(lang),
            Self::UnknownAgent { .. } => say::unknown_agent_next(lang),
            Self::UnclosedQuote { .. } => say::unclosed_quote_next(lang),
            Self::NoPlaceholder { .. } => say::no_placeholder_next(lang),
            Self::InsideWord { placeholder, .. } => say::inside_word_next(lang, placeholder),
            Self::Twice { placeholder } => say::twice_next(lang, placeholder),
            Self::RunsThePrompt { .. } => say::runs_the_prompt_next(lang),
            Self::PathInShell { .. } => say::path_in_shell_next(lang),
            Self::PromptTooLong { .. } | Self::PromptHasNul => say::other_way(lang),
            Self::NoRehearsalFile => say::no_rehearsal_file_next(lang),
        }
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        empty() { en: "no agent is named", ko: "에이전트가 지정되지 않았습니다" }
        name_one() {
            en: "install an agent that hast knows (`hast agent list` names them), or write `ai_tool:` with a name, `builtin:PROVIDER/MODEL` or a command line with {{prompt}}, {{prompt_file}} or {{stdin}} into .ai/config.yaml here, or into ~/.config/hast/config.yaml for all projects",
            ko: "hast가 아는 에이전트를 설치하거나(`hast agent list` 참고), 이 프로젝트의 .ai/config.yaml 또는 모든 프로젝트에 쓰이는 ~/.config/hast/config.yaml의 `ai_tool:`에 이름, `builtin:PROVIDER/MODEL`, 또는 {{prompt}}, {{prompt_file}}, {{stdin}} 중 하나가 있는 명령을 적으세요",
        }
        unclosed_quote(line) { en: "the quotes of `{line}` do not close", ko: "`{line}`의 따옴표가 닫히지 않았습니다" }
        unclosed_quote_next() { en: "close the quote, or write \\' for a single one", ko: "따옴표를 닫거나, 글자 그대로의 따옴표는 \\'로 적으세요" }
        no_placeholder(line) { en: "`{line}` does not say where the prompt goes", ko: "`{line}`에 프롬프트가 들어갈 자리가 없습니다" }
        no_placeholder_next() {
            en: "add {{prompt}}, {{prompt_file}} or {{stdin}} as a word of its own",
            ko: "{{prompt}}, {{prompt_file}}, {{stdin}} 중 하나를 따로 떨어진 단어로 넣으세요",
        }
        inside_word(placeholder, word) { en: "`{placeholder}` stands inside the longer word `{word}`", ko: "`{placeholder}`(이)가 더 긴 단어 `{word}` 안에 있습니다" }
        inside_word_next(placeholder) {
            en: "make `{placeholder}` a word of its own; inside `sh -c '...'` the prompt would be run as commands",
            ko: "`{placeholder}`(을)를 따로 떨어진 단어로 두세요. `sh -c '...'` 안에서는 프롬프트가 명령으로 실행됩니다",
        }
        twice(placeholder) { en: "`{placeholder}` is there more than once", ko: "`{placeholder}`(이)가 두 번 이상 있습니다" }
        twice_next(placeholder) { en: "keep one `{placeholder}`", ko: "`{placeholder}`(을)를 하나만 남기세요" }
        runs_the_prompt(interpreter) { en: "`{interpreter}` would run the prompt as a program", ko: "`{interpreter}`(이)가 프롬프트를 프로그램으로 실행하게 됩니다" }
        runs_the_prompt_next() {
            en: "use {{stdin}}, or pass the prompt to a script as an argument: sh -c 'tool \"$1\"' sh {{prompt}}",
            ko: "{{stdin}}을 쓰거나, 스크립트의 인자로 넘기세요: sh -c 'tool \"$1\"' sh {{prompt}}",
        }
        path_in_shell(path) { en: "the path `{path}` would be taken apart inside a shell script", ko: "경로 `{path}`(이)가 셸 스크립트 안에서 쪼개집니다" }
        path_in_shell_next() {
            en: "pass it as an argument: sh -c 'tool < \"$1\"' sh {{prompt_file}}",
            ko: "인자로 넘기세요: sh -c 'tool < \"$1\"' sh {{prompt_file}}",
        }
        too_long(bytes, limit) { en: "the prompt has {bytes} bytes; one argument takes less than {limit}", ko: "프롬프트가 {bytes}바이트입니다. 인자 하나는 {limit}바이트보다 짧아야 합니다" }
        has_nul() { en: "the prompt has a NUL byte, which no argument can have", ko: "프롬프트에 NUL 바이트가 있어 인자로 넘길 수 없습니다" }
        other_way() { en: "use {{prompt_file}} or {{stdin}} instead of {{prompt}}", ko: "{{prompt}} 대신 {{prompt_file}}이나 {{stdin}}을 쓰세요" }
        bad_builtin(line) { en: "`{line}` names no format and model of the built-in agent", ko: "`{line}`에 내장 에이전트의 형식과 모델이 없습니다" }
        bad_builtin_next() { en: "write builtin:anthropic/MODEL or builtin:openai-chat/MODEL", ko: "builtin:anthropic/모델 또는 builtin:openai-chat/모델 형식으로 적으세요" }
        no_rehearsal_file() { en: "`rehearsal:` names no file", ko: "`rehearsal:` 뒤에 파일이 없습니다" }
        no_rehearsal_file_next() { en: "write rehearsal:FILE.yaml", ko: "rehearsal:FILE.yaml 형식으로 적으세요" }
        unknown_agent_next() {
            en: "name a preset or an agent of `ai_tools` in .ai/config.yaml; `hast agent list` shows them",
            ko: "프리셋이나 .ai/config.yaml의 `ai_tools`에 있는 이름을 쓰세요. `hast agent list`가 보여 줍니다",
        }
        unknown_agent(name) { en: "`{name}` is neither in `ai_tools` nor a preset", ko: "`{name}`(은)는 `ai_tools`에도 프리셋에도 없습니다" }
    }
}
