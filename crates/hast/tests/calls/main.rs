//! Calls of agents by the real binary: small shell programs play friendly and hostile agents.

#![cfg(test)]

mod agents;
mod beats;
mod builtin;
mod deaths;
mod limits;
mod outbox;
mod scene;
mod secrets;
mod trust;
mod world;
