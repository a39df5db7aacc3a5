//! What a prompt says about the outbox, in the words of either language: which files are expected,
//! and what was wrong with those of the call before.

use crate::docs::call::{Call, CallFinding, ExpectedDocument};
use crate::docs::goals::Language;
use crate::docs::registry;
use crate::words::Lang;

/// The part of a prompt that names the expected files with their schemas; nothing where none are.
pub fn expected_section(call: &Call) -> String {
    let lang = call.language.lang();
    if call.expected.is_empty() {
        return say::own_words(lang, &call.outbox);
    }
    let mut section =
        say::expected_heading(lang) + "\n\n" + &say::expected_where(lang, &call.outbox) + "\n\n";
    for document in &call.expected {
        section += &expected_line(document, lang);
        section.push('\n');
    }
    for document in &call.expected {
        if let Some(entry) = document.schema.as_deref().and_then(registry::find) {
            section += &format!("\n{}\n\n", say::schema_of(lang, &document.name));
            section += &format!("```json\n{}\n```\n", (entry.schema)());
        }
    }
    section + "\n" + &say::own_words(lang, &call.outbox)
}

/// The part of a prompt that names the copies that lie in the working directory.
pub fn given_section(call: &Call) -> String {
    let lang = call.language.lang();
    let name = |path: &str| {
        let below = path.strip_prefix(&call.workdir).map(|below| below.trim_start_matches('/'));
        format!("- `{}`\n", below.unwrap_or(path))
    };
    let names: String = call.inputs.iter().map(|input| name(&input.path)).collect();
    if names.is_empty() {
        return names;
    }
    let where_ = say::given_where(lang, &call.workdir);
    format!("{}\n\n{where_}\n\n{names}", say::given_heading(lang))
}

/// The part of a prompt that says what to repair; nothing where nothing was found.
pub fn findings_section(findings: &[CallFinding], language: Language) -> String {
    let lang = language.lang();
    if findings.is_empty() {
        return String::new();
    }
    let mut section = say::findings_heading(lang) + "\n\n";
    for CallFinding { file, line, problem, next } in findings {
        let place = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
        section += &format!("- {place}: {problem} -> {next}\n");
    }
    section
}

fn expected_line(document: &ExpectedDocument, lang: Lang) -> String {
    if document.required {
        format!("- `{}`", document.name)
    } else {
        format!("- `{}` ({})", document.name, say::optional(lang))
    }
}

pub mod say {
    //! The words for the above.

    crate::messages! {
        expected_heading() { en: "## Files to write", ko: "## 작성할 파일" }
        expected_where(outbox) { en: "Write these files into the directory `{outbox}`, and nothing else there:", ko: "다음 파일을 디렉터리 `{outbox}`에 쓰세요. 다른 파일은 두지 마세요:" }
        given_heading() { en: "## Files to read", ko: "## 읽을 파일" }
        given_where(workdir) { en: "Copies, in your working directory `{workdir}`; nothing else of the project is yours to read:", ko: "작업 디렉터리 `{workdir}`에 있는 사본입니다. 프로젝트의 다른 파일은 읽을 수 없습니다:" }
        optional() { en: "only if there is something to say", ko: "내용이 있을 때만" }
        schema_of(name) { en: "JSON Schema of `{name}`:", ko: "`{name}`의 JSON Schema:" }
        own_words(outbox) {
            en: "If you cannot go on without a person, write `{outbox}/blocked.json` with {{\"reason\": \"...\"}}. If it cannot be done, write `{outbox}/failed.json` with {{\"error\": \"...\"}}.\n",
            ko: "사람의 도움 없이 진행할 수 없으면 `{outbox}/blocked.json`에 {{\"reason\": \"...\"}}을 쓰세요. 할 수 없는 일이면 `{outbox}/failed.json`에 {{\"error\": \"...\"}}를 쓰세요.\n",
        }
        findings_heading() { en: "## What was wrong with the files you wrote before", ko: "## 이전에 쓴 파일에서 고칠 점" }
    }
}
