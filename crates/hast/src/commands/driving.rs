//! Drives a unit of a flow to an ending: its lock, its store, the driver, the agents, and what people
//! see meanwhile. Every flow's command comes through here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hast_flow::agents::usage::{Count, Tokens, Usage, Usd};
use hast_flow::docs::files::FlowName;
use hast_flow::driver::{Bounds, Driver, Flow};
use hast_flow::steps::{Ending, Notice, StepKey, WaitsFor};
use hast_flow::store::StoreError;
use hast_flow::trust::Trusted;
use hast_flow::words::Lang;
use hast_world::calls::{Calls, OtherEffects, Progress, RealWorld, What};
use hast_world::clock::Machine;
use hast_world::driver_lock::{DriverLock, NoLock};
use hast_world::root_path::RootPath;
use hast_world::supervisor::Guarded;

use super::agent::progress::{event_words, note};
use super::calling::{self, Project};
use super::opening;
use super::opening::store_problem;
use crate::agent_messages::say as agents;
use crate::app::App;
use crate::flow_messages::say;
use crate::output::local_time;
use crate::problem::{Exit, Problem};
use crate::progress::board::{Board, Row, State, cut, elapsed, tokens};
use crate::progress::live::{Live, Wanted};

/// What is to be driven.
pub(crate) struct Unit<'u> {
    pub(crate) flow: FlowName,
    pub(crate) project: &'u Project,
    /// The root of the flow's documents.
    pub(crate) documents: RootPath,
    /// Its lock and the records of its calls are named after it.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) tool: Option<String>,
    /// Proof that what the files bring may be run.
    pub(crate) trusted: Trusted,
    /// The exit code when another process drives it.
    pub(crate) held: Exit,
}

/// How it ended, what the caller looked at, and what it cost.
pub(crate) struct Driven<T> {
    pub(crate) ending: Ending,
    pub(crate) seen: T,
    /// What the calls of each unit reported.
    pub(crate) usage: BTreeMap<String, Usage>,
    pub(crate) lasted: Duration,
}

/// How often what is seen follows what happens.
const LOOK: Duration = Duration::from_millis(200);
/// So many units are cheap to lay out before every decision.
const SMALL: usize = 200;
/// Room for the words of an agent beside everything else on a line.
const WORDS: usize = 60;

/// How a flow's view is shown to people.
pub(crate) trait Eyes<V> {
    /// The units, laid out.
    fn rows(&self, view: &V) -> Vec<Row>;

    /// Looks before each decision, and gives lines that are to stay on the screen.
    fn turn(&mut self, _view: &V) -> Vec<String> {
        Vec::new()
    }

    /// The same for whoever has no board to look at.
    fn plain(&mut self, _view: &V) -> Vec<String> {
        Vec::new()
    }
}

/// Drives a flow; `look` takes from the last view what the caller needs.
pub(crate) fn drive<F: Flow, T>(
    app: &mut App,
    unit: Unit<'_>,
    flow: &F,
    others: impl FnOnce(&Arc<Guarded>) -> Result<Arc<dyn OtherEffects>, Problem>,
    eyes: &mut dyn Eyes<F::View>,
    look: impl FnOnce(&F::View) -> T,
) -> Result<Driven<T>, Problem> {
    let lang = app.lang;
    let _lock = lock(lang, &unit)?;
    let (store, disk) = opening::store(app, &unit.documents)?;
    app.tell_repairs();
    let mut settings = calling::settings(
        app,
        unit.project,
        unit.flow,
        unit.documents.clone(),
        unit.tool,
        unit.trusted,
    )?;
    settings.scope.clone_from(&unit.name);
    let (guarded, _signals) = calling::supervisor(lang)?;
    let others = others(&guarded)?;
    let waiting = Arc::clone(&guarded);
    let screen = Arc::new(Screen::start(app, unit.title));
    let shown = Arc::clone(&screen);
    let calls = Calls::new(settings, guarded, Box::new(move |progress| shown.heard(progress)));
    let calls = calls.beside(disk);
    let mut world = RealWorld::new(Arc::new(calls), others);
    let failed = |error: StoreError| store_problem(lang, &error);
    let mut driver =
        Driver::new(flow, store, &*app.clock, lang, Bounds::default()).map_err(failed)?;
    screen.follow(eyes.rows(driver.view()));
    let mut last = Instant::now();
    let mut watch = |view: &F::View| {
        screen.hear(eyes, view);
        // A small board follows at once: what is shown may have to stand through a long call.
        if last.elapsed() >= LOOK
            || screen.state().rows.as_ref().is_none_or(|rows| rows.len() <= SMALL)
        {
            screen.follow(eyes.rows(view));
            last = Instant::now();
        }
    };
    let ending = driver.drive_watched(&mut world, &mut watch).map_err(failed);
    // Nothing of ours outlives the command, however it ended.
    waiting.dismiss();
    for torn in driver.take_torn() {
        let kept = torn.ours.map_or_else(String::new, |kept| kept.to_string());
        screen.live.say(&say::torn(lang, &torn.path, kept));
    }
    let ending = ending?;
    screen.hear(eyes, driver.view());
    screen.follow(eyes.rows(driver.view()));
    let seen = look(driver.view());
    Ok(Driven { ending, seen, usage: screen.usage(), lasted: screen.started.elapsed() })
}

/// What an ending means for whoever called: nothing, or a problem with its exit code.
pub(crate) fn meaning(lang: Lang, ending: &Ending) -> Option<Problem> {
    let problem = |notice: &Notice, exit| Problem {
        exit,
        ..Problem::new(notice.what.clone(), notice.next.clone())
    };
    match ending {
        Ending::Done(_) => None,
        Ending::Failed(notice) | Ending::Blocked(notice) => Some(problem(notice, Exit::Failed)),
        Ending::Waiting { notice, on: WaitsFor::Person | WaitsFor::Source(_) } => {
            Some(problem(notice, Exit::Waiting))
        }
        Ending::Waiting { notice, on: WaitsFor::Time(_) } => Some(problem(notice, Exit::Failed)),
        Ending::Interrupted(_) => {
            let next = say::interrupted_next(lang);
            Some(Problem { exit: Exit::Interrupted, ..Problem::new(say::interrupted(lang), next) })
        }
    }
}

/// What an ending says.
pub(crate) fn told(ending: &Ending) -> &str {
    match ending {
        Ending::Done(notice)
        | Ending::Failed(notice)
        | Ending::Blocked(notice)
        | Ending::Waiting { notice, .. }
        | Ending::Interrupted(notice) => &notice.what,
    }
}

/// One word for programs.
pub(crate) fn word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Done(_) => "done",
        Ending::Failed(_) => "failed",
        Ending::Blocked(_) => "blocked",
        Ending::Waiting { .. } => "waiting",
        Ending::Interrupted(_) => "interrupted",
    }
}

pub(crate) fn lock(lang: Lang, unit: &Unit<'_>) -> Result<DriverLock, Problem> {
    let lock = lock_of(lang, &unit.documents, &unit.name);
    lock.map_err(|problem| match problem.exit {
        Exit::Locked => Problem { exit: unit.held, ..problem },
        _ => problem,
    })
}

/// The lock of a unit, for whoever changes something without driving it.
pub(crate) fn lock_of(lang: Lang, documents: &RootPath, name: &str) -> Result<DriverLock, Problem> {
    DriverLock::take(documents, name).map_err(|refused| match refused {
        NoLock::Held(owner) => {
            let what = say::driven(lang, name, owner.pid, &owner.host, local(&owner.since));
            Problem { exit: Exit::Locked, ..Problem::new(what, say::driven_next(lang, owner.pid)) }
        }
        NoLock::Io { path, source } => Problem::cannot_write(lang, &path, &source),
    })
}

/// A time of another process as people here read it.
fn local(since: &str) -> String {
    since.parse().map_or_else(|_| since.to_owned(), |at| local_time(&Machine, at))
}

/// The board, and what it has learnt from the calls.
struct Screen {
    live: Live,
    lang: Lang,
    quiet: bool,
    started: Instant,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    /// What the agent of a unit did last.
    last: BTreeMap<String, String>,
    /// What the flow says about a unit; the words of its agent come after that.
    details: BTreeMap<String, String>,
    /// Units whose call is over: their words go when the next call begins.
    over: BTreeSet<String>,
    /// What was seen last; none before the first look.
    rows: Option<Vec<(String, State, String)>>,
    /// Which time of a unit was told last.
    told: BTreeMap<String, String>,
    spent: BTreeMap<String, Usage>,
    /// What the calls under way have reported so far, and for which unit.
    calls: BTreeMap<StepKey, (String, Usage)>,
}

impl Heard {
    /// What each unit has cost so far.
    fn costs(&self) -> BTreeMap<String, Usage> {
        let mut costs = self.spent.clone();
        for (unit, usage) in self.calls.values() {
            let so_far = costs.entry(unit.clone()).or_default();
            *so_far = sum(*so_far, *usage);
        }
        costs
    }
}

impl Screen {
    fn start(app: &App, title: String) -> Self {
        let quiet = app.quiet || app.json;
        let wanted = match (app.quiet, app.json) {
            (true, _) => Wanted::Nothing,
            (false, true) => Wanted::Beats,
            (false, false) => Wanted::Board,
        };
        let board = Board { title, ..Board::default() };
        let live = Live::start(board, app.output.colours_messages(), wanted);
        let (started, heard) = (Instant::now(), Mutex::default());
        Self { live, lang: app.lang, quiet, started, heard }
    }

    fn usage(&self) -> BTreeMap<String, Usage> {
        self.state().spent.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_plain(&self) -> bool {
        !self.quiet && !self.live.is_drawing()
    }

    /// Says what eyes have to say.
    fn hear<V>(&self, eyes: &mut dyn Eyes<V>, view: &V) {
        let mut lines = eyes.turn(view);
        lines.extend(eyes.plain(view).into_iter().filter(|_| self.is_plain()));
        lines.iter().for_each(|line| self.live.say(line));
    }

    /// Shows the units as they are now; without a terminal, a line for each that changed.
    fn follow(&self, mut rows: Vec<Row>) {
        let mut state = self.state();
        state.details = rows.iter().map(|row| (row.id.clone(), row.detail.clone())).collect();
        for row in &mut rows {
            // Once the call is over the flow says what is done now.
            let is_told = state.over.contains(&row.id) && !row.detail.is_empty();
            let last = state.last.get(&row.id).filter(|_| !is_told);
            if let (State::Running, Some(last)) = (row.state, last) {
                row.detail = joined(&row.detail, last);
            }
        }
        let now: Vec<(String, State, String)> =
            rows.iter().map(|row| (row.id.clone(), row.state, row.title.clone())).collect();
        if self.is_plain() {
            for row in changed(&rows, &state) {
                let (id, title) = (cut(&row.id, 80), cut(&row.title, 80));
                let told = Some(&row.told).filter(|told| !told.is_empty());
                let told = told.map(|told| format!(" ({told})")).unwrap_or_default();
                self.live.say(&format!("{} {id} {title}{told}", named(self.lang, row.state)));
            }
        }
        let told = rows.iter().filter(|row| !row.told.is_empty());
        state.told.extend(told.map(|row| (row.id.clone(), row.told.clone())));
        state.rows = Some(now);
        drop(state);
        self.live.change(|board, now| {
            board.note_ends(&rows, now);
            for row in rows.iter_mut().filter(|row| row.state == State::Running) {
                let known = board.row(&row.id).filter(|known| known.state == State::Running);
                row.since = Some(known.and_then(|known| known.since).unwrap_or(now));
            }
            board.rows = rows;
        });
    }

    /// What a call has cost so far, on its row and in the sum.
    fn count(&self, progress: &Progress<'_>) {
        let (unit, usage) = (progress.call.unit.clone(), progress.usage);
        let mut state = self.state();
        let before = state.costs();
        match &progress.what {
            What::Event(_) => drop(state.calls.insert(progress.key.clone(), (unit, usage))),
            What::Ended(_) => {
                state.calls.remove(progress.key);
                let so_far = state.spent.entry(unit).or_default();
                *so_far = sum(*so_far, usage);
            }
            What::Started { .. }
            | What::Notice(_)
            | What::Limited { .. }
            | What::Waiting { .. }
            | What::Held => return,
        }
        let now = state.costs();
        drop(state);
        if now == before {
            return;
        }
        let all = now.values().copied().fold(Usage::default(), sum);
        self.live.change(|board, _| {
            board.cost = spent(self.lang, all);
            let costs =
                now.into_iter().filter_map(|(unit, usage)| Some((unit, spent(self.lang, usage)?)));
            board.costs = costs.collect();
        });
    }

    /// Something happened to a call.
    fn heard(&self, progress: &Progress<'_>) {
        self.count(progress);
        let lang = self.lang;
        self.live.note(|beats, now| note(beats, progress, lang, now));
        let said = match &progress.what {
            What::Started { .. } => Some(progress.agent.to_owned()),
            What::Event(event) => event_words(lang, event),
            What::Notice(_) | What::Limited { .. } | What::Waiting { .. } | What::Held => None,
            What::Ended(kept) => Some(format!("{}: {}", kept.agent, elapsed(progress.elapsed))),
        };
        let told = match &progress.what {
            What::Notice(notice) => Some((*notice).to_owned()),
            What::Limited { until } => {
                Some(agents::limited_until(lang, progress.agent, until.text(lang)))
            }
            What::Waiting { until } => Some(agents::waiting_until(lang, until.text(lang))),
            What::Held => Some(agents::held(lang)),
            _ => None,
        };
        if let (Some(told), false) = (told, self.quiet) {
            self.live.say(&cut(&told, 200));
        }
        let Some(said) = said else { return };
        let said = cut(&said, WORDS);
        let unit = progress.call.unit.clone();
        let mut state = self.state();
        let mut silent = Vec::new();
        match progress.what {
            What::Started { .. } => silent = std::mem::take(&mut state.over).into_iter().collect(),
            What::Ended(_) => drop(state.over.insert(unit.clone())),
            _ => {}
        }
        silent.iter().for_each(|unit| drop(state.last.remove(unit)));
        state.last.insert(unit.clone(), said.clone());
        let of = |unit: &String| state.details.get(unit).cloned().unwrap_or_default();
        let detail = joined(&of(&unit), &said);
        let silent: Vec<(String, String)> =
            silent.into_iter().map(|unit| (unit.clone(), of(&unit))).collect();
        drop(state);
        self.live.change(|board, _| {
            for (unit, detail) in silent.into_iter().chain([(unit, detail)]) {
                if let Some(row) = board.row(&unit) {
                    row.detail = detail;
                }
            }
        });
    }
}

/// Units of which a line is to be said: what is done first, and a whole after its parts.
fn changed<'r>(rows: &'r [Row], state: &Heard) -> Vec<&'r Row> {
    let known = |row: &&Row| match &state.rows {
        Some(rows) => rows
            .iter()
            .any(|(id, state, title)| (id, *state, title) == (&row.id, row.state, &row.title)),
        // What the first look finds was so before: only what runs is news.
        None => row.state != State::Running,
    };
    let again = |row: &&Row| {
        let told = Some(&row.told).filter(|told| !told.is_empty());
        told.is_some_and(|told| state.told.get(&row.id) != Some(told))
    };
    let is_new = |row: &&Row| !known(row) || (row.state == State::Running && again(row));
    let mut new: Vec<&Row> =
        rows.iter().filter(|row| row.state != State::Waiting).filter(is_new).collect();
    new.sort_by_key(|row| {
        (
            row.state != State::Done,
            std::cmp::Reverse(match row.state {
                State::Done => row.depth,
                _ => 0,
            }),
        )
    });
    new
}

/// What the flow says of a unit, then what its agent says.
fn joined(detail: &str, said: &str) -> String {
    let parts = [detail, said].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

pub(crate) fn sum(one: Usage, other: Usage) -> Usage {
    let tokens = match (one.tokens, other.tokens) {
        (Some(one), Some(other)) => Some(one.plus(other)),
        (one, other) => one.or(other),
    };
    let cost = match (one.cost, other.cost) {
        (Some(Usd(one)), Some(Usd(other))) => Some(Usd(one.saturating_add(other))),
        (one, other) => one.or(other),
    };
    Usage { tokens, cost }
}

/// Tokens and money in a few letters; nothing where the agent said nothing.
pub(crate) fn spent(lang: Lang, usage: Usage) -> Option<String> {
    let count = |used: Tokens| say::tokens(lang, tokens(used.input.saturating_add(used.output)));
    let parts: Vec<String> = [usage.tokens.map(count), usage.cost.map(|cost| cost.to_string())]
        .into_iter()
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

fn named(lang: Lang, state: State) -> String {
    match state {
        State::Waiting => say::waiting(lang),
        State::Running => say::running(lang),
        State::Done => say::done(lang),
        State::Failed => say::failed(lang),
        State::Skipped => say::skipped(lang),
    }
}
