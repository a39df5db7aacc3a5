//! Any value printed as YAML: reading gives the value back.

#![no_main]

use hast_flow::formats::source::Source;
use hast_flow::formats::typed::from_tree;
use hast_flow::formats::yaml;
use hast_flow::formats::yaml_print::{Layout, print};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use serde_json::Value as Json;

#[derive(Arbitrary, Debug)]
enum Any {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Any>),
    Map(Vec<(String, Any)>),
}

impl Any {
    /// Deeper than a document may be is not asked of the printer.
    fn into_json(self, depth: usize) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Bool(bool) => bool.into(),
            Self::Integer(integer) => integer.into(),
            // JSON has no infinity and no NaN; serde_json makes them null.
            Self::Number(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::List(_) | Self::Map(_) if depth == 0 => Json::Null,
            Self::List(items) => {
                items.into_iter().map(|item| item.into_json(depth - 1)).collect::<Vec<_>>().into()
            }
            Self::Map(fields) => Json::Object(
                fields.into_iter().map(|(key, value)| (key, value.into_json(depth - 1))).collect(),
            ),
        }
    }
}

const INLINE: Layout =
    Layout { tight: Some(&[]), spaced: &["a"], inline: &["b"], ..Layout::COMPACT };

fuzz_target!(|value: Any| {
    let value = value.into_json(40);
    for layout in [Layout::COMPACT, INLINE] {
        let text = print(&value, &layout).expect("JSON prints");
        let parsed = yaml::read(&Source::new("fuzz", &text)).expect("what is printed can be read");
        assert!(parsed.findings.is_empty(), "{text}");
        let back: Json = from_tree(&parsed.root).expect("any value fits");
        assert_eq!(back, value, "{text}");
    }
});
