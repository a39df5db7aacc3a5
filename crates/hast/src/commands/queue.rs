//! `hast queue`: goals for many workers, one holder each.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;

use hast_flow::docs::document::read;
use hast_flow::docs::goals::{Claim, ClaimStatus, GoalStatus, Goals, GoalsEventKind, QueueEvent};
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::queue::desk::{Desk, LOG, look};
use hast_flow::flows::goals::queue::{Ask, Code, Decided, Limits, Queue, Refused, candidates};
use hast_flow::flows::goals::runnable::{Asked, Choice, Depth, choose};
use hast_flow::flows::goals::selection::{find_typed, placed};
use hast_flow::formats::ndjson;
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::time::UtcTime;
use hast_flow::trust::Commands;
use hast_flow::words::visible;
use hast_world::disk::RealDisk;
use hast_world::root_path::RootPath;
use jiff::SignedDuration;
use serde_json::json;

use super::calling::{self, Project};
use super::events::word;
use super::flow_root::unwritten;
use super::goals_files::{GoalsFiles, find_root, keep_ignored, show};
use super::goals_log::{self, Becomes, Wish};
use super::opening::{self, store_problem};
use crate::app::App;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};
use crate::queue_cli::{ClaimArgs, ListArgs, QueueCommands, ReleaseArgs, RenewArgs};
use crate::queue_messages::say;

const MAX_LOG: usize = 256 << 20;

pub(crate) fn run(app: &mut App, command: &QueueCommands) -> Result<Exit, Problem> {
    match command {
        QueueCommands::Claim(args) => claim(app, args),
        QueueCommands::Renew(args) => renew(app, args),
        QueueCommands::Release(args) => release(app, args),
        QueueCommands::List(args) => list(app, *args),
        QueueCommands::Sweep => sweep(app),
    }
}

fn claim(app: &mut App, args: &ClaimArgs) -> Result<Exit, Problem> {
    let root = find_root(app)?;
    let ask = Ask {
        worker: worker(app, &args.worker)?,
        role: args.role.map(crate::queue_cli::RoleArg::lane),
        goal: args.goal.clone(),
        time: minutes(args.ttl),
        idempotency_key: args.key.clone(),
    };
    let claim = take(app, &root, &ask)?;
    print_claim(app, &claim)
}

/// A goal for a worker, or why there is none.
pub(crate) fn take(app: &mut App, root: &RootPath, ask: &Ask) -> Result<Claim, Problem> {
    let path = root.join(layout::GOALS);
    let read_at = stamp(&path);
    let files = GoalsFiles::read(app, root)?;
    show(app, &files.warnings);
    let goal = ask.goal.as_ref().map(|typed| goal_id(&files.goals, typed));
    let ask = &Ask { goal, ..ask.clone() };
    let mut desk = desk(app, root.to_owned())?;
    let (mut goals, now) = (files.goals, now(app));
    let answer = call(app, &mut desk, |queue| {
        // Whoever held the lock before may have given a goal another status.
        if stamp(&path) != read_at {
            goals = goals_now(&path).unwrap_or_default();
        }
        queue.claim(ask, &candidates(&placed(&goals)), Limits::default(), now)
    })?;
    answer.map_err(|refused| {
        let problem = problem(app, &refused);
        if refused.code() == Code::GoalNotClaimable {
            why_not(app, ask, &goals, problem)
        } else {
            problem
        }
    })
}

/// Gives a claim back that nothing came of. What cannot be given back ends by itself.
pub(crate) fn give_back(app: &mut App, root: &RootPath, claim: &Claim) {
    let now = now(app);
    if let Ok(mut desk) = desk(app, root.to_owned()) {
        let (id, worker) = (&claim.claim_id, &claim.worker_id);
        let _ = desk.call(now, |queue| queue.release(id, worker, None, now));
    }
}

/// The words of `auto` say why this goal is not to be worked on.
fn why_not(app: &App, ask: &Ask, goals: &Goals, problem: Problem) -> Problem {
    let asked = Asked { goal: ask.goal.clone(), depth: Depth::One };
    let (what, next) = match choose(&placed(goals), &asked, None, &BTreeSet::new()) {
        Choice::Refused(why) => (why.what(app.lang), why.next(app.lang)),
        Choice::Nothing(why) => (why.what(app.lang), why.next(app.lang)),
        Choice::Run(_) => return problem,
    };
    Problem { what, next, ..problem }
}

/// Tells whether a file is the one that was read: every writer of ours puts another in its place.
fn stamp(path: &RootPath) -> Option<(u64, u64, i64, i64)> {
    let meta = path.metadata().ok()?;
    Some((meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec()))
}

/// The goals of a project as its file has them now; none where it cannot be read.
pub(crate) fn goals_there(root: &RootPath) -> Option<Goals> {
    goals_now(&root.join(layout::GOALS))
}

/// Goals that cannot be read any more are none that could be claimed.
fn goals_now(path: &RootPath) -> Option<Goals> {
    let bytes = path.read_if_there(MAX_DOCUMENT_BYTES).ok()??;
    let source = Source::from_bytes(layout::GOALS, &bytes).ok()?;
    read::<Goals>(&source).ok().map(|read| read.value)
}

fn renew(app: &mut App, args: &RenewArgs) -> Result<Exit, Problem> {
    let worker = worker(app, &args.worker)?;
    let root = find_root(app)?;
    let mut desk = desk(app, root)?;
    let (now, time) = (now(app), minutes(args.ttl));
    let answer = call(app, &mut desk, |queue| queue.renew(&args.claim, &worker, time, now))?;
    let claim = answer.map_err(|refused| problem(app, &refused))?;
    print_claim(app, &claim)
}

/// The status is set while the lock of the queue is held, and first: a worker whose time is over
/// sets none, and one that is killed in between releases again.
fn release(app: &mut App, args: &ReleaseArgs) -> Result<Exit, Problem> {
    let worker = worker(app, &args.worker)?;
    let root = find_root(app)?;
    let project = calling::project_at(app, root)?;
    let mut desk = open(app, &project)?;
    let (now, id) = (now(app), args.claim.as_str());
    let status = args.goal_status.map(crate::queue_cli::StatusArg::status);
    let (mut unset, mut left) = (None, None);
    let answer = call(app, &mut desk, |queue| {
        let mut decided = queue.release(id, &worker, status, now);
        if let (Ok(claim), Some(status)) = (&decided.answer, status) {
            match set_status(app, &project, claim, status) {
                Ok(Set::AsWished) => {}
                Ok(Set::Left(at)) => {
                    left = Some(at);
                    decided = queue.release(id, &worker, None, now);
                }
                Err(problem) => {
                    unset = Some(problem);
                    decided.news.clear();
                }
            }
        }
        decided
    })?;
    if let Some(problem) = unset {
        return Err(problem);
    }
    let claim = answer.map_err(|refused| problem(app, &refused))?;
    let goal = visible(&claim.goal_id);
    if app.json {
        let mut document = json!(claim);
        if let Some(left) = left {
            document["status_left"] = json!(left);
        }
        app.print_json(&document)?;
        return Ok(Exit::Done);
    }
    let mut text = format!("{}\n", say::released(app.lang, &goal));
    if let Some(left) = left.map(word) {
        let (kept, next) =
            (say::status_left(app.lang, &goal, left), say::status_left_next(app.lang));
        text += &format!("{kept}\n{}: {next}\n", common::next(app.lang));
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

/// What became of the status that a worker wished for.
enum Set {
    AsWished,
    /// Somebody else has decided about the goal meanwhile.
    Left(GoalStatus),
}

fn set_status(
    app: &App,
    project: &Project,
    claim: &Claim,
    status: GoalStatus,
) -> Result<Set, Problem> {
    let becomes = match status {
        GoalStatus::Pending => Becomes::Pending,
        GoalStatus::Blocked => Becomes::Blocked(say::blocked_by(app.lang, &claim.worker_id)),
        GoalStatus::Active | GoalStatus::Done | GoalStatus::Dropped => Becomes::Active,
    };
    let detail = json!({
        "goal_id": claim.goal_id, "status": status, "claim_id": claim.claim_id, "fence": claim.fence,
    });
    let path = project.root.join(layout::GOALS);
    let mut set = Set::AsWished;
    goals_log::write(app, project, |_| {
        let mut wish =
            Wish { actor: claim.worker_id.clone(), status: None, goals: None, events: Vec::new() };
        match goals_now(&path).and_then(|goals| status_of(&goals, &claim.goal_id)) {
            // A worker has a say while the goal is to be worked on, and only then.
            None | Some(GoalStatus::Active | GoalStatus::Pending) => {
                wish.status = Some((claim.goal_id.clone(), becomes.clone()));
                wish.events = vec![(GoalsEventKind::StatusSet, detail.clone())];
            }
            // It was killed before it could say that it releases.
            Some(now) if now == status => {}
            Some(now) => set = Set::Left(now),
        }
        Ok(wish)
    })?;
    Ok(set)
}

/// A goal's id as the file has it, however it was typed.
pub(crate) fn goal_id(goals: &Goals, typed: &str) -> String {
    let all = placed(goals);
    find_typed(&all, typed).map_or_else(|| typed.to_owned(), |placed| placed.goal.id.clone())
}

pub(crate) fn status_of(goals: &Goals, id: &str) -> Option<GoalStatus> {
    placed(goals).iter().find(|placed| placed.goal.id == id).map(|placed| placed.goal.status)
}

fn list(app: &mut App, args: ListArgs) -> Result<Exit, Problem> {
    let root = find_root(app)?;
    let project = calling::project_at(app, root)?;
    let directory = directory(&project);
    let mut claims = Vec::new();
    approved(app, &project)?;
    directory.check_directory().map_err(|error| unwritten(app.lang, &error.into()))?;
    if directory.is_dir() {
        claims = claims_there(app, &project, &directory)?;
        if !args.active_only {
            claims = with_archive(app, &directory, claims)?;
        }
    }
    claims.retain(|claim| !args.active_only || claim.status == ClaimStatus::Active);
    if app.json {
        app.print_json(&json!({ "claims": claims }))?;
        return Ok(Exit::Done);
    }
    let mut text: String = claims.iter().map(line).collect();
    if text.is_empty() {
        text = say::no_claims(app.lang) + "\n";
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

/// What is over is ended first, as by every call; in a queue that somebody else made only for the eye.
fn claims_there(
    app: &mut App,
    project: &Project,
    directory: &RootPath,
) -> Result<Vec<Claim>, Problem> {
    let (lang, now) = (app.lang, now(app));
    if project.config.queue_dir.is_some() || opening::are_own(app, directory)? {
        let mut desk = open(app, project)?;
        desk.sweep(now).map_err(|error| store_problem(lang, &error))?;
        return Ok(desk.queue().claims().into_iter().cloned().collect());
    }
    opening::recover(app, directory)?;
    let disk = opening::disk_to_look(app, directory)?;
    let queue = look(&disk, now).map_err(|error| store_problem(lang, &error))?;
    Ok(queue.claims().into_iter().cloned().collect())
}

/// Claims that ended before the present file of the log began.
fn with_archive(
    app: &App,
    directory: &RootPath,
    current: Vec<Claim>,
) -> Result<Vec<Claim>, Problem> {
    let unread = |error: hast_world::files::PathError| {
        Problem::cannot_read(app.lang, &error.path, &error.source)
    };
    let archive = directory.join("archive");
    let mut files = archive.names().map_err(unread)?;
    files.sort();
    let mut all = BTreeMap::new();
    for file in files.iter().filter(|file| file.ends_with(".ndjson")) {
        let bytes = archive.join(file).read_if_there(MAX_LOG).map_err(unread)?;
        let (events, _) = ndjson::read::<QueueEvent>(LOG, &bytes.unwrap_or_default());
        let claims = events.into_iter().flat_map(|event| event.detail.claims);
        all.extend(claims.map(|claim| (claim.fence, claim)));
    }
    all.extend(current.into_iter().map(|claim| (claim.fence, claim)));
    Ok(all.into_values().collect())
}

fn sweep(app: &mut App) -> Result<Exit, Problem> {
    let root = find_root(app)?;
    let mut desk = desk(app, root)?;
    let swept = desk.sweep(now(app)).map_err(|error| store_problem(app.lang, &error))?;
    if app.json {
        app.print_json(&json!({ "expired": swept }))?;
    } else {
        app.print(&format!("{}\n", say::swept(app.lang, swept.len())))?;
    }
    Ok(Exit::Done)
}

fn worker(app: &App, name: &str) -> Result<String, Problem> {
    if name.trim().is_empty() {
        let (what, next) = (say::empty_worker(app.lang), say::empty_worker_next(app.lang));
        return Err(Problem::usage(what, next));
    }
    Ok(name.to_owned())
}

/// Where the queue is: `queue_dir` of the configuration, else below `.ai/`.
pub(crate) fn directory(project: &Project) -> RootPath {
    let elsewhere = project.config.queue_dir.as_ref();
    let elsewhere = elsewhere.map(|path| RootPath::of_user(&project.root.as_path().join(path)));
    match elsewhere {
        Some(Ok(directory)) => directory,
        Some(Err(_)) | None => project.root.join(layout::DIRECTORY).join("queue"),
    }
}

fn desk(app: &mut App, root: RootPath) -> Result<Desk<RealDisk>, Problem> {
    let project = calling::project_at(app, root)?;
    open(app, &project)
}

/// A queue elsewhere is used because a file of the repository says so: that is approved first.
fn approved(app: &mut App, project: &Project) -> Result<(), Problem> {
    let Some(elsewhere) = &project.config.queue_dir else { return Ok(()) };
    let commands = Commands::default().with("queue_dir", elsewhere);
    calling::trusted(app, project, &commands).map(|_| ())
}

pub(crate) fn open(app: &mut App, project: &Project) -> Result<Desk<RealDisk>, Problem> {
    let lang = app.lang;
    approved(app, project)?;
    if project.root.join(layout::DIRECTORY).is_dir() {
        keep_ignored(lang, &project.root)?;
    }
    let directory = directory(project);
    directory.make_directory().map_err(|error| unwritten(lang, &error.into()))?;
    let store = match project.config.queue_dir {
        Some(_) => opening::shared_store(app, &directory)?,
        None => opening::store(app, &directory)?.0,
    };
    Desk::open(store).map_err(|error| store_problem(lang, &error))
}

fn call(
    app: &App,
    desk: &mut Desk<RealDisk>,
    decide: impl FnOnce(&Queue) -> Decided,
) -> Result<Result<Claim, Refused>, Problem> {
    desk.call(now(app), decide).map_err(|error| store_problem(app.lang, &error))
}

fn problem(app: &App, refused: &Refused) -> Problem {
    let problem = Problem::new(refused.what(app.lang), refused.next(app.lang));
    let exit = if refused.code() == Code::BadTime { Exit::Usage } else { Exit::Failed };
    Problem { exit, ..problem.coded(refused.code().as_str()) }
}

fn print_claim(app: &mut App, claim: &Claim) -> Result<Exit, Problem> {
    if app.json {
        app.print_json(&json!(claim))?;
        return Ok(Exit::Done);
    }
    let (worker, goal) = (visible(&claim.worker_id), visible(&claim.goal_id));
    let told = say::claimed(app.lang, worker, goal, claim.expires_at);
    app.print(&format!("{}  {told}\n", claim.claim_id))?;
    Ok(Exit::Done)
}

fn line(claim: &Claim) -> String {
    let (goal, worker) = (visible(&claim.goal_id), visible(&claim.worker_id));
    format!(
        "{}  {:<8}  {goal}  {worker}  {}  {}..{}\n",
        claim.claim_id,
        claim.status.as_str(),
        claim.role.as_str(),
        claim.created_at,
        claim.expires_at
    )
}

pub(crate) fn minutes(count: u16) -> SignedDuration {
    SignedDuration::from_mins(i64::from(count))
}

fn now(app: &App) -> UtcTime {
    UtcTime::new(app.clock.now())
}
