//! A session driven through crashes: the real driver, flow and store, with simulated agents.

mod actors;
mod checks;
mod run;

pub use run::{Case, Report, sweep};
