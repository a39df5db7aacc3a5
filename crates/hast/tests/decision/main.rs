//! `hast decision` by the real binary: tickets, matrices, and spikes whose alternatives work in every
//! way that agents do.

#![cfg(test)]

mod accepting;
mod deaths;
mod scene;
mod spikes;
mod tickets;
