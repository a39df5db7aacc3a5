//! Reading JSON into a tree with exact bytes, and printing it as the seeds do.

use std::fmt;
use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::formats::diagnostic::{Diagnostic, Finding, Format};
use crate::formats::source::Source;
use crate::formats::tree::{Field, MAX_NODES, Marks, Node, Parsed, Style, Value, drop_repeated};

/// How deep values may be nested; serde_json refuses more.
const MAX_DEPTH: usize = 127;

/// Reads strict JSON. A syntax error ends reading; duplicate keys are collected.
pub fn read(source: &Source<'_>) -> Result<Parsed, Diagnostic> {
    let text = source.text.strip_prefix('\u{feff}').unwrap_or(source.text);
    let shift = source.text.len() - text.len();
    // serde_json decides what JSON is, and bounds its depth; the second parser only tells where
    // its values stand.
    let mut count = Count { nodes: 0 };
    if let Err(error) = count.read(text) {
        let mut diagnostic = syntax(source, &error);
        if count.nodes > MAX_NODES {
            diagnostic.finding = Finding::TooManyNodes { limit: MAX_NODES };
        }
        return Err(diagnostic);
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict());
    let value = match parsed {
        Ok(parsed) => parsed.value,
        Err(error) => {
            let range = error.range();
            let finding =
                Finding::Syntax { format: Format::Json, detail: error.kind().to_string() };
            return Err(source.diagnose(shift + range.start..shift + range.end, finding));
        }
    };
    let mut reader = Reader { source, shift, findings: Vec::new() };
    let root = value.map_or_else(|| plain(0..0, Value::Null), |value| reader.node(value));
    Ok(Parsed { root, findings: reader.findings })
}

/// Pretty, two spaces, fields in the type's order, final newline.
pub fn print<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(text)
}

/// The end of a printed document whose last field is an array with elements in it.
pub const ARRAY_END: &str = "\n  ]\n}\n";

/// What stands there instead once these elements are in the array too.
pub fn longer_array_end<T: Serialize>(more: &[T]) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    for element in more {
        text.push_str(",\n    ");
        text.push_str(&serde_json::to_string_pretty(element)?.replace('\n', "\n    "));
    }
    text.push_str(ARRAY_END);
    Ok(text)
}

/// Reads values without keeping them, and stops after so many: a value of one byte takes a hundred
/// in a tree.
struct Count {
    nodes: usize,
}

impl Count {
    fn read(&mut self, text: &str) -> serde_json::Result<()> {
        let mut reader = serde_json::Deserializer::from_str(text);
        DeserializeSeed::deserialize(&mut *self, &mut reader)?;
        reader.end()
    }
}

impl<'de> DeserializeSeed<'de> for &mut Count {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(de::Error::custom("too many values"));
        }
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Count {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(&mut *self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_key_seed(&mut *self)?.is_some() {
            fields.next_value_seed(&mut *self)?;
        }
        Ok(())
    }
}

struct Reader<'s> {
    source: &'s Source<'s>,
    shift: usize,
    findings: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn node(&mut self, value: ast::Value<'_>) -> Node {
        let span = self.span(&value);
        match value {
            ast::Value::StringLit(text) => Node {
                span,
                value: Value::Text(text.value.into_owned().into()),
                marks: Marks { style: Style::DoubleQuoted, ..Marks::default() },
            },
            ast::Value::NumberLit(number) => plain(span, self::number(number.value)),
            ast::Value::BooleanLit(literal) => plain(span, Value::Bool(literal.value)),
            ast::Value::NullKeyword(_) => plain(span, Value::Null),
            ast::Value::Array(array) => {
                let items = array.elements.into_iter().map(|item| self.node(item)).collect();
                flow(span, Value::List(items))
            }
            ast::Value::Object(object) => {
                let fields = self.fields(object);
                flow(span, Value::Map(fields))
            }
        }
    }

    fn fields(&mut self, object: ast::Object<'_>) -> Vec<Field> {
        let mut fields = Vec::with_capacity(object.properties.len());
        for property in object.properties {
            let key_span = self.span(&property.name);
            let key = property.name.into_string().into();
            fields.push(Field { key, key_span, node: self.node(property.value) });
        }
        drop_repeated(self.source, &mut fields, &mut self.findings);
        fields
    }

    fn span(&self, ranged: &impl Ranged) -> Range<usize> {
        let range = ranged.range();
        range.start + self.shift..range.end + self.shift
    }
}

fn number(written: &str) -> Value {
    match (written.parse(), written.parse()) {
        (Ok(integer), _) => Value::Integer(integer),
        (_, Ok(number)) => Value::Number(number),
        _ => Value::Text(written.into()),
    }
}

fn plain(span: Range<usize>, value: Value) -> Node {
    Node { span, value, marks: Marks::default() }
}

fn flow(span: Range<usize>, value: Value) -> Node {
    Node { span, value, marks: Marks { style: Style::Flow, ..Marks::default() } }
}

fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Turns serde_json's line and column into a place.
pub fn syntax(source: &Source<'_>, error: &serde_json::Error) -> Diagnostic {
    let detail = error.to_string();
    let finding = if detail.starts_with("recursion limit") {
        Finding::TooDeep { limit: MAX_DEPTH }
    } else {
        let detail = detail.rsplit_once(" at line ").map_or(&*detail, |(what, _)| what).to_owned();
        Finding::Syntax { format: Format::Json, detail }
    };
    let line_start: usize =
        source.text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = line_start + error.column().saturating_sub(1);
    source.diagnose(at..at + 1, finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> Diagnostic {
        read(&Source::new("f.json", text)).unwrap_err()
    }

    #[test]
    fn every_value_knows_its_bytes() {
        let text = "{\n  \"이름\": [1, -2.5, \"a\\n\"],\n  \"b\": null\n}\n";
        let parsed = read(&Source::new("f", text)).unwrap();
        let list = parsed.root.get("이름").unwrap();
        assert_eq!(&text[list.span.clone()], "[1, -2.5, \"a\\n\"]");
        assert_eq!(list.list()[2].text(), Some("a\n"));
        assert_eq!(list.list()[1].value, Value::Number(-2.5));
        assert_eq!(&text[parsed.root.fields()[1].key_span.clone()], "\"b\"");
    }

    #[test]
    fn a_longer_array_is_printed_by_its_end_alone() {
        let entry = |text: &str| serde_json::json!({ "text": text, "list": [1, []] });
        let document = |entries: &[serde_json::Value]| {
            print(&serde_json::json!({ "version": 1, "entries": entries })).unwrap()
        };
        let all = [entry("one"), entry("two\nlines"), entry("]\n}\n")];
        let short = document(&all[..1]);
        let kept = short.strip_suffix(ARRAY_END).unwrap();
        let longer = format!("{kept}{}", longer_array_end(&all[1..]).unwrap());
        assert_eq!(longer, document(&all));
    }

    #[test]
    fn a_syntax_error_has_its_line() {
        let diagnostic = error("{\n  \"a\": 1,\n}\n");
        assert_eq!(diagnostic.line(), Some(3));
        assert!(matches!(diagnostic.finding, Finding::Syntax { format: Format::Json, .. }));
    }

    #[test]
    fn hostile_documents_end_in_a_finding() {
        assert_eq!(error(&"[".repeat(1_000_000)).finding, Finding::TooDeep { limit: MAX_DEPTH });
        for text in [
            "",
            "\0",
            "{a: 1}",
            "{\"a\": 1,}",
            "// c\n{}",
            "'x'",
            "[1 2]",
            "NaN",
            "01",
            "{} {}",
            "\"\u{1}\"",
        ] {
            assert!(matches!(error(text).finding, Finding::Syntax { .. }), "{text:?}");
        }
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(5_000_000));
        assert!(read(&Source::new("f", &long)).is_ok());
    }

    #[test]
    fn more_values_than_a_tree_may_have_are_a_finding() {
        let diagnostic = error(&format!("[{}1]", "1,\n".repeat(MAX_NODES)));
        assert_eq!(diagnostic.finding, Finding::TooManyNodes { limit: MAX_NODES });
        assert_eq!(diagnostic.line(), Some(MAX_NODES));
    }

    #[test]
    fn a_repeated_key_is_reported_with_the_first_line() {
        let parsed = read(&Source::new("f", "{\"a\": 1,\n\"a\": 2}")).unwrap();
        assert_eq!(
            parsed.findings[0].finding,
            Finding::DuplicateKey { key: "a".into(), first_line: 1 }
        );
    }

    #[test]
    fn a_byte_order_mark_is_read_through() {
        let text = "\u{feff}{\"a\": 1}";
        let parsed = read(&Source::new("f", text)).unwrap();
        assert_eq!(&text[parsed.root.get("a").unwrap().span.clone()], "1");
    }
}
