//! Answer of a tool: one document, and the raw answers of servers that it was made from.

use hast_flow::ids::Sha256;
use hast_flow::time::UtcTime;
use hast_flow::tools::{Media, ToolFailure};
use serde::Serialize;

/// What a tool gives. The same raw answers give the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub media: Media,
    pub bytes: Vec<u8>,
    /// What the servers sent, for `context/sources/<sha256>`.
    pub sources: Vec<Raw>,
}

/// What a server sent, as it sent it (unpacked), and where and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Without secrets.
    pub url: String,
    pub fetched_at: UtcTime,
    pub media: String,
    pub bytes: Vec<u8>,
}

impl Raw {
    pub fn sha256(&self) -> Option<Sha256> {
        sha256(&self.bytes).parse().ok()
    }
}

/// Pretty, in the order of the type's fields, with a final line break.
pub(crate) fn document<T: Serialize>(value: &T) -> Result<Vec<u8>, ToolFailure> {
    let wrong = |error: serde_json::Error| ToolFailure::WrongShape {
        url: String::new(),
        what: error.to_string(),
    };
    hast_flow::formats::json::print(value).map(String::into_bytes).map_err(wrong)
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
