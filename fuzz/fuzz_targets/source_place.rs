//! Any text, and any range or line, also outside of the text and backwards: there is a place.

#![no_main]

use hast_flow::formats::source::Source;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    start: u16,
    end: u16,
    text: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let source = Source::new("fuzz", input.text);
    let places = [
        source.place(input.start.into()..input.end.into()),
        source.line_place(usize::from(input.start) + 1),
    ];
    for place in places {
        assert!(place.line >= 1 && place.column >= 1);
        assert!(input.text.get(place.bytes).is_some());
        assert!(place.excerpt.text.get(place.excerpt.marked).is_some());
    }
});
