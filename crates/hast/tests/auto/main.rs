//! `hast auto` by the real binary and the real git: agents that lie, agents that are honest in odd
//! ways, and processes that die.

#![cfg(test)]

mod commands;
mod deaths;
mod honest;
mod liars;
mod scene;
