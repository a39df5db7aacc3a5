//! `hast queue` by the real binary: one worker, many workers, and workers that die.

#![cfg(test)]

mod calls;
mod races;
