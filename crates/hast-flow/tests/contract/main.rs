//! What the contract flow does next, a sentence of its page each.

#![cfg(test)]

mod actors;
mod checklists;
mod discovery;
mod gates;
mod git;
mod lazy;
mod life;
mod people;
mod rounds;
mod scene;
