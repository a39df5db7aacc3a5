//! The inbox, for every flow alike: what waits for a person, what they decided, and in which order
//! it is shown. Pure: a fold of events; who writes them, and what an action does, the flow knows.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::docs::files::FlowName;
use crate::time::UtcTime;

/// Names an item by what it is about, so that the same cause has the same name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ItemId(Box<str>);

impl ItemId {
    /// `cause` tells two things of the same kind about the same unit apart.
    pub fn of(flow: FlowName, unit: &str, kind: ItemKind, cause: &str) -> Self {
        let mut hasher = Sha256::new();
        for part in [flow.as_str(), unit, kind.code(), cause] {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        let hex: String = hasher.finalize()[..6].iter().map(|b| format!("{b:02x}")).collect();
        Self(format!("INB_{hex}").into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ItemId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a person is needed. Earlier ones are shown first: they hold up more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// Nothing goes on until somebody logs in.
    Login,
    EditConflict,
    ProtectedPath,
    ScopeViolation,
    MergeConflict,
    Confirmation,
    Question,
    Decision,
    BlockedGoal,
    Budget,
    /// An agent could not be started. Earlier versions had limits here too.
    #[serde(alias = "limit")]
    NotStarted,
}

impl ItemKind {
    pub const ALL: [Self; 11] = [
        Self::Login,
        Self::EditConflict,
        Self::ProtectedPath,
        Self::ScopeViolation,
        Self::MergeConflict,
        Self::Confirmation,
        Self::Question,
        Self::Decision,
        Self::BlockedGoal,
        Self::Budget,
        Self::NotStarted,
    ];

    /// Whether an agent did what it must not: that stays true when its goal is done.
    pub fn is_violation(self) -> bool {
        matches!(self, Self::ProtectedPath | Self::ScopeViolation)
    }

    pub fn code(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::EditConflict => "edit_conflict",
            Self::ProtectedPath => "protected_path",
            Self::ScopeViolation => "scope_violation",
            Self::MergeConflict => "merge_conflict",
            Self::Confirmation => "confirmation",
            Self::Question => "question",
            Self::Decision => "decision",
            Self::BlockedGoal => "blocked_goal",
            Self::Budget => "budget",
            Self::NotStarted => "not_started",
        }
    }
}

/// Something that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub id: ItemId,
    pub flow: FlowName,
    /// The goal, session, run, request or feature it is about.
    pub unit: String,
    pub kind: ItemKind,
    pub title: String,
    /// One screen: what happened, diff stat, test tail, how to look at the work.
    pub evidence: Vec<String>,
    pub opened_at: UtcTime,
    pub state: ItemState,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    Open,
    /// Put off; it stays in the list, after those that were not.
    Deferred(Deed),
    /// Agreed to, and open until what was agreed to is done.
    Approved(Deed),
    Acted(Deed),
    /// It went away without anybody acting.
    Resolved {
        at: UtcTime,
        why: String,
    },
}

/// What a person did about an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deed {
    pub action: Action,
    pub operator: String,
    pub text: Option<String>,
    pub at: UtcTime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Approve,
    Reject,
    Defer,
}

/// What happened to an item; the fold of these is the inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InboxEvent {
    Opened(Box<Item>),
    Acted { id: ItemId, deed: Deed },
    Approved { id: ItemId, deed: Deed },
    Resolved { id: ItemId, at: UtcTime, why: String },
}

/// Why an action is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    Unknown,
    /// Somebody was faster.
    AlreadyActed(Deed),
    AlreadyResolved {
        why: String,
    },
    /// A question is answered with a text.
    NeedsText,
}

/// What would open an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matter<'a> {
    pub flow: FlowName,
    pub unit: &'a str,
    pub kind: ItemKind,
    /// What makes it another matter than the last of its kind: a path, a question's id, a commit.
    pub cause: &'a str,
    pub title: String,
    pub evidence: Vec<String>,
}

/// The items of a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inbox {
    items: BTreeMap<ItemId, Item>,
    open: BTreeSet<ItemId>,
    /// What nobody waits for any more, in the order in which it ended.
    ended: BTreeSet<(UtcTime, ItemId)>,
}

/// How many items are remembered after they ended.
pub const REMEMBERED: usize = 1_000;

impl Inbox {
    pub fn apply(&mut self, event: &InboxEvent) {
        match event {
            InboxEvent::Opened(item) => {
                // A log that is told twice opens nothing twice.
                if !self.is_open(&item.id) {
                    self.put((**item).clone());
                }
            }
            InboxEvent::Acted { id, deed } => {
                let state = match deed.action {
                    Action::Defer => ItemState::Deferred(deed.clone()),
                    Action::Approve | Action::Reject => ItemState::Acted(deed.clone()),
                };
                self.change(id, state);
            }
            InboxEvent::Approved { id, deed } => {
                self.change(id, ItemState::Approved(deed.clone()));
            }
            InboxEvent::Resolved { id, at, why } => {
                self.change(id, ItemState::Resolved { at: *at, why: why.clone() });
            }
        }
    }

    fn change(&mut self, id: &ItemId, state: ItemState) {
        let open = self.items.get(id).filter(|item| item.is_open()).cloned();
        if let Some(item) = open {
            self.put(Item { state, ..item });
        }
    }

    fn put(&mut self, item: Item) {
        let id = item.id.clone();
        if let Some(at) = self.items.get(&id).and_then(Item::ended_at) {
            self.ended.remove(&(at, id.clone()));
        }
        match item.ended_at() {
            None => drop(self.open.insert(id.clone())),
            Some(at) => {
                self.open.remove(&id);
                self.ended.insert((at, id.clone()));
            }
        }
        self.items.insert(id, item);
        while self.ended.len() > REMEMBERED {
            if let Some((_, oldest)) = self.ended.pop_first() {
                self.items.remove(&oldest);
            }
        }
    }

    /// The event that opens an item; none while one about the same matter is open.
    pub fn open(&self, matter: Matter<'_>, now: UtcTime) -> Option<InboxEvent> {
        let id = ItemId::of(matter.flow, matter.unit, matter.kind, matter.cause);
        if self.is_open(&id) {
            return None;
        }
        Some(InboxEvent::Opened(Box::new(Item {
            id,
            flow: matter.flow,
            unit: matter.unit.to_owned(),
            kind: matter.kind,
            title: matter.title,
            evidence: matter.evidence,
            opened_at: now,
            state: ItemState::Open,
        })))
    }

    /// The event of a person's action. Acting twice is refused; putting off is not acting.
    pub fn act(&self, id: &ItemId, deed: Deed) -> Result<InboxEvent, Refused> {
        let item = self.items.get(id).ok_or(Refused::Unknown)?;
        match &item.state {
            ItemState::Acted(earlier) => return Err(Refused::AlreadyActed(earlier.clone())),
            ItemState::Resolved { why, .. } => {
                return Err(Refused::AlreadyResolved { why: why.clone() });
            }
            ItemState::Approved(earlier) if deed.action == Action::Approve => {
                return Err(Refused::AlreadyActed(earlier.clone()));
            }
            ItemState::Open | ItemState::Deferred(_) | ItemState::Approved(_) => {}
        }
        let says = deed.text.as_deref().is_some_and(|text| !text.trim().is_empty());
        // Whatever they think of it: the text is the answer.
        if item.kind == ItemKind::Question && deed.action != Action::Defer && !says {
            return Err(Refused::NeedsText);
        }
        Ok(InboxEvent::Acted { id: id.clone(), deed })
    }

    /// The event that an item's cause is gone; none if it is not open.
    pub fn resolve(&self, id: &ItemId, now: UtcTime, why: &str) -> Option<InboxEvent> {
        let resolved = InboxEvent::Resolved { id: id.clone(), at: now, why: why.to_owned() };
        self.is_open(id).then_some(resolved)
    }

    /// Items as they were written down.
    pub fn of(items: Vec<Item>) -> Self {
        let mut inbox = Self::default();
        for item in items {
            inbox.put(item);
        }
        inbox
    }

    /// All items, also those that nobody waits for any more.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.values()
    }

    /// An item by what a person types.
    pub fn named(&self, id: &str) -> Option<&Item> {
        self.items.get(&ItemId(id.into()))
    }

    pub fn get(&self, id: &ItemId) -> Option<&Item> {
        self.items.get(id)
    }

    /// What waits, in the order of ids.
    pub fn open_items(&self) -> impl Iterator<Item = &Item> {
        self.open.iter().filter_map(|id| self.items.get(id))
    }

    /// What waits, in the order in which to look at it: not put off before put off, what holds up
    /// more first, then the older.
    pub fn waiting(&self) -> Vec<&Item> {
        let mut waiting: Vec<&Item> = self.open_items().collect();
        waiting.sort_by_key(|item| {
            (item.state != ItemState::Open, item.kind, item.opened_at, item.id.clone())
        });
        waiting
    }

    /// The first so many of them.
    pub fn top(&self, most: usize) -> Vec<&Item> {
        let mut waiting = self.waiting();
        waiting.truncate(most);
        waiting
    }

    fn is_open(&self, id: &ItemId) -> bool {
        self.open.contains(id)
    }
}

impl Item {
    pub fn is_open(&self) -> bool {
        self.ended_at().is_none()
    }

    /// Commands that the evidence names.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.evidence.iter().filter_map(|line| line.strip_prefix("$ "))
    }

    /// The command that makes a decision, where one alternative can be merged.
    pub fn command(&self) -> Option<&str> {
        let mut own = self.commands().filter(|command| command.starts_with("hast decision "));
        own.next().filter(|_| self.kind == ItemKind::Decision)
    }

    /// When it stopped waiting for anybody.
    fn ended_at(&self) -> Option<UtcTime> {
        match &self.state {
            ItemState::Open | ItemState::Deferred(_) | ItemState::Approved(_) => None,
            ItemState::Acted(deed) => Some(deed.at),
            ItemState::Resolved { at, .. } => Some(*at),
        }
    }
}

#[cfg(test)]
mod tests;
