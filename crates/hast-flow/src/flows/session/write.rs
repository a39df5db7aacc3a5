//! Puts a commit together: documents, the events that tell of them, and the moved pointer, which is
//! always what the log says.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::docs::session::{SessionEvent, SessionEventKind, SessionStatus};
use crate::driver::Facts;
use crate::flows::session::events::{FILES, PREVIOUS, link};
use crate::flows::session::view::{StatusFile, View};
use crate::flows::session::{layout, status};
use crate::formats::{json, ndjson};
use crate::ids::{EventId, Sha256};
use crate::steps::{Commit, Step, StepKey};
use crate::store::Put;

/// A commit in the making.
#[must_use]
pub(super) struct Draft<'v> {
    view: &'v View,
    facts: &'v Facts<'v>,
    role: &'static str,
    reason: String,
    puts: Vec<Put>,
    events: String,
    link: Option<String>,
    pointer: SessionStatus,
    count: u64,
    starts: Vec<StepKey>,
    finishes: Vec<StepKey>,
    pointed: Pointed,
}

/// Whether the pointer's file follows the events of this commit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pointed {
    Follows,
    StaysAbsent,
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
            link: view.link.clone(),
            pointer: view.pointer.clone(),
            count: view.events,
            starts: Vec::new(),
            finishes: Vec::new(),
            pointed: Pointed::Follows,
        }
    }

    pub(super) fn finishes(mut self, keys: impl IntoIterator<Item = StepKey>) -> Self {
        self.finishes.extend(keys);
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

    /// Moves a document to the archive, where it stays as it is.
    pub(super) fn archive(mut self, from: &str, to: &str) -> Self {
        if let (Some(from), Some(to)) = (layout::path(from), layout::path(to)) {
            self.puts.push(Put::Archive { from, to });
        }
        self
    }

    /// A directory of the archive that no plan has yet.
    pub(super) fn free_snapshot(&self, reason: &str) -> String {
        let name = layout::snapshot(self.facts.now, reason);
        let taken = |name: &String| self.view.plan_files.snapshots.contains(name);
        let more = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(more);
        names.find(|name| !taken(name)).unwrap_or(name)
    }

    pub(super) fn put(self, put: Put) -> Self {
        self.puts([put])
    }

    pub(super) fn puts(mut self, puts: impl IntoIterator<Item = Put>) -> Self {
        self.puts.extend(puts);
        self
    }

    /// Text at the end of a log, which begins with it if there is none.
    pub(super) fn append(mut self, path: &str, text: String) -> Self {
        if let (Some(path), false) = (layout::path(path), text.is_empty()) {
            let length = self.view.length(&path);
            self.puts.push(Put::lines(path, length, text.into_bytes()));
        }
        self
    }

    /// An event; its detail also names the line before it, so that an edit of the log shows.
    pub(super) fn event(
        mut self,
        actor: &str,
        kind: SessionEventKind,
        detail: &[(&str, Value)],
    ) -> Self {
        self.count += 1;
        let event_id = EventId::new(self.facts.now, self.count);
        let previous = self.link.take().map(|link| (PREVIOUS.to_owned(), Value::from(link)));
        let detail = detail.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        let detail: Map<String, Value> = detail.chain(previous).collect();
        let event =
            SessionEvent { event_id, ts: self.facts.now, actor: actor.to_owned(), kind, detail };
        let line = ndjson::to_line(&event).unwrap_or_default();
        self.link = Some(link(&line));
        self.events += &line;
        status::take(&mut self.pointer, &event.into());
        self
    }

    /// The id of the next event, for a document that names it.
    pub(super) fn next_event(&self) -> EventId {
        EventId::new(self.facts.now, self.count + 1)
    }

    /// Leaves a pointer that is missing to the person who was asked about it.
    pub(super) fn without_pointer(mut self) -> Self {
        self.pointed = Pointed::StaysAbsent;
        self
    }

    /// The same, where it is missing.
    pub(super) fn keep_pointer_absent(self) -> Self {
        if self.view.status.is_none() { self.without_pointer() } else { self }
    }

    /// The step: its events in the log, and the pointer at its new place if there are any.
    pub(super) fn step(self) -> Step {
        let events = self.events.clone();
        let moved = !events.is_empty() && self.pointed == Pointed::Follows;
        let mut draft = self.append(layout::LOG, events);
        if let (true, Some(path)) = (moved, layout::path(layout::STATUS)) {
            let file = draft.view.status.as_ref();
            let text = status_text(&draft.pointer, file);
            let before = file.and_then(|file| file.identity);
            draft.puts.push(Put::whole(path, before, text.into_bytes()));
        }
        Step::Commit(Commit {
            role: draft.role,
            reason: draft.reason,
            puts: draft.puts,
            starts: draft.starts,
            finishes: draft.finishes,
        })
    }
}

/// What a commit writes once, by its hash, for the event that tells of it.
pub(super) fn files<'f>(
    files: impl IntoIterator<Item = (String, &'f [u8])>,
) -> (&'static str, Value) {
    let hashed = |(path, bytes): (String, &[u8])| (path, Value::from(Sha256::of(bytes).as_str()));
    (FILES, Value::Object(files.into_iter().map(hashed).collect()))
}

/// The pointer, and below it what others have written into its file.
fn status_text(pointer: &SessionStatus, file: Option<&StatusFile>) -> String {
    let mut fields = match serde_json::to_value(pointer) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    for (name, value) in file.iter().flat_map(|file| &file.others) {
        fields.insert(name.clone(), value.clone());
    }
    json::print(&fields).unwrap_or_default()
}
