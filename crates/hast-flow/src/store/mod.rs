//! Plain files with the guarantees of a database: change sets, journal, commit, recovery.
//!
//! All of it runs over the port [`disk::Disk`], so that a simulated disk can crash it anywhere.
//! This room knows paths and bytes; what a document means it must not know.

pub mod change;
pub mod codec;
pub mod disk;
pub mod header;
pub mod identity;
pub mod path;
