//! `hast events`, `hast inbox` and `hast observe` by the real binary.

#![cfg(test)]

mod events;
mod inbox;
mod observe;
mod scene;
