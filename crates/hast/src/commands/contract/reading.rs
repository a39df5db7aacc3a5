//! The documents below `.claude/orchestrator/` as they are on disk, for whoever only looks. They may be
//! another tool's.

use std::path::Path;

use hast_flow::docs::contract::{ContractState, ProjectKnowledge};
use hast_flow::docs::files::document_at;
use hast_flow::flows::contract::laws::Documents;
use hast_flow::flows::contract::layout;
use hast_flow::flows::contract::view::parsed;
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::ids::{ProjectHash, RequestId};
use hast_world::files::{PathError, names, read_if_there, walk};

use super::store;

fn read(root: &Path, path: &str) -> Option<Vec<u8>> {
    read_if_there(&store(root).join(path), MAX_DOCUMENT_BYTES).ok().flatten()
}

/// The state of the current request.
pub(super) fn state(root: &Path, project: &ProjectHash) -> Option<ContractState> {
    let path = layout::state(project);
    parsed(&path, &read(root, &path)?)
}

/// The state of a request, current or past.
pub(super) fn state_of(
    root: &Path,
    project: &ProjectHash,
    request: &RequestId,
) -> Option<ContractState> {
    let current = state(root, project).filter(|state| state.request.id == *request);
    let path = layout::of_request(project, request, "state.json");
    current.or_else(|| parsed(&path, &read(root, &path)?))
}

pub(super) fn knowledge(root: &Path, project: &ProjectHash) -> Option<ProjectKnowledge> {
    let path = layout::knowledge(project);
    parsed(&path, &read(root, &path)?)
}

/// Requests that left something here, oldest first.
pub(super) fn requests(root: &Path, project: &ProjectHash) -> Vec<RequestId> {
    let directory = store(root).join("sessions").join(project.as_str()).join("contracts");
    let found = names(&directory).unwrap_or_default();
    let mut ids: Vec<RequestId> = found.iter().filter_map(|name| name.parse().ok()).collect();
    ids.extend(state(root, project).map(|state| state.request.id));
    ids.sort();
    ids.dedup();
    ids
}

/// An id that no request has.
pub(super) fn next_id(root: &Path, project: &ProjectHash) -> RequestId {
    let last = requests(root, project).last().map_or(0, RequestId::number);
    RequestId::new(last.saturating_add(1))
}

/// Every document there is, without what is archived or was rejected.
pub(super) fn documents(root: &Path) -> Documents {
    let store = store(root);
    let mut documents = Documents::new();
    let mut take = |path: Result<&Path, PathError>| {
        let Ok(path) = path else { return };
        let below = path.strip_prefix(&store).unwrap_or(path).to_string_lossy().into_owned();
        let past = below.split('/').any(|part| part == "archive");
        let known = document_at(&format!(".claude/orchestrator/{below}")).is_some();
        if past || !(known || layout::base_of(&below).is_some()) {
            return;
        }
        if let Ok(Some(bytes)) = read_if_there(path, MAX_DOCUMENT_BYTES) {
            documents.insert(below, bytes);
        }
    };
    walk(&store, &mut take);
    let attempts = store.join("attempts");
    if attempts.is_dir() {
        walk(&attempts, &mut take);
    }
    documents
}
