//! Any text as any document: the first byte picks which. Findings are bounded and point inside.

#![no_main]

use hast_flow::docs::registry::ENTRIES;
use hast_flow::formats::source::Source;
use hast_flow::words::Lang;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    entry: u8,
    text: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let entry = &ENTRIES[usize::from(input.entry) % ENTRIES.len()];
    for finding in (entry.check)(&Source::new("fuzz", input.text)) {
        if let Some(place) = &finding.place {
            assert!(place.line >= 1 && place.column >= 1);
            assert!(input.text.get(place.bytes.clone()).is_some(), "{finding:?}");
            assert!(place.excerpt.text.get(place.excerpt.marked.clone()).is_some());
        }
        for lang in [Lang::En, Lang::Ko] {
            let said = finding.finding.what(lang) + &finding.finding.next(lang);
            assert!(!said.contains(|c: char| c.is_control()), "{said:?}");
        }
    }
});
