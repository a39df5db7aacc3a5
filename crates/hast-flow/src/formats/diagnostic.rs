//! A diagnostic is a fault in a file: its place, its cause and the next action for a person. The
//! causes are one closed list.

pub mod text;

use crate::formats::agent_words::NoRights;
use crate::formats::grant_words::RefusedGrant;
use crate::formats::source::Place;
use crate::formats::yaml_words;
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
    RefusedGrant(RefusedGrant),
    NotExactlyOne { found: Vec<String>, allowed: Vec<String> },
    NeverReached { after: String },
    OldField { name: String, instead: Option<String> },
    MatchesNothing { glob: String },
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
            Self::RefusedGrant(grant) => grant.what(lang),
            Self::NotExactlyOne { found, .. } if found.is_empty() => text::none_of_these(lang),
            Self::NotExactlyOne { found, .. } => text::more_than_one(lang, found.join(", ")),
            Self::NeverReached { after } => text::never_reached(lang, after),
            Self::OldField { name, instead: Some(_) } => text::old_field(lang, name),
            Self::MatchesNothing { glob } => text::matches_nothing(lang, glob),
            Self::OldField { name, instead: None } => text::no_effect(lang, name),
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
            Self::Syntax { format: Format::Yaml, detail } if yaml_words::is_tab(detail) => {
                text::tab_next(lang)
            }
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
            Self::RefusedGrant(grant) => grant.next(lang),
            Self::NotExactlyOne { found, allowed } if found.is_empty() => {
                text::none_of_these_next(lang, allowed.join(", "))
            }
            Self::NotExactlyOne { .. } => text::more_than_one_next(lang),
            Self::NeverReached { after } => text::never_reached_next(lang, after),
            Self::OldField { instead: Some(name), .. } => text::old_field_next(lang, name),
            Self::MatchesNothing { .. } => text::matches_nothing_next(lang),
            Self::OldField { instead: None, .. } => text::no_effect_next(lang),
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
            Self::RefusedGrant(_) => "refused_grant",
            Self::NotExactlyOne { .. } => "not_exactly_one",
            Self::NeverReached { .. } => "never_reached",
            Self::OldField { .. } => "old_field",
            Self::MatchesNothing { .. } => "matches_nothing",
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
