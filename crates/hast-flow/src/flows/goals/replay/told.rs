//! A line of the log of events, as whoever looks back reads it: only what is asked for, and nothing
//! copied that need not be. Kinds that are not known here pass by.

use std::borrow::Cow;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::docs::goals::GoalStatus;
use crate::ids::LAST_NUMBER;
use crate::inbox::Action;
use crate::time::UtcTime;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Told<'a> {
    #[serde(borrow)]
    pub event_id: Cow<'a, str>,
    pub ts: UtcTime,
    #[serde(borrow, rename = "type")]
    pub kind: Cow<'a, str>,
    #[serde(borrow)]
    pub detail: Detail<'a>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Detail<'a> {
    #[serde(borrow)]
    pub goal_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub decision_id: Option<Cow<'a, str>>,
    pub attempt: Option<u32>,
    pub spike: Option<u32>,
    #[serde(borrow)]
    pub title: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub class: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub code: Option<Cow<'a, str>>,
    /// The line of the judge that fitted.
    pub rule: Option<u8>,
    #[serde(borrow)]
    pub reason: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub then: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "status")]
    pub status: Option<GoalStatus>,
    pub parents: Vec<String>,
    pub saved: Option<SavedRef>,
    pub kept: Option<SavedRef>,
    pub changed: Vec<String>,
    pub changed_tests: Vec<String>,
    pub diff: Option<DiffStat>,
    #[serde(borrow)]
    pub test_tail: Option<Cow<'a, str>>,
    pub look: Vec<String>,
    #[serde(borrow)]
    pub cause: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub what: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub next: Option<Cow<'a, str>>,
    pub until: Option<UtcTime>,
    #[serde(borrow)]
    pub inbox_id: Option<Cow<'a, str>>,
    pub action: Option<Action>,
    #[serde(borrow)]
    pub operator: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub text: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SavedRef {
    /// Saved work has a `name`, work that is handed over a `ref`.
    #[serde(alias = "ref")]
    pub name: String,
}

/// What changed, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DiffStat {
    pub files: u64,
    pub added: u64,
    pub removed: u64,
    pub paths: Vec<String>,
}

/// A status is a word, or a word with more about it: `{"blocked": {"reason": ..}}`.
fn status<'de, D: Deserializer<'de>>(from: D) -> Result<Option<GoalStatus>, D::Error> {
    let word = match Value::deserialize(from)? {
        Value::Null => return Ok(None),
        Value::Object(told) if told.len() == 1 => {
            told.into_iter().next().map_or(Value::Null, |(word, _)| Value::String(word))
        }
        word => word,
    };
    serde_json::from_value(word).map(Some).map_err(Error::custom)
}

impl Told<'_> {
    /// The number at the end of the id; none for what is no id.
    pub fn number(&self) -> Option<u64> {
        let number = self.event_id.rsplit('-').next()?.parse().ok();
        number.filter(|number| *number <= LAST_NUMBER)
    }

    /// What it is about: a decision or a goal.
    pub fn unit(&self) -> Option<&str> {
        self.detail.decision_id.as_deref().or_else(|| self.goal())
    }

    pub fn goal(&self) -> Option<&str> {
        self.detail.goal_id.as_deref().filter(|goal| !goal.is_empty())
    }
}
