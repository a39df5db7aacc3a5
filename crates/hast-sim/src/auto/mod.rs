//! The real `auto` under test: goals, agents that lie, a person who gives goals back, over a simulated
//! disk and a simulated work tree, hit at the operations of both.

mod agent;
mod laws;
mod life;
mod run;

pub use run::{replay, sweep};
