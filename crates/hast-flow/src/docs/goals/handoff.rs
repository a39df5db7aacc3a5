//! A handoff: what a session leaves for the next one, in `.ai/handoffs/`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use jiff::civil;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Rules;
use crate::document;
use crate::formats::diagnostic::Finding;
use crate::time::WrittenTime;

/// The front matter of a handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Handoff {
    pub timestamp: WrittenTime,
    pub status: HandoffStatus,
    #[schemars(length(min = 1), example = &"M4.3.1")]
    pub goal_id: String,
}

document!(Handoff, "handoff", FrontMatter, Keep, rules name_rule);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HandoffStatus {
    Complete,
    Failed,
    Blocked,
}

/// The newest handoff is found by its name, so the name is part of the document.
fn name_rule(_: &Handoff, rules: &mut Rules<'_>) {
    let file = rules.source.name.rsplit('/').next().unwrap_or_default();
    if file.parse::<HandoffName>().is_err() {
        let example = HandoffName::EXAMPLE.to_owned();
        rules.report_file(Finding::BadForm { value: file.to_owned(), example });
    }
}

/// `2026-02-09_143000.md`, in local time; `_2`, `_3` for more in the same second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandoffName {
    pub local: civil::DateTime,
    pub number: u32,
}

/// The text is not the file name of a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a handoff is named like 2026-02-09_143000.md")]
pub struct BadHandoffName;

impl HandoffName {
    pub const EXAMPLE: &str = "2026-02-09_143000.md";
}

impl FromStr for HandoffName {
    type Err = BadHandoffName;

    fn from_str(name: &str) -> Result<Self, BadHandoffName> {
        let stem = name.strip_suffix(".md").ok_or(BadHandoffName)?;
        let width = "2026-02-09_143000".len();
        let (time, suffix) = stem.split_at_checked(width).ok_or(BadHandoffName)?;
        let shaped = time.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            10 => byte == b'_',
            _ => byte.is_ascii_digit(),
        });
        let number = match suffix.strip_prefix('_') {
            None if suffix.is_empty() => 1,
            Some(digits) if digits.starts_with(|c: char| ('1'..='9').contains(&c)) => {
                digits.parse().map_err(|_| BadHandoffName)?
            }
            _ => return Err(BadHandoffName),
        };
        let local =
            civil::DateTime::strptime("%Y-%m-%d_%H%M%S", time).map_err(|_| BadHandoffName)?;
        if shaped && (suffix.is_empty() || number >= 2) {
            Ok(Self { local, number })
        } else {
            Err(BadHandoffName)
        }
    }
}

impl fmt::Display for HandoffName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.local.strftime("%Y-%m-%d_%H%M%S"))?;
        if self.number > 1 {
            write!(f, "_{}", self.number)?;
        }
        f.write_str(".md")
    }
}

impl Ord for HandoffName {
    /// The newest is the greatest: by time, then by number, never by the file's own date.
    fn cmp(&self, other: &Self) -> Ordering {
        self.local.cmp(&other.local).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for HandoffName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_prints_as_it_was_read_and_orders_by_time_then_number() {
        let names = [
            "2026-02-09_143000.md",
            "2026-02-09_143000_2.md",
            "2026-02-09_143000_10.md",
            "2026-02-10_000000.md",
        ];
        let parsed: Vec<HandoffName> = names.iter().map(|name| name.parse().unwrap()).collect();
        assert!(parsed.is_sorted());
        assert_eq!(parsed.iter().map(ToString::to_string).collect::<Vec<_>>(), names);
    }

    #[test]
    fn other_names_are_not_handoffs() {
        for name in [
            "",
            "notes.md",
            "2026-02-09_143000",
            "2026-02-09_143000_1.md",
            "2026-02-09_143000_02.md",
            "2026-02-30_143000.md",
            "2026-02-09_143000_.md",
            "2026-02-09_143000-2.md",
            "+026-02-09_143000.md",
        ] {
            assert!(name.parse::<HandoffName>().is_err(), "{name}");
        }
    }
}
