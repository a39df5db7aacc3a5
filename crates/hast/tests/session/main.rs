//! `hast session` by the real binary: research, questions, other plans, breaches, processes that die.

#![cfg(test)]

mod breaches;
mod deaths;
#[path = "../gaps/mod.rs"]
mod gaps;
mod inbox;
mod research;
mod scene;
#[path = "../torn/mod.rs"]
mod torn;
mod typed;
mod walls;
