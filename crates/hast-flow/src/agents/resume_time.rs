//! When a limited agent may be asked again, and how that is said to people: in their local time, and as a
//! guess where the agent gave no time. The time now is passed in.

use crate::messages;
use crate::time::{OffsetTime, UtcTime};
use crate::words::Lang;

/// A limit that is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownLimit {
    pub until: UtcTime,
    pub source: ResetSource,
}

/// The source of the time at which a limit is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResetSource {
    Agent,
    /// The agent gave no time; hast tries again then.
    Guess,
}

/// A limit, and the local time at which somebody is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResumeTime {
    pub limit: KnownLimit,
    pub now: OffsetTime,
}

impl ResumeTime {
    pub fn at(&self) -> UtcTime {
        self.limit.until
    }

    /// `13:16 (in 2 h)`, with the date where that is another day than today.
    pub fn text(&self, lang: Lang) -> String {
        let until = OffsetTime::new(self.at().instant(), self.now.offset()).local();
        let form = if until.date() == self.now.local().date() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
        let clock = until.strftime(form);
        let wait = self.at().instant().duration_since(self.now.instant());
        let wait = wait_words(lang, wait.as_secs());
        match self.limit.source {
            ResetSource::Agent => told(lang, clock, wait),
            ResetSource::Guess => guessed(lang, clock, wait),
        }
    }
}

/// A time to wait, rounded up to minutes.
fn wait_words(lang: Lang, seconds: i64) -> String {
    let minutes = seconds.max(0).saturating_add(59) / 60;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => in_minutes(lang, minutes),
        (48.., _) => in_days(lang, minutes / (24 * 60)),
        (hours, 0) => in_hours(lang, hours),
        (hours, minutes) => in_both(lang, hours, minutes),
    }
}

messages! {
    told(clock, wait) { en: "{clock} ({wait})", ko: "{clock}({wait})" }
    guessed(clock, wait) { en: "{clock} ({wait}; a guess, no time was given)", ko: "{clock}({wait}, 추정: 받은 시각이 없음)" }
    in_minutes(minutes) { en: "in {minutes} min", ko: "{minutes}분 뒤" }
    in_hours(hours) { en: "in {hours} h", ko: "{hours}시간 뒤" }
    in_both(hours, minutes) { en: "in {hours} h {minutes} min", ko: "{hours}시간 {minutes}분 뒤" }
    in_days(days) { en: "in {days} days", ko: "{days}일 뒤" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(until: &str, source: ResetSource) -> [String; 2] {
        let limit = KnownLimit { until: until.parse().unwrap(), source };
        let time = ResumeTime { limit, now: "2026-02-09T11:16:30+09:00".parse().unwrap() };
        [Lang::En, Lang::Ko].map(|lang| time.text(lang))
    }

    #[test]
    fn a_time_is_local_and_says_how_long_that_is() {
        for (until, en, ko) in [
            ("2026-02-09T04:16:00Z", "13:16 (in 2 h)", "13:16(2시간 뒤)"),
            ("2026-02-09T02:20:00Z", "11:20 (in 4 min)", "11:20(4분 뒤)"),
            ("2026-02-09T05:00:00Z", "14:00 (in 2 h 44 min)", "14:00(2시간 44분 뒤)"),
            (
                "2026-02-09T15:01:00Z",
                "2026-02-10 00:01 (in 12 h 45 min)",
                "2026-02-10 00:01(12시간 45분 뒤)",
            ),
            ("2026-02-13T02:16:30Z", "2026-02-13 11:16 (in 4 days)", "2026-02-13 11:16(4일 뒤)"),
            ("2026-02-09T01:00:00Z", "10:00 (in 0 min)", "10:00(0분 뒤)"),
        ] {
            assert_eq!(said(until, ResetSource::Agent), [en, ko]);
        }
    }

    #[test]
    fn a_guess_is_said_to_be_one() {
        let [en, ko] = said("2026-02-09T02:21:30Z", ResetSource::Guess);
        assert_eq!(en, "11:21 (in 5 min; a guess, no time was given)");
        assert_eq!(ko, "11:21(5분 뒤, 추정: 받은 시각이 없음)");
    }
}
