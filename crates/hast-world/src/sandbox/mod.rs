//! What keeps a program inside of what it was given: Landlock for writing, namespaces for
//! processes and for closed paths. Each says honestly what it could do on this machine.

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
