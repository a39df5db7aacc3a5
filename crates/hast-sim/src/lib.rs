//! A simulated world: one seed drives clock, ids and disk, so that a failure can be replayed.

pub mod contract;
pub mod disk;
pub mod git;
pub mod rng;
pub mod session;
pub mod sweep;
