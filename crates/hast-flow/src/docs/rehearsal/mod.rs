//! `rehearsal:FILE.yaml`: scripted replies of an agent. For each call the first reply that fits is
//! played, action by action. Written by people, or by `hast agent record` from a real call.

mod action;
mod placeholder;
mod rules;
mod short;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use action::{
    Act, Action, ApiFailure, AppendFile, ChangeMode, Dialect, Escape, Expect, FileText, Hang,
    LimitReport, LoginReport, MakeLink, Mode, MoveFile, Nothing, OutputName, Print, ReplaceText,
    Run, SignalName, Speech, SpeechEnd, SpeechUsage, WaitFor, WriteFile, WriteHandoff,
};
pub use placeholder::{KNOWN, Unresolved, expand, unknown};
pub use short::{NumberRange, Numbers, Short, Shortened, Texts};

use crate::docs::document::Version;
use crate::docs::files::FlowName;
use crate::document;
use crate::time::OffsetTime;

/// What an agent is to do instead of thinking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rehearsal {
    pub version: Version<1>,
    /// What this rehearsal is for; for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The first reply that fits a call is played.
    #[schemars(length(min = 1))]
    pub replies: Vec<Reply>,
}

document!(Rehearsal, "rehearsal", Yaml, Reject, rules rules::rehearsal_rules);

/// One scripted reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// A name for messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Which calls it answers; without it, all of them.
    #[serde(default, skip_serializing_if = "When::is_any")]
    pub when: When,
    /// Played in order. Without an ending of its own it exits with 0.
    #[serde(rename = "do", with = "short::actions")]
    #[schemars(with = "Vec<short::ActionOrWord>")]
    pub actions: Vec<Action>,
}

/// What a call must be for a reply to answer it. Everything that is named must fit; texts may have
/// `*` for any text and `?` for one character.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct When {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// A number, or `{from: 2, to: 4}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Numbers>,
    /// 0 is the first ask of an attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regeneration: Option<Numbers>,
    /// Files that must be there, relative to the root of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<Texts>,
    /// Files that must not be there, relative to the root of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Texts>,
    /// Only from this time on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<OffsetTime>,
    /// Only before this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<OffsetTime>,
}

impl When {
    /// Whether it answers every call.
    pub fn is_any(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests;
