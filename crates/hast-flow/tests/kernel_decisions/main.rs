//! What a kernel does next: these files, this step.

#![cfg(test)]

mod booting;
mod mirror;
mod plans;
mod protocol;
mod scene;
