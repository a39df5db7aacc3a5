//! The next step of a kernel. Each test gives files and names the step that follows.

#![cfg(test)]

mod booting;
mod mirror;
mod plans;
mod protocol;
mod scene;
