//! The machine's clock and fresh identifiers.

use hast_flow::ports::{Clock, Ids};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use uuid::Uuid;

/// The system's clock and time zone.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn local_offset(&self, at: Timestamp) -> Offset {
        TimeZone::system().to_offset(at)
    }
}

/// Identifiers that sort by the time they were made.
#[derive(Clone, Copy, Debug, Default)]
pub struct FreshIds;

impl Ids for FreshIds {
    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}
