//! Everything of hast that can be simulated: formats, documents, rules and decisions.
//!
//! This crate opens no file, starts no process, reads no clock and no environment. What it needs
//! from the machine comes through the traits in [`ports`]. A module uses only modules listed
//! before it (`cargo xtask tidy` checks that).

pub mod docs;
pub mod formats;
pub mod ids;
pub mod ports;
pub mod store;
pub mod time;
pub mod words;
