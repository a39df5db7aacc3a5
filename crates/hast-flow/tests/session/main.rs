//! The session flow: its decisions, its lanes, and knowledge that stops to hold.

#![cfg(test)]

mod boot;
mod decisions;
mod documents;
mod gathering;
mod lanes;
mod questions;
mod replans;
mod scene;
mod verdicts;
