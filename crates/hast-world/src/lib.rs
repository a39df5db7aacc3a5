//! Everything of hast that touches the machine. Implements the ports of `hast-flow`, decides
//! nothing, and knows no flow.

pub mod agents;
pub mod auto_lock;
mod beneath;
pub mod calls;
pub mod checks;
pub mod clock;
pub mod derived_files;
pub mod descriptors;
pub mod disk;
pub mod driver_lock;
pub mod explore;
pub mod files;
pub mod git;
pub mod git_thread;
pub mod log_lines;
mod processes;
pub mod programs;
mod reports;
pub mod root_path;
pub mod roots;
pub mod sandbox;
pub mod scan;
pub mod searching;
pub mod settings;
pub mod supervisor;
pub mod trust;
pub mod unchanged;
pub mod worktree_threads;
