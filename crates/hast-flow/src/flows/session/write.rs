//! Puts a commit together: documents, the events that tell of them, and the moved pointer.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::docs::session::{SessionEvent, SessionEventKind, SessionStatus, SystemStatus};
use crate::driver::Facts;
use crate::flows::session::layout;
use crate::flows::session::view::{Known, View};
use crate::formats::{json, ndjson};
use crate::ids::{EventId, TaskId};
use crate::steps::{Commit, Step, StepKey};
use crate::store::{DocPath, Put};

/// A commit in the making.
#[must_use]
pub(super) struct Draft<'v> {
    view: &'v View,
    facts: &'v Facts<'v>,
    role: &'static str,
    reason: String,
    puts: Vec<Put>,
    events: String,
    last: Option<EventId>,
    count: u64,
    starts: Vec<StepKey>,
    finishes: Vec<StepKey>,
}

impl<'v> Draft<'v> {
    pub(super) fn new(
        view: &'v View,
        facts: &'v Facts<'v>,
        role: &'static str,
        reason: &str,
    ) -> Self {
        Self {
            view,
            facts,
            role,
            reason: reason.to_owned(),
            puts: Vec::new(),
            events: String::new(),
            last: view.last_event.clone(),
            count: view.events,
            starts: Vec::new(),
            finishes: Vec::new(),
        }
    }

    pub(super) fn finishes(mut self, key: StepKey) -> Self {
        self.finishes.push(key);
        self
    }

    pub(super) fn starts(mut self, key: StepKey) -> Self {
        self.starts.push(key);
        self
    }

    pub(super) fn create(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        if let Some(path) = layout::path(path) {
            self.puts.push(Put::Create { path, bytes: bytes.into() });
        }
        self
    }

    pub(super) fn create_json<T: Serialize>(self, path: &str, value: &T) -> Self {
        // Our documents hold nothing that JSON cannot.
        self.create(path, json::print(value).unwrap_or_default())
    }

    /// A new document, or a new content of the one that was read.
    pub(super) fn write_json<T: Serialize, K>(
        mut self,
        path: &str,
        known: Option<&Known<K>>,
        value: &T,
    ) -> Self {
        let (Some(path), bytes) = (layout::path(path), json::print(value).unwrap_or_default())
        else {
            return self;
        };
        let bytes = bytes.into_bytes();
        self.puts.push(match known.and_then(|known| known.identity) {
            Some(before) => Put::Replace { path, before, bytes },
            None => Put::Create { path, bytes },
        });
        self
    }

    /// Text at the end of a log, which begins with it if there is none.
    pub(super) fn append(mut self, path: &str, text: String) -> Self {
        if let (Some(path), false) = (layout::path(path), text.is_empty()) {
            let put = log_put(self.view, path, text);
            self.puts.push(put);
        }
        self
    }

    pub(super) fn event(
        mut self,
        actor: &str,
        kind: SessionEventKind,
        detail: &[(&str, Value)],
    ) -> Self {
        self.count += 1;
        let event_id = EventId::new(self.facts.now, self.count);
        let detail: Map<String, Value> =
            detail.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let event = SessionEvent {
            event_id: event_id.clone(),
            ts: self.facts.now,
            actor: actor.to_owned(),
            kind,
            detail,
        };
        self.events += &ndjson::to_line(&event).unwrap_or_default();
        self.last = Some(event_id);
        self
    }

    /// The step, with the pointer at its new place.
    pub(super) fn step(self, status: SystemStatus, task: Option<&TaskId>) -> Step {
        let plan = self.view.plan.as_ref().map(|plan| &plan.document);
        let pointer = SessionStatus {
            system_status: status,
            plan_major_version: plan.map_or(1, |plan| plan.major_version),
            plan_revision: plan.map_or(1, |plan| plan.revision),
            current_task_id: task.cloned(),
            blocked_count: self.view.status.as_ref().map_or(0, |status| status.value.blocked_count),
            last_event_id: self.last.clone(),
        };
        let (view, events) = (self.view, self.events.clone());
        let draft = self.append(layout::LOG, events);
        let draft = draft.write_json(layout::STATUS, view.status.as_ref(), &pointer);
        Step::Commit(Commit {
            role: draft.role,
            reason: draft.reason,
            puts: draft.puts,
            starts: draft.starts,
            finishes: draft.finishes,
        })
    }
}

fn log_put(view: &View, path: DocPath, text: String) -> Put {
    match view.length(&path) {
        Some(at) => Put::Append { path, at, bytes: text.into_bytes() },
        None => Put::Create { path, bytes: text.into_bytes() },
    }
}
