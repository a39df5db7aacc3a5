//! Everything of hast that can be simulated: formats, documents, rules and decisions.
//!
//! This crate opens no file, starts no process, reads no clock and no environment. What it needs
//! from the machine comes through the traits in [`ports`]. A module uses only modules listed
//! before it (`cargo xtask tidy` checks that); the blank lines keep rustfmt from sorting them.

pub mod words;

pub mod ranking;

pub mod time;

pub mod ids;

pub mod plain_name;

pub mod formats;

pub mod written;

pub mod logged;

pub mod docs;

pub mod tools;

pub mod explore;

pub mod store;

pub mod roles;

pub mod leases;

pub mod process;

pub mod agents;

pub mod trust;

pub mod gates;

pub mod suites;

pub mod attempt;

pub mod steps;

pub mod step_log;

pub mod attempt_steps;

pub mod replies;

pub mod knowledge;

pub mod inbox;

pub mod calling;

pub mod ports;

pub mod driver;

pub mod flows;
