//! `hast run` and `hast search` by the real binary: from a request to its results, with people who
//! answer, agents that fail and processes that die.

#![cfg(test)]

mod answers;
mod breaches;
mod deaths;
mod edits;
#[path = "../gaps/mod.rs"]
mod gaps;
mod inbox;
mod runs;
mod scene;
mod search;
mod terminal;
mod tools;
#[path = "../torn/mod.rs"]
mod torn;
mod walls;
