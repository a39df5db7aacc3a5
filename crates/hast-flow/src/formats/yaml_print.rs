//! Writing YAML as the seeds' examples are written: quoted texts, plain ids, blank lines between
//! sections. Reading it back gives the same values.

use serde::Serialize;
use serde_json::Value as Json;

/// How a document spreads over lines.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Top-level fields that follow the one before without a blank line. `None`: all of them.
    pub tight: Option<&'static [&'static str]>,
    /// Lists of maps with a blank line between their items.
    pub spaced: &'static [&'static str],
    /// Lists on one line: `["T1", "T2"]`.
    pub inline: &'static [&'static str],
    /// Whether a text under this key is written without quotes.
    pub plain: fn(key: &str, text: &str) -> bool,
}

/// From here on a key is announced with `?`.
const LONG_KEY: usize = 1000;

impl Layout {
    /// No blank lines, every text quoted.
    pub const COMPACT: Layout =
        Layout { tight: None, spaced: &[], inline: &[], plain: |_, _| false };
}

pub fn print<T: Serialize>(value: &T, layout: &Layout) -> Result<String, serde_json::Error> {
    let value = serde_json::to_value(value)?;
    let mut printer = Printer { layout, out: String::new() };
    match &value {
        Json::Object(fields) if !fields.is_empty() => printer.document(fields),
        other => {
            printer.scalar("", other);
            printer.out.push('\n');
        }
    }
    Ok(printer.out)
}

/// A text in double quotes, one line, with everything escaped that YAML or a terminal would mind.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => out.push_str(&format!("\\x{:02x}", c as u32)),
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

struct Printer<'l> {
    layout: &'l Layout,
    out: String,
}

impl Printer<'_> {
    fn document(&mut self, fields: &serde_json::Map<String, Json>) {
        for (index, (key, value)) in fields.iter().enumerate() {
            let tight = self.layout.tight.is_none_or(|tight| tight.contains(&key.as_str()));
            if index > 0 && !tight {
                self.out.push('\n');
            }
            self.field(key, value, 0);
        }
    }

    fn field(&mut self, key: &str, value: &Json, indent: usize) {
        self.out.push_str(&" ".repeat(indent));
        self.key_and_value(key, value, indent);
    }

    fn key_and_value(&mut self, key: &str, value: &Json, indent: usize) {
        let written = if is_plain_key(key) { key.to_owned() } else { quoted(key) };
        if is_long_key(&written) {
            self.out.push_str("? ");
            self.out.push_str(&written);
            self.out.push('\n');
            self.out.push_str(&" ".repeat(indent));
        } else {
            self.out.push_str(&written);
        }
        self.out.push(':');
        match value {
            Json::Object(fields) if !fields.is_empty() => {
                self.out.push('\n');
                for (key, value) in fields {
                    self.field(key, value, indent + 2);
                }
            }
            Json::Array(items) if !items.is_empty() && !self.layout.inline.contains(&key) => {
                self.out.push('\n');
                self.list(key, items, indent + 2);
            }
            other => {
                self.out.push(' ');
                self.scalar(key, other);
                self.out.push('\n');
            }
        }
    }

    fn list(&mut self, key: &str, items: &[Json], indent: usize) {
        let spaced = self.layout.spaced.contains(&key);
        for (index, item) in items.iter().enumerate() {
            if spaced && index > 0 {
                self.out.push('\n');
            }
            self.out.push_str(&" ".repeat(indent));
            self.out.push_str("- ");
            match item {
                Json::Object(fields) if !fields.is_empty() => {
                    for (index, (key, value)) in fields.iter().enumerate() {
                        if index > 0 {
                            self.out.push_str(&" ".repeat(indent + 2));
                        }
                        self.key_and_value(key, value, indent + 2);
                    }
                }
                other => {
                    self.scalar("", other);
                    self.out.push('\n');
                }
            }
        }
    }

    fn scalar(&mut self, key: &str, value: &Json) {
        match value {
            Json::String(text) if (self.layout.plain)(key, text) => self.out.push_str(text),
            Json::String(text) => self.out.push_str(&quoted(text)),
            Json::Array(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(", ");
                    }
                    self.scalar("", item);
                }
                self.out.push(']');
            }
            Json::Object(fields) => {
                self.out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(", ");
                    }
                    let written = quoted(key);
                    self.out.push_str(if is_long_key(&written) { "? " } else { "" });
                    self.out.push_str(&written);
                    self.out.push_str(": ");
                    self.scalar("", value);
                }
                self.out.push('}');
            }
            other => self.out.push_str(&other.to_string()),
        }
    }
}

/// A reader looks no further than 1024 characters for the colon, unless a `?` announces the key.
fn is_long_key(written: &str) -> bool {
    written.chars().take(LONG_KEY).count() == LONG_KEY
}

fn is_plain_key(key: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
    let reserved = ["null", "true", "false", "~"];
    key.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && key.chars().all(word)
        && !reserved.contains(&key.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::source::Source;
    use crate::formats::typed::from_tree;
    use crate::formats::yaml;
    use proptest::prelude::*;

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<String>().prop_map(Json::from),
            "[a-z0-9:# \\-\\[\\]{}&*!|>'\"%@`,?\n\t]{0,12}".prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            let key = prop_oneof![any::<String>(), "[a-z~0-9 .:-]{0,6}"];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
                prop::collection::vec((key, inner), 0..5)
                    .prop_map(|fields| Json::Object(fields.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn a_long_key_reads_back_wherever_it_stands() {
        for long in ["k".repeat(5_000), "\0".repeat(400), "가 ".repeat(600)] {
            let value = serde_json::json!({
                (long.as_str()): 1,
                "a": [{ (long.as_str()): { (long.as_str()): [1] }, "b": 2 }, [{ (long.as_str()): 1, "c": {} }]],
            });
            let text = print(&value, &Layout::COMPACT).unwrap();
            let parsed = yaml::read(&Source::new("f", &text)).unwrap();
            assert_eq!(from_tree::<Json>(&parsed.root).unwrap(), value);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn what_is_printed_reads_back_the_same(value in any_json()) {
            let text = print(&value, &Layout::COMPACT).unwrap();
            let parsed = yaml::read(&Source::new("f", &text)).unwrap();
            prop_assert_eq!(&parsed.findings, &[]);
            let back: Json = from_tree(&parsed.root).unwrap();
            prop_assert_eq!(back, value);
        }
    }
}
