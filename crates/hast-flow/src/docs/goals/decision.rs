//! `decisions/<id>.yaml`: a question with its alternatives, and how each scores. People write it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docs::document::Rules;
use crate::document;
use crate::formats::diagnostic::Finding;
use crate::formats::tree::Node;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionTicket {
    #[schemars(length(min = 1), example = &"D_M4")]
    pub id: String,
    #[schemars(length(min = 1))]
    pub question: String,
    /// The goal that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_id: Option<String>,
    /// What every alternative is told besides its own approach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Globs, gitignore style, that an alternative may change; empty is unlimited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_changes: Vec<String>,
    /// Instead of the five that hast has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    pub alternatives: Vec<Alternative>,
}

document!(DecisionTicket, "decision", Yaml, Warn, rules ticket_rules);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    #[schemars(length(min = 1))]
    pub name: String,
    #[schemars(range(min = 0, max = 1000))]
    pub weight: u32,
    /// An alternative below this is not eligible.
    #[schemars(range(min = 0, max = 5))]
    pub minimum: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alternative {
    #[schemars(length(min = 1), example = &"A")]
    pub id: String,
    pub title: String,
    /// How it is to be done, for whoever tries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// Tried by this command instead of an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// A name of `ai_tools`, or a preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// 0 to 5 for each criterion.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, u32>,
}

/// The seed's matrix: name, weight, minimum.
const MATRIX: [(&str, u32, u32); 5] = [
    ("contract_fit", 30, 3),
    ("regression_risk", 20, 3),
    ("operability", 20, 3),
    ("delivery_speed", 15, 2),
    ("security_posture", 15, 3),
];

/// The best score.
pub const MOST_SCORE: u32 = 5;

impl DecisionTicket {
    pub fn matrix(&self) -> Vec<Criterion> {
        if !self.criteria.is_empty() {
            return self.criteria.clone();
        }
        let of = |(name, weight, minimum): (&str, u32, u32)| Criterion {
            name: name.to_owned(),
            weight,
            minimum,
        };
        MATRIX.into_iter().map(of).collect()
    }
}

/// With fewer there is nothing to decide.
const FEWEST: usize = 2;

/// At least two alternatives, each id once, and scores for criteria that there are.
fn ticket_rules(ticket: &DecisionTicket, rules: &mut Rules<'_>) {
    let Some(list) = rules.tree.get("alternatives") else { return };
    let found = ticket.alternatives.len();
    if found < FEWEST {
        rules.report(list, Finding::TooFew { found, least: FEWEST });
    }
    let names: Vec<String> = ticket.matrix().into_iter().map(|criterion| criterion.name).collect();
    let mut seen: BTreeMap<&str, &Node> = BTreeMap::new();
    for (alternative, node) in ticket.alternatives.iter().zip(list.list()) {
        let id = node.get("id").unwrap_or(node);
        if let Some(first) = seen.get(alternative.id.as_str()) {
            let first_line = rules.line(first);
            rules.report(id, Finding::DuplicateId { id: alternative.id.clone(), first_line });
        }
        seen.insert(&alternative.id, id);
        let Some(scores) = node.get("scores") else { continue };
        for (name, score) in &alternative.scores {
            let place = scores.get(name).unwrap_or(scores);
            if !names.contains(name) {
                let (value, allowed) = (name.clone(), names.clone());
                rules.report(place, Finding::NotOneOf { value, allowed });
            } else if *score > MOST_SCORE {
                let (value, least, most) = (score.to_string(), 0, i64::from(MOST_SCORE));
                rules.report(place, Finding::OutOfRange { value, least, most });
            }
        }
    }
    let mut criteria = BTreeSet::new();
    let nodes = rules.tree.get("criteria").map_or(&[][..], |list| list.list());
    for (criterion, node) in ticket.criteria.iter().zip(nodes) {
        if !criteria.insert(&criterion.name) {
            let first_line = rules.line(node);
            rules.report(node, Finding::DuplicateId { id: criterion.name.clone(), first_line });
        }
    }
}
