//! Documents that nobody but the driver writes while it drives. Where no sandbox keeps agents from them,
//! a change is seen here: what the view knows stands, and the flow is told.

use std::collections::BTreeMap;

use crate::store::{DocPath, Identity};

/// A guarded document that somebody else changed or removed.
#[derive(Clone, Copy, Debug)]
pub struct Touched<'a> {
    pub path: &'a DocPath,
    /// What it was.
    pub kept: &'a [u8],
    /// What stands there now, if anything does.
    pub there: Option<Identity>,
}

/// What the guarded documents were when the driver last wrote or read them.
#[derive(Debug, Default)]
pub(super) struct Guard {
    kept: BTreeMap<DocPath, Kept>,
}

#[derive(Debug)]
struct Kept {
    bytes: Vec<u8>,
    /// What the file was when it was last found unchanged; looking is then enough.
    found: Option<Identity>,
}

impl Guard {
    pub(super) fn keep(&mut self, path: &DocPath, bytes: &[u8], found: Option<Identity>) {
        self.kept.insert(path.clone(), Kept { bytes: bytes.to_vec(), found });
    }

    /// A guarded log grew by our own commit.
    pub(super) fn append(&mut self, path: &DocPath, at: u64, bytes: &[u8]) {
        if let Some(kept) = self.kept.get_mut(path) {
            kept.bytes.truncate(usize::try_from(at).unwrap_or(usize::MAX));
            kept.bytes.extend_from_slice(bytes);
            kept.found = None;
        }
    }

    pub(super) fn found(&mut self, path: &DocPath, identity: Identity) {
        if let Some(kept) = self.kept.get_mut(path) {
            kept.found = Some(identity);
        }
    }

    pub(super) fn forget(&mut self, path: &DocPath) {
        self.kept.remove(path);
    }

    pub(super) fn clear(&mut self) {
        self.kept.clear();
    }

    pub(super) fn bytes(&self, path: &DocPath) -> Option<&[u8]> {
        self.kept.get(path).map(|kept| kept.bytes.as_slice())
    }

    /// All of them, with what they were when they were last found unchanged.
    pub(super) fn all(&self) -> Vec<(DocPath, Option<Identity>)> {
        self.kept.iter().map(|(path, kept)| (path.clone(), kept.found)).collect()
    }
}
