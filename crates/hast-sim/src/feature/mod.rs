//! The contract flow under test: a feature built test-first in a simulated repository, hit at every
//! operation of disk and work tree.

mod agents;
mod run;

pub use run::{replay, sweep};
