//! Commits of commands that change goals or tell the log of the goals flow something, outside of a
//! run of `auto`. Whoever is faster wins; the other decides again.

use std::path::Path;

use hast_flow::docs::goals::GoalsEventKind;
use hast_flow::flows::goals::auto::{layout, policy};
use hast_flow::flows::goals::layout as project;
use hast_flow::flows::goals::status_edit::{NewStatus, with_status};
use hast_flow::store::{ChangeSet, DocPath, EventLog, Options, Put, Store, StoreError};
use hast_flow::time::UtcTime;
use hast_flow::words::Lang;
use hast_world::disk::RealDisk;
use serde_json::Value;

use super::driving::store_problem;
use crate::app::App;
use crate::problem::Problem;
use crate::queue_messages::say;

/// What a command wants written.
pub(crate) struct Wish {
    pub(crate) actor: String,
    /// The goal that gets another status.
    pub(crate) status: Option<(String, Becomes)>,
    pub(crate) events: Vec<(GoalsEventKind, Value)>,
}

/// The status that a goal gets, owned.
#[derive(Clone, Debug)]
pub(crate) enum Becomes {
    Pending,
    Active,
    Blocked(String),
}

impl Becomes {
    fn new_status(&self) -> NewStatus<'_> {
        match self {
            Self::Pending => NewStatus::Pending,
            Self::Active => NewStatus::Active,
            Self::Blocked(reason) => NewStatus::Blocked { reason },
        }
    }
}

/// How often somebody else may be faster.
const TRIES: u32 = 32;

/// Opens the documents of the goals flow.
pub(crate) fn open(lang: Lang, root: &Path) -> Result<Store<RealDisk>, Problem> {
    let disk = RealDisk::open(&root.join(project::DIRECTORY)).map_err(StoreError::from);
    let opened = disk.and_then(|disk| Store::open(disk, Options::default()));
    opened.map(|(store, _)| store).map_err(|error| store_problem(lang, &error))
}

/// Asks `decide` what to write, as often as somebody else was faster.
pub(crate) fn write(
    app: &App,
    root: &Path,
    mut decide: impl FnMut(&Store<RealDisk>) -> Result<Wish, Problem>,
) -> Result<(), Problem> {
    let lang = app.lang;
    let mut store = open(lang, root)?;
    let now = UtcTime::new(app.clock.now());
    for _ in 0..TRIES {
        let log =
            doc_path(layout::EVENTS).and_then(|path| EventLog::open(&mut store, path, u64::MAX));
        let mut log = log.map_err(|error| store_problem(lang, &error))?;
        let wish = decide(&store)?;
        let mut change = ChangeSet::new(policy::CONTROLLER, "a person or a worker");
        if let Some((goal, becomes)) = &wish.status {
            change.puts.extend(goals_put(lang, &store, goal, becomes)?);
        }
        for (kind, detail) in wish.events {
            log.add(now, &wish.actor, name(kind), detail);
        }
        let committed = log.take_puts().and_then(|puts| {
            change.puts.extend(puts);
            store.commit(change, &policy::POLICY)
        });
        match committed {
            Ok(_) => return Ok(()),
            Err(StoreError::Stale { .. }) => {}
            Err(error) => return Err(store_problem(lang, &error)),
        }
    }
    let path = doc_path(layout::GOALS).map_err(|error| store_problem(lang, &error))?;
    Err(store_problem(lang, &StoreError::Stale { path }))
}

fn goals_put(
    lang: Lang,
    store: &Store<RealDisk>,
    goal: &str,
    becomes: &Becomes,
) -> Result<Option<Put>, Problem> {
    let path = doc_path(layout::GOALS).map_err(|error| store_problem(lang, &error))?;
    let read = store.read(&path).map_err(|error| store_problem(lang, &error))?;
    let Some((bytes, before)) = read else {
        return Err(Problem::new(say::no_goals_file(lang), say::no_goals_file_next(lang)));
    };
    let text = String::from_utf8_lossy(&bytes);
    let edited = with_status(&text, goal, becomes.new_status()).map_err(|findings| {
        let why = findings.first().map(|first| first.finding.what(lang)).unwrap_or_default();
        Problem::new(say::cannot_edit(lang, goal), say::cannot_edit_next(lang, goal)).because(why)
    })?;
    let bytes = edited.into_bytes();
    Ok((bytes != text.as_bytes()).then_some(Put::Replace { path, before, bytes }))
}

fn doc_path(text: &str) -> Result<DocPath, StoreError> {
    DocPath::new(text).map_err(|bad| StoreError::Malformed(bad.into()))
}

/// As the log writes it.
fn name(kind: GoalsEventKind) -> &'static str {
    match kind {
        GoalsEventKind::Retried => "RETRIED",
        GoalsEventKind::InboxActed => "INBOX_ACTED",
        _ => "STATUS_SET",
    }
}
