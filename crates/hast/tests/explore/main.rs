//! `hast explore` by the real binary: maps of small projects in every language and of hast itself, and
//! agents that answer, or change what they may only read.

#![cfg(test)]

mod agents;
mod maps;
mod quality;
