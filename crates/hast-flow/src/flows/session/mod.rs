//! The session flow: plan, gather, criticise, and keep only what passed.
//!
//! Here is its straight way: a plan, its tasks executed and reviewed in lanes, knowledge promoted,
//! an answer. A review that fails is tried again at most three times; replanning is not here.

mod closing;
pub mod decide;
pub mod events;
mod execution;
pub mod index;
pub mod lanes;
pub mod layout;
pub mod plan_rules;
mod planning;
pub mod policy;
mod promotion;
pub mod prompts;
mod review;
pub mod status;
pub mod view;
mod write;

pub use decide::{NewSession, SessionFlow};
pub use view::View;
