//! Identifiers as the files print them, each a type of its own.
//!
//! An id is checked against its *shape* when it is read, so a value of one of these types is
//! always well formed. In a shape `#` is a digit, `+` repeats it, `N` is a number from 1 without
//! leading zeros, `x` is a lower-case hex digit; everything else stands for itself.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use jiff::civil;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::time::UtcTime;

/// Why a text is not an identifier of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id like {example}")]
pub struct BadId {
    pub text: String,
    pub example: &'static str,
}

impl Sha256 {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        use sha2::Digest;
        let digest = sha2::Sha256::digest(bytes);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self(hex.into())
    }
}

/// The written form of an id: its JSON Schema pattern, an example, and what accepts it.
#[derive(Clone, Debug)]
pub struct IdForm {
    pub pattern: String,
    pub example: &'static str,
    pub accepts: fn(&str) -> bool,
}

macro_rules! ids {
    ($( $(#[$doc:meta])* $name:ident $shape:literal like $example:literal $(, time $format:literal at $start:literal)?; )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq, Eq, Hash)]
            pub struct $name(Box<str>);

            impl Ord for $name {
                /// By counted number: `R2` before `R10`.
                fn cmp(&self, other: &Self) -> Ordering {
                    self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(&other.0))
                }
            }

            impl PartialOrd for $name {
                fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                    Some(self.cmp(other))
                }
            }

            impl $name {
                pub const SHAPE: &str = $shape;
                pub const EXAMPLE: &str = $example;

                pub fn as_str(&self) -> &str {
                    &self.0
                }

                /// The number at the end of the id.
                pub fn number(&self) -> u64 {
                    trailing_number(&self.0)
                }
            }

            impl FromStr for $name {
                type Err = BadId;

                fn from_str(text: &str) -> Result<Self, BadId> {
                    let well_formed = matches_shape(text, $shape) $(&& has_time(text, $format, $start))?;
                    if well_formed {
                        Ok(Self(text.into()))
                    } else {
                        Err(BadId { text: text.to_owned(), example: $example })
                    }
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(&self.0)
                }
            }

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(&self.0)
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let text = Cow::<str>::deserialize(deserializer)?;
                    text.parse().map_err(de::Error::custom)
                }
            }

            impl JsonSchema for $name {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({
                        "type": "string",
                        "pattern": shape_to_pattern($shape),
                        "examples": [$example],
                    })
                }
            }
        )*

        /// The forms of all ids, for checks that know only the pattern.
        pub fn forms() -> Vec<IdForm> {
            vec![$(IdForm {
                pattern: shape_to_pattern($shape),
                example: $example,
                accepts: |text| text.parse::<$name>().is_ok(),
            }),*]
        }
    };
}

ids! {
    /// A session of the session flow, named after the UTC second it started in.
    SessionId "S-########-######Z" like "S-20260112-143000Z", time "%Y%m%d-%H%M%S" at 2;
    /// A task of a session's plan; four digits, always.
    TaskId "T-####" like "T-0007";
    /// An event; the counter makes it unique within its log and never repeats.
    EventId "EV-########T######Z-####+" like "EV-20260112T143000Z-0009", time "%Y%m%dT%H%M%S" at 3;
    /// A question to a person.
    QuestionId "Q-########-####+" like "Q-20260112-0003", time "%Y%m%d" at 2;
    /// A piece of knowledge that passed its gate.
    KnowledgeId "K-####+" like "K-0009";
    /// A run, named after the local second it started in; the counter separates runs of one second.
    RunId "run-########-######-###+" like "run-20231028-103000-001", time "%Y%m%d-%H%M%S" at 4;
    /// A phase of a run.
    PhaseId "P#" like "P1";
    /// A stage of a run.
    StageId "S##+" like "S01";
    /// A core task of a run.
    RunTaskId "T##+" like "T05";
    /// A tool task of a run.
    ToolTaskId "TT##+" like "TT01";
    /// An instruction of a run's constitution.
    InstructionId "I-####+" like "I-0001";
    /// A request of the contract flow.
    RequestId "RN" like "R1";
    /// A task of a contract request.
    ContractTaskId "TN" like "T1";
    /// A subtask of a contract task.
    SubtaskId "TN-SN" like "T1-S2";
    /// A task that goes out to a worker elsewhere.
    PacketId "PKT_xxxxxxxxxxxx" like "PKT_0123456789ab";
    /// The first eight hex digits of the md5 of a project's path.
    ProjectHash "xxxxxxxx" like "a1b2c3d4";
    /// A request of the kernel flow.
    RequestUuid "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" like "01890a5d-ac96-774b-bcce-b302099a8057";
    /// A content hash.
    Sha256 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        like "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
}

impl SessionId {
    pub fn at(time: UtcTime) -> Self {
        Self(time.instant().strftime("S-%Y%m%d-%H%M%SZ").to_string().into())
    }
}

impl EventId {
    pub fn new(time: UtcTime, counter: u64) -> Self {
        Self(format!("EV-{}-{counter:04}", time.compact()).into())
    }

    /// When it happened.
    pub fn time(&self) -> Option<UtcTime> {
        let second = self.0.split('-').nth(1)?;
        let civil = civil::DateTime::strptime("%Y%m%dT%H%M%SZ", second).ok()?;
        Some(UtcTime::new(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp()))
    }
}

impl QuestionId {
    pub fn new(time: UtcTime, counter: u64) -> Self {
        Self(format!("Q-{}-{counter:04}", time.instant().strftime("%Y%m%d")).into())
    }
}

impl KnowledgeId {
    pub fn new(counter: u64) -> Self {
        Self(format!("K-{counter:04}").into())
    }
}

impl RunId {
    pub fn new(local: civil::DateTime, counter: u64) -> Self {
        Self(format!("run-{}-{counter:03}", local.strftime("%Y%m%d-%H%M%S")).into())
    }
}

impl InstructionId {
    pub fn new(counter: u64) -> Self {
        Self(format!("I-{counter:04}").into())
    }
}

impl RequestId {
    pub fn new(number: u64) -> Self {
        Self(format!("R{}", number.max(1)).into())
    }
}

impl ProjectHash {
    /// Of the real path of a project, without a `/` at its end.
    pub fn of(path: &str) -> Self {
        use md5::Digest;
        let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
        let digest = md5::Md5::digest(path.as_bytes());
        let hex: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        Self(hex.into())
    }
}

impl SubtaskId {
    /// The task it belongs to.
    pub fn task(&self) -> ContractTaskId {
        ContractTaskId(self.0.split_once('-').map_or(&*self.0, |(task, _)| task).into())
    }

    /// Whether the subtask belongs to the task, as `T1-S2` to `T1`.
    pub fn belongs_to(&self, task: &ContractTaskId) -> bool {
        self.0.split_once('-').is_some_and(|(owner, _)| owner == task.as_str())
    }
}

fn trailing_number(text: &str) -> u64 {
    let digits = text.trim_end_matches('Z');
    let start = digits.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    // What is too much for the type is no less than its end.
    let number = &digits[start..];
    number.parse().unwrap_or(if number.is_empty() { 0 } else { u64::MAX })
}

fn matches_shape(text: &str, shape: &str) -> bool {
    let mut rest = text.as_bytes();
    for symbol in shape.bytes() {
        let taken = match symbol {
            b'+' => rest.iter().take_while(|b| b.is_ascii_digit()).count(),
            b'N' if matches!(rest.first(), Some(b'1'..=b'9')) => {
                rest.iter().take_while(|b| b.is_ascii_digit()).count()
            }
            b'#' if rest.first().is_some_and(u8::is_ascii_digit) => 1,
            b'x' if matches!(rest.first(), Some(b'0'..=b'9' | b'a'..=b'f')) => 1,
            b'#' | b'x' | b'N' => return false,
            literal if rest.first() == Some(&literal) => 1,
            _ => return false,
        };
        rest = &rest[taken..];
    }
    // A counter that cannot be counted on from is not one of ours.
    let counts = || !shape.ends_with(['+', 'N']) || trailing_number(text) <= LAST_NUMBER;
    rest.is_empty() && text.len() <= MAX_ID_BYTES && counts()
}

/// The last number of a counter. One that is greater was never counted: its line is damaged.
pub const LAST_NUMBER: u64 = 999_999_999_999_999;

const MAX_ID_BYTES: usize = 64;

fn has_time(text: &str, format: &str, start: usize) -> bool {
    let width = if format.contains("%H") { "20260112-143000".len() } else { "20260112".len() };
    let Some(part) = text.get(start..start + width) else {
        return false;
    };
    match jiff::fmt::strtime::parse(format, part) {
        Ok(broken_down) if format.contains("%H") => broken_down.to_datetime().is_ok(),
        Ok(broken_down) => broken_down.to_date().is_ok(),
        Err(_) => false,
    }
}

fn shape_to_pattern(shape: &str) -> String {
    let mut pattern = String::from("^");
    for symbol in shape.chars() {
        match symbol {
            '#' => pattern.push_str("[0-9]"),
            '+' => pattern.push_str("[0-9]*"),
            'N' => pattern.push_str("[1-9][0-9]*"),
            'x' => pattern.push_str("[0-9a-f]"),
            literal => pattern.push(literal),
        }
    }
    pattern.push('$');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_accepts_its_example_and_nothing_near_it() {
        for IdForm { example, accepts, .. } in forms() {
            assert!(accepts(example), "{example}");
            for wrong in [
                String::new(),
                example.to_lowercase() + "!",
                format!(" {example}"),
                format!("{example}\n"),
                example[1..].to_owned(),
                format!("{example}x"),
                example.replace(|c: char| c.is_ascii_digit(), "g"),
            ] {
                assert!(!accepts(&wrong), "{example} {wrong:?}");
            }
        }
    }

    #[test]
    fn an_id_with_a_time_needs_a_real_time() {
        assert!("S-20261312-143000Z".parse::<SessionId>().is_err());
        assert!("EV-20260230T143000Z-0009".parse::<EventId>().is_err());
        assert!("EV-20260112T143000Z-999999999999999".parse::<EventId>().is_ok());
        for number in ["1000000000000000", "18446744073709551615", "18446744073709551616"] {
            let text = format!("EV-20260112T143000Z-{number}");
            assert!(text.parse::<EventId>().is_err(), "{text}");
        }
        assert!("Q-20260132-0001".parse::<QuestionId>().is_err());
    }

    #[test]
    fn ids_are_built_as_the_seeds_print_them() {
        let time: UtcTime = "2026-01-12T14:30:00Z".parse().unwrap();
        assert_eq!(SessionId::at(time).as_str(), SessionId::EXAMPLE);
        assert_eq!(EventId::new(time, 9).as_str(), EventId::EXAMPLE);
        assert_eq!(EventId::new(time, 12_345).number(), 12_345);
        assert_eq!(EventId::new(time, 12_345).time(), Some(time));
        assert_eq!(QuestionId::new(time, 3).as_str(), QuestionId::EXAMPLE);
        assert_eq!(KnowledgeId::new(9).as_str(), KnowledgeId::EXAMPLE);
        let local = civil::date(2023, 10, 28).at(10, 30, 0, 0);
        assert_eq!(RunId::new(local, 1).as_str(), RunId::EXAMPLE);
    }

    #[test]
    fn a_project_is_known_by_the_md5_of_its_path() {
        // printf %s /srv/my-app | md5sum
        assert_eq!(ProjectHash::of("/srv/my-app").as_str(), "a752d558");
        assert_eq!(ProjectHash::of("/srv/my-app/"), ProjectHash::of("/srv/my-app"));
    }

    #[test]
    fn a_subtask_belongs_to_the_task_before_its_dash() {
        let subtask: SubtaskId = "T1-S2".parse().unwrap();
        assert!(subtask.belongs_to(&"T1".parse().unwrap()));
        assert!(!subtask.belongs_to(&"T11".parse().unwrap()));
    }
}
