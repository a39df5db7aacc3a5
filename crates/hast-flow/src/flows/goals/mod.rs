//! The goals flow: unattended coding over a tree of goals, session after session.

pub mod auto;
pub mod closed;
pub mod context;
pub mod conventions;
pub mod decision;
pub mod detect;
pub mod explore;
pub mod goal_edit;
pub mod handoffs;
pub mod init;
pub mod instructions;
pub mod layout;
pub mod observe;
pub mod print;
pub mod queue;
pub mod replay;
pub mod report;
pub mod runnable;
pub mod selection;
pub mod status_edit;
pub mod story;
pub mod waiting;
