//! The documents below `.claude/orchestrator/` as they are on disk, for whoever only looks. They may be
//! another tool's.

use hast_flow::docs::contract::{ContractEvent, ContractSession, ContractState, ProjectKnowledge};
use hast_flow::docs::files::document_at;
use hast_flow::flows::contract::laws::Documents;
use hast_flow::flows::contract::request::Request;
use hast_flow::flows::contract::view::parsed;
use hast_flow::flows::contract::{View, layout};
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::ids::{ProjectHash, RequestId};
use hast_world::files::PathError;
use hast_world::log_lines::each_line;
use hast_world::root_path::RootPath;

use super::store;

fn read(root: &RootPath, path: &str) -> Option<Vec<u8>> {
    store(root).join(path).read_if_there(MAX_DOCUMENT_BYTES).ok().flatten()
}

/// What the log says.
fn folded(root: &RootPath) -> View {
    View::of_log(&read(root, layout::LOG).unwrap_or_default())
}

/// The state of the current request; where its file was lost, what the log says.
pub(super) fn state(root: &RootPath, project: &ProjectHash) -> Option<ContractState> {
    let path = layout::state(project);
    match read(root, &path) {
        Some(bytes) => parsed(&path, &bytes),
        None => folded(root).last_of(project).map(Request::state),
    }
}

/// The state of a request, current or past.
pub(super) fn state_of(
    root: &RootPath,
    project: &ProjectHash,
    request: &RequestId,
) -> Option<ContractState> {
    let current = state(root, project).filter(|state| state.request.id == *request);
    let path = layout::of_request(project, request, "state.json");
    let logged = || {
        let view = folded(root);
        let known = view.requests.get(request).filter(|known| known.is_of(project));
        known.map(Request::state)
    };
    current.or_else(|| match read(root, &path) {
        Some(bytes) => parsed(&path, &bytes),
        None => logged(),
    })
}

pub(super) fn knowledge(root: &RootPath, project: &ProjectHash) -> Option<ProjectKnowledge> {
    let path = layout::knowledge(project);
    parsed(&path, &read(root, &path)?)
}

/// Requests that left something here, oldest first.
pub(super) fn requests(root: &RootPath, project: &ProjectHash) -> Vec<RequestId> {
    let directory = store(root).join("sessions").join(project.as_str()).join("contracts");
    let found = directory.names().unwrap_or_default();
    let mut ids: Vec<RequestId> = found.iter().filter_map(|name| name.parse().ok()).collect();
    ids.extend(state(root, project).map(|state| state.request.id));
    ids.sort();
    ids.dedup();
    ids
}

/// An id that no request has, also none of another path: the log and the attempts are everybody's.
pub(super) fn next_id(root: &RootPath, project: &ProjectHash) -> Result<RequestId, PathError> {
    let mut last = requests(root, project).last().map_or(0, RequestId::number);
    let attempts = store(root).join("attempts").names().unwrap_or_default();
    let attempted = attempts.iter().filter_map(|name| name.parse::<RequestId>().ok());
    last = attempted.map(|id| id.number()).fold(last, Ord::max);
    each_line(&store(root).join(layout::LOG), 0, &mut |line| {
        let event = serde_json::from_slice::<ContractEvent>(line).ok();
        let id = event.and_then(|event| event.detail.get("request_id")?.as_str()?.parse().ok());
        last = last.max(id.map_or(0, |id: RequestId| id.number()));
    })?;
    Ok(RequestId::new(last.saturating_add(1)))
}

/// Other paths whose sessions lie here: this project was one of them before it was moved, or cloned.
pub(super) fn other_paths(root: &RootPath, project: &ProjectHash) -> Vec<String> {
    let hashes = store(root).join("sessions").names().unwrap_or_default();
    let others = hashes.iter().filter_map(|name| name.parse::<ProjectHash>().ok());
    let session = |hash: ProjectHash| {
        let path = layout::session(&hash);
        parsed::<ContractSession>(&path, &read(root, &path)?)
    };
    let sessions = others.filter(|hash| hash != project).filter_map(session);
    sessions.map(|session| session.project.path).collect()
}

/// A step that only a request has which was driven.
const LIFE: &[u8] = b"/life\"";

/// Every document there is, without what is archived or was rejected.
pub(super) fn documents(root: &RootPath) -> Documents {
    let store = store(root);
    let mut documents = Documents::new();
    let mut take = |path: Result<&RootPath, PathError>| {
        let Ok(path) = path else { return };
        let below = path.strip_prefix(&store).unwrap_or(path).to_string_lossy().into_owned();
        let past = below.split('/').any(|part| part == "archive");
        let known = document_at(&format!(".claude/orchestrator/{below}")).is_some();
        if past || !(known || layout::base_of(&below).is_some()) {
            return;
        }
        if let Ok(Some(bytes)) = path.read_if_there(MAX_DOCUMENT_BYTES) {
            documents.insert(below, bytes);
        }
    };
    store.walk(&mut take);
    let attempts = store.join("attempts");
    if attempts.is_dir() {
        attempts.walk(&mut take);
    }
    let steps = read(root, layout::STEPS).unwrap_or_default();
    if steps.windows(LIFE.len()).any(|part| part == LIFE) {
        documents.insert(layout::STEPS.to_owned(), steps);
    }
    documents
}
