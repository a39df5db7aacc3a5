//! Puts a commit of the kernel together: documents, messages between its parts, events.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::docs::kernel::{
    EngineToExpertRequest, ErrorLine, ExpertOutput, KernelEvent, KernelEventKind as Kind,
    KernelPlan, TodoItem,
};
use crate::driver::Facts;
use crate::flows::kernel::view::{Known, Request, View};
use crate::flows::kernel::{layout, mirror};
use crate::formats::{json as json_format, ndjson};
use crate::ids::{EventId, RequestUuid, Sha256};
use crate::steps::{Commit, Step, StepKey};
use crate::store::Put;
use crate::written::Written;

/// A commit in the making.
#[must_use]
pub(super) struct Draft<'v> {
    view: &'v View,
    facts: &'v Facts<'v>,
    request: Option<(&'v RequestUuid, &'v Request)>,
    role: &'static str,
    reason: String,
    puts: Vec<Put>,
    /// What this commit writes once; its last event says so.
    once: Written,
    events: Vec<KernelEvent>,
    errors: String,
    count: u64,
    messages: u32,
    /// The plan that this commit writes; the first event after it says so.
    plan: Option<Sha256>,
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
            request: None,
            role,
            reason: reason.to_owned(),
            puts: Vec::new(),
            once: Written::default(),
            events: Vec::new(),
            errors: String::new(),
            count: view.events,
            messages: 0,
            plan: None,
            starts: Vec::new(),
            finishes: Vec::new(),
        }
    }

    /// About this request: its id is in every event.
    pub(super) fn about(mut self, id: &'v RequestUuid, request: &'v Request) -> Self {
        self.messages = request.messages;
        self.request = Some((id, request));
        self
    }

    pub(super) fn starts(mut self, key: StepKey) -> Self {
        self.starts.push(key);
        self
    }

    pub(super) fn finishes(mut self, key: StepKey) -> Self {
        self.finishes.push(key);
        self
    }

    pub(super) fn create(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        if layout::is_written_once(path) {
            self.once.note(path, &bytes);
        }
        if let Some(path) = layout::path(path) {
            self.puts.push(Put::Create { path, bytes });
        }
        self
    }

    /// A new file of the request.
    pub(super) fn create_here(self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        match self.request {
            Some((id, _)) => self.create(&layout::of_request(id, name), bytes),
            None => self,
        }
    }

    /// A new document, or a new content of the one that was read.
    pub(super) fn write<K>(mut self, path: &str, known: Option<&Known<K>>, text: String) -> Self {
        if let Some(path) = layout::path(path) {
            let before = known.and_then(|known| known.identity);
            self.puts.push(Put::whole(path, before, text.into_bytes()));
        }
        self
    }

    /// The plan and its mirror, always together.
    pub(super) fn plan(mut self, items: Vec<TodoItem>) -> Self {
        let Some((id, request)) = self.request else { return self };
        let (view, path) = (self.view, layout::of_request(id, "plan.json"));
        let notes = view.mirror.as_ref().map(|known| mirror::notes(&known.value));
        let checklist =
            mirror::render_with(&request.text, &items, notes.as_deref().unwrap_or_default());
        let text = printed(&KernelPlan { todo_list: items });
        self.plan = Some(Sha256::of(text.as_bytes()));
        self.write(&path, request.plan.as_ref(), text).write(
            layout::MIRROR,
            view.mirror.as_ref(),
            checklist,
        )
    }

    /// A message between two parts, kept as it was sent.
    pub(super) fn message<T: Serialize>(mut self, kind: &str, message: &T) -> Self {
        self.messages += 1;
        let name = format!("transcript/{:04}_{kind}.json", self.messages);
        self.create_here(&name, printed(message))
    }

    /// What the engine asks of an expert.
    pub(super) fn asks(self, task: &str, description: &str, context: Value) -> Self {
        let context = match context {
            Value::Object(fields) if !fields.is_empty() => Some(fields),
            _ => None,
        };
        let (task_id, task_description) = (task.to_owned(), description.to_owned());
        let request = EngineToExpertRequest { task_id, task_description, context };
        self.message("EngineToExpertRequest", &request)
    }

    /// What an expert answers.
    pub(super) fn answers(self, output: &ExpertOutput) -> Self {
        self.message("ExpertOutput", output)
    }

    pub(super) fn event(mut self, actor: &str, kind: Kind, detail: &[(&str, Value)]) -> Self {
        self.count += 1;
        let mut all = Map::new();
        if let Some(step) = kind.protocol_step() {
            all.insert("step".to_owned(), json!(step));
        }
        if let Some((id, _)) = self.request {
            all.insert("request_id".to_owned(), json!(id));
        }
        if let Some(plan) = self.plan.take() {
            all.insert("plan_sha256".to_owned(), json!(plan));
        }
        all.extend(detail.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        let event = KernelEvent {
            event_id: EventId::new(self.facts.now, self.count),
            ts: self.facts.now,
            actor: actor.to_owned(),
            kind,
            detail: all,
        };
        self.events.push(event);
        self
    }

    pub(super) fn error(mut self, task: Option<&str>, error: &str) -> Self {
        let line = ErrorLine {
            ts: self.facts.now,
            task_id: task.map(str::to_owned),
            error: error.to_owned(),
        };
        self.errors += &ndjson::to_line(&line).unwrap_or_default();
        self
    }

    pub(super) fn step(mut self) -> Step {
        if let Some(last) = self.events.last_mut() {
            self.once.tell(&mut last.detail);
        }
        let events = self.events.drain(..).filter_map(|event| ndjson::to_line(&event).ok());
        let (events, errors) = (events.collect::<String>(), self.errors.clone());
        let errors_path = self.request.map(|(id, _)| layout::of_request(id, "errors.ndjson"));
        let draft = self.append(layout::LOG, events);
        let draft = match errors_path {
            Some(path) => draft.append(&path, errors),
            None => draft,
        };
        Step::Commit(Commit {
            role: draft.role,
            reason: draft.reason,
            puts: draft.puts,
            starts: draft.starts,
            finishes: draft.finishes,
        })
    }

    /// Text at the end of a log, which begins with it if there is none.
    fn append(mut self, path: &str, text: String) -> Self {
        if let (Some(path), false) = (layout::path(path), text.is_empty()) {
            let length = self.view.length(&path);
            self.puts.push(Put::lines(path, length, text.into_bytes()));
        }
        self
    }
}

/// Our documents hold nothing that JSON cannot.
pub(super) fn printed<T: Serialize>(value: &T) -> String {
    json_format::print(value).unwrap_or_default()
}
