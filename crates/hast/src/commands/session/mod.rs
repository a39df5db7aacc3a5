//! `hast session`: research that is planned, gathered, criticised, and kept only where it passed.

pub(crate) mod answering;
pub(crate) mod effects;
pub(crate) mod eyes;
mod footnotes;
pub(crate) mod glance;
mod html;
mod listing;
pub(crate) mod questions;
mod reading;
mod series;
mod source_waits;
mod unbegun;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hast_flow::docs::files::FlowName;
use hast_flow::flows::session::view::Life;
use hast_flow::flows::session::{NewSession, SessionFlow, Wish, laws, layout};
use hast_flow::formats::diagnostic::Diagnostic;
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::ids::SessionId;
use hast_flow::steps::Ending;
use hast_flow::time::UtcTime;
use hast_flow::trust::Trusted;
use hast_flow::words::visible;
use hast_world::files::read_named;
use hast_world::root_path::RootPath;
use hast_world::roots;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::calling::{self, Project};
use super::driving::{self, Driven, Unit};
use super::flow_root;
use super::opening;
use super::verify;
use crate::app::{App, shared_clock};
use crate::problem::{Exit, Problem};
use crate::session_cli::{ReplanArgs, ResumeArgs, SessionCommands, StartArgs, WorkArgs};
use crate::session_messages::say;
use effects::Sources;
use eyes::SessionEyes;
use source_waits::SourceWaits;

/// More lanes than this only wait for each other.
const MOST_LANES: usize = 64;

pub(crate) fn run(app: &mut App, command: &SessionCommands) -> Result<Exit, Problem> {
    match command {
        SessionCommands::Start(args) => start(app, args),
        SessionCommands::Resume(args) => resume(app, args),
        SessionCommands::List => listing::list(app),
        SessionCommands::Show(args) => match &args.html {
            None => listing::show(app, args.id.as_deref()),
            Some(file) => html::write(app, args.id.as_deref(), file.as_deref()),
        },
        SessionCommands::Verify(args) => check(app, args.id.as_deref()),
        SessionCommands::Answer(args) => answering::run(app, args),
        SessionCommands::Replan(args) => replan(app, args),
    }
}

/// What one drive of a session is about.
pub(crate) struct Errand {
    pub(crate) id: SessionId,
    pub(crate) new: Option<NewSession>,
    pub(crate) wish: Option<Wish>,
    pub(crate) work: WorkArgs,
    pub(crate) sources: Sources,
    pub(crate) trusted: Trusted,
}

fn start(app: &mut App, args: &StartArgs) -> Result<Exit, Problem> {
    let query = args.query.trim();
    if query.is_empty() {
        return Err(Problem::usage(say::empty_query(app.lang), say::empty_query_next(app.lang)));
    }
    lanes(app, &args.work)?;
    let system_prompt = text_of(app, args.system_prompt.as_deref())?.unwrap_or_default();
    let review_rules = text_of(app, args.rules.as_deref())?;
    let root = there(app).or_else(|_| flow_root::there_or_here(app, FlowName::Session))?;
    let project = calling::project_at(app, root)?;
    calling::agent_to_begin(app, &project, args.work.tool.as_deref())?;
    unbegun::remove(app, &project.root)?;
    let mut after = None;
    loop {
        let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
        let id = fresh(app, &project.root, after.as_ref());
        let new = NewSession {
            id: Some(id.clone()),
            query: format!("{query}\n"),
            system_prompt: system_prompt.clone(),
            review_rules: review_rules.clone(),
        };
        let (work, sources) = (args.work.clone(), Sources::Real);
        let errand = Errand { id: id.clone(), new: Some(new), wish: None, work, sources, trusted };
        let mut eyes = SessionEyes::new(app.lang);
        match go(app, &project, errand, &mut eyes) {
            // Somebody else began in the same second.
            Err(problem) if problem.exit == Exit::Locked => after = Some(id),
            driven => return deliver(app, &project.root, &id, &driven?),
        }
    }
}

fn resume(app: &mut App, args: &ResumeArgs) -> Result<Exit, Problem> {
    lanes(app, &args.work)?;
    let root = there(app)?;
    let (project, trusted) = trusted(app, root)?;
    let id = unfinished(app, &project.root, args.id.as_deref())?;
    let work = WorkArgs { now: args.now, ..args.work.clone() };
    on(app, &project, trusted, &id, None, work)
}

fn replan(app: &mut App, args: &ReplanArgs) -> Result<Exit, Problem> {
    lanes(app, &args.work)?;
    if args.reason.trim().is_empty() {
        return Err(Problem::usage(say::no_reason(app.lang), say::no_reason_next(app.lang)));
    }
    let root = there(app)?;
    let (project, trusted) = trusted(app, root)?;
    let id = unfinished(app, &project.root, args.id.as_deref())?;
    let known = reading::view(app, &directory(&project.root, &id))?.events;
    let wish = Wish::Replan { reason: args.reason.clone(), known };
    on(app, &project, trusted, &id, Some(wish), args.work.clone())
}

/// The project with the proof that what it brings may be run.
fn trusted(app: &mut App, root: RootPath) -> Result<(Project, Trusted), Problem> {
    let project = calling::project_at(app, root)?;
    let trusted = calling::trusted(app, &project, &calling::commands(&project))?;
    Ok((project, trusted))
}

/// Goes on with a session that is there.
fn on(
    app: &mut App,
    project: &Project,
    trusted: Trusted,
    id: &SessionId,
    wish: Option<Wish>,
    work: WorkArgs,
) -> Result<Exit, Problem> {
    let sources = Sources::Real;
    let errand = Errand { id: id.clone(), new: None, wish, work, sources, trusted };
    let mut eyes = SessionEyes::new(app.lang);
    let driven = go(app, project, errand, &mut eyes)?;
    deliver(app, &project.root, id, &driven)
}

/// Drives a session until it has nothing more to do.
pub(crate) fn go(
    app: &mut App,
    project: &Project,
    errand: Errand,
    eyes: &mut SessionEyes,
) -> Result<Driven<()>, Problem> {
    let Errand { id, new, wish, work, sources, trusted } = errand;
    let documents = directory(&project.root, &id);
    let flow = SessionFlow {
        new,
        wish,
        parallel: work.parallel.clamp(1, MOST_LANES),
        max_regenerations: project.config.max_regenerations.unwrap_or(2),
    };
    let user_agent = project.config.sec.as_ref().and_then(|sec| sec.user_agent.clone());
    let lang = app.lang;
    let cache = flow_root::cache(app, &documents.join(".hast/cache"))?;
    let unit = Unit {
        flow: FlowName::Session,
        project,
        documents,
        name: id.to_string(),
        title: say::title(lang, &id),
        tool: work.tool,
        trusted,
        held: Exit::Locked,
    };
    let now = work.now;
    let (variables, machine) = (project.variables.clone(), project.machine.clone());
    driving::drive(
        app,
        unit,
        &flow,
        |guarded| {
            let settings = sources.settings(&variables, user_agent, guarded, lang)?;
            let waits = SourceWaits::within(&machine, shared_clock(lang)?, now);
            Ok(Arc::new(effects::Tools { settings, cache, lang, waits: Some(waits) }))
        },
        eyes,
        |_| (),
    )
}

/// The answer on stdout, or everything for programs.
pub(crate) fn deliver(
    app: &mut App,
    root: &RootPath,
    id: &SessionId,
    driven: &Driven<()>,
) -> Result<Exit, Problem> {
    let problem = driving::meaning(app.lang, &driven.ending);
    if app.json {
        let mut document = listing::document(app, root, id)?;
        if let Value::Object(fields) = &mut document {
            fields.insert("ending".to_owned(), json!(driving::word(&driven.ending)));
            if let Some(problem) = &problem {
                fields.insert(
                    "problem".to_owned(),
                    json!({"what": problem.what, "next": problem.next}),
                );
            }
        }
        app.print_json(&document)?;
        if let Some(problem) = &problem {
            app.output.message(&problem.text(app.lang, &app.output.message_renderer()));
        }
        return Ok(problem.map_or(Exit::Done, |problem| problem.exit));
    }
    match problem {
        Some(problem) => Err(problem.at(&directory(root, id))),
        None => {
            let session = reading::session(app, root, id)?;
            let text = footnotes::answer(&session, app.lang);
            app.print(&flow_root::printable(&text))?;
            if let (Ending::Done(notice), false) = (&driven.ending, app.quiet) {
                let place = verify::shown_path(app, &directory(root, id));
                let what = &notice.what;
                app.output.message(&format!("{what}\n{}\n", say::started(app.lang, id, place)));
            }
            Ok(Exit::Done)
        }
    }
}

fn check(app: &mut App, id: Option<&str>) -> Result<Exit, Problem> {
    let root = there(app)?;
    let mut report = verify::Report::default();
    match id {
        None => verify::check_flow(app, FlowName::Session, &root, &mut report),
        Some(id) => {
            let id = known(app, &root, id)?;
            verify::check_session(app, &root, &directory(&root, &id), &mut report);
        }
    }
    verify::show(app, &report)
}

/// What the documents of a session do not agree on, with files as the user would type them.
pub(crate) fn breaches(app: &App, root: &RootPath, directory: &RootPath) -> Vec<Diagnostic> {
    let mut paths = BTreeSet::new();
    directory.walk(&mut |path| {
        if let Some(path) = path.ok().and_then(|path| path.strip_prefix(directory).ok()) {
            paths.insert(path.to_string_lossy().into_owned());
        }
    });
    let files = OnDisk { root: root.to_owned(), directory: directory.to_owned(), paths };
    let named = |finding: Diagnostic| {
        let file = verify::shown_path(app, &directory.join(&finding.file));
        Diagnostic { file, ..finding }
    };
    laws::breaches(&files).into_iter().map(named).collect()
}

/// A session's files, read one at a time.
struct OnDisk {
    root: RootPath,
    directory: RootPath,
    paths: BTreeSet<String>,
}

impl laws::Documents for OnDisk {
    fn paths(&self) -> &BTreeSet<String> {
        &self.paths
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.directory.join(path).read_if_there(laws::MAX_BYTES).ok().flatten()
    }

    fn is_in_project(&self, path: &str) -> bool {
        self.root.join(path.trim_start_matches('/')).is_file()
    }
}

/// All sessions of a root, oldest first. A directory in which nothing was written yet is none.
pub(crate) fn all(root: &RootPath) -> Vec<SessionId> {
    let mut ids: Vec<SessionId> = named(root).filter(|id| is_written(root, id)).collect();
    ids.sort();
    ids
}

fn named(root: &RootPath) -> impl Iterator<Item = SessionId> {
    let found = root.join("sessions").names().unwrap_or_default();
    found.into_iter().filter_map(|name| name.parse().ok())
}

fn is_written(root: &RootPath, id: &SessionId) -> bool {
    let place = directory(root, id);
    [layout::STATUS, layout::LOG].iter().any(|path| place.join(path).exists())
}

/// A start that was killed in its first commit has left a journal, and none of the documents by
/// which a session is known.
fn recover_begun(app: &App, root: &RootPath) -> Result<(), Problem> {
    for id in named(root).filter(|id| !is_written(root, id)) {
        opening::recover(app, &directory(root, &id))?;
    }
    Ok(())
}

pub(crate) fn directory(root: &RootPath, id: &SessionId) -> RootPath {
    root.join("sessions").join(id.as_str())
}

/// The root of the sessions, also where a session has lost its pointer.
pub(crate) fn there(app: &App) -> Result<RootPath, Problem> {
    let none = || Problem::new(say::no_sessions(app.lang), say::no_sessions_next(app.lang));
    if flow_root::found(app, FlowName::Session).is_some() {
        return flow_root::there(app, FlowName::Session, none);
    }
    let here = RootPath::new(app.here()).map_err(|error| flow_root::unread(app, &error))?;
    recover_begun(app, &here)?;
    let home = app.root.as_deref().or(app.home.as_deref());
    let marker = format!("sessions/S-*/{}", layout::LOG);
    let found = roots::find_root(app.here(), home, &marker).ok_or_else(none)?;
    RootPath::new(&found).map_err(|error| flow_root::unread(app, &error))
}

/// A name that no session has: this second, or the next free one.
pub(crate) fn fresh(app: &App, root: &RootPath, after: Option<&SessionId>) -> SessionId {
    let mut time = app.clock.now();
    loop {
        let id = SessionId::at(UtcTime::new(time));
        if !directory(root, &id).exists() && after != Some(&id) {
            return id;
        }
        time = time.saturating_add(SignedDuration::from_secs(1)).unwrap_or(time);
    }
}

fn known(app: &App, root: &RootPath, id: &str) -> Result<SessionId, Problem> {
    let found = id.parse::<SessionId>().ok().filter(|id| directory(root, id).is_dir());
    found.ok_or_else(|| {
        let next = say::unknown_session_next(app.lang);
        Problem::usage(say::unknown_session(app.lang, visible(id)), next)
    })
}

/// The session that is named, or the newest that has no ending yet.
fn unfinished(app: &App, root: &RootPath, id: Option<&str>) -> Result<SessionId, Problem> {
    if let Some(id) = id {
        return known(app, root, id);
    }
    recover_begun(app, root)?;
    let open = |id: &SessionId| {
        let life = reading::view(app, &directory(root, id))?.life;
        Ok(!matches!(life, Life::Completed | Life::Failed))
    };
    for id in all(root).into_iter().rev() {
        if open(&id)? {
            // A commit that was cut off may have ended it.
            opening::recover(app, &directory(root, &id))?;
            if open(&id)? {
                return Ok(id);
            }
        }
    }
    Err(Problem::new(say::nothing_unfinished(app.lang), say::no_sessions_next(app.lang)))
}

fn lanes(app: &App, work: &WorkArgs) -> Result<(), Problem> {
    match work.parallel {
        1..=MOST_LANES => Ok(()),
        _ => Err(Problem::usage(say::no_lanes(app.lang), say::no_lanes_next(app.lang))),
    }
}

fn text_of(app: &App, path: Option<&Path>) -> Result<Option<String>, Problem> {
    let Some(path) = path else { return Ok(None) };
    let full = app.directory.join(path);
    let bytes = read_named(&full, MAX_DOCUMENT_BYTES)
        .map_err(|error| Problem::cannot_read(app.lang, path, &error.source))?;
    if bytes.len() > MAX_DOCUMENT_BYTES {
        let what = say::too_long(app.lang, MAX_DOCUMENT_BYTES);
        return Err(Problem::usage(what, say::too_long_next(app.lang)).at(path));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
