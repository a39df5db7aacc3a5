//! When a request is made again: only for causes that pass, at most four times a turn, and never
//! before the service said.

use std::time::Duration;

use super::failure::Failure;

/// Retries of one turn.
pub const MOST: u32 = 4;
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// A service that wants more patience is for hast to wait for.
const WAITED: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Again(Duration),
    GiveUp,
}

/// What to do after a failure. `retried` counts the retries of this turn so far, `dice` is any number.
pub fn next(failure: &Failure, retried: u32, dice: u64) -> Next {
    let asked = failure.after.unwrap_or_default();
    if !failure.passes() || retried >= MOST || asked > WAITED {
        return Next::GiveUp;
    }
    let own = SHORTEST.saturating_mul(1 << (2 * retried).min(5)).min(LONGEST);
    // Up to a quarter more, so that many do not come back together.
    let quarter = u64::try_from(own.as_millis() / 4).unwrap_or(0).max(1);
    let jitter = Duration::from_millis(dice % quarter);
    Next::Again((own + jitter).min(LONGEST).max(asked + jitter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::client::failure::Cause;

    fn failure(status: u16, after: Option<u64>) -> Failure {
        let failure = Failure::of_status(status, "{}", None, jiff::Timestamp::UNIX_EPOCH);
        Failure { after: after.map(Duration::from_secs), ..failure }
    }

    #[test]
    fn causes_that_pass_are_tried_again_four_times_and_later_each_time() {
        let waits: Vec<u64> = (0..4)
            .map(|retried| match next(&failure(503, None), retried, 0) {
                Next::Again(wait) => wait.as_secs(),
                Next::GiveUp => 0,
            })
            .collect();
        assert_eq!(waits, [1, 4, 16, 30]);
        assert_eq!(next(&failure(503, None), MOST, 0), Next::GiveUp);
        for status in [408, 409, 425, 429, 500, 502, 504, 529] {
            assert!(matches!(next(&failure(status, None), 0, 0), Next::Again(_)), "{status}");
        }
        for status in [400, 401, 402, 403, 404, 422] {
            assert_eq!(next(&failure(status, None), 0, 0), Next::GiveUp, "{status}");
        }
    }

    #[test]
    fn a_service_is_not_asked_before_it_said_and_not_waited_for_beyond_a_minute() {
        assert_eq!(next(&failure(429, Some(60)), 0, 0), Next::Again(Duration::from_secs(60)));
        assert_eq!(next(&failure(429, Some(61)), 0, 0), Next::GiveUp);
        for dice in 0..1000 {
            let Next::Again(wait) = next(&failure(429, Some(20)), 0, dice * 7919) else { panic!() };
            assert!((20_000..20_250).contains(&wait.as_millis()), "{wait:?}");
        }
    }

    #[test]
    fn money_is_not_waited_for() {
        let body = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
        let failure = Failure::of_status(429, body, Some("1"), jiff::Timestamp::UNIX_EPOCH);
        assert_eq!((failure.cause, next(&failure, 0, 0)), (Cause::Login, Next::GiveUp));
    }
}
