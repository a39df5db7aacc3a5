//! The next step of the contract flow. Each test is a sentence of the flow's page.

#![cfg(test)]

mod actors;
mod checklists;
mod discovery;
mod gates;
mod git;
mod lazy;
mod life;
mod people;
mod rounds;
mod scene;
