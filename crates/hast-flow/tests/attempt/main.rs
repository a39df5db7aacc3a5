//! Attempts: what they are worth, what becomes of them, and what a start finds of the last one.

#![cfg(test)]

mod judge;
mod judge_oracle;
mod recovery;
mod scene;
mod settle;
