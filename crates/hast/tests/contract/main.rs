//! The real binary with real git and rehearsals as agents: no gate of the contract flow can be talked
//! past.

#![cfg(test)]

mod committing;
mod deaths;
#[path = "../gaps/mod.rs"]
mod gaps;
mod inbox;
mod liars;
mod lost;
mod memory;
mod people;
mod reports;
mod scene;
#[path = "../torn/mod.rs"]
mod torn;
mod typed;
