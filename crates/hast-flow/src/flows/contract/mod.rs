//! The contract flow: a feature built test-first, through contracts and four gates.
//!
//! Agents explore, plan, design, write tests and code, and review. Which step comes next, and whether
//! a gate is passed, is decided here from what git, the test command and the documents say.

mod attempts;
pub mod boundaries;
mod building;
mod checklist;
pub mod decide;
mod deciding;
mod designing;
mod discovery;
mod endings;
mod gates;
pub mod inbox;
pub mod knowledge;
pub mod laws;
pub mod layout;
pub mod memory;
mod merging;
pub mod policy;
pub mod prompts;
mod readings;
mod redness;
pub mod request;
mod restoring;
mod rooms;
pub mod scope;
mod settling;
mod targets;
mod testing;
mod trial;
mod verifying;
pub mod view;
pub mod words;
mod write;

use crate::attempt::base::TreeRules;
use crate::docs::contract::{Manifest, Project};
use crate::docs::goals::{Memory, Minutes};
use crate::flows::contract::knowledge::NewPiece;
use crate::ids::RequestId;
use crate::inbox::{Deed, ItemId};

pub use view::View;

/// A project and what is asked of it.
#[derive(Clone, Debug)]
pub struct ContractFlow {
    pub asked: Asked,
    pub settings: Settings,
}

#[derive(Clone, Debug)]
pub enum Asked {
    /// A new request under an id that nobody has yet.
    Start {
        id: RequestId,
        text: String,
    },
    Resume {
        id: RequestId,
    },
    Stop {
        id: RequestId,
    },
    /// A person adds to what is known.
    Learn(NewPiece),
    /// A person decides about a request that stopped.
    Decide {
        id: RequestId,
        item: ItemId,
        deed: Deed,
    },
}

impl Asked {
    pub fn request(&self) -> Option<&RequestId> {
        match self {
            Self::Start { id, .. }
            | Self::Resume { id }
            | Self::Stop { id }
            | Self::Decide { id, .. } => Some(id),
            Self::Learn(_) => None,
        }
    }
}

/// What is read once before any agent starts.
#[derive(Clone, Debug)]
pub struct Settings {
    pub project: Project,
    pub manifest: Manifest,
    pub test_command: String,
    pub timeout_minutes: Minutes,
    pub max_regenerations: u32,
    pub memory: Memory,
    /// The root of the project as a path from the top of the repository, ending in `/`; empty where
    /// they are the same.
    pub prefix: String,
    /// What no attempt is about and what no attempt may change.
    pub rules: TreeRules,
    /// Globs of files that git does not have and that a room at its own path gets, and the command that
    /// makes a room ready.
    pub copy: Vec<String>,
    pub setup: Option<String>,
    /// Files of a saved attempt, each and together.
    pub max_saved_file_bytes: u64,
    pub max_saved_bytes: u64,
}

/// Rounds of a subtask before a person is asked.
pub const MOST_ROUNDS: u32 = 3;
