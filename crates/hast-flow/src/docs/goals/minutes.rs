//! A length of time as people write it into settings: minutes, also parts of one.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::docs::document::Rules;
use crate::formats::diagnostic::Finding;
use crate::formats::tree::Node;

/// Longest that a setting may be: a year.
const MOST: i64 = 525_600;

/// Whole seconds, read and printed as minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Minutes {
    seconds: u32,
}

impl Minutes {
    pub const fn new(minutes: u16) -> Self {
        Self { seconds: minutes as u32 * 60 }
    }

    pub const fn seconds(self) -> u64 {
        self.seconds as u64
    }

    pub fn duration(self) -> Duration {
        Duration::from_secs(self.seconds())
    }

    /// A number that is no length of time becomes none: the rules of a document refuse it with its line.
    fn parse(minutes: f64) -> Self {
        let minutes = if minutes.is_finite() { minutes.clamp(0.0, MOST as f64) } else { 0.0 };
        let seconds = Duration::from_secs_f64(minutes * 60.0).as_secs_f64().ceil();
        let seconds = Duration::from_secs_f64(seconds).as_secs();
        Self { seconds: u32::try_from(seconds).unwrap_or(u32::MAX) }
    }

    /// What a document says where a setting is no length of time.
    pub(super) fn rule(minutes: Option<Self>, node: &Node, name: &str, rules: &mut Rules<'_>) {
        if minutes.is_some_and(Self::is_none)
            && let Some(node) = node.get(name)
        {
            let value = rules.source.text.get(node.span.clone()).unwrap_or_default().to_owned();
            rules.report(node, Finding::OutOfRange { value, least: 1, most: MOST });
        }
    }

    fn is_none(self) -> bool {
        self.seconds == 0
    }
}

/// As few digits as say it.
impl std::fmt::Display for Minutes {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.2}", f64::from(self.seconds) / 60.0);
        out.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl Serialize for Minutes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.seconds % 60 {
            0 => serializer.serialize_u32(self.seconds / 60),
            _ => serializer.serialize_f64(f64::from(self.seconds) / 60.0),
        }
    }
}

impl<'de> Deserialize<'de> for Minutes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::parse)
    }
}

impl JsonSchema for Minutes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Minutes".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_minute_are_read_and_printed_and_whole_ones_stay_whole() {
        for (text, seconds, printed, shown) in [
            ("30", 1800, "30", "30"),
            ("0.2", 12, "0.2", "0.2"),
            ("1.5", 90, "1.5", "1.5"),
            ("0.001", 1, "0.016666666666666666", "0.02"),
        ] {
            let minutes: Minutes = serde_json::from_str(text).unwrap();
            assert_eq!(minutes.seconds(), seconds, "{text}");
            assert_eq!(serde_json::to_string(&minutes).unwrap(), printed);
            assert_eq!(minutes.to_string(), shown);
            let again: Minutes = serde_json::from_str(printed).unwrap();
            assert_eq!(again, minutes);
        }
    }

    #[test]
    fn a_number_that_is_no_length_of_time_is_none() {
        for text in ["0", "-1", "-0.5"] {
            assert!(serde_json::from_str::<Minutes>(text).unwrap().is_none(), "{text}");
        }
        assert_eq!(serde_json::from_str::<Minutes>("1e300").unwrap().seconds(), 31_536_000);
    }
}
