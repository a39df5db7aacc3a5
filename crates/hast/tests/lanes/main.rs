//! Goals in work trees of their own, with the real binary and rehearsals as agents: alone, several at
//! once, in each other's way, and in the user's way.
#![cfg(test)]

mod alone;
mod checkout;
mod deaths;
mod killed;
mod left_by_tests;
mod leftovers;
mod liars;
mod red;
mod refs;
mod repository;
mod scene;
mod shared;
mod take;
mod together;
mod users;
mod wanted;
