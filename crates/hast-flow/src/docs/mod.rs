//! One Rust type for every document of the five flows, with its strictness and JSON Schema.
//!
//! A document says what it looks like; it never says when it is written. New ones are added to
//! [`registry`], which `hast verify` and the schema generator walk.

pub mod builtin;
pub mod call;
pub mod call_record;
pub mod contract;
pub mod document;
pub mod examples;
pub mod files;
pub mod goals;
pub mod kernel;
pub mod registry;
pub mod rehearsal;
pub mod run;
pub mod session;
pub mod table_document;
