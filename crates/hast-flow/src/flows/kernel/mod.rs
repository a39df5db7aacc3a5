//! The kernel flow: one request, experts, and a master plan that grows sub-plans.
//!
//! Engine and task management are code: they follow the protocol's seventeen steps and exchange its
//! four messages. Only planning, the work itself, the report and its judgement are asked of agents.

pub mod around;
pub mod boot;
pub mod decide;
mod ending;
pub mod experts;
pub mod laws;
pub mod layout;
pub mod mirror;
mod mirroring;
pub mod plan;
mod planning;
pub mod policy;
pub mod prompts;
mod reporting;
pub mod troubles;
pub mod view;
mod work;
mod write;

pub use decide::{KernelFlow, NewRequest};
pub use view::View;
