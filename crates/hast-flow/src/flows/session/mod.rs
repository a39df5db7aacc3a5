//! The session flow: plan, gather, criticise, and keep only what passed.
//!
//! A plan, its tasks executed and reviewed in lanes, knowledge promoted, an answer. What fails is
//! tried again, then planned again; what nobody can decide is asked of a person.

pub mod boot;
mod closing;
pub mod decide;
pub mod events;
mod execution;
pub mod footnotes;
mod gathering;
mod happening;
pub mod index;
pub mod lanes;
pub mod laws;
pub mod layout;
mod people;
pub mod plan_rules;
mod planning;
pub mod policy;
mod promotion;
pub mod prompts;
mod replanning;
mod review;
pub mod status;
mod step_keys;
pub mod told;
pub mod view;
mod write;

pub use decide::{NewSession, SessionFlow, Wish};
pub use view::View;
