//! Documents of the goals flow: people's settings and goals, agents' handoffs, the lock.

pub mod agent_line;
pub mod agent_rights;
mod builtin_settings;
mod config;
mod context;
mod decision;
mod event;
mod goal_tree;
mod handoff;
mod lock;
mod minutes;
mod protocol;
mod queue;
mod views;

pub use builtin_settings::*;
pub use config::*;
pub use context::*;
pub use decision::*;
pub use event::*;
pub use goal_tree::*;
pub use handoff::*;
pub use lock::*;
pub use minutes::*;
pub use protocol::*;
pub use queue::*;
pub use views::*;
