//! Points in time as the files print them. The clock itself comes through a port.
//!
//! Two written forms exist: UTC to the second (`2026-01-12T14:30:00Z`) and, in handoffs and
//! `auto.lock`, local time with its offset (`2026-02-09T14:30:00+09:00`).

use std::fmt;
use std::str::FromStr;

use jiff::civil;
use jiff::tz::Offset;
use jiff::{Timestamp, Zoned};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An instant to the second, printed as `2026-01-12T14:30:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcTime(Timestamp);

/// An instant to the second with the offset it was written in: `2026-02-09T14:30:00+09:00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetTime {
    instant: Timestamp,
    offset: Offset,
}

/// A time that an agent wrote: any common form of ISO 8601 with an offset. It is printed as [`OffsetTime`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenTime(OffsetTime);

/// A calendar day, `2024-01-15`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(civil::Date);

/// Why a text is not a point in time in the form that the file wants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a time like {example}")]
pub struct BadTime {
    pub text: String,
    pub example: &'static str,
}

impl UtcTime {
    pub const EXAMPLE: &str = "2026-01-12T14:30:00Z";
    pub const PATTERN: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";

    /// The instant, cut to its second.
    pub fn new(instant: Timestamp) -> Self {
        Self(whole_second(instant))
    }

    pub fn instant(self) -> Timestamp {
        self.0
    }

    /// The same second as `20260112T143000Z`, as event ids and snapshot names carry it.
    pub fn compact(self) -> String {
        self.0.strftime("%Y%m%dT%H%M%SZ").to_string()
    }
}

impl OffsetTime {
    pub const EXAMPLE: &str = "2026-02-09T14:30:00+09:00";
    pub const PATTERN: &str =
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})$";

    pub fn new(instant: Timestamp, offset: Offset) -> Self {
        Self { instant: whole_second(instant), offset }
    }

    pub fn instant(self) -> Timestamp {
        self.instant
    }

    pub fn offset(self) -> Offset {
        self.offset
    }

    /// The wall clock where it was written.
    pub fn local(self) -> civil::DateTime {
        self.offset.to_datetime(self.instant)
    }
}

impl Day {
    pub const EXAMPLE: &str = "2024-01-15";
    pub const PATTERN: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

    pub fn new(date: civil::Date) -> Self {
        Self(date)
    }

    pub fn date(self) -> civil::Date {
        self.0
    }
}

impl fmt::Display for UtcTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

impl fmt::Display for OffsetTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let zoned = Zoned::new(self.instant, self.offset.to_time_zone());
        write!(f, "{}", zoned.strftime("%Y-%m-%dT%H:%M:%S%:z"))
    }
}

impl fmt::Display for WrittenTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%d"))
    }
}

impl FromStr for UtcTime {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        let bad = || BadTime { text: text.to_owned(), example: Self::EXAMPLE };
        if !looks_like(text, Self::EXAMPLE) {
            return Err(bad());
        }
        text.parse().map(Self).map_err(|_| bad())
    }
}

impl FromStr for OffsetTime {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        let bad = || BadTime { text: text.to_owned(), example: Self::EXAMPLE };
        let local_like = "2026-02-09T14:30:00";
        let (local, written_offset) = text.split_at_checked(local_like.len()).ok_or_else(bad)?;
        let offset = parse_offset(written_offset).ok_or_else(bad)?;
        if !looks_like(local, local_like) {
            return Err(bad());
        }
        let local: civil::DateTime = local.parse().map_err(|_| bad())?;
        let instant = offset.to_timestamp(local).map_err(|_| bad())?;
        Ok(Self { instant, offset })
    }
}

impl WrittenTime {
    pub const EXAMPLE: &str = OffsetTime::EXAMPLE;
    pub const PATTERN: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$";

    pub fn new(time: OffsetTime) -> Self {
        Self(time)
    }

    pub fn time(self) -> OffsetTime {
        self.0
    }

    fn read(text: &str) -> Option<OffsetTime> {
        let (day, rest) = text.split_at_checked("2026-02-09".len())?;
        let rest = rest.strip_prefix(['T', ' '])?;
        let (clock, offset) = rest.split_at(rest.find(['Z', '+', '-'])?);
        let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let seconds = if clock.len() == "14:30".len() && fraction == "0" { ":00" } else { "" };
        let offset = match offset.len() {
            3 => format!("{offset}:00"),
            5 => format!("{}:{}", offset.get(..3)?, offset.get(3..)?),
            _ => offset.to_owned(),
        };
        let time = format!("{day}T{clock}{seconds}{offset}").parse().ok();
        time.filter(|_| is_number(fraction))
    }
}

impl FromStr for WrittenTime {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        let bad = || BadTime { text: text.to_owned(), example: Self::EXAMPLE };
        Self::read(text).map(Self).ok_or_else(bad)
    }
}

impl FromStr for Day {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Self, BadTime> {
        let bad = || BadTime { text: text.to_owned(), example: Self::EXAMPLE };
        if !looks_like(text, Self::EXAMPLE) {
            return Err(bad());
        }
        text.parse().map(Self).map_err(|_| bad())
    }
}

/// Digits where the example has digits, the same characters elsewhere.
fn looks_like(text: &str, example: &str) -> bool {
    text.len() == example.len()
        && text.bytes().zip(example.bytes()).all(|(byte, sample)| {
            if sample.is_ascii_digit() { byte.is_ascii_digit() } else { byte == sample }
        })
}

fn whole_second(instant: Timestamp) -> Timestamp {
    let second = instant.as_millisecond().div_euclid(1000);
    Timestamp::from_second(second).unwrap_or(instant)
}

/// A written form of text: its JSON Schema pattern, an example, and what accepts it.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub pattern: &'static str,
    pub example: &'static str,
    pub accepts: fn(&str) -> bool,
}

/// The forms of this module, for checks that know only the pattern.
pub const FORMS: &[Form] = &[
    form::<UtcTime>(UtcTime::PATTERN, UtcTime::EXAMPLE),
    form::<OffsetTime>(OffsetTime::PATTERN, OffsetTime::EXAMPLE),
    form::<WrittenTime>(WrittenTime::PATTERN, WrittenTime::EXAMPLE),
    form::<Day>(Day::PATTERN, Day::EXAMPLE),
];

const fn form<T: FromStr>(pattern: &'static str, example: &'static str) -> Form {
    Form { pattern, example, accepts: |text| text.parse::<T>().is_ok() }
}

fn parse_offset(text: &str) -> Option<Offset> {
    if text == "Z" {
        return Some(Offset::UTC);
    }
    let (sign, digits) = text.split_at_checked(1)?;
    if !looks_like(digits, "09:00") {
        return None;
    }
    let (hours, minutes) = digits.split_once(':')?;
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    match sign {
        "+" => Offset::from_seconds(seconds).ok(),
        "-" => Offset::from_seconds(-seconds).ok(),
        _ => None,
    }
}

macro_rules! as_text {
    ($type:ty, $name:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }

        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "string",
                    "pattern": <$type>::PATTERN,
                    "examples": [<$type>::EXAMPLE],
                })
            }
        }
    };
}

as_text!(UtcTime, "UtcTime");
as_text!(OffsetTime, "OffsetTime");
as_text!(WrittenTime, "WrittenTime");
as_text!(Day, "Day");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_utc_time_prints_as_it_was_read() {
        let time: UtcTime = UtcTime::EXAMPLE.parse().unwrap();
        assert_eq!(time.to_string(), UtcTime::EXAMPLE);
        assert_eq!(time.compact(), "20260112T143000Z");
    }

    #[test]
    fn an_offset_time_keeps_its_offset() {
        for text in [OffsetTime::EXAMPLE, "2026-02-09T14:30:00-03:30"] {
            assert_eq!(text.parse::<OffsetTime>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_forms_of_time_are_refused() {
        for text in [
            "",
            "2026-01-12",
            "2026-13-12T14:30:00Z",
            "2026-01-12 14:30:00Z",
            "2026-01-12T14:30:00.5Z",
            "2026-01-12T14:30:00+09:00",
            "２０26-01-12T14:30:00Z",
        ] {
            assert!(text.parse::<UtcTime>().is_err(), "{text}");
        }
        for text in [
            "",
            "2026-02-09T14:30:00",
            "2026-02-09T14:30:00+9:00",
            "2026-02-09T14:30:00+0900",
            "2026-02-09T14:30:00+-9:00",
        ] {
            assert!(text.parse::<OffsetTime>().is_err(), "{text}");
        }
    }

    #[test]
    fn agents_write_times_in_the_common_forms_of_iso_8601() {
        for (text, read) in [
            (OffsetTime::EXAMPLE, OffsetTime::EXAMPLE),
            ("2026-02-09T14:30:00.123Z", "2026-02-09T14:30:00+00:00"),
            ("2026-02-09T14:30:00.039749+09:00", "2026-02-09T14:30:00+09:00"),
            ("2026-02-09T14:30:00+0900", "2026-02-09T14:30:00+09:00"),
            ("2026-02-09 14:30:00-03", "2026-02-09T14:30:00-03:00"),
            ("2026-02-09T14:30+09:00", "2026-02-09T14:30:00+09:00"),
        ] {
            assert_eq!(text.parse::<WrittenTime>().unwrap().to_string(), read);
        }
        for text in [
            "",
            "2026-02-09",
            "2026-02-09T14:30:00",
            "2026-02-09T14:30.5Z",
            "2026-02-09T14:30:00.Z",
            "2026-02-09T14:30:00.5.5Z",
            "2026-02-09T25:30:00Z",
            "2026-02-09T14:30:00+9",
            "2026-02-09T14:30:00+09:0",
            "2026-02-09T14:30:00 +09:00",
            "２０26-02-09T14:30:00Z",
        ] {
            assert!(text.parse::<WrittenTime>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_instant_is_cut_to_its_second() {
        let instant: Timestamp = "2026-01-12T14:30:00.999Z".parse().unwrap();
        assert_eq!(UtcTime::new(instant).to_string(), "2026-01-12T14:30:00Z");
        let before_epoch: Timestamp = "1969-12-31T23:59:59.5Z".parse().unwrap();
        assert_eq!(UtcTime::new(before_epoch).to_string(), "1969-12-31T23:59:59Z");
    }
}
