//! A work tree and its repository in memory, with the same port as the real one. What nobody synced
//! a power cut may take; death may come before and after every operation that lasts.

pub mod contract;
mod discard;
mod guard;
mod left_contract;
pub(crate) mod lives;
mod machine;
mod moved_contract;
mod own_refs;
mod own_refs_contract;
mod port;
mod room;
#[cfg(test)]
pub(crate) mod simulated_scene;
mod steps;
pub(crate) mod sweeps;
pub mod trees_contract;
mod worktrees;

pub use machine::{Files, Machine, Object, Room, RoomState, Syncing};
pub use port::SimWorkspace;
pub use room::{Reset, SimRoom};
pub use worktrees::SimWorktrees;
