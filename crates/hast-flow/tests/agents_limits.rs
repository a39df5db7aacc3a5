//! Reset times as agents print them, against a given now and offset; waiting without one.

#![cfg(test)]

use hast_flow::agents::limit::{Again, Limit, LimitCause, Moment, again, find_reset};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Monday, 2026-11-16, 09:00 in Seoul.
fn seoul() -> Moment {
    Moment { now: at("2026-11-16T00:00:00Z"), offset: Offset::constant(9) }
}

#[test]
fn a_printed_reset_is_an_instant() {
    for (text, instant) in [
        // On a clock, local time, today or tomorrow.
        ("You've hit your usage limit. Try again at 1:15 PM.", "2026-11-16T04:15:00Z"),
        ("purchase more credits or try again at 1:15 AM.", "2026-11-16T16:15:00Z"),
        ("You've hit your session limit · resets 3pm (Asia/Seoul)", "2026-11-16T06:00:00Z"),
        ("5-hour limit reached ∙ resets 12am", "2026-11-16T15:00:00Z"),
        ("limit reached, resets at 15:30", "2026-11-16T06:30:00Z"),
        ("limit reached, resets 3pm (UTC)", "2026-11-16T15:00:00Z"),
        // With a day.
        ("try again at Nov 18th, 2026 9:01 AM.", "2026-11-18T00:01:00Z"),
        ("Weekly limit reached · resets Nov 20 at 3pm", "2026-11-20T06:00:00Z"),
        ("You've hit your weekly limit · resets Fri 3pm", "2026-11-20T06:00:00Z"),
        ("weekly limit · resets Mon 3pm", "2026-11-16T06:00:00Z"),
        ("weekly limit · resets Mon 8am", "2026-11-22T23:00:00Z"),
        // Relative.
        ("Suggested retry after 3600s.]", "2026-11-16T01:00:00Z"),
        ("Please try again in 1h30m", "2026-11-16T01:30:00Z"),
        ("try again in 2 days 3 hours 4 minutes.", "2026-11-18T03:04:00Z"),
        ("Please retry in 12.5s.", "2026-11-16T00:00:12.5Z"),
        ("\"retryDelay\": \"45s\"", "2026-11-16T00:00:45Z"),
        ("{\"resets_in_seconds\":7200}", "2026-11-16T02:00:00Z"),
        ("retry-after: 60", "2026-11-16T00:01:00Z"),
        // Absolute.
        ("Claude AI usage limit reached|1794790800", "2026-11-16T01:00:00Z"),
        ("{\"resets_at\":1794790800}", "2026-11-16T01:00:00Z"),
        ("quota resets at 2026-11-16T05:00:00Z", "2026-11-16T05:00:00Z"),
    ] {
        let reset = find_reset(text).unwrap_or_else(|| panic!("nothing found: {text}"));
        assert_eq!(reset.resolve(seoul()), Some(at(instant)), "{text}");
    }
}

#[test]
fn a_clock_time_that_has_just_passed_is_now_and_not_tomorrow() {
    let reset = find_reset("try again at 8:55 AM").unwrap();
    assert_eq!(reset.resolve(seoul()), Some(seoul().now));
    let earlier = find_reset("try again at 8:45 AM").unwrap();
    assert_eq!(earlier.resolve(seoul()), Some(at("2026-11-16T23:45:00Z")));
}

#[test]
fn the_turn_of_the_year_is_not_a_year_away() {
    let eve = Moment { now: at("2026-12-31T20:00:00Z"), offset: Offset::UTC };
    let reset = find_reset("resets Jan 2, 3am").unwrap();
    assert_eq!(reset.resolve(eve), Some(at("2027-01-02T03:00:00Z")));
}

#[test]
fn texts_without_a_reset_have_none() {
    for text in [
        "Please try again later.",
        "try again in a moment",
        "the password reset page",
        "it resets the counter",
        "resets_at: null",
        "",
    ] {
        assert_eq!(find_reset(text), None, "{text}");
    }
}

#[test]
fn a_reset_beyond_a_month_is_a_misreading() {
    assert_eq!(find_reset("try again in 400 days").unwrap().resolve(seoul()), None);
    assert_eq!(find_reset("try again at Nov 18, 2036 9:01 AM").unwrap().resolve(seoul()), None);
}

fn limit(resume_at: Option<&str>) -> Limit {
    Limit { cause: LimitCause::Rate, resume_at: resume_at.map(at), text: String::new() }
}

#[test]
fn without_a_reset_the_waits_double_from_five_minutes_to_an_hour_for_twelve_hours() {
    let since = seoul().now;
    let mut now = since;
    let mut waits = Vec::new();
    for refusals in 1.. {
        match again(&limit(None), now, since, refusals) {
            Again::At(next) => {
                waits.push(next.duration_since(now).as_mins());
                now = next;
            }
            Again::GiveUp => break,
        }
    }
    assert_eq!(waits[..6], [5, 10, 20, 40, 60, 60]);
    assert!(now.duration_since(since) >= SignedDuration::from_hours(12));
    assert!(now.duration_since(since) <= SignedDuration::from_hours(13));
}

#[test]
fn a_reset_time_is_honoured_and_never_in_the_past() {
    let now = seoul().now;
    let later = "2026-11-16T03:00:00Z";
    assert_eq!(again(&limit(Some(later)), now, now, 1), Again::At(at(later)));
    assert_eq!(again(&limit(Some("2026-11-15T03:00:00Z")), now, now, 1), Again::At(now));
}

proptest! {
    #[test]
    fn no_text_makes_the_search_panic(text in "(resets |try again (at|in) |retry after )?[0-9a-zA-Z:.,()| \\p{Hangul}-]{0,40}") {
        if let Some(reset) = find_reset(&text) {
            let resolved = reset.resolve(seoul());
            prop_assert!(resolved.is_none_or(|at| at >= seoul().now));
        }
    }
}
