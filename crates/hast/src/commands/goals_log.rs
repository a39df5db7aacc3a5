//! Commits of commands that change goals or tell the log of the goals flow something, outside of a
//! run of `auto`. Whoever is faster wins; the other decides again.

use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::docs::goals::{CommitMode, Config, GoalsEventKind};
use hast_flow::driver::{Bounds, Driver, Flow, InTurn};
use hast_flow::flows::goals::auto::publishing::StatusFlow;
use hast_flow::flows::goals::auto::{layout, policy};
use hast_flow::flows::goals::layout as project;
use hast_flow::flows::goals::status_edit::{NewStatus, with_status};
use hast_flow::steps::{Effect, EffectResult, Ending};
use hast_flow::store::{ChangeSet, DocPath, EventLog, Identity, Put, Store, StoreError};
use hast_flow::time::UtcTime;
use hast_flow::words::Lang;
use hast_world::calls::OtherEffects;
use hast_world::disk::RealDisk;
use hast_world::driver_lock::DriverLock;
use hast_world::git_thread::GitThread;
use hast_world::root_path::RootPath;
use serde_json::Value;

use super::auto::effects::Nothing;
use super::auto::{UNIT, tree_rules};
use super::calling::Project;
use super::goals_files::keep_ignored;
use super::opening::{self, store_problem};
use crate::app::App;
use crate::problem::Problem;
use crate::queue_messages::say;

/// What a command wants written.
pub(crate) struct Wish {
    pub(crate) actor: String,
    /// The goal that gets another status.
    pub(crate) status: Option<(String, Becomes)>,
    /// Another text of goals.yaml, and the file that it was made from.
    pub(crate) goals: Option<(String, Identity)>,
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
pub(crate) fn open(app: &App, root: &RootPath) -> Result<Store<RealDisk>, Problem> {
    keep_ignored(app.lang, root)?;
    opening::store(app, &root.join(project::DIRECTORY)).map(|(store, _)| store)
}

/// Whether changes of goals are committed.
pub(crate) fn commits(config: &Config) -> bool {
    match config.commit {
        Some(CommitMode::Off) => false,
        Some(CommitMode::Auto) | None => true,
    }
}

/// Asks `decide` what to write, as often as somebody else was faster. A goal's new status is committed
/// at once, or by the run of `auto` that goes on meanwhile, or by the next one.
pub(crate) fn write(
    app: &App,
    project: &Project,
    decide: impl FnMut(&Store<RealDisk>) -> Result<Wish, Problem>,
) -> Result<(), Problem> {
    let state = project.root.join(project::DIRECTORY);
    let lock = DriverLock::take(&state, UNIT);
    write_down(app, project, decide)?;
    if lock.is_ok() && commits(&project.config) {
        // Where it cannot be committed now, the log still owes it.
        let flow = StatusFlow { rules: tree_rules(project) };
        let _: Result<_, Problem> = drive_git(app, project, &flow, |_| ());
    }
    Ok(())
}

/// Drives a flow that asks for nothing but git, without a word to anybody, for whoever holds the lock.
pub(crate) fn drive_git<F: Flow, T>(
    app: &App,
    project: &Project,
    flow: &F,
    look: impl FnOnce(&F::View) -> T,
) -> Result<(Ending, T), Problem> {
    let lang = app.lang;
    let refused = |problem: &GitProblem| Problem::new(problem.what(lang), problem.next(lang));
    let git = GitThread::open(&project.root).map_err(|problem| refused(&problem))?;
    let failed = |error: StoreError| store_problem(lang, &error);
    let store = open(app, &project.root)?;
    let mut driver =
        Driver::new(flow, store, &*app.clock, lang, Bounds::default()).map_err(failed)?;
    let mut world = InTurn::new(|key, effect| match effect {
        Effect::Git(step) => EffectResult::Git(git.perform(step)),
        _ => Nothing.perform(key, effect),
    });
    let ending = driver.drive(&mut world).map_err(failed)?;
    Ok((ending, look(driver.view())))
}

/// The same for a caller that holds the lock of the goals and commits the status itself.
pub(crate) fn write_down(
    app: &App,
    project: &Project,
    mut decide: impl FnMut(&Store<RealDisk>) -> Result<Wish, Problem>,
) -> Result<(), Problem> {
    let (lang, root) = (app.lang, &project.root);
    let mut store = open(app, root)?;
    let now = UtcTime::new(app.clock.now());
    for _ in 0..TRIES {
        let log =
            doc_path(layout::EVENTS).and_then(|path| EventLog::open(&mut store, path, u64::MAX));
        let mut log = log.map_err(|error| store_problem(lang, &error))?;
        let wish = decide(&store)?;
        if wish.status.is_none() && wish.goals.is_none() && wish.events.is_empty() {
            return Ok(());
        }
        let mut change = ChangeSet::new(policy::CONTROLLER, "a person or a worker");
        if let Some((text, before)) = wish.goals {
            let path = doc_path(layout::GOALS).map_err(|error| store_problem(lang, &error))?;
            change.puts.push(Put::Replace { path, before, bytes: text.into_bytes() });
        }
        let mut put = None;
        if let Some((goal, becomes)) = &wish.status {
            put = goals_put(lang, &store, goal, becomes)?;
        }
        let owed = put.is_some() && commits(&project.config);
        change.puts.extend(put);
        for (kind, mut detail) in wish.events {
            if owed && kind != GoalsEventKind::InboxActed {
                detail[layout::OWED] = Value::Bool(true);
            }
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

/// goals.yaml as it is now, and which file that is.
pub(crate) fn goals_bytes(
    lang: Lang,
    store: &Store<RealDisk>,
) -> Result<(Vec<u8>, Identity), Problem> {
    let path = doc_path(layout::GOALS).map_err(|error| store_problem(lang, &error))?;
    let read = store.read(&path).map_err(|error| store_problem(lang, &error))?;
    read.ok_or_else(|| Problem::new(say::no_goals_file(lang), say::no_goals_file_next(lang)))
}

fn goals_put(
    lang: Lang,
    store: &Store<RealDisk>,
    goal: &str,
    becomes: &Becomes,
) -> Result<Option<Put>, Problem> {
    let path = doc_path(layout::GOALS).map_err(|error| store_problem(lang, &error))?;
    let (bytes, before) = goals_bytes(lang, store)?;
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
