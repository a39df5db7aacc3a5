//! `hast session` by the real binary: research, questions, other plans, breaches, processes that die.

#![cfg(test)]

mod breaches;
mod deaths;
mod inbox;
mod research;
mod scene;
#[path = "../torn/mod.rs"]
mod torn;
mod typed;
mod walls;
