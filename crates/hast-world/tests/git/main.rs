//! The work tree with real git: honest attempts, lying ones, and a repository that wants to run
//! programs. Hermetic: a home of its own, no config but the test's.
#![cfg(test)]

mod again;
mod aside;
mod branches;
mod checkouts;
mod contract;
mod elsewhere;
mod fetched;
mod fixture;
mod forged;
mod guarded;
mod hidden;
mod honest;
mod hostile;
mod ignored;
mod killed;
mod linked;
mod lying;
mod modules;
mod odd;
mod operations;
mod own_refs;
mod plain;
mod prunes;
mod settling;
mod shapes;
mod signed;
mod submodules;
mod train;
mod unhidden;
mod unreadable;
mod worktrees;
