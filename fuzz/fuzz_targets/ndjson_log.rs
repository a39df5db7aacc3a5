//! Any bytes read as a log, whole and in pieces of any length: the same lines, findings and end.

#![no_main]

use hast_flow::formats::ndjson::{LogEnd, LogFeed, LogLines};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use serde_json::Value as Json;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    lengths: [u8; 4],
    bytes: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let lines = LogLines::whole("fuzz", input.bytes);
    let end = lines.end();
    let whole: Vec<_> = lines
        .typed::<Json>()
        .map(|line| {
            line.map(|(line, value)| (line.number, line.offset, line.text.to_owned(), value))
        })
        .collect();

    let mut fed = Vec::new();
    let mut feed = LogFeed::new("fuzz");
    let mut rest = input.bytes;
    for length in input.lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(rest.len().min(usize::from(*length) + 1));
        feed.push(piece, |line| {
            fed.push(line.map(|(line, value): (_, Json)| {
                (line.number, line.offset, line.text.to_owned(), value)
            }));
        });
        rest = after;
    }
    let fed_end = feed.finish(|line| {
        fed.push(line.map(|(line, value): (_, Json)| {
            (line.number, line.offset, line.text.to_owned(), value)
        }));
    });
    assert_eq!(fed, whole);
    assert_eq!(fed_end, end);
    mended(input.bytes, end);
});

/// After what the end asks for, the next line is not lost.
fn mended(bytes: &[u8], end: LogEnd) {
    let mut log = bytes.to_vec();
    match end {
        LogEnd::Clean => {}
        LogEnd::Unterminated => log.push(b'\n'),
        LogEnd::Torn { cut } => log.truncate(usize::try_from(cut).expect("inside")),
    }
    log.extend_from_slice(b"{\"next\":1}\n");
    let last = LogLines::whole("fuzz", &log).last().expect("a line").expect("a good line");
    assert_eq!(last.text, "{\"next\":1}");
}
