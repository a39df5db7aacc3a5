//! Rooms with the real git: what honest and dishonest agents leave there, and that nothing of the
//! user's repository differs afterwards. Hermetic: a home of its own, no config but the test's.
#![cfg(test)]

mod agents;
mod making;
mod scene;
