//! `knowledge.yaml`: what a project taught its contracts.

use std::borrow::Cow;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::Project;
use crate::docs::document::Version;
use crate::document;
use crate::time::{Day, UtcTime};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectKnowledge {
    pub version: Version<1>,
    pub project: Project,
    pub patterns: IndexMap<String, Pattern>,
    pub decisions: Vec<Decision>,
    pub pitfalls: Vec<Pitfall>,
    pub updated_at: UtcTime,
}

document!(ProjectKnowledge, "knowledge", Yaml, Reject);

/// A habit of the project in words, or several under one heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    Text(String),
    Group(IndexMap<String, String>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    #[schemars(example = &"D1")]
    pub id: String,
    pub topic: String,
    pub decision: String,
    pub rationale: String,
    pub refs: Vec<String>,
    pub created_at: Day,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pitfall {
    #[schemars(example = &"P1")]
    pub id: String,
    pub description: String,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned_from: Option<String>,
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Group(group) => group.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(Self::Text(text)),
            group => serde_json::from_value(group).map(Self::Group).map_err(de::Error::custom),
        }
    }
}

impl JsonSchema for Pattern {
    fn schema_name() -> Cow<'static, str> {
        "Pattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string" },
                { "type": "object", "additionalProperties": { "type": "string" } },
            ],
        })
    }
}
