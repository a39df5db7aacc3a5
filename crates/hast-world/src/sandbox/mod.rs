//! The sandbox keeps a program inside of the places that it was given. Landlock is for writing,
//! namespaces are for processes and closed paths. Each reports honestly how much of it this machine
//! could apply.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod held;
#[cfg(target_os = "linux")]
pub mod landlock;
#[cfg(target_os = "linux")]
pub(crate) mod mounts;
#[cfg(target_os = "linux")]
pub(crate) mod namespace;
#[cfg(target_os = "linux")]
mod overlay;
#[cfg(target_os = "linux")]
pub(crate) mod private_places;
#[cfg(target_os = "linux")]
mod room;
#[cfg(target_os = "linux")]
mod servers;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::landlock;
#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{mounts, namespace, private_places};
