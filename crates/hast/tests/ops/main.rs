//! `hast events`, `hast inbox` and `hast observe` by the real binary.

#![cfg(test)]

mod events;
mod inbox;
mod links;
mod observe;
mod repairs;
mod scene;
#[path = "../torn/mod.rs"]
mod torn;
