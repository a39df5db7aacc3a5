//! One attempt of an agent to change a work tree: where it began, what it did, what that is worth,
//! and what becomes of it. Shared by the flows that change code; knows no flow.

pub mod base;
pub mod dependencies;
pub mod evidence;
pub mod git_problem;
pub mod globs;
pub mod green;
mod handoff_reason;
pub mod hooked;
pub mod inspection;
pub mod judge;
pub mod ledger;
pub mod reason;
pub mod recovery;
pub mod rooms;
pub mod settle;
pub mod test_files;
pub mod told;
pub mod workspace;
pub mod worktrees;
