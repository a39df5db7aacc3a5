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
            if parsed.findings.is_empty() {
                let value: Json = from_tree(&parsed.root).expect("any value fits");
                assert!(same(&value, &oracle), "{value}\n{oracle}");
            }
        }
        Err(finding) => {
            assert!(oracle.is_err(), "{finding:?}");
            let place = finding.place.expect("a place");
            assert!(text.get(place.bytes).is_some());
        }
    }
});

/// Numbers by what they mean: `-0` and an integer of more than 63 bits are not integers to both.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => a == b,
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
