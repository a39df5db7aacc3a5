//! A policy tells which role may change which document, and how. It judges a change before any byte
//! is written. The tables belong to the flows.

use super::change::{PutKind, steps_log};
use super::path::DocPath;

/// How a document may change over its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryClass {
    /// Never changed after it was created.
    Once,
    /// Only ever longer.
    Append,
    /// A fold of a log; it changes in place.
    Pointer,
    /// People edit it too; it changes in place, and only what has to.
    Person,
}

impl HistoryClass {
    /// Whether this history allows that kind of change. What is archived stays as it was, so every
    /// history allows it.
    pub fn allows(self, kind: PutKind) -> bool {
        match (self, kind) {
            (_, PutKind::Create | PutKind::Archive) => true,
            (Self::Once, _) => false,
            (Self::Append, _) => kind == PutKind::Append,
            (Self::Pointer | Self::Person, _) => true,
        }
    }
}

impl std::fmt::Display for HistoryClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Once => "never changed after creation",
            Self::Append => "append-only",
            Self::Pointer => "pointer",
            Self::Person => "edited by people",
        })
    }
}

/// A role that wanted what its row does not give it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{role} may not {kind} {path}: {rule}")]
pub struct Violation {
    pub role: Box<str>,
    pub kind: PutKind,
    pub path: DocPath,
    /// The row of the table that says so.
    pub rule: Box<str>,
}

/// The policy table of a flow.
pub trait Policy {
    /// Whether the role may make that change there, and the history of the document if so.
    fn judge(&self, role: &str, kind: PutKind, path: &DocPath) -> Result<HistoryClass, Violation>;
}

/// Lets every role do everything, with one history for all documents.
#[derive(Clone, Copy, Debug)]
pub struct AnyRole(pub HistoryClass);

impl Policy for AnyRole {
    fn judge(&self, _: &str, _: PutKind, path: &DocPath) -> Result<HistoryClass, Violation> {
        Ok(if *path == steps_log() { HistoryClass::Append } else { self.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_appended_or_archived_and_only_pointers_and_peoples_files_change_in_place() {
        use HistoryClass::{Append, Once, Person, Pointer};
        for (class, kind, allowed) in [
            (Once, PutKind::Create, true),
            (Once, PutKind::Archive, true),
            (Once, PutKind::Replace, false),
            (Once, PutKind::Append, false),
            (Once, PutKind::Patch, false),
            (Append, PutKind::Append, true),
            (Append, PutKind::Replace, false),
            (Append, PutKind::Patch, false),
            (Pointer, PutKind::Replace, true),
            (Pointer, PutKind::Patch, true),
            (Person, PutKind::Patch, true),
            (Person, PutKind::Replace, true),
        ] {
            assert_eq!(class.allows(kind), allowed, "{class} {kind}");
        }
    }
}
