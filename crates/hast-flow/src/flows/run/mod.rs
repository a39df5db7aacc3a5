//! The run flow: deliverables made in four phases from assets and guidelines, learning from the
//! runs before.
//!
//! The orchestrator is code: it reads tables, finds the first PENDING, notes where it is, delegates
//! and records. Only plans and the work itself are asked of agents.

mod amendment;
mod answering;
pub mod chart_data;
pub mod decide;
mod ending;
pub mod laws;
pub mod layout;
pub mod learning;
mod phase_zero;
pub mod plan_rules;
mod planning;
pub mod policy;
pub mod prompts;
pub mod register;
mod special;
mod starting;
pub mod told;
pub mod view;
pub mod words;
mod work;
mod write;

pub use decide::{Asked, Confirm, NewRun, PersonsAnswer, RunFlow, Said};
pub use view::View;
