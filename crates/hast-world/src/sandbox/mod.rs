//! What keeps a program inside of what it was given: Landlock for writing, namespaces for
//! processes and for closed paths. Each says honestly what it could do on this machine.

pub mod landlock;
pub(crate) mod mounts;
pub(crate) mod namespace;
