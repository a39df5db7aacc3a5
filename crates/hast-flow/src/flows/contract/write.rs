//! Puts a commit of the contract flow together: documents, the events that tell of them, and the two
//! pointers that follow the events.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::docs::contract::{ContractEvent, ContractEventKind as Kind, ContractSession, LAYOUT};
use crate::docs::document::Version;
use crate::driver::Facts;
use crate::flows::contract::policy::ORCHESTRATOR;
use crate::flows::contract::request::{Request, Written};
use crate::flows::contract::view::View;
use crate::flows::contract::{Settings, knowledge, layout};
use crate::formats::{json as json_format, ndjson, yaml_print};
use crate::ids::{EventId, RequestId, Sha256};
use crate::steps::{Commit, Step, StepKey};
use crate::store::{Identity, Put};

/// A commit in the making.
#[must_use]
pub(super) struct Draft<'v> {
    view: &'v View,
    facts: &'v Facts<'v>,
    settings: &'v Settings,
    /// The request as it will be once the events count.
    request: Option<Request>,
    role: &'static str,
    reason: String,
    puts: Vec<Put>,
    written: Vec<Written>,
    archived: Vec<String>,
    /// What is put back in this commit.
    restored: BTreeSet<String>,
    events: Vec<ContractEvent>,
    starts: Vec<StepKey>,
    finishes: Vec<StepKey>,
}

impl<'v> Draft<'v> {
    pub(super) fn new(
        view: &'v View,
        facts: &'v Facts<'v>,
        settings: &'v Settings,
        reason: &str,
    ) -> Self {
        Self {
            view,
            facts,
            settings,
            request: None,
            role: ORCHESTRATOR,
            reason: reason.to_owned(),
            puts: Vec::new(),
            written: Vec::new(),
            archived: Vec::new(),
            restored: BTreeSet::new(),
            events: Vec::new(),
            starts: Vec::new(),
            finishes: Vec::new(),
        }
    }

    pub(super) fn about(mut self, request: &Request) -> Self {
        self.request = Some(request.clone());
        self
    }

    /// In the name of the agent that made the documents.
    pub(super) fn by(mut self, role: &'static str) -> Self {
        self.role = role;
        self
    }

    pub(super) fn starts(mut self, key: StepKey) -> Self {
        self.starts.push(key);
        self
    }

    pub(super) fn finishes(mut self, keys: impl IntoIterator<Item = StepKey>) -> Self {
        self.finishes.extend(keys);
        self
    }

    /// Uses up every result there is.
    pub(super) fn finishes_all(self) -> Self {
        let keys: Vec<StepKey> = self.view.results.keys().cloned().collect();
        self.finishes(keys)
    }

    /// Ends steps that an earlier life left open.
    pub(super) fn closes(self, keys: impl IntoIterator<Item = StepKey>) -> Self {
        let steps = self.facts.steps;
        let open: Vec<StepKey> = keys.into_iter().filter(|key| steps.is_open(key)).collect();
        self.finishes(open)
    }

    /// A new contract, which nobody but hast may change from now on.
    pub(super) fn create(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        if let Some(doc) = layout::path(path) {
            self.written.push(Written { path: path.to_owned(), sha256: Sha256::of(&bytes) });
            self.puts.push(Put::Create { path: doc, bytes });
        }
        self
    }

    /// A document that is no contract.
    pub(super) fn keep(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        if let Some(path) = layout::path(path) {
            self.puts.push(Put::Create { path, bytes: bytes.into() });
        }
        self
    }

    /// Moves a contract into the past.
    pub(super) fn archive(mut self, from: &str, to: &str) -> Self {
        if let (Some(from_doc), Some(to)) = (layout::path(from), layout::path(to)) {
            self.archived.push(from.to_owned());
            self.puts.push(Put::Archive { from: from_doc, to });
        }
        self
    }

    /// `state.json` of a request that hast knows nothing of but this.
    pub(super) fn replace_state(mut self, text: String) -> Self {
        let before = self.view.state.as_ref().and_then(|known| known.identity);
        if let Some(path) = layout::path(&layout::state(&self.settings.project.hash)) {
            self.puts.push(Put::whole(path, before, text.into_bytes()));
        }
        self
    }

    /// Puts back what somebody else changed, with their version kept aside. The log and its folds follow
    /// when the commit is made.
    pub(super) fn restore(mut self) -> Self {
        let project = &self.settings.project.hash;
        let follows = [layout::LOG.to_owned(), layout::session(project), layout::state(project)];
        for (path, other) in &self.view.touched {
            let aside = layout::aside(path, self.view.events + 1);
            let (Some(at), Some(to)) = (layout::path(path), layout::path(&aside)) else { continue };
            if other.stands {
                self.puts.push(Put::Archive { from: at.clone(), to });
            }
            if !follows.contains(path) {
                self.puts.push(Put::Create { path: at, bytes: other.kept.clone() });
            }
            self.restored.insert(path.clone());
        }
        self
    }

    /// The whole of a document in place of what was known, or of nothing where it was moved aside.
    fn whole(&mut self, path: &str, before: Option<Identity>, bytes: Vec<u8>) {
        let before = before.filter(|_| !self.restored.contains(path));
        if let Some(path) = layout::path(path) {
            self.puts.push(Put::whole(path, before, bytes));
        }
    }

    pub(super) fn knowledge(mut self, text: String) -> Self {
        let project = &self.settings.project.hash;
        let known = self.view.knowledge.as_ref();
        if let Some(known) = known {
            let former = layout::former_knowledge(project, self.view.lessons + 1);
            if let Some(path) = layout::path(&former) {
                self.puts.push(Put::Create { path, bytes: known.bytes.clone() });
            }
        }
        if let Some(path) = layout::path(&layout::knowledge(project)) {
            let before = known.and_then(|known| known.identity);
            self.puts.push(Put::whole(path, before, text.into_bytes()));
        }
        self
    }

    /// What is known of a project that has learnt nothing yet.
    pub(super) fn first_knowledge(self) -> Self {
        if self.view.knowledge.is_some() {
            return self;
        }
        let project = self.settings.project.clone();
        let text = yaml(&knowledge::nothing(project, self.facts.now));
        self.knowledge(text)
    }

    /// Something happened; what was written and archived since the last event belongs to it.
    pub(super) fn event(mut self, actor: &str, kind: Kind, detail: Value) -> Self {
        let mut all = Map::new();
        if let Some(request) = &self.request {
            all.insert("request_id".to_owned(), json!(request.id));
        }
        if let Value::Object(detail) = detail {
            all.extend(detail);
        }
        for (key, value) in [
            ("files", json!(std::mem::take(&mut self.written))),
            ("archived", json!(std::mem::take(&mut self.archived))),
        ] {
            if value.as_array().is_some_and(|list| !list.is_empty()) {
                all.insert(key.to_owned(), value);
            }
        }
        let count = self.view.events + self.events.len() as u64 + 1;
        let event = ContractEvent {
            event_id: EventId::new(self.facts.now, count),
            ts: self.facts.now,
            actor: actor.to_owned(),
            kind,
            detail: all,
        };
        if let Some(request) = &mut self.request {
            request.take(&event);
        }
        self.events.push(event);
        self
    }

    /// The first event of a request.
    pub(super) fn begin(mut self, id: &RequestId, text: &str) -> Self {
        self.request = Some(Request::new(id.clone(), text.to_owned()));
        let project = &self.settings.project.hash;
        let detail = json!({ "request": text, "project": project });
        self.event(ORCHESTRATOR, Kind::RequestStarted, detail)
    }

    pub(super) fn step(self) -> Step {
        let draft = self.pointers();
        let lines: String =
            draft.events.iter().filter_map(|event| ndjson::to_line(event).ok()).collect();
        let mut puts = draft.puts;
        let before = draft.view.touched.get(layout::LOG);
        let before = before.filter(|_| draft.restored.contains(layout::LOG));
        match (layout::path(layout::LOG), before) {
            (Some(path), Some(before)) => {
                let bytes = [&before.kept, lines.as_bytes()].concat();
                puts.push(Put::Create { path, bytes });
            }
            (Some(path), None) if !lines.is_empty() => {
                puts.push(Put::lines(path, draft.view.log_length, lines.into_bytes()));
            }
            _ => {}
        }
        Step::Commit(Commit {
            role: draft.role,
            reason: draft.reason,
            puts,
            starts: draft.starts,
            finishes: draft.finishes,
        })
    }

    /// `state.json` and `session.json`, where a reader would see a difference.
    fn pointers(mut self) -> Self {
        let Some(request) = self.request.take() else { return self };
        let project = &self.settings.project.hash;
        let (state_path, session_path) = (layout::state(project), layout::session(project));
        let state = printed(&request.state());
        let known = self.view.state.as_ref();
        if self.restored.contains(&state_path)
            || known.is_none_or(|known| known.bytes != state.as_bytes())
        {
            let before = known.and_then(|known| known.identity);
            self.whole(&state_path, before, state.into_bytes());
        }
        let known = self.view.session.as_ref();
        let session =
            session(self.settings, known.and_then(|one| one.value.as_ref()), &request, self.facts);
        let kept = self.view.touched.get(&session_path).map(|other| other.kept.clone());
        let kept = kept.filter(|_| self.restored.contains(&session_path));
        let bytes = session.map(|session| printed(&session).into_bytes()).or(kept);
        if let Some(bytes) = bytes {
            let before = known.and_then(|known| known.identity);
            self.whole(&session_path, before, bytes);
        }
        self
    }
}

/// `session.json`, if it says something else than before.
fn session(
    settings: &Settings,
    before: Option<&ContractSession>,
    request: &Request,
    facts: &Facts<'_>,
) -> Option<ContractSession> {
    let same = |old: &ContractSession| {
        old.status == request.status
            && old.current_task == request.current_task
            && old.manifest == settings.manifest
            && old.project == settings.project
    };
    if before.is_some_and(same) {
        return None;
    }
    Some(ContractSession {
        version: Version,
        project: settings.project.clone(),
        status: request.status,
        current_task: request.current_task.clone(),
        created_at: before.map_or(facts.now, |old| old.created_at),
        updated_at: facts.now,
        manifest: settings.manifest.clone(),
    })
}

/// Our documents hold nothing that JSON cannot.
pub(super) fn printed<T: Serialize>(value: &T) -> String {
    json_format::print(value).unwrap_or_default()
}

/// A contract as the seed prints it.
pub(super) fn yaml<T: Serialize>(value: &T) -> String {
    yaml_print::print(value, &LAYOUT).unwrap_or_default()
}
