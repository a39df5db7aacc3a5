//! The parts of `auto`: which goal, which prompt, which words, which edits; and its decisions.

#![cfg(test)]

mod claims;
mod decisions;
mod earlier;
mod edits;
mod endings;
mod git;
mod left;
mod prompts;
mod runnable;
mod scene;
mod uncommitted;
