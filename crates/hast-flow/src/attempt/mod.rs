//! One attempt of an agent to change a work tree: where it began, what it did, what that is worth,
//! and what becomes of it. Shared by the flows that change code; knows no flow.

pub mod base;
pub mod evidence;
pub mod git_problem;
pub mod inspection;
pub mod workspace;
