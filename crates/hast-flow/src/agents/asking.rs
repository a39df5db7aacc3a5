//! The parts of a prompt about files, in the words of either language: those to read, those to write with an
//! example of each, and what was wrong with those of the call before.

use crate::agents::fields;
use crate::docs::call::{Call, CallFinding, ExpectedDocument};
use crate::docs::examples::{self, Values};
use crate::docs::goals::Language;
use crate::docs::registry;
use crate::time::UtcTime;
use crate::words::Lang;

/// Whether an agent may leave further files beside those that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Further {
    #[default]
    None,
    Results,
}

/// Which files of the project an agent sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Copies of its inputs, and nothing else.
    Copies,
    All,
}

/// The part of a prompt that names the expected files with an example of each; nothing where the prompt
/// itself says what to write.
pub fn expected_section(call: &Call, further: Further, at: UtcTime, values: &Values) -> String {
    let lang = call.language.lang();
    if call.handoff_path.is_some() {
        // The handoff is the way to say it.
        return String::new();
    }
    if call.expected.is_empty() {
        return say::own_words(lang, &call.outbox);
    }
    let where_ = match further {
        Further::None => say::expected_where(lang, &call.outbox),
        Further::Results => say::expected_and_further(lang, &call.outbox),
    };
    let mut section = format!("{}\n\n{where_}\n\n", say::expected_heading(lang));
    for document in &call.expected {
        section += &expected_line(document, lang);
        section.push('\n');
    }
    for document in &call.expected {
        section += &example(document, call, at, values);
    }
    section + "\n" + &say::own_words_there(lang)
}

/// An example of a document, and what it does not show; the schema where there is none.
fn example(document: &ExpectedDocument, call: &Call, at: UtcTime, values: &Values) -> String {
    let lang = call.language.lang();
    let Some(entry) = document.schema.as_deref().and_then(registry::find) else {
        return String::new();
    };
    let (name, schema) = (&document.name, (entry.schema)());
    let Some(example) = examples::filled(entry.name, call, at, values) else {
        return format!("\n{}\n\n```json\n{schema}\n```\n", say::schema_of(lang, name));
    };
    let kind = name.rsplit('.').next().unwrap_or_default();
    let mut text = format!("\n{}\n\n```{kind}\n{example}\n```\n", say::example_of(lang, name));
    let mut all = fields::fields(&schema);
    // What belongs to a part that the example does not have is for other calls.
    all.retain(|field| field.above().all(|name| has_field(&example, name)));
    let closed = all.iter().map(|field| format!("`{}`: {}", field.path, field.values.join(", ")));
    let closed = closed.collect::<Vec<_>>().join("; ");
    let mut told = Vec::new();
    if !closed.is_empty() {
        told.push(say::closed(lang, closed));
    }
    if !fields::is_open(&schema) {
        told.push(say::no_more(lang));
    }
    if !told.is_empty() {
        text += &format!("{}\n", told.join(" "));
    }
    text
}

/// True where an example in JSON or YAML has a field of this name.
fn has_field(example: &str, name: &str) -> bool {
    [format!("\"{name}\":"), format!("{name}:")].iter().any(|key| example.contains(key))
}

/// The part of a prompt that names every file to read by its path.
pub fn given_section(call: &Call, seen: Seen) -> String {
    let lang = call.language.lang();
    let name = |path: &str| {
        let below = path.strip_prefix(&call.workdir).and_then(|below| below.strip_prefix('/'));
        format!("- `{}`\n", below.unwrap_or(path))
    };
    let names: String = call.inputs.iter().map(|input| name(&input.path)).collect();
    if names.is_empty() {
        return names;
    }
    let where_ = match seen {
        Seen::Copies => say::given_where(lang, &call.workdir),
        Seen::All => say::given_here(lang, &call.workdir),
    };
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
        expected_and_further(outbox) { en: "Write these files into the directory `{outbox}`, and your result files beside them:", ko: "다음 파일을 디렉터리 `{outbox}`에 쓰고, 결과 파일도 그 옆에 두세요:" }
        given_heading() { en: "## Files to read", ko: "## 읽을 파일" }
        given_where(workdir) { en: "Copies, in your working directory `{workdir}`; nothing else of the project is yours to read:", ko: "작업 디렉터리 `{workdir}`에 있는 사본입니다. 프로젝트의 다른 파일은 읽을 수 없습니다:" }
        given_here(workdir) { en: "Paths are below your working directory `{workdir}`. Read these first:", ko: "경로는 작업 디렉터리 `{workdir}` 아래입니다. 먼저 읽으세요:" }
        optional() { en: "only where the text above asks for it", ko: "위의 글이 요구할 때만" }
        example_of(name) { en: "Example of `{name}`:", ko: "`{name}`의 예:" }
        closed(list: whole) { en: "Only these values: {list}.", ko: "허용되는 값: {list}." }
        no_more() { en: "No other fields.", ko: "다른 필드는 쓸 수 없습니다." }
        schema_of(name) { en: "JSON Schema of `{name}`:", ko: "`{name}`의 JSON Schema:" }
        own_words_there() {
            en: "If you cannot go on without a person, write into that directory only `blocked.json` with {{\"reason\": \"...\"}}; if it cannot be done, only `failed.json` with {{\"error\": \"...\"}}.\n",
            ko: "사람의 도움 없이 진행할 수 없으면 그 디렉터리에 `blocked.json`만 쓰고 {{\"reason\": \"...\"}}을 담으세요. 할 수 없는 일이면 `failed.json`만 쓰고 {{\"error\": \"...\"}}를 담으세요.\n",
        }
        own_words(outbox) {
            en: "If you cannot go on without a person, write `{outbox}/blocked.json` with {{\"reason\": \"...\"}}. If it cannot be done, write `{outbox}/failed.json` with {{\"error\": \"...\"}}.\n",
            ko: "사람의 도움 없이 진행할 수 없으면 `{outbox}/blocked.json`에 {{\"reason\": \"...\"}}을 쓰세요. 할 수 없는 일이면 `{outbox}/failed.json`에 {{\"error\": \"...\"}}를 쓰세요.\n",
        }
        rejected() { en: "What you wrote is among the files to read, in the directory `rejected`. Write the files again, whole.", ko: "이전에 쓴 것은 읽을 파일의 `rejected` 디렉터리에 있습니다. 파일 전체를 다시 쓰세요." }
        findings_heading() { en: "## What was wrong with the files you wrote before", ko: "## 이전에 쓴 파일에서 고칠 점" }
    }
}
