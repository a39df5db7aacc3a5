//! How a request is shown while it is worked on: its plan as a tree that grows.

use std::collections::BTreeMap;

use hast_flow::docs::kernel::{TodoItem, TodoStatus};
use hast_flow::flows::kernel::View;
use hast_flow::flows::kernel::view::{Life, Request};
use hast_flow::ids::RequestUuid;
use hast_flow::words::Lang;

use crate::commands::driving::Eyes;
use crate::kernel_messages::say;
use crate::progress::board::{Row, State};

/// Something that happened to the plan.
pub(crate) enum Change {
    Planned { items: usize },
    Grown { parent: String, items: Vec<String> },
    Replaced { parent: String, items: Vec<String> },
    Failed { item: String, why: String },
    Completed { item: String },
    Reported,
    Answered,
}

/// Watches one request.
pub(crate) struct KernelEyes {
    lang: Lang,
    id: Option<RequestUuid>,
    known: BTreeMap<String, TodoStatus>,
    life: Life,
    /// What is said about a change beyond the rows.
    pub(crate) comment: Option<fn(&Change, Lang) -> String>,
}

impl KernelEyes {
    pub(crate) fn new(lang: Lang, id: Option<RequestUuid>) -> Self {
        Self { lang, id, known: BTreeMap::new(), life: Life::Unborn, comment: None }
    }

    fn request<'v>(&self, view: &'v View) -> Option<&'v Request> {
        view.requests.get(self.id.as_ref()?)
    }

    /// What is different from the last look.
    fn changes(&mut self, request: &Request) -> Vec<Change> {
        let items = request.items();
        let mut changes = Vec::new();
        for item in items {
            let before = self.known.get(&item.id);
            if before == Some(&item.status) || (before.is_none() && self.known.is_empty()) {
                continue;
            }
            match item.status {
                TodoStatus::Completed => {
                    changes.push(Change::Completed { item: item.id.clone() });
                }
                TodoStatus::Failed => {
                    let why = request.failed.as_ref().map(|(_, why)| why.clone());
                    let why = why.unwrap_or_default();
                    changes.push(Change::Failed { item: item.id.clone(), why });
                }
                TodoStatus::Pending | TodoStatus::InProgress => {}
            }
        }
        if self.known.is_empty() && !items.is_empty() {
            changes.push(Change::Planned { items: items.len() });
        } else {
            changes.extend(self.grown(request));
        }
        if request.life != self.life {
            match request.life {
                Life::Judging => changes.push(Change::Reported),
                Life::Completed => changes.push(Change::Answered),
                _ => {}
            }
        }
        self.known = items.iter().map(|item| (item.id.clone(), item.status)).collect();
        self.life = request.life;
        changes
    }

    fn grown(&self, request: &Request) -> Option<Change> {
        let new = |item: &&TodoItem| !self.known.contains_key(&item.id);
        let new: Vec<&TodoItem> = request.items().iter().filter(new).collect();
        let parent = new.first()?.parent_id.clone()?;
        let items = new.iter().map(|item| item.id.clone()).collect();
        Some(match request.replaced.contains(&parent) {
            true => Change::Replaced { parent, items },
            false => Change::Grown { parent, items },
        })
    }
}

impl Eyes<View> for KernelEyes {
    fn rows(&self, view: &View) -> Vec<Row> {
        let Some(request) = self.request(view) else { return Vec::new() };
        let part = |id: &str, title: String, state| Row {
            id: id.to_owned(),
            title,
            state,
            ..Row::default()
        };
        let mut rows: Vec<Row> = request.items().iter().map(row).collect();
        match request.life {
            Life::Planning => rows.push(part("plan", say::planning(self.lang), State::Running)),
            Life::Reporting | Life::Judging => {
                rows.push(part("report", say::reporting(self.lang), State::Running));
            }
            Life::Completed => rows.push(part("report", say::reporting(self.lang), State::Done)),
            Life::Unborn | Life::Working | Life::Failed => {}
        }
        rows
    }

    fn turn(&mut self, view: &View) -> Vec<String> {
        let Some(request) = self.request(view).cloned() else { return Vec::new() };
        let (lang, comment) = (self.lang, self.comment);
        let changes = self.changes(&request);
        comment.map_or_else(Vec::new, |say| changes.iter().map(|one| say(one, lang)).collect())
    }
}

fn row(item: &TodoItem) -> Row {
    Row {
        depth: usize::try_from(item.depth.saturating_sub(1)).unwrap_or(0),
        id: item.id.clone(),
        title: item.title.clone(),
        state: match item.status {
            TodoStatus::Pending => State::Waiting,
            TodoStatus::InProgress => State::Running,
            TodoStatus::Completed => State::Done,
            TodoStatus::Failed => State::Failed,
        },
        ..Row::default()
    }
}
