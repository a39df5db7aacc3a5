//! Puts a commit of `auto` together: documents, and the events that tell of them.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::attempt_steps::blocked;
use crate::docs::goals::{GoalsEvent, GoalsEventKind};
use crate::driver::Facts;
use crate::flows::goals::auto::layout;
use crate::flows::goals::auto::policy::CONTROLLER;
use crate::flows::goals::auto::view::View;
use crate::flows::goals::auto::words;
use crate::formats::{json, ndjson};
use crate::ids::{EventId, LAST_NUMBER};
use crate::steps::{Commit, Step, StepKey};
use crate::store::Put;

/// A commit in the making.
#[must_use]
pub(super) struct Draft<'v> {
    view: &'v View,
    facts: &'v Facts<'v>,
    reason: String,
    puts: Vec<Put>,
    events: String,
    count: u64,
    starts: Vec<StepKey>,
    finishes: Vec<StepKey>,
}

impl<'v> Draft<'v> {
    /// A commit that uses up every result there is.
    pub(super) fn new(view: &'v View, facts: &'v Facts<'v>, reason: &str) -> Self {
        Self {
            view,
            facts,
            reason: reason.to_owned(),
            puts: Vec::new(),
            events: String::new(),
            count: view.events,
            starts: Vec::new(),
            finishes: view.results.keys().cloned().collect(),
        }
    }

    /// A commit that only tells something.
    pub(super) fn note(view: &'v View, facts: &'v Facts<'v>, reason: &str) -> Self {
        Self { finishes: Vec::new(), ..Self::new(view, facts, reason) }
    }

    /// A commit that uses up this result and leaves the others.
    pub(super) fn of_one(
        view: &'v View,
        facts: &'v Facts<'v>,
        reason: &str,
        result: StepKey,
    ) -> Self {
        Self { finishes: vec![result], ..Self::new(view, facts, reason) }
    }

    pub(super) fn starts(mut self, key: StepKey) -> Self {
        self.starts.push(key);
        self
    }

    /// Ends a step that somebody else left open.
    pub(super) fn closes(mut self, key: StepKey) -> Self {
        if self.facts.steps.is_open(&key) && !self.finishes.contains(&key) {
            self.finishes.push(key);
        }
        self
    }

    pub(super) fn put(mut self, put: Put) -> Self {
        self.puts.push(put);
        self
    }

    pub(super) fn create(mut self, path: &str, bytes: Vec<u8>) -> Self {
        if let Some(path) = layout::path(path) {
            self.puts.push(Put::Create { path, bytes });
        }
        self
    }

    pub(super) fn create_json<T: Serialize>(self, path: &str, value: &T) -> Self {
        // Our documents hold nothing that JSON cannot.
        let text = json::print(value).unwrap_or_default();
        self.create(path, text.into_bytes())
    }

    pub(super) fn goals(mut self, text: String) -> Self {
        let file = self.view.goals.as_ref();
        let unchanged = file.is_some_and(|file| file.text == text);
        let before = file.and_then(|file| file.identity);
        if let (Some(path), Some(before), false) = (layout::path(layout::GOALS), before, unchanged)
        {
            self.puts.push(Put::Replace { path, before, bytes: text.into_bytes() });
        }
        self
    }

    pub(super) fn event(mut self, kind: GoalsEventKind, detail: Value) -> Self {
        self.count += 1;
        let detail = match detail {
            Value::Object(detail) => detail,
            _ => Map::new(),
        };
        let event = GoalsEvent {
            event_id: EventId::new(self.facts.now, self.count),
            ts: self.facts.now,
            actor: CONTROLLER.to_owned(),
            kind,
            detail,
        };
        self.events += &ndjson::to_line(&event).unwrap_or_default();
        self
    }

    pub(super) fn step(self) -> Step {
        if self.count > LAST_NUMBER {
            let lang = self.facts.lang;
            return blocked(words::numbers_used_up(lang), words::numbers_used_up_next(lang));
        }
        Step::Commit(self.commit())
    }

    pub(super) fn commit(mut self) -> Commit {
        if let Some(path) = layout::path(layout::EVENTS) {
            let length = self.view.log_length;
            self.puts.push(Put::lines(path, length, self.events.into_bytes()));
        }
        Commit {
            role: CONTROLLER,
            reason: self.reason,
            puts: self.puts,
            starts: self.starts,
            finishes: self.finishes,
        }
    }
}
