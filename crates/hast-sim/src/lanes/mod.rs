//! `auto` in lanes: the real flow and driver over a simulated disk, repository and work trees, with
//! agents of several kinds and a user who commits meanwhile; hit at every operation of all of them.

pub(crate) mod hands;
mod run;

pub use run::{replay, sweep};
