//! A miniature flow that changes code: one goal, a few attempts, a gate, settled through the two
//! proofs. Driven by the real driver over a simulated disk and a simulated work tree, and hit at
//! every operation of both.

mod agent;
mod flow;
mod run;

pub use run::{replay, sweep};
