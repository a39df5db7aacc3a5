//! `hast protocol` by the real binary: tasks that go out, results that come back from workers who may
//! lie, be late, or send the same thing twice.

#![cfg(test)]

mod deaths;
mod hostile;
mod order;
mod packets;
mod scene;
