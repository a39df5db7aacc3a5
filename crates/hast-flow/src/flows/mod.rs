//! The flows. Each is layout, policy, view, decision and prompts, and knows none of the others.

pub mod contract;
pub mod goals;
pub mod kernel;
pub mod run;
pub mod session;
