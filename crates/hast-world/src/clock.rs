//! The machine's clock and random ids, or fixed ones for tests of the real binary.

use std::sync::atomic::{AtomicU64, Ordering};

use hast_flow::ports::{Clock, Ids};
use hast_flow::time::{BadTime, OffsetTime};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use uuid::Uuid;

/// The machine's own time and ids.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machine;

impl Clock for Machine {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn local_offset(&self, at: Timestamp) -> Offset {
        TimeZone::system().to_offset(at)
    }
}

impl Ids for Machine {
    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// A clock that stands still and ids that count, as `2026-02-09T14:30:00+09:00#7` describes them.
#[derive(Debug)]
pub struct Fixed {
    time: OffsetTime,
    next: AtomicU64,
}

impl std::str::FromStr for Fixed {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        let (time, number) = text.split_once('#').unwrap_or((text, "0"));
        let bad = || BadTime { text: text.to_owned(), example: OffsetTime::EXAMPLE };
        Ok(Self { time: time.parse()?, next: AtomicU64::new(number.parse().map_err(|_| bad())?) })
    }
}

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        self.time.instant()
    }

    fn local_offset(&self, _: Timestamp) -> Offset {
        self.time.offset()
    }
}

impl Ids for Fixed {
    fn uuid(&self) -> Uuid {
        Uuid::from_u64_pair(0, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_world_repeats_itself() {
        let fixed: Fixed = "2026-02-09T14:30:00+09:00#7".parse().unwrap();
        assert_eq!(fixed.now().to_string(), "2026-02-09T05:30:00Z");
        assert_eq!(fixed.local_offset(fixed.now()).seconds(), 9 * 3600);
        assert_eq!(fixed.uuid().to_string(), "00000000-0000-0000-0000-000000000007");
        assert_eq!(fixed.uuid().to_string(), "00000000-0000-0000-0000-000000000008");
        assert!("yesterday".parse::<Fixed>().is_err());
    }

    #[test]
    fn the_machine_never_repeats_an_id() {
        assert_ne!(Machine.uuid(), Machine.uuid());
    }
}
