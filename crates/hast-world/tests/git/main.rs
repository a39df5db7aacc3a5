//! The user's checkout and rooms with real git: what is judged, merged, committed and kept, and a repository
//! that wants to run programs. Hermetic: a home of its own, no config but the test's.
#![cfg(test)]

mod aside;
mod contract;
mod fixture;
mod hostile;
mod judged;
mod killed;
mod links;
mod own_refs;
mod settling;
mod signed;
mod train;
mod vouching;
mod worktrees;
