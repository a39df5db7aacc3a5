//! The view of the contract flow: the content of the documents below `.claude/orchestrator/`, kept
//! up to date change by change.

use std::collections::BTreeMap;

use crate::attempt::base::Base;
use crate::docs::contract::{
    ContractEvent, ContractEventKind as Kind, ContractSession, ContractState, ProjectKnowledge,
};
use crate::docs::document::{Document, read};
use crate::driver::{Delta, Touched};
use crate::flows::contract::request::Request;
use crate::flows::contract::{inbox, layout};
use crate::formats::ndjson;
use crate::formats::source::Source;
use crate::ids::{ProjectHash, RequestId, Sha256, SubtaskId};
use crate::inbox::Inbox;
use crate::steps::{EffectResult, StepKey};
use crate::store::{DocPath, Identity, Seen};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Events so far; the next id counts on.
    pub events: u64,
    pub log_length: Option<u64>,
    pub requests: BTreeMap<RequestId, Request>,
    pub session: Option<Known<ContractSession>>,
    pub state: Option<Known<ContractState>>,
    pub knowledge: Option<Known<ProjectKnowledge>>,
    /// How often knowledge changed.
    pub lessons: u64,
    /// Contracts of the request that is driven, and where its attempts began, by path.
    pub contracts: BTreeMap<String, Contract>,
    /// Documents that somebody else has changed since hast read or wrote them; the view has what they
    /// were.
    pub touched: BTreeMap<String, Other>,
    bases: BTreeMap<(RequestId, SubtaskId, u32), Base>,
    /// Results of effects that no commit has used yet.
    pub results: BTreeMap<StepKey, EffectResult>,
    /// What waits for a person, and what they decided.
    pub inbox: Inbox,
}

/// A document and what it was when it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Known<T> {
    /// Nothing where it cannot be read.
    pub value: Option<T>,
    pub bytes: Vec<u8>,
    pub identity: Option<Identity>,
}

/// A document that somebody else changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Other {
    /// What it was.
    pub kept: Vec<u8>,
    /// Whether anything stands there now.
    pub stands: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    pub bytes: Vec<u8>,
    pub sha256: Sha256,
}

impl View {
    /// A contract, where it is there and keeps its schema.
    pub fn contract<D: Document>(&self, path: &str) -> Option<D> {
        parsed(path, &self.contracts.get(path)?.bytes)
    }

    /// What a log alone says.
    pub fn of_log(bytes: &[u8]) -> Self {
        let mut view = Self::default();
        view.take_events(bytes);
        view
    }

    /// The last request of a project; only this can be gone on with.
    pub fn last_of(&self, project: &ProjectHash) -> Option<&Request> {
        self.requests.values().rev().find(|request| request.is_of(project))
    }

    pub fn base(&self, request: &RequestId, subtask: &SubtaskId, attempt: u32) -> Option<&Base> {
        self.bases.get(&(request.clone(), subtask.clone(), attempt))
    }

    pub fn touch(&mut self, touched: &Touched<'_>) {
        let other = Other { kept: touched.kept.to_vec(), stands: touched.there.is_some() };
        self.touched.insert(touched.path.to_string(), other);
    }

    pub fn fold(&mut self, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, bytes, seen } => self.document(path, bytes, *seen),
            Delta::Appended { path, at, bytes, .. } => {
                if path.as_str() == layout::LOG {
                    self.log_length = Some(at + bytes.len() as u64);
                    self.take_events(bytes);
                }
            }
            Delta::Gone { path } => self.gone(path),
            Delta::Result { key, result } => {
                self.results.insert((*key).clone(), (*result).clone());
            }
        }
    }

    fn document(&mut self, path: &DocPath, bytes: &[u8], seen: Seen) {
        let (name, identity) = (path.as_str(), seen.identity());
        self.touched.remove(name);
        if name == layout::LOG {
            self.log_length = Some(bytes.len() as u64);
            return self.take_events(bytes);
        }
        if let Some(key) = layout::base_of(name) {
            if let Ok(base) = Base::recorded(bytes, &seen) {
                self.bases.insert(key, base);
            }
            self.contract_at(name, bytes);
            return;
        }
        let parts: Vec<&str> = name.split('/').collect();
        match parts[..] {
            ["sessions", _, "session.json"] => self.session = Some(known(name, bytes, identity)),
            ["sessions", _, "state.json"] => self.state = Some(known(name, bytes, identity)),
            ["knowledge", _, "knowledge.yaml"] => {
                self.knowledge = Some(known(name, bytes, identity));
            }
            ["sessions", _, "contracts", ..] => self.contract_at(name, bytes),
            _ => {}
        }
    }

    fn contract_at(&mut self, name: &str, bytes: &[u8]) {
        let contract = Contract { bytes: bytes.to_vec(), sha256: Sha256::of(bytes) };
        self.contracts.insert(name.to_owned(), contract);
    }

    fn gone(&mut self, path: &DocPath) {
        self.touched.remove(path.as_str());
        self.contracts.remove(path.as_str());
        if path.as_str() == layout::LOG {
            // It is about to stand there as it was, and is read from its beginning.
            self.log_length = None;
            self.requests.clear();
            (self.events, self.lessons) = (0, 0);
            self.inbox = Inbox::default();
        }
        let parts: Vec<&str> = path.as_str().split('/').collect();
        match parts[..] {
            ["sessions", _, "session.json"] => self.session = None,
            ["sessions", _, "state.json"] => self.state = None,
            ["knowledge", _, "knowledge.yaml"] => self.knowledge = None,
            _ => {}
        }
    }

    fn take_events(&mut self, bytes: &[u8]) {
        // A bad line is skipped here and told by `verify`; a torn one is cut off by recovery.
        let (events, _) = ndjson::read::<ContractEvent>(layout::LOG, bytes);
        for event in events {
            self.take_event(&event);
        }
    }

    fn take_event(&mut self, event: &ContractEvent) {
        self.events = self.events.max(event.event_id.number());
        let text = |key: &str| event.detail.get(key).and_then(|value| value.as_str());
        if event.kind == Kind::KnowledgeLearned {
            self.lessons += 1;
        }
        if let Some(meant) = inbox::meaning(&self.inbox, event) {
            self.inbox.apply(&meant);
        }
        self.use_up(event.kind);
        let Some(id) = text("request_id").and_then(|id| id.parse::<RequestId>().ok()) else {
            return;
        };
        if event.kind == Kind::RequestStarted {
            let said = text("request").unwrap_or_default().to_owned();
            self.requests.insert(id.clone(), Request::new(id.clone(), said));
        }
        if let Some(request) = self.requests.get_mut(&id) {
            request.take(event);
        }
    }
}

impl View {
    /// Results whose meaning is in the log are used up. Only the first two calls of a request run at
    /// the same time.
    fn use_up(&mut self, kind: Kind) {
        let part = match kind {
            Kind::KnowledgeLearned | Kind::DocumentsRestored | Kind::InboxActed => return,
            Kind::Explored => Some("explore"),
            Kind::BrokenDown => Some("breakdown"),
            _ => None,
        };
        match part {
            Some(part) => {
                self.results.retain(|key, _| key.as_str().split('/').nth(2) != Some(part))
            }
            None => self.results.clear(),
        }
    }
}

fn known<D: Document>(name: &str, bytes: &[u8], identity: Option<Identity>) -> Known<D> {
    Known { value: parsed(name, bytes), bytes: bytes.to_vec(), identity }
}

/// A document, where it keeps its schema.
pub fn parsed<D: Document>(name: &str, bytes: &[u8]) -> Option<D> {
    let source = Source::from_bytes(name, bytes).ok()?;
    read::<D>(&source).ok().map(|read| read.value)
}
