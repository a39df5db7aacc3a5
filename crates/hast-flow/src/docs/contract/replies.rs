//! Agents of the contract flow reply with these documents besides the contracts themselves:
//! `merge.json`, `decisions.yaml`, `patterns.yaml` and `review.json`.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Pattern;
use crate::docs::document::{Nullable, Rules};
use crate::document;
use crate::formats::diagnostic::Finding;

/// `merge.json`: each assumption of a breakdown, compared with what was explored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Merge(pub Vec<MergedAssumption>);

document!(Merge, "contract-merge", Json, Reject);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergedAssumption {
    pub assumption: String,
    pub verdict: AssumptionVerdict,
    pub evidence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssumptionVerdict {
    Confirmed,
    Refuted,
    Unknown,
}

/// `decisions.yaml`: what the architect decided; knowledge once the task is completed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decisions {
    pub decisions: Vec<DecisionDraft>,
}

document!(Decisions, "contract-decisions", Yaml, Reject);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionDraft {
    pub topic: String,
    pub decision: String,
    pub rationale: String,
    #[serde(default)]
    pub refs: Vec<String>,
}

/// `patterns.yaml`: habits of the project that were found while exploring it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Patterns {
    pub patterns: IndexMap<String, Pattern>,
}

document!(Patterns, "contract-patterns", Yaml, Reject);

/// `review.json`: whether the work keeps its design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub verdict: ReviewVerdict,
    /// One for each invariant and each interface of the design.
    pub findings: Vec<ReviewFinding>,
    #[schemars(with = "Nullable<BackTo>")]
    pub back_to: Option<BackTo>,
}

document!(Review, "contract-review", Json, Reject, rules review_rules);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ReviewVerdict {
    Pass,
    Fail,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewFinding {
    /// The id of an invariant or the name of an interface.
    #[schemars(example = &"INV-1")]
    pub subject: String,
    pub verdict: ReviewVerdict,
    /// Where in the code this can be seen.
    pub evidence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackTo {
    Design,
    Implementation,
}

/// A review that fails says where to go back to.
fn review_rules(review: &Review, rules: &mut Rules<'_>) {
    if review.verdict == ReviewVerdict::Fail && review.back_to.is_none() {
        let allowed = vec!["design".to_owned(), "implementation".to_owned()];
        let node = rules.tree.get("back_to").unwrap_or(rules.tree);
        rules.report(node, Finding::NotOneOf { value: "null".to_owned(), allowed });
    }
}
