//! A scratch project for the real binary, and rounds that kill it: for the tests of `hast` and for
//! `cargo xtask soak`. What goes wrong here ends a test, so it panics.

#![expect(clippy::unwrap_used, clippy::panic, reason = "only tests and soak use this crate")]

pub mod dice;
pub mod fleet;
pub mod needs;
pub mod pages;
pub mod plays;
pub mod rounds;
mod stage;

pub use stage::{Ran, Stage};
