//! The parts of `auto`: which goal, which prompt, which words, which edits; and its decisions.

#![cfg(test)]

mod decisions;
mod edits;
mod left;
mod prompts;
mod runnable;
mod scene;
