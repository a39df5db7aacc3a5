//! `hast auto` by the real binary and the real git: agents that lie, agents that are honest in odd
//! ways, and processes that die.

#![cfg(test)]

mod aside;
mod beginnings;
mod beside;
mod between;
mod board;
mod claims;
mod commands;
mod cut_off;
mod dead_ends;
mod deaths;
mod demo;
mod elsewhere;
mod ended;
mod evidence;
mod green;
mod guarded;
mod hidden;
mod hollow;
mod honest;
mod kept;
mod left_by_tests;
mod liars;
mod lines;
mod of_git;
mod old_refs;
mod scene;
mod statuses;
mod taken;
mod terminal;
mod vandals;
