//! Any output of any agent, cut anywhere: it is read without panic, the cut changes nothing, and
//! what is kept is bounded.

#![no_main]

use hast_flow::agents::presets::Preset;
use hast_flow::agents::provider::Provider;
use hast_flow::agents::reply::MAX_TEXT_BYTES;
use hast_flow::process::Stream;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    agent: u8,
    cut: u16,
    out: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    // One more than there are presets: a rehearsal reads the lines of all of them.
    let provider = match Preset::ALL.get(usize::from(input.agent) % (Preset::ALL.len() + 1)) {
        Some(preset) => Provider::Preset(*preset),
        None => Provider::Rehearsal { file: "r.yaml".to_owned() },
    };
    let (first, second) = input.out.split_at(input.out.len().min(input.cut.into()));
    let mut whole = provider.reader();
    whole.push(Stream::Out, input.out);
    let mut cut = provider.reader();
    cut.push(Stream::Out, first);
    cut.push(Stream::Out, second);
    let reply = whole.finish();
    assert!(reply.final_text().len() <= 2 * MAX_TEXT_BYTES);
    assert_eq!(reply, cut.finish());
});
