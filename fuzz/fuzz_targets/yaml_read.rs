//! Any text read as YAML: a tree or a finding, with places inside the text.

#![no_main]

use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::formats::source::Source;
use hast_flow::formats::tree::Node;
use hast_flow::formats::yaml;
use hast_flow::words::Lang;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match yaml::read(&Source::new("fuzz", text)) {
        Ok(parsed) => {
            inside(&parsed.root, text);
            parsed.findings.iter().for_each(|finding| said(finding, text));
        }
        Err(finding) => said(&finding, text),
    }
});

fn inside(node: &Node, text: &str) {
    assert!(text.get(node.span.clone()).is_some(), "{node:?}");
    node.list().iter().for_each(|item| inside(item, text));
    for field in node.fields() {
        assert!(text.get(field.key_span.clone()).is_some(), "{field:?}");
        inside(&field.node, text);
    }
}

fn said(finding: &Diagnostic, text: &str) {
    let place = finding.place.clone().expect("a place");
    assert!(text.get(place.bytes).is_some());
    for lang in [Lang::En, Lang::Ko] {
        assert!(!finding.finding.what(lang).is_empty());
        assert!(!finding.finding.next(lang).is_empty());
    }
}
