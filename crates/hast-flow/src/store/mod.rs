//! Plain files with the guarantees of a database: change sets, journal, commit, recovery.
//!
//! All of it runs over the port [`disk::Disk`], so that a simulated disk can crash it anywhere.
//! This room knows paths and bytes; what a document means it must not know.

pub mod chain;
pub mod change;
pub mod checkpoint;
pub mod codec;
pub mod commit;
mod content;
pub mod disk;
mod ends;
pub mod events;
pub mod header;
pub mod identity;
pub mod journal;
pub mod path;
pub mod policy;
mod prepare;
pub mod problem;
pub mod publish;
mod recover;
mod regions;
pub mod root;
pub mod seal;
pub mod steps;

pub use change::{ChangeSet, Malformed, Put, PutKind, Read};
pub use commit::Committed;
pub use disk::Disk;
pub use events::{Event, EventLog};
pub use identity::{Identity, Seen};
pub use path::{BadPath, DocPath};
pub use policy::{HistoryClass, Policy, Violation};
pub use problem::StoreError;
pub use root::{Conflict, Opened, Options, Store};
