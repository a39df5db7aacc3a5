//! The session flow: its decisions, its lanes, and knowledge that stops to hold.

#![cfg(test)]

mod decisions;
mod lanes;
mod scene;
