//! The next step of a run. Each test is a sentence of the protocol.

#![cfg(test)]

mod actors;
mod confirmation;
mod failures;
mod forged;
mod learning;
mod loop_steps;
mod phase_zero;
mod rules;
mod scene;
mod tables;
mod tools;
