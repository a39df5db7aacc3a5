//! The session flow: plan, gather, criticise, and keep only what passed.
//!
//! Here is its straight way: a plan, each task executed and reviewed, knowledge promoted, an
//! answer. A review that fails is tried again at most three times; replanning is not here.

mod closing;
pub mod decide;
mod execution;
pub mod layout;
pub mod plan_rules;
mod planning;
pub mod policy;
pub mod promotion;
pub mod prompts;
pub mod view;
mod write;

pub use decide::{NewSession, SessionFlow};
pub use view::View;
