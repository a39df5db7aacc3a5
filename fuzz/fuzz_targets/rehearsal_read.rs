//! Any text as a rehearsal: findings inside the text, or a document that prints and reads back the
//! same, and whose streams are lines that the reader understands without panic.

#![no_main]

use hast_flow::agents::provider::Provider;
use hast_flow::agents::rehearsal::{dialect, matching};
use hast_flow::docs::document::read;
use hast_flow::docs::rehearsal::{Act, Action, Rehearsal, expand};
use hast_flow::formats::source::Source;
use hast_flow::formats::yaml_print::{Layout, print};
use hast_flow::process::Stream;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let rehearsal = match read::<Rehearsal>(&Source::new("r.yaml", text)) {
        Ok(read) => read.value,
        Err(findings) => {
            for place in findings.iter().filter_map(|finding| finding.place.as_ref()) {
                assert!(place.bytes.end <= text.len());
            }
            return;
        }
    };
    let printed = print(&rehearsal, &Layout::COMPACT).expect("a rehearsal is a value");
    let again = read::<Rehearsal>(&Source::new("r.yaml", &printed)).expect("it reads back").value;
    assert_eq!(again, rehearsal);
    assert_eq!(matching::listed(&rehearsal).len(), rehearsal.replies.len());
    rehearsal.replies.iter().for_each(|reply| play(&reply.actions));
});

fn play(actions: &[Action]) {
    let now = "2026-11-16T05:00:00Z".parse().expect("a time");
    for action in actions {
        let speech = match action.act().expect("one action") {
            Act::Stream(speech) => speech.clone(),
            Act::Limit(report) => dialect::limit(&report.0),
            Act::Login(report) => dialect::login(&report.0),
            Act::Failed(words) => {
                let _ = expand(words, &|name| Some(name.to_owned()));
                continue;
            }
            _ => continue,
        };
        let mut reader = Provider::Rehearsal { file: "r.yaml".to_owned() }.reader();
        for line in dialect::lines(&speech, now) {
            reader.push(Stream::Out, line.as_bytes());
            reader.push(Stream::Out, b"\n");
        }
        reader.finish();
    }
}
