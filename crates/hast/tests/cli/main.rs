//! The real binary: files in, arguments, streams, exit code, files out. Hermetic.

#![cfg(test)]

mod examples;
mod goals;
mod help;
mod hostile_texts;
mod prompts;
mod tools;
mod usage;
mod verify;
mod words;
mod world;
