//! A gate that was not passed: which, why, and where that sends a subtask.

use serde::{Deserialize, Serialize};

use crate::replies::NoAnswer;

/// Where a failed gate sends a subtask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Back {
    TestFirst,
    Implementation,
    Design,
}

impl Back {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TestFirst => "test_first",
            Self::Implementation => "implementation",
            Self::Design => "design",
        }
    }
}

/// Who or what stopped a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A contract broke its schema as often as it may.
    Schema,
    /// An agent crashed, or took too long.
    Agent,
    /// An agent wants a person.
    Blocked,
    /// The rounds are used up.
    Rounds,
    Person,
    /// A document that everything rests on is gone.
    Documents,
    /// Something of the user's in the repository is in the way.
    Others,
}

impl Cause {
    pub fn of(why: &NoAnswer) -> Self {
        match why {
            NoAnswer::Broken(_) => Self::Schema,
            NoAnswer::Failed(_) => Self::Agent,
            NoAnswer::Blocked(_) => Self::Blocked,
        }
    }
}

/// A round that did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub round: u32,
    pub gate: Gate,
    pub reasons: Vec<String>,
    pub to: Back,
    /// The end of what the tests printed, where they were run.
    pub tail: String,
    /// No further round: a person is needed at once.
    pub stops: Option<Cause>,
    /// The ref that has the work.
    pub saved: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Gate {
    #[serde(rename = "GATE-1")]
    Tests,
    #[serde(rename = "GATE-2")]
    Verification,
    #[serde(rename = "GATE-3")]
    Scope,
    #[serde(rename = "GATE-4")]
    Design,
}

impl Gate {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tests => "GATE-1",
            Self::Verification => "GATE-2",
            Self::Scope => "GATE-3",
            Self::Design => "GATE-4",
        }
    }
}
