//! Any text read as JSON: the values that serde_json reads, or a finding where it finds none.

#![no_main]

use hast_flow::formats::json;
use hast_flow::formats::source::Source;
use hast_flow::formats::tree::Node;
use hast_flow::formats::typed::from_tree;
use libfuzzer_sys::fuzz_target;
use serde_json::Value as Json;

fuzz_target!(|text: &str| {
    let oracle = serde_json::from_str::<Json>(text.strip_prefix('\u{feff}').unwrap_or(text));
    match json::read(&Source::new("fuzz", text)) {
        Ok(parsed) => {
            inside(&parsed.root, text);
            let oracle = oracle.expect("what is read is JSON");
            // Of a repeated key serde_json keeps the last, hast the first.
            if parsed.findings.is_empty() && !has_wide_integer(&oracle) {
                let value: Json = from_tree(&parsed.root).expect("any value fits");
                assert_eq!(value, oracle);
            }
        }
        Err(finding) => {
            assert!(oracle.is_err(), "{finding:?}");
            let place = finding.place.expect("a place");
            assert!(text.get(place.bytes).is_some());
        }
    }
});

/// A tree has integers of 64 bits with a sign; a wider one is a number with a fraction.
fn has_wide_integer(value: &Json) -> bool {
    match value {
        Json::Number(number) => number.is_u64() && !number.is_i64(),
        Json::Array(items) => items.iter().any(has_wide_integer),
        Json::Object(fields) => fields.values().any(has_wide_integer),
        _ => false,
    }
}

fn inside(node: &Node, text: &str) {
    assert!(text.get(node.span.clone()).is_some(), "{node:?}");
    node.list().iter().for_each(|item| inside(item, text));
    for field in node.fields() {
        assert!(text.get(field.key_span.clone()).is_some(), "{field:?}");
        inside(&field.node, text);
    }
}
