//! The built-in agent: models, tools and the rehearsal player run as child processes of hast.
//! It proposes documents through an outbox and never writes state. Charts and report pages live here.

pub mod builtin;
pub mod memory;
pub mod page;
pub mod rehearsal;
pub mod tools;
