//! What is wrong with a file: where, what, and what to do next. One closed list of causes.

use crate::formats::agent_words::NoRights;
use crate::formats::source::Place;
use crate::formats::yaml_words;
use crate::messages;
use crate::words::{Lang, shown};

/// How many findings one file reports; a file with more is beyond reading one by one.
pub const MAX_FINDINGS: usize = 100;

/// A finding in a file. Messages are made from it in either language; nothing is lost in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub file: String,
    pub place: Option<Place>,
    pub severity: Severity,
    pub finding: Finding,
}

/// Whether the file is refused or only reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// Every way in which a file can be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    CannotRead { why: String },
    TooLarge { bytes: usize, limit: usize },
    NotUtf8 { line: usize, byte: usize },
    Syntax { format: Format, detail: String },
    TooDeep { limit: usize },
    TooManyNodes { limit: usize },
    AliasLoop,
    DuplicateKey { key: String, first_line: usize },
    KeyNotText,
    TornTail { bytes: usize },
    UnknownField { name: String, near: Option<String> },
    MissingField { name: String, example: Option<String> },
    WrongType { expected: Kind, found: Kind },
    QuoteText { text: String },
    NotOneOf { value: String, allowed: Vec<String> },
    BadForm { value: String, example: String },
    OutOfRange { value: String, least: i64, most: i64 },
    Empty { name: String },
    NoTable { expected: Vec<String> },
    MissingColumn { name: String },
    CellCount { expected: usize, found: usize },
    NoFrontMatter,
    UnclosedFrontMatter,
    NewerVersion { found: u64, known: u64 },
    DuplicateId { id: String, first_line: usize },
    UnknownReference { id: String },
    Cycle { path: Vec<String> },
    NotItsOwner { id: String, owner: String },
    NotInOrder { id: String, list: String },
    NoPlaceholder { line: String, near: Option<String> },
    UnclosedQuote { line: String },
    RunsThePrompt { interpreter: String },
    PlaceholderInsideWord { placeholder: String },
    NoRights(NoRights),
    NotExactlyOne { found: Vec<String>, allowed: Vec<String> },
    NeverReached { after: String },
    NotGrowing { id: String, before: String },
    NotTheFirst { id: String },
    AnsweredTwice { id: String },
    TooFew { found: usize, least: usize },
    Contradicts { other: String, detail: String },
    MissingFile { path: String, because: String },
    CannotEdit { reason: NoEdit },
    Custom { detail: String },
}

/// Why a lossless edit is refused; a person has to change the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEdit {
    ThroughAlias,
    AnchoredValue,
    FromMergeKey,
    NotAScalar,
    NotFound,
    AlreadyThere,
    TaggedValue,
    OtherValuesWouldChange,
    SharesItsLine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    Ndjson,
    Yaml,
    MarkdownTable,
    FrontMatter,
}

/// What a value is, in words that fit YAML, JSON and table cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Null,
    Bool,
    Integer,
    Number,
    Text,
    List,
    Map,
}

impl Diagnostic {
    /// An error about a file as a whole.
    pub fn of_file(file: &str, finding: Finding) -> Self {
        Self { file: file.to_owned(), place: None, severity: Severity::Error, finding }
    }

    pub fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Line and column, where the finding has them.
    pub fn line(&self) -> Option<usize> {
        match (&self.place, &self.finding) {
            (Some(place), _) => Some(place.line),
            (None, Finding::NotUtf8 { line, .. }) => Some(*line),
            (None, _) => None,
        }
    }
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Ndjson => "NDJSON",
            Self::Yaml => "YAML",
            Self::MarkdownTable => "Markdown",
            Self::FrontMatter => "front matter",
        }
    }
}

impl Kind {
    pub fn name(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Null, Lang::En) => "nothing",
            (Self::Bool, Lang::En) => "true or false",
            (Self::Integer, Lang::En) => "a whole number",
            (Self::Number, Lang::En) => "a number",
            (Self::Text, Lang::En) => "text",
            (Self::List, Lang::En) => "a list",
            (Self::Map, Lang::En) => "a map",
            (Self::Null, Lang::Ko) => "빈 값",
            (Self::Bool, Lang::Ko) => "true/false",
            (Self::Integer, Lang::Ko) => "정수",
            (Self::Number, Lang::Ko) => "숫자",
            (Self::Text, Lang::Ko) => "문자열",
            (Self::List, Lang::Ko) => "목록",
            (Self::Map, Lang::Ko) => "맵",
        }
    }
}

impl Diagnostic {
    /// What to do next; an example is written as its file is.
    pub fn next(&self, lang: Lang) -> String {
        match &self.finding {
            Finding::MissingField { name, example: Some(example) }
                if self.file.ends_with(".json") =>
            {
                let is_json = serde_json::from_str::<serde_json::Value>(example).is_ok();
                let value = if is_json { example.clone() } else { format!("{example:?}") };
                text::missing_field_example(lang, format!("\"{name}\""), value)
            }
            finding => finding.next(lang),
        }
    }
}

impl Finding {
    /// What is wrong, in one sentence without a full stop.
    pub fn what(&self, lang: Lang) -> String {
        match self {
            Self::CannotRead { why } => text::cannot_read(lang, why),
            Self::TooLarge { bytes, limit } => text::too_large(lang, bytes, limit),
            Self::NotUtf8 { line, byte } => text::not_utf8(lang, line, byte),
            Self::Syntax { format: Format::Yaml, detail } => {
                text::syntax(lang, Format::Yaml.name(), yaml_words::told(detail, lang))
            }
            Self::Syntax { format, detail } => text::syntax(lang, format.name(), detail),
            Self::TooDeep { limit } => text::too_deep(lang, limit),
            Self::TooManyNodes { limit } => text::too_many_nodes(lang, limit),
            Self::AliasLoop => text::alias_loop(lang),
            Self::DuplicateKey { key, first_line } => text::duplicate_key(lang, key, first_line),
            Self::KeyNotText => text::key_not_text(lang),
            Self::TornTail { bytes } => text::torn_tail(lang, bytes),
            Self::UnknownField { name, .. } => text::unknown_field(lang, name),
            Self::MissingField { name, .. } => text::missing_field(lang, name),
            Self::WrongType { expected, found } => {
                text::wrong_type(lang, expected.name(lang), found.name(lang))
            }
            Self::QuoteText { text } => text::quote_text(lang, text),
            Self::NotOneOf { value, .. } => text::not_one_of(lang, value),
            Self::BadForm { value, .. } => text::bad_form(lang, value),
            Self::OutOfRange { value, .. } => text::out_of_range(lang, value),
            Self::Empty { name } => text::empty(lang, name),
            Self::NoTable { .. } => text::no_table(lang),
            Self::MissingColumn { name } => text::missing_column(lang, name),
            Self::CellCount { expected, found } => text::cell_count(lang, expected, found),
            Self::NoFrontMatter => text::no_front_matter(lang),
            Self::UnclosedFrontMatter => text::unclosed_front_matter(lang),
            Self::NewerVersion { found, known } => text::newer_version(lang, found, known),
            Self::DuplicateId { id, first_line } => text::duplicate_id(lang, id, first_line),
            Self::UnknownReference { id } => text::unknown_reference(lang, id),
            Self::Cycle { path } => text::cycle(lang, path.join(" -> ")),
            Self::NotItsOwner { id, owner } => text::not_its_owner(lang, id, owner),
            Self::NotInOrder { id, list } => text::not_in_order(lang, id, list),
            Self::NoPlaceholder { line, .. } => text::no_placeholder(lang, line),
            Self::UnclosedQuote { line } => text::unclosed_quote(lang, line),
            Self::RunsThePrompt { interpreter } => text::runs_the_prompt(lang, interpreter),
            Self::PlaceholderInsideWord { placeholder } => {
                text::placeholder_inside(lang, placeholder)
            }
            Self::NoRights(rights) => rights.what(lang),
            Self::NotExactlyOne { found, .. } if found.is_empty() => text::none_of_these(lang),
            Self::NotExactlyOne { found, .. } => text::more_than_one(lang, found.join(", ")),
            Self::NeverReached { after } => text::never_reached(lang, after),
            Self::CannotEdit { reason } => reason.what(lang),
            Self::TooFew { found, least } => text::too_few(lang, *found, *least),
            Self::NotGrowing { id, before } => text::not_growing(lang, id, before),
            Self::NotTheFirst { id } => text::not_the_first(lang, id),
            Self::AnsweredTwice { id } => text::answered_twice(lang, id),
            Self::Contradicts { other, detail } => text::contradicts(lang, other, detail),
            Self::MissingFile { path, because } => text::missing_file(lang, path, because),
            Self::Custom { detail } => shown(detail),
        }
    }

    /// What to do next, in one sentence without a full stop.
    pub fn next(&self, lang: Lang) -> String {
        match self {
            Self::CannotRead { .. } => text::cannot_read_next(lang),
            Self::TooLarge { .. } => text::too_large_next(lang),
            Self::NotUtf8 { .. } => text::not_utf8_next(lang),
            Self::Syntax { format, .. } => text::syntax_next(lang, format.name()),
            Self::TooDeep { .. } | Self::TooManyNodes { .. } | Self::AliasLoop => {
                text::too_deep_next(lang)
            }
            Self::DuplicateKey { .. } => text::duplicate_key_next(lang),
            Self::KeyNotText => text::key_not_text_next(lang),
            Self::TornTail { .. } => text::torn_tail_next(lang),
            Self::UnknownField { near: Some(near), .. } => text::unknown_field_near(lang, near),
            Self::UnknownField { near: None, .. } => text::unknown_field_next(lang),
            Self::MissingField { name, example: Some(example) } => {
                text::missing_field_example(lang, name, example)
            }
            Self::MissingField { name, example: None } => text::missing_field_next(lang, name),
            Self::WrongType { expected, .. } => text::wrong_type_next(lang, expected.name(lang)),
            Self::QuoteText { text } => text::quote_text_next(lang, text),
            Self::NotOneOf { allowed, .. } => text::not_one_of_next(lang, allowed.join(", ")),
            Self::BadForm { example, .. } => text::bad_form_next(lang, example),
            Self::OutOfRange { least, most, .. } => text::out_of_range_next(lang, least, most),
            Self::Empty { .. } => text::empty_next(lang),
            Self::NoTable { expected } => text::no_table_next(lang, expected.join(" | ")),
            Self::MissingColumn { name } => text::missing_column_next(lang, name),
            Self::CellCount { expected, .. } => text::cell_count_next(lang, expected),
            Self::NoFrontMatter => text::no_front_matter_next(lang),
            Self::UnclosedFrontMatter => text::unclosed_front_matter_next(lang),
            Self::NewerVersion { .. } => text::newer_version_next(lang),
            Self::DuplicateId { .. } => text::duplicate_id_next(lang),
            Self::UnknownReference { .. } => text::unknown_reference_next(lang),
            Self::Cycle { .. } => text::cycle_next(lang),
            Self::NotItsOwner { owner, .. } => text::not_its_owner_next(lang, owner),
            Self::NotInOrder { id, list } => text::not_in_order_next(lang, id, list),
            Self::NoPlaceholder { near: Some(near), .. } => text::near_preset(lang, near),
            Self::NoPlaceholder { near: None, .. } => text::no_placeholder_next(lang),
            Self::UnclosedQuote { .. } => text::unclosed_quote_next(lang),
            Self::RunsThePrompt { .. } => text::runs_the_prompt_next(lang),
            Self::PlaceholderInsideWord { .. } => text::placeholder_inside_next(lang),
            Self::NoRights(rights) => rights.next(lang),
            Self::NotExactlyOne { found, allowed } if found.is_empty() => {
                text::none_of_these_next(lang, allowed.join(", "))
            }
            Self::NotExactlyOne { .. } => text::more_than_one_next(lang),
            Self::NeverReached { after } => text::never_reached_next(lang, after),
            Self::CannotEdit { .. } => text::cannot_edit_next(lang),
            Self::TooFew { least, .. } => text::too_few_next(lang, *least),
            Self::NotGrowing { .. } | Self::NotTheFirst { .. } | Self::AnsweredTwice { .. } => {
                text::log_next(lang)
            }
            Self::Contradicts { other, .. } => text::contradicts_next(lang, other),
            Self::MissingFile { path, .. } => text::missing_file_next(lang, path),
            Self::Custom { .. } => text::custom_next(lang),
        }
    }

    /// A stable name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::CannotRead { .. } => "cannot_read",
            Self::TooLarge { .. } => "too_large",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::Syntax { .. } => "syntax",
            Self::TooDeep { .. } => "too_deep",
            Self::TooManyNodes { .. } => "too_many_nodes",
            Self::AliasLoop => "alias_loop",
            Self::DuplicateKey { .. } => "duplicate_key",
            Self::KeyNotText => "key_not_text",
            Self::TornTail { .. } => "torn_tail",
            Self::UnknownField { .. } => "unknown_field",
            Self::MissingField { .. } => "missing_field",
            Self::WrongType { .. } => "wrong_type",
            Self::QuoteText { .. } => "quote_text",
            Self::NotOneOf { .. } => "not_one_of",
            Self::BadForm { .. } => "bad_form",
            Self::OutOfRange { .. } => "out_of_range",
            Self::Empty { .. } => "empty",
            Self::NoTable { .. } => "no_table",
            Self::MissingColumn { .. } => "missing_column",
            Self::CellCount { .. } => "cell_count",
            Self::NoFrontMatter => "no_front_matter",
            Self::UnclosedFrontMatter => "unclosed_front_matter",
            Self::NewerVersion { .. } => "newer_version",
            Self::DuplicateId { .. } => "duplicate_id",
            Self::UnknownReference { .. } => "unknown_reference",
            Self::Cycle { .. } => "cycle",
            Self::NotItsOwner { .. } => "not_its_owner",
            Self::NotInOrder { .. } => "not_in_order",
            Self::NoPlaceholder { .. } => "no_placeholder",
            Self::UnclosedQuote { .. } => "unclosed_quote",
            Self::RunsThePrompt { .. } => "runs_the_prompt",
            Self::PlaceholderInsideWord { .. } => "placeholder_inside_word",
            Self::NoRights(_) => "no_rights",
            Self::NotExactlyOne { .. } => "not_exactly_one",
            Self::NeverReached { .. } => "never_reached",
            Self::CannotEdit { .. } => "cannot_edit",
            Self::TooFew { .. } => "too_few",
            Self::NotGrowing { .. } => "not_growing",
            Self::NotTheFirst { .. } => "not_the_first",
            Self::AnsweredTwice { .. } => "answered_twice",
            Self::Contradicts { .. } => "contradicts",
            Self::MissingFile { .. } => "missing_file",
            Self::Custom { .. } => "rule",
        }
    }
}

impl NoEdit {
    fn what(self, lang: Lang) -> String {
        match self {
            Self::ThroughAlias => text::edit_through_alias(lang),
            Self::AnchoredValue => text::edit_anchored(lang),
            Self::FromMergeKey => text::edit_merge_key(lang),
            Self::NotAScalar => text::edit_not_a_scalar(lang),
            Self::NotFound => text::edit_not_found(lang),
            Self::AlreadyThere => text::edit_already_there(lang),
            Self::TaggedValue => text::edit_tagged(lang),
            Self::OtherValuesWouldChange => text::edit_changes_others(lang),
            Self::SharesItsLine => text::edit_shares_line(lang),
        }
    }
}

pub mod text {
    //! The words of every finding.
    use super::messages;

    messages! {
        cannot_read(why) { en: "the file cannot be read: {why}", ko: "파일을 읽을 수 없습니다: {why}" }
        cannot_read_next() { en: "check that it exists and that you may read it", ko: "파일이 있는지, 읽을 권한이 있는지 확인하세요" }
        too_large(bytes, limit) { en: "the file has {bytes} bytes, more than the limit of {limit}", ko: "파일이 {bytes}바이트로 한도 {limit}바이트를 넘습니다" }
        too_large_next() { en: "split it or remove what is not needed", ko: "파일을 나누거나 필요 없는 내용을 지우세요" }
        not_utf8(line, byte) { en: "line {line} is not UTF-8 text (byte {byte})", ko: "{line}번째 줄이 UTF-8 텍스트가 아닙니다(바이트 {byte})" }
        not_utf8_next() { en: "save the file as UTF-8", ko: "파일을 UTF-8로 저장하세요" }
        syntax(format, detail) { en: "this is not valid {format}: {detail}", ko: "올바른 {format} 형식이 아닙니다: {detail}" }
        syntax_next(format) { en: "correct the {format} at this place", ko: "이 위치의 {format} 문법을 고치세요" }
        too_deep(limit) { en: "values are nested deeper than {limit} levels", ko: "값이 {limit}단계보다 깊게 중첩되어 있습니다" }
        too_many_nodes(limit) { en: "the file expands to more than {limit} values", ko: "파일을 펼치면 값이 {limit}개를 넘습니다" }
        alias_loop() { en: "the alias is inside the value that it names", ko: "별칭이 자기가 가리키는 값 안에 있습니다" }
        too_deep_next() { en: "write it with fewer levels and fewer aliases", ko: "중첩과 별칭을 줄여서 쓰세요" }
        duplicate_key(key, first_line) { en: "the key `{key}` is already on line {first_line}", ko: "키 `{key}`(은)는 {first_line}번째 줄에 이미 있습니다" }
        duplicate_key_next() { en: "keep one of the two", ko: "둘 중 하나만 남기세요" }
        key_not_text() { en: "a key must be plain text", ko: "키는 문자열이어야 합니다" }
        key_not_text_next() { en: "write the key as text", ko: "키를 문자열로 쓰세요" }
        torn_tail(bytes) { en: "the last line is cut off ({bytes} bytes), as a crash leaves it", ko: "마지막 줄이 잘려 있습니다({bytes}바이트). 비정상 종료의 흔적입니다" }
        torn_tail_next() { en: "nothing to do: readers skip it, and the next write cuts it off", ko: "할 일은 없습니다. 읽을 때 건너뛰고 다음 쓰기가 잘라냅니다" }
        unknown_field(name) { en: "unknown field `{name}`", ko: "알 수 없는 필드 `{name}`" }
        unknown_field_next() { en: "remove it, or check its spelling", ko: "지우거나 철자를 확인하세요" }
        unknown_field_near(near) { en: "did you mean `{near}`?", ko: "`{near}`(을)를 쓰려던 것인가요?" }
        missing_field(name) { en: "the field `{name}` is missing", ko: "필드 `{name}`(이)가 없습니다" }
        missing_field_next(name) { en: "add `{name}`", ko: "`{name}`(을)를 추가하세요" }
        missing_field_example(name, example) { en: "add it, for example `{name}: {example}`", ko: "추가하세요. 예: `{name}: {example}`" }
        wrong_type(expected, found) { en: "expected {expected}, found {found}", ko: "{expected}(이)가 필요한데 {found}(이)가 있습니다" }
        wrong_type_next(expected) { en: "write {expected} here", ko: "여기에 {expected}(을)를 쓰세요" }
        quote_text(text) { en: "expected text, but `{text}` without quotes is not text in YAML", ko: "문자열이 필요한데, 따옴표 없는 `{text}`(은)는 YAML에서 문자열이 아닙니다" }
        quote_text_next(text) { en: "put it in quotes: \"{text}\"", ko: "따옴표로 감싸세요: \"{text}\"" }
        not_one_of(value) { en: "`{value}` is not allowed here", ko: "`{value}`(은)는 쓸 수 없는 값입니다" }
        not_one_of_next(allowed) { en: "use one of: {allowed}", ko: "다음 중 하나를 쓰세요: {allowed}" }
        bad_form(value) { en: "`{value}` does not have the right form", ko: "`{value}`의 형식이 맞지 않습니다" }
        bad_form_next(example) { en: "write it like {example}", ko: "{example}처럼 쓰세요" }
        out_of_range(value) { en: "`{value}` is out of range", ko: "`{value}`(은)는 허용 범위를 벗어났습니다" }
        out_of_range_next(least, most) { en: "use a number from {least} to {most}", ko: "{least}부터 {most}까지의 수를 쓰세요" }
        empty(name) { en: "`{name}` is empty", ko: "`{name}`(이)가 비어 있습니다" }
        empty_next() { en: "write a value", ko: "값을 쓰세요" }
        no_table() { en: "there is no table with the expected columns", ko: "필요한 열을 가진 표가 없습니다" }
        no_table_next(columns) { en: "add a table with the header | {columns} |", ko: "다음 머리글의 표를 넣으세요: | {columns} |" }
        missing_column(name) { en: "the column `{name}` is missing", ko: "열 `{name}`(이)가 없습니다" }
        missing_column_next(name) { en: "add the column `{name}` to the header and to each row", ko: "머리글과 각 행에 열 `{name}`(을)를 추가하세요" }
        cell_count(expected, found) { en: "the row has {found} cells, the header {expected}", ko: "머리글은 {expected}칸인데 이 행은 {found}칸입니다" }
        cell_count_next(expected) { en: "make it {expected} cells; write a | inside a cell as \\|", ko: "{expected}칸으로 맞추세요. 칸 안의 |는 \\|로 씁니다" }
        no_front_matter() { en: "the file does not start with front matter", ko: "파일이 front matter로 시작하지 않습니다" }
        no_front_matter_next() { en: "start the file with a line ---, the fields, and a line ---", ko: "--- 줄, 필드, --- 줄로 파일을 시작하세요" }
        unclosed_front_matter() { en: "the front matter is not closed", ko: "front matter가 닫히지 않았습니다" }
        unclosed_front_matter_next() { en: "add a line --- after its last field", ko: "마지막 필드 다음에 --- 줄을 추가하세요" }
        newer_version(found, known) { en: "the file has version {found}, this hast knows {known}", ko: "파일 버전은 {found}인데 이 hast는 {known}까지 압니다" }
        newer_version_next() { en: "use a newer hast; this one will not write the file", ko: "더 새로운 hast를 쓰세요. 이 버전은 이 파일을 쓰지 않습니다" }
        duplicate_id(id, first_line) { en: "the id `{id}` is already on line {first_line}", ko: "id `{id}`(은)는 {first_line}번째 줄에 이미 있습니다" }
        duplicate_id_next() { en: "give one of the two another id", ko: "둘 중 하나에 다른 id를 주세요" }
        unknown_reference(id) { en: "there is no `{id}`", ko: "`{id}`(이)가 없습니다" }
        unknown_reference_next() { en: "name one that exists, or remove the reference", ko: "있는 것을 가리키거나 참조를 지우세요" }
        cycle(path) { en: "these wait for each other (line): {path}", ko: "서로를 기다립니다(줄): {path}" }
        cycle_next() { en: "remove one of the dependencies", ko: "의존 관계 하나를 지우세요" }
        not_its_owner(id, owner) { en: "`{id}` does not belong to `{owner}`", ko: "`{id}`(은)는 `{owner}`에 속하지 않습니다" }
        not_its_owner_next(owner) { en: "use an id that starts with `{owner}`", ko: "`{owner}`(으)로 시작하는 id를 쓰세요" }
        not_in_order(id, list) { en: "`{id}` is not in `{list}`, so it would never begin", ko: "`{id}`(이)가 `{list}`에 없어 시작되지 않습니다" }
        not_in_order_next(id, list) { en: "add `{id}` to `{list}`", ko: "`{list}`에 `{id}`(을)를 추가하세요" }
        no_placeholder(line) { en: "`{line}` does not say where the prompt goes", ko: "`{line}`에 프롬프트 자리가 없습니다" }
        no_placeholder_next() { en: "add {{prompt}}, {{prompt_file}} or {{stdin}} as a word of its own", ko: "{{prompt}}, {{prompt_file}}, {{stdin}} 중 하나를 독립된 단어로 넣으세요" }
        near_preset(near) { en: "did you mean `{near}`? Of a program of your own, say with {{prompt}}, {{prompt_file}} or {{stdin}} where the prompt goes", ko: "`{near}`(을)를 뜻했나요? 직접 쓰는 프로그램이라면 {{prompt}}, {{prompt_file}}, {{stdin}} 중 하나로 프롬프트 자리를 적으세요" }
        unclosed_quote(line) { en: "the quotes of the command line `{line}` do not close", ko: "명령줄 `{line}`의 따옴표가 닫히지 않았습니다" }
        unclosed_quote_next() { en: "close the quote, or write \\' for a single one", ko: "따옴표를 닫거나, 글자 그대로의 따옴표는 \\'로 적으세요" }
        runs_the_prompt(interpreter) { en: "`{interpreter}` would run the prompt as a program", ko: "`{interpreter}`(이)가 프롬프트를 프로그램으로 실행하게 됩니다" }
        runs_the_prompt_next() { en: "use {{stdin}}, or pass the prompt to a script as an argument: sh -c 'tool \"$1\"' sh {{prompt}}", ko: "{{stdin}}을 쓰거나, 스크립트의 인자로 넘기세요: sh -c 'tool \"$1\"' sh {{prompt}}" }
        placeholder_inside(placeholder) { en: "`{placeholder}` must be a word of its own", ko: "`{placeholder}`(은)는 독립된 단어여야 합니다" }
        placeholder_inside_next() { en: "take it out of the quotes: hast never hands a prompt to a shell", ko: "따옴표 밖으로 꺼내세요. hast는 프롬프트를 셸에 넘기지 않습니다" }
        none_of_these() { en: "one field is needed here, and none of those that fit is there", ko: "필드가 하나 필요한데 맞는 것이 없습니다" }
        none_of_these_next(allowed) { en: "write one of: {allowed}", ko: "다음 중 하나를 쓰세요: {allowed}" }
        more_than_one(found) { en: "only one of these can be here: {found}", ko: "다음 중 하나만 있을 수 있습니다: {found}" }
        more_than_one_next() { en: "keep one; in a list, give each an item of its own", ko: "하나만 남기세요. 목록이라면 항목을 따로 만드세요" }
        never_reached(after) { en: "this is never played: `{after}` before it is an ending", ko: "앞의 `{after}`(이)가 끝이라서 실행되지 않습니다" }
        never_reached_next(after) { en: "move `{after}` to the end, or remove what follows", ko: "`{after}`(을)를 맨 끝으로 옮기거나 뒤의 것을 지우세요" }
        cannot_edit_next() { en: "change this line by hand", ko: "이 줄을 직접 고치세요" }
        too_few(found, least) { en: "there are {found} here, and at least {least} are needed", ko: "여기에는 {found}개가 있고, 적어도 {least}개가 필요합니다" }
        too_few_next(least) { en: "write {least} or more", ko: "{least}개 이상 적으세요" }
        not_growing(id, before) { en: "the id `{id}` does not come after `{before}`", ko: "id `{id}`(이)가 `{before}` 뒤의 값이 아닙니다" }
        not_the_first(id) { en: "the log begins with `{id}`: the lines before it are missing", ko: "로그가 `{id}`(으)로 시작합니다. 그 앞의 줄이 없습니다" }
        answered_twice(id) { en: "`{id}` was answered once more than it was asked", ko: "`{id}`의 답이 요청보다 한 번 더 있습니다" }
        log_next() { en: "a log is only added to: put the line back as it was", ko: "로그는 뒤에 덧붙이기만 합니다. 줄을 원래대로 되돌리세요" }
        contradicts(other, detail) { en: "this does not say what {other} says: {detail}", ko: "{other}의 내용과 다릅니다: {detail}" }
        contradicts_next(other) { en: "undo the edit of this file, or of {other}", ko: "이 파일이나 {other}의 편집을 되돌리세요" }
        missing_file(path, because) { en: "`{path}` is missing, although {because}", ko: "`{path}`(이)가 없습니다. 근거: {because}" }
        missing_file_next(path) { en: "put `{path}` back", ko: "`{path}`(을)를 되돌려 놓으세요" }
        custom_next() { en: "correct it and run hast verify again", ko: "고친 뒤 hast verify를 다시 실행하세요" }
        edit_through_alias() { en: "the value is written elsewhere and only named here by an alias", ko: "값은 다른 곳에 있고 여기는 별칭만 있습니다" }
        edit_anchored() { en: "the value has an anchor that other places use", ko: "다른 곳에서 쓰는 앵커가 붙은 값입니다" }
        edit_merge_key() { en: "the value comes from a merge key", ko: "병합 키(<<)에서 온 값입니다" }
        edit_not_a_scalar() { en: "the value is not a single word or text", ko: "단일 값이 아닙니다" }
        edit_not_found() { en: "the value to change is not there", ko: "바꿀 값이 없습니다" }
        edit_already_there() { en: "the field is already there", ko: "필드가 이미 있습니다" }
        edit_tagged() { en: "the value has a type tag", ko: "타입 태그가 붙은 값입니다" }
        edit_shares_line() { en: "something else stands on the same line", ko: "같은 줄에 다른 내용이 있습니다" }
        edit_changes_others() { en: "changing it would change other values too", ko: "이 값을 바꾸면 다른 값도 바뀝니다" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::placeholders;

    #[test]
    fn a_finding_sends_nothing_to_the_terminal() {
        let name = "\u{1b}]0;owned\u{7}\u{9b}31m".to_owned();
        for finding in [
            Finding::UnknownField { name: name.clone(), near: None },
            Finding::QuoteText { text: name.clone() },
            Finding::Cycle { path: vec![name.clone(), name.clone()] },
            Finding::Custom { detail: name },
        ] {
            for lang in [Lang::En, Lang::Ko] {
                let said = finding.what(lang) + &finding.next(lang);
                assert!(!said.contains(char::is_control), "{said:?}");
            }
        }
    }

    #[test]
    fn both_languages_say_the_same_things() {
        for entry in text::CATALOGUE {
            assert_eq!(placeholders(entry.en), placeholders(entry.ko), "{}", entry.key);
            assert!(entry.ko.chars().any(|c| ('가'..='힣').contains(&c)), "{}", entry.key);
            assert!(!entry.en.chars().any(|c| ('가'..='힣').contains(&c)), "{}", entry.key);
        }
    }
}
