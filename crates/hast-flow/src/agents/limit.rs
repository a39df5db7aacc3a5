//! When a refused agent may be tried again: reset times as agents print them, and the waiting
//! without one. The time now is passed in.

use jiff::civil::{self, Weekday};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

/// A refusal that says nothing about the work: no attempt is spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    pub cause: LimitCause,
    /// When the agent says that it may be tried again.
    pub resume_at: Option<Timestamp>,
    /// The agent's own words.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitCause {
    /// The plan's allowance is used up.
    Usage,
    /// Too many requests (HTTP 429).
    Rate,
    /// The service is too busy (HTTP 529, 503).
    Overloaded,
}

/// The time now and where local clocks stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub now: Timestamp,
    pub offset: Offset,
}

/// A reset time as it was printed; [`Reset::resolve`] makes an instant of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    At(Timestamp),
    In(SignedDuration),
    /// A time on a clock, of the next day that has it.
    Clock {
        time: civil::Time,
        day: Option<ResetDay>,
        zone: Zone,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetDay {
    Date { year: Option<i16>, month: i8, day: i8 },
    Weekday(Weekday),
}

/// Agents print local time unless they say UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    Local,
    Utc,
}

/// A printed clock time that is this little past means now, not tomorrow: agents print minutes.
const JUST_PAST: SignedDuration = SignedDuration::from_mins(10);
const FIRST_WAIT: SignedDuration = SignedDuration::from_mins(5);
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(1);
const LONGEST_WAIT_IN_ALL: SignedDuration = SignedDuration::from_hours(12);
/// A reset further away than this is a misreading.
const FURTHEST_RESET: SignedDuration = SignedDuration::from_hours(24 * 31);

/// What to do after a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    At(Timestamp),
    /// Twelve hours of refusals without a reset time.
    GiveUp,
}

/// When to try again after the `refusals`th refusal in a row (from 1), the first one at `since`.
pub fn again(limit: &Limit, now: Timestamp, since: Timestamp, refusals: u32) -> Again {
    if let Some(at) = limit.resume_at {
        return Again::At(at.max(now));
    }
    if now.duration_since(since) >= LONGEST_WAIT_IN_ALL {
        return Again::GiveUp;
    }
    let doublings = refusals.saturating_sub(1).min(8);
    let wait = FIRST_WAIT.saturating_mul(1 << doublings).min(LONGEST_WAIT);
    now.checked_add(wait).map_or(Again::GiveUp, Again::At)
}

impl Reset {
    /// The instant that is meant, or `None` if none within a month fits.
    pub fn resolve(self, moment: Moment) -> Option<Timestamp> {
        let at = match self {
            Self::At(at) => at,
            Self::In(wait) => moment.now.checked_add(wait).ok()?,
            Self::Clock { time, day, zone } => on_the_clock(time, day, zone, moment)?,
        };
        (at.duration_since(moment.now) <= FURTHEST_RESET).then_some(at.max(moment.now))
    }
}

fn on_the_clock(
    time: civil::Time,
    day: Option<ResetDay>,
    zone: Zone,
    moment: Moment,
) -> Option<Timestamp> {
    let offset = match zone {
        Zone::Local => moment.offset,
        Zone::Utc => Offset::UTC,
    };
    let today = offset.to_datetime(moment.now).date();
    let instant = |date: civil::Date| offset.to_timestamp(date.to_datetime(time)).ok();
    let is_past = |at: Timestamp| moment.now.duration_since(at) > JUST_PAST;
    match day {
        None => {
            let at = instant(today)?;
            if is_past(at) { instant(today.tomorrow().ok()?) } else { Some(at) }
        }
        Some(ResetDay::Weekday(weekday)) => {
            let at = if today.weekday() == weekday { instant(today) } else { None };
            match at {
                Some(at) if !is_past(at) => Some(at),
                _ => instant(today.nth_weekday(1, weekday).ok()?),
            }
        }
        Some(ResetDay::Date { year, month, day }) => {
            let in_year = |year| civil::Date::new(year, month, day).ok().and_then(instant);
            match year {
                Some(year) => in_year(year),
                None => in_year(today.year())
                    .filter(|at| !is_past(*at))
                    .or_else(|| in_year(today.year().checked_add(1)?)),
            }
        }
    }
}

/// Finds a reset time in what an agent printed.
pub fn find_reset(text: &str) -> Option<Reset> {
    let lower = text.to_ascii_lowercase();
    epoch_after(&lower, "limit reached|")
        .or_else(|| epoch_after(&lower, "resets_at"))
        .or_else(|| seconds_after(&lower, "resets_in_seconds"))
        .or_else(|| duration_after(&lower, "retrydelay"))
        .or_else(|| {
            PHRASES.iter().find_map(|phrase| {
                lower
                    .match_indices(phrase)
                    .find_map(|(at, _)| after_phrase(&lower[at + phrase.len()..]))
            })
        })
}

const PHRASES: &[&str] = &[
    "try again at ",
    "try again in ",
    "try again after ",
    "retry after ",
    "retry-after: ",
    "retry in ",
    "retrying after ",
    "resets at ",
    "resets in ",
    "resets on ",
    "reset at ",
    "reset in ",
    "reset after ",
    "resets ",
];

/// What may follow a phrase: an instant, a duration, or a time on a clock with or without a day.
fn after_phrase(rest: &str) -> Option<Reset> {
    let rest = rest.trim_start_matches(['~', ':', ' ', '"']);
    instant(rest).map(Reset::At).or_else(|| duration(rest).map(Reset::In)).or_else(|| clock(rest))
}

fn instant(rest: &str) -> Option<Timestamp> {
    let word = rest.split([' ', '"', ',', ')']).next()?.trim_end_matches('.');
    // `2026-11-16t05:00:00z`: the text was lowered, jiff reads capitals and small letters.
    if word.contains('-') { word.parse().ok() } else { None }
}

fn epoch_after(text: &str, key: &str) -> Option<Reset> {
    let seconds: i64 = number_after(text, key)?;
    Timestamp::from_second(seconds).ok().filter(|at| *at > PLAUSIBLE).map(Reset::At)
}

/// 2020: a smaller number is not a point in time.
const PLAUSIBLE: Timestamp = Timestamp::constant(1_577_836_800, 0);

fn seconds_after(text: &str, key: &str) -> Option<Reset> {
    let seconds: i64 = number_after(text, key)?;
    Some(Reset::In(SignedDuration::from_secs(seconds.max(0))))
}

fn number_after(text: &str, key: &str) -> Option<i64> {
    let at = text.find(key)? + key.len();
    let rest = text[at..].trim_start_matches(['"', ':', ' ', '\\']);
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn duration_after(text: &str, key: &str) -> Option<Reset> {
    let at = text.find(key)? + key.len();
    duration(text[at..].trim_start_matches(['"', ':', ' ', '\\'])).map(Reset::In)
}

/// `2 days 3 hours 12 minutes`, `12.5s`, `1h30m`, `45 seconds`, `3600` (seconds).
fn duration(rest: &str) -> Option<SignedDuration> {
    let mut total = SignedDuration::ZERO;
    let mut rest = rest;
    let mut parts = 0;
    loop {
        let digits =
            rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let Ok(number) = rest[..digits].trim_end_matches('.').parse::<f64>() else { break };
        let tail = rest[digits..].trim_start();
        let letters = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let bare = parts == 0 && !tail.starts_with(':');
        let Some(unit) = unit_seconds(&tail[..letters], bare) else { break };
        let seconds = SignedDuration::try_from_secs_f64(number * unit).ok()?;
        total = total.checked_add(seconds)?;
        parts += 1;
        rest = tail[letters..].trim_start_matches([' ', ',']).trim_start_matches("and ");
    }
    (parts > 0).then_some(total)
}

/// A bare number is seconds; the hour of a clock time is not one.
fn unit_seconds(unit: &str, bare: bool) -> Option<f64> {
    match unit {
        "ms" | "millisecond" | "milliseconds" => Some(0.001),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3600.0),
        "d" | "day" | "days" => Some(86400.0),
        "" if bare => Some(1.0),
        _ => None,
    }
}

/// `1:15 am`, `3pm (utc)`, `nov 17th, 2026 1:15 am`, `mon 3pm`, `oct 7 at 3pm`.
fn clock(rest: &str) -> Option<Reset> {
    let (day, rest) = day(rest);
    let rest = rest.trim_start_matches([' ', ',']).trim_start_matches("at ");
    let digits =
        rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':').len();
    let (hours, minutes) = rest[..digits].split_once(':').unwrap_or((&rest[..digits], ""));
    let hours: i8 = hours.parse().ok()?;
    let minutes: i8 = if minutes.is_empty() { 0 } else { minutes.get(..2)?.parse().ok()? };
    let tail = rest[digits..].trim_start();
    let hours = match tail.get(..2) {
        Some("am") if (1..=12).contains(&hours) => hours % 12,
        Some("pm") if (1..=12).contains(&hours) => hours % 12 + 12,
        // Without am or pm only a full `15:30` is a time; a lone number is anything.
        _ if rest[..digits].contains(':') => hours,
        _ => return None,
    };
    let time = civil::Time::new(hours, minutes, 0, 0).ok()?;
    let after = tail.trim_start_matches("am").trim_start_matches("pm").trim_start();
    let zone = if after.starts_with("(utc)") || after.starts_with("utc") {
        Zone::Utc
    } else {
        Zone::Local
    };
    Some(Reset::Clock { time, day, zone })
}

fn day(rest: &str) -> (Option<ResetDay>, &str) {
    let letters = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (word, tail) = (rest.get(..3).unwrap_or(""), rest[letters..].trim_start());
    if letters < 3 {
        return (None, rest);
    }
    if let Some(weekday) = WEEKDAYS.iter().position(|name| *name == word) {
        let weekday =
            i8::try_from(weekday).ok().and_then(|n| Weekday::from_monday_zero_offset(n).ok());
        return (weekday.map(ResetDay::Weekday), tail);
    }
    let Some(month) = MONTHS.iter().position(|name| *name == word) else { return (None, rest) };
    let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let Ok(day) = tail[..digits].parse() else { return (None, rest) };
    let tail = tail[digits..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let (year, tail) = year(tail.trim_start_matches([',', ' ']));
    let month = i8::try_from(month + 1).unwrap_or(1);
    (Some(ResetDay::Date { year, month, day }), tail)
}

fn year(rest: &str) -> (Option<i16>, &str) {
    match rest.split_at_checked(4) {
        Some((digits, tail)) if digits.bytes().all(|b| b.is_ascii_digit()) => {
            (digits.parse().ok(), tail)
        }
        _ => (None, rest),
    }
}

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
