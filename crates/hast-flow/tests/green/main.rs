//! Green means that tests ran, by what real runners print and write: ways to be green without passing fail,
//! each with its reason, and honest changes of tests pass. `tests/real-tests/capture.py` makes the fixtures.

#![cfg(test)]

mod dishonest;
mod honest;
mod numbers;
mod scene;
