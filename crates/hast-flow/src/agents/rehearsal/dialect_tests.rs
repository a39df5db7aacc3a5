//! A rehearsal speaks the dialects of agents. These tests check that the reader of each agent
//! understands what the rehearsal says in its dialect.

use super::*;
use crate::agents::events::{ApiErrorClass, Ending};
use crate::agents::limit::{LimitCause, Moment};
use crate::agents::presets::own_lines::played_line;
use crate::agents::provider::Provider;
use crate::agents::reply::AgentReply;
use crate::agents::usage::Earlier;
use crate::process::Stream;
use jiff::tz::Offset;

const ALL: [Dialect; 9] = [
    Dialect::Hast,
    Dialect::Claude,
    Dialect::Codex,
    Dialect::Gemini,
    Dialect::Qwen,
    Dialect::Opencode,
    Dialect::Goose,
    Dialect::Copilot,
    Dialect::Aider,
];

fn now() -> Timestamp {
    Timestamp::from_second(1_794_805_200).unwrap()
}

/// Read by the rehearsal's reader, and by the preset's own.
fn replies(speech: &Speech) -> [AgentReply; 2] {
    let preset = preset(speech.like.unwrap_or_default());
    let rehearsal = Provider::Rehearsal { file: "f".to_owned() };
    let mut played = rehearsal.reader();
    let mut raw = preset.map_or_else(|| rehearsal.reader(), |p| Provider::Preset(p).reader());
    for line in lines(speech, now()) {
        assert!(!line.contains('\n'), "{line}");
        raw.push(Stream::Out, format!("{line}\n").as_bytes());
        let line = preset.map_or(line.clone(), |preset| played_line(preset, &line));
        played.push(Stream::Out, format!("{line}\n").as_bytes());
    }
    [played.finish(), raw.finish()]
}

fn texts(text: &str) -> Option<Texts> {
    Some(Texts(vec![text.to_owned()]))
}

#[test]
fn a_good_ending_with_usage_is_understood_in_every_dialect() {
    for like in ALL {
        let usage = SpeechUsage { input: 900, output: 34, cached: Some(200), usd: Some(0.25) };
        let speech = Speech {
            like: Some(like),
            session: Some("s-1".to_owned()),
            model: Some("m".to_owned()),
            say: texts("I \"will\"\tdo it"),
            tool: texts("Write"),
            usage: Some(usage),
            end: Some(SpeechEnd::Success),
            ..Speech::default()
        };
        let [played, raw] = replies(&speech);
        assert_eq!(played, raw, "{like:?}");
        assert_eq!(played.raw.first, [""; 0], "{like:?}");
        assert_eq!(played.final_text().trim_end(), "I \"will\"\tdo it", "{like:?}");
        let earlier = Earlier::Nothing;
        let used = played.usage(earlier);
        let tokens = used.tokens.map(|tokens| (tokens.input, tokens.output));
        let expected = (like != Dialect::Copilot).then_some((900, 34));
        assert_eq!(tokens, expected, "{like:?}");
        let tells_money =
            [Dialect::Hast, Dialect::Claude, Dialect::Qwen, Dialect::Opencode, Dialect::Aider];
        let cost = used.cost.map(|cost| cost.0);
        assert_eq!(cost, tells_money.contains(&like).then_some(250_000), "{like:?}");
        let ended = (like != Dialect::Aider).then_some(Ending::Success);
        assert_eq!(played.ending, ended, "{like:?}");
        let silent = [Dialect::Goose, Dialect::Aider];
        let session = (!silent.contains(&like)).then_some("s-1");
        assert_eq!(played.session.as_deref(), session, "{like:?}");
    }
}

#[test]
fn a_limit_and_its_reset_are_understood_in_every_dialect() {
    let moment = Moment { now: now(), offset: Offset::UTC };
    for like in ALL {
        let report =
            LimitReport { like: Some(like), resets_in: Some(3600), ..LimitReport::default() };
        let [played, raw] = replies(&limit(&report));
        assert_eq!(played, raw, "{like:?}");
        let found = played.limit(moment).unwrap_or_else(|| panic!("{like:?}: {played:?}"));
        assert_eq!(found.cause, LimitCause::Usage, "{like:?}");
        let at = moment.now.checked_add(SignedDuration::from_hours(1)).unwrap();
        assert_eq!(found.resume_at, Some(at), "{like:?}");
        let failed = (like != Dialect::Aider).then_some(Ending::Failure);
        assert_eq!(played.ending, failed, "{like:?}");
    }
}

#[test]
fn a_missing_login_is_understood_in_every_dialect() {
    for like in ALL {
        let report = LoginReport { like: Some(like), text: None };
        let [played, _] = replies(&login(&report));
        let class = played.last_error().map(|error| error.class());
        assert_eq!(class, Some(ApiErrorClass::Login), "{like:?}");
    }
}

#[test]
fn retries_and_refused_tools_are_understood_where_the_dialect_has_them() {
    for like in [Dialect::Hast, Dialect::Claude, Dialect::Qwen, Dialect::Opencode, Dialect::Copilot]
    {
        let speech = Speech {
            like: Some(like),
            denied: texts("Bash"),
            end: Some(SpeechEnd::Success),
            ..Speech::default()
        };
        assert_eq!(replies(&speech)[0].denials, ["Bash"], "{like:?}");
    }
    for like in [
        Dialect::Hast,
        Dialect::Claude,
        Dialect::Codex,
        Dialect::Gemini,
        Dialect::Qwen,
        Dialect::Copilot,
    ] {
        let retry = ApiFailure {
            status: Some(529),
            text: "Overloaded".to_owned(),
            ..ApiFailure::default()
        };
        let speech = Speech { like: Some(like), retry: Some(retry), ..Speech::default() };
        let [played, _] = replies(&speech);
        let class = played.retry.map(|error| error.class());
        assert_eq!(class, Some(ApiErrorClass::Limit(LimitCause::Overloaded)), "{like:?}");
    }
}
