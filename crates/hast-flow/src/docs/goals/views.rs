//! `.ai/state/goal_views.json`: what the log of events says about each goal. A fold of that log;
//! whoever deletes it loses nothing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::{Nullable, Version};
use crate::docs::goals::GoalStatus;
use crate::document;
use crate::time::UtcTime;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GoalViews {
    pub version: Version<1>,
    pub log: LogRead,
    pub goals: BTreeMap<String, GoalView>,
}

document!(GoalViews, "goal-views", Json, Keep);

/// How much of the log is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogRead {
    pub events: u64,
    /// Lines whose id was there before.
    pub duplicates: u64,
    /// Lines that are no events.
    pub unreadable: u64,
    /// Bytes of `events.ndjson` that were read.
    pub bytes: u64,
    #[schemars(with = "Nullable<String>")]
    pub last_event_id: Option<String>,
    /// The numbers of all ids, as first and last of each stretch.
    #[schemars(with = "Vec<Vec<u64>>")]
    pub numbers: Vec<(u64, u64)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GoalView {
    #[schemars(with = "Nullable<String>")]
    pub title: Option<String>,
    /// None where nothing happened that sets it.
    #[schemars(with = "Nullable<GoalStatus>")]
    pub status: Option<GoalStatus>,
    /// Attempts that were judged, and how many of them passed.
    pub attempts: u32,
    pub passed: u32,
    #[schemars(with = "Nullable<String>")]
    pub last_class: Option<String>,
    #[schemars(with = "Nullable<String>")]
    pub last_reason: Option<String>,
    #[schemars(with = "Nullable<String>")]
    pub blocked_reason: Option<String>,
    /// The ref that has the work of the last attempt that was saved.
    #[schemars(with = "Nullable<String>")]
    pub saved: Option<String>,
    #[schemars(with = "Nullable<UtcTime>")]
    pub updated_at: Option<UtcTime>,
}
