//! `hast status`: all flows found here, at a glance, and what waits for a person. It looks at small
//! files and does not check what agents made; that is `hast verify`.

use std::collections::BTreeMap;

use hast_flow::agents::ledger::Limited;
use hast_flow::attempt::recovery::Owner;
use hast_flow::attempt::workspace::{GitResult, GitStep};
use hast_flow::docs::document::read;
use hast_flow::docs::files::FlowName;
use hast_flow::docs::goals::{Goal, GoalStatus, Goals};
use hast_flow::flows::goals::auto::layout as auto_layout;
use hast_flow::flows::goals::auto::publishing::owed_in;
use hast_flow::flows::goals::layout;
use hast_flow::flows::goals::selection::{Placed, placed, select};
use hast_flow::formats::source::Source;
use hast_flow::time::UtcTime;
use hast_flow::words::{shell_word, visible};
use hast_world::auto_lock::Found;
use hast_world::git::RoomsOnDisk;
use hast_world::git_thread::GitThread;
use hast_world::root_path::RootPath;
use hast_world::{auto_lock, git};
use serde_json::{Value, json};

use super::agent::limits;
use super::auto::effects::{rooms_here, rooms_json, rooms_line};
use super::calling::machine_directory;
use super::flow_root::nothing_here;
use super::goals_files::{newest_handoff, text_of};
use super::run::glance as runs;
use super::session::glance::{Glance, glance};
use super::verify::{Report, check_written, flows_here};
use super::{contract, kernel};
use crate::app::App;
use crate::messages::say;
use crate::ops_messages::say as ops;
use crate::problem::{Exit, Problem};

/// A flow that was found, and how it is.
struct Seen {
    flow: FlowName,
    root: RootPath,
    state: State,
}

enum State {
    /// With what is wrong in the files that people write.
    Goals(Report, Option<Box<GoalsState>>),
    Sessions(Glance),
    Runs(runs::Glance),
    /// How many goals or requests are in which state, and the one that is worked on.
    Units(BTreeMap<&'static str, usize>, Option<(String, Value)>),
}

/// The goals flow in a few words.
struct GoalsState {
    counts: [usize; 5],
    current: Option<(String, String)>,
    blocked: Vec<(String, Option<String>)>,
    last_handoff: Option<String>,
    /// Goals whose status is in the file and in no commit yet.
    owed: Vec<String>,
    rooms: RoomsOnDisk,
    /// A run that works here, or that ended without its end.
    run: Option<Found>,
    /// Branches with work that was handed over, and has not been merged since.
    kept: Vec<String>,
}

/// In the order people care about them.
const STATUSES: [GoalStatus; 5] = [
    GoalStatus::Active,
    GoalStatus::Pending,
    GoalStatus::Blocked,
    GoalStatus::Done,
    GoalStatus::Dropped,
];

pub(crate) fn run(app: &mut App) -> Result<Exit, Problem> {
    let mut flows = Vec::new();
    for (flow, root) in flows_here(app)? {
        let state = match flow {
            FlowName::Goals => {
                let mut report = Report::default();
                check_written(app, &root, &mut report);
                State::Goals(report, goals_state(app, &root).map(Box::new))
            }
            FlowName::Session => State::Sessions(glance(&root)),
            FlowName::Run => State::Runs(runs::glance(&root)),
            FlowName::Kernel => State::Units(counted(kernel::listing::states(app, &root)), None),
            FlowName::Contract => {
                let request = contract::listing::glance(app.lang, &root);
                State::Units(counted(contract::listing::states(&root)), request)
            }
        };
        flows.push(Seen { flow, root, state });
    }
    let limits = limits_here(app, &flows);
    if app.json {
        let at = UtcTime::new(app.clock.now()).to_string();
        let flows: Vec<_> = flows.iter().map(seen_json).collect();
        let waiting = super::inbox::waiting(app).ok();
        let limits = limits::as_json(&limits);
        let told = json!({ "at": at, "flows": flows, "waiting": waiting, "limits": limits });
        app.print_json(&told)?;
        return Ok(Exit::Done);
    }
    let text = if flows.is_empty() { nothing_here(app) } else { text(app, &flows, &limits) };
    app.print(&text)?;
    Ok(Exit::Done)
}

fn counted(states: Vec<&'static str>) -> BTreeMap<&'static str, usize> {
    let mut units = BTreeMap::new();
    for state in states {
        *units.entry(state).or_default() += 1;
    }
    units
}

/// Agents that refuse, each once: flows of one root share what they know. A ledger that cannot be read tells of
/// none here; `hast agent limits` says why.
fn limits_here(app: &App, flows: &[Seen]) -> Vec<Limited> {
    let machines = flows.iter().map(|seen| machine_directory(&seen.root));
    let mut limits: Vec<Limited> =
        machines.flat_map(|machine| limits::known(app, &machine).unwrap_or_default()).collect();
    limits.sort_by(|one, other| (&one.agent, other.limit).cmp(&(&other.agent, one.limit)));
    limits.dedup_by(|later, kept| later.agent == kept.agent);
    limits
}

fn text(app: &App, flows: &[Seen], limits: &[Limited]) -> String {
    let lang = app.lang;
    let mut text = String::new();
    let mut findings = 0;
    for Seen { flow, root, state } in flows {
        let root = root.display().to_string();
        text += &format!("{:<9} {}\n", flow.as_str(), visible(&root));
        let lines = match state {
            State::Goals(report, goals) => {
                findings += report.findings();
                goals_lines(app, report, goals.as_deref())
            }
            State::Sessions(glance) => glance.lines(lang),
            State::Runs(glance) => glance.lines(lang),
            State::Units(units, at_work) => {
                let counts = units.iter().map(|(state, count)| format!("{state} {count}"));
                let counts = counts.collect::<Vec<_>>().join(", ");
                let counts = (!counts.is_empty()).then_some(counts);
                counts.into_iter().chain(at_work.iter().map(|(line, _)| line.clone())).collect()
            }
        };
        text.extend(lines.iter().map(|line| format!("          {line}\n")));
    }
    text.extend(limits::lines(app, limits).iter().map(|line| format!("{line}\n")));
    match super::inbox::waiting(app) {
        Ok(0) => {}
        Ok(waiting) => {
            text += &format!("{}\n", ops::waiting(lang, waiting));
            text += &format!("{}: {}\n", say::next(lang), ops::waiting_next(lang));
        }
        Err(problem) => {
            let why = [problem.place.map(String::from), problem.why]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>();
            let why = if why.is_empty() { problem.what } else { why.join(": ") };
            text += &format!("{}\n", ops::waiting_unknown(lang, visible(&why)));
            text += &format!("{}: {}\n", say::next(lang), problem.next);
        }
    }
    if findings > 0 {
        text += &format!("{}: {}\n", say::next(lang), say::run_verify(lang));
    }
    text
}

fn goals_lines(app: &App, report: &Report, goals: Option<&GoalsState>) -> Vec<String> {
    let lang = app.lang;
    let mut lines = Vec::new();
    if report.findings() > 0 {
        lines.push(say::flow_state(lang, report.errors, report.warnings));
    }
    let Some(goals) = goals else {
        if lines.is_empty() {
            lines.push(say::no_goals_file(lang));
        }
        return lines;
    };
    lines.extend(goals.run.as_ref().map(|run| run_line(app, run)));
    let [active, pending, blocked, done, dropped] = goals.counts;
    lines.push(say::goal_counts(lang, active, pending, blocked, done, dropped));
    if let Some((id, title)) = &goals.current {
        lines.push(say::current_goal(lang, format!("{id} — {title}")));
    }
    lines.extend(goals.last_handoff.as_ref().map(|name| say::last_handoff(lang, name)));
    for (goal, reason) in &goals.blocked {
        let reason = reason.clone().unwrap_or_else(|| say::no_reason(lang));
        lines.push(say::blocked_goal(lang, goal, reason));
    }
    if let Some((first, _)) = goals.blocked.first() {
        let next = ops::show_blocked(lang, visible(&shell_word(first)));
        lines.push(format!("{}: {next}", say::next(lang)));
    }
    if !goals.kept.is_empty() {
        lines.push(ops::kept_branches(lang, visible(&goals.kept.join(", "))));
    }
    if !goals.owed.is_empty() {
        lines.push(ops::status_owed(lang, visible(&goals.owed.join(", "))));
    }
    lines.extend(rooms_line(&goals.rooms, lang));
    lines
}

/// Nothing but the lock's file tells of a run that was killed.
fn run_line(app: &App, run: &Found) -> String {
    let (lang, lock) = (app.lang, &run.lock);
    let at_work = lock.goal.as_deref().filter(|goal| !goal.is_empty()).zip(lock.attempt);
    let since = app.local(UtcTime::new(lock.started_at.instant()));
    match (run.owner == Owner::Alive, at_work) {
        (true, Some((goal, attempt))) => {
            ops::running(lang, visible(goal), attempt, since, lock.pid)
        }
        (true, None) => ops::running_start(lang, since, lock.pid),
        (false, Some((goal, attempt))) => ops::dead_run(lang, visible(goal), attempt),
        (false, None) => ops::dead_run_start(lang),
    }
}

fn run_json(run: &Found) -> Value {
    let lock = &run.lock;
    let goal = lock.goal.as_deref().filter(|goal| !goal.is_empty());
    json!({
        "alive": run.owner == Owner::Alive, "pid": lock.pid, "goal_id": goal,
        "attempt": lock.attempt, "started_at": UtcTime::new(lock.started_at.instant()),
    })
}

/// Branches that are still to be looked at.
fn kept_branches(root: &RootPath) -> Vec<String> {
    let listed = GitThread::open(root).map(|git| git.perform(&GitStep::ListRefs));
    let Ok(GitResult::Refs(refs)) = listed else { return Vec::new() };
    let kept = refs.into_iter().filter(|one| !one.merged);
    let short = |name: String| name.strip_prefix("refs/heads/").map(str::to_owned);
    kept.filter_map(|one| short(one.name)).filter(|name| name.starts_with("hast/kept/")).collect()
}

fn seen_json(seen: &Seen) -> Value {
    let mut document = json!({
        "flow": seen.flow.as_str(),
        "root": seen.root.display().to_string(),
    });
    let (name, state) = match &seen.state {
        State::Goals(report, goals) => {
            document["errors"] = json!(report.errors);
            document["warnings"] = json!(report.warnings);
            ("goals", goals.as_deref().map_or(Value::Null, goals_json))
        }
        State::Sessions(glance) => ("sessions", glance.json()),
        State::Runs(glance) => ("runs", glance.json()),
        State::Units(units, at_work) => {
            if let Some((_, request)) = at_work {
                document["request"] = request.clone();
            }
            ("units", json!(units))
        }
    };
    document[name] = state;
    document
}

fn goals_json(goals: &GoalsState) -> Value {
    let [active, pending, blocked, done, dropped] = goals.counts;
    let blocked_goals: Vec<_> = goals
        .blocked
        .iter()
        .map(|(id, reason)| json!({ "id": id, "blocked_reason": reason }))
        .collect();
    json!({
        "active": active, "pending": pending, "blocked": blocked, "done": done,
        "dropped": dropped,
        "current_goal": goals.current.as_ref().map(|(id, title)| json!({ "id": id, "title": title })),
        "last_handoff": goals.last_handoff,
        "blocked_goals": blocked_goals,
        "not_committed": goals.owed,
        "rooms": rooms_json(&goals.rooms),
        "run": goals.run.as_ref().map(run_json),
        "kept_branches": goals.kept,
    })
}

/// What the log owes, while the file is not as the last commit has it: people may have committed it.
fn owed(app: &App, root: &RootPath, text: &str) -> Vec<String> {
    let log = format!("{}/{}", layout::DIRECTORY, auto_layout::EVENTS);
    let log = text_of(app, root, &log).ok().flatten().unwrap_or_default();
    let owed = owed_in(&log);
    if owed.is_empty() {
        return owed;
    }
    let committed = committed(root);
    let same = committed.is_some_and(|committed| committed == text.as_bytes());
    if same { Vec::new() } else { owed }
}

/// The goals as the last commit has them.
fn committed(root: &RootPath) -> Option<Vec<u8>> {
    let place = git::Place::find(root).ok()?;
    let (_, commit) = auto_lock::head(&place.git_dir, &place.common_dir)?;
    let paths = vec![layout::GOALS.to_owned()];
    let read = GitStep::Read { tree: commit.parse().ok()?, paths };
    match GitThread::open(root).ok()?.perform(&read) {
        GitResult::Files(files) => files.into_iter().next()?.bytes,
        _ => None,
    }
}

/// Nothing where the goals cannot be read: the findings say so already.
fn goals_state(app: &App, root: &RootPath) -> Option<GoalsState> {
    let text = text_of(app, root, layout::GOALS).ok().flatten()?;
    let goals = read::<Goals>(&Source::new(layout::GOALS, &text)).ok()?.value;
    let all = placed(&goals);
    // The same goal that `context` would choose.
    let newest = newest_handoff(app, root).ok()?.session;
    let last_goal = newest.as_ref().map(|(_, session)| session.front.goal_id.as_str());
    let count = |status| all.iter().filter(|placed| placed.goal.status == status).count();
    let named = |placed: &Placed<'_>| (placed.goal.id.clone(), placed.goal.title.clone());
    let blocked = |goal: &&Goal| goal.status == GoalStatus::Blocked;
    let goals = all.iter().map(|placed| placed.goal).filter(blocked);
    Some(GoalsState {
        counts: STATUSES.map(count),
        owed: owed(app, root, &text),
        run: auto_lock::find(&root.join(layout::DIRECTORY)).ok().flatten(),
        kept: kept_branches(root),
        rooms: rooms_here(root, &std::env::vars_os().collect::<Vec<_>>()).unwrap_or_default(),
        current: select(&all, last_goal).map(named),
        blocked: goals.map(|goal| (goal.id.clone(), goal.blocked_reason.clone())).collect(),
        last_handoff: newest.map(|(name, _)| name),
    })
}
