//! The first five minutes, the night and the morning after, by the real binary.

#![cfg(test)]

mod adding;
mod again;
mod beginning;
mod bounds;
mod everything;
mod morning;
mod red_base;
mod scene;
mod way_back;
