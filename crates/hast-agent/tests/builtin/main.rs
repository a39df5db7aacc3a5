//! The built-in agent without hast around it: tools on real directories, clients against a server on
//! loopback that misbehaves, and whole conversations.

#![cfg(test)]

mod conversations;
mod escapes;
mod scene;
mod server;
mod tools;
mod traps;
