//! Pure code asks the machine for the time and for fresh identifiers through these ports.
//! `hast-world` answers from the machine, `hast-sim` from a seed.

use jiff::Timestamp;
use jiff::tz::Offset;
use uuid::Uuid;

/// The time now, and the offset of local time from UTC.
pub trait Clock {
    fn now(&self) -> Timestamp;
    fn local_offset(&self, at: Timestamp) -> Offset;
}

/// Fresh identifiers. Counters that files carry (`EV-...-0009`, `R2`) are not here: they follow
/// from the files.
pub trait Ids {
    fn uuid(&self) -> Uuid;
}
