//! A disk from one seed. It keeps what a real one keeps: what was synced. Of the rest a power cut
//! leaves any subset, in any order that a file system can leave it in.

mod files;
mod names;
mod port;
mod world;

pub use port::SimDisk;
pub use world::{Edit, EditStyle, Event, Fault, FaultKind, Hit, Recovery, World};
