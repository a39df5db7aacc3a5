//! `hast kernel` by the real binary: requests, experts that fail or lie, processes that die.

#![cfg(test)]

mod breaches;
mod deaths;
mod edits;
#[path = "../gaps/mod.rs"]
mod gaps;
mod requests;
mod scene;
mod typed;
mod writes;
