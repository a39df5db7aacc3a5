//! A work tree and its repository in memory, with the same port as the real one. What nobody synced
//! a power cut may take; death may come before and after every operation that lasts.

pub mod attempt_contract;
pub mod contract;
pub(crate) mod lives;
mod machine;
mod own_refs;
mod own_refs_contract;
mod port;
mod restore;
mod room;
#[cfg(test)]
pub(crate) mod simulated_scene;
mod steps;
pub(crate) mod sweeps;
pub mod trees_contract;
mod worktrees;

pub use machine::{Files, Machine, Object, Room, RoomState, Syncing};
pub use port::SimWorkspace;
pub use room::{RoomFault, SimRoom};
pub use worktrees::SimWorktrees;
