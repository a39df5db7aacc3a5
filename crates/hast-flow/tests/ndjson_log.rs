//! Logs of one object a line: torn tails, bad lines, and what an appender must know.
#![cfg(test)]

use hast_flow::formats::diagnostic::{Diagnostic, Finding, Format, Kind, Severity};
use hast_flow::formats::ndjson::{
    LogEnd, LogFeed, LogLine, LogLines, MAX_LINE_BYTES, NotALine, read, to_line,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Event {
    seq: u64,
    text: String,
}

fn event(seq: u64, text: &str) -> Event {
    Event { seq, text: text.to_owned() }
}

fn good(bytes: &[u8]) -> Vec<(Option<usize>, u64, &str)> {
    let lines = LogLines::whole("f", bytes).filter_map(Result::ok);
    lines.map(|line| (line.number, line.offset, line.text)).collect()
}

fn bad(bytes: &[u8]) -> Vec<Diagnostic> {
    LogLines::whole("f", bytes).filter_map(Result::err).collect()
}

fn end(bytes: &[u8]) -> LogEnd {
    LogLines::whole("f", bytes).end()
}

#[test]
fn lines_have_numbers_and_offsets() {
    let log = "\u{feff}{\"가\":1}\r\n\n \t\n  {}\n".as_bytes();
    assert_eq!(good(log), [(Some(1), 0, "{\"가\":1}"), (Some(4), 18, "{}")]);
    assert_eq!(bad(log), []);
    assert_eq!(end(log), LogEnd::Clean);
    assert_eq!(end(b""), LogEnd::Clean);
    // Inside a file the mark is no part of the format.
    assert_eq!(bad("{}\n\u{feff}{}\n".as_bytes()).len(), 1);
}

#[test]
fn a_torn_last_line_is_reported_with_the_place_to_cut() {
    let log = "{\"seq\":1}\n{\"text\":\"가나".as_bytes();
    for length in 11..log.len() {
        let torn = &log[..length];
        assert_eq!(end(torn), LogEnd::Torn { cut: 10 });
        let [found] = &bad(torn)[..] else { panic!("{length}") };
        assert_eq!(found.finding, Finding::TornTail { bytes: length - 10 });
        assert_eq!((found.severity, found.line()), (Severity::Warning, Some(2)));
        assert_eq!(good(torn), [(Some(1), 0, "{\"seq\":1}")]);
    }
    assert_eq!(end(b"{}\n\0\0\0"), LogEnd::Torn { cut: 3 });
    assert_eq!(end(b"{}\n\x0c"), LogEnd::Torn { cut: 3 });
    assert_eq!(end(b"{}\n[1]"), LogEnd::Torn { cut: 3 });
}

#[test]
fn a_complete_last_line_without_line_break_counts_and_is_flagged() {
    assert_eq!(good(b"{}\n{\"a\":1}"), [(Some(1), 0, "{}"), (Some(2), 3, "{\"a\":1}")]);
    assert_eq!(end(b"{}\n{\"a\":1}"), LogEnd::Unterminated);
    assert_eq!(end(b"{}\n  "), LogEnd::Clean);
}

#[test]
fn bad_lines_in_the_middle_are_named_and_skipped() {
    let log = b"{}\n[1]\n\xff{}\n{\"a\":}\n\"x\"\n{}{}\n{\"a\":\"\0\"}\n4.5\n{}\n";
    assert_eq!(good(log).len(), 2);
    let found: Vec<(Option<usize>, Finding)> =
        bad(log).into_iter().map(|found| (found.line(), found.finding)).collect();
    let syntax =
        |finding: &Finding| matches!(finding, Finding::Syntax { format: Format::Ndjson, .. });
    let wrong = |found| Finding::WrongType { expected: Kind::Map, found };
    assert_eq!(found[0], (Some(2), wrong(Kind::List)));
    assert_eq!(found[1], (Some(3), Finding::NotUtf8 { line: 3, byte: 0 }));
    assert!(found[2].0 == Some(4) && syntax(&found[2].1), "{:?}", found[2]);
    assert_eq!(found[3], (Some(5), wrong(Kind::Text)));
    assert!(found[4].0 == Some(6) && syntax(&found[4].1), "{:?}", found[4]);
    assert!(found[5].0 == Some(7) && syntax(&found[5].1), "{:?}", found[5]);
    assert_eq!(found[6], (Some(8), wrong(Kind::Number)));
    assert_eq!(found.len(), 7);
}

#[test]
fn a_finding_points_at_the_character() {
    let found = &bad("{}\n{\"가\": x}\n".as_bytes())[0];
    let place = found.place.as_ref().unwrap();
    assert_eq!((place.line, place.column, place.bytes.clone()), (2, 7, 3..13));
    assert_eq!(&place.excerpt.text[place.excerpt.marked.clone()], "x}");
    assert_eq!(
        found.finding,
        Finding::Syntax { format: Format::Ndjson, detail: "expected value".to_owned() }
    );
}

#[test]
fn a_line_over_the_limit_is_skipped_and_never_cut() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_LINE_BYTES));
    let limit = MAX_LINE_BYTES;
    let log = format!("{long}\n{{}}\n{long}");
    assert_eq!(good(log.as_bytes()).len(), 1);
    let found: Vec<Finding> = bad(log.as_bytes()).into_iter().map(|found| found.finding).collect();
    assert_eq!(found, vec![Finding::TooLarge { bytes: long.len(), limit }; 2]);
    assert_eq!(end(log.as_bytes()), LogEnd::Unterminated);
    assert!(matches!(to_line(&event(1, &"x".repeat(limit))), Err(NotALine::TooLong { .. })));
    let (fed, fed_end) = feed(log.as_bytes(), 1 << 16);
    assert_eq!(fed, LogLines::whole("f", log.as_bytes()).map(owned).collect::<Vec<_>>());
    assert_eq!(fed_end, LogEnd::Unterminated);
}

#[test]
fn a_line_over_the_limit_that_begins_blank_is_not_passed_over() {
    let log = format!("{}{{}}\n", " ".repeat(MAX_LINE_BYTES));
    let whole: Vec<_> = LogLines::whole("f", log.as_bytes()).map(owned).collect();
    assert_eq!(whole.len(), 1);
    assert_eq!(feed(log.as_bytes(), 1 << 20).0, whole);
}

#[test]
fn typed_reading_names_the_line_that_has_another_shape() {
    let log = [
        to_line(&event(1, "가\n\u{2028}")).unwrap(),
        "{\"seq\":\"x\"}\n".to_owned(),
        "{\"se".to_owned(),
    ]
    .concat();
    let (events, found) = read::<Event>("f", log.as_bytes());
    assert_eq!(events, [event(1, "가\n\u{2028}")]);
    assert!(
        matches!(&found[0].finding, Finding::Syntax { detail, .. } if detail.starts_with("invalid type"))
    );
    assert_eq!(found[1].finding, Finding::TornTail { bytes: 4 });
}

#[test]
fn only_objects_become_lines() {
    assert_eq!(to_line(&event(1, "a\r\nb")).unwrap(), "{\"seq\":1,\"text\":\"a\\r\\nb\"}\n");
    assert!(matches!(to_line(&[1]), Err(NotALine::NotAnObject)));
    assert!(matches!(to_line(&"x"), Err(NotALine::NotAnObject)));
}

#[test]
fn the_tail_of_a_file_gives_only_whole_lines() {
    let log = b"{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n";
    let tail = LogLines::tail("f", &log[4..], 4).unwrap();
    assert_eq!(tail.end(), LogEnd::Clean);
    let lines: Vec<_> =
        tail.map(|line| line.map(|line| (line.number, line.offset, line.text))).collect();
    assert_eq!(lines, [Ok((None, 8, "{\"b\":2}")), Ok((None, 16, "{\"c\":3}"))]);
    assert!(LogLines::tail("f", &log[18..22], 18).is_none());
    assert_eq!(LogLines::tail("f", log, 0).unwrap().count(), 3);
    assert_eq!(LogLines::tail("f", b"xx\n{\"to", 90).unwrap().end(), LogEnd::Torn { cut: 93 });
}

type Owned = Result<(Option<usize>, u64, String), Diagnostic>;

fn owned(line: Result<LogLine<'_>, Diagnostic>) -> Owned {
    line.map(|line| (line.number, line.offset, line.text.to_owned()))
}

fn feed(bytes: &[u8], chunk: usize) -> (Vec<Owned>, LogEnd) {
    let mut lines = Vec::new();
    let mut feed = LogFeed::new("f");
    for chunk in bytes.chunks(chunk) {
        feed.push::<IgnoredAny>(chunk, |line| lines.push(owned(line.map(|(line, _)| line))));
    }
    let end = feed.finish::<IgnoredAny>(|line| lines.push(owned(line.map(|(line, _)| line))));
    (lines, end)
}

fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let piece = select(vec![
        &b"{\"a\":1}"[..],
        b"{\"a\":\"\xea\xb0\x80\"}",
        b"{",
        b"}",
        b"\n",
        b"\n",
        b"\r\n",
        b"\0",
        b"\x0c",
        b"\xff",
        b"\xea\xb0",
        b" ",
        b"[]",
        b"\"",
        b"1",
        b"null",
        b"\xef\xbb\xbf",
        b"{\"a\":[{}]}\n",
    ]);
    let pieces = vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![4 => pieces, 1 => vec(any::<u8>(), 0..60)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_cut_anywhere_loses_only_its_last_line(texts in vec(any::<String>(), 1..6), cut in any::<prop::sample::Index>()) {
        let events: Vec<Event> = texts.iter().zip(1..).map(|(text, seq)| event(seq, text)).collect();
        let log: String = events.iter().map(|event| to_line(event).unwrap()).collect();
        let cut = &log.as_bytes()[..cut.index(log.len() + 1)];
        let (read, found) = read::<Event>("f", cut);
        let whole = cut.iter().filter(|byte| **byte == b'\n').count();
        prop_assert_eq!(&read[..], &events[..read.len()]);
        match end(cut) {
            LogEnd::Clean => prop_assert_eq!((read.len(), found.len()), (whole, 0)),
            LogEnd::Unterminated => prop_assert_eq!((read.len(), found.len()), (whole + 1, 0)),
            LogEnd::Torn { cut: at } => {
                prop_assert_eq!((read.len(), found.len()), (whole, 1));
                prop_assert_eq!(end(&cut[..usize::try_from(at).unwrap()]), LogEnd::Clean);
            }
        }
    }

    #[test]
    fn reading_in_pieces_is_reading_as_a_whole(bytes in hostile(), chunk in 1..20usize) {
        let whole: Vec<Owned> = LogLines::whole("f", &bytes).map(owned).collect();
        prop_assert_eq!(feed(&bytes, chunk), (whole, end(&bytes)));
    }

    #[test]
    fn after_recovery_an_appended_line_is_read(bytes in hostile()) {
        let mut log = bytes.clone();
        match end(&bytes) {
            LogEnd::Clean => {}
            LogEnd::Unterminated => log.push(b'\n'),
            LogEnd::Torn { cut } => log.truncate(usize::try_from(cut).unwrap()),
        }
        let before = good(&log).len();
        log.extend_from_slice(to_line(&event(7, "새 줄")).unwrap().as_bytes());
        prop_assert_eq!(good(&log).len(), before + 1);
        prop_assert_eq!(before, good(&bytes).len());
    }

    #[test]
    fn a_tail_gives_the_last_lines_of_the_whole(bytes in hostile(), from in any::<prop::sample::Index>()) {
        let from = from.index(bytes.len() + 1);
        let whole: Vec<u64> = LogLines::whole("f", &bytes).filter_map(Result::ok).map(|line| line.offset).collect();
        if let Some(tail) = LogLines::tail("f", &bytes[from..], from as u64) {
            prop_assert_eq!(tail.end(), end(&bytes));
            let offsets: Vec<u64> = tail.filter_map(Result::ok).map(|line| line.offset).collect();
            prop_assert!(whole.ends_with(&offsets));
            prop_assert!(whole.iter().filter(|offset| **offset > from as u64).count() == offsets.iter().filter(|offset| **offset > from as u64).count());
        }
    }
}
