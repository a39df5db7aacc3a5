//! Goals in work trees of their own, with the real binary and rehearsals as agents: alone, several at
//! once, in each other's way, and in the user's way.
#![cfg(test)]

mod alone;
mod deaths;
mod leftovers;
mod scene;
mod together;
