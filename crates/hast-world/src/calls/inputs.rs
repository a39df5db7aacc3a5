//! The files that an agent is given to read: documents where they lie or as copies, and the files of its own
//! refused reply.

use hast_flow::calling::request::Asked;
use hast_flow::docs::call::CallInput;
use hast_flow::ids::Sha256;
use hast_flow::steps::Place;
use hast_flow::store::DocPath;

use super::Calls;
use super::folder::Folder;
use crate::files::PathError;

/// An input that is larger is left out.
const MAX_INPUT: usize = 256 << 20;

/// Where the files of a refused reply lie, below the copies of inputs.
const REJECTED: &str = "rejected";

impl Calls {
    /// The documents that the call is about, as they are now. One that is gone is not told.
    pub(super) fn inputs(
        &self,
        asked: Asked<'_>,
        folder: &Folder,
    ) -> Result<Vec<CallInput>, PathError> {
        let mut inputs = Vec::new();
        let mut add = |path: std::path::PathBuf, bytes: &[u8]| {
            if let Some(path) = path.to_str() {
                inputs.push(CallInput { path: path.to_owned(), sha256: Sha256::of(bytes) });
            }
        };
        for name in &asked.call.inputs {
            let document = self.settings.documents.join(name.as_str());
            let Ok(bytes) = document.read_bounded(MAX_INPUT) else { continue };
            match asked.call.place {
                // In a room, what the user's checkout has may be covered.
                Place::Copies | Place::Worktree(_) | Place::Viewing(_) => {
                    add(folder.copy_input(name, &bytes)?, &bytes);
                }
                Place::Reading | Place::Checkout | Place::Within(_) => {
                    add(document.to_path_buf(), &bytes);
                }
            }
        }
        for (name, bytes) in &asked.call.rejected {
            if let Ok(name) = DocPath::new(&format!("{REJECTED}/{name}")) {
                add(folder.copy_input(&name, bytes)?, bytes);
            }
        }
        Ok(inputs)
    }
}
