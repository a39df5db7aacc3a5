//! Retries of a request: the rule decides from the last try if there is another one, and after how
//! long.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use crate::tools::net::{Got, Trouble};

/// A request is made at most so often.
pub const TRIES: u32 = 3;
/// A server that wants more patience than this is not waited for.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// What came is the answer, good or bad.
    Take,
    Again {
        after: Duration,
    },
}

/// What to do with what came of a try, counted from 1.
pub fn next(tried: u32, came: &Result<Got, Trouble>, now: Timestamp) -> Next {
    let asked = match came {
        Ok(got) if matches!(got.status, 429 | 500 | 502 | 503 | 504) => {
            got.retry_after.as_deref().and_then(|text| retry_after(text, now))
        }
        Err(Trouble::TimedOut | Trouble::Cut | Trouble::Unreachable { .. }) => None,
        Ok(_) | Err(_) => return Next::Take,
    };
    let own = Duration::from_secs(1 << tried.min(6).saturating_sub(1));
    let after = asked.map_or(own, |asked| asked.max(own));
    if tried >= TRIES || after > LONGEST { Next::Take } else { Next::Again { after } }
}

/// `Retry-After`: seconds, or a date.
pub fn retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, retry_after: Option<&str>) -> Result<Got, Trouble> {
        Ok(Got { status, retry_after: retry_after.map(str::to_owned), ..Got::default() })
    }

    fn after(seconds: u64) -> Next {
        Next::Again { after: Duration::from_secs(seconds) }
    }

    #[test]
    fn a_server_out_of_order_is_asked_again_later_and_later() {
        let now = Timestamp::UNIX_EPOCH;
        let waits: Vec<_> = (1..=3).map(|tried| next(tried, &status(503, None), now)).collect();
        assert_eq!(waits, [after(1), after(2), Next::Take]);
        for trouble in [Trouble::Cut, Trouble::TimedOut] {
            assert_eq!(next(1, &Err(trouble), now), after(1));
        }
    }

    #[test]
    fn what_the_server_asks_for_is_honoured_up_to_a_minute() {
        let now: Timestamp = "2026-01-12T14:30:00Z".parse().unwrap();
        assert_eq!(next(1, &status(429, Some("7")), now), after(7));
        assert_eq!(next(1, &status(429, Some("0")), now), after(1));
        assert_eq!(next(1, &status(429, Some("61")), now), Next::Take);
        let date = "Mon, 12 Jan 2026 14:30:20 GMT";
        assert_eq!(next(1, &status(503, Some(date)), now), after(20));
        let past = "Mon, 12 Jan 2026 14:29:00 GMT";
        assert_eq!(next(1, &status(503, Some(past)), now), after(1));
        assert_eq!(next(1, &status(429, Some("soon")), now), after(1));
        assert_eq!(next(1, &status(429, Some("99999999999999999999")), now), after(1));
    }

    #[test]
    fn an_answer_is_not_asked_for_again() {
        let now = Timestamp::UNIX_EPOCH;
        for code in [200, 301, 400, 401, 403, 404, 410, 501] {
            assert_eq!(next(1, &status(code, Some("1")), now), Next::Take, "{code}");
        }
        assert_eq!(next(1, &Err(Trouble::TooLarge), now), Next::Take);
        let private = Trouble::PrivateAddress { host: "a".to_owned() };
        assert_eq!(next(1, &Err(private), now), Next::Take);
    }
}
