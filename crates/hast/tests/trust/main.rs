//! A repository that somebody else made, before its user trusts it, by the real binary: nothing is run,
//! and nothing changes outside of the clone; with a command that only looks, nothing changes at all.

#![cfg(test)]

mod commands;
mod first;
mod journals;
mod places;
mod shapes;
mod table;
#[path = "../torn/mod.rs"]
mod torn;
