//! Any text split into front matter, body and sections: parts in order, inside the text.

#![no_main]

use hast_flow::formats::front_matter::{FrontMatter, Sections};
use hast_flow::formats::source::Source;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::new("fuzz", text);
    let body = match FrontMatter::split(&source) {
        Ok(parts) => {
            assert!(text.get(parts.yaml.clone()).is_some());
            assert!(text[parts.yaml.end..parts.body.start].starts_with("---"));
            assert_eq!(parts.body.end, text.len());
            parts.body
        }
        Err(finding) => {
            assert!(finding.place.is_some_and(|place| text.get(place.bytes).is_some()));
            0..text.len()
        }
    };
    let sections = Sections::read(&source, body.clone());
    let mut at = body.start;
    for section in sections.iter() {
        assert!(section.heading.start >= at && section.body.start >= section.heading.end);
        assert!(text.get(section.heading.clone()).is_some_and(|line| line.contains("##")));
        assert!(text.get(section.body.clone()).is_some());
        assert!(sections.get(section.title).is_some());
        at = section.body.end;
    }
    assert!(at <= body.end);
});
