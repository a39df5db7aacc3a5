//! A simulated world: one seed drives clock, ids, disk, git, agents and people, so that a failure can
//! be replayed.

pub mod auto;
pub mod contract;
pub mod disk;
pub mod feature;
pub mod flows;
pub mod git;
pub mod kernel;
pub mod lanes;
pub mod leases;
pub mod planted;
pub mod rng;
pub mod round;
pub mod runs;
pub mod session;
pub mod sweep;
