//! `auto` one goal after the other: the real flow with agents that lie and a person who gives goals back,
//! over a simulated disk, repository and rooms, hit at the operations of all.

mod agent;
mod laws;
mod life;
mod run;

pub use run::{replay, sweep};
